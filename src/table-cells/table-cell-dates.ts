import { dayFromNumber, parseDay } from "../domain/time.ts";

/* The dates of imported tables. */

/** The format of days that a workbook or spreadsheet keeps as a number. */
const DAY_NUMBER = "DAY NUMBER";
/** The format of a column whose dates contradict each other. Those that could be either of two days are refused. */
const SEVERAL = "SEVERAL FORMATS";
export const DATE_FORMATS = [
  ...(["YYYY-MM-DD", "MM/DD/YYYY", "DD/MM/YYYY", "MONTH D, YYYY"] as const),
  ...([SEVERAL, DAY_NUMBER] as const),
] as const;
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
/** The day with the number 0, and the numbers that days of buildings have: those of 1927 to 2064. */
const DAY_ZERO = -25_569;
const DAY_NUMBERS = { first: 10_000, last: 60_000 };
/** A column with fewer dates in the other order has errors in it, not two orders. */
const SHARE_OF_ERRORS = 0.02;

/** Reads a date; undefined if it is not in that format. Years of two digits are refused: their century is a guess. */
export function parseCellDate(text: string, format: DateFormat): string | undefined {
  const given = text.trim().slice(0, 40);
  if (format === DAY_NUMBER) return dayNumbered(given);
  const clear = yearFirst(given) ?? withMonthName(given);
  if (clear !== undefined || format === "YYYY-MM-DD" || format === "MONTH D, YYYY") return clear;
  const { monthFirst, dayFirst } = withSlashes(given);
  if (format === "MM/DD/YYYY") return monthFirst;
  if (format === "DD/MM/YYYY") return dayFirst;
  return monthFirst === undefined || dayFirst === undefined || monthFirst === dayFirst
    ? (monthFirst ?? dayFirst)
    : undefined;
}

function yearFirst(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ].*)?$/.exec(text) ?? [];
  return year === undefined ? undefined : dayOf(year, month!, day!);
}

function withMonthName(text: string): string | undefined {
  const [, month, day, year] =
    /^([a-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})$/i.exec(text) ??
    ((found) => found && [found[0], found[2], found[1], found[3]])(
      /^(\d{1,2})[ -]([a-z]{3})[a-z]*\.?[ -](\d{4})$/i.exec(text),
    ) ??
    [];
  const index = MONTHS.indexOf((month ?? "").toLowerCase());
  return index < 0 ? undefined : dayOf(year!, String(index + 1), day!);
}

function withSlashes(text: string): { monthFirst?: string | undefined; dayFirst?: string | undefined } {
  const [, first, second, year] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?: .*)?$/.exec(text) ?? [];
  if (year === undefined) return {};
  return { monthFirst: dayOf(year, first!, second!), dayFirst: dayOf(year, second!, first!) };
}

function dayNumbered(text: string): string | undefined {
  if (!/^\d{5}(\.\d+)?$/.test(text)) return undefined;
  const number = Math.floor(Number(text));
  if (number < DAY_NUMBERS.first || number > DAY_NUMBERS.last) return undefined;
  return dayFromNumber(number + DAY_ZERO);
}

const dayOf = (year: string, month: string, day: string) =>
  valid(`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`);
const valid = (day: string | undefined) =>
  day !== undefined && parseDay(day) !== undefined ? day : undefined;

type Counts = {
  yearFirst: number;
  named: number;
  monthFirst: number;
  dayFirst: number;
  either: number;
  same: number;
};

function countFormats(cells: readonly string[]): Counts {
  const counts = { yearFirst: 0, named: 0, monthFirst: 0, dayFirst: 0, either: 0, same: 0 };
  for (const cell of cells) {
    const text = cell.trim().slice(0, 40);
    const { monthFirst, dayFirst } = withSlashes(text);
    if (monthFirst !== undefined && dayFirst !== undefined) {
      if (monthFirst === dayFirst) counts.same++;
      else counts.either++;
    } else if (monthFirst !== undefined) counts.monthFirst++;
    else if (dayFirst !== undefined) counts.dayFirst++;
    else if (yearFirst(text) !== undefined) counts.yearFirst++;
    else if (withMonthName(text) !== undefined) counts.named++;
  }
  return counts;
}

/**
 * Returns the format of a column by its cells: the order of day and month that some of them prove, and several formats where
 * they contradict each other. Undefined without any date.
 */
export function cellDateFormatOf(cells: readonly string[]): DateFormat | undefined {
  const { yearFirst, named, monthFirst, dayFirst, either, same } = countFormats(cells);
  const [fewer, more] = [Math.min(monthFirst, dayFirst), Math.max(monthFirst, dayFirst)];
  if (fewer > more * SHARE_OF_ERRORS) return SEVERAL;
  if (more > 0) return monthFirst > dayFirst ? "MM/DD/YYYY" : "DD/MM/YYYY";
  if (either + same > 0) return yearFirst + named > 0 ? SEVERAL : "MM/DD/YYYY";
  if (yearFirst > 0 && named > 0) return SEVERAL;
  if (yearFirst > 0) return "YYYY-MM-DD";
  if (named > 0) return "MONTH D, YYYY";
  const given = cells.filter((cell) => cell.trim() !== "");
  return given.length > 0 && given.every((cell) => dayNumbered(cell.trim()) !== undefined)
    ? DAY_NUMBER
    : undefined;
}

/** Returns the first date of a column whose cells can all be read with the day first as well as with the month first. */
export function firstAmbiguousTableCellDate(cells: readonly string[]): string | undefined {
  const { monthFirst, dayFirst, either, yearFirst, named } = countFormats(cells);
  if (either === 0 || monthFirst + dayFirst + yearFirst + named > 0) return undefined;
  return cells.find((cell) => {
    const read = withSlashes(cell.trim());
    return read.monthFirst !== undefined && read.monthFirst !== read.dayFirst;
  });
}
