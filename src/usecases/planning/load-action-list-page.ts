import type { PlacedComponent } from "../../domain/component.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import {
  ACTION_DAYS,
  type ActionSums,
  type DueAction,
  dueActionsOfPlannedAppliance,
} from "../../domain/planning/due-actions.ts";
import { planContextOfPrices } from "../../domain/planning/plan-context.ts";
import { planComponentsInSteps } from "../../domain/planning/planned-components.ts";
import { addDays, dayOf } from "../../domain/time.ts";
import type { Work } from "../../domain/work-mark.ts";
import { runYielding, type Yield } from "../../event-loop/event-loop.ts";
import type { ActionFilter, ActionOrder } from "../../store/queries/plan-actions-queries.ts";
import { readStoreConsistently } from "../../store/store-consistent-reads.ts";
import type { StoredRowRange } from "../../store/stored-row-range.ts";
import type { Stores } from "../../store/stores.ts";
import { tryRenewChangedPlans } from "./load-portfolio-plan.ts";
import type { PlanDeps } from "./load-property-plan.ts";

/** An action of a list, with the mark on its work. */
type ListedAction = { action: DueAction<PlacedComponent>; work: Work | undefined };

/** Actions do not depend on the years of a schedule. */
const SHORTEST = 1;

/**
 * Returns a page of a partner's actions with the sums of all that match. The order and the sums are those of the stored plans,
 * which include every change that was made before; the actions of the page are planned again, so that a page needs the
 * appliances on it and no more.
 */
export async function loadActionListPage(
  deps: PlanDeps & { prices: PriceList },
  filter: Omit<ActionFilter, "today" | "without">,
  list: { order: ActionOrder; slice: StoredRowRange; includeDemo: boolean; summedAtOnce?: number },
): Promise<{ actions: ListedAction[]; sums: ActionSums }> {
  const { order, slice, includeDemo, summedAtOnce = SUMMED_AT_ONCE } = list;
  const { store, prices, clock, yieldNow } = deps;
  const { partnerId } = filter;
  await tryRenewChangedPlans(deps, partnerId);
  const today = dayOf(clock());
  const without = includeDemo ? [] : await store.read.properties.demoIds(partnerId);
  const full = { ...filter, today, without };
  const { places, sums } = await readStoreConsistently(store, partnerId, async (read) => ({
    places: await read.planActions.page(full, order, slice),
    sums: await sumsInSteps(read, full, order, yieldNow, summedAtOnce),
  }));
  const applianceIds = [...new Set(places.map(({ applianceId }) => applianceId))];
  const rows = await store.read.components.rowsOfAppliances(applianceIds);
  const { appliances } = await runYielding(
    planComponentsInSteps(planContextOfPrices(prices), rows, today, SHORTEST),
    yieldNow,
  );
  const until = addDays(today, ACTION_DAYS);
  const planned = new Map<string, DueAction<PlacedComponent>>();
  for (const appliance of appliances)
    for (const action of dueActionsOfPlannedAppliance(prices.knowledge, appliance, until))
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

/** The actions of so many components are summed by one statement, in about 40 ms if all are due. */
const SUMMED_AT_ONCE = 200_000;
/** Properties whose actions are summed at a time. */
const PROPERTIES_A_STEP = 500;

/** Sums the actions of a large portfolio a few properties at a time, so that other requests are answered in between. */
async function sumsInSteps(
  read: Stores,
  filter: ActionFilter,
  order: ActionOrder,
  yieldNow: Yield,
  mostAtOnce: number,
): Promise<ActionSums> {
  const { partnerId } = filter;
  const { properties, components } = await read.totals.stored(partnerId);
  if (filter.propertyId !== undefined || components <= mostAtOnce)
    return await read.planActions.sums(filter, order);
  const all: ActionSums = { count: 0, plannedCents: 0, waitingCents: 0, expectedCents: 0 };
  for (let after = 0; after < properties; after += PROPERTIES_A_STEP) {
    const sums = await read.planActions.sumsOfProperties(filter, order, after, after + PROPERTIES_A_STEP);
    for (const name of Object.keys(all) as (keyof ActionSums)[]) all[name] += Number(sums[name]);
    await yieldNow();
  }
  return all;
}
