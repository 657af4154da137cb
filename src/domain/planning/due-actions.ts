import type { Knowledge, System } from "../domain-knowledge.ts";
import { failureProbability12m } from "../scoring/score-projections.ts";
import type { RiskTier } from "../scoring/scoring-types.ts";
import type { Day } from "../time.ts";
import type { Action, ActionName } from "./action.ts";
import type { Price } from "./appliance-pricing.ts";
import type { Plannable } from "./component-plan.ts";
import type { ComponentPlan, DueNow, PlannedAppliance } from "./planned-appliance.ts";

/** The days ahead of which actions are listed. */
export const ACTION_DAYS = 730;

/** The actions that somebody has to do something about. */
export const LISTED_ACTIONS = [
  "immediate_hazard",
  "replace_now",
  "inspect",
  "replace_by",
] as const satisfies readonly ActionName[];

/** A due action on a component, or on an appliance as a whole. Amounts in cents. */
export type DueAction<C> = {
  /** The ID of the component, or of the appliance. */
  subjectId: string;
  /** The component; of an appliance, any of its components. */
  component: C;
  isUnit: boolean;
  action: Action;
  /** The day of a replacement that waits for one; null for what is due now. */
  dueOn: Day | null;
  /** By when what is due now has to be done; null for the rest. */
  dueNow: DueNow | null;
  system: System;
  /** The worst of its components, for an appliance. */
  tier: RiskTier;
  /** The probability of failing within 12 months; of an appliance, that any of its components does. */
  failureProbability: number;
  price: Price;
  waitingCents: number;
  /** The expected cost of failures within 12 months; of an appliance, those of its components without an action of their own. */
  expectedCents: number;
};

/** The sums of some actions, in cents. */
export type ActionSums = { count: number; plannedCents: number; waitingCents: number; expectedCents: number };

const TIERS: readonly RiskTier[] = ["CRITICAL", "WARNING", "GOOD"];

/**
 * Returns what somebody has to do about a planned appliance by a day. Parts that are replaced with their unit are part of its
 * action; one that needs an inspection or is a hazard while its unit stays has its own.
 */
export function dueActionsOfPlannedAppliance<C extends Plannable>(
  knowledge: Knowledge,
  { unit, components }: PlannedAppliance<C>,
  until: Day,
): DueAction<C>[] {
  const isDue = ({ action, dueOn }: { action: Action; dueOn: Day | null }) =>
    action.name === "replace_by"
      ? dueOn !== null && dueOn <= until
      : LISTED_ACTIONS.some((name) => name === action.name);
  const hasUnitAction = unit !== null && isDue(unit);
  const due = components.filter((plan) => isDue(plan) && !(hasUnitAction && plan.policy === "with_unit"));
  const actions: DueAction<C>[] = [];
  if (unit && hasUnitAction) {
    const risks = components.map((plan) => ({ plan, ...riskOf(knowledge, plan) }));
    actions.push({
      subjectId: unit.applianceId,
      component: unit.component,
      isUnit: true,
      action: unit.action,
      dueOn: unit.action.name === "replace_by" ? unit.dueOn : null,
      dueNow: unit.dueNow,
      system: knowledge.type(unit.component.typeId).system,
      tier: TIERS.find((tier) => components.some(({ component }) => component.riskTier === tier)) ?? "GOOD",
      failureProbability: 1 - risks.reduce((survives, risk) => survives * (1 - risk.failureProbability), 1),
      price: unit.price,
      waitingCents: Math.round(unit.waitingCents),
      // A sum of actions counts each component once.
      expectedCents: risks.reduce(
        (sum, { plan, expectedCents }) => (due.includes(plan) ? sum : sum + expectedCents),
        0,
      ),
    });
  }
  for (const plan of due)
    actions.push({
      subjectId: plan.component.id,
      component: plan.component,
      isUnit: false,
      action: plan.action,
      dueOn: plan.action.name === "replace_by" ? plan.dueOn : null,
      dueNow: plan.dueNow,
      system: knowledge.component(plan.component.defId).system,
      tier: plan.component.riskTier,
      ...riskOf(knowledge, plan),
      price: plan.price,
      waitingCents: Math.round(plan.waitingCents),
    });
  return actions;
}

function riskOf<C extends Plannable>(knowledge: Knowledge, { component, price }: ComponentPlan<C>) {
  const { brandTier } = component;
  const failureProbability = failureProbability12m(knowledge, component, brandTier);
  return { failureProbability, expectedCents: Math.round(failureProbability * price.failedCents) };
}
