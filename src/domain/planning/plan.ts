import { ComputedPlanValues, hashOfPlanAmounts, type ValueCache } from "./computed-plan-values.ts";
import {
  addRenewalCostsToSchedule,
  type CostSchedule,
  emptySchedule,
  endOfPartInPlace,
  sumMonthsByYear,
  sumsOfSuccessorPartsByYear,
} from "./cost-schedule.ts";
import { MAX_PLAN_MONTHS } from "./horizon.ts";
import type { KnownPart } from "./new-part.ts";
import {
  monthlyFailureProbabilities,
  type PartInPlace,
  type PartKind,
  survivalOfPartInPlace,
} from "./part-in-place.ts";
import { type Advice, adviseOnPart, replacementMonth } from "./replacement-advice.ts";
import type { Policy } from "./replacement-policy.ts";
import { makeNewUnit, type NewUnit } from "./unit-policy.ts";
import type { WholeUnitKind } from "./whole-unit.ts";

/** The new parts and units that are known. */
export type PlanCaches = { parts: ValueCache<PartKind, KnownPart>; units: ValueCache<NewUnitKey, NewUnit> };

/** The data that a new unit follows from: its kind, and the new minor parts in the kind's order. */
type NewUnitKey = { kind: Omit<WholeUnitKind, "minors">; minors: readonly KnownPart[] };

/** Returns the new unit of a kind, from the cache if possible. */
export function newUnitOf(
  kind: NewUnitKey["kind"],
  minors: readonly KnownPart[],
  { units }: PlanCaches,
): NewUnit {
  const found = units.get({ kind, minors });
  if (found) return found;
  const { priceCents, failedPriceCents, principal, capMonths } = kind;
  const life = principal && { shape: principal.shape, scaleYears: principal.scaleYears };
  const own = { priceCents, failedPriceCents, principal: life, capMonths };
  const made = makeNewUnit(own, minors);
  units.set({ kind: own, minors }, made);
  return made;
}

/** Keeps so many new units. */
export const computedNewUnits = (most: number) =>
  new ComputedPlanValues<NewUnitKey, NewUnit>(most, {
    hash: ({ kind }) =>
      hashOfPlanAmounts(kind.principal?.scaleYears ?? 0, kind.failedPriceCents, kind.priceCents),
    isSame: (one, other) =>
      one.kind.principal?.scaleYears === other.kind.principal?.scaleYears &&
      one.kind.failedPriceCents === other.kind.failedPriceCents &&
      one.kind.priceCents === other.kind.priceCents &&
      one.kind.capMonths === other.kind.capMonths &&
      one.kind.principal?.shape === other.kind.principal?.shape &&
      one.minors.length === other.minors.length &&
      one.minors.every((minor, index) => minor === other.minors[index]),
  });

/** The advice on a part as if it stood alone, with the policy of its kind. */
export type PartPlan = Advice & Policy;

/** Returns the advice on a part whose kind has a policy. */
export function planPartByPolicy(policy: Policy, part: PartInPlace): PartPlan {
  const { bestAgeMonths, basis, yearlyCents, yearlyCentsRunToFailure } = policy;
  const { dueInYears, waitingCents } = adviseOnPart(part, policy);
  // Fields by name: spreads take longer than all the rest.
  return { bestAgeMonths, basis, yearlyCents, yearlyCentsRunToFailure, dueInYears, waitingCents };
}

/** Returns the schedule of a part that is replaced on its own (docs/model/planning.md#schedule). */
export function schedulePart(
  part: PartInPlace,
  plan: PartPlan,
  newPart: KnownPart,
  years: number,
): CostSchedule {
  const schedule = emptySchedule(years);
  const survival = survivalOfPartInPlace(part, Math.min(12 * years, MAX_PLAN_MONTHS));
  const shares = monthlyFailureProbabilities(survival);
  const due = plan.dueInYears === null ? null : replacementMonth(plan.dueInYears);
  const runsToFailure = endOfPartInPlace(shares, survival, null);
  addRenewalCostsToSchedule(
    schedule,
    due === null ? runsToFailure : endOfPartInPlace(shares, survival, due),
    newPart.cumulative,
    part,
  );
  const failures = sumMonthsByYear(shares, years);
  const later = sumsOfSuccessorPartsByYear(runsToFailure, newPart.cumulative.failuresRunToFailure, years);
  for (let year = 0; year < years; year++)
    schedule.runToFailure[year] = (failures[year]! + later[year]!) * part.failureCents;
  return schedule;
}
