import { serializeCostLine } from "../../api-schemas/cost-book-schema.ts";
import {
  costLineScopeKey,
  MOST_COST_LINES,
  type StoredCostLine,
} from "../../domain/costs/cost-book-lines.ts";
import type { CostLine } from "../../domain/costs/cost-line.ts";
import { invalid } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
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

/** Returns the lines with ids: a line for the same as one of the book before keeps its id. */
function costLinesWithIds(
  before: readonly StoredCostLine[],
  lines: readonly CostLine[],
  newLine: () => { id: string; createdAt: Instant },
): StoredCostLine[] {
  const known = new Map(before.map((line) => [costLineScopeKey(line), line]));
  return lines.map((line) => {
    const { id, createdAt } = known.get(costLineScopeKey(line)) ?? newLine();
    const { typeId, componentDefId, state, plannedCents, failedCents, size, asOf, source } = line;
    return { id, typeId, componentDefId, state, plannedCents, failedCents, size, asOf, source, createdAt };
  });
}

/** A difference between two books: `before` is null for a new line, `after` for one that is gone. */
type CostLineChange = { before: StoredCostLine | null; after: StoredCostLine | null };

/** Returns the differences between two books, in the order of the later one; lines that only moved are none. */
function costLineDifferences(
  before: readonly StoredCostLine[],
  after: readonly StoredCostLine[],
): CostLineChange[] {
  const earlier = new Map(before.map((line) => [line.id, line]));
  const changes: CostLineChange[] = [];
  for (const line of after) {
    const was = earlier.get(line.id) ?? null;
    earlier.delete(line.id);
    if (!was || !isSame(was, line)) changes.push({ before: was, after: line });
  }
  return [...changes, ...[...earlier.values()].map((line) => ({ before: line, after: null }))];
}

/** Returns whether two lines for the same state the same. */
const isSame = (one: CostLine, other: CostLine) =>
  one.plannedCents === other.plannedCents && one.failedCents === other.failedCents && one.asOf === other.asOf;
