import { type FacilityCondition, VALUE_BASES } from "../domain/figures/facility-condition.ts";
import { jsonUsdFromCents, roundJsonNumber } from "./definition/json-unit-conversion.ts";
import { enumSchema, numberSchema, objectSchema, usdSchema } from "./definition/schema-field-types.ts";

const facilityCondition = objectSchema({
  value: numberSchema(
    "What is due now as a share of the replacement value: high is bad; null without a value",
    0.0312,
    { minimum: 0 },
  ).orNull(),
  due_now: usdSchema("Cost of what the plan says is due now, each unit once", 14_500),
  replacement_value: usdSchema("Replacement value of the building", 465_000),
  basis: enumSchema(
    VALUE_BASES,
    "Where the replacement value comes from: the property's `replacement_value`, its `gross_area_sqft`, or the value of its " +
      "equipment divided by 0.45",
    "equipment",
  ),
});

/** The field of answers with a property's condition. */
export const facilityConditionField = {
  fci: facilityCondition.describedAs(
    "Facility condition index as facility managers use it: the need that the condition score follows from. Here high is bad",
  ),
};

export const serializeFacilityCondition = facilityCondition.serializer(
  ({ index, dueCents, valueCents, basis }: FacilityCondition) => ({
    value: index === null ? null : roundJsonNumber(index, 4),
    due_now: jsonUsdFromCents(dueCents),
    replacement_value: jsonUsdFromCents(valueCents),
    basis,
  }),
);
