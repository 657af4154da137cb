import { type Instant, isoTextOfInstant } from "../../domain/time.ts";

/** Returns an amount in USD with at most two decimals. */
export function jsonUsdFromCents(cents: number): number {
  return cents / 100;
}

export const jsonUsdFromCentsOrNull = (cents: number | null): number | null =>
  cents === null ? null : jsonUsdFromCents(cents);

/** Returns a score from 0.00 to 0.99. */
export const jsonScoreFromHundredths = (hundredths: number): number => hundredths / 100;

export const jsonInstantOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : isoTextOfInstant(instant);

/** The powers of ten: to compute one for each number of a list takes longer than to round it. */
const POWERS = Array.from({ length: 13 }, (_, decimals) => 10 ** decimals);

/** Rounds to a number of decimals, at most 12, half towards positive infinity. */
export function roundJsonNumber(value: number, decimals: number): number {
  const factor = POWERS[decimals]!;
  return Math.round(value * factor) / factor;
}
