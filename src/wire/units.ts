import { type Instant, toIso } from "../domain/time.ts";

/** USD with at most two decimals, of whole cents. */
export function usdFromCents(cents: number): number {
  return cents / 100;
}

export const usdOrNull = (cents: number | null): number | null =>
  cents === null ? null : usdFromCents(cents);

/** A score from 0.00 to 0.99, of the hundredths that are stored. */
export const scoreOf = (hundredths: number): number => hundredths / 100;

export const isoOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : toIso(instant);

export function round(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}
