import { toIso } from "../domain/time.ts";
import { type AttemptResult, attemptDelivery, type PendingDelivery } from "./attempt.ts";
import type { DispatcherDeps, DispatcherOptions } from "./delivery-repository.ts";
import { PartnerQueue } from "./partner-queue.ts";
import { healthAfter, type ReceiverHealth } from "./receiver-health.ts";

export type WorkerOptions = Omit<DispatcherOptions, "pageSize" | "mostHeld"> & {
  /** How many deliveries to fetch at once. */
  pageSize: () => number;
  /** Has the result recorded, then calls `recorded`. */
  onResult: (result: AttemptResult, recorded: () => void) => void;
  /** Called whenever an attempt has ended. */
  onEnd: () => void;
};

/** Whether an operator is to see it at once: not each of many failures of one kind. */
function isWorthSaving(before: ReceiverHealth, after: ReceiverHealth): boolean {
  const wasFailing = before.failures > 0;
  const isFailing = after.failures > 0;
  const isPaused = before.pausedAt !== null || after.pausedAt !== null;
  return wasFailing !== isFailing || isPaused || before.lastError !== after.lastError;
}

const RETRY_MS = 1_000;
const NO_RECEIVER_RETRY_MS = 60_000;

/**
 * The deliveries of one partner: fetched by pages, a few under way at once, each order key in order. While the
 * receiver is paused the lane is the same, only one delivery wide and resting between probes.
 */
export class DeliveryWorker {
  inFlight = 0;
  private readonly queue = new PartnerQueue<PendingDelivery>();
  /** Undefined until it is read from the store. */
  private health: ReceiverHealth | undefined;
  private healthToSave: ReceiverHealth | undefined;
  /** Resolves once nothing is being saved. */
  private saving: Promise<void> | undefined;
  /** Read together with the health. */
  private concurrency: number;
  private revision = 0;
  private reading: Promise<void> | undefined;
  /** Times that the health was discarded: a read that began before the last of them is repeated. */
  private discards = 0;
  private mayHaveMore = false;
  private isFetching = false;
  private isStopped = false;
  private pageLimit = 1;
  /** While set, nothing is fetched or sent until it fires. */
  private backoffTimer: unknown = null;

  constructor(
    readonly partnerId: string,
    private readonly ports: DispatcherDeps,
    private readonly options: WorkerOptions,
    /** Told by it are the results that come when another server has the lane. */
    readonly epoch = 0,
  ) {
    this.concurrency = options.concurrencyPerPartner;
  }

  get queued(): number {
    return this.queue.waitingCount;
  }

  /** Deliveries in memory. */
  get inMemory(): number {
    return this.queue.ids.size;
  }

  get isPaused(): boolean {
    return this.health !== undefined && this.health.pausedAt !== null;
  }

  /** Has nothing to do, and waits for nothing. */
  get isIdle(): boolean {
    return this.inMemory === 0 && this.inFlight === 0 && this.canRun && !this.isFetching && !this.mayHaveMore;
  }

  /** The partner may have due deliveries that are not here. */
  wake(): void {
    this.mayHaveMore = true;
    this.advance();
  }

  /** Discards the receiver's health, so that it is read again, and tries. */
  refresh(): void {
    this.discardHealth();
    this.endBackoff();
  }

  private discardHealth(): void {
    this.health = undefined;
    this.healthToSave = undefined;
    this.discards++;
  }

  /** Starts nothing more; what is under way goes on. */
  stop(): void {
    this.isStopped = true;
    this.ports.timers.clear(this.backoffTimer);
    this.queue.clear();
  }

  private get canRun(): boolean {
    return this.backoffTimer === null && !this.isStopped;
  }

  private advance(): void {
    const width = this.isPaused ? 1 : this.concurrency;
    while (this.canRun && this.inFlight < width) {
      const job = this.queue.take();
      if (!job) break;
      this.deliver(job);
    }
    // What is sent but not recorded counts as held: a store that can't be written stops the sending too.
    const hasRoom = this.queued < this.pageLimit / 2 && this.inMemory <= this.pageLimit;
    if (hasRoom && this.mayHaveMore && !this.isFetching && this.canRun) this.fetch();
  }

  private async fetch(): Promise<void> {
    const { partnerId, ports, queue } = this;
    this.isFetching = true;
    this.mayHaveMore = false;
    try {
      if (!this.health) await this.readReceiver();
      this.pageLimit = this.isPaused ? 1 : this.options.pageSize();
      queue.beginFetch();
      const page = await ports.due(partnerId, ports.clock(), this.pageLimit, queue.ids);
      if (this.canRun) queue.add(page);
      if (page.length === this.pageLimit) this.mayHaveMore = true;
    } catch (error) {
      this.backOffAfterError(error);
    }
    this.isFetching = false;
    this.advance();
  }

  /** Reads the receiver once for all who wait for it. */
  private readReceiver(): Promise<void> {
    this.reading ??= this.loadReceiver();
    return this.reading;
  }

  private async loadReceiver(): Promise<void> {
    try {
      while (!this.health) {
        const { discards } = this;
        // A failure that is still being saved would be missing, and the success after it would not be saved.
        await this.saving;
        const { health, concurrency, revision } = await this.ports.receiver(this.partnerId);
        if (discards !== this.discards) continue;
        this.health = health;
        this.revision = revision;
        this.concurrency = concurrency ?? this.options.concurrencyPerPartner;
      }
    } finally {
      this.reading = undefined;
    }
  }

  private async deliver(job: PendingDelivery): Promise<void> {
    const { partnerId, ports, queue } = this;
    const { send, clock } = ports;
    const options = { send, clock, timeoutMs: this.options.timeoutMs, isProbe: this.isPaused };
    this.inFlight++;
    try {
      const endpoint = await ports.endpoint(partnerId);
      if (ports.leases?.isHeld(partnerId, this.epoch, options.timeoutMs) === false) {
        queue.release(job);
        this.backOff(RETRY_MS);
      } else if (endpoint) {
        const result = await attemptDelivery(job, endpoint, options);
        this.recordResult(job, result);
        await this.noteHealth(result, endpoint.revision);
      } else {
        queue.release(job);
        this.backOff(NO_RECEIVER_RETRY_MS);
        ports.log.warn(
          { partner_id: partnerId },
          "webhook deliveries wait: the partner has no receiver or is disabled",
        );
      }
    } catch (error) {
      queue.release(job);
      this.backOffAfterError(error);
    }
    this.inFlight--;
    this.advance();
    this.options.onEnd();
  }

  private recordResult(job: PendingDelivery, result: AttemptResult): void {
    // The order key is free only when the result is recorded, or a crash could turn two deliveries around.
    this.options.onResult(this.ports.leases ? { ...result, epoch: this.epoch } : result, () => {
      if (result.outcome === "retry") this.queue.release(job);
      else this.queue.settle(job);
      this.advance();
    });
    this.logAttempt(job, result);
  }

  /** A line an attempt, as there is one a request: the request id joins the two. */
  private logAttempt({ event, requestId }: PendingDelivery, result: AttemptResult): void {
    const { deliveryId, partnerId, attempt, outcome, statusCode, durationMs, error } = result;
    const about = { delivery_id: deliveryId, partner_id: partnerId, event, request_id: requestId };
    const answer = { status_code: statusCode, error };
    this.ports.log.info(
      { ...about, attempt, outcome, ...answer, duration_ms: durationMs },
      "webhook attempt",
    );
    if (outcome === "failed")
      this.ports.log.warn({ ...about, attempts: attempt, ...answer }, "webhook delivery failed");
  }

  /** Updates the health by an attempt, unless an operator has changed the receiver since the attempt's revision. */
  private async noteHealth(result: AttemptResult, revision: number): Promise<void> {
    // The operator's change is in the store, and the dispatcher is yet to be notified of it.
    if (this.revision < revision) this.discardHealth();
    if (!this.health) {
      await this.readReceiver().catch((error: unknown) => {
        this.ports.log.error(
          { err: error, partner_id: this.partnerId },
          "the webhook receiver's health could not be read",
        );
      });
    }
    if (this.health && this.revision === revision) this.updateHealth(this.health, result);
  }

  private updateHealth(before: ReceiverHealth, { outcome, error, startedAt }: AttemptResult): void {
    const health = healthAfter(
      before,
      { ok: outcome === "delivered", error, startedAt },
      this.options.pauseLimits,
    );
    this.health = health;
    if (health.pausedAt !== null) {
      this.backOff(this.options.probeIntervalMs);
      this.logPause(health, before.pausedAt !== null);
    } else if (before.pausedAt !== null) {
      this.mayHaveMore = true;
      this.ports.log.info(
        { partner_id: this.partnerId, paused_at: toIso(before.pausedAt) },
        "webhook receiver answers again: deliveries resumed",
      );
    }
    if (isWorthSaving(before, health)) this.save(health);
  }

  private logPause({ failures, failingSince, lastError }: ReceiverHealth, wasPaused: boolean): void {
    const fields = {
      partner_id: this.partnerId,
      failures,
      failing_since: failingSince === null ? null : toIso(failingSince),
      error: lastError,
    };
    if (wasPaused) this.ports.log.info(fields, "webhook receiver still fails: it stays paused");
    else this.ports.log.warn(fields, "webhook receiver paused: its deliveries wait until a probe succeeds");
  }

  /**
   * One save at a time, so that none is overtaken by the one before it, and the latest of those that wait. One that
   * fails costs no more than a probe after the next start, so it is not tried again.
   */
  private save(health: ReceiverHealth): void {
    this.healthToSave = health;
    this.saving ??= this.saveLatest();
  }

  private async saveLatest(): Promise<void> {
    for (let next = this.takeHealthToSave(); next; next = this.takeHealthToSave())
      await this.ports.saveReceiverHealth(this.partnerId, next, this.revision, this.epoch).catch((error) => {
        this.ports.log.error(
          { err: error, partner_id: this.partnerId },
          "the webhook receiver's health could not be saved",
        );
      });
    this.saving = undefined;
  }

  private takeHealthToSave(): ReceiverHealth | undefined {
    const { healthToSave: unsaved } = this;
    this.healthToSave = undefined;
    return unsaved;
  }

  private backOffAfterError(error: unknown): void {
    if (this.isStopped) return;
    this.ports.log.error(
      { err: error, partner_id: this.partnerId },
      "webhook deliveries could not be prepared; trying again soon",
    );
    this.backOff(RETRY_MS);
  }

  /** Lets go of what waits and takes nothing for so long, unless it rests already. */
  private backOff(ms: number): void {
    if (!this.canRun) return;
    this.queue.clear();
    this.backoffTimer = this.ports.timers.set(() => this.endBackoff(), ms);
  }

  private endBackoff(): void {
    this.ports.timers.clear(this.backoffTimer);
    this.backoffTimer = null;
    this.wake();
  }
}
