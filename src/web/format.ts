/* Numbers, days and dollars as Americans write them. */

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 0,
});
const cents = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const short = new Intl.NumberFormat("en-US", {
  ...{ style: "currency", currency: "USD", notation: "compact", maximumFractionDigits: 1 },
});
const day = new Intl.DateTimeFormat("en-US", {
  year: "numeric",
  month: "short",
  day: "numeric",
  timeZone: "UTC",
});

/** `1,284` */
export const count = (value: number) => whole.format(value);

/** `1 part`, `1,284 parts` */
export const counted = (value: number, one: string, many = `${one}s`) =>
  `${count(value)} ${value === 1 ? one : many}`;

/** `$95,000`; below a hundred dollars with cents, where there are any. */
export const money = (usd: number) =>
  (Math.abs(usd) < 100 && !Number.isInteger(usd) ? cents : dollars).format(usd);

/** `$20K`, `$1.4M`: where a scale is read, and no figure. */
export const shortMoney = (usd: number) => short.format(usd);

/** `Nov 21, 2026` of a day (`2026-11-21`) or an instant, whatever the reader's zone. */
export const date = (text: string) => day.format(new Date(text));

/** A chance as people weigh it: `21 in 100`, `less than 1 in 100`, `more than 99 in 100`. */
export function odds(probability: number): string {
  const hundredths = Math.round(probability * 100);
  if (hundredths < 1) return "less than 1 in 100";
  return hundredths > 99 ? "more than 99 in 100" : `${hundredths} in 100`;
}

/** `2028`, `2028–2030` */
export const years = ({ earliest, latest }: { earliest: number; latest: number }) =>
  earliest === latest ? String(earliest) : `${earliest}–${latest}`;

/** `in 12 days`, `today`, `yesterday`, `3 years ago` */
export function daysFromNow(days: number): string {
  const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "auto" });
  const size = Math.abs(days);
  if (size < 60) return relative.format(days, "day");
  return size < 730
    ? relative.format(Math.trunc(days / 30.4375), "month")
    : relative.format(Math.trunc(days / 365.25), "year");
}

const instant = new Intl.DateTimeFormat("en-US", {
  ...{
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    second: "2-digit",
  },
  ...{ timeZone: "UTC", timeZoneName: "short" },
});

/** `Nov 21, 2026, 3:00:05 AM UTC` of an instant, in the zone of the API's own days. */
export const moment = (text: string) => instant.format(new Date(text));
