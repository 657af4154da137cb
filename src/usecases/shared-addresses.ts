/** Counts a caller's calls of a minute: undefined when one is admitted, else the milliseconds until one would be. */
export type Window = {
  admit(caller: string, now: number): number | undefined | Promise<number | undefined>;
};

/** Addresses that may be asked for at once: a flood from very many is not passed on to the database. */
const MOST_ASKED = 64;

/**
 * A limit of calls a minute and address that several servers keep together. Nobody needs a credential to be counted, so
 * what the database cannot be asked for is counted by this server alone: while it is away, and under a flood.
 */
export class SharedAddresses implements Window {
  #asked = 0;

  /** `prefix` tells this limit's callers from those of others. */
  constructor(
    private readonly shared: Pick<Window, "admit">,
    private readonly own: Window,
    private readonly prefix: string,
  ) {}

  async admit(caller: string, now: number): Promise<number | undefined> {
    if (this.#asked >= MOST_ASKED) return await this.own.admit(caller, now);
    this.#asked++;
    try {
      return await this.shared.admit(this.prefix + caller, now);
    } catch {
      return await this.own.admit(caller, now);
    } finally {
      this.#asked--;
    }
  }
}
