import {
  type AssumptionsJson,
  NO_GUARANTEE,
  serializeAssumptions,
} from "../api-schemas/assumptions-schema.ts";
import { priceBasisOf } from "../domain/costs/price-basis.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import type { AssumptionCounts } from "../domain/figures/assumptions.ts";
import type { Stores } from "../store/stores.ts";
import { loadActiveModelVersion } from "../usecases/calibration/load-active-model.ts";
import { pageAssumptionSentences } from "../web/page/page-assumption-sentences.ts";
import type { AddedColumn } from "./csv-replies.ts";

/* The totals of a portfolio, or of several, rest on assumptions, which lists of properties show. */

/** Returns the assumptions by what was counted; null without counts. */
export async function httpReplyAssumptionsField(
  read: Pick<Stores, "models">,
  knowledge: Knowledge,
  counted: AssumptionCounts | null,
): Promise<AssumptionsJson | null> {
  const modelVersion = await loadActiveModelVersion(read, knowledge);
  return counted && serializeAssumptions({ ...counted, ...priceBasisOf(knowledge) }, modelVersion);
}

/** The column of a table of properties that says in its first row what they rest on. */
export const PORTFOLIO_ASSUMPTIONS_COLUMN: AddedColumn = {
  after: "is_demo",
  name: "assumptions",
  valueOf: () => NO_GUARANTEE,
};

/** Returns the column for a page of properties. */
export function httpListAssumptionsColumn(
  { offset, portfolio }: { offset: number; portfolio: readonly unknown[] },
  assumptions: AssumptionsJson | null,
): AddedColumn {
  const isFirst = (record: unknown) => offset === 0 && record === portfolio[0];
  return {
    ...PORTFOLIO_ASSUMPTIONS_COLUMN,
    valueOf: (record) =>
      isFirst(record) && assumptions ? pageAssumptionSentences(assumptions).join(" ") : null,
  };
}
