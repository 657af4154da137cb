import { centsFromUsd } from "../domain/money.ts";
import {
  type NewProperty,
  type Property,
  type PropertyChange,
  type PropertySource,
  parseState,
  type Unit,
} from "../domain/property.ts";
import { toIso } from "../domain/time.ts";
import { input, nullable, optional, required, textOrNull } from "./check.ts";
import { day, flag, id, instant, oneOf, record, text, usd, whole } from "./kit.ts";
import { forPartner, page } from "./paging.ts";
import { usdOrNull } from "./units.ts";
import * as may from "./values.ts";

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
export const propertyRowView = propertyRow.view((property: Listed) => ({
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
  source: oneOf<PropertySource>(["api", "import", "sensor_event", "demo"], "How the property came in"),
  records_since: day(
    "The day from which the property's service record is complete; not given or null, it follows from the registration and the service events",
    "2021-03-01",
  ),
  updated_at: instant("When the record was last changed"),
});

export const propertyView = property.view((property: Property) => ({
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
export const demoPropertyView = demoProperty.view(({ property, appliances, components }: Demo) => ({
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

export const unitView = unit.view((unit: Unit) => ({
  id: unit.id,
  property_id: unit.propertyId,
  label: String(unit.number),
  created_at: toIso(unit.createdAt),
}));
export const unitPage = page("units", unit, { property_id: unit.fields.property_id });

const out = property.fields;

const describing = {
  city: nullable(may.line, out.city),
  zip: nullable(may.zip, out.zip),
  year_built: nullable(may.year, out.year_built),
  estimated_value: nullable(may.usd, out.estimated_value),
  notes: nullable(may.longText, out.notes),
  partner_property_id: nullable(may.line, out.partner_property_id),
  records_since: nullable(may.day, out.records_since),
} as const;

export const newProperty = input("NewProperty", {
  name: required(may.requiredLine, out.name),
  address: required(may.requiredLine, out.address),
  state: required(may.state, out.state),
  unit_count: nullable(may.unitCount, out.unit_count),
  ...describing,
});

export const propertyChange = input("PropertyChange", {
  name: optional(may.requiredLine, out.name),
  address: optional(may.requiredLine, out.address),
  state: optional(may.state, out.state),
  unit_count: optional(may.unitCount, out.unit_count),
  ...describing,
});

/** A new property from what came in. Throws invalid_request. */
export function readNewProperty(body: unknown): NewProperty {
  const wire = newProperty.check(body);
  return {
    name: wire.name.trim(),
    address: wire.address.trim(),
    state: parseState(wire.state),
    city: textOrNull(wire.city),
    zip: textOrNull(wire.zip),
    unitCount: wire.unit_count ?? 0,
    yearBuilt: wire.year_built ?? null,
    estimatedValueCents: wire.estimated_value == null ? null : centsFromUsd(wire.estimated_value),
    notes: textOrNull(wire.notes),
    partnerPropertyId: textOrNull(wire.partner_property_id),
    recordsSince: wire.records_since ?? null,
  };
}

/** A change with just the fields that came in. Throws invalid_request. */
export function readPropertyChange(body: unknown): PropertyChange {
  const wire = propertyChange.check(body);
  const change: PropertyChange = {};
  if (wire.name !== undefined) change.name = wire.name.trim();
  if (wire.address !== undefined) change.address = wire.address.trim();
  if (wire.state !== undefined) change.state = parseState(wire.state);
  if (wire.city !== undefined) change.city = textOrNull(wire.city);
  if (wire.zip !== undefined) change.zip = textOrNull(wire.zip);
  if (wire.unit_count !== undefined) change.unitCount = wire.unit_count;
  if (wire.year_built !== undefined) change.yearBuilt = wire.year_built;
  if (wire.notes !== undefined) change.notes = textOrNull(wire.notes);
  if (wire.partner_property_id !== undefined) change.partnerPropertyId = textOrNull(wire.partner_property_id);
  if (wire.records_since !== undefined) change.recordsSince = wire.records_since;
  if (wire.estimated_value !== undefined)
    change.estimatedValueCents = wire.estimated_value === null ? null : centsFromUsd(wire.estimated_value);
  return change;
}
