/* Numbers, days and dollars in US English. */

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 0,
});
const cents = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const short = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  notation: "compact",
  maximumFractionDigits: 1,
});
const day = new Intl.DateTimeFormat("en-US", {
  year: "numeric",
  month: "short",
  day: "numeric",
  timeZone: "UTC",
});

/** `1,284` */
export const count = (value: number) => whole.format(value);

/** `1 component`, `1,284 components` */
export const counted = (value: number, one: string, many = `${one}s`) =>
  `${count(value)} ${value === 1 ? one : many}`;

/** `1,284 MB` */
export const fileSize = (bytes: number) => `${count(Math.ceil(bytes / 1e6))} MB`;

/** `$95,000`; amounts under $100 keep their cents. */
export const money = (usd: number) =>
  (Math.abs(usd) < 100 && !Number.isInteger(usd) ? cents : dollars).format(usd);

/** `$20K`, `$1.4M`: for the labels of an axis. */
export const compactMoney = (usd: number) => short.format(usd);

/** `Nov 21, 2026` for a day (`2026-11-21`) or an instant, in UTC whatever the reader's time zone. */
export const date = (text: string) => day.format(new Date(text));

/** `21%`, `under 1%`, `over 99%`: an estimate never reads as impossible or certain. */
export function probabilityText(probability: number): string {
  const percent = Math.round(probability * 100);
  if (percent < 1) return "under 1%";
  return percent > 99 ? "over 99%" : `${percent}%`;
}

/** The text with its first letter in upper case, for the start of a sentence. */
export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const month = new Intl.DateTimeFormat("en-US", { year: "numeric", month: "short", timeZone: "UTC" });

/** `May 2027`, for a day */
export const monthOf = (text: string) => month.format(new Date(text));

/** `May 2027–Mar 2033`, `May 2027`, `after May 2090` */
export function failureWindow({ earliest, latest }: { earliest: string; latest: string | null }): string {
  const from = monthOf(earliest);
  if (latest === null) return `after ${from}`;
  const to = monthOf(latest);
  return from === to ? from : `${from}–${to}`;
}

const longMonth = new Intl.DateTimeFormat("en-US", { year: "numeric", month: "long", timeZone: "UTC" });

/** `likely between May 2027 and March 2033`, `likely in May 2027`, `likely after May 2090`, in a sentence. */
export function likelyFailure({ earliest, latest }: { earliest: string; latest: string | null }): string {
  const from = longMonth.format(new Date(earliest));
  if (latest === null) return `likely after ${from}`;
  const to = longMonth.format(new Date(latest));
  return from === to ? `likely in ${from}` : `likely between ${from} and ${to}`;
}

/** `in 12 days`, `today`, `yesterday`, `3 years ago` */
export function relativeDays(days: number): string {
  const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "auto" });
  const size = Math.abs(days);
  if (size < 60) return relative.format(days, "day");
  return size < 730
    ? relative.format(Math.trunc(days / 30.4375), "month")
    : relative.format(Math.trunc(days / 365.25), "year");
}

const instant = new Intl.DateTimeFormat("en-US", {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
  timeZone: "UTC",
  timeZoneName: "short",
});

/** `Nov 21, 2026, 3:00:05 AM UTC`: UTC, as the days of the API are. */
export const dateTime = (text: string) => instant.format(new Date(text));
