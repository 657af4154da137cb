import { StorageError } from "../../domain/errors.ts";
import type { Partner } from "../../domain/partner.ts";
import { type Day, dayOf, type Instant } from "../../domain/time.ts";
import { yieldToEventLoop } from "../../event-loop.ts";
import type { BudgetReservation, BudgetReservations, Store, Tx } from "../../store/store.ts";

/** Calls set aside at a time, and the number left at which more are fetched ahead: never over 10 together. */
const BLOCK = 7;
const FETCH_AT = 3;

/** Blocks that are set aside, noted before the database has them. What is noted survives a kill of the process. */
export type BudgetLedger = {
  /** Of each partner and day, the most calls that were noted. */
  read(): { partnerId: string; day: Day; calls: number }[];
  /** Notes the calls of a day that are set aside in all; false where that cannot be written. */
  note(partnerId: string, day: Day, calls: number): boolean;
  /** The database has it all. */
  clear(): void;
};

type Account = {
  day: Day;
  /** Calls set aside in the database and not used yet: what a crash would forfeit. */
  left: number;
  /** Calls taken of the day, those left among them. */
  taken: number;
  budget: number;
  /** Calls allowed while the disk refused to count them; they are written with the next block. */
  unwritten: number;
  /** Calls that wait for the block that is being set aside: each of them takes one of it. */
  waiting: number;
  /** Calls that are noted, and that the database lacks. */
  behind: number;
  fetching: Promise<void> | undefined;
  catchingUp: Promise<void> | undefined;
};

export type BudgetAnswer = { allowed: boolean; remaining: number };

/**
 * Counts calls against the partners' daily budgets. Calls are set aside in small blocks beyond those that wait for one,
 * written before they are used, so that the count survives a crash and never allows more than the budget; at most 10
 * calls are forfeited that nobody has made.
 * While nothing can be written, calls are counted in memory, up to the budget all the same: reads go on. Where there is
 * a ledger a block is noted there, and the database follows when it has time: no call waits for another's long write.
 */
export class DailyBudgets {
  #accounts = new Map<string, Account>();
  /** Calls of all accounts that are noted, and that the database lacks. */
  #behind = 0;
  /** What a server before has noted, while the disk refuses to let the database have it: calls by partner and day. */
  readonly #owed = new Map<string, number>();

  /** Undefined beside a ledger: the database grants a block by its own count, which lacks the calls that are noted. */
  readonly #reservations: BudgetReservations | undefined;

  constructor(
    private readonly store: Store,
    private readonly clock: () => Instant,
    private readonly ledger?: BudgetLedger,
  ) {
    this.#reservations = ledger ? undefined : store.budgetReservations;
  }

  /**
   * Gives the database what a server before has noted and not written. To be called before the first call is taken. Where
   * nothing can be written it counts all the same, and is written with the next call of its partner that can be.
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

  /** Calls of the day that are on record. */
  async #stored(partnerId: string, day: Day): Promise<number> {
    const stored = await this.store.read.budgets.taken(partnerId, day);
    return Math.max(stored, this.#owed.get(`${partnerId} ${day}`) ?? 0);
  }

  /** A write of a partner's count of a day, after what is owed to it. */
  async #write<T>(partnerId: string, day: Day, run: (tx: Tx) => Promise<T>): Promise<T> {
    const key = `${partnerId} ${day}`;
    const owed = this.#owed.get(key);
    const result = await this.store.write(
      async (tx) => {
        if (owed !== undefined && (await tx.partners.find(partnerId)))
          await tx.budgets.raiseTo(partnerId, day, owed);
        return await run(tx);
      },
      // A database that is killed, or fails over, loses what only the process was promised.
      { durability: this.store.isShared ? "durable" : "process", sharedRow: `budget ${key}` },
    );
    this.#owed.delete(key);
    return result;
  }

  /**
   * The partner's revision, which every request reads. Where few calls are left and a write would cost more than that,
   * the next block comes by the same statement.
   */
  async revision(partnerId: string): Promise<number | undefined> {
    const account = this.#accounts.get(partnerId);
    const block = account && this.#isShort(account) ? this.#setAsideAhead(partnerId, account) : undefined;
    return (await block)?.revision ?? (await this.store.read.partners.revision(partnerId));
  }

  #isShort({ day, left, taken, budget, fetching }: Account): boolean {
    if (!this.#reservations || fetching || left > FETCH_AT) return false;
    return taken + BLOCK <= budget && day === dayOf(this.clock());
  }

  /** Undefined where it could not be: whoever has no call left takes another way. */
  #setAsideAhead(partnerId: string, account: Account): Promise<BudgetReservation | undefined> {
    const block = this.#setAsideAtOnce(partnerId, account, account.budget).catch(() => undefined);
    account.fetching = block
      .then(() => {})
      .finally(() => {
        account.fetching = undefined;
      });
    return block;
  }

  /** Sets a block aside by one statement, all of it or nothing. */
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
  async take(partner: Partner): Promise<BudgetAnswer> {
    for (;;) {
      const account = this.#account(partner);
      // What was set aside before the budget was lowered is not used beyond the lower one.
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
        // What is counted in memory is one server's promise.
        if (!(error instanceof StorageError) || this.store.isShared) throw error;
        const answer = await this.#takeUnwritten(partner, account);
        if (answer) return answer;
      } finally {
        account.waiting--;
      }
    }
  }

  /** Takes a call that cannot be written; undefined when meanwhile one can. */
  async #takeUnwritten(partner: Partner, account: Account): Promise<BudgetAnswer | undefined> {
    const stored = await this.#stored(partner.id, account.day);
    if (account.left > 0 || account.fetching) return undefined;
    const remaining = partner.dailyBudget - stored - account.unwritten - 1;
    if (remaining < 0) return { allowed: false, remaining: 0 };
    account.unwritten++;
    return { allowed: true, remaining };
  }

  /** Calls left of the day, without taking one. */
  async remaining(partner: Partner): Promise<number> {
    const account = this.#account(partner);
    if (account.budget !== partner.dailyBudget) {
      const taken = await this.#stored(partner.id, account.day);
      return Math.max(0, partner.dailyBudget - taken - account.unwritten + account.left);
    }
    return Math.max(0, partner.dailyBudget - account.taken - account.unwritten + account.left);
  }

  /** Gives back what was set aside and not used: at a stop. */
  async release(): Promise<void> {
    for (const [partnerId, account] of this.#accounts) {
      await account.fetching?.catch(() => {});
      await this.#giveBack(partnerId, account).catch((error: unknown) => {
        // What was set aside is forfeited then, as after a crash; a full disk is no reason not to stop.
        if (!(error instanceof StorageError)) throw error;
      });
    }
    this.#accounts.clear();
    this.#clearLedger();
  }

  #account(partner: Partner): Account {
    const day = dayOf(this.clock());
    const known = this.#accounts.get(partner.id);
    if (known?.day === day) return known;
    if (known) void this.#giveBack(partner.id, known).catch(() => {});
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
      // In the next turn, so that it is set aside for all who came in this one.
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

  /** Sets a block aside in the ledger; false where that cannot be. */
  async #noteAhead(partner: Partner, account: Account): Promise<boolean> {
    if (!this.ledger || account.unwritten > 0) return false;
    const isFirst = account.budget < 0;
    const taken = isFirst ? await this.#stored(partner.id, account.day) : account.taken;
    const granted = Math.max(0, Math.min(BLOCK, partner.dailyBudget - taken));
    if (granted > 0 && !this.ledger.note(partner.id, account.day, taken + granted)) return false;
    account.taken = taken + granted;
    account.left += granted;
    account.budget = partner.dailyBudget;
    account.behind += granted;
    this.#behind += granted;
    void this.#catchUp(partner.id, account).catch(() => {});
    return true;
  }

  /** Writes what is noted. What fails is written with the next block. */
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

/** Counts calls of a partner that is there still: nothing is kept of one that was purged meanwhile. */
async function addCalls(tx: Tx, partnerId: string, day: Day, calls: number): Promise<void> {
  if (await tx.partners.find(partnerId)) await tx.budgets.add(partnerId, day, calls);
}
