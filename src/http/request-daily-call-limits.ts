import { StorageError } from "../domain/errors.ts";
import type { Partner } from "../domain/partner.ts";
import { type Day, dayOf, type Instant } from "../domain/time.ts";
import { yieldToEventLoop } from "../event-loop/event-loop.ts";
import type { BudgetReservation, BudgetReservations, Store, Tx } from "../store/store.ts";

/**
 * The size of a reservation, and the number of remaining calls at which the next one is made: never over 10
 * together.
 */
const BLOCK = 7;
const FETCH_AT = 3;

/** Reservations recorded before the database has them. A record survives a kill of the process. */
export type CallLedger = {
  /** Returns the highest count recorded for each partner and day. */
  read(): { partnerId: string; day: Day; calls: number }[];
  /** Records the calls of a day reserved in all; false if that cannot be written. */
  record(partnerId: string, day: Day, calls: number): boolean;
  /** Deletes all records: the database has them. */
  clear(): void;
};

type Account = {
  day: Day;
  /** Calls reserved in the database and not used yet: a crash forfeits them. */
  left: number;
  /** Calls reserved for the day, including those left. */
  taken: number;
  budget: number;
  /** Calls allowed while the disk was not writable; they are written with the next reservation. */
  unwritten: number;
  /** Calls that wait for the reservation in progress: each takes one call of it. */
  waiting: number;
  /** Calls recorded in the ledger that the database lacks. */
  behind: number;
  fetching: Promise<void> | undefined;
  catchingUp: Promise<void> | undefined;
};

type CallDecision = { allowed: boolean; remaining: number };

/**
 * Enforces the partners' daily call limits. Calls are reserved in small blocks before they are used, so that the
 * count survives a crash and never exceeds the limit; a crash forfeits at most 10 calls. While nothing can be
 * written, calls are counted in memory, up to the limit, so that reads continue. With a ledger, reservations are
 * recorded there first and the database follows, so that no call waits for a long write.
 */
export class DailyCallLimits {
  #accounts = new Map<string, Account>();
  /** Partners with an account that the latest `dropSuperseded` did not know. */
  #unknown: ReadonlySet<string> = new Set();
  /** Reservations of ended days that are being returned to the database. */
  readonly #returning = new Set<Promise<void>>();
  /** Calls of all accounts that are recorded in the ledger and missing in the database. */
  #behind = 0;
  /**
   * Calls that a previous server recorded and that could not be written to the database yet, by partner and day.
   */
  readonly #owed = new Map<string, number>();

  /** Undefined with a ledger: the database grants by its own count, which lacks the calls recorded there. */
  readonly #reservations: BudgetReservations | undefined;

  constructor(
    private readonly store: Store,
    private readonly clock: () => Instant,
    private readonly ledger?: CallLedger,
  ) {
    this.#reservations = ledger ? undefined : store.budgetReservations;
  }

  /**
   * Writes to the database what a previous server recorded in the ledger. Must be called before the first call is
   * counted. If nothing can be written, the calls count all the same and are written with the partner's next
   * successful write.
   */
  async recover(): Promise<void> {
    const noted = this.ledger?.read() ?? [];
    if (noted.length > 0) {
      try {
        await this.store.write(
          async (tx) => {
            for (const { partnerId, day, calls } of noted)
              if (await tx.partners.find(partnerId)) await tx.budgets.raiseTo(partnerId, day, calls);
          },
          { durability: "process" },
        );
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        for (const { partnerId, day, calls } of noted) this.#owed.set(`${partnerId} ${day}`, calls);
      }
    }
    this.#clearLedger();
  }

  /** Returns the calls of the day in the database. */
  async #stored(partnerId: string, day: Day): Promise<number> {
    const stored = await this.store.read.budgets.taken(partnerId, day);
    return Math.max(stored, this.#owed.get(`${partnerId} ${day}`) ?? 0);
  }

  /** Writes a partner's count of a day, after calls still owed from the ledger. */
  async #write<T>(partnerId: string, day: Day, run: (tx: Tx) => Promise<T>): Promise<T> {
    const key = `${partnerId} ${day}`;
    const owed = this.#owed.get(key);
    const result = await this.store.write(
      async (tx) => {
        if (owed !== undefined && (await tx.partners.find(partnerId)))
          await tx.budgets.raiseTo(partnerId, day, owed);
        return await run(tx);
      },
      // A failover of the database loses writes of `process` durability.
      { durability: this.store.isShared ? "durable" : "process", sharedRow: `budget ${key}` },
    );
    this.#owed.delete(key);
    return result;
  }

  /**
   * Returns the partner's revision, which every request reads. If few calls are left and a write would cost more
   * than this statement, it also makes the next reservation.
   */
  async revision(partnerId: string): Promise<string | undefined> {
    const account = this.#accounts.get(partnerId);
    const block = account && this.#isShort(account) ? this.#setAsideAhead(partnerId, account) : undefined;
    return (await block)?.revision ?? (await this.store.read.partners.revision(partnerId));
  }

  #isShort({ day, left, taken, budget, fetching }: Account): boolean {
    if (!this.#reservations || fetching || left > FETCH_AT) return false;
    return taken + BLOCK <= budget && day === dayOf(this.clock());
  }

  /** Undefined if it failed; a caller without a call left then reserves by a write. */
  #setAsideAhead(partnerId: string, account: Account): Promise<BudgetReservation | undefined> {
    const block = this.#setAsideAtOnce(partnerId, account, account.budget).catch(() => undefined);
    account.fetching = block
      .then(() => {})
      .finally(() => {
        account.fetching = undefined;
      });
    return block;
  }

  /** Reserves a block with one statement, completely or not at all. */
  async #setAsideAtOnce(
    partnerId: string,
    account: Account,
    budget: number,
  ): Promise<BudgetReservation | undefined> {
    const calls = BLOCK + account.waiting;
    if (account.taken + calls > budget) return undefined;
    const block = await this.#reservations?.reserve(partnerId, account.day, calls, budget);
    if (block?.taken === undefined) return block;
    account.taken = block.taken;
    account.left += calls;
    account.budget = budget;
    return block;
  }

  /** Takes one call. */
  async take(partner: Partner): Promise<CallDecision> {
    for (;;) {
      const account = this.#account(partner);
      // Calls reserved before the limit was lowered are not used beyond the new limit.
      if (account.left > 0 && account.taken - account.left < partner.dailyBudget) {
        account.left--;
        if (account.left <= FETCH_AT && !this.#reservations)
          void this.#fetch(partner, account)?.catch(() => {});
        return { allowed: true, remaining: Math.max(0, partner.dailyBudget - account.taken + account.left) };
      }
      if (account.budget === partner.dailyBudget && account.taken >= partner.dailyBudget && !account.fetching)
        return { allowed: false, remaining: 0 };
      account.waiting++;
      try {
        await this.#fetch(partner, account);
      } catch (error) {
        // A count in memory holds for one server only.
        if (!(error instanceof StorageError) || this.store.isShared) throw error;
        const answer = await this.#takeUnwritten(partner, account);
        if (answer) return answer;
      } finally {
        account.waiting--;
      }
    }
  }

  /** Takes a call that cannot be written; undefined if writing has become possible meanwhile. */
  async #takeUnwritten(partner: Partner, account: Account): Promise<CallDecision | undefined> {
    const stored = await this.#stored(partner.id, account.day);
    if (account.left > 0 || account.fetching) return undefined;
    const remaining = partner.dailyBudget - stored - account.unwritten - 1;
    if (remaining < 0) return { allowed: false, remaining: 0 };
    account.unwritten++;
    return { allowed: true, remaining };
  }

  /** Returns the calls left today, without taking one. */
  async remaining(partner: Partner): Promise<number> {
    const account = this.#account(partner);
    if (account.budget !== partner.dailyBudget) {
      const taken = await this.#stored(partner.id, account.day);
      return Math.max(0, partner.dailyBudget - taken - account.unwritten + account.left);
    }
    return Math.max(0, partner.dailyBudget - account.taken - account.unwritten + account.left);
  }

  /** The number of partners whose calls are counted. */
  get size(): number {
    return this.#accounts.size;
  }

  /**
   * Drops the accounts of partners that are gone: unknown twice in a row, since one may have been created after the revisions
   * were read. Calls that are only in the ledger keep an account.
   */
  dropSuperseded(revisions: ReadonlyMap<string, string>): void {
    const unknown = new Set<string>();
    for (const [id, { behind }] of this.#accounts) {
      if (revisions.has(id) || behind > 0) continue;
      if (this.#unknown.has(id)) this.#accounts.delete(id);
      else unknown.add(id);
    }
    this.#unknown = unknown;
  }

  /** Returns unused reservations to the database, at shutdown. */
  async release(): Promise<void> {
    for (const [partnerId, account] of this.#accounts) {
      await account.fetching?.catch(() => {});
      await this.#giveBack(partnerId, account).catch((error: unknown) => {
        // They are forfeited as after a crash; a full disk must not prevent the shutdown.
        if (!(error instanceof StorageError)) throw error;
      });
    }
    await Promise.all(this.#returning);
    this.#accounts.clear();
    this.#clearLedger();
  }

  #account(partner: Partner): Account {
    const day = dayOf(this.clock());
    const known = this.#accounts.get(partner.id);
    if (known?.day === day) return known;
    if (known) {
      const returned = this.#giveBack(partner.id, known)
        .catch(() => {})
        .finally(() => this.#returning.delete(returned));
      this.#returning.add(returned);
    }
    const account: Account = {
      day,
      left: 0,
      taken: 0,
      budget: -1,
      unwritten: 0,
      waiting: 0,
      behind: 0,
      fetching: undefined,
      catchingUp: undefined,
    };
    this.#accounts.set(partner.id, account);
    return account;
  }

  #fetch(partner: Partner, account: Account): Promise<void> | undefined {
    if (account.fetching) return account.fetching;
    if (account.budget === partner.dailyBudget && account.taken >= partner.dailyBudget) return undefined;
    account.fetching = this.#setAside(partner, account).finally(() => {
      account.fetching = undefined;
    });
    return account.fetching;
  }

  async #setAside(partner: Partner, account: Account): Promise<void> {
    if (await this.#noteAhead(partner, account)) return;
    if (this.#reservations && account.budget >= 0) {
      // Deferred, so that one reservation serves all calls of this tick.
      await yieldToEventLoop();
      const block = await this.#setAsideAtOnce(partner.id, account, partner.dailyBudget);
      if (block?.taken !== undefined) return;
    }
    await account.catchingUp?.catch(() => {});
    const { taken, granted, owed, behind } = await this.#write(partner.id, account.day, async (tx) => {
      const { unwritten, waiting, behind } = account;
      if (unwritten + behind > 0) await tx.budgets.add(partner.id, account.day, unwritten + behind);
      const block = await tx.budgets.take(partner.id, account.day, BLOCK + waiting, partner.dailyBudget);
      return { ...block, owed: unwritten, behind };
    });
    account.unwritten -= owed;
    this.#caughtUp(account, behind);
    account.taken = taken;
    account.left += granted;
    account.budget = partner.dailyBudget;
  }

  /** Records a reservation in the ledger; false if that cannot be written. */
  async #noteAhead(partner: Partner, account: Account): Promise<boolean> {
    if (!this.ledger || account.unwritten > 0) return false;
    const isFirst = account.budget < 0;
    const taken = isFirst ? await this.#stored(partner.id, account.day) : account.taken;
    const granted = Math.max(0, Math.min(BLOCK, partner.dailyBudget - taken));
    if (granted > 0 && !this.ledger.record(partner.id, account.day, taken + granted)) return false;
    account.taken = taken + granted;
    account.left += granted;
    account.budget = partner.dailyBudget;
    account.behind += granted;
    this.#behind += granted;
    void this.#catchUp(partner.id, account).catch(() => {});
    return true;
  }

  /** Writes the recorded calls to the database. What fails is written with the next reservation. */
  #catchUp(partnerId: string, account: Account): Promise<void> {
    account.catchingUp ??= (async () => {
      while (account.behind > 0) {
        const calls = account.behind;
        await this.#write(partnerId, account.day, (tx) => addCalls(tx, partnerId, account.day, calls));
        this.#caughtUp(account, calls);
      }
    })().finally(() => {
      account.catchingUp = undefined;
    });
    return account.catchingUp;
  }

  #caughtUp(account: Account, calls: number): void {
    account.behind -= calls;
    this.#behind -= calls;
    this.#clearLedger();
  }

  #clearLedger(): void {
    if (this.#behind === 0 && this.#owed.size === 0) this.ledger?.clear();
  }

  async #giveBack(partnerId: string, account: Account): Promise<void> {
    const { left, day } = account;
    account.left = 0;
    await account.catchingUp?.catch(() => {});
    const { unwritten, behind } = account;
    account.unwritten = 0;
    const change = unwritten + behind - left;
    if (change !== 0) await this.#write(partnerId, day, (tx) => addCalls(tx, partnerId, day, change));
    this.#caughtUp(account, behind);
  }
}

/** Adds calls for a partner that still exists: nothing is stored for one that was purged meanwhile. */
async function addCalls(tx: Tx, partnerId: string, day: Day, calls: number): Promise<void> {
  if (await tx.partners.find(partnerId)) await tx.budgets.add(partnerId, day, calls);
}
