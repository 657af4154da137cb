import type { Yield } from "../../event-loop/event-loop.ts";
import type { ScoredAppliance } from "../../store/queries/appliances-queries.ts";
import { type Tx, yieldOfStores } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

/** Appliances per query. */
const STEP = 2000;

/** Returns all appliances of a property as scoring reads them, in the order of creation, in pages. */
export async function loadAppliancesOfHistory(
  stores: Pick<Stores, "appliances"> & Partial<Pick<Tx, "yieldToEventLoop">>,
  propertyId: string,
  yieldNow: Yield = yieldOfStores(stores),
): Promise<ScoredAppliance[]> {
  const all: ScoredAppliance[] = [];
  for (let after = 0; ; ) {
    const some = await stores.appliances.forScoringAfter(propertyId, after, STEP);
    for (const appliance of some) all.push(appliance);
    if (some.length < STEP) return all;
    after = some.at(-1)!.seq;
    await yieldNow();
  }
}
