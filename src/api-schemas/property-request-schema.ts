import { centsFromUsd } from "../domain/costs/usd-cents.ts";
import {
  countryCodeOfText,
  parsePostalCode,
  placeOfSubdivision,
  UNITED_STATES,
} from "../domain/places/place.ts";
import type { NewProperty, PropertyChange } from "../domain/property.ts";
import * as constraint from "./definition/api-schema-constraints.ts";
import {
  inputSchema,
  nullableSchema,
  optionalSchema,
  requiredSchema,
  schemaTextOrNull,
} from "./definition/input-schema.ts";
import { property } from "./property-schema.ts";

/* Properties in requests. Apart from those in responses, so that commands that only print load no schema library. */

const out = property.fields;

const optionalFields = {
  country: optionalSchema(constraint.country, out.country),
  city: nullableSchema(constraint.line, out.city),
  zip: nullableSchema(constraint.zip, out.zip),
  year_built: nullableSchema(constraint.year, out.year_built),
  estimated_value: nullableSchema(constraint.usd, out.estimated_value),
  gross_area_sqft: nullableSchema(constraint.grossArea, out.gross_area_sqft),
  stories: nullableSchema(constraint.stories, out.stories),
  unit_label: nullableSchema(constraint.unitLabelConstraint, out.unit_label),
  replacement_value: nullableSchema(constraint.positiveUsd, out.replacement_value),
  notes: nullableSchema(constraint.longText, out.notes),
  partner_property_id: nullableSchema(constraint.line, out.partner_property_id),
  records_since: nullableSchema(constraint.day, out.records_since),
} as const;

export const newProperty = inputSchema("NewProperty", {
  name: requiredSchema(constraint.requiredLine, out.name),
  address: requiredSchema(constraint.requiredLine, out.address),
  state: requiredSchema(constraint.state, out.state),
  unit_count: nullableSchema(constraint.unitCount, out.unit_count),
  ...optionalFields,
});

export const propertyChange = inputSchema("PropertyChange", {
  name: optionalSchema(constraint.requiredLine, out.name),
  address: optionalSchema(constraint.requiredLine, out.address),
  state: optionalSchema(constraint.state, out.state),
  unit_count: optionalSchema(constraint.unitCount, out.unit_count),
  ...optionalFields,
  retired_at: nullableSchema(constraint.day, out.retired_at),
  retired_reason: nullableSchema(constraint.line, out.retired_reason),
});

/** Reads a new property from a request. Throws invalid_request. */
export function parseNewPropertyJson(body: unknown): NewProperty {
  const json = newProperty.parse(body);
  const country = countryCodeOfText(json.country ?? UNITED_STATES);
  const zip = schemaTextOrNull(json.zip);
  return {
    name: json.name.trim(),
    address: json.address.trim(),
    state: placeOfSubdivision(country, json.state),
    city: schemaTextOrNull(json.city),
    zip: zip === null ? null : parsePostalCode(country, zip),
    unitCount: json.unit_count ?? 0,
    yearBuilt: json.year_built ?? null,
    estimatedValueCents: json.estimated_value == null ? null : centsFromUsd(json.estimated_value),
    grossAreaSqft: json.gross_area_sqft ?? null,
    stories: json.stories ?? null,
    unitLabel: json.unit_label ?? null,
    replacementValueCents: json.replacement_value == null ? null : centsFromUsd(json.replacement_value),
    notes: schemaTextOrNull(json.notes),
    partnerPropertyId: schemaTextOrNull(json.partner_property_id),
    recordsSince: json.records_since ?? null,
  };
}

/** Reads a change, which has only the fields of the request. Throws invalid_request. */
export function parsePropertyChangeJson(body: unknown): PropertyChange {
  const json = propertyChange.parse(body);
  const change: PropertyChange = {};
  if (json.name !== undefined) change.name = json.name.trim();
  if (json.address !== undefined) change.address = json.address.trim();
  if (json.state !== undefined) change.state = json.state.trim().toUpperCase();
  if (json.country !== undefined) change.country = countryCodeOfText(json.country);
  if (json.city !== undefined) change.city = schemaTextOrNull(json.city);
  if (json.zip !== undefined) change.zip = schemaTextOrNull(json.zip)?.toUpperCase() ?? null;
  if (json.unit_count !== undefined) change.unitCount = json.unit_count;
  if (json.year_built !== undefined) change.yearBuilt = json.year_built;
  if (json.gross_area_sqft !== undefined) change.grossAreaSqft = json.gross_area_sqft;
  if (json.stories !== undefined) change.stories = json.stories;
  if (json.unit_label !== undefined) change.unitLabel = json.unit_label;
  if (json.replacement_value !== undefined)
    change.replacementValueCents =
      json.replacement_value === null ? null : centsFromUsd(json.replacement_value);
  if (json.notes !== undefined) change.notes = schemaTextOrNull(json.notes);
  if (json.partner_property_id !== undefined)
    change.partnerPropertyId = schemaTextOrNull(json.partner_property_id);
  if (json.retired_at !== undefined) change.retiredAt = json.retired_at;
  if (json.retired_reason !== undefined) change.retiredReason = schemaTextOrNull(json.retired_reason);
  if (json.records_since !== undefined) change.recordsSince = json.records_since;
  if (json.estimated_value !== undefined)
    change.estimatedValueCents = json.estimated_value === null ? null : centsFromUsd(json.estimated_value);
  return change;
}

export const propertyMerge = inputSchema("PropertyMerge", {
  from: requiredSchema(
    constraint.idText,
    out.id.describedAs("The duplicate, which is merged into the property"),
  ),
});

/** Reads the id of the duplicate from a request. Throws invalid_request. */
export const parsePropertyMergeJson = (body: unknown): string => propertyMerge.parse(body).from.trim();
