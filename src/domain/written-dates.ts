import { parseDay } from "./time.ts";

/* The dates of imported tables. */

export const DATE_FORMATS = ["YYYY-MM-DD", "MM/DD/YYYY", "DD/MM/YYYY", "MONTH D, YYYY"] as const;
/** The format of a column's dates. Dates of a workbook are YYYY-MM-DD. */
export type DateFormat = (typeof DATE_FORMATS)[number];

/** The fields that have a date. */
export const DAY_FIELDS = [
  "date",
  "date_of_loss",
  "reported_on",
  "closed_on",
  "warranty_expiry",
  "records_since",
  "retired_at",
];

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** Reads a date; undefined if it is not in that format. Years of two digits are refused: their century is a guess. */
export function readDate(text: string, format: DateFormat): string | undefined {
  const given = text.trim().slice(0, 40);
  if (format === "YYYY-MM-DD") {
    const [, day] = /^(\d{4}-\d{2}-\d{2})(?:[T ].*)?$/.exec(given) ?? [];
    return valid(day);
  }
  if (format === "MONTH D, YYYY") {
    const [, month, day, year] =
      /^([a-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})$/i.exec(given) ??
      ((found) => found && [found[0], found[2], found[1], found[3]])(
        /^(\d{1,2})[ -]([a-z]{3})[a-z]*\.?[ -](\d{4})$/i.exec(given),
      ) ??
      [];
    const index = MONTHS.indexOf((month ?? "").toLowerCase());
    return index < 0 ? undefined : dayOf(year!, String(index + 1), day!);
  }
  const [, first, second, year] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?: .*)?$/.exec(given) ?? [];
  if (year === undefined) return undefined;
  return format === "MM/DD/YYYY" ? dayOf(year, first!, second!) : dayOf(year, second!, first!);
}

const dayOf = (year: string, month: string, day: string) =>
  valid(`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`);
const valid = (day: string | undefined) =>
  day !== undefined && parseDay(day) !== undefined ? day : undefined;

/**
 * Returns the format of a column by its cells: the first that all of them have, else the one that most have, whose other rows
 * are then rejected one by one. Undefined without any date.
 */
export function dateFormatOf(cells: readonly string[]): DateFormat | undefined {
  const counts = DATE_FORMATS.map(
    (format) => cells.filter((cell) => readDate(cell, format) !== undefined).length,
  );
  const most = Math.max(...counts);
  return most === 0 ? undefined : DATE_FORMATS[counts.indexOf(most)];
}
