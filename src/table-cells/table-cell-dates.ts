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

/** Counts the formats of the dates of a column, cell by cell. */
export class CellDateFormats {
  #yearFirst = 0;
  #named = 0;
  #monthFirst = 0;
  #dayFirst = 0;
  #either = 0;
  #same = 0;
  #numbered = 0;
  #others = 0;
  #firstOfEither: string | undefined;

  add(cell: string): void {
    const text = cell.trim().slice(0, 40);
    if (text === "") return;
    const { monthFirst, dayFirst } = withSlashes(text);
    if (monthFirst !== undefined && dayFirst !== undefined) {
      if (monthFirst === dayFirst) this.#same++;
      else {
        this.#either++;
        this.#firstOfEither ??= cell;
      }
    } else if (monthFirst !== undefined) this.#monthFirst++;
    else if (dayFirst !== undefined) this.#dayFirst++;
    else if (yearFirst(text) !== undefined) this.#yearFirst++;
    else if (withMonthName(text) !== undefined) this.#named++;
    else if (dayNumbered(text) !== undefined) this.#numbered++;
    else this.#others++;
  }

  /**
   * Returns the format: the order of day and month that some cells prove, and several formats where they contradict each
   * other. Undefined without any date.
   */
  format(): DateFormat | undefined {
    const [monthFirst, dayFirst] = [this.#monthFirst, this.#dayFirst];
    const [yearFirst, named] = [this.#yearFirst, this.#named];
    const [fewer, more] = [Math.min(monthFirst, dayFirst), Math.max(monthFirst, dayFirst)];
    const unordered = this.#either + this.#same;
    if (this.#numbered > more + fewer + unordered + yearFirst + named + this.#others) return DAY_NUMBER;
    if (fewer > more * SHARE_OF_ERRORS) return SEVERAL;
    if (more > 0) return monthFirst > dayFirst ? "MM/DD/YYYY" : "DD/MM/YYYY";
    if (unordered > 0) return yearFirst + named > 0 ? SEVERAL : "MM/DD/YYYY";
    if (yearFirst > 0 && named > 0) return SEVERAL;
    if (yearFirst > 0) return "YYYY-MM-DD";
    return named > 0 ? "MONTH D, YYYY" : undefined;
  }

  /** Returns the first date if all of them can be read with the day first as well as with the month first. */
  firstAmbiguous(): string | undefined {
    const proven = this.#monthFirst + this.#dayFirst + this.#yearFirst + this.#named;
    return proven > 0 ? undefined : this.#firstOfEither;
  }
}

const formatsOf = (cells: readonly string[]): CellDateFormats => {
  const formats = new CellDateFormats();
  for (const cell of cells) formats.add(cell);
  return formats;
};

/** Returns the format of a column by its cells; undefined without any date. */
export const tableCellDateFormatOf = (cells: readonly string[]): DateFormat | undefined =>
  formatsOf(cells).format();

/** Returns the first date of a column whose cells can all be read with the day first as well as with the month first. */
export const firstAmbiguousTableCellDate = (cells: readonly string[]): string | undefined =>
  formatsOf(cells).firstAmbiguous();
