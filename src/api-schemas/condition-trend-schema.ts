import { type ConditionPoint, conditionIndexOfSums } from "../domain/figures/condition-trend.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonUsdFromCents } from "./definition/json-unit-conversion.ts";
import { daySchema, recordSchema, usdSchema, wholeNumberSchema } from "./definition/schema-field-types.ts";
import { conditionIndexField, grade } from "./figures-schema.ts";
import { pageSchema } from "./paging-schema.ts";
import { property } from "./property-schema.ts";

/* The condition and the expected cost of a property or a portfolio, once a week. */

export const conditionPoint = recordSchema("ConditionPoint", {
  date: daySchema("Day of the snapshot"),
  condition_score: conditionIndexField,
  grade,
  due_now: usdSchema("Cost of what the plan says was due, each unit once", 14_500),
  replacement_value: usdSchema("Replacement value of the buildings, each of 10 billion at most", 465_000),
  expected_cost_12m: usdSchema(
    "Expected cost of failures within 12 months, of CRITICAL and WARNING components; each counts to two significant digits",
    8_412.5,
  ),
  properties: wholeNumberSchema("Number of properties with components", 1),
});
export type ConditionPointJson = JsonOf<typeof conditionPoint>;

export const serializeConditionPoint = conditionPoint.serializer((point: ConditionPoint) => {
  const { score, grade } = conditionIndexOfSums(point);
  return {
    date: point.day,
    condition_score: score,
    grade,
    due_now: jsonUsdFromCents(point.dueCents),
    replacement_value: jsonUsdFromCents(point.valueCents),
    expected_cost_12m: jsonUsdFromCents(point.expectedCents),
    properties: point.properties,
  };
});

const POINTS = "The points on this page, one per week, oldest first";
export const propertyConditionTrend = pageSchema(
  "trend",
  conditionPoint,
  { property_id: property.fields.id },
  POINTS,
);
export const portfolioConditionTrend = pageSchema("trend", conditionPoint, {}, POINTS);
