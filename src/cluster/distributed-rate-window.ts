import { LRUCache } from "lru-cache";
import type { Instant } from "../domain/time.ts";
import type { Timers } from "../event-loop/event-loop.ts";
import {
  addClusterRateWindowCall,
  type CallerUsage,
  decideClusterPermits,
  isClusterUsageExpired,
  PERMITS_VALID_MS,
  type PermitRequest,
  type RateWindowRows,
} from "./cluster-rate-window-permits.ts";

const MAX_CALLERS = 10_000;

type WaitingCall = { resolve: (refusedMs: number | undefined) => void; reject: (error: unknown) => void };

/** The calls and permits of a caller that this server knows. Times are of the monotonic clock unless they say otherwise. */
type Account = {
  /** Names this account in the database. */
  holder: string;
  permits: number;
  permitsEndAt: number;
  refusedUntil: number;
  /** The calls admitted with permits since the last request, by the database's clock. */
  made: CallerUsage[0][number][];
  /** The bounds of the database's clock minus the monotonic one. */
  clock: { least: number; most: number };
  waiting: WaitingCall[];
  isAsking: boolean;
};

/** Callers per transaction of `forgetIdleClusterCallers`. */
const BATCH = 200;

type Durability = "durable" | "process";
type RateWindowTx = { rateWindows: RateWindowRows };
type RateWindowDatabase = {
  write<T>(
    run: (tx: RateWindowTx) => Promise<T>,
    options: { durability: Durability; priority?: "background"; sharedRow?: string },
  ): Promise<T>;
};

/** Deletes the rows of callers that have not called for a while. */
export async function forgetIdleClusterCallers(store: RateWindowDatabase): Promise<void> {
  for (let after: string | undefined = ""; after !== undefined; )
    after = await store.write(
      (tx): Promise<string | undefined> => tx.rateWindows.prune(after!, isClusterUsageExpired, BATCH),
      { durability: "process", priority: "background" },
    );
}

/**
 * A limit of calls per minute that several servers enforce together; `cluster-rate-window-permits.ts` explains how. A server asks the
 * database for a caller's first call, and again when the permits that it got with the answer are used up.
 */
export class DistributedRateWindow {
  readonly #accounts = new LRUCache<string, Account>({ max: MAX_CALLERS });

  /** A limit of 0 admits everything. With `process` durability, a crash of the database may forget calls. */
  constructor(
    private readonly deps: {
      store: RateWindowDatabase;
      monotonicMs: () => number;
      timers: Timers;
      /** Returns a text that no other account on the database has. */
      newHolder: () => string;
    },
    private readonly limit: number,
    private readonly durability: Durability,
  ) {}

  /** Returns undefined if the call is admitted, else the milliseconds until one would be. */
  async admit(caller: string): Promise<number | undefined> {
    if (this.limit === 0) return undefined;
    const account = this.#accounts.get(caller) ?? this.#open(caller);
    const now = this.deps.monotonicMs();
    if (now < account.refusedUntil) return account.refusedUntil - now;
    if (usePermit(account, now)) return undefined;
    return await new Promise((resolve, reject) => {
      account.waiting.push({ resolve, reject });
      if (!account.isAsking) void this.#ask(caller, account);
    });
  }

  #open(caller: string): Account {
    const account: Account = {
      holder: this.deps.newHolder(),
      permits: 0,
      permitsEndAt: 0,
      refusedUntil: 0,
      made: [],
      clock: { least: 0, most: 0 },
      waiting: [],
      isAsking: false,
    };
    this.#accounts.set(caller, account);
    return account;
  }

  /** Asks the database until all waiting calls are decided. Never rejects. */
  async #ask(caller: string, account: Account): Promise<void> {
    account.isAsking = true;
    // Deferred by a microtask, so that one request serves all calls of this tick.
    await Promise.resolve();
    try {
      while (account.waiting.length > 0) {
        const undecidedMs = await this.#askOnce(caller, account);
        if (undecidedMs !== undefined)
          await new Promise<void>((resolve) => this.deps.timers.set(resolve, undecidedMs));
      }
      account.isAsking = false;
    } catch (error) {
      // The request may have been stored or not. Under another name nothing is counted twice: what the old one had
      // counts as used, and expires.
      if (this.#accounts.peek(caller) === account) this.#accounts.delete(caller);
      for (const { reject } of account.waiting.splice(0)) reject(error);
    }
  }

  /** Returns how long to wait before the calls that still wait can be decided; undefined if there is no need to. */
  async #askOnce(caller: string, account: Account): Promise<number | undefined> {
    const { holder, made } = account;
    const request: PermitRequest = { holder, made, waiting: account.waiting.length };
    const askedAt = this.deps.monotonicMs();
    const decision = await this.deps.store.write(
      async (tx) => {
        const { usage, now } = await tx.rateWindows.lock(caller);
        const decided = decideClusterPermits(usage, now, this.limit, request);
        await tx.rateWindows.save(caller, decided.usage);
        return { ...decided, now };
      },
      { durability: this.durability, sharedRow: `rate window ${caller}` },
    );
    const answeredAt = this.deps.monotonicMs();
    account.made = [];
    account.permits = decision.permits;
    // Counted from the request, so that they end here no later than in the database.
    account.permitsEndAt = askedAt + PERMITS_VALID_MS;
    account.clock = { least: decision.now - answeredAt, most: decision.now - askedAt };
    const waiting = account.waiting.splice(0, request.waiting);
    for (const { resolve } of waiting.splice(0, decision.admitted)) resolve(undefined);
    if (decision.refusedMs !== undefined) {
      account.refusedUntil = askedAt + decision.refusedMs;
      const waitMs = Math.max(1, account.refusedUntil - answeredAt);
      for (const { resolve } of waiting.splice(0)) resolve(waitMs);
    }
    account.waiting.unshift(...waiting);
    for (const later of account.waiting.splice(0)) {
      if (usePermit(account, answeredAt)) later.resolve(undefined);
      else if (answeredAt < account.refusedUntil) later.resolve(account.refusedUntil - answeredAt);
      else account.waiting.push(later);
    }
    return decision.undecidedMs;
  }
}

/** Admits a call with a permit if there is one. */
function usePermit(account: Account, now: number): boolean {
  if (account.permits === 0 || now >= account.permitsEndAt) return false;
  account.permits--;
  const { least, most } = account.clock;
  const [from, to]: [Instant, Instant] = [Math.floor(now + least), Math.ceil(now + most)];
  addClusterRateWindowCall(account.made, from, to);
  return true;
}
