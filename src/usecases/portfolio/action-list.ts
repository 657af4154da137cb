import type { PlacedComponent } from "../../domain/component.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import {
  ACTION_DAYS,
  type ActionSums,
  type DueAction,
  dueActionsOf,
} from "../../domain/planning/due-actions.ts";
import { addDays, dayOf } from "../../domain/time.ts";
import type { Work } from "../../domain/work.ts";
import { readConsistently } from "../../store/consistent-read.ts";
import type { ActionFilter, ActionOrder } from "../../store/queries/plan-actions.ts";
import type { Slice } from "../../store/slice.ts";
import { planContextOf } from "./plan-context.ts";
import { savedChangedPlans } from "./portfolio-plan.ts";
import { type PlanDeps, planComponents } from "./property-plan.ts";

/** An action of a list, with the mark on its work. */
type ListedAction = { action: DueAction<PlacedComponent>; work: Work | undefined };

/** Actions do not depend on the years of a schedule. */
const SHORTEST = 1;

/**
 * Returns a page of a partner's actions with the sums of all that match. The order and the sums are those of the stored plans,
 * which include every change that was made before; the actions of the page are planned again, so that a page needs the
 * appliances on it and no more.
 */
export async function actionList(
  deps: PlanDeps & { prices: PriceList },
  filter: Omit<ActionFilter, "today" | "without">,
  { order, slice, includeDemo }: { order: ActionOrder; slice: Slice; includeDemo: boolean },
): Promise<{ actions: ListedAction[]; sums: ActionSums }> {
  const { store, prices, clock, yieldNow } = deps;
  const { partnerId } = filter;
  await savedChangedPlans(deps, partnerId);
  const today = dayOf(clock());
  const demo = includeDemo ? [] : await store.read.properties.demo(partnerId);
  const full = { ...filter, today, without: demo.map(({ property }) => property.id) };
  const { places, sums } = await readConsistently(store, partnerId, async ({ planActions }) => ({
    places: await planActions.page(full, order, slice),
    sums: await planActions.sums(full, order),
  }));
  const applianceIds = [...new Set(places.map(({ applianceId }) => applianceId))];
  const rows = await store.read.components.rowsOfAppliances(applianceIds);
  const { appliances } = await planComponents(planContextOf(prices), rows, today, yieldNow, SHORTEST);
  const until = addDays(today, ACTION_DAYS);
  const planned = new Map<string, DueAction<PlacedComponent>>();
  for (const appliance of appliances)
    for (const action of dueActionsOf(prices.knowledge, appliance, until))
      planned.set(action.subjectId, action);
  const marks = await store.read.work.ofSubjects(places.map(({ subjectId }) => subjectId));
  const bySubject = new Map(marks.map((work) => [work.subjectId, work]));
  // An action that ended since its plan was stored is left out.
  const actions = places.flatMap(({ subjectId }) => {
    const action = planned.get(subjectId);
    return action ? [{ action, work: bySubject.get(subjectId) }] : [];
  });
  return { actions, sums };
}
