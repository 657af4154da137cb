/* Number formats with more digits than those of `page-format.ts`, so that readers can verify a calculation. */

/** Formats with four significant digits. */
export const explanationPageNumber = (value: number) =>
  Number(value.toPrecision(4)).toLocaleString("en-US", { maximumSignificantDigits: 4 });

/** Formats a share as a percentage with three significant digits; never rounds up to 100%. */
export function explanationPagePercent(share: number): string {
  const shown = Number((share * 100).toPrecision(3));
  return shown === 100 && share < 1 ? "over 99.9%" : `${shown}%`;
}

export const explanationPageYears = (value: number) =>
  `${explanationPageNumber(value)} ${explanationPageNumber(value) === "1" ? "year" : "years"}`;
