import type { ComponentJson } from "../../api-schemas/component-schema.ts";

type LossInputs = Pick<
  ComponentJson,
  "component_id" | "risk_score" | "failure_probability_12m" | "reactive_cost"
>;

/** The expected loss in the next 12 months, in USD: probability of failure × cost of failure. */
export const pageExpectedLossUsd = (
  component: Pick<LossInputs, "failure_probability_12m" | "reactive_cost">,
) => component.failure_probability_12m * component.reactive_cost;

export const comparePageRowsByExpectedLoss = (a: LossInputs, b: LossInputs) =>
  pageExpectedLossUsd(b) - pageExpectedLossUsd(a) ||
  b.risk_score - a.risk_score ||
  (a.component_id < b.component_id ? -1 : 1);

/** Sorts by expected loss, highest first; ties by score, then by id. */
export const sortPageRowsByExpectedLoss = <C extends LossInputs>(components: readonly C[]): C[] =>
  components.toSorted(comparePageRowsByExpectedLoss);

/** The component with the highest expected loss; undefined if there are none. */
export function highestPageExpectedLoss<C extends LossInputs>(components: readonly C[]): C | undefined {
  let highest = components[0];
  for (const component of components)
    if (highest && comparePageRowsByExpectedLoss(component, highest) < 0) highest = component;
  return highest;
}

/** The critical and warning components. */
export const elevatedPageComponents = <C extends Pick<ComponentJson, "risk_tier">>(
  components: readonly C[],
): C[] => components.filter(({ risk_tier }) => risk_tier !== "GOOD");
