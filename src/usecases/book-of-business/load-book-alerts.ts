import { CRITICAL_FROM, type PlacedComponent } from "../../domain/component.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import { storedScoreRangeOfTier } from "../../store/queries/alert-lists-queries.ts";
import type {
  AlertCell,
  AlertOrder,
  BookAlertFilter,
  BookMember,
  ValueCount,
  ValueRange,
} from "../../store/queries/book-of-business-queries.ts";
import { readStoreOfAllPartnersConsistently } from "../../store/store-consistent-reads.ts";
import type { StoredRowRange } from "../../store/stored-row-range.ts";
import type { Stores } from "../../store/stores.ts";
import { loadBookListPartsOfPage } from "./load-book-list-pages.ts";
import { loadBookOfBusinessPartners } from "./load-book-of-business-partners.ts";
import type { BookDeps } from "./load-book-properties.ts";

/** Alerts whose index entries one statement counts. */
const ALERTS_A_STEP = 50_000;

type BookAlerts = {
  rows: (PlacedComponent & { partner: BookMember })[];
  critical: number;
  warning: number;
};
type Listed = BookAlertFilter & { order: AlertOrder };
type Selection = Listed & { partnerIds: ReadonlySet<string> | undefined };

/**
 * Returns a page of the alerts of several partners, the highest score or expected cost first, then by partner and creation. The
 * counts by value locate the values of the page, and the counts by partner its rows: there are few values, since costs have two
 * significant digits. Throws not_found for an unknown partner.
 */
export async function loadBookAlerts(
  { store, yieldNow }: BookDeps,
  { partnerIds, ...listed }: Selection,
  slice: StoredRowRange,
): Promise<BookAlerts> {
  const listedValue = (row: PlacedComponent) =>
    listed.order === "cost" ? row.expectedCostCents : row.riskScore;
  return await readStoreOfAllPartnersConsistently(store, async (read) => {
    const members = await loadBookOfBusinessPartners(read, partnerIds);
    const reading = { read, yieldNow, steps: stepsOf(members) };
    const { values, critical, warning, offset } = await countsOf(reading, listed, slice);
    const found = { critical, warning };
    const parts = loadBookListPartsOfPage(values, { limit: slice.limit, offset });
    if (parts.length === 0) return { rows: [], ...found };
    const range = { from: parts.at(-1)!.list.value, to: parts[0]!.list.value };
    const place = new Map(members.map(({ id }, at) => [id, at]));
    const cells: AlertCell[] = [];
    for (const ids of reading.steps)
      cells.push(...(await read.book.alertCells({ ...listed, partnerIds: ids }, range)));
    cells.sort((a, b) => b.value - a.value || place.get(a.partnerId)! - place.get(b.partnerId)!);
    const rows = await rowsOf(read, cells, listed, { limit: slice.limit, offset: parts[0]!.offset });
    rows.sort(
      (a, b) =>
        listedValue(b) - listedValue(a) || place.get(a.partnerId)! - place.get(b.partnerId)! || a.seq - b.seq,
    );
    return { rows: rows.map((row) => ({ ...row, partner: members[place.get(row.partnerId)!]! })), ...found };
  });
}

/** The counts of a selection, with values in descending order that reach to the end of the page. */
type Counts = { values: ValueCount[]; critical: number; warning: number; offset: number };
type Reading = { read: Stores; yieldNow: Yield; steps: readonly string[][] };
const isUnfiltered = ({ system, state }: BookAlertFilter) => system === undefined && state === undefined;
const sumOf = (counted: readonly { count: number }[]) => counted.reduce((sum, { count }) => sum + count, 0);

/** Counts a selection as far as the page. `offset` of the answer is the page's place among the values. */
async function countsOf(reading: Reading, listed: Listed, slice: StoredRowRange): Promise<Counts> {
  const { tier, order } = listed;
  if (!isUnfiltered(listed)) {
    const byScore = { ...listed, order: "score" } as const;
    const scores = await countValues(
      reading,
      byScore,
      [storedScoreRangeOfTier(tier)],
      Number.POSITIVE_INFINITY,
    );
    const critical = sumOf(scores.filter(({ value }) => value >= CRITICAL_FROM));
    const found = { critical, warning: sumOf(scores) - critical, offset: slice.offset };
    return { values: order === "score" ? scores : await countCosts(reading, listed, slice), ...found };
  }
  const all = await reading.read.book.sums(reading.steps.flat());
  const critical = tier === "WARNING" ? 0 : all.critical;
  const warning = tier === "CRITICAL" ? 0 : all.warning;
  if (order === "cost")
    return { values: await countCosts(reading, listed, slice), critical, warning, offset: slice.offset };
  const isAfterCritical = tier === undefined && slice.offset >= critical;
  const offset = isAfterCritical ? slice.offset - critical : slice.offset;
  const ranges = scoreRanges(storedScoreRangeOfTier(isAfterCritical ? "WARNING" : tier));
  // The counters of scores are few for any number of alerts.
  const whole = { ...reading, steps: [reading.steps.flat()] };
  return {
    values: await countValues(whole, listed, ranges, offset + slice.limit),
    critical,
    warning,
    offset,
  };
}

const countCosts = (reading: Reading, listed: Listed, { limit, offset }: StoredRowRange) =>
  countValues(reading, listed, costRanges(), offset + limit);

/** Counts alerts by value in descending ranges, until `enough` are found. Returns the values in descending order. */
async function countValues(
  { read: { book }, yieldNow, steps }: Reading,
  listed: Listed,
  ranges: Iterable<ValueRange>,
  enough: number,
): Promise<ValueCount[]> {
  const counts = new Map<number, number>();
  let found = 0;
  for (const range of ranges) {
    for (const partnerIds of steps) {
      for (const { value, count } of await book.alertCounts({ ...listed, partnerIds }, range)) {
        counts.set(value, (counts.get(value) ?? 0) + count);
        found += count;
      }
      await yieldNow();
    }
    if (found >= enough) break;
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.value - a.value);
}

const HIGHEST: Record<AlertOrder, number> = {
  score: storedScoreRangeOfTier(undefined).to,
  cost: Number.MAX_SAFE_INTEGER,
};

/** Divides scores into ranges, each twice as wide as the one above: most pages are among the highest scores. */
function* scoreRanges({ from: lowest, to: highest }: ValueRange): Generator<ValueRange> {
  for (let [to, width] = [highest, 1]; to >= lowest; width *= 2) {
    const from = Math.max(lowest, to - width + 1);
    yield { from, to };
    to = from - 1;
  }
}

/** The expected costs in cents, from the first of which on alerts are few; those below the second are counted at once. */
const [HIGH_COST, LEAST_COST] = [2 ** 20, 2 ** 10];

/** Divides expected costs into ranges, each beginning at a quarter of the one above. */
function* costRanges(): Generator<ValueRange> {
  let to = HIGHEST.cost;
  for (let from = HIGH_COST; from > LEAST_COST; from /= 4) {
    yield { from, to };
    to = from - 1;
  }
  yield { from: 0, to };
}

/** Divides partners so that one statement counts so many alerts, or those of one partner. */
function stepsOf(members: readonly BookMember[]): string[][] {
  const steps: string[][] = [];
  let alerts = Number.POSITIVE_INFINITY;
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

/** Reads the rows of a slice of cells, in no order: whole cells by value, parts of them in their partner's list. */
async function rowsOf(
  { book, components }: Stores,
  cells: readonly AlertCell[],
  listed: Listed,
  slice: StoredRowRange,
): Promise<PlacedComponent[]> {
  const { order, tier, ...places } = listed;
  const rows: PlacedComponent[] = [];
  const parts = loadBookListPartsOfPage(cells, slice);
  const [highest, lowest] = [parts[0]?.list.value, parts.at(-1)?.list.value];
  // Only of the highest and the lowest value may some partners have no part of the page.
  const whole = Map.groupBy(
    parts.filter(({ isWhole }) => isWhole).map(({ list }) => list),
    ({ value }) => (value === highest || value === lowest ? value : undefined),
  );
  for (const some of whole.values()) {
    const partnerIds = [...new Set(some.map((cell) => cell.partnerId))];
    const range = { from: some.at(-1)!.value, to: some[0]!.value };
    rows.push(...(await book.alertsOf({ ...listed, partnerIds }, range)));
  }
  for (const { list, isWhole, limit, offset } of parts) {
    if (isWhole) continue;
    const { partnerId, value } = list;
    const above = { from: value + 1, to: HIGHEST[order] };
    const skipped = sumOf(await book.alertCounts({ ...listed, partnerIds: [partnerId] }, above));
    const part = { limit, offset: skipped + offset };
    rows.push(
      ...(order === "cost"
        ? await components.costliestPage({ partnerId, ...places }, tier, part)
        : isUnfiltered(places)
          ? await components.elevatedPage(partnerId, part)
          : await components.alertPage({ partnerId, ...places }, undefined, part)),
    );
  }
  return rows;
}
