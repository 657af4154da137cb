import { invalid } from "../errors.ts";
import { addDays, type Day } from "../time.ts";

const EARLIEST: Day = "1900-01-01";

/**
 * Throws invalid_request for a day on which no recorded event can have happened: before 1900, or after tomorrow in UTC, which
 * has already begun in some time zone.
 */
export function checkPastDayRule(field: string, day: Day, today: Day): void {
  const latest = addDays(today, 1);
  if (day >= EARLIEST && day <= latest) return;
  const message = `must be from ${EARLIEST} to ${latest}`;
  throw invalid(`${field} ${message}`, [{ field, message }]);
}
