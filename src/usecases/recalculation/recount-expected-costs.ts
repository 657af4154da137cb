import type { PriceList } from "../../domain/costs/price-list.ts";
import { expectedFailureCostForSorting } from "../../domain/scoring/score-projections.ts";
import type { PricedRow } from "../../store/queries/recounts-queries.ts";
import type { Tx } from "../../store/store.ts";

type ExpectedCost = { id: string; cents: number };

/** Returns the expected costs of the components of which others are stored. */
export function recountExpectedCosts(prices: PriceList, page: readonly PricedRow[]): ExpectedCost[] {
  return page.flatMap((row) => {
    const { failedCents } = prices.ofComponent(row);
    const cents = expectedFailureCostForSorting(prices.knowledge, row, row.brandTier, failedCents);
    return cents === row.expectedCostCents ? [] : [{ id: row.id, cents }];
  });
}

/** Components written between two yields. */
const WRITTEN_A_STEP = 200;

/** Writes recounted expected costs of components, in cents, and yields between short steps. */
export async function writeRecountedExpectedCosts(tx: Tx, costs: readonly ExpectedCost[]): Promise<void> {
  for (const [at, { id, cents }] of costs.entries()) {
    await tx.components.saveExpectedCost(id, cents);
    if (at % WRITTEN_A_STEP === WRITTEN_A_STEP - 1) await tx.yieldToEventLoop();
  }
}
