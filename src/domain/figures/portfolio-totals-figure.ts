import { PROPERTY_TOTALS, type PropertyTotals, type Totals } from "./property-totals.ts";

/** The totals of a portfolio, or of some of its properties. */
export type PortfolioTotals = Totals & { properties: number };

/** Subtracts sums from others that include them. */
export function subtractPortfolioSums(all: PortfolioTotals, some: PortfolioTotals): PortfolioTotals {
  const rest = { ...all };
  for (const name of ["properties", ...PROPERTY_TOTALS] as const) rest[name] -= some[name];
  return rest;
}

/** Adds up the totals of properties. */
export function portfolioTotalsOf(properties: readonly PropertyTotals[]): PortfolioTotals {
  const sums = { properties: properties.length } as PortfolioTotals;
  for (const name of PROPERTY_TOTALS) sums[name] = properties.reduce((sum, totals) => sum + totals[name], 0);
  return sums;
}
