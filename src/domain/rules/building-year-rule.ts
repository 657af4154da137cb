import { invalid } from "../errors.ts";

const FIRST_YEAR = 1800;

/** Throws invalid_request for a year before 1800 or after next year. */
export function checkBuildingYearRule(field: string, year: number, thisYear: number): void {
  if (year >= FIRST_YEAR && year <= thisYear + 1) return;
  const message = `must be a whole number from ${FIRST_YEAR} to ${thisYear + 1}`;
  throw invalid(`${field} ${message}`, [{ field, message }]);
}
