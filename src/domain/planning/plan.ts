import { type Advice, adviseOn } from "./advice.ts";
import type { Part } from "./part.ts";
import type { Policy } from "./policy.ts";
import { type NewPartCache, newPartOf } from "./renewals.ts";
import { addPart, type YearlyCosts } from "./schedule.ts";

/** What to do about a part, and how its kind is best kept up. */
export type PartPlan = Advice & Policy;

/** Plans a part, and adds what is to be expected of it to the sums when there are any. */
export function planPart(part: Part, known: NewPartCache, sums?: YearlyCosts): PartPlan {
  const newPart = newPartOf(part, known);
  const advice = adviseOn(part, newPart.policy);
  if (sums) addPart(sums, part, advice, newPart);
  return { ...newPart.policy, ...advice };
}
