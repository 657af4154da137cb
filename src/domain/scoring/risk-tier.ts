import { tierOfHundredths } from "../component.ts";
import type { RiskTier } from "./scoring-types.ts";

/** Rounds a probability to two decimals, half up, and limits it to `highest`. */
export function roundScore(probability: number, highest: number): number {
  return Math.min(Math.round(probability * 100) / 100, highest);
}

/** Returns the tier of a rounded score. */
export function tierOf(riskScore: number): RiskTier {
  return tierOfHundredths(Math.round(riskScore * 100));
}
