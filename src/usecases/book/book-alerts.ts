import { CRITICAL_FROM, type PlacedComponent } from "../../domain/component.ts";
import type { RiskTier } from "../../domain/scoring/types.ts";
import type { Yield } from "../../event-loop.ts";
import { readBookConsistently } from "../../store/consistent-read.ts";
import { scoresOf } from "../../store/queries/alert-lists.ts";
import type { AlertCell, BookAlertFilter, BookMember, ScoreCount } from "../../store/queries/book.ts";
import type { Slice } from "../../store/slice.ts";
import type { Stores } from "../../store/stores.ts";
import type { BookDeps } from "./book-properties.ts";
import { partsOf } from "./concatenated-lists.ts";
import { bookMembers } from "./members.ts";

/** Alerts whose index entries one statement counts. */
const ALERTS_A_STEP = 50_000;

type BookAlerts = {
  rows: (PlacedComponent & { partner: BookMember })[];
  critical: number;
  warning: number;
};
type AlertSelection = BookAlertFilter & {
  partnerIds: ReadonlySet<string> | undefined;
  tier: RiskTier | undefined;
};

/**
 * Returns a page of the alerts of several partners, the highest score first, then by partner and creation. The counts by score
 * locate the scores of the page, and the counts by partner its rows. Throws not_found for an unknown partner.
 */
export async function bookAlerts(
  { store, yieldNow }: BookDeps,
  { partnerIds, tier, ...filter }: AlertSelection,
  slice: Slice,
): Promise<BookAlerts> {
  return await readBookConsistently(store, async (read) => {
    const members = await bookMembers(read, partnerIds);
    const steps = stepsOf(members);
    const { scores, critical, warning, offset } = isUnfiltered(filter)
      ? await countWhole(read, steps, tier, slice)
      : await countMatches(read, yieldNow, steps, filter, tier, slice);
    const found = { critical, warning };
    const parts = partsOf(scores, { limit: slice.limit, offset });
    if (parts.length === 0) return { rows: [], ...found };
    const range = { from: parts.at(-1)!.list.score, to: parts[0]!.list.score };
    const place = new Map(members.map(({ id }, at) => [id, at]));
    const cells: AlertCell[] = [];
    for (const ids of steps) cells.push(...(await read.book.alertCells(ids, filter, range)));
    cells.sort((a, b) => b.score - a.score || place.get(a.partnerId)! - place.get(b.partnerId)!);
    const rows = await rowsOf(read, cells, filter, { limit: slice.limit, offset: parts[0]!.offset });
    rows.sort(
      (a, b) =>
        b.riskScore - a.riskScore || place.get(a.partnerId)! - place.get(b.partnerId)! || a.seq - b.seq,
    );
    return { rows: rows.map((row) => ({ ...row, partner: members[place.get(row.partnerId)!]! })), ...found };
  });
}

/** The counts of a selection, with scores in descending order that reach to the end of the page. */
type Counts = { scores: ScoreCount[]; critical: number; warning: number; offset: number };
const isUnfiltered = ({ system, state }: BookAlertFilter) => system === undefined && state === undefined;
const sumOf = (counted: readonly { count: number }[]) => counted.reduce((sum, { count }) => sum + count, 0);

/**
 * Counts all alerts by the partners' totals, and those of single scores as far as the page: most pages are among the highest
 * scores. `offset` is the page's place among the scores.
 */
async function countWhole(
  { book }: Stores,
  steps: readonly string[][],
  tier: RiskTier | undefined,
  { limit, offset }: Slice,
): Promise<Counts> {
  const ids = steps.flat();
  const all = await book.sums(ids);
  const critical = tier === "WARNING" ? 0 : all.critical;
  const warning = tier === "CRITICAL" ? 0 : all.warning;
  const isAfterCritical = tier === undefined && offset >= critical;
  const place = isAfterCritical ? offset - critical : offset;
  const { from: lowest, to: highest } = scoresOf(isAfterCritical ? "WARNING" : tier);
  const scores: ScoreCount[] = [];
  for (let [to, width] = [highest, 1]; to >= lowest && sumOf(scores) < place + limit; width *= 2) {
    const from = Math.max(lowest, to - width + 1);
    const some = await book.alertScores(ids, {}, { from, to });
    scores.push(...some.sort((a, b) => b.score - a.score));
    to = from - 1;
  }
  return { scores, critical, warning, offset: place };
}

/** Counts the alerts that match a filter, in the indexes of the filters. */
async function countMatches(
  { book }: Stores,
  yieldNow: Yield,
  steps: readonly string[][],
  filter: BookAlertFilter,
  tier: RiskTier | undefined,
  { offset }: Slice,
): Promise<Counts> {
  const counts = new Map<number, number>();
  for (const ids of steps) {
    for (const { score, count } of await book.alertScores(ids, filter, scoresOf(tier)))
      counts.set(score, (counts.get(score) ?? 0) + count);
    await yieldNow();
  }
  const scores = [...counts].map(([score, count]) => ({ score, count })).sort((a, b) => b.score - a.score);
  const critical = sumOf(scores.filter(({ score }) => score >= CRITICAL_FROM));
  return { scores, critical, warning: sumOf(scores) - critical, offset };
}

/** Divides partners so that one statement counts so many alerts, or those of one partner. */
function stepsOf(members: readonly BookMember[]): string[][] {
  const steps: string[][] = [];
  let alerts = ALERTS_A_STEP;
  for (const member of members) {
    if (alerts + member.alerts > ALERTS_A_STEP) {
      steps.push([]);
      alerts = 0;
    }
    steps.at(-1)!.push(member.id);
    alerts += member.alerts;
  }
  return steps;
}

/** Reads the rows of a slice of cells, in no order: whole cells by score, parts of them in their partner's list. */
async function rowsOf(
  { book, components }: Stores,
  cells: readonly AlertCell[],
  filter: BookAlertFilter,
  slice: Slice,
): Promise<PlacedComponent[]> {
  const rows: PlacedComponent[] = [];
  const parts = partsOf(cells, slice);
  const whole = Map.groupBy(
    parts.filter(({ isWhole }) => isWhole),
    ({ list }) => list.score,
  );
  for (const [score, some] of whole) {
    const partnerIds = some.map(({ list }) => list.partnerId);
    rows.push(...(await book.alertsOf(partnerIds, filter, score)));
  }
  for (const { list, isWhole, limit, offset } of parts) {
    if (isWhole) continue;
    const { partnerId, score } = list;
    const counts = await components.alertScores({ partnerId, ...filter }, undefined);
    let above = 0;
    for (const [other, count] of counts) if (other > score) above += count;
    const part = { limit, offset: above + offset };
    rows.push(
      ...(isUnfiltered(filter)
        ? await components.elevatedPage(partnerId, part)
        : await components.alertPage({ partnerId, ...filter }, undefined, part)),
    );
  }
  return rows;
}
