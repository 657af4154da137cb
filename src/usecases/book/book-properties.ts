import type { Partner } from "../../domain/partner.ts";
import type { Property } from "../../domain/property.ts";
import type { PropertyFilter } from "../../domain/property-filter.ts";
import type { PropertyTotals } from "../../domain/totals.ts";
import type { Yield } from "../../event-loop.ts";
import { readConsistently } from "../../store/consistent-read.ts";
import { addCount, type CodeCount } from "../../store/queries/flags.ts";
import type { Slice } from "../../store/slice.ts";
import type { Store } from "../../store/store.ts";
import { filteredPortfolio } from "../portfolio/filtered-properties.ts";
import { type PortfolioTotals, portfolioFlags, portfolioTotals } from "../portfolio/portfolio-totals.ts";

/*
 * The properties of several partners as one list: by partner, then by creation. Partners' stored counts locate a page, so
 * that it costs a read for each partner and the rows of the page.
 */

type BookDeps = { store: Pick<Store, "read" | "inReadSnapshot">; yieldNow: Yield };
type BookProperty = { partner: Partner; property: Property; totals: PropertyTotals };
type BookPage = { rows: BookProperty[]; total: number };
type BookSums = { totals: PortfolioTotals; flags: readonly CodeCount[] };

/** Returns a page of the properties that match the filter. */
export async function bookProperties(
  deps: BookDeps,
  members: readonly Partner[],
  filter: PropertyFilter | undefined,
  slice: Slice,
): Promise<BookPage> {
  return await pageOver(members, slice, async (partner, part) => {
    const { rows, total } = filter
      ? await filteredPortfolio(deps, partner.id, filter, part)
      : await unfilteredPage(deps, partner, part);
    return { rows: rows.map((row) => ({ partner, ...row })), total };
  });
}

/** Returns the same with the sums over all matches; those of whole portfolios leave out demo properties. */
export async function bookPortfolio(
  deps: BookDeps,
  members: readonly Partner[],
  filter: PropertyFilter | undefined,
  includeDemo: boolean,
  slice: Slice,
): Promise<BookPage & BookSums> {
  const { read } = deps.store;
  const sums: PortfolioTotals[] = [];
  const flags = new Map<string, CodeCount>();
  const page = await pageOver(members, slice, async (partner, part) => {
    const found = filter
      ? await filteredPortfolio(deps, partner.id, filter, part)
      : {
          ...(await unfilteredPage(deps, partner, part)),
          totals: await portfolioTotals(read, partner.id, includeDemo),
          flags: await portfolioFlags(read, partner.id, includeDemo),
        };
    sums.push(found.totals);
    for (const count of found.flags) addCount(flags, count);
    return { rows: found.rows.map((row) => ({ partner, ...row })), total: found.total };
  });
  return { ...page, totals: addedUp(sums), flags: [...flags.values()] };
}

const unfilteredPage = ({ store }: BookDeps, { id }: Partner, slice: Slice) =>
  readConsistently(store, id, async (read) => ({
    rows: slice.limit > 0 ? await read.properties.portfolioPage(id, slice) : [],
    total: (await read.totals.ofPartner(id)).properties,
  }));

/** Reads a page of the concatenated lists of partners; a list of which the page has nothing is only counted. */
async function pageOver<Row>(
  members: readonly Partner[],
  { limit, offset }: Slice,
  read: (partner: Partner, slice: Slice) => Promise<{ rows: Row[]; total: number }>,
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
