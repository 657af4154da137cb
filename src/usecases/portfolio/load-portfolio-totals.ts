import {
  type PortfolioTotals,
  portfolioTotalsOf,
  subtractPortfolioSums,
} from "../../domain/figures/portfolio-totals-figure.ts";
import type { PropertyTotals } from "../../domain/figures/property-totals.ts";
import { type HazardFlagCount, subtractHazardFlagCounts } from "../../domain/hazards/hazard-flag-counts.ts";
import type { Stores } from "../../store/stores.ts";

/**
 * Returns the totals and the counts of flags of a portfolio from its sums, without its demo properties unless `includeDemo`, and
 * the IDs of those that are left out.
 */
export async function loadPortfolioSums(
  { flags, properties, totals }: Pick<Stores, "flags" | "properties" | "totals">,
  partnerId: string,
  includeDemo: boolean,
  sums: PortfolioTotals,
): Promise<{ totals: PortfolioTotals; flags: HazardFlagCount[]; demo: readonly string[] }> {
  const counts = await flags.ofPartner(partnerId);
  const demo = includeDemo ? [] : await properties.demoIds(partnerId);
  if (demo.length === 0) return { totals: sums, flags: counts, demo };
  return {
    totals: subtractProperties(sums, await totals.ofDemoProperties(partnerId)),
    flags: subtractHazardFlagCounts(counts, await flags.sumOf(demo)),
    demo,
  };
}

/** Returns the totals of the partner's portfolio, without its demo properties unless `includeDemo`. */
export async function loadPortfolioTotals(
  { totals }: Pick<Stores, "totals">,
  partnerId: string,
  includeDemo: boolean,
): Promise<PortfolioTotals> {
  const sums = await totals.ofPartner(partnerId);
  return includeDemo ? sums : subtractProperties(sums, await totals.ofDemoProperties(partnerId));
}

/** Subtracts the totals of properties from sums that include them. */
const subtractProperties = (sums: PortfolioTotals, properties: readonly PropertyTotals[]) =>
  subtractPortfolioSums(sums, portfolioTotalsOf(properties));
