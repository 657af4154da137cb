import type { ComponentDef, ScoringModel } from "../knowledge.ts";
import { type Advice, adviseOn } from "../planning/advice.ts";
import { dueOn, partInPlace } from "../planning/component-plan.ts";
import type { Part } from "../planning/part.ts";
import { type Policy, policyOf } from "../planning/policy.ts";
import type { Outlook } from "../scoring/outlook.ts";
import type { Day } from "../time.ts";

/** The advice on a component with its inputs (docs/model/planning.md#due-date). Costs in cents. */
export type Decision = Advice &
  Policy & {
    part: Part;
    dueOn: Day | null;
    /** Factor of the hazard ratio on the best age, θ^(−1/(β−1)); null for run to failure. */
    ageFactor: number | null;
    /** q₁ · (c_f − c_p): the expected extra cost of a failure within a year. */
    riskedCents: number;
  };

/** Returns the advice on a component as of a day. */
export function decisionOn(def: ComponentDef, outlook: Outlook, asOf: Day, model: ScoringModel): Decision {
  const part = partInPlace(def, outlook, model);
  const policy = policyOf(part);
  const advice = adviseOn(part, policy);
  return {
    ...policy,
    ...advice,
    part,
    dueOn: dueOn(advice, asOf),
    ageFactor: advice.dueInYears === null ? null : part.hazardRatio ** (-1 / (part.shape - 1)),
    riskedCents: part.failureProbability * (part.failureCents - part.plannedCents),
  };
}
