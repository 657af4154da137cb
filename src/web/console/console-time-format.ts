const UNITS: readonly (readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
];

/** Formats an instant relative to now: `in 12 minutes`, `3 hours ago`. */
export function consoleRelativeTimeText(instant: string, now = Date.now()): string {
  const seconds = (Date.parse(instant) - now) / 1000;
  const [size, unit] = UNITS.find(([least]) => Math.abs(seconds) >= least * 1.5) ?? UNITS.at(-1)!;
  return new Intl.RelativeTimeFormat("en-US", { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

/** Formats a duration: `3 days`, `5 hours`. */
export function formatConsoleDuration(seconds: number): string {
  const [size, unit] = UNITS.find(([least]) => seconds >= least * 1.5) ?? UNITS.at(-1)!;
  const amount = Math.max(0, Math.round(seconds / size));
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}
