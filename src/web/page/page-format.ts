import { currencyFormat, exactMoney, wholeMoney } from "../../domain/wording/currency-and-unit-wording.ts";
import { usDateWording, usNumberWording } from "../../domain/wording/us-english-wording.ts";

/* Numbers, days and amounts in US English. */

/** `1,284` */
export const formatPageWholeNumber = usNumberWording({ maximumFractionDigits: 0 });

/** `1 component`, `1,284 components` */
export const formatPageCount = (value: number, one: string, many = `${one}s`) =>
  `${formatPageWholeNumber(value)} ${value === 1 ? one : many}`;

/** `1,284 MB` */
export const formatPageFileSize = (bytes: number) => `${formatPageWholeNumber(Math.ceil(bytes / 1e6))} MB`;

/** `$95,000`; amounts under $100 keep their cents. */
export const formatPageMoney = (amount: number) =>
  Math.abs(amount) < 100 && !Number.isInteger(amount) ? exactMoney(amount) : wholeMoney(amount);

/** `$20K`, `$1.4M`: for the labels of an axis. */
export const formatPageCompactMoney = currencyFormat({ notation: "compact", maximumFractionDigits: 1 });

/** `Nov 21, 2026`, for a day or an instant. */
export const formatPageDate = usDateWording({ year: "numeric", month: "short", day: "numeric" });

/** The text with its first letter in upper case, for the start of a sentence. */
export const capitalizePageText = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `May 2027`, for a day */
export const formatPageMonth = usDateWording({ year: "numeric", month: "short" });

/** `Nov 2027` for a day in November 2026. */
export const formatPageMonthAYearAfter = (day: string) =>
  formatPageMonth(`${Number(day.slice(0, 4)) + 1}-${day.slice(5, 7)}-01`);

/** `May 2027–Mar 2033`, `May 2027`, `after May 2090` */
export function pageFailureWindowText({
  earliest,
  latest,
}: {
  earliest: string;
  latest: string | null;
}): string {
  const from = formatPageMonth(earliest);
  if (latest === null) return `after ${from}`;
  const to = formatPageMonth(latest);
  return from === to ? from : `${from}–${to}`;
}

const longMonthOf = usDateWording({ year: "numeric", month: "long" });

/** `likely between May 2027 and March 2033`, `likely in May 2027`, `likely after May 2090`, in a sentence. */
export function pageLikelyFailureText({
  earliest,
  latest,
}: {
  earliest: string;
  latest: string | null;
}): string {
  const from = longMonthOf(earliest);
  if (latest === null) return `likely after ${from}`;
  const to = longMonthOf(latest);
  return from === to ? `likely in ${from}` : `likely between ${from} and ${to}`;
}

/** `in 12 days`, `today`, `yesterday`, `3 years ago` */
export function pageRelativeDaysText(days: number): string {
  const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "auto" });
  const size = Math.abs(days);
  if (size < 60) return relative.format(days, "day");
  return size < 730
    ? relative.format(Math.trunc(days / 30.4375), "month")
    : relative.format(Math.trunc(days / 365.25), "year");
}

/** `Nov 21, 2026, 3:00:05 AM UTC`: UTC, as the days of the API are. */
export const formatPageDateTime = usDateWording({
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});
