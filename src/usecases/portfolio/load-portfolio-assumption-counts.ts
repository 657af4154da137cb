import type { PlacedComponent } from "../../domain/component.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import {
  type AssumptionCounts,
  AssumptionsAccumulator,
  addAssumptionCountsOfComponents,
  emptyAssumptionCounts,
} from "../../domain/figures/assumptions.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { Stores } from "../../store/stores.ts";
import { loadCurrentPartnerPrices } from "../costs/load-partner-prices.ts";

/** Properties whose counts are read together, and components of a changed property. */
const PROPERTIES_A_STEP = 500;
const COMPONENTS_A_STEP = 500;
/** The most changed properties, and components of them, that are counted for a response: in about 0.1 s. */
const MOST_CHANGED = { properties: 1_000, components: 10_000 };

/** The properties whose components are counted: those with the IDs, or all of some partners but some. */
export type CountedProperties =
  | { ids: readonly string[] }
  | { partnerIds: readonly string[]; without: readonly string[] };

type CountDeps = { read: Stores; knowledge: Knowledge; yieldNow: Yield };

/**
 * Returns what the figures of properties rest on: the stored counts of their plans, and for those that have changed since, their
 * components. Null while too many have, as after a large import: the plans of their portfolios renew them.
 */
export async function loadPortfolioAssumptionCounts(
  { read, knowledge, yieldNow }: CountDeps,
  included: CountedProperties,
  most = MOST_CHANGED,
): Promise<AssumptionCounts | null> {
  const counts = emptyAssumptionCounts();
  const changed: string[] = [];
  const addStored = async (ids: readonly string[], sign: 1 | -1) => {
    for (let at = 0; at < ids.length; at += PROPERTIES_A_STEP) {
      for (const { propertyId, counted, isChanged } of await read.plans.countedOf(
        ids.slice(at, at + PROPERTIES_A_STEP),
      )) {
        addAssumptionCountsOfComponents(counts, counted, sign);
        if (isChanged && sign === 1) changed.push(propertyId);
      }
      await yieldNow();
    }
  };
  if ("ids" in included) await addStored(included.ids, 1);
  else {
    const { partnerIds } = included;
    for (const counted of await read.plans.countedOfPartners(partnerIds))
      addAssumptionCountsOfComponents(counts, counted, 1);
    await addStored(included.without, -1);
    const without = new Set(included.without);
    const limit = most.properties + included.without.length + 1;
    for (const id of await read.plans.changedOfPartners(partnerIds, limit))
      if (!without.has(id)) changed.push(id);
  }
  if (changed.length === 0) return counts;
  if (changed.length > most.properties) return null;
  const sizes = await read.totals.sizesOf(changed);
  const sizeOf = (propertyId: string) => sizes.get(propertyId)?.components ?? 0;
  if (changed.reduce((sum, id) => sum + sizeOf(id), 0) > most.components) return null;
  await addStored(changed, -1);
  const counted = new AssumptionsAccumulator(knowledge);
  const pricesOf = new Map<string, PriceList>();
  const add = async (rows: readonly PlacedComponent[]) => {
    for (const row of rows) {
      const { partnerId } = row;
      const prices = pricesOf.get(partnerId) ?? (await loadCurrentPartnerPrices(read, knowledge, partnerId));
      pricesOf.set(partnerId, prices);
      counted.add(row, prices.ofComponent(row));
    }
    await yieldNow();
  };
  // A statement for each property would take a second for a thousand properties on a database across a network.
  let together: string[] = [];
  let rowsTogether = 0;
  for (const id of changed) {
    const size = sizeOf(id);
    if (size > COMPONENTS_A_STEP)
      for (let after = 0, left = true; left; ) {
        const rows = await read.components.rowsOfPropertyAfter(id, after, COMPONENTS_A_STEP);
        await add(rows);
        left = rows.length === COMPONENTS_A_STEP;
        after = rows.at(-1)?.seq ?? after;
      }
    else if (size > 0) {
      if (rowsTogether + size > COMPONENTS_A_STEP) {
        await add(await read.components.rowsOfProperties(together));
        together = [];
        rowsTogether = 0;
      }
      together.push(id);
      rowsTogether += size;
    }
  }
  if (together.length > 0) await add(await read.components.rowsOfProperties(together));
  addAssumptionCountsOfComponents(counts, counted.counts, 1);
  return counts;
}
