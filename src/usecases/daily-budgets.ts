import { StorageError } from "../domain/errors.ts";
import type { Partner } from "../domain/partner.ts";
import { type Day, dayOf, type Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";

/** Calls set aside at a time, and the number left at which more are fetched ahead: never over 10 together. */
const BLOCK = 7;
const FETCH_AT = 3;

type Account = {
  day: Day;
  /** Calls set aside in the database and not used yet: what a crash would forfeit. */
  left: number;
  /** Calls taken of the day, those left among them. */
  taken: number;
  budget: number;
  /** Calls allowed while the disk refused to count them; they are written with the next block. */
  unwritten: number;
  fetching: Promise<void> | undefined;
};

export type BudgetAnswer = { allowed: boolean; remaining: number };

/**
 * Counts calls against the partners' daily budgets. Calls are set aside in small blocks, written before they are
 * used, so that the count survives a crash and never allows more than the budget; at most 10 calls are forfeited.
 * While nothing can be written, calls are counted in memory, up to the budget all the same: reads go on.
 */
export class DailyBudgets {
  #accounts = new Map<string, Account>();

  constructor(
    private readonly store: Store,
    private readonly clock: () => Instant,
  ) {}

  /** Takes one call. */
  async take(partner: Partner): Promise<BudgetAnswer> {
    for (;;) {
      const account = this.#account(partner);
      // What was set aside before the budget was lowered is not used beyond the lower one.
      if (account.left > 0 && account.taken - account.left < partner.dailyBudget) {
        account.left--;
        if (account.left <= FETCH_AT) void this.#fetch(partner, account)?.catch(() => {});
        return { allowed: true, remaining: Math.max(0, partner.dailyBudget - account.taken + account.left) };
      }
      if (account.budget === partner.dailyBudget && account.taken >= partner.dailyBudget && !account.fetching)
        return { allowed: false, remaining: 0 };
      try {
        await this.#fetch(partner, account);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        const answer = await this.#takeUnwritten(partner, account);
        if (answer) return answer;
      }
    }
  }

  /** Takes a call that cannot be written; undefined when meanwhile one can. */
  async #takeUnwritten(partner: Partner, account: Account): Promise<BudgetAnswer | undefined> {
    const stored = await this.store.read.budgets.taken(partner.id, account.day);
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
      const taken = await this.store.read.budgets.taken(partner.id, account.day);
      return Math.max(0, partner.dailyBudget - taken - account.unwritten + account.left);
    }
    return Math.max(0, partner.dailyBudget - account.taken - account.unwritten + account.left);
  }

  /** Gives back what was set aside and not used: at a stop. */
  async release(): Promise<void> {
    for (const [partnerId, account] of this.#accounts) {
      await account.fetching?.catch(() => {});
      await this.#giveBack(partnerId, account).catch((error) => {
        // What was set aside is forfeited then, as after a crash; a full disk is no reason not to stop.
        if (!(error instanceof StorageError)) throw error;
      });
    }
    this.#accounts.clear();
  }

  #account(partner: Partner): Account {
    const day = dayOf(this.clock());
    const known = this.#accounts.get(partner.id);
    if (known?.day === day) return known;
    if (known) void this.#giveBack(partner.id, known).catch(() => {});
    const account: Account = { day, left: 0, taken: 0, budget: -1, unwritten: 0, fetching: undefined };
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
    const { taken, granted, owed } = await this.store.write(async (tx) => {
      const owed = account.unwritten;
      const taken = owed + (await tx.budgets.taken(partner.id, account.day));
      const granted = Math.max(0, Math.min(BLOCK, partner.dailyBudget - taken));
      if (granted + owed > 0) await tx.budgets.add(partner.id, account.day, granted + owed);
      return { taken: taken + granted, granted, owed };
    }, "process");
    account.unwritten -= owed;
    account.taken = taken;
    account.left += granted;
    account.budget = partner.dailyBudget;
  }

  async #giveBack(partnerId: string, account: Account): Promise<void> {
    const { left, unwritten, day } = account;
    account.left = 0;
    account.unwritten = 0;
    const change = unwritten - left;
    if (change === 0) return;
    await this.store.write(async (tx) => {
      // Not of a partner that was purged meanwhile.
      if (await tx.partners.find(partnerId)) await tx.budgets.add(partnerId, day, change);
    }, "process");
  }
}
