import type { ComponentJson } from "../wire/component.ts";

type Weighed = Pick<
  ComponentJson,
  "component_id" | "risk_score" | "failure_probability_12m" | "reactive_cost"
>;

/** The expected loss in the next 12 months, in USD: probability of failure × cost of failure. */
export const costOfWaiting = (component: Pick<Weighed, "failure_probability_12m" | "reactive_cost">) =>
  component.failure_probability_12m * component.reactive_cost;

export const inOrderOfWaiting = (a: Weighed, b: Weighed) =>
  costOfWaiting(b) - costOfWaiting(a) ||
  b.risk_score - a.risk_score ||
  (a.component_id < b.component_id ? -1 : 1);

/** Sorts by expected loss, highest first; ties by score, then by id. */
export const byCostOfWaiting = <C extends Weighed>(components: readonly C[]): C[] =>
  components.toSorted(inOrderOfWaiting);

/** The component with the highest expected loss; undefined if there are none. */
export function dearestToWaitFor<C extends Weighed>(components: readonly C[]): C | undefined {
  let dearest = components[0];
  for (const one of components) if (dearest && inOrderOfWaiting(one, dearest) < 0) dearest = one;
  return dearest;
}

/** The critical and warning components. */
export const elevated = <C extends Pick<ComponentJson, "risk_tier">>(components: readonly C[]): C[] =>
  components.filter(({ risk_tier }) => risk_tier !== "GOOD");
