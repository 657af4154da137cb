import type { Yield } from "../../event-loop/event-loop.ts";

/** Rows per query: a note of the greatest length makes reading its event several times as long, even without the note. */
export const EVENT_ROWS = {
  /** The limit for one query over any number of appliances. */
  atOnce: 1_000,
  /** Beyond that, the page size of a single appliance. */
  page: 500,
};

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
  const groups = [ids];
  for (let group = groups.pop(); group; group = groups.pop()) {
    const rows = await read(group, atOnce + 1);
    if (rows.length <= atOnce) await take(rows);
    else if (group.length === 1) await takeLong(group[0]!);
    else {
      const half = Math.ceil(group.length / 2);
      groups.push(group.slice(half), group.slice(0, half));
    }
    if (groups.length > 0) await yieldNow();
  }
}
