import type { PlacedComponent } from "../../domain/component.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import type { Action } from "../../domain/planning/action.ts";
import { planContextOfPrices } from "../../domain/planning/plan-context.ts";
import { PlannableApplianceGroups } from "../../domain/planning/plannable-appliance-groups.ts";
import { plannedActionsOfParts } from "../../domain/planning/planned-appliance.ts";
import { forEachYielding, type Yield } from "../../event-loop/event-loop.ts";

export type ActionDeps = { prices: PriceList; yieldNow: Yield };

/** The actions for appliances as a whole, if they have one, and for components, by their ids. */
type ComponentActions = { appliances: ReadonlyMap<string, Action>; components: ReadonlyMap<string, Action> };

/** Returns what to do with appliances of which all components are given, and with these. */
export async function prepareComponentActions(
  { prices, yieldNow }: ActionDeps,
  rows: readonly PlacedComponent[],
): Promise<ComponentActions> {
  const context = planContextOfPrices<PlacedComponent>(prices);
  const appliances = new Map<string, Action>();
  const components = new Map<string, Action>();
  const groups = new PlannableApplianceGroups<PlacedComponent>(prices.knowledge);
  const add = (group: readonly PlacedComponent[] | undefined) => {
    if (!group) return;
    const actions = plannedActionsOfParts(context, group);
    if (actions.appliance) appliances.set(group[0]!.applianceId, actions.appliance);
    for (const [index, action] of actions.components.entries()) components.set(group[index]!.id, action);
  };
  await forEachYielding(rows, yieldNow, (row) => add(groups.add(row)));
  await forEachYielding(groups.rest(), yieldNow, add);
  return { appliances, components };
}
