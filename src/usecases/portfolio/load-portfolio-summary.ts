import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { AssumptionCounts } from "../../domain/figures/assumptions.ts";
import { type PortfolioTotals, portfolioTotalsOf } from "../../domain/figures/portfolio-totals-figure.ts";
import type { PropertyTotals } from "../../domain/figures/property-totals.ts";
import type { HazardFlagCount } from "../../domain/hazards/hazard-flag-counts.ts";
import type { Property, SummarizedProperty } from "../../domain/property.ts";
import { matchesPropertyFilterRule, type PropertyFilter } from "../../domain/rules/property-filter-rule.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { RevisedPartner } from "../../store/queries/partners-queries.ts";
import type { Store } from "../../store/store.ts";
import { readStoreConsistently } from "../../store/store-consistent-reads.ts";
import type { StoredRowRange } from "../../store/stored-row-range.ts";
import type { Stores } from "../../store/stores.ts";
import { isRecalculatingSums } from "../recalculation/recalculate-sums.ts";
import type { SumsOf } from "../revision-caches/revision-caches.ts";
import { loadFilteredPortfolio } from "./load-filtered-properties.ts";
import { type CountedProperties, loadPortfolioAssumptionCounts } from "./load-portfolio-assumption-counts.ts";
import { loadPortfolioSums } from "./load-portfolio-totals.ts";

type SummaryDeps = {
  store: Pick<Store, "read" | "inReadSnapshot">;
  knowledge: Knowledge;
  sumsOf: SumsOf;
  yieldNow: Yield;
};

type SummaryRequest = {
  filter: PropertyFilter | undefined;
  /** True if the totals include the demo property. */
  includeDemo: boolean;
  /** True for a list of the demo property alone. */
  isSandbox: boolean;
  slice: StoredRowRange;
};

type Row<P = SummarizedProperty> = { property: P; totals: PropertyTotals };

type Found = {
  rows: Row[];
  /** The number of properties on all pages. */
  total: number;
  totals: PortfolioTotals;
  flags: readonly HazardFlagCount[];
  /** The basis of the totals; null while too many properties have changed. */
  counted: AssumptionCounts | null;
};

type PortfolioSummary = Omit<Found, "rows"> & {
  rows: (Row & { flags: readonly HazardFlagCount[] })[];
  isRecalculating: boolean;
};

/**
 * Returns a page of a partner's properties with their sums, the totals of all that match, and what these rest on, from one state
 * of the database: totals and counts are of the same properties with the same components.
 */
export async function loadPortfolioSummary(
  { store, knowledge, sumsOf, yieldNow }: SummaryDeps,
  partner: RevisedPartner,
  request: SummaryRequest,
): Promise<PortfolioSummary> {
  return await readStoreConsistently(
    store,
    partner.id,
    async (read, revision) => {
      const count = (properties: CountedProperties) =>
        loadPortfolioAssumptionCounts({ read, knowledge, yieldNow }, properties);
      const found = await findProperties({ read, revision, sumsOf, yieldNow, count }, partner.id, request);
      const ids = found.rows.map(({ property }) => property.id);
      const flags = await read.flags.ofProperties(ids, partner.id);
      return {
        ...found,
        rows: found.rows.map((row) => ({ ...row, flags: flags.get(row.property.id) ?? [] })),
        isRecalculating: await isRecalculatingSums(read, partner.id),
      };
    },
    partner.revision,
  );
}

/** Returns the partner's demo properties that match the filter. */
export async function loadFilteredDemoProperties(
  { flags, properties }: Pick<Stores, "flags" | "properties">,
  partnerId: string,
  filter: PropertyFilter | undefined,
): Promise<Row<Property>[]> {
  const demo = await properties.demo(partnerId);
  if (!filter) return demo;
  const matching = demo.filter(({ property }) => matchesPropertyFilterRule(filter, property));
  if (filter.flag === undefined) return matching;
  const flagged = await flags.ofProperties(
    matching.map(({ property }) => property.id),
    partnerId,
  );
  return matching.filter(({ property }) =>
    flagged.get(property.id)?.some(({ code }) => code === filter.flag),
  );
}

type FindDeps = Pick<SummaryDeps, "sumsOf" | "yieldNow"> & {
  read: Stores;
  revision: string | undefined;
  count: (properties: CountedProperties) => Promise<AssumptionCounts | null>;
};

async function findProperties(
  { read, revision, sumsOf, yieldNow, count }: FindDeps,
  partnerId: string,
  { filter, includeDemo, isSandbox, slice }: SummaryRequest,
): Promise<Found> {
  if (isSandbox) {
    const demo = await loadFilteredDemoProperties(read, partnerId, filter);
    const ids = demo.map(({ property }) => property.id);
    return {
      rows: demo.slice(slice.offset, slice.offset + slice.limit),
      total: demo.length,
      totals: portfolioTotalsOf(demo.map(({ totals }) => totals)),
      flags: await read.flags.sumOf(ids),
      counted: await count({ ids }),
    };
  }
  if (filter) {
    const without = includeDemo ? [] : await read.properties.demoIds(partnerId);
    const deps = { read, yieldNow };
    const { summedIds: ids, ...found } = await loadFilteredPortfolio(deps, partnerId, filter, without, slice);
    return { ...found, counted: await count({ ids }) };
  }
  const rows = await read.properties.summaryPage(partnerId, slice);
  const sums = await sumsOf(`portfolio ${includeDemo}`, revision, async () => {
    const all = await read.totals.ofPartner(partnerId);
    const { demo, ...found } = await loadPortfolioSums(read, partnerId, includeDemo, all);
    const counted = await count({ partnerIds: [partnerId], without: demo });
    return { ...found, total: all.properties, counted };
  });
  return { ...sums, rows: rows.map((row) => ({ property: row, totals: row })) };
}
