import type { PlacedComponent } from "../../domain/component.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import type { Action } from "../../domain/planning/action.ts";
import { type Day, dayOf, type Instant } from "../../domain/time.ts";
import type { Yield } from "../../event-loop.ts";
import type { Stores } from "../../store/stores.ts";
import { planContextOf } from "./plan-context.ts";
import { planComponents } from "./property-plan.ts";

type ActionDeps = { store: { read: Stores }; prices: PriceList; now: Instant; yieldNow: Yield };

/** Actions do not depend on the years of a schedule. */
const SHORTEST = 1;

/**
 * Returns what to do with each of the components, by id: the actions of the plan. An action follows from the appliance's own
 * components alone, so that a page of a list needs the appliances on it and no more, however large the property is.
 */
export async function actionsOf(
  { store, prices, now, yieldNow }: ActionDeps,
  listed: readonly Pick<PlacedComponent, "applianceId">[],
): Promise<ReadonlyMap<string, Action>> {
  const applianceIds = [...new Set(listed.map(({ applianceId }) => applianceId))];
  const rows = await store.read.components.rowsOfAppliances(applianceIds);
  const asOf: Day = dayOf(now);
  const { appliances } = await planComponents(
    planContextOf<PlacedComponent>(prices),
    rows,
    asOf,
    yieldNow,
    SHORTEST,
  );
  const actions = new Map<string, Action>();
  for (const { components } of appliances)
    for (const { component, action } of components) actions.set(component.id, action);
  return actions;
}
