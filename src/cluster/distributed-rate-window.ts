import { LRUCache } from "lru-cache";
import { grantCalls, isExpired, type RateWindowRows } from "./rate-window.ts";

/** The size of a grant, as a fraction of the limit: a busy caller's server asks the database this often in a minute. */
const GRANTS_PER_MINUTE = 20;
const MAX_CALLERS = 10_000;
/** A grant may be used up by other calls before a waiting call sees it; then the call asks again. */
const MAX_ATTEMPTS = 4;

type Account = {
  left: number;
  expiresAt: number;
  refusedUntil: number;
  /** Calls that wait for the pending grant. */
  waiting: number;
  pending: Promise<void> | undefined;
};
const EMPTY: Account = { left: 0, expiresAt: 0, refusedUntil: 0, waiting: 0, pending: undefined };

/** Callers per transaction of `forgetIdleCallers`. */
const BATCH = 200;

type Durability = "durable" | "process";
type RateWindowTx = { rateWindows: RateWindowRows };
type RateWindowDatabase = {
  write<T>(
    run: (tx: RateWindowTx) => Promise<T>,
    options: { durability: Durability; priority?: "background"; sharedRow?: string },
  ): Promise<T>;
};

/** Deletes the rows of callers that have not called for a minute. */
export async function forgetIdleCallers(store: RateWindowDatabase): Promise<void> {
  for (let after: string | undefined = ""; after !== undefined; )
    after = await store.write(
      (tx): Promise<string | undefined> => tx.rateWindows.prune(after!, isExpired, BATCH),
      { durability: "process", priority: "background" },
    );
}

/**
 * A limit of calls per minute that several servers enforce together. The database grants each server a few calls of a
 * caller at a time, to be used within seconds, so the servers never admit more than the limit in any minute, whichever
 * of them start or stop meanwhile.
 */
export class DistributedRateWindow {
  readonly #accounts = new LRUCache<string, Account>({ max: MAX_CALLERS });

  /** A limit of 0 admits everything. With `process` durability, a crash of the database may grant some calls twice. */
  constructor(
    private readonly store: RateWindowDatabase,
    private readonly limit: number,
    private readonly monotonicMs: () => number,
    private readonly durability: Durability,
  ) {}

  /** Returns undefined if the call is admitted, else the milliseconds until one would be. */
  async admit(caller: string): Promise<number | undefined> {
    if (this.limit === 0) return undefined;
    const account = this.#accounts.get(caller) ?? { ...EMPTY };
    this.#accounts.set(caller, account);
    for (let attempts = 0; ; ) {
      const now = this.monotonicMs();
      if (now < account.refusedUntil) return account.refusedUntil - now;
      if (account.left > 0 && now < account.expiresAt) {
        account.left--;
        return undefined;
      }
      if (attempts++ === MAX_ATTEMPTS) return 1_000;
      account.waiting++;
      // Deferred by a microtask, so that one grant serves all calls of this tick.
      account.pending ??= Promise.resolve()
        .then(() => this.#requestGrant(caller, account))
        .finally(() => {
          account.pending = undefined;
        });
      await account.pending;
    }
  }

  async #requestGrant(caller: string, account: Account): Promise<void> {
    const requestedAt = this.monotonicMs();
    const wanted = Math.max(account.waiting, Math.ceil(this.limit / GRANTS_PER_MINUTE));
    account.waiting = 0;
    const { granted, validMs, waitMs } = await this.store.write(
      async (tx) => {
        const { slots, now } = await tx.rateWindows.lock(caller);
        const grant = grantCalls(slots, now, this.limit, wanted);
        if (grant.granted > 0) await tx.rateWindows.save(caller, grant.slots);
        return grant;
      },
      { durability: this.durability, sharedRow: `rate window ${caller}` },
    );
    // Counted from the request, so the grant ends here no later than in the database.
    Object.assign(account, { left: granted, expiresAt: requestedAt + validMs });
    if (granted === 0) account.refusedUntil = requestedAt + waitMs;
  }
}
