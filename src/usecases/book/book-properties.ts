import type { Partner } from "../../domain/partner.ts";
import type { Property } from "../../domain/property.ts";
import type { PropertyFilter } from "../../domain/property-filter.ts";
import type { PropertyTotals } from "../../domain/totals.ts";
import type { Yield } from "../../event-loop.ts";
import { readConsistently } from "../../store/consistent-read.ts";
import { addCount, type CodeCount } from "../../store/queries/flags.ts";
import type { RevisedPartner } from "../../store/queries/partners.ts";
import type { Slice } from "../../store/slice.ts";
import type { Store } from "../../store/store.ts";
import { filteredPortfolio } from "../portfolio/filtered-properties.ts";
import type { PortfolioTotals } from "../portfolio/portfolio-totals.ts";
import type { BookCounts, PartnerCounts } from "./book-counts.ts";

/*
 * The properties of several partners as one list: by partner, then by creation. The kept counts of partners locate a page,
 * so that it costs its own rows. A filter costs what it costs in each partner's list.
 */

type BookDeps = {
  store: Pick<Store, "read" | "inReadSnapshot">;
  yieldNow: Yield;
  counts: BookCounts;
};
type BookProperty = { partner: Partner; property: Property; totals: PropertyTotals };
type BookPage = { rows: BookProperty[]; total: number };
type BookSums = { totals: PortfolioTotals; flags: readonly CodeCount[] };

/** Returns a page of the properties that match the filter. */
export async function bookProperties(
  deps: BookDeps,
  members: readonly RevisedPartner[],
  filter: PropertyFilter | undefined,
  slice: Slice,
): Promise<BookPage> {
  return await pageOver(members, slice, async (partner, part) => {
    const { rows, total } = filter
      ? await filteredPortfolio(deps, partner.id, filter, part)
      : await unfilteredPage(deps, partner, part, await countsOf(deps, partner, false));
    return { rows: rows.map((row) => ({ partner, ...row })), total };
  });
}

/** Returns the same with the sums over all matches; those of whole portfolios leave out demo properties. */
export async function bookPortfolio(
  deps: BookDeps,
  members: readonly RevisedPartner[],
  filter: PropertyFilter | undefined,
  includeDemo: boolean,
  slice: Slice,
): Promise<BookPage & BookSums> {
  const sums: PortfolioTotals[] = [];
  const flags = new Map<string, CodeCount>();
  const page = await pageOver(members, slice, async (partner, part) => {
    const found = filter
      ? await filteredPortfolio(deps, partner.id, filter, part)
      : await unfilteredPage(deps, partner, part, await countsOf(deps, partner, includeDemo));
    sums.push(found.totals);
    for (const count of found.flags) addCount(flags, count);
    return { rows: found.rows.map((row) => ({ partner, ...row })), total: found.total };
  });
  return { ...page, totals: addedUp(sums), flags: [...flags.values()] };
}

const countsOf = ({ store, counts }: BookDeps, member: RevisedPartner, includeDemo: boolean) =>
  counts.ofPartner(store.read, member, includeDemo);

/** Reads the page of a partner's list, and nothing if the page has no row of it. */
async function unfilteredPage(
  { store }: BookDeps,
  { id }: Partner,
  slice: Slice,
  { listed, totals, flags }: PartnerCounts,
) {
  if (slice.limit === 0 || slice.offset >= listed) return { rows: [], total: listed, totals, flags };
  const page = await readConsistently(store, id, async (read) => ({
    rows: await read.properties.portfolioPage(id, slice),
    total: (await read.totals.ofPartner(id)).properties,
  }));
  return { ...page, totals, flags };
}

/** Reads a page of the concatenated lists of partners; a list of which the page has nothing is only counted. */
async function pageOver<Row>(
  members: readonly RevisedPartner[],
  { limit, offset }: Slice,
  read: (partner: RevisedPartner, slice: Slice) => Promise<{ rows: Row[]; total: number }>,
): Promise<{ rows: Row[]; total: number }> {
  const rows: Row[] = [];
  let total = 0;
  for (const partner of members) {
    const left = limit - rows.length;
    const some = await read(partner, { limit: left, offset: Math.max(offset - total, 0) });
    rows.push(...some.rows.slice(0, left));
    total += some.total;
  }
  return { rows, total };
}

function addedUp(sums: readonly PortfolioTotals[]): PortfolioTotals {
  const names = [
    ...["properties", "appliances", "components", "serviceEvents", "critical", "warning"],
    ...["criticalProactiveCents", "warningProactiveCents", "criticalReactiveCents", "warningReactiveCents"],
  ] as (keyof PortfolioTotals)[];
  const added = {} as PortfolioTotals;
  for (const name of names) added[name] = sums.reduce((sum, partner) => sum + partner[name], 0);
  return added;
}
