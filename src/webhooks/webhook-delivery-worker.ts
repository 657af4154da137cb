import { isoTextOfInstant } from "../domain/time.ts";
import {
  type AttemptResult,
  attemptWebhookDelivery,
  type PendingDelivery,
} from "./attempt-webhook-delivery.ts";
import type { DispatcherDeps, DispatcherOptions } from "./webhook-dispatcher-deps.ts";
import { type EndpointHealth, webhookEndpointHealthAfter } from "./webhook-endpoint-health.ts";
import { PartnerQueue } from "./webhook-partner-queue.ts";

type WorkerOptions = Omit<DispatcherOptions, "pageSize" | "maxInMemory"> & {
  /** Returns the number of deliveries to fetch at once. */
  pageSize: () => number;
  /** Records the result, then calls `recorded`. */
  onResult: (result: AttemptResult, recorded: () => void) => void;
  /** Called after each attempt. */
  onEnd: () => void;
};

/** Returns whether a change of the health must be saved. Repeated failures with the same error need not be. */
function isWorthSaving(before: EndpointHealth, after: EndpointHealth): boolean {
  const wasFailing = before.failures > 0;
  const isFailing = after.failures > 0;
  const isPaused = before.pausedAt !== null || after.pausedAt !== null;
  return wasFailing !== isFailing || isPaused || before.lastError !== after.lastError;
}

const RETRY_MS = 1_000;
const NO_ENDPOINT_RETRY_MS = 60_000;

/**
 * Sends the deliveries of one partner: fetches them in pages, sends several at once, and keeps the order of each order
 * key. While the endpoint is paused it sends one delivery at a time, as a probe, and backs off in between.
 */
export class DeliveryWorker {
  inFlight = 0;
  private readonly queue = new PartnerQueue<PendingDelivery>();
  /** Undefined until it has been read from the store. */
  private health: EndpointHealth | undefined;
  private healthToSave: EndpointHealth | undefined;
  /** Failures that were not worth a write when they happened. */
  private hasUnsavedFailures = false;
  /** The save in progress. */
  private saving: Promise<void> | undefined;
  private concurrency: number;
  private revision = 0;
  private reading: Promise<void> | undefined;
  /** Incremented when the health is discarded: a read that began before is repeated. */
  private healthVersion = 0;
  private mayHaveMore = false;
  private isFetching = false;
  private isStopped = false;
  private pageLimit = 1;
  /** While set, nothing is fetched or sent. */
  private backoffTimer: unknown = null;

  constructor(
    readonly partnerId: string,
    private readonly deps: DispatcherDeps,
    private readonly options: WorkerOptions,
    /** The epoch of the lease under which this worker sends. The store rejects results of an earlier lease. */
    readonly epoch = 0,
  ) {
    this.concurrency = options.concurrencyPerPartner;
  }

  get queued(): number {
    return this.queue.waitingCount;
  }

  /** The number of deliveries in memory. */
  get inMemory(): number {
    return this.queue.ids.size;
  }

  get isPaused(): boolean {
    return this.health !== undefined && this.health.pausedAt !== null;
  }

  /**
   * Returns whether nothing is lost without this worker: it has nothing to do, and the store knows its failures. Saves
   * them if they are not saved yet.
   */
  canBeDropped(): boolean {
    const isIdle =
      this.inMemory === 0 && this.inFlight === 0 && this.canRun && !this.isFetching && !this.mayHaveMore;
    if (isIdle && this.health && this.hasUnsavedFailures) this.save(this.health);
    return isIdle && this.saving === undefined;
  }

  /** Checks the store for due deliveries. */
  wake(): void {
    this.mayHaveMore = true;
    this.advance();
  }

  /** Reads the state of the endpoint again and sends without waiting for the end of a backoff. */
  refresh(): void {
    this.forgetHealth();
    this.endBackoff();
  }

  private forgetHealth(): void {
    this.health = undefined;
    this.healthToSave = undefined;
    this.hasUnsavedFailures = false;
    this.healthVersion++;
  }

  /** Stops fetching and sending. Attempts in progress continue. */
  stop(): void {
    this.isStopped = true;
    this.deps.timers.clear(this.backoffTimer);
    this.queue.clear();
  }

  private get canRun(): boolean {
    return this.backoffTimer === null && !this.isStopped;
  }

  private advance(): void {
    const limit = this.isPaused ? 1 : this.concurrency;
    while (this.canRun && this.inFlight < limit) {
      const delivery = this.queue.take();
      if (!delivery) break;
      this.deliver(delivery);
    }
    // Results that are not recorded yet count as in memory, so that sending stops if the store cannot be written.
    const hasRoom = this.queued < this.pageLimit / 2 && this.inMemory <= this.pageLimit;
    if (hasRoom && this.mayHaveMore && !this.isFetching && this.canRun) this.fetch();
  }

  private async fetch(): Promise<void> {
    const { partnerId, deps, queue } = this;
    this.isFetching = true;
    this.mayHaveMore = false;
    try {
      if (!this.health) await this.readEndpointState();
      this.pageLimit = this.isPaused ? 1 : this.options.pageSize();
      queue.beginFetch();
      const page = await deps.due(partnerId, deps.clock(), this.pageLimit, queue.ids);
      if (this.canRun) queue.add(page);
      if (page.length === this.pageLimit) this.mayHaveMore = true;
    } catch (error) {
      this.backOffAfterError(error);
    }
    this.isFetching = false;
    this.advance();
  }

  /** Shares one read among all callers that wait for it. */
  private readEndpointState(): Promise<void> {
    this.reading ??= this.loadEndpointState();
    return this.reading;
  }

  private async loadEndpointState(): Promise<void> {
    try {
      while (!this.health) {
        const { healthVersion: discards } = this;
        // Otherwise the read could miss a failure that is being saved, and a success after it would not be saved.
        await this.saving;
        const { health, concurrency, revision } = await this.deps.endpointState(this.partnerId);
        if (discards !== this.healthVersion) continue;
        this.health = health;
        this.revision = revision;
        this.concurrency = concurrency ?? this.options.concurrencyPerPartner;
      }
    } finally {
      this.reading = undefined;
    }
  }

  private async deliver(delivery: PendingDelivery): Promise<void> {
    const { partnerId, deps, queue } = this;
    const { send, clock } = deps;
    const options = { send, clock, timeoutMs: this.options.timeoutMs, isProbe: this.isPaused };
    this.inFlight++;
    try {
      const endpoint = await deps.endpoint(partnerId);
      if (deps.leases?.isHeld(partnerId, this.epoch, options.timeoutMs) === false) {
        queue.release(delivery);
        this.backOff(RETRY_MS);
      } else if (endpoint) {
        const result = await attemptWebhookDelivery(delivery, endpoint, options);
        this.recordResult(delivery, result);
        await this.updateHealth(result, endpoint.revision);
      } else {
        queue.release(delivery);
        this.backOff(NO_ENDPOINT_RETRY_MS);
        deps.log.warn(
          { partner_id: partnerId },
          "webhook deliveries on hold: the partner has no endpoint or is disabled",
        );
      }
    } catch (error) {
      queue.release(delivery);
      this.backOffAfterError(error);
    }
    this.inFlight--;
    this.advance();
    this.options.onEnd();
  }

  private recordResult(delivery: PendingDelivery, result: AttemptResult): void {
    // The order key stays taken until the result is recorded: otherwise a crash could reverse two deliveries.
    this.options.onResult(this.deps.leases ? { ...result, epoch: this.epoch } : result, () => {
      if (result.outcome === "retry") this.queue.release(delivery);
      else this.queue.settle(delivery);
      this.advance();
    });
    this.logAttempt(delivery, result);
  }

  /** Logs the attempt, if its kind is logged. The request ID relates the line to that of the API request. */
  private logAttempt({ event, requestId }: PendingDelivery, result: AttemptResult): void {
    const { deliveryId, partnerId, attempt, outcome, statusCode, durationMs, error } = result;
    const { logged } = this.options;
    if (logged === "none" || (logged === "failed" && outcome === "delivered")) return;
    const about = { delivery_id: deliveryId, partner_id: partnerId, event, request_id: requestId };
    const response = { status_code: statusCode, error };
    this.deps.log.info(
      { ...about, attempt, outcome, ...response, duration_ms: durationMs },
      "webhook attempt",
    );
    if (outcome === "failed")
      this.deps.log.warn({ ...about, attempts: attempt, ...response }, "webhook delivery failed");
  }

  /** Updates the health after an attempt, unless an operator has changed the endpoint since `revision`. */
  private async updateHealth(result: AttemptResult, revision: number): Promise<void> {
    // The change is in the store, but the dispatcher has not been notified of it yet.
    if (this.revision < revision) this.forgetHealth();
    if (!this.health) {
      await this.readEndpointState().catch((error: unknown) => {
        this.deps.log.error(
          { err: error, partner_id: this.partnerId },
          "cannot read the health of the webhook endpoint",
        );
      });
    }
    if (this.health && this.revision === revision) this.applyOutcome(this.health, result);
  }

  private applyOutcome(before: EndpointHealth, { outcome, error, startedAt }: AttemptResult): void {
    const health = webhookEndpointHealthAfter(
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
      this.deps.log.info(
        { partner_id: this.partnerId, paused_at: isoTextOfInstant(before.pausedAt) },
        "webhook endpoint recovered, deliveries resumed",
      );
    }
    if (isWorthSaving(before, health)) this.save(health);
    else this.hasUnsavedFailures ||= health.failures > 0;
  }

  private logPause({ failures, failingSince, lastError }: EndpointHealth, wasPaused: boolean): void {
    const fields = {
      partner_id: this.partnerId,
      failures,
      failing_since: failingSince === null ? null : isoTextOfInstant(failingSince),
      error: lastError,
    };
    if (wasPaused) this.deps.log.info(fields, "webhook endpoint still failing, remains paused");
    else this.deps.log.warn(fields, "webhook endpoint paused until a probe succeeds");
  }

  /**
   * Saves one health at a time, so that saves stay in order, and only the latest one that is waiting. A failed save is
   * not retried: it costs at most one probe after the next start.
   */
  private save(health: EndpointHealth): void {
    this.healthToSave = health;
    this.hasUnsavedFailures = false;
    this.saving ??= this.saveLatest();
  }

  private async saveLatest(): Promise<void> {
    for (let next = this.takeHealthToSave(); next; next = this.takeHealthToSave())
      await this.deps.saveEndpointHealth(this.partnerId, next, this.revision, this.epoch).catch((error) => {
        this.deps.log.error(
          { err: error, partner_id: this.partnerId },
          "cannot save the health of the webhook endpoint",
        );
      });
    this.saving = undefined;
  }

  private takeHealthToSave(): EndpointHealth | undefined {
    const { healthToSave: unsaved } = this;
    this.healthToSave = undefined;
    return unsaved;
  }

  private backOffAfterError(error: unknown): void {
    if (this.isStopped) return;
    this.deps.log.error(
      { err: error, partner_id: this.partnerId },
      "cannot prepare webhook deliveries, retrying",
    );
    this.backOff(RETRY_MS);
  }

  /** Discards queued deliveries and stops fetching and sending for that time. Does nothing during a backoff. */
  private backOff(ms: number): void {
    if (!this.canRun) return;
    this.queue.clear();
    this.backoffTimer = this.deps.timers.set(() => this.endBackoff(), ms);
  }

  private endBackoff(): void {
    this.deps.timers.clear(this.backoffTimer);
    this.backoffTimer = null;
    this.wake();
  }
}
