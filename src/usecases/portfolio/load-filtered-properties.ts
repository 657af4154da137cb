import type { PortfolioTotals } from "../../domain/figures/portfolio-totals-figure.ts";
import { emptyTotals, PROPERTY_TOTALS, type PropertyTotals } from "../../domain/figures/property-totals.ts";
import { addHazardFlagCount, type HazardFlagCount } from "../../domain/hazards/hazard-flag-counts.ts";
import type { Property } from "../../domain/property.ts";
import { type PropertyFilter, propertyFilterRule } from "../../domain/rules/property-filter-rule.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { FilteredRow } from "../../store/queries/filtered-property-rows-queries.ts";
import type { Store } from "../../store/store.ts";
import { readStoreConsistently } from "../../store/store-consistent-reads.ts";
import type { StoredRowRange } from "../../store/stored-row-range.ts";
import type { Stores } from "../../store/stores.ts";

/** Properties that one statement reads. */
const PROPERTIES_A_STEP = 500;

type Deps = { store: Pick<Store, "read" | "inReadSnapshot">; yieldNow: Yield };
type FilteredPage = { rows: { property: Property; totals: PropertyTotals }[]; total: number };
type FilteredSums = {
  totals: PortfolioTotals;
  flags: HazardFlagCount[];
  /** The properties that the sums include. */
  summedIds: string[];
};

/** A partner whose properties are filtered, with the number of its latest one. */
type FilteredList = { id: string; latestProperty: number };

/** A match: `seq` is negative if it is retired. */
type Match = { id: string; seq: number };

/** Returns a page of the partner's properties that match the filters, by creation, with the number of all matches. */
export async function loadFilteredProperties(
  { store, yieldNow }: Deps,
  partnerId: string,
  filter: PropertyFilter,
  slice: StoredRowRange,
): Promise<FilteredPage> {
  return await readStoreConsistently(store, partnerId, async (read) => {
    const matches = await findPortfolioFilterMatches(read, yieldNow, [await listOf(read, partnerId)], filter);
    return await listFilteredPortfolioProperties(read, matches, slice);
  });
}

/** Returns a page of the properties that match, with the sums over all matches but those `without`. */
export async function loadFilteredPortfolio(
  { read, yieldNow }: { read: Stores; yieldNow: Yield },
  partnerId: string,
  filter: PropertyFilter,
  without: readonly string[],
  slice: StoredRowRange,
): Promise<FilteredPage & FilteredSums> {
  const matches = await findPortfolioFilterMatches(read, yieldNow, [await listOf(read, partnerId)], filter);
  return {
    ...(await listFilteredPortfolioProperties(read, matches, slice)),
    ...(await loadSumsOfPortfolioMatches(read, yieldNow, matches, without)),
  };
}

async function listOf({ totals }: Stores, id: string): Promise<FilteredList> {
  return { id, latestProperty: (await totals.stored(id)).properties };
}

/** Returns all matches, by partner in the order of the lists, then by creation. Reads all lists, a step at a time. */
export async function findPortfolioFilterMatches(
  { propertyFilters }: Stores,
  yieldNow: Yield,
  lists: readonly FilteredList[],
  filter: PropertyFilter,
): Promise<Match[]> {
  const matches = propertyFilterRule(filter);
  const found: Match[] = [];
  for (const { ids, after, end } of stepsOf(lists)) {
    const rows: FilteredRow[] = [];
    const read = async (from: number, last: number) => {
      const some =
        ids.length === 1
          ? await propertyFilters.inRange(ids[0]!, filter, from, last)
          : await propertyFilters.inRangeOfPartners(ids, filter, from, last);
      for (const row of some) if (!matches || matches(row)) rows.push(row);
    };
    if (filter.retired !== "only") await read(after, end);
    // The numbers of retired properties are negative.
    if (filter.retired) await read(-end - 1, -after - 1);
    if (filter.retired || ids.length > 1) {
      const place = new Map(ids.map((id, at) => [id, at]));
      rows.sort(
        (a, b) => place.get(a.partnerId)! - place.get(b.partnerId)! || Math.abs(a.seq) - Math.abs(b.seq),
      );
    }
    for (const { id, seq } of rows) found.push({ id, seq });
    await yieldNow();
  }
  return found;
}

/** Divides lists into steps: a range of the numbers of a long list, or several short lists. */
function* stepsOf(
  lists: readonly FilteredList[],
): Generator<{ ids: string[]; after: number; end: number }, void> {
  let [ids, total, end]: [string[], number, number] = [[], 0, 0];
  for (const { id, latestProperty } of lists) {
    if (total + latestProperty > PROPERTIES_A_STEP && ids.length > 0) {
      yield { ids, after: 0, end };
      [ids, total, end] = [[], 0, 0];
    }
    if (latestProperty > PROPERTIES_A_STEP)
      for (let after = 0; after < latestProperty; after += PROPERTIES_A_STEP)
        yield { ids: [id], after, end: after + PROPERTIES_A_STEP };
    else if (latestProperty > 0) {
      ids.push(id);
      total += latestProperty;
      end = Math.max(end, latestProperty);
    }
  }
  if (ids.length > 0) yield { ids, after: 0, end };
}

/** Returns a page of matches. */
export async function listFilteredPortfolioProperties(
  { propertyFilters }: Stores,
  matches: readonly Match[],
  { limit, offset }: StoredRowRange,
): Promise<FilteredPage> {
  const ids = matches.slice(offset, offset + limit).map(({ id }) => id);
  const rows = new Map((await propertyFilters.ofIds(ids)).map((row) => [row.property.id, row]));
  // A property that was purged since it was found is missing: the caller reads again.
  return { rows: ids.flatMap((id) => rows.get(id) ?? []), total: matches.length };
}

/** Returns the sums over matches that are not retired, but those `without`. */
export async function loadSumsOfPortfolioMatches(
  { flags, propertyFilters }: Stores,
  yieldNow: Yield,
  matches: readonly Match[],
  without: readonly string[],
): Promise<FilteredSums> {
  const excluded = new Set(without);
  const summedIds = matches.filter(({ id, seq }) => seq > 0 && !excluded.has(id)).map(({ id }) => id);
  const totals = { ...emptyTotals(), properties: summedIds.length };
  const counts = new Map<string, HazardFlagCount>();
  for (let at = 0; at < summedIds.length; at += PROPERTIES_A_STEP) {
    const ids = summedIds.slice(at, at + PROPERTIES_A_STEP);
    for (const count of await flags.sumOf(ids)) addHazardFlagCount(counts, count);
    const some = await propertyFilters.sumOf(ids);
    for (const name of PROPERTY_TOTALS) totals[name] += some[name];
    await yieldNow();
  }
  return { totals, flags: [...counts.values()], summedIds };
}
