import { serializeCostLine } from "../../api-schemas/cost-book-schema.ts";
import {
  type CostLineChange,
  costLineDifferences,
  costLinesWithIds,
  MOST_COST_LINES,
  type StoredCostLine,
} from "../../domain/costs/cost-book-lines.ts";
import type { CostLine } from "../../domain/costs/cost-line.ts";
import { invalid } from "../../domain/errors.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { recalculateSumsForPrices } from "../recalculation/recalculate-sums.ts";

/** Changes that one entry of the audit log lists. */
const CHANGES_AN_ENTRY = 100;

export type SavedBook = {
  lines: readonly StoredCostLine[];
  changes: number;
  /** True if the sums of a large portfolio follow later. */
  recalculating: boolean;
};

/**
 * Replaces the partner's cost book. `change` returns the lines of the new book, of which no two are for the same, from those of
 * the present one. The sums of a small portfolio follow in the same transaction. Every change is recorded in the audit log
 * with the line before and after it, until the partner is purged.
 */
export async function replaceCostBook(
  writer: PortfolioWriter,
  actor: string,
  change: (book: readonly StoredCostLine[]) => readonly CostLine[],
): Promise<SavedBook> {
  const { tx, partner, rows } = writer;
  const before = await tx.costLines.ofPartner(partner.id);
  const given = change(before);
  if (given.length > MOST_COST_LINES)
    throw invalid(
      `A cost book has at most ${MOST_COST_LINES} lines, and this one would have ${given.length}`,
    );
  const lines = costLinesWithIds(before, given, () => ({
    id: tx.newId("costLine"),
    createdAt: rows.latestInstant(),
  }));
  const changes = costLineDifferences(before, lines);
  if (changes.length > 0 || lines.some(({ id }, at) => id !== before[at]?.id))
    await tx.costLines.replace(partner.id, lines);
  if (changes.length > 0) {
    await recordChanges(writer, actor, changes);
    await recalculateSumsForPrices(writer);
  }
  const recalculating = (await tx.recalculations.ofPartner(partner.id)) !== undefined;
  return { lines, changes: changes.length, recalculating };
}

async function recordChanges(
  { tx, partner }: PortfolioWriter,
  actor: string,
  changes: readonly CostLineChange[],
): Promise<void> {
  for (let at = 0; at < changes.length; at += CHANGES_AN_ENTRY) {
    const some = changes.slice(at, at + CHANGES_AN_ENTRY);
    const kept = { first: at + 1, changes_in_all: changes.length };
    const values = {
      ...kept,
      changes: some.map(({ before, after }) => ({
        before: before && serializeCostLine(before),
        after: after && serializeCostLine(after),
      })),
    };
    const entry = { at: tx.now, actor, action: "cost_book.change", subject: partner.id } as const;
    await tx.audit.recordOfPartner({ ...entry, partnerId: partner.id, kept, values });
    await tx.yieldToEventLoop();
  }
}
