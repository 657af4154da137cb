import { LRUCache } from "lru-cache";
import type { Instant } from "../domain/time.ts";
import type { Timers } from "../event-loop/event-loop.ts";
import type { Cluster } from "./cluster.ts";
import type { ClusterClock } from "./cluster-clock.ts";
import { type LeaseRepository, OutdatedServer, type ServerReport } from "./cluster-leases-and-servers.ts";
import {
  type ClusterServer,
  isClusterClockOffsetTooLarge,
  isNewestModelInCluster,
} from "./cluster-server.ts";
import { type HeldLease, LEASE_MS, type Lease, leaseCoversNeed, leaseEnd, RENEWALS } from "./lease.ts";

type Log = Record<"info" | "warn", (fields: Record<string, unknown>, message: string) => void>;

type MembershipDeps = {
  repository: LeaseRepository;
  /** Read at every heartbeat: the address is known only once the server listens. */
  self: () => Omit<ServerReport, "clockOffMs">;
  clock: ClusterClock;
  /** A monotonic clock that also advances while the process is suspended, in milliseconds. */
  monotonicMs: () => number;
  timers: Timers;
  log: Log;
  /** How long a lease lasts. */
  leaseMs: number;
  /** Called once, when this running server must stop; its heartbeats have ended then. */
  mustStop: (reason: OutdatedServer) => void;
};

const RETRY_MS = 1_000;
/** A server without a heartbeat for `LEASE_MS` counts as dead, however long its leases last. */
const HEARTBEAT_MS = LEASE_MS / RENEWALS;
/** The time before a lease that another server holds is requested again. */
const REFUSED_MS = 1_000;
const MAX_REFUSED = 10_000;
const jobLease = (job: string) => `job:${job}`;

/** A server's membership in a cluster: sends heartbeats and keeps track of the leases that the server holds. */
export class Membership implements Cluster {
  readonly isSingleNode = false;
  readonly #held = new Map<string, HeldLease>();
  /** When a lease that another server holds may be requested again, by name. */
  readonly #refused = new LRUCache<string, number>({ max: MAX_REFUSED });
  /** Calls are serialized: a release that is overtaken would release what was acquired after it. */
  #latest: Promise<unknown> = Promise.resolve();
  #alive: ClusterServer[] = [];
  #clockOffMs = 0;
  #lost: (names: readonly string[]) => void = () => {};
  #jobsLost = new Map<string, AbortController>();
  #timer: unknown;
  #isStopped = false;
  #isFailing = false;

  constructor(private readonly deps: MembershipDeps) {}

  /** Joins the cluster. Rejects if the database is unavailable, and with an OutdatedServer. */
  async start(): Promise<void> {
    await this.#heartbeat();
    this.#schedule(HEARTBEAT_MS);
  }

  /** Leaves the cluster and releases all leases. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.deps.timers.clear(this.#timer);
    this.#held.clear();
    await this.#serialize(() => this.deps.repository.leave(this.#id)).catch((error) => {
      this.deps.log.warn({ err: error }, "could not leave the cluster: the leases of this server expire");
    });
  }

  async acquire(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { repository: book, monotonicMs, leaseMs } = this.deps;
    const mayRequest = (name: string) =>
      !this.#holdsLease(name) && (this.#refused.get(name) ?? 0) <= monotonicMs();
    const wanted = names.filter(mayRequest);
    if (wanted.length > 0) {
      await this.#acquire(() => book.acquire(this.#id, wanted, leaseMs));
      for (const name of wanted)
        if (!this.#holdsLease(name)) this.#refused.set(name, monotonicMs() + REFUSED_MS);
    }
    return epochs(names.flatMap((name) => (this.#holdsLease(name) ? this.#held.get(name)! : [])));
  }

  holds({ name, epoch }: Lease, needMs: number): boolean {
    const held = this.#held.get(name);
    return held?.epoch === epoch && leaseCoversNeed(held, this.deps.monotonicMs(), needMs);
  }

  async confirm(
    tx: Parameters<Cluster["confirm"]>[0],
    names: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    return epochs(await tx.servers.confirm(this.#id, names));
  }

  release(names: readonly string[]): Promise<void> {
    // Before the database is asked: from now on this server must not act under these leases.
    for (const name of names) this.#held.delete(name);
    return this.#serialize(() => this.deps.repository.release(this.#id, names));
  }

  onLost(listener: (names: readonly string[]) => void): void {
    this.#lost = listener;
  }

  async runExclusively(
    job: string,
    scheduledFor: Instant | undefined,
    run: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { repository: book, leaseMs } = this.deps;
    const name = jobLease(job);
    // A run recorded far in the future would keep the other servers from theirs.
    const isAhead = scheduledFor !== undefined && isClusterClockOffsetTooLarge(this.#clockOffMs);
    if (isAhead || this.#holdsLease(name)) return false;
    const [lease] = await this.#acquire(async () => {
      if (scheduledFor === undefined) return await book.acquire(this.#id, [name], leaseMs);
      const taken = await book.acquireScheduled(this.#id, name, scheduledFor, leaseMs);
      return taken ? [taken] : [];
    });
    if (!lease) return false;
    const lost = new AbortController();
    this.#jobsLost.set(name, lost);
    try {
      await run(AbortSignal.any([signal, lost.signal]));
    } finally {
      this.#jobsLost.delete(name);
      if (this.#held.get(name)?.epoch === lease.epoch && !this.#isStopped)
        await this.release([name]).catch(() => {});
    }
    return true;
  }

  alive = () => Math.max(1, this.#alive.length);
  clockOffMs = () => this.#clockOffMs;

  snapshotBlockedReason(): string | undefined {
    if (isClusterClockOffsetTooLarge(this.#clockOffMs))
      return `this server's clock is ${Math.round(this.#clockOffMs / 1000)} s off the database's`;
    const { model } = this.deps.self();
    return isNewestModelInCluster(model, this.#alive) ? undefined : "a server with a newer model is running";
  }

  get #id(): string {
    return this.deps.self().id;
  }

  #holdsLease(name: string): boolean {
    const held = this.#held.get(name);
    return held !== undefined && leaseCoversNeed(held, this.deps.monotonicMs(), 0);
  }

  /** Runs a request for leases and remembers those that were acquired. */
  async #acquire(request: () => Promise<Lease[]>): Promise<Lease[]> {
    return await this.#serialize(async () => {
      if (this.#isStopped) return [];
      const requestedAt = this.deps.monotonicMs();
      const taken = await request();
      this.#keep(taken, requestedAt);
      return taken;
    });
  }

  #serialize<T>(run: () => Promise<T>): Promise<T> {
    const next = this.#latest.then(run, run);
    this.#latest = next.catch(() => {});
    return next;
  }

  #schedule(ms: number): void {
    if (!this.#isStopped) this.#timer = this.deps.timers.set(() => void this.#run(), ms);
  }

  async #run(): Promise<void> {
    try {
      await this.#heartbeat();
      if (this.#isFailing) this.deps.log.info({}, "leases are renewed again");
      this.#isFailing = false;
      this.#schedule(HEARTBEAT_MS);
    } catch (error) {
      if (error instanceof OutdatedServer) {
        this.#drop([...this.#held.values()]);
        return this.deps.mustStop(error);
      }
      if (!this.#isFailing) this.deps.log.warn({ err: error }, "could not renew leases; retrying");
      this.#isFailing = true;
      this.#dropEnded();
      this.#schedule(RETRY_MS);
    }
  }

  #heartbeat(): Promise<void> {
    return this.#serialize(() => this.#renew());
  }

  async #renew(): Promise<void> {
    const { repository: book, self, clock, monotonicMs, leaseMs } = this.deps;
    this.#dropEnded();
    const requestedAt = monotonicMs();
    const reading = clock.read();
    const { now, alive, leases } = await book.heartbeat({ ...self(), clockOffMs: this.#clockOffMs }, leaseMs);
    this.#noteClock(clock.compare(reading, now) ?? this.#clockOffMs);
    this.#alive = alive;
    if (this.#isStopped) return;
    const renewed = epochs(leases);
    const lost = [...this.#held.values()].filter(({ name, epoch }) => renewed.get(name) !== epoch);
    this.#keep(
      leases.filter(({ name, epoch }) => this.#held.get(name)?.epoch === epoch),
      requestedAt,
    );
    this.#drop(lost);
    // Leases that expired here, or whose grant was lost, must not be renewed any further.
    const unknown = [...renewed.keys()].filter((name) => !this.#held.has(name));
    if (unknown.length > 0) await book.release(this.#id, unknown);
  }

  #noteClock(offMs: number): void {
    if (isClusterClockOffsetTooLarge(offMs) !== isClusterClockOffsetTooLarge(this.#clockOffMs)) {
      const fields = { clock_off_ms: offMs };
      if (isClusterClockOffsetTooLarge(offMs))
        this.deps.log.warn(
          fields,
          "the clock differs from the database's by more than a minute: this server does not use it, and takes no snapshots until it is corrected",
        );
      else this.deps.log.info(fields, "the clock agrees with the database's again");
    }
    this.#clockOffMs = offMs;
  }

  #keep(leases: readonly Lease[], requestedAt: number): void {
    for (const lease of leases)
      this.#held.set(lease.name, { ...lease, until: leaseEnd(requestedAt, this.deps.leaseMs) });
  }

  #dropEnded(): void {
    this.#drop(
      [...this.#held.values()].filter((lease) => !leaseCoversNeed(lease, this.deps.monotonicMs(), 0)),
    );
  }

  /** Forgets leases as they were when the request began; one acquired again since has another epoch and stays. */
  #drop(leases: readonly HeldLease[]): void {
    const gone = leases.filter(({ name, epoch }) => this.#held.get(name)?.epoch === epoch);
    for (const { name } of gone) {
      this.#held.delete(name);
      this.#jobsLost.get(name)?.abort(new Error("another server may run this job now"));
    }
    if (gone.length > 0) this.#lost(gone.map(({ name }) => name));
  }
}

const epochs = (leases: readonly Lease[]) => new Map(leases.map(({ name, epoch }) => [name, epoch]));
