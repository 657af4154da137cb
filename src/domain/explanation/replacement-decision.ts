import type { Plannable } from "../planning/component-plan.ts";
import {
  type ComponentPlan,
  type PlanContext,
  planApplianceFromScores,
  type WholePlan,
} from "../planning/planned-appliance.ts";
import { bestAgeFactor } from "../planning/replacement-advice.ts";
import type { Day } from "../time.ts";

/** The advice on a component with its inputs (docs/model/planning.md#due-date). Costs in cents. */
export type ReplacementDecision = ComponentPlan<Plannable> & {
  /** The unit that it is a part of, if that is replaced as a whole. */
  unit: WholePlan<Plannable> | null;
  /** Factor of the hazard ratio on the best age, θ^(−1/(β−1)); null for run to failure. */
  ageFactor: number | null;
  /** q₁ · (c_f − c_p): the expected extra cost of a failure within a year. */
  riskedCents: number;
};

/** Returns the advice on one of an appliance's components as of a day. All components of the appliance must be given. */
export function explainReplacementDecision(
  context: PlanContext<Plannable>,
  components: readonly Plannable[],
  componentId: string,
  asOf: Day,
): ReplacementDecision {
  const { unit, components: plans } = planApplianceFromScores(context, components, asOf, 1);
  const plan = plans.find(({ component }) => component.id === componentId)!;
  const { part, dueInYears } = plan;
  return {
    ...plan,
    unit,
    ageFactor: dueInYears === null || plan.basis === "fixed_life" ? null : bestAgeFactor(part),
    riskedCents: part.failureProbability * (part.failureCents - part.plannedCents),
  };
}
