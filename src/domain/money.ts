/** Whole cents from a USD amount: the nearest, since 19.99 is no binary fraction. */
export function centsFromUsd(usd: number): number {
  return Math.round(usd * 100);
}

/** USD with at most two decimals, as money is written on the wire. */
export function usdFromCents(cents: number): number {
  return cents / 100;
}

export const usdOrNull = (cents: number | null): number | null =>
  cents === null ? null : usdFromCents(cents);
