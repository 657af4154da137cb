import { type Steps, sortInSteps } from "../steps/computation-steps.ts";

/** The expected losses of a property in the coming year, in cents per unit. */
export type UnitLosses = { expected: number; damage: number };

/** How many other properties there are, and how many of them have lower amounts per unit. */
export type LossStanding = { others: number; lowerExpected: number; lowerDamage: number };

/** The amounts per unit of some properties, in ascending order. */
type Ranking = { expected: readonly number[]; damage: readonly number[] };

/** Returns the expected losses and damages per unit of all properties, each list in ascending order. */
export function* rankPropertiesInSteps(properties: readonly UnitLosses[]): Steps<Ranking> {
  return {
    expected: yield* sorted(properties.map(({ expected }) => expected)),
    damage: yield* sorted(properties.map(({ damage }) => damage)),
  };
}

const sorted = (amounts: readonly number[]) => sortInSteps(amounts, (a, b) => a - b);

/** Returns how a property stands in a ranking, which may contain it: no amount is lower than itself. */
export const standingInRanking = (
  { expected, damage }: Ranking,
  own: UnitLosses,
  isInRanking: boolean,
): LossStanding => ({
  others: expected.length - (isInRanking ? 1 : 0),
  lowerExpected: lowerThan(expected, own.expected),
  lowerDamage: lowerThan(damage, own.damage),
});

/** Returns how many of the ascending amounts are lower, by bisection. */
function lowerThan(amounts: readonly number[], amount: number): number {
  let [from, to] = [0, amounts.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (amounts[middle]! < amount) from = middle + 1;
    else to = middle;
  }
  return from;
}
