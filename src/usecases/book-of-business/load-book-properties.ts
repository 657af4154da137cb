import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { AssumptionCounts } from "../../domain/figures/assumptions.ts";
import { type PortfolioTotals, subtractPortfolioSums } from "../../domain/figures/portfolio-totals-figure.ts";
import type { PropertyTotals } from "../../domain/figures/property-totals.ts";
import { type HazardFlagCount, subtractHazardFlagCounts } from "../../domain/hazards/hazard-flag-counts.ts";
import type { Property } from "../../domain/property.ts";
import type { PropertyFilter } from "../../domain/rules/property-filter-rule.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { BookMember } from "../../store/queries/book-of-business-queries.ts";
import type { Store } from "../../store/store.ts";
import { readStoreOfAllPartnersConsistently } from "../../store/store-consistent-reads.ts";
import type { StoredRowRange } from "../../store/stored-row-range.ts";
import type { Stores } from "../../store/stores.ts";
import {
  findPortfolioFilterMatches,
  listFilteredPortfolioProperties,
  loadSumsOfPortfolioMatches,
} from "../portfolio/load-filtered-properties.ts";
import {
  type CountedProperties,
  loadPortfolioAssumptionCounts,
} from "../portfolio/load-portfolio-assumption-counts.ts";
import { loadBookListPartsOfPage } from "./load-book-list-pages.ts";
import { loadBookOfBusinessPartners } from "./load-book-of-business-partners.ts";

/*
 * The properties of several partners as one list: by partner, then by creation. The stored totals of partners locate a page,
 * so that it reads its own rows. A filter reads the columns of all properties that it needs, as in a partner's list.
 */

export type BookDeps = { store: Pick<Store, "read" | "inReadSnapshot">; yieldNow: Yield };
type PortfolioDeps = BookDeps & { knowledge: Knowledge };
type Row = { property: Property; totals: PropertyTotals };
type BookPage = { rows: (Row & { partner: BookMember; flags: HazardFlagCount[] })[]; total: number };
type BookSums = { totals: PortfolioTotals; flags: readonly HazardFlagCount[] };
type BookBasis = {
  /** The basis of the sums; null while too many properties have changed. */
  counted: AssumptionCounts | null;
  isRecalculating: boolean;
};

/** The partners of a book, all if undefined, and the filter of their properties. */
type BookSelection = { partnerIds: ReadonlySet<string> | undefined; filter: PropertyFilter | undefined };

/** Returns a page of the properties that match the filter. Throws not_found for an unknown partner. */
export async function loadBookOfBusinessProperties(
  { store, yieldNow }: BookDeps,
  { partnerIds, filter }: BookSelection,
  slice: StoredRowRange,
): Promise<BookPage> {
  return await readStoreOfAllPartnersConsistently(store, async (read) => {
    const members = await loadBookOfBusinessPartners(read, partnerIds);
    const page = filter
      ? await listFilteredPortfolioProperties(
          read,
          await findPortfolioFilterMatches(read, yieldNow, members, filter),
          slice,
        )
      : await unfilteredPage(read, members, slice);
    return await withPartners(read, members, page);
  });
}

/**
 * Returns the same with the sums over all matches and what they rest on, from one state of the database. Sums leave out demo
 * properties unless `includeDemo`.
 */
export async function loadBookOfBusinessPortfolio(
  { store, knowledge, yieldNow }: PortfolioDeps,
  { partnerIds, filter }: BookSelection,
  includeDemo: boolean,
  slice: StoredRowRange,
): Promise<BookPage & BookSums & BookBasis> {
  return await readStoreOfAllPartnersConsistently(store, async (read) => {
    const members = await loadBookOfBusinessPartners(read, partnerIds);
    const ids = members.map(({ id }) => id);
    const without = includeDemo ? [] : await read.book.demoIds(ids);
    const recalculated = new Set((await read.recalculations.all()).map(({ partnerId }) => partnerId));
    const basis = async (properties: CountedProperties): Promise<BookBasis> => ({
      counted: await loadPortfolioAssumptionCounts({ read, knowledge, yieldNow }, properties),
      isRecalculating: ids.some((id) => recalculated.has(id)),
    });
    if (filter) {
      const matches = await findPortfolioFilterMatches(read, yieldNow, members, filter);
      const page = await withPartners(
        read,
        members,
        await listFilteredPortfolioProperties(read, matches, slice),
      );
      const { summedIds, ...sums } = await loadSumsOfPortfolioMatches(read, yieldNow, matches, without);
      return { ...page, ...sums, ...(await basis({ ids: summedIds })) };
    }
    const page = await withPartners(read, members, await unfilteredPage(read, members, slice));
    const sums = await portfolioSums(read, members, includeDemo);
    return { ...page, ...sums, ...(await basis({ partnerIds: ids, without })) };
  });
}

async function unfilteredPage(
  { book, properties }: Stores,
  members: readonly BookMember[],
  slice: StoredRowRange,
): Promise<{ rows: Row[]; total: number }> {
  const lists = members.map((member) => ({ id: member.id, count: member.properties }));
  const parts = loadBookListPartsOfPage(lists, slice);
  const whole = parts.filter(({ isWhole }) => isWhole).map(({ list }) => list.id);
  const rows = whole.length > 0 ? await book.properties(whole) : [];
  for (const { list, isWhole, limit, offset } of parts)
    if (!isWhole) rows.push(...(await properties.portfolioPage(list.id, { limit, offset })));
  const place = new Map(lists.map(({ id }, at) => [id, at]));
  rows.sort(
    ({ property: a }, { property: b }) => place.get(a.partnerId)! - place.get(b.partnerId)! || a.seq - b.seq,
  );
  return { rows, total: members.reduce((sum, member) => sum + member.properties, 0) };
}

async function withPartners(
  { flags }: Stores,
  members: readonly BookMember[],
  { rows, total }: { rows: Row[]; total: number },
): Promise<BookPage> {
  const partners = new Map(members.map((member) => [member.id, member]));
  const flagsOf = await flags.ofProperties(rows.map(({ property }) => property.id));
  return {
    rows: rows.map((row) => ({
      ...row,
      partner: partners.get(row.property.partnerId)!,
      flags: flagsOf.get(row.property.id) ?? [],
    })),
    total,
  };
}

async function portfolioSums(
  { book }: Stores,
  members: readonly BookMember[],
  includeDemo: boolean,
): Promise<BookSums> {
  const ids = members.map(({ id }) => id);
  const [totals, flags] = [await book.sums(ids), await book.flags(ids)];
  if (includeDemo) return { totals, flags };
  return {
    totals: subtractPortfolioSums(totals, await book.demoSums(ids)),
    flags: subtractHazardFlagCounts(flags, await book.demoFlags(ids)),
  };
}
