import { LRUCache } from "lru-cache";
import { grantCalls, isPast } from "../domain/minute-calls.ts";
import type { Durability, Store } from "../store/store.ts";

/** Calls that are granted at a time, as a share of the limit: a busy caller's server asks so often in a minute. */
const BLOCKS = 20;
const MOST_REMEMBERED = 10_000;
/** A block may run out while it is on its way; then another is asked for. */
const MOST_TRIES = 4;

type Account = {
  left: number;
  until: number;
  refusedUntil: number;
  /** Calls that wait for what is being asked. */
  waiting: number;
  asking: Promise<void> | undefined;
};
const NONE: Account = { left: 0, until: 0, refusedUntil: 0, waiting: 0, asking: undefined };

/** Callers looked at in one transaction. */
const BATCH = 200;

/** Forgets whoever has not called for a minute. */
export async function forgetCallers(store: Pick<Store, "write">): Promise<void> {
  for (let after: string | undefined = ""; after !== undefined; )
    after = await store.write(
      (tx): Promise<string | undefined> => tx.minuteCalls.prune(after!, isPast, BATCH),
      {
        durability: "process",
        priority: "background",
      },
    );
}

/**
 * A limit of calls a minute that several servers keep together: each is granted blocks of a caller's calls by the
 * database, and uses them within a few seconds, so that in no minute more are admitted than the limit by all of them,
 * whichever of them come and go meanwhile.
 */
export class SharedMinute {
  readonly #accounts = new LRUCache<string, Account>({ max: MOST_REMEMBERED });

  /** A limit of 0 admits everything. What is only of the `process` a kill of the database may grant once more. */
  constructor(
    private readonly store: Pick<Store, "write">,
    private readonly limit: number,
    private readonly ticks: () => number,
    private readonly durability: Durability,
  ) {}

  /** Undefined when the call is admitted, else the milliseconds until one would be. */
  async admit(caller: string): Promise<number | undefined> {
    if (this.limit === 0) return undefined;
    const account = this.#accounts.get(caller) ?? { ...NONE };
    this.#accounts.set(caller, account);
    for (let tries = 0; ; ) {
      const now = this.ticks();
      if (now < account.refusedUntil) return account.refusedUntil - now;
      if (account.left > 0 && now < account.until) {
        account.left--;
        return undefined;
      }
      if (tries++ === MOST_TRIES) return 1_000;
      account.waiting++;
      // Begun in the next turn, so that it asks for all who came in this one.
      account.asking ??= Promise.resolve()
        .then(() => this.#ask(caller, account))
        .finally(() => {
          account.asking = undefined;
        });
      await account.asking;
    }
  }

  async #ask(caller: string, account: Account): Promise<void> {
    const askedAt = this.ticks();
    const most = Math.max(account.waiting, Math.ceil(this.limit / BLOCKS));
    account.waiting = 0;
    const { granted, validMs, waitMs } = await this.store.write(
      async (tx) => {
        const { slots, now } = await tx.minuteCalls.hold(caller);
        const grant = grantCalls(slots, now, this.limit, most);
        if (grant.granted > 0) await tx.minuteCalls.save(caller, grant.slots);
        return grant;
      },
      { durability: this.durability, sharedRow: `minute ${caller}` },
    );
    // By this server's clock they end no later than by the database's, whose slot had begun before it was asked.
    Object.assign(account, { left: granted, until: askedAt + validMs });
    if (granted === 0) account.refusedUntil = askedAt + waitMs;
  }
}
