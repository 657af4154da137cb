import { tierOfHundredths } from "../component.ts";
import type { RiskTier } from "./types.ts";

/** A probability as it is shown: two decimals, half up, at most `highest`. */
export function roundScore(probability: number, highest: number): number {
  return Math.min(Math.round(probability * 100) / 100, highest);
}

/** The tier of a rounded score. */
export function tierOf(riskScore: number): RiskTier {
  return tierOfHundredths(Math.round(riskScore * 100));
}
