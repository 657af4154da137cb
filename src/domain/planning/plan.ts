import { type Advice, adviseOn } from "./advice.ts";
import type { Part } from "./part.ts";
import type { Policy } from "./policy.ts";
import { type NewPartCache, newPartOf } from "./renewals.ts";
import { addPart, type YearlyCosts } from "./schedule.ts";

/** The advice on a part and the policy of its kind. */
export type PartPlan = Advice & Policy;

/** Plans a part, and adds its expected costs to `sums` if given. */
export function planPart(part: Part, cache: NewPartCache, sums?: YearlyCosts): PartPlan {
  const newPart = newPartOf(part, cache);
  const advice = adviseOn(part, newPart.policy);
  if (sums) addPart(sums, part, advice, newPart);
  return { ...newPart.policy, ...advice };
}
