import { type Steps, sortInSteps } from "../steps/computation-steps.ts";
import type { Day } from "../time.ts";
import { type BudgetCandidate, compareBudgetRanks, spendBudget } from "./budget.ts";
import { budgetCandidatesOfAppliance } from "./budget-candidates.ts";
import type { Plannable } from "./component-plan.ts";
import { MAX_PLAN_YEARS } from "./horizon.ts";
import { PlanSumsAccumulator } from "./plan-sums.ts";
import { PlannableApplianceGroups } from "./plannable-appliance-groups.ts";
import { type PlanContext, type PlannedAppliance, planApplianceFromScores } from "./planned-appliance.ts";
import type { BudgetUse } from "./property-plan-summary.ts";

/** Returns the plans of the appliances of the components, in the order of their first components, and their sums. */
export function* planComponentsInSteps<C extends Plannable>(
  context: PlanContext<C>,
  components: readonly C[],
  asOf: Day,
  years = MAX_PLAN_YEARS,
): Steps<{ appliances: PlannedAppliance<C>[]; sums: PlanSumsAccumulator }> {
  const groups = new PlannableApplianceGroups<C>(context.knowledge);
  const sums = new PlanSumsAccumulator(years);
  const appliances: PlannedAppliance<C>[] = [];
  const plan = (group: readonly C[] | undefined) => {
    if (!group) return;
    const planned = planApplianceFromScores(context, group, asOf, years);
    sums.add(planned);
    appliances.push(planned);
  };
  for (const component of components) {
    plan(groups.add(component));
    yield;
  }
  for (const group of groups.rest()) {
    plan(group);
    yield;
  }
  return { appliances, sums };
}

/** Returns the best use of a budget among the appliances' units and parts. */
export function* spendBudgetOnAppliancesInSteps<C extends Plannable>(
  appliances: readonly PlannedAppliance<C>[],
  amountCents: number,
): Steps<BudgetUse> {
  const use: BudgetUse = { amountCents, chosen: [], spentCents: 0, avoidedCents: 0 };
  const candidates: BudgetCandidate[] = [];
  for (const appliance of appliances) {
    candidates.push(...budgetCandidatesOfAppliance(appliance));
    yield;
  }
  spendBudget(use, amountCents, yield* sortInSteps(candidates, compareBudgetRanks));
  return use;
}
