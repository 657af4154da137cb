import { ConvolutionSum, fourierSpectraOf, type Spectrum } from "../statistics/fourier-spectrum.ts";
import {
  addRenewalCostsToSchedule,
  type CostSchedule,
  emptySchedule,
  endOfPartInPlace,
  sumMonthsByYear,
  sumsOfSuccessorPartsByYear,
} from "./cost-schedule.ts";
import { LOOKAHEAD_MONTHS } from "./horizon.ts";
import type { KnownPart } from "./new-part.ts";
import { monthlyFailureProbabilities, survivalOfPartInPlace } from "./part-in-place.ts";
import type { PartPlan } from "./plan.ts";
import { replacementMonth } from "./replacement-advice.ts";
import { meanSurvivalByMonth, type NewUnit, type UnitPolicy } from "./unit-policy.ts";
import type { UnitInPlace } from "./whole-unit.ts";

/** The advice on a unit in place, with the policy of its kind. */
export type UnitPlan = UnitPolicy & {
  /** w, in months: 0 is now; null for a unit that stays until its principal part fails. */
  dueInMonths: number | null;
  /** The cost of waiting a year, in cents; negative where waiting is the better choice. */
  waitingCents: number;
};

/** A unit's plan with what its schedule is computed from, by month. */
export type PlannedUnit = UnitPlan & {
  /** S¹: the probability that the unit in place works at the end of each month. */
  survival: Float64Array;
  /** The expected cost of repairing the minor parts in place, in cents, as long as the unit stays. */
  repairs: MonthlyRepairs;
};

type MonthlyRepairs = { costs: Float64Array; costsRunToFailure: Float64Array };

/** Plans a unit in place. `minors` are the plans and new parts of its minor parts, in their order. */
export function planUnit(
  unit: UnitInPlace,
  minors: readonly { plan: Pick<PartPlan, "dueInYears">; newPart: KnownPart }[],
  { policy }: NewUnit,
): PlannedUnit {
  const { principal, principalAge, failedPriceCents, priceCents } = unit;
  const survival =
    principal && principalAge
      ? survivalOfPartInPlace({ ...principal, ...principalAge }, LOOKAHEAD_MONTHS)
      : new Float64Array(LOOKAHEAD_MONTHS + 1).fill(1);
  const repairs = repairsInPlace(unit, minors);
  let waitingCents = -policy.yearlyCents;
  for (let month = 1; month <= 12; month++)
    waitingCents +=
      (survival[month - 1]! - survival[month]!) * (failedPriceCents - priceCents) + repairs.costs[month]!;
  return {
    ...policy,
    dueInMonths: dueInMonths(unit, policy, survival, repairs.costs),
    waitingCents,
    survival,
    repairs,
  };
}

/**
 * Returns the month after which the costs of keeping the unit, added up, exceed the long-run cost of its successors by the
 * least (marginal cost; Berg 1980): no later month makes up for what the ones before it cost.
 */
function dueInMonths(
  unit: UnitInPlace,
  { yearlyCents }: UnitPolicy,
  survival: Float64Array,
  repairs: Float64Array,
): number | null {
  const { principal, principalAge, failedPriceCents, priceCents, capMonths, ageYears } = unit;
  const hazards =
    principal && principalAge
      ? monthlyHazards({ ...principal, ...principalAge }, LOOKAHEAD_MONTHS)
      : undefined;
  let [best, least, sum] = [0, 0, 0];
  for (let month = 1; month <= LOOKAHEAD_MONTHS; month++) {
    const working = (survival[month - 1]! + survival[month]!) / 2;
    const fails = hazards ? hazards[month]! : 0;
    sum += working * (fails * (failedPriceCents - priceCents) + repairs[month]! - yearlyCents / 12);
    if (sum >= least) continue;
    best = month;
    least = sum;
  }
  if (capMonths === null) return best === LOOKAHEAD_MONTHS ? null : best;
  return Math.min(best, Math.max(0, Math.ceil(capMonths - 12 * ageYears)));
}

/** Returns h_k, the probability of failing in each month, given that it works at its beginning. */
function monthlyHazards(
  { shape, scaleYears, ageYears, hazardRatio }: Parameters<typeof survivalOfPartInPlace>[0],
  months: number,
) {
  const hazards = new Float64Array(months + 1);
  let before = (ageYears / scaleYears) ** shape;
  for (let month = 1; month <= months; month++) {
    const passed = ((ageYears + month / 12) / scaleYears) ** shape;
    hazards[month] = -Math.expm1(-hazardRatio * (passed - before));
    before = passed;
  }
  return hazards;
}

/** Returns the expected cost of the minor parts in place and their successors, by month, as long as the unit stays. */
function repairsInPlace(
  { minors: parts }: UnitInPlace,
  minors: readonly { plan: Pick<PartPlan, "dueInYears">; newPart: KnownPart }[],
): MonthlyRepairs {
  const costs = new Float64Array(LOOKAHEAD_MONTHS + 1);
  const costsRunToFailure = new Float64Array(LOOKAHEAD_MONTHS + 1);
  const sum = new ConvolutionSum();
  const transform = new PairedTransforms();
  for (const [index, part] of parts.entries()) {
    const { plan, newPart } = minors[index]!;
    const survival = survivalOfPartInPlace(part, LOOKAHEAD_MONTHS);
    const shares = monthlyFailureProbabilities(survival);
    for (let month = 1; month <= LOOKAHEAD_MONTHS; month++)
      costsRunToFailure[month]! += shares[month]! * part.failureCents;
    const due = plan.dueInYears === null ? null : replacementMonth(plan.dueInYears);
    const isReplacedInTime = due !== null && due <= LOOKAHEAD_MONTHS;
    const [bySpectrum, runToFailureBySpectrum] = newPart.spectra;
    transform.add(shares, (spectrum) => {
      sum.add(1, spectrum, runToFailureBySpectrum);
      if (!isReplacedInTime) sum.add(0, spectrum, bySpectrum);
    });
    if (!isReplacedInTime)
      for (let month = 1; month <= LOOKAHEAD_MONTHS; month++)
        costs[month]! += shares[month]! * part.failureCents;
    else if (due === 0) {
      costs[1]! += part.plannedCents;
      const later = newPart.costs;
      for (let month = 2; month <= LOOKAHEAD_MONTHS; month++) costs[month]! += later[month - 1]!;
    } else {
      const { ended } = endOfPartInPlace(shares, survival, due);
      for (let month = 1; month <= due; month++) costs[month]! += shares[month]! * part.failureCents;
      costs[due]! += survival[due]! * part.plannedCents;
      transform.add(ended, (spectrum) => sum.add(0, spectrum, bySpectrum));
    }
  }
  transform.finish();
  sum.addTo(costs, costsRunToFailure);
  return { costs, costsRunToFailure };
}

/** Transforms sequences two at a time, since one transform serves two real sequences. */
class PairedTransforms {
  #waiting: { sequence: Float64Array; use: (spectrum: Spectrum) => void } | undefined;

  add(sequence: Float64Array, use: (spectrum: Spectrum) => void): void {
    const first = this.#waiting;
    if (!first) {
      this.#waiting = { sequence, use };
      return;
    }
    this.#waiting = undefined;
    const [one, two] = fourierSpectraOf(first.sequence, sequence);
    first.use(one);
    use(two);
  }

  finish(): void {
    if (this.#waiting) this.add(NOTHING, () => {});
  }
}
const NOTHING = new Float64Array(1);

/** Returns the schedule of a unit with its repairs (docs/model/planning.md#schedule). */
export function scheduleUnit(
  unit: UnitInPlace,
  planned: PlannedUnit,
  newUnit: NewUnit,
  years: number,
): CostSchedule {
  const { survival, repairs, dueInMonths: due } = planned;
  const schedule = emptySchedule(years);
  const shares = monthlyFailureProbabilities(survival);
  const end = endOfPartInPlace(shares, survival, due);
  const runsToFailure = endOfPartInPlace(shares, survival, null);
  addRenewalCostsToSchedule(schedule, end, newUnit, {
    plannedCents: unit.priceCents,
    failureCents: unit.failedPriceCents,
  });
  const working = meanSurvivalByMonth(survival);
  const own = repairs.costs.map((cost, month) => (due === null || month <= due ? cost * working[month]! : 0));
  const ownRunToFailure = repairs.costsRunToFailure.map((cost, month) => cost * working[month]!);
  const repaired = sumMonthsByYear(own, years);
  const repairedLater = sumsOfSuccessorPartsByYear(end, newUnit.repairs, years);
  const repairedRunToFailure = sumMonthsByYear(ownRunToFailure, years);
  const repairedRunToFailureLater = sumsOfSuccessorPartsByYear(
    runsToFailure,
    newUnit.repairsRunToFailure,
    years,
  );
  const failed = sumMonthsByYear(shares, years);
  const failedLater = sumsOfSuccessorPartsByYear(runsToFailure, newUnit.failuresRunToFailure, years);
  for (let year = 0; year < years; year++) {
    schedule.repairs[year] = repaired[year]! + repairedLater[year]!;
    schedule.runToFailure[year] =
      (failed[year]! + failedLater[year]!) * unit.failedPriceCents +
      repairedRunToFailure[year]! +
      repairedRunToFailureLater[year]!;
  }
  return schedule;
}
