import type { PlacedComponent } from "../../domain/component.ts";
import type { Action } from "../../domain/planning/action.ts";
import { actionFromOwnRow } from "../../domain/planning/planned-appliance.ts";
import { isRetired } from "../../domain/retirement.ts";
import { forEachYielding } from "../../event-loop/event-loop.ts";
import type { Stores } from "../../store/stores.ts";
import { isRecalculating } from "../costs/recalculate.ts";
import { type ActionDeps, actionsOfComponents } from "./component-actions.ts";
import { planContextOf } from "./plan-context.ts";

/**
 * Returns what to do with each of a partner's components, by id: the actions of the plan, which has no retired ones. Most
 * follow from the component's own row with the stored time of its appliance, and the others from the components of that
 * appliance, so that a page of a list needs no more, however large the property is.
 */
export async function actionsOfListedComponents(
  { store, ...deps }: ActionDeps & { store: { read: Pick<Stores, "components" | "recalculations"> } },
  partnerId: string,
  listed: readonly PlacedComponent[],
): Promise<ReadonlyMap<string, Action>> {
  const context = planContextOf<PlacedComponent>(deps.prices);
  // Stored times follow new prices in turns.
  const isStored = !(await isRecalculating(store.read, partnerId));
  const actions = new Map<string, Action>();
  const open = new Set<string>();
  await forEachYielding(listed, deps.yieldNow, (component) => {
    if (isRetired(component)) return;
    const action = isStored ? actionFromOwnRow(context, component) : undefined;
    if (action) actions.set(component.id, action);
    else open.add(component.applianceId);
  });
  if (open.size === 0) return actions;
  const { components } = await actionsOfComponents(
    deps,
    await store.read.components.rowsOfAppliances([...open]),
  );
  return new Map([...actions, ...components]);
}
