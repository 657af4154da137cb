import type { PricedRow } from "../../store/queries/recounts-queries.ts";
import { yieldOfStores } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

/**
 * Divides properties into groups whose rows one query reads, in their order: at most `most` rows, or a single property with
 * more. Properties without rows are in no group.
 */
export function prepareGroupsWithRows(
  propertyIds: readonly string[],
  rowsOf: (id: string) => number,
  most: number,
): string[][] {
  const groups: string[][] = [];
  let room = 0;
  for (const id of propertyIds) {
    const rows = rowsOf(id);
    if (rows === 0) continue;
    if (rows > room) {
      groups.push([]);
      room = most;
    }
    groups.at(-1)!.push(id);
    room -= rows;
  }
  return groups;
}

/** Returns the number of appliances of each property that has some, as counted from their rows. */
export async function loadApplianceCounts(
  { recounts }: Pick<Stores, "recounts">,
  propertyIds: readonly string[],
): Promise<Map<string, number>> {
  if (propertyIds.length === 0) return new Map();
  const rows = await recounts.appliances(propertyIds);
  return new Map(rows.map(({ propertyId, count }) => [propertyId, count]));
}

/** Appliances whose events are counted between two yields: some have hundreds. */
const APPLIANCES_A_PAGE = 100;

/** Counts the events of properties, those of a property with many appliances in parts. */
export async function* loadServiceEventCounts(
  read: Stores,
  propertyIds: readonly string[],
  appliancesOf: (id: string) => number,
): AsyncGenerator<Map<string, number>> {
  const yieldNow = yieldOfStores(read);
  for (const ids of prepareGroupsWithRows(propertyIds, appliancesOf, APPLIANCES_A_PAGE)) {
    const [id, ...others] = ids as [string, ...string[]];
    const appliances = appliancesOf(id);
    if (others.length > 0 || appliances <= APPLIANCES_A_PAGE)
      yield await read.recounts.serviceEventsOfProperties(ids);
    else
      for (let [page, after] = [0, 0]; page * APPLIANCES_A_PAGE < appliances; page++, await yieldNow()) {
        const { count, last } = await read.recounts.serviceEvents(id, after, APPLIANCES_A_PAGE);
        yield new Map([[id, count]]);
        after = last ?? after;
      }
    await yieldNow();
  }
}

/** Components that are recounted between two yields. */
const COMPONENTS_A_PAGE = 500;
/** The components of most types of appliances. */
const COMPONENTS_AN_APPLIANCE = 5;

/** Reads the components of properties in pages: those of some properties, or some of a property with more. */
export async function* loadPricedComponentPages(
  read: Stores,
  propertyIds: readonly string[],
  appliancesOf: (id: string) => number,
): AsyncGenerator<PricedRow[]> {
  const yieldNow = yieldOfStores(read);
  // Counting them takes as long as reading them.
  const aboutComponentsOf = (id: string) => COMPONENTS_AN_APPLIANCE * appliancesOf(id);
  for (const ids of prepareGroupsWithRows(propertyIds, aboutComponentsOf, COMPONENTS_A_PAGE)) {
    const [id, ...others] = ids as [string, ...string[]];
    if (others.length > 0 || aboutComponentsOf(id) <= COMPONENTS_A_PAGE)
      yield await read.recounts.pricedOfProperties(ids);
    else
      for (let after: number | undefined = 0; after !== undefined; await yieldNow()) {
        const page: PricedRow[] = await read.recounts.priced(id, after, COMPONENTS_A_PAGE);
        yield page;
        after = page.length < COMPONENTS_A_PAGE ? undefined : page.at(-1)!.seq;
      }
    await yieldNow();
  }
}
