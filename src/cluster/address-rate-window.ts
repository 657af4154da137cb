/** Counts calls per caller: returns undefined if one is admitted, else the milliseconds until one would be. */
export type RateWindow = {
  admit(caller: string, now: number): number | undefined | Promise<number | undefined>;
};

/** The most addresses that are checked against the database at once, so that a flood of addresses does not reach it. */
const MAX_PENDING = 64;

/**
 * A limit of calls per minute and address that several servers enforce together. Callers need no credential to be
 * counted, so under a flood, and while the database is unavailable, each server counts for itself.
 */
export class AddressRateWindow implements RateWindow {
  #pending = 0;

  /** `prefix` keeps this limit's callers apart from those of other limits. */
  constructor(
    private readonly distributed: Pick<RateWindow, "admit">,
    private readonly local: RateWindow,
    private readonly prefix: string,
  ) {}

  async admit(caller: string, now: number): Promise<number | undefined> {
    if (this.#pending >= MAX_PENDING) return await this.local.admit(caller, now);
    this.#pending++;
    try {
      return await this.distributed.admit(this.prefix + caller, now);
    } catch {
      return await this.local.admit(caller, now);
    } finally {
      this.#pending--;
    }
  }
}
