import type { Confidence, RiskTier } from "../scoring/scoring-types.ts";
import type { PolicyName } from "./appliance-plan.ts";
import { isSafetyPastLife, type PartInPlace } from "./part-in-place.ts";
import type { AgeBasis, Policy } from "./replacement-policy.ts";
import type { UnitAdvice } from "./unit-advice.ts";

/** The action for an appliance or part, in one word; the most urgent first. */
export const ACTIONS = [
  "immediate_hazard",
  "replace_now",
  "inspect",
  "replace_by",
  "monitor",
  "run_to_failure",
] as const;
export type ActionName = (typeof ACTIONS)[number];

/** A known hazard that its authority wants removed at once. */
export type ImmediateHazard = { label: string; authority: string };

/** A part for which its unit, if that is due now, is an immediate repair. */
export type UrgentPart = { name: string } & (
  | { kind: "safety_life_past" }
  | { kind: "likely_to_fail"; failureProbability: number }
);

/** Why an action is advised, with the numbers that the reason states. */
export type ActionReason =
  | { kind: "hazard"; hazard: ImmediateHazard }
  | { kind: "unit_due"; waitingCents: number; yearlyCents: number; urgentPart: UrgentPart | null }
  | { kind: "unit_life_past"; urgentPart: UrgentPart | null }
  | { kind: "with_unit_due" }
  | { kind: "fixed_life_past"; lifeYears: number }
  | { kind: "fixed_life_unknown"; lifeYears: number }
  | { kind: "safety_life_past" }
  | { kind: "safety_risk_raised"; lifeYears: number }
  | {
      kind: "cost_due";
      plannedCents: number;
      failureCents: number;
      failureProbability: number;
      isSafetyPastLife: boolean;
    }
  | { kind: "risk_unknown" | "risk_of_damage" | "risk_to_safety"; failureProbability: number }
  | { kind: "unit_planned"; ageYears: number }
  | { kind: "with_unit_planned" }
  | { kind: "planned"; basis: AgeBasis; ageYears: number }
  | { kind: "elevated"; failureProbability: number }
  | { kind: "unit_until_failure" }
  | { kind: "with_unit_until_failure" }
  | { kind: "not_worth_planning"; yearlyCents: number };

export type Action = { name: ActionName; because: ActionReason };

/** The facts about a part that its action follows from, beside its plan. */
export type PartFacts = {
  name: string;
  riskTier: RiskTier;
  confidence: Confidence;
  /** True if a failure may damage the property. */
  hasDamage: boolean;
  /** Returns whether nobody knows if it is the original. */
  isPastUnknown: () => boolean;
  hazard: ImmediateHazard | null;
};

/** The facts about a unit that its action and those of its parts follow from. */
export type UnitFacts = UnitAdvice & {
  hazard: ImmediateHazard | null;
  /** True if it has reached the age at which it is replaced whatever it costs. */
  isPastLife: boolean;
  /** Null without one. */
  urgentPart: UrgentPart | null;
  principal: (PartFacts & { part: PartInPlace }) | null;
};

/** The policy of a part of its own, as its action follows from it. */
type OwnPolicy = Pick<Policy, "basis" | "bestAgeMonths" | "yearlyCentsRunToFailure">;

/** Returns what to do with a unit (docs/model/planning.md#action). */
export function actionOfWholeUnit(unit: UnitFacts): Action {
  if (unit.hazard) return { name: "immediate_hazard", because: { kind: "hazard", hazard: unit.hazard } };
  const { timing, yearlyCents, urgentPart } = unit;
  if (timing === "now")
    return {
      name: "replace_now",
      because: unit.isPastLife
        ? { kind: "unit_life_past", urgentPart }
        : { kind: "unit_due", waitingCents: unit.waitingCents(), yearlyCents, urgentPart },
    };
  return actionOfKept(unit, {
    planned: { kind: "unit_planned", ageYears: unit.bestAgeMonths / 12 },
    untilFailure: { kind: "unit_until_failure" },
  });
}

/** Returns what to do with a unit that is not due now. */
function actionOfKept(
  { timing, principal }: Pick<UnitFacts, "timing" | "principal">,
  because: Record<"planned" | "untilFailure", ActionReason>,
): Action {
  const inspected = principal && inspection(principal.part, principal);
  if (inspected) return inspected;
  if (timing === "later") return { name: "replace_by", because: because.planned };
  if (principal && principal.riskTier !== "GOOD") return elevated(principal.part);
  return { name: "run_to_failure", because: because.untilFailure };
}

/** Returns what to do with a part. `unit` is the whole unit that it belongs to, if there is one. */
export function actionOfPart(
  planned: OwnPolicy & { part: PartInPlace; policy: PolicyName; dueInYears: number | null },
  facts: PartFacts,
  unit: UnitFacts | null,
): Action {
  if (facts.hazard) return { name: "immediate_hazard", because: { kind: "hazard", hazard: facts.hazard } };
  if (unit?.hazard) return { name: "immediate_hazard", because: { kind: "hazard", hazard: unit.hazard } };
  return unit && planned.policy === "with_unit"
    ? actionOfPartReplacedWithUnit(unit)
    : actionOfPartReplacedAlone(planned.part, planned, planned.dueInYears, facts);
}

/** Returns what to do with a part that is replaced together with its unit. */
export function actionOfPartReplacedWithUnit(unit: Pick<UnitFacts, "timing" | "principal">): Action {
  return unit.timing === "now" ? WITH_UNIT_DUE : actionOfKept(unit, WITH_UNIT_KEPT);
}

const WITH_UNIT_DUE: Action = { name: "replace_now", because: { kind: "with_unit_due" } };
const WITH_UNIT_KEPT = {
  planned: { kind: "with_unit_planned" },
  untilFailure: { kind: "with_unit_until_failure" },
} as const;

/** Returns what to do with a part that is replaced on its own, and is due in so many years; null for run to failure. */
export function actionOfPartReplacedAlone(
  part: PartInPlace,
  policy: OwnPolicy,
  dueInYears: number | null,
  facts: Omit<PartFacts, "hazard">,
): Action {
  const { basis, bestAgeMonths } = policy;
  if (dueInYears === 0) return dueNow(part, policy, facts);
  const inspected = inspection(part, facts);
  if (inspected) return inspected;
  if (basis !== null && bestAgeMonths !== null)
    return { name: "replace_by", because: { kind: "planned", basis, ageYears: bestAgeMonths / 12 } };
  if (facts.riskTier !== "GOOD") return elevated(part);
  return {
    name: "run_to_failure",
    because: { kind: "not_worth_planning", yearlyCents: policy.yearlyCentsRunToFailure },
  };
}

function dueNow(
  part: PartInPlace,
  { basis, bestAgeMonths }: OwnPolicy,
  { isPastUnknown }: Pick<PartFacts, "isPastUnknown">,
): Action {
  if (basis === "fixed_life") {
    const lifeYears = part.fixedLifeYears!;
    return isPastUnknown()
      ? { name: "inspect", because: { kind: "fixed_life_unknown", lifeYears } }
      : { name: "replace_now", because: { kind: "fixed_life_past", lifeYears } };
  }
  const isPastLife = isSafetyPastLife(part);
  if (basis === "safety")
    return {
      name: "replace_now",
      because: isPastLife
        ? { kind: "safety_life_past" }
        : { kind: "safety_risk_raised", lifeYears: bestAgeMonths! / 12 },
    };
  const { plannedCents, failureCents, failureProbability } = part;
  return {
    name: "replace_now",
    because: {
      kind: "cost_due",
      plannedCents,
      failureCents,
      failureProbability,
      isSafetyPastLife: isPastLife,
    },
  };
}

/** Returns the advice to look first: at a risk that nobody has seen, or whose consequences are grave. */
function inspection(
  { failureProbability, safety }: Pick<PartInPlace, "failureProbability" | "safety">,
  { riskTier, confidence, hasDamage }: Pick<PartFacts, "riskTier" | "confidence" | "hasDamage">,
): Action | null {
  if (riskTier === "GOOD") return null;
  const because = (kind: "risk_unknown" | "risk_of_damage" | "risk_to_safety"): Action => ({
    name: "inspect",
    because: { kind, failureProbability },
  });
  if (safety) return because("risk_to_safety");
  if (hasDamage) return because("risk_of_damage");
  return confidence === "LOW" ? because("risk_unknown") : null;
}

const elevated = ({ failureProbability }: { failureProbability: number }): Action => ({
  name: "monitor",
  because: { kind: "elevated", failureProbability },
});
