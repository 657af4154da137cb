import { lifespanYearsOf, type PartInPlace } from "./part-in-place.ts";

/*
 * The straight-line share of used-up lives, which a fully funded reserve holds (docs/model/planning.md#balances): of each unit
 * or part its cost, times the share of its life that has passed.
 */

/** An item that is replaced at a cost, after some years and then at the end of each life. */
type FundedItem = { cents: number; lifeYears: number; remainingYears: number };

/** Adds the accrued cents at the end of each year to `sums`; index 0 is today. */
export function addFullyFundedReserve(
  sums: Float64Array,
  { cents, lifeYears, remainingYears }: FundedItem,
): void {
  for (let year = 0; year < sums.length; year++) {
    const used =
      year < remainingYears
        ? Math.max(0, 1 - (remainingYears - year) / lifeYears)
        : ((year - remainingYears) % lifeYears) / lifeYears;
    sums[year]! += cents * used;
  }
}

/** Returns the years until failing earlier is as likely as not. */
function remainingLifeYears({ shape, scaleYears, ageYears, hazardRatio }: PartInPlace): number {
  const hazard = (ageYears / scaleYears) ** shape + Math.LN2 / hazardRatio;
  return Math.max(0, scaleYears * hazard ** (1 / shape) - ageYears);
}

/** Returns how a part accrues: by its planned age, or by its expected life if it is run to failure. */
export function fundedItemOfPart(
  part: PartInPlace,
  { bestAgeMonths, dueInYears }: { bestAgeMonths: number | null; dueInYears: number | null },
): FundedItem {
  return bestAgeMonths === null || dueInYears === null
    ? {
        cents: part.failureCents,
        lifeYears: lifespanYearsOf(part),
        remainingYears: remainingLifeYears(part),
      }
    : { cents: part.plannedCents, lifeYears: bestAgeMonths / 12, remainingYears: dueInYears };
}
