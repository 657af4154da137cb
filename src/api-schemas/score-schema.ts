import type { Rating } from "../domain/figures/property-condition.ts";
import { type Confidence, type RiskTier, SCORE_CONFIDENCES } from "../domain/scoring/scoring-types.ts";
import {
  daySchema,
  enumSchema,
  numberSchema,
  recordSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";

/* The fields of a component's score, which every record of a component shares. */

export const riskScore = numberSchema(
  "Cumulative probability of failure over a 5-year horizon at the current 12-month rate, 0.00 to 0.99",
  0.81,
  { minimum: 0, maximum: 0.99 },
);
export const riskTier = enumSchema<RiskTier>(
  ["CRITICAL", "WARNING", "GOOD"],
  "CRITICAL from 0.78, WARNING from 0.52, else GOOD",
);
export const confidence = enumSchema<Confidence>(
  SCORE_CONFIDENCES,
  "Confidence in the score, based on available data",
  "MEDIUM",
);
export const ageYearsField = numberSchema(
  "Age in years, from the last replacement or July 1 of the install year",
  7.39,
  { minimum: 0 },
);
export const projectedFailureYear = wholeNumberSchema(
  "Median projected failure year (50% probability)",
  2030,
);
export const failureWindowDays = {
  earliest: daySchema("First day: failing before it has a probability of 10%", "2027-05-11"),
  latest: daySchema(
    "Last day: failing after it has a probability of 10%; null beyond 100 years",
    "2033-03-02",
  ).orNull(),
};
export const failureWindowField = recordSchema("ComponentFailureWindow80", failureWindowDays).describedAs(
  "Window that holds the failure with a probability of 80%, given that the component works now and allowing for uncertainty in its expected life. `failure_probability_12m` takes the expected life as certain: of a component that is old for its kind, it may exceed 10% before the window begins",
);

export const rating = enumSchema<Rating>(["GOOD", "FAIR", "FAIL"], "Rating of the property's condition");

/** Numbers of components. */
export const tierCounts = {
  critical: wholeNumberSchema("Number of CRITICAL components", 2),
  warning: wholeNumberSchema("Number of WARNING components", 8),
  good: wholeNumberSchema("Number of GOOD components", 80),
};

export const serializeTierCounts = (totals: { components: number; critical: number; warning: number }) => ({
  critical: totals.critical,
  warning: totals.warning,
  good: totals.components - totals.critical - totals.warning,
});
