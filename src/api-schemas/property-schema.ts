import { countryOf, subdivisionOf } from "../domain/places/place.ts";
import {
  type Property,
  type PropertySource,
  UNIT_LABELS,
  type Unit,
  type UnitLabel,
} from "../domain/property.ts";
import { isoTextOfInstant } from "../domain/time.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonUsdFromCentsOrNull } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  EXAMPLE_IDS,
  enumSchema,
  flagSchema,
  idSchema,
  instantSchema,
  numberSchema,
  recordSchema,
  textListSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { pageSchema, schemaWithPartner } from "./paging-schema.ts";

const commonFields = {
  id: idSchema("P", "The property's ID"),
  name: textSchema("Display name", "Harbor View Apartments"),
  address: textSchema("Street address", "120 Harbor St"),
  city: textSchema("City", "New York").orNull(),
  country: textSchema("Country, ISO 3166-1 alpha-2; US if omitted", "US"),
  state: textSchema(
    "Abbreviation of the US state or territory; elsewhere the state, province or region, at most 10 characters",
    "NY",
  ),
  zip: textSchema("ZIP code with 5 or 5+4 digits; elsewhere the postal code", "10013").orNull(),
  unit_count: wholeNumberSchema("Number of rentable units, the basis of billing", 24),
  created_at: instantSchema("When the record was created"),
  retired_at: daySchema(
    "Day from which it is retired: in no list, alert, figure, plan, snapshot, webhook or billable unit; null if it is not. A day in the future takes effect then",
    "2026-12-31",
  ).orNull(),
};

/** A property in a list. */
export const propertyRow = recordSchema("PropertyRow", commonFields);

type Listed = Pick<
  Property,
  "id" | "name" | "address" | "city" | "state" | "zip" | "unitCount" | "createdAt" | "retiredAt"
>;
export const serializePropertyRow = propertyRow.serializer((property: Listed) => ({
  id: property.id,
  name: property.name,
  address: property.address,
  city: property.city,
  country: countryOf(property.state),
  state: subdivisionOf(property.state),
  zip: property.zip,
  unit_count: property.unitCount,
  created_at: isoTextOfInstant(property.createdAt),
  retired_at: property.retiredAt,
}));
export const propertyPage = pageSchema("properties", propertyRow);
export type PropertyRowJson = JsonOf<typeof propertyRow>;
export type PropertyPageJson = JsonOf<typeof propertyPage>;

/** A property's full record. */
export const property = recordSchema("Property", {
  ...commonFields,
  year_built: wholeNumberSchema("Year of construction", 1987).orNull(),
  estimated_value: usdSchema("Estimated market value", 8_500_000).orNull(),
  gross_area_sqft: numberSchema(
    "Gross floor area of all stories, in square feet; sizes and prices parts of the building",
    21_600,
    {
      minimum: 0,
    },
  ).orNull(),
  stories: wholeNumberSchema("Number of stories", 3).orNull(),
  unit_label: enumSchema<UnitLabel>(
    UNIT_LABELS,
    "What its units are, for figures per unit; null: units",
  ).orNull(),
  replacement_value: usdSchema(
    "Cost of rebuilding the property, such as its insured value",
    9_200_000,
  ).orNull(),
  is_demo: flagSchema("Whether this is the demo property, which is not billed", false),
  partner_property_id: textSchema("Your own reference, unique per partner", "HV-001").orNull(),
  notes: textSchema("Free text", "Roof access through stair B").orNull(),
  source: enumSchema<PropertySource>(
    ["api", "import", "sensor_event", "demo"],
    "How the property was created",
  ),
  records_since: daySchema(
    "Date since which the service history is complete. If null, it is derived from the creation date and the service events",
    "2021-03-01",
  ),
  retired_reason: textSchema("Why it is retired", "Sold").orNull(),
  merged_into: textSchema(
    "The property that this one was merged into, which has its records; null if it was not",
    EXAMPLE_IDS.P,
  ).orNull(),
  updated_at: instantSchema("When the record was last updated"),
});
export type PropertyJson = JsonOf<typeof property>;

export const serializeProperty = property.serializer((property: Property) => ({
  ...serializePropertyRow(property),
  year_built: property.yearBuilt,
  estimated_value: jsonUsdFromCentsOrNull(property.estimatedValueCents),
  gross_area_sqft: property.grossAreaSqft,
  stories: property.stories,
  unit_label: property.unitLabel,
  replacement_value: jsonUsdFromCentsOrNull(property.replacementValueCents),
  is_demo: property.isDemo,
  partner_property_id: property.partnerPropertyId,
  notes: property.notes,
  source: property.source,
  records_since: property.recordsSince,
  retired_reason: property.retiredReason,
  merged_into: property.mergedInto,
  updated_at: isoTextOfInstant(property.updatedAt),
}));
export const propertyReply = schemaWithPartner(property);

/** The response to a write of a property. */
const writtenProperty = property.and({
  warnings: textListSchema(
    "What is probably an error, such as another property with the same address; after a merge also what to check",
    [
      'property P_01m7xtfbnkegg9j7dstwvcm1r5 ("Harbor View") has the same address. If it is the same building, merge this one into it: POST /v1/properties/P_01m7xtfbnkegg9j7dstwvcm1r5/merge with from: P_01m7xtfbnkegg9j7dstwvcm2x7',
    ],
  ),
});
export const serializeWrittenProperty = writtenProperty.serializer(
  (property: Property, warnings: readonly string[]) => ({ ...serializeProperty(property), warnings }),
);
export const writtenPropertyReply = schemaWithPartner(writtenProperty);

const demoProperty = property.and({
  appliances: wholeNumberSchema("Number of appliances", 14),
  components: wholeNumberSchema("Number of components", 90),
});

type Demo = { property: Property; appliances: number; components: number };
export const serializeDemoProperty = demoProperty.serializer(
  ({ property, appliances, components }: Demo) => ({
    ...serializeProperty(property),
    appliances,
    components,
  }),
);
export const demoPropertyReply = schemaWithPartner(demoProperty);

/** A rentable unit. */
export const unit = recordSchema("Unit", {
  id: idSchema("U", "The unit's ID"),
  property_id: idSchema("P", "The property"),
  label: textSchema("Unit number, from 1", "1"),
  created_at: commonFields.created_at,
});
export type UnitJson = JsonOf<typeof unit>;

/** Returns the label of a unit. */
export const unitLabelJson = ({ number }: Pick<Unit, "number">) => String(number);

export const serializeUnit = unit.serializer((unit: Unit) => ({
  id: unit.id,
  property_id: unit.propertyId,
  label: unitLabelJson(unit),
  created_at: isoTextOfInstant(unit.createdAt),
}));
export const unitPage = pageSchema("units", unit, { property_id: unit.fields.property_id });
export type UnitPageJson = JsonOf<typeof unitPage>;
