import type { ComponentForm } from "./forms.ts";

type Weighed = Pick<
  ComponentForm,
  "component_id" | "risk_score" | "failure_probability_12m" | "reactive_cost"
>;

/** What waiting a year is expected to cost, in USD: the chance of a failure in the year times what the failure costs. */
export const costOfWaiting = (component: Pick<Weighed, "failure_probability_12m" | "reactive_cost">) =>
  component.failure_probability_12m * component.reactive_cost;

/** The dearest to wait for first; equals by score, then by id. */
export const byCostOfWaiting = <C extends Weighed>(components: readonly C[]): C[] =>
  components.toSorted(
    (a, b) =>
      costOfWaiting(b) - costOfWaiting(a) ||
      b.risk_score - a.risk_score ||
      (a.component_id < b.component_id ? -1 : 1),
  );

/** CRITICAL and WARNING ones. */
export const elevated = <C extends Pick<ComponentForm, "risk_tier">>(components: readonly C[]): C[] =>
  components.filter(({ risk_tier }) => risk_tier !== "GOOD");
