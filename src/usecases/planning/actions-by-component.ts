import type { PlacedComponent } from "../../domain/component.ts";
import type { Action } from "../../domain/planning/action.ts";
import { actionFromOwnRow } from "../../domain/planning/planned-appliance.ts";
import { isRetired } from "../../domain/retirement.ts";
import { forEachYielding } from "../../event-loop/event-loop.ts";
import type { Stores } from "../../store/stores.ts";
import { type ActionDeps, actionsOfComponents } from "./component-actions.ts";
import { hasImmediateHazard, planContextOf } from "./plan-context.ts";

type ListDeps = ActionDeps & {
  store: { read: Pick<Stores, "components"> };
  /** True while the stored times of appliances do not yet follow from the prices. */
  isRecalculating: boolean;
};

/**
 * Returns what to do with each of a partner's components, by id: the actions of the plan, which has no retired ones. Most
 * follow from the component's own row with the stored time of its appliance, and the others from the components of that
 * appliance, so that a page of a list needs no more, however large the property is.
 */
export async function actionsOfListedComponents(
  { store, isRecalculating, ...deps }: ListDeps,
  listed: readonly PlacedComponent[],
): Promise<ReadonlyMap<string, Action>> {
  const { knowledge } = deps.prices;
  const context = {
    ...planContextOf<PlacedComponent>(deps.prices),
    mayHaveHazard: ({ flags }: PlacedComponent) => hasImmediateHazard(knowledge, flags),
  };
  const actions = new Map<string, Action>();
  const open = new Set<string>();
  await forEachYielding(listed, deps.yieldNow, (component) => {
    if (isRetired(component)) return;
    const action = isRecalculating ? undefined : actionFromOwnRow(context, component);
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
