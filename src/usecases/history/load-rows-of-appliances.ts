import type { Yield } from "../../event-loop/event-loop.ts";

/** Rows per query: a note of the greatest length makes reading its event several times as long, even without the note. */
export const EVENT_ROWS = {
  /** The limit for one query over any number of appliances. */
  atOnce: 1_000,
  /** Beyond that, the page size of a single appliance. */
  page: 500,
};

/** The share of the limit that a query is expected to return: one that exceeds the limit is repeated for fewer appliances. */
const FILLED = 0.8;

/**
 * Passes the rows of appliances to `take`, by groups of appliances with at most `atOnce` rows together. Passes an appliance
 * that has more to `takeLong`, which reads it in pages.
 */
export async function loadRowsOfAppliances<Row>(
  ids: readonly string[],
  { atOnce, yieldNow }: { atOnce: number; yieldNow: Yield },
  read: (ids: readonly string[], limit: number) => Promise<Row[]>,
  take: (rows: Row[]) => Promise<void>,
  takeLong: (id: string) => Promise<void>,
): Promise<void> {
  for (let at = 0, size = ids.length; at < ids.length; ) {
    const group = ids.slice(at, at + size);
    const rows = await read(group, atOnce + 1);
    const isWhole = rows.length <= atOnce;
    if (isWhole || group.length === 1) {
      if (isWhole) await take(rows);
      else await takeLong(group[0]!);
      at += group.length;
      // As many as have few enough rows if they have as many as these, with some to spare.
      const expected = Math.floor((group.length * atOnce * FILLED) / Math.max(rows.length, 1));
      size = Math.max(1, Math.min(expected, group.length * 2));
    } else size = Math.ceil(group.length / 2);
    if (at < ids.length) await yieldNow();
  }
}
