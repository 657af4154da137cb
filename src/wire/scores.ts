import type { Rating } from "../domain/figures/condition.ts";
import type { Confidence, RiskTier } from "../domain/scoring/types.ts";
import { enumOf, number, usd, whole } from "./schema/fields.ts";

/* What is told of a component's score, wherever a component is told of. */

export const riskScore = number(
  "Cumulative probability of failing within five years like the coming one, 0.00 to 0.99",
  0.81,
  { minimum: 0, maximum: 0.99 },
);
export const riskTier = enumOf<RiskTier>(
  ["CRITICAL", "WARNING", "GOOD"],
  "CRITICAL from 0.78, WARNING from 0.52, else GOOD",
);
export const confidence = enumOf<Confidence>(
  ["HIGH", "MEDIUM", "LOW"],
  "How much the score rests on observation",
  "MEDIUM",
);
export const ageYears = number(
  "Age in years, from the last replacement or 1 July of the install year",
  7.39,
  { minimum: 0 },
);
export const projectedFailureYear = whole("Year by which failure is as likely as not", 2030);
export const proactiveCost = usd("Cost of a planned replacement", 1450);
export const reactiveCost = usd("Cost after a failure, damage included", 5600);

export const rating = enumOf<Rating>(["GOOD", "FAIR", "FAIL"], "Rating of the property's condition");

/** Numbers of components. */
export const tierCounts = {
  critical: whole("Number of CRITICAL components", 2),
  warning: whole("Number of WARNING components", 8),
  good: whole("Number of GOOD components", 80),
};

export const tierCountsView = (totals: { components: number; critical: number; warning: number }) => ({
  critical: totals.critical,
  warning: totals.warning,
  good: totals.components - totals.critical - totals.warning,
});
