/** Counts calls per caller: returns undefined if one is admitted, else the milliseconds until one would be. */
export type RateWindow = {
  admit(caller: string, now: number): number | undefined | Promise<number | undefined>;
};

/** The most addresses that are checked against the database at once, so that a flood of addresses does not reach it. */
const MAX_PENDING = 64;

/**
 * A limit of calls per minute and address that several servers enforce together. Callers need no credential to be
 * counted, so under a flood, and while the database is unavailable, each server counts for itself: up to the whole limit,
 * since it cannot know how much of it other servers have seen.
 */
export class DistributedAddressRateWindow implements RateWindow {
  /** The calls that wait, by address: all calls of an address wait for one request. */
  readonly #pending = new Map<string, number>();

  /** `prefix` keeps this limit's callers apart from those of other limits. */
  constructor(
    private readonly distributed: Pick<RateWindow, "admit">,
    private readonly local: RateWindow,
    private readonly prefix: string,
  ) {}

  async admit(caller: string, now: number): Promise<number | undefined> {
    const pending = this.#pending.get(caller) ?? 0;
    if (pending === 0 && this.#pending.size >= MAX_PENDING) return await this.local.admit(caller, now);
    this.#pending.set(caller, pending + 1);
    try {
      return await this.distributed.admit(this.prefix + caller, now);
    } catch {
      return await this.local.admit(caller, now);
    } finally {
      const left = this.#pending.get(caller)! - 1;
      if (left === 0) this.#pending.delete(caller);
      else this.#pending.set(caller, left);
    }
  }
}
