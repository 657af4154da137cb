import type { Property } from "../../domain/property.ts";
import { matcherOf, type PropertyFilter } from "../../domain/property-filter.ts";
import { emptyTotals, type PropertyTotals, type Totals } from "../../domain/totals.ts";
import type { Yield } from "../../event-loop.ts";
import { readConsistently } from "../../store/consistent-read.ts";
import { addCount, type CodeCount } from "../../store/queries/flags.ts";
import type { Slice } from "../../store/slice.ts";
import type { Store } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

/** Properties that one statement reads. */
const PROPERTIES_A_STEP = 500;

type Deps = { store: Pick<Store, "read" | "inReadSnapshot">; yieldNow: Yield };
type FilteredPage = { rows: { property: Property; totals: PropertyTotals }[]; total: number };

/** Returns a page of the partner's properties that match the filters, by creation, with the number of all matches. */
export async function filteredProperties(
  { store, yieldNow }: Deps,
  partnerId: string,
  filter: PropertyFilter,
  slice: Slice,
): Promise<FilteredPage> {
  return await readConsistently(store, partnerId, async (read) => {
    const seqs = await matchesOf(read, yieldNow, partnerId, filter);
    return { rows: await pageOf(read, partnerId, seqs, slice), total: seqs.length };
  });
}

/** Returns the same with the sums over all matches. */
export async function filteredPortfolio(
  { store, yieldNow }: Deps,
  partnerId: string,
  filter: PropertyFilter,
  slice: Slice,
): Promise<FilteredPage & { totals: Totals & { properties: number }; flags: CodeCount[] }> {
  return await readConsistently(store, partnerId, async (read) => {
    const seqs = await matchesOf(read, yieldNow, partnerId, filter);
    // No sum includes a retired property.
    const totals = { ...emptyTotals(), properties: seqs.filter((seq) => seq > 0).length };
    const flags = new Map<string, CodeCount>();
    for (let at = 0; at < seqs.length; at += PROPERTIES_A_STEP) {
      const numbers = seqs.slice(at, at + PROPERTIES_A_STEP);
      for (const count of await read.flags.ofSeqs(partnerId, numbers)) addCount(flags, count);
      const some = await read.propertyFilters.sumOf(partnerId, numbers);
      for (const name of Object.keys(some) as (keyof Totals)[]) totals[name] += some[name];
      await yieldNow();
    }
    return {
      rows: await pageOf(read, partnerId, seqs, slice),
      total: seqs.length,
      totals,
      flags: [...flags.values()],
    };
  });
}

/** Returns the numbers of all matches, in order. Reads the partner's whole list, a step at a time. */
async function matchesOf(
  { propertyFilters, totals }: Stores,
  yieldNow: Yield,
  partnerId: string,
  filter: PropertyFilter,
): Promise<number[]> {
  const { properties: last } = await totals.stored(partnerId);
  const matches = matcherOf(filter);
  const seqs: number[] = [];
  const add = async (after: number, end: number) => {
    for (const row of await propertyFilters.inRange(partnerId, filter, after, end))
      if (!matches || matches(row)) seqs.push(row.seq);
  };
  for (let after = 0; after < last; after += PROPERTIES_A_STEP) {
    const end = after + PROPERTIES_A_STEP;
    const from = seqs.length;
    if (filter.retired !== "only") await add(after, end);
    // The numbers of retired properties are negative.
    if (filter.retired) await add(-end - 1, -after - 1);
    if (filter.retired) {
      const some = seqs.splice(from);
      seqs.push(...some.sort((a, b) => Math.abs(a) - Math.abs(b)));
    }
    await yieldNow();
  }
  return seqs;
}

async function pageOf(
  { propertyFilters }: Stores,
  partnerId: string,
  seqs: readonly number[],
  { limit, offset }: Slice,
): Promise<FilteredPage["rows"]> {
  const rows = await propertyFilters.ofSeqs(partnerId, seqs.slice(offset, offset + limit));
  return rows.sort((a, b) => Math.abs(a.property.seq) - Math.abs(b.property.seq));
}
