import type { Instant } from "../domain/time.ts";
import { clusterClockOffset, isClusterClockOffsetTooLarge } from "./cluster-server.ts";

/** The server's own clock and its monotonic one, read together. */
type Reading = { own: Instant; monotonicMs: number };

/** The clock was set between two readings if its time differs by more from that of the monotonic one. */
const SET_MS = 1_000;

/**
 * The clock of a server that shares its database with others. The server's own clock counts only where it agrees with the
 * database's, which each heartbeat finds out; until the next such heartbeat, time advances by the monotonic clock. So a clock
 * that jumps leads to no wrong dates, and ends no tokens, sessions or idempotency keys that other servers accept.
 */
export class ClusterClock {
  #latest: { instant: Instant; monotonicMs: number } | undefined;
  #hasAgreed = false;

  /** `own` is the server's own clock, and `monotonicMs` a monotonic one, in milliseconds. */
  constructor(
    readonly own: () => Instant,
    private readonly monotonicMs: () => number,
  ) {}

  /** Returns the present instant; that of the server's own clock before the database was asked. */
  readonly now = (): Instant => {
    const latest = this.#latest;
    return latest ? Math.floor(latest.instant + this.monotonicMs() - latest.monotonicMs) : this.own();
  };

  /** Asks the database before the first heartbeat, so that nothing is dated by a server's own clock that is wrong. */
  async start(databaseNow: () => Promise<Instant>): Promise<void> {
    const before = this.read();
    this.compare(before, await databaseNow());
  }

  read(): Reading {
    return { own: this.own(), monotonicMs: this.monotonicMs() };
  }

  /**
   * Returns the server's own clock minus the database's, which showed `database` since the reading; undefined if the server's
   * own was set since. Time continues from there if the two agree, and from the database's as long as they never have.
   */
  compare(before: Reading, database: Instant): number | undefined {
    const { own, monotonicMs } = this.read();
    if (Math.abs(own - before.own - (monotonicMs - before.monotonicMs)) > SET_MS) return undefined;
    const offMs = clusterClockOffset(before.own, own, database);
    if (!isClusterClockOffsetTooLarge(offMs)) {
      this.#latest = { instant: own, monotonicMs };
      this.#hasAgreed = true;
    } else if (!this.#hasAgreed) this.#latest = { instant: database, monotonicMs };
    return offMs;
  }
}
