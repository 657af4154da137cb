import type { ComponentJson } from "../wire/component.ts";

type Weighed = Pick<
  ComponentJson,
  "component_id" | "risk_score" | "failure_probability_12m" | "reactive_cost"
>;

/** What waiting a year is expected to cost, in USD: the chance of a failure in the year times what the failure costs. */
export const costOfWaiting = (component: Pick<Weighed, "failure_probability_12m" | "reactive_cost">) =>
  component.failure_probability_12m * component.reactive_cost;

export const inOrderOfWaiting = (a: Weighed, b: Weighed) =>
  costOfWaiting(b) - costOfWaiting(a) ||
  b.risk_score - a.risk_score ||
  (a.component_id < b.component_id ? -1 : 1);

/** The dearest to wait for first; equals by score, then by id. */
export const byCostOfWaiting = <C extends Weighed>(components: readonly C[]): C[] =>
  components.toSorted(inOrderOfWaiting);

/** The first of them; undefined where there is none. */
export function dearestToWaitFor<C extends Weighed>(components: readonly C[]): C | undefined {
  let dearest = components[0];
  for (const one of components) if (dearest && inOrderOfWaiting(one, dearest) < 0) dearest = one;
  return dearest;
}

/** CRITICAL and WARNING ones. */
export const elevated = <C extends Pick<ComponentJson, "risk_tier">>(components: readonly C[]): C[] =>
  components.filter(({ risk_tier }) => risk_tier !== "GOOD");
