import type { Property, PropertySource, Unit } from "../domain/property.ts";
import { toIso } from "../domain/time.ts";
import { forPartner, page } from "./paging.ts";
import { day, enumOf, flag, id, instant, record, text, usd, whole } from "./schema/fields.ts";
import { usdOrNull } from "./schema/units.ts";

const row = {
  id: id("P", "The property's id"),
  name: text("Display name", "Harbor View Apartments"),
  address: text("Street address", "120 Harbor St"),
  city: text("City", "New York").orNull(),
  state: text("US state or territory, as its two-letter abbreviation", "NY"),
  zip: text("ZIP code, 5 digits or 5+4", "10013").orNull(),
  unit_count: whole("Rentable units, the basis of billing", 24),
  created_at: instant("When the record was made"),
};

/** A property in a list. */
export const propertyRow = record("PropertyRow", row);

type Listed = Pick<
  Property,
  "id" | "name" | "address" | "city" | "state" | "zip" | "unitCount" | "createdAt"
>;
export const propertyRowView = propertyRow.serializer((property: Listed) => ({
  id: property.id,
  name: property.name,
  address: property.address,
  city: property.city,
  state: property.state,
  zip: property.zip,
  unit_count: property.unitCount,
  created_at: toIso(property.createdAt),
}));
export const propertyPage = page("properties", propertyRow);

/** A property's full record. */
export const property = record("Property", {
  ...row,
  year_built: whole("Year of construction", 1987).orNull(),
  estimated_value: usd("Estimated market value", 8_500_000).orNull(),
  is_demo: flag("Whether it is the demo property, which is not billed", false),
  partner_property_id: text("The partner's own reference, unique per partner", "HV-001").orNull(),
  notes: text("Free text", "Roof access through stair B").orNull(),
  source: enumOf<PropertySource>(["api", "import", "sensor_event", "demo"], "How the property came in"),
  records_since: day(
    "The day from which the property's service record is complete; not given or null, it follows from the registration and the service events",
    "2021-03-01",
  ),
  updated_at: instant("When the record was last changed"),
});

export const propertyView = property.serializer((property: Property) => ({
  ...propertyRowView(property),
  year_built: property.yearBuilt,
  estimated_value: usdOrNull(property.estimatedValueCents),
  is_demo: property.isDemo,
  partner_property_id: property.partnerPropertyId,
  notes: property.notes,
  source: property.source,
  records_since: property.recordsSince,
  updated_at: toIso(property.updatedAt),
}));
export const propertyReply = forPartner(property);

const demoProperty = property.and({
  appliances: whole("Appliances it has", 14),
  components: whole("Components they have", 90),
});

type Demo = { property: Property; appliances: number; components: number };
export const demoPropertyView = demoProperty.serializer(({ property, appliances, components }: Demo) => ({
  ...propertyView(property),
  appliances,
  components,
}));
export const demoPropertyReply = forPartner(demoProperty);

/** A rentable unit. */
export const unit = record("Unit", {
  id: id("U", "The unit's id"),
  property_id: id("P", "The property"),
  label: text("Its number in the property, from 1", "1"),
  created_at: row.created_at,
});

export const unitView = unit.serializer((unit: Unit) => ({
  id: unit.id,
  property_id: unit.propertyId,
  label: String(unit.number),
  created_at: toIso(unit.createdAt),
}));
export const unitPage = page("units", unit, { property_id: unit.fields.property_id });
