import type { PlacedComponent } from "../../domain/component.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import type { Action } from "../../domain/planning/action.ts";
import { dayOf, type Instant } from "../../domain/time.ts";
import type { Yield } from "../../event-loop.ts";
import type { Stores } from "../../store/stores.ts";
import { planContextOf } from "./plan-context.ts";
import { planComponents } from "./property-plan.ts";

type ActionDeps = { prices: PriceList; now: Instant; yieldNow: Yield };

/** The actions for appliances that are replaced as a whole, and for components, by their ids. */
type Actions = { units: ReadonlyMap<string, Action>; components: ReadonlyMap<string, Action> };

/** Actions do not depend on the years of a schedule. */
const SHORTEST = 1;

/**
 * Returns what to do with each of the components, by id: the actions of the plan. An action follows from the appliance's own
 * components alone, so that a page of a list needs the appliances on it and no more, however large the property is.
 */
export async function actionsOf(
  { store, ...deps }: ActionDeps & { store: { read: Pick<Stores, "components"> } },
  listed: readonly Pick<PlacedComponent, "applianceId">[],
): Promise<ReadonlyMap<string, Action>> {
  const applianceIds = [...new Set(listed.map(({ applianceId }) => applianceId))];
  return (await actionsAmong(deps, await store.read.components.rowsOfAppliances(applianceIds))).components;
}

/** Returns what to do with appliances of which all components are given, and with these. */
export async function actionsAmong(
  { prices, now, yieldNow }: ActionDeps,
  rows: readonly PlacedComponent[],
): Promise<Actions> {
  const context = planContextOf<PlacedComponent>(prices);
  const { appliances } = await planComponents(context, rows, dayOf(now), yieldNow, SHORTEST);
  const units = new Map<string, Action>();
  const all = new Map<string, Action>();
  for (const { unit, components } of appliances) {
    if (unit) units.set(unit.applianceId, unit.action);
    for (const { component, action } of components) all.set(component.id, action);
  }
  return { units, components: all };
}
