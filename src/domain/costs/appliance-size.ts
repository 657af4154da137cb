import type { ApplianceType } from "../domain-knowledge.ts";

/** In any type's unit. The cost of a size is a power of its ratio to another, which without a bound exceeds all numbers. */
export const MIN_SIZE = 0.01;

/** The fields of an appliance that its costs depend on. */
export type PricedAppliance = {
  typeId: string;
  /** In the type's unit; null if unknown. */
  size: number | null;
  /** Null for an appliance that serves the whole property. */
  unitId: string | null;
};

/** The fields of a property that costs depend on. */
export type PricedProperty = {
  /** USPS abbreviation. */
  state: string;
  unitCount: number;
  grossAreaSqft: number | null;
  stories: number | null;
};

/** Returns the size that prices an appliance, in its type's unit; null if unknown, or if costs do not depend on it. */
export function applianceSizeForPricing(
  { size: rule }: Pick<ApplianceType, "size">,
  { size, unitId }: Pick<PricedAppliance, "size" | "unitId">,
  property: Omit<PricedProperty, "state">,
): number | null {
  if (rule === null) return null;
  if (size !== null) return size;
  if (rule.defaultsTo === "unit_count") return unitId === null ? property.unitCount || null : 1;
  // The area of one unit of a building is unknown.
  if (rule.defaultsTo === null || unitId !== null) return null;
  const { grossAreaSqft, stories } = property;
  if (rule.defaultsTo === "gross_area" || grossAreaSqft === null) return grossAreaSqft;
  return stories === null ? null : grossAreaSqft / stories;
}
