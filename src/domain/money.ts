/** Whole cents from a USD amount: the nearest, since 19.99 is no binary fraction. */
export function centsFromUsd(usd: number): number {
  return Math.round(usd * 100);
}
