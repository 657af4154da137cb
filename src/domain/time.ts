/** A calendar day in UTC, `YYYY-MM-DD`. Days sort as text. */
export type Day = string;

/** An instant: milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

export const MS_PER_DAY = 86_400_000;
/** A Julian year; ages are days divided by this (docs/model/scoring.md#units). */
export const DAYS_PER_YEAR = 365.25;
/** The days of the coming 12 months, in probabilities, forecasts and losses. */
export const DAYS_IN_12_MONTHS = 365;
/** A twelfth of a year, the month of spans. */
export const DAYS_PER_MONTH = 30.4375;

const DAY_PATTERN = /^(\d{4})-(\d{2})-(\d{2})$/;
const INSTANT_PATTERN =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})$/;

/** Returns the day number: days since 1970-01-01, negative before. Expects a valid day. */
export function dayNumber(day: Day): number {
  return dayNumberOfDate(digits(day, 0, 4), digits(day, 5, 7), digits(day, 8, 10));
}

/**
 * Returns the day with that day number, by the inverse of `dayNumberOfDate`. Lists state several days for each row: a look-up
 * among all that were written took longer, since so many fit in no cache of the processor, and a Date ten times as long.
 */
export function dayFromNumber(number: number): Day {
  const marchYear = marchYearOf(number);
  const dayOfYear = number - marchFirst(marchYear);
  const year = marchYear + (dayOfYear < DAYS_FROM_MARCH ? 0 : 1);
  return (year < 1000 ? pad(year, 4) : String(year)) + WRITTEN_FROM_MARCH[dayOfYear]!;
}

/** Returns the year of a day number. */
export function yearOfDayNumber(number: number): number {
  const marchYear = marchYearOf(number);
  return marchYear + (number - marchFirst(marchYear) < DAYS_FROM_MARCH ? 0 : 1);
}

/** Returns the year of a day number if years began in March: those of the calendar do later. */
function marchYearOf(number: number): number {
  // Right, or next to it, since leap days deviate from their mean by less than two.
  const year = Math.floor((number + DAYS_BEFORE_1970) / DAYS_OF_GREGORIAN_YEAR);
  if (number < marchFirst(year)) return year - 1;
  return number < marchFirst(year + 1) ? year : year + 1;
}

const DAYS_OF_GREGORIAN_YEAR = 365.2425;

/** The day numbers of 1 March by year, 0 until needed: to compute them for each day of a list takes three times as long. */
const marchFirsts = new Int32Array(10_000);

function marchFirst(year: number): number {
  const known = marchFirsts[year];
  if (known) return known;
  const first = dayNumberOfDate(year, 3, 1);
  marchFirsts[year] = first;
  return first;
}

/** Days from March to December. */
const DAYS_FROM_MARCH = 306;
/** The months and days of a year from March on, as they are written: `-03-01` to `-02-29`. */
const WRITTEN_FROM_MARCH = Array.from({ length: 366 }, (_, day) =>
  new Date(Date.UTC(1999, 2, 1 + day)).toISOString().slice(4, 10),
);

/** Returns the text as a day; undefined for one that does not exist or is not written so (2024-02-30, 2024-2-3). */
export function parseDay(text: string): Day | undefined {
  const match = DAY_PATTERN.exec(text);
  if (!match) return undefined;
  const [year, month, date] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year === 0 || month < 1 || month > 12 || date < 1 || date > daysInMonth(year, month)) return undefined;
  return text;
}

/** Returns the text as a calendar month, `YYYY-MM`; undefined for any other text. */
export function calendarMonthFromText(text: string): string | undefined {
  return text.length === 7 && parseDay(`${text}-01`) ? text : undefined;
}

/** Returns the instant of an ISO 8601 text with an offset, or the start in UTC of a plain day; undefined for other texts. */
export function instantFromText(text: string): Instant | undefined {
  if (parseDay(text)) return dayNumber(text) * MS_PER_DAY;
  const match = INSTANT_PATTERN.exec(text);
  if (!match || !parseDay(match[1]!)) return undefined;
  if (Number(match[2]) > 23 || Number(match[3]) > 59 || Number(match[4] ?? 0) > 59) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}

/** Returns ISO 8601 in UTC with milliseconds, the format of every instant in the API. */
export function isoTextOfInstant(instant: Instant): string {
  return instant === latest.instant ? latest.text : writeInstant(instant);
}

/** Formats an instant. Kept apart, so that lists that repeat an instant have only the comparison compiled for them. */
function writeInstant(instant: Instant): string {
  const number = Math.floor(instant / MS_PER_DAY);
  if (number !== latestDay.number) latestDay = { number, prefix: `${dayFromNumber(number)}T` };
  const ms = instant - number * MS_PER_DAY;
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const [hour, minute, second] = [Math.floor(minutes / 60), minutes % 60, seconds % 60];
  const text = `${latestDay.prefix}${TWO[hour]}:${TWO[minute]}:${TWO[second]}.${pad(Math.floor(ms % 1000), 3)}Z`;
  latest = { instant, text };
  return text;
}

/**
 * The last day and the last instant formatted. The instants of a list mostly share the day, and often are one; a Date for each
 * takes a tenth of a list's time.
 */
let latestDay = { number: Number.NaN, prefix: "" };
let latest = { instant: Number.NaN, text: "" };
const TWO = Array.from({ length: 60 }, (_, value) => pad(value, 2));

/** Returns the UTC day of the instant. */
export function dayOf(instant: Instant): Day {
  return isoTextOfInstant(instant).slice(0, 10);
}

/** Returns the day `days` later. */
export function addDays(day: Day, days: number): Day {
  return dayFromNumber(dayNumber(day) + days);
}

/** Returns the day `months` later, or the last day of that month (31 January + 1 is 28 or 29 February). */
export function addMonths(day: Day, months: number): Day {
  const index = digits(day, 0, 4) * 12 + digits(day, 5, 7) - 1 + months;
  const [year, month] = [Math.floor(index / 12), (index % 12) + 1];
  const date = Math.min(digits(day, 8, 10), daysInMonth(year, month));
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(date, 2)}`;
}

/** Returns the days from `from` to `to`; negative if `to` is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return dayNumber(to) - dayNumber(from);
}

/** Returns the calendar year of a day. */
export function yearOf(day: Day): number {
  return digits(day, 0, 4);
}

/** Returns the start of the next UTC day, when daily call limits reset. */
export function nextUtcMidnight(instant: Instant): Instant {
  return (Math.floor(instant / MS_PER_DAY) + 1) * MS_PER_DAY;
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + text.charCodeAt(i) - 48;
  return value;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/**
 * Returns the day number of a proleptic Gregorian date (Howard Hinnant, "chrono-compatible low-level date algorithms").
 * Scoring calls it often: it takes 15 ns, `Date.parse` 85 and `Date.UTC` 100.
 */
export function dayNumberOfDate(year: number, month: number, date: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + date - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_OF_ERA + dayOfEra - DAYS_BEFORE_1970;
}

/** Days of 400 years, after which the calendar repeats itself. */
const DAYS_OF_ERA = 146_097;
/** Days from 1 March of the year 0 to 1970-01-01. */
const DAYS_BEFORE_1970 = 719_468;
