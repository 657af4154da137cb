import type { Day } from "./time.ts";

/** A stored trend row: the score from that day on, until the next row. */
export type TrendRow = { day: Day; riskScore: number };

/**
 * A point for each of the days on which a snapshot ran since the component's first row. Both lists are in order; a
 * day before the first row was before the component.
 */
export function trendPoints(rows: readonly TrendRow[], days: readonly Day[]): TrendRow[] {
  const points: TrendRow[] = [];
  let at = -1;
  for (const day of days) {
    while (at + 1 < rows.length && rows[at + 1]!.day <= day) at++;
    if (at >= 0) points.push({ day, riskScore: rows[at]!.riskScore });
  }
  return points;
}
