import type { PortfolioItemJson } from "../../api-schemas/portfolio-schema.ts";
import { joinPlace } from "../../domain/places/place.ts";
import type { SortOrder } from "../widgets/virtual-table.tsx";

/* Search, sorting and totals of the loaded properties, without further calls. */

/** The filters of the list of properties; an empty one matches all. */
type PortfolioFilter = { search: string; state: string; rating: string };

/** A property, and the text in which it is searched. */
export type SearchableProperty = { item: PortfolioItemJson; text: string };

export const toAppSearchableProperty = (item: PortfolioItemJson): SearchableProperty => ({
  item,
  text: [item.name, item.address, item.city, joinPlace(item), item.property_id].join(" ").toLowerCase(),
});

/** Returns the properties that match. Every search word must occur in the name, address, city, state or id. */
export function filterAppProperties(
  all: readonly SearchableProperty[],
  filter: PortfolioFilter,
): PortfolioItemJson[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const rating = filter.rating === NOT_RATED ? null : filter.rating;
  const found = [];
  for (const { item, text } of all) {
    if (filter.state !== "" && joinPlace(item) !== filter.state) continue;
    if (filter.rating !== "" && item.overall_rating !== rating) continue;
    if (words.every((word) => text.includes(word))) found.push(item);
  }
  return found;
}
export const NOT_RATED = "none";

const SORT_VALUES: Readonly<Record<string, (item: PortfolioItemJson) => string | number>> = {
  name: (item) => item.name.toLowerCase(),
  state: (item) => joinPlace(item),
  units: (item) => item.unit_count,
  components: (item) => item.components,
  critical: (item) => item.critical,
  warning: (item) => item.warning,
  rating: (item) => ["FAIL", "FAIR", "GOOD"].indexOf(item.overall_rating ?? "") + 1 || 4,
  deferred: (item) => item.total_deferred_maintenance,
  reactive: (item) => item.total_reactive_exposure,
  door: (item) => item.deferred_per_door,
};

/** Sorts properties; ties keep their order. */
export function sortAppProperties(items: readonly PortfolioItemJson[], { key, isDescending }: SortOrder) {
  const value = SORT_VALUES[key] ?? SORT_VALUES.deferred!;
  const sign = isDescending ? -1 : 1;
  const keyed = items.map((item) => ({ item, value: value(item) }));
  keyed.sort((a, b) => (a.value < b.value ? -sign : a.value > b.value ? sign : 0));
  return keyed.map(({ item }) => item);
}

/** Parses a sort order such as `-deferred` or `name` from the address. */
export function parseAppSortOrder(text: string | null): SortOrder {
  const key = (text ?? "").replace(/^-/, "");
  if (!Object.hasOwn(SORT_VALUES, key)) return { key: "deferred", isDescending: true };
  return { key, isDescending: text!.startsWith("-") };
}
export const appSortOrderText = ({ key, isDescending }: SortOrder) => `${isDescending ? "-" : ""}${key}`;

export type StateTotals = {
  state: string;
  properties: number;
  components: number;
  critical: number;
  warning: number;
  deferred: number;
  reactive: number;
};

/** Totals by state, highest planned cost first. */
export function appTotalsByState(items: readonly PortfolioItemJson[]): StateTotals[] {
  const rows = new Map<string, StateTotals>();
  for (const item of items) {
    const state = joinPlace(item);
    const row = rows.get(state) ?? {
      state,
      properties: 0,
      components: 0,
      critical: 0,
      warning: 0,
      deferred: 0,
      reactive: 0,
    };
    rows.set(state, row);
    row.properties++;
    row.components += item.components;
    row.critical += item.critical;
    row.warning += item.warning;
    row.deferred += item.total_deferred_maintenance;
    row.reactive += item.total_reactive_exposure;
  }
  return [...rows.values()].sort((a, b) => b.deferred - a.deferred || b.critical - a.critical);
}
