import type { ComponentDef, ScoringModel } from "../knowledge.ts";
import { type Advice, adviseOn } from "../planning/advice.ts";
import { dueOn, partInPlace } from "../planning/component-plan.ts";
import type { Part } from "../planning/part.ts";
import { type Policy, policyOf } from "../planning/policy.ts";
import type { Outlook } from "../scoring/outlook.ts";
import type { Day } from "../time.ts";

/** What to do about a component, with what that rests on (docs/model/planning.md#due-date). Costs in cents. */
export type Decision = Advice &
  Policy & {
    part: Part;
    dueOn: Day | null;
    /** What its hazard ratio multiplies the best age by: θ^(−1/(β−1)); null where it is run to failure. */
    ageFactor: number | null;
    /** q₁ · (c_f − c_p): what a year of waiting risks beyond planned work. */
    riskedCents: number;
  };

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
