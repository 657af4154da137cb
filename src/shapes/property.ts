import { type } from "arktype";
import { centsFromUsd } from "../domain/money.ts";
import { type NewProperty, type PropertyChange, parseState } from "../domain/property.ts";
import { check, shape, textOrNull } from "./check.ts";
import { line, longText, requiredLine, state, unitCount, usd, year, zip } from "./fields.ts";

export const newPropertyShape = shape(
  type({
    name: requiredLine,
    address: requiredLine,
    state,
    "city?": line.or("null"),
    "zip?": zip.or("null"),
    "unit_count?": unitCount.or("null"),
    "year_built?": year.or("null"),
    "estimated_value?": usd.or("null"),
    "notes?": longText.or("null"),
    "partner_property_id?": line.or("null"),
  }),
  ["name", "address", "state"],
);

export const propertyChangeShape = shape(
  type({
    "name?": requiredLine,
    "address?": requiredLine,
    "state?": state,
    "city?": line.or("null"),
    "zip?": zip.or("null"),
    "unit_count?": unitCount,
    "year_built?": year.or("null"),
    "estimated_value?": usd.or("null"),
    "notes?": longText.or("null"),
    "partner_property_id?": line.or("null"),
  }),
  [],
);

/** A new property from what came in. Throws invalid_request. */
export function readNewProperty(input: unknown): NewProperty {
  const wire = check(newPropertyShape, input);
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
  };
}

/** A change with just the fields that came in. Throws invalid_request. */
export function readPropertyChange(input: unknown): PropertyChange {
  const wire = check(propertyChangeShape, input);
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
  if (wire.estimated_value !== undefined)
    change.estimatedValueCents = wire.estimated_value === null ? null : centsFromUsd(wire.estimated_value);
  return change;
}
