/** Returns whole cents. Rounds, since an amount such as 19.99 has no exact binary fraction. */
export function centsFromUsd(usd: number): number {
  return Math.round(usd * 100);
}
