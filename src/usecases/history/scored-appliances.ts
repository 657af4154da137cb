import { yieldToEventLoop } from "../../event-loop.ts";
import type { ScoredAppliance } from "../../store/queries/appliances.ts";
import type { Tx } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

/** Appliances that are read in one step. */
const STEP = 2000;

/** What scoring reads of all appliances of a property, in the order of their creation, in steps where they are many. */
export async function appliancesForScoring(
  stores: Pick<Stores, "appliances"> & Partial<Pick<Tx, "yieldToEventLoop">>,
  propertyId: string,
): Promise<ScoredAppliance[]> {
  const all: ScoredAppliance[] = [];
  for (let after = 0; ; ) {
    const some = await stores.appliances.forScoringAfter(propertyId, after, STEP);
    for (const one of some) all.push(one);
    if (some.length < STEP) return all;
    after = some.at(-1)!.seq;
    await (stores.yieldToEventLoop?.() ?? yieldToEventLoop());
  }
}
