/*
 * The level deposit to a replacement reserve (docs/model/planning.md#level-deposit): equal yearly payments, growing at a rate
 * if asked for, that keep the balance at or above a floor.
 */

/** Confidence that a reserve suffices, in percent, and its normal deviate. */
export const FUNDING_CONFIDENCES = { 50: 0, 80: 0.841621, 95: 1.644854 } as const;
type DepositConfidence = keyof typeof FUNDING_CONFIDENCES;
export const DEPOSIT_CONFIDENCES = [50, 80, 95] as const satisfies readonly DepositConfidence[];

/** The funding of a reserve. Rates are yearly shares, such as 0.03. */
export type ReserveFunding = {
  openingCents: number;
  interest: number;
  /** The floor: the least balance at the end of any year. */
  minimumCents: number;
  /** Growth of the deposit from year to year. */
  depositGrowth: number;
};

/** The payments of a reserve, in cents; index 0 is the first year. */
export type ReserveNeeds = {
  /** Expected needs of each year, inflated, after what is due now. */
  cents: readonly number[];
  /** Variance of the needs up to the end of each year, compounded to that time. */
  variance: readonly number[];
  /** Standard deviation of the costs that err together, as a share of the needs up to the end of each year. */
  costError: readonly number[];
};

/** The deposit of the first year, in cents: with the chance of failures alone, and with costs that err together. */
export type Deposit = { noise: number; withCostError: number };
export type LevelDeposit = Record<DepositConfidence, Deposit>;

/** Returns the level deposits. */
export function levelDepositOf(needs: ReserveNeeds, funding: ReserveFunding): LevelDeposit {
  const { openingCents, interest, minimumCents, depositGrowth } = funding;
  const deposits: LevelDeposit = {
    50: { noise: 0, withCostError: 0 },
    80: { noise: 0, withCostError: 0 },
    95: { noise: 0, withCostError: 0 },
  };
  let opening = openingCents;
  let needed = 0;
  let paid = 0; // what a first deposit of 1 has become, with those after it and their interest
  for (const [index, cents] of needs.cents.entries()) {
    opening *= 1 + interest;
    needed = needed * (1 + interest) + cents;
    paid = paid * (1 + interest) + (1 + depositGrowth) ** index;
    const variance = Math.max(0, needs.variance[index]!);
    const noise = Math.sqrt(variance);
    const withCostError = Math.sqrt(variance + (needs.costError[index]! * needed) ** 2);
    for (const confidence of DEPOSIT_CONFIDENCES) {
      const deposit = deposits[confidence];
      const base = minimumCents - opening + needed;
      const deviate = FUNDING_CONFIDENCES[confidence];
      deposit.noise = Math.max(deposit.noise, (base + deviate * noise) / paid);
      deposit.withCostError = Math.max(deposit.withCostError, (base + deviate * withCostError) / paid);
    }
  }
  return deposits;
}

/** A balance at the start, and the deposit of the first year that suffices with it, in cents. */
type StartedReserve = { openingCents: number; depositCents: number };

/** Below this share of the deposit without it, a balance at the start is worth a mention. */
const MUCH_LESS = 0.9;

/**
 * Returns the balance at the start that pays what the first year needs beyond a deposit, and the deposit that later years then
 * need, for expected costs; null where the first year does not make the deposit much larger.
 */
export function reserveStartedForFirstYear(
  needs: readonly number[],
  funding: ReserveFunding,
): StartedReserve | null {
  const [first, ...later] = needs;
  if (first === undefined || later.length === 0) return null;
  const { interest, minimumCents, depositGrowth } = funding;
  const expectedOf = (cents: readonly number[], openingCents: number) => {
    const certain = cents.map(() => 0);
    const expected = { cents, variance: certain, costError: certain };
    return levelDepositOf(expected, { ...funding, openingCents })[50].noise;
  };
  // The balance is at the floor at the end of the first year.
  const depositCents = expectedOf(later, minimumCents) / (1 + depositGrowth);
  if (depositCents >= MUCH_LESS * expectedOf(needs, funding.openingCents)) return null;
  return { openingCents: (minimumCents + first - depositCents) / (1 + interest), depositCents };
}

/** The reserve in a year, in cents. Deposits and needs fall at its end. */
type ReserveYear = {
  year: number;
  interestCents: number;
  depositCents: number;
  needCents: number;
  balanceCents: number;
};

/** Returns the reserve by year with a deposit that is `depositCents` in the first. */
export function reserveByYear(
  needs: readonly number[],
  { openingCents, interest, depositGrowth }: ReserveFunding,
  depositCents: number,
): ReserveYear[] {
  let balanceCents = openingCents;
  return needs.map((needCents, index) => {
    const interestCents = balanceCents * interest;
    const deposit = depositCents * (1 + depositGrowth) ** index;
    balanceCents += interestCents + deposit - needCents;
    return { year: index + 1, interestCents, depositCents: deposit, needCents, balanceCents };
  });
}
