import { centsFromUsd } from "../domain/money.ts";
import { parseCountry, parsePostalCode, placeOfSubdivision, UNITED_STATES } from "../domain/place.ts";
import type { NewProperty, PropertyChange } from "../domain/property.ts";
import { property } from "./property.ts";
import * as constraint from "./schema/constraints.ts";
import { input, nullable, optional, required, textOrNull } from "./schema/input.ts";

/* Properties in requests. Apart from those in responses, so that commands that only print load no schema library. */

const out = property.fields;

const optionalFields = {
  country: optional(constraint.country, out.country),
  city: nullable(constraint.line, out.city),
  zip: nullable(constraint.zip, out.zip),
  year_built: nullable(constraint.year, out.year_built),
  estimated_value: nullable(constraint.usd, out.estimated_value),
  gross_area_sqft: nullable(constraint.grossArea, out.gross_area_sqft),
  stories: nullable(constraint.stories, out.stories),
  unit_label: nullable(constraint.unitLabel, out.unit_label),
  replacement_value: nullable(constraint.positiveUsd, out.replacement_value),
  notes: nullable(constraint.longText, out.notes),
  partner_property_id: nullable(constraint.line, out.partner_property_id),
  records_since: nullable(constraint.day, out.records_since),
} as const;

export const newProperty = input("NewProperty", {
  name: required(constraint.requiredLine, out.name),
  address: required(constraint.requiredLine, out.address),
  state: required(constraint.state, out.state),
  unit_count: nullable(constraint.unitCount, out.unit_count),
  ...optionalFields,
});

export const propertyChange = input("PropertyChange", {
  name: optional(constraint.requiredLine, out.name),
  address: optional(constraint.requiredLine, out.address),
  state: optional(constraint.state, out.state),
  unit_count: optional(constraint.unitCount, out.unit_count),
  ...optionalFields,
  retired_at: nullable(constraint.day, out.retired_at),
  retired_reason: nullable(constraint.line, out.retired_reason),
});

/** Reads a new property from a request. Throws invalid_request. */
export function readNewProperty(body: unknown): NewProperty {
  const wire = newProperty.parse(body);
  const country = parseCountry(wire.country ?? UNITED_STATES);
  const zip = textOrNull(wire.zip);
  return {
    name: wire.name.trim(),
    address: wire.address.trim(),
    state: placeOfSubdivision(country, wire.state),
    city: textOrNull(wire.city),
    zip: zip === null ? null : parsePostalCode(country, zip),
    unitCount: wire.unit_count ?? 0,
    yearBuilt: wire.year_built ?? null,
    estimatedValueCents: wire.estimated_value == null ? null : centsFromUsd(wire.estimated_value),
    grossAreaSqft: wire.gross_area_sqft ?? null,
    stories: wire.stories ?? null,
    unitLabel: wire.unit_label ?? null,
    replacementValueCents: wire.replacement_value == null ? null : centsFromUsd(wire.replacement_value),
    notes: textOrNull(wire.notes),
    partnerPropertyId: textOrNull(wire.partner_property_id),
    recordsSince: wire.records_since ?? null,
  };
}

/** Reads a change, which has only the fields of the request. Throws invalid_request. */
export function readPropertyChange(body: unknown): PropertyChange {
  const wire = propertyChange.parse(body);
  const change: PropertyChange = {};
  if (wire.name !== undefined) change.name = wire.name.trim();
  if (wire.address !== undefined) change.address = wire.address.trim();
  if (wire.state !== undefined) change.state = wire.state.trim().toUpperCase();
  if (wire.country !== undefined) change.country = parseCountry(wire.country);
  if (wire.city !== undefined) change.city = textOrNull(wire.city);
  if (wire.zip !== undefined) change.zip = textOrNull(wire.zip)?.toUpperCase() ?? null;
  if (wire.unit_count !== undefined) change.unitCount = wire.unit_count;
  if (wire.year_built !== undefined) change.yearBuilt = wire.year_built;
  if (wire.gross_area_sqft !== undefined) change.grossAreaSqft = wire.gross_area_sqft;
  if (wire.stories !== undefined) change.stories = wire.stories;
  if (wire.unit_label !== undefined) change.unitLabel = wire.unit_label;
  if (wire.replacement_value !== undefined)
    change.replacementValueCents =
      wire.replacement_value === null ? null : centsFromUsd(wire.replacement_value);
  if (wire.notes !== undefined) change.notes = textOrNull(wire.notes);
  if (wire.partner_property_id !== undefined) change.partnerPropertyId = textOrNull(wire.partner_property_id);
  if (wire.retired_at !== undefined) change.retiredAt = wire.retired_at;
  if (wire.retired_reason !== undefined) change.retiredReason = textOrNull(wire.retired_reason);
  if (wire.records_since !== undefined) change.recordsSince = wire.records_since;
  if (wire.estimated_value !== undefined)
    change.estimatedValueCents = wire.estimated_value === null ? null : centsFromUsd(wire.estimated_value);
  return change;
}

export const propertyMerge = input("PropertyMerge", {
  from: required(constraint.idText, out.id.describedAs("The duplicate, which is merged into the property")),
});

/** Reads the id of the duplicate from a request. Throws invalid_request. */
export const readPropertyMerge = (body: unknown): string => propertyMerge.parse(body).from.trim();
