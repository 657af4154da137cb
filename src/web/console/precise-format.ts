/* Numbers of an explanation, which a reader works out again: exact where `format.ts` rounds. */

/** Four digits that matter. */
export const formatNumber = (value: number) =>
  Number(value.toPrecision(4)).toLocaleString("en-US", { maximumSignificantDigits: 4 });

/** Three digits of a share, and never rounded up to certain. */
export function formatPercent(share: number): string {
  const shown = Number((share * 100).toPrecision(3));
  return shown === 100 && share < 1 ? "over 99.9%" : `${shown}%`;
}

export const formatYears = (value: number) =>
  `${formatNumber(value)} ${formatNumber(value) === "1" ? "year" : "years"}`;
