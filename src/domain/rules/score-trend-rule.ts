import type { Day } from "../time.ts";

/** A stored trend row: the score from that day until the next row. Scores in hundredths. */
export type TrendRow = { day: Day; riskScore: number };

/**
 * Returns a point for each snapshot day since the component's first row. Both lists are in ascending order.
 */
export function scoreTrendByRule(rows: readonly TrendRow[], days: readonly Day[]): TrendRow[] {
  const points: TrendRow[] = [];
  let at = -1;
  for (const day of days) {
    while (at + 1 < rows.length && rows[at + 1]!.day <= day) at++;
    if (at >= 0) points.push({ day, riskScore: rows[at]!.riskScore });
  }
  return points;
}
