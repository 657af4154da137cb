import type { CostSchedule } from "./cost-schedule.ts";
import { LOOKAHEAD_MONTHS } from "./horizon.ts";
import { type KnownPart, newPartOf } from "./new-part.ts";
import { lifespanYearsOf, type PartInPlace } from "./part-in-place.ts";
import { newUnitOf, type PartPlan, type PlanCaches, planPartByPolicy, schedulePart } from "./plan.ts";
import { dueInYearsOfPart } from "./replacement-advice.ts";
import { adviseOnUnit, adviseOnUnitTiming, type UnitAdvice, type UnitTiming } from "./unit-advice.ts";
import { type PlannedUnit, planUnit, scheduleUnit } from "./unit-plan.ts";
import type { NewUnit } from "./unit-policy.ts";
import type { UnitInPlace } from "./whole-unit.ts";

/** `with_unit`: the part goes with its appliance, which is replaced as a whole. */
export type PolicyName = "replace_now" | "replace_at_age" | "run_to_failure" | "with_unit";

/** An appliance that is replaced as a whole, beside its parts. */
export type WholeAppliance = {
  /** U: cost of planned replacement. */
  priceCents: number;
  /** U_f: cost of replacement after a failure, probable damage included. */
  failedPriceCents: number;
  /** The position of the part whose failure is the unit's; null without one. */
  principal: number | null;
  /** The life of a unit without a principal part, in years. */
  lifeYears: number | null;
  /** Since its installation, or its last replacement as a whole. */
  calendarAgeYears: number;
};

/** A part with its plan. */
export type PlannedPart = PartPlan & { part: PartInPlace; policy: PolicyName; newPart: KnownPart };

/** An appliance with its plan; `unit` is null where parts are replaced one by one. */
export type AppliancePlan = {
  unit: (PlannedUnit & { unit: UnitInPlace; newUnit: NewUnit }) | null;
  parts: PlannedPart[];
};

/** The advice on an appliance that its actions follow from. */
export type ApplianceAdvice = { unit: (UnitAdvice & { unit: UnitInPlace }) | null; parts: PlannedPart[] };

/**
 * Plans an appliance's parts, and the appliance itself if it is replaced as a whole. `mustGo` says of each part whether it is
 * due now whatever its policy, as a known hazard is; a principal part takes its unit along.
 */
export function planAppliance(
  parts: readonly PartInPlace[],
  whole: WholeAppliance | null,
  caches: PlanCaches,
  mustGo: readonly boolean[] = [],
): AppliancePlan {
  const planned = planParts(parts, caches, mustGo);
  if (!whole) return { unit: null, parts: withPolicies(planned) };
  const { unit, minors, newUnit } = unitWithMinorParts(parts, planned, whole, caches);
  const own = planUnit(unit, minors, newUnit);
  const plan = isUnitRemovedForHazard(whole, mustGo) ? { ...own, dueInMonths: 0 } : own;
  return {
    unit: { ...plan, unit, newUnit },
    parts: withPolicies(planned, whole, plan.dueInMonths === 0),
  };
}

/** Returns the advice that the actions of `planAppliance` follow from, without planning more than that takes. */
export function adviseOnAppliance(
  parts: readonly PartInPlace[],
  whole: WholeAppliance | null,
  caches: PlanCaches,
  mustGo: readonly boolean[],
): ApplianceAdvice {
  const planned = planParts(parts, caches, mustGo);
  if (!whole) return { unit: null, parts: withPolicies(planned) };
  const { unit, minors, newUnit } = unitWithMinorParts(parts, planned, whole, caches);
  const own = adviseOnUnit(unit, minors, newUnit);
  const advice = isUnitRemovedForHazard(whole, mustGo) ? { ...own, timing: "now" as const } : own;
  return {
    unit: { ...advice, unit },
    parts: withPolicies(planned, whole, advice.timing === "now"),
  };
}

/** Returns when an appliance that is replaced as a whole is due, without planning more than that takes. */
export const unitTimingOf = (
  parts: readonly PartInPlace[],
  whole: WholeAppliance,
  caches: PlanCaches,
  mustGo: readonly boolean[],
): UnitTiming =>
  isUnitRemovedForHazard(whole, mustGo) ? "now" : timingOfUnit(unitInPlaceOf(parts, whole, caches, mustGo));

/** Returns when a unit is due that contains no hazard for which it is removed. */
export const timingOfUnit = ({ unit, minors, newUnit }: UnitWithParts): UnitTiming =>
  adviseOnUnitTiming(unit, minors, newUnit);

/** A minor part with all of its plan that tells when its unit is due. */
export type MinorPart = {
  part: PartInPlace;
  newPart: KnownPart;
  plan: Pick<PartPlan, "dueInYears">;
  mustGo: boolean;
};

/** A unit in place with its minor parts and its successor. */
export type UnitWithParts = { unit: UnitInPlace; minors: readonly MinorPart[]; newUnit: NewUnit };

export const minorPart = (part: PartInPlace, newPart: KnownPart, mustGo: boolean): MinorPart => ({
  part,
  newPart,
  plan: { dueInYears: mustGo ? 0 : dueInYearsOfPart(part, newPart.policy) },
  mustGo,
});

/** Returns the unit in place of an appliance that is replaced as a whole. */
export function unitInPlaceOf(
  parts: readonly PartInPlace[],
  whole: WholeAppliance,
  caches: PlanCaches,
  mustGo: readonly boolean[],
): UnitWithParts {
  const unit = unitOf(parts, whole);
  const newParts: KnownPart[] = [];
  const minors: MinorPart[] = [];
  for (let index = 0; index < parts.length; index++) {
    if (index === whole.principal) continue;
    const newPart = newPartOf(parts[index]!, caches);
    newParts.push(newPart);
    minors.push(minorPart(parts[index]!, newPart, mustGo[index] === true));
  }
  return { unit, minors, newUnit: newUnitOf(unit, newParts, caches) };
}

/** Returns whether a part that is replaced on its own is due now. */
export const isPartDue = (part: PartInPlace, caches: PlanCaches) =>
  dueInYearsOfPart(part, newPartOf(part, caches).policy) === 0;

/** Returns the plan of each part by the policy of a new part in its place; parts that `mustGo` are due now. */
function planParts(parts: readonly PartInPlace[], caches: PlanCaches, mustGo: readonly boolean[]) {
  return parts.map((part, index) => {
    const newPart = newPartOf(part, caches);
    const plan = planPartByPolicy(newPart.policy, part);
    return {
      part,
      newPart,
      plan: mustGo[index] ? { ...plan, dueInYears: 0 } : plan,
    };
  });
}

/** Returns the unit in place, the plans of its minor parts, and its successor. */
function unitWithMinorParts(
  parts: readonly PartInPlace[],
  planned: ReturnType<typeof planParts>,
  whole: WholeAppliance,
  caches: PlanCaches,
) {
  const unit = unitOf(parts, whole);
  const minors = planned.filter((_, index) => index !== whole.principal);
  const newParts = minors.map(({ newPart }) => newPart);
  return { unit, minors, newUnit: newUnitOf(unit, newParts, caches) };
}

/** Returns the parts with their policies. `isUnitDue` says of a whole unit whether it is due now. */
function withPolicies(
  planned: ReturnType<typeof planParts>,
  whole?: WholeAppliance,
  isUnitDue = false,
): PlannedPart[] {
  return planned.map(({ part, newPart, plan }, index) => {
    const goesWithUnit = isUnitDue || index === whole?.principal;
    return { ...plan, part, newPart, policy: goesWithUnit ? "with_unit" : policyOfPart(plan) };
  });
}

/** A hazard of the principal part takes its unit along, and any hazard a unit without one. */
export const isUnitRemovedForHazard = ({ principal }: WholeAppliance, mustGo: readonly boolean[]) =>
  principal === null ? mustGo.some(Boolean) : mustGo[principal] === true;

const policyOfPart = ({ dueInYears }: PartPlan): PolicyName =>
  dueInYears === null ? "run_to_failure" : dueInYears === 0 ? "replace_now" : "replace_at_age";

function unitOf(parts: readonly PartInPlace[], whole: WholeAppliance): UnitInPlace {
  const { priceCents, failedPriceCents, lifeYears } = whole;
  const principal = whole.principal === null ? null : parts[whole.principal]!;
  return {
    priceCents,
    failedPriceCents,
    principal,
    principalAge: principal,
    ageYears: principal?.ageYears ?? whole.calendarAgeYears,
    capMonths: principal
      ? principal.safety
        ? Math.round(12 * lifespanYearsOf(principal))
        : null
      : Math.round(12 * (lifeYears ?? LOOKAHEAD_MONTHS / 12)),
    minors: parts.filter((_, index) => index !== whole.principal),
  };
}

/** The schedules of an appliance: its own, or those of its parts. */
type ApplianceSchedule = { unit: CostSchedule | null; parts: (CostSchedule | null)[] };

/** Returns the schedules of an appliance. The minor parts of a unit are its repairs, and have none of their own. */
export function scheduleAppliance({ unit, parts }: AppliancePlan, years: number): ApplianceSchedule {
  return {
    unit: unit && scheduleUnit(unit.unit, unit, unit.newUnit, years),
    parts: parts.map((planned) =>
      unit ? null : schedulePart(planned.part, planned, planned.newPart, years),
    ),
  };
}
