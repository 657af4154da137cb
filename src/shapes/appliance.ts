import { type } from "arktype";
import type { ApplianceChange, NewAppliance } from "../domain/appliance.ts";
import { check, shape, textOrNull } from "./check.ts";
import { brandTier, day, idText, line, requiredLine, usageIntensity, year } from "./fields.ts";

const optional = {
  "unit_id?": idText.or("null"),
  "brand?": line.or("null"),
  "model?": line.or("null"),
  "serial?": line.or("null"),
  "brand_tier?": brandTier.or("null"),
  "usage_intensity?": usageIntensity.or("null"),
  "warranty_expiry?": day.or("null"),
} as const;

export const newApplianceShape = shape(
  type({ property_id: idText, type_id: requiredLine, install_year: year, ...optional }),
  ["property_id", "type_id", "install_year"],
);

/** Type and property may stand in a change, as in a record that was read and is sent back, with the values they have. */
export const applianceChangeShape = shape(
  type({ "install_year?": year, "type_id?": idText, "property_id?": idText, ...optional }),
  [],
);

/** A new appliance from what came in. Throws invalid_request. */
export function readNewAppliance(input: unknown): NewAppliance {
  const wire = check(newApplianceShape, input);
  return {
    propertyId: wire.property_id.trim(),
    typeId: wire.type_id.trim(),
    installYear: wire.install_year,
    unitId: textOrNull(wire.unit_id),
    brand: textOrNull(wire.brand),
    model: textOrNull(wire.model),
    serial: textOrNull(wire.serial),
    brandTier: wire.brand_tier ?? null,
    usageIntensity: wire.usage_intensity ?? null,
    warrantyExpiry: wire.warranty_expiry ?? null,
  };
}

/** A change with just the fields that came in. Throws invalid_request. */
export function readApplianceChange(input: unknown): ApplianceChange {
  const wire = check(applianceChangeShape, input);
  const change: ApplianceChange = {};
  if (wire.type_id !== undefined) change.typeId = wire.type_id.trim();
  if (wire.property_id !== undefined) change.propertyId = wire.property_id.trim();
  if (wire.install_year !== undefined) change.installYear = wire.install_year;
  if (wire.unit_id !== undefined) change.unitId = textOrNull(wire.unit_id);
  if (wire.brand !== undefined) change.brand = textOrNull(wire.brand);
  if (wire.model !== undefined) change.model = textOrNull(wire.model);
  if (wire.serial !== undefined) change.serial = textOrNull(wire.serial);
  if (wire.brand_tier !== undefined) change.brandTier = wire.brand_tier;
  if (wire.usage_intensity !== undefined) change.usageIntensity = wire.usage_intensity;
  if (wire.warranty_expiry !== undefined) change.warrantyExpiry = wire.warranty_expiry;
  return change;
}
