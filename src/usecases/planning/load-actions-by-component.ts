import type { PlacedComponent } from "../../domain/component.ts";
import type { ComponentDef } from "../../domain/domain-knowledge.ts";
import type { Action } from "../../domain/planning/action.ts";
import { hasImmediateHazard, planCaches } from "../../domain/planning/plan-context.ts";
import { plannedActionOfComponent } from "../../domain/planning/planned-appliance.ts";
import { isRetired } from "../../domain/rules/retirement-rule.ts";
import type { DefinedOutlook } from "../../domain/scoring/score-projections.ts";
import { forEachYielding } from "../../event-loop/event-loop.ts";
import type { Stores } from "../../store/stores.ts";
import { type ActionDeps, prepareComponentActions } from "./prepare-component-actions.ts";

type ListDeps = ActionDeps & {
  store: { read: Pick<Stores, "components"> };
  /** True while the stored times of appliances do not yet follow from the prices. */
  isRecalculating: boolean;
};

/**
 * Returns what to do with each of a partner's components, in their order: the actions of the plan, undefined for retired
 * components and for those that were purged since they were read. Most follow from the component's own row with the stored time
 * of its appliance, and the others from the components of that appliance, so that a page of a list needs no more, however large
 * the property is. A caller that has the outlooks of the components passes them.
 */
export async function loadActionsOfListedComponents(
  { store, isRecalculating, ...deps }: ListDeps,
  listed: readonly PlacedComponent[],
  outlooks?: readonly DefinedOutlook[],
): Promise<readonly (Action | undefined)[]> {
  const { prices } = deps;
  const { knowledge } = prices;
  const context = {
    knowledge,
    caches: planCaches,
    partPriceOf: (row: PlacedComponent, { id }: ComponentDef) => prices.ofAppliance(row, row).part(id, row),
    mayHaveHazard: ({ flags }: PlacedComponent) => hasImmediateHazard(knowledge, flags),
  };
  const actions: (Action | undefined)[] = [];
  const open = new Set<string>();
  await forEachYielding(listed, deps.yieldNow, (component) => {
    const action =
      isRecalculating || isRetired(component)
        ? undefined
        : plannedActionOfComponent(context, component, outlooks?.[actions.length]);
    actions.push(action);
    if (!action && !isRetired(component)) open.add(component.applianceId);
  });
  if (open.size === 0) return actions;
  const { components } = await prepareComponentActions(
    deps,
    await store.read.components.rowsOfAppliances([...open]),
  );
  return actions.map((action, index) => action ?? components.get(listed[index]!.id));
}
