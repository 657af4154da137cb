import type { Property } from "../property.ts";

/** Where the value of a building comes from: the partner, its area, or its equipment. */
export const VALUE_BASES = ["replacement_value", "area", "equipment"] as const;
type ValueBasis = (typeof VALUE_BASES)[number];

/** The facility condition index, and what it is made of; money in cents. */
export type FacilityCondition = {
  /** The cost of what is due now ÷ replacement value; null for a building without a value. High is bad. */
  index: number | null;
  dueCents: number;
  valueCents: number;
  basis: ValueBasis;
};

/** The cost of a square foot of a building, unless the operator has another; judgment. */
export const BUILDING_CENTS_PER_SQFT = 18_000;
/** The equipment's share of a building's value: roof, envelope, paving and services; judgment. */
const EQUIPMENT_SHARE = 0.45;

/**
 * Returns the facility condition index of a property (docs/model/figures.md#condition). `equipmentCents` is the
 * replacement cost value of its equipment, `centsPerSqft` the cost of a building by its area.
 */
export function facilityConditionOf(
  { replacementValueCents, grossAreaSqft }: Pick<Property, "replacementValueCents" | "grossAreaSqft">,
  dueCents: number,
  equipmentCents: number,
  centsPerSqft = BUILDING_CENTS_PER_SQFT,
): FacilityCondition {
  const [valueCents, basis]: [number, ValueBasis] =
    replacementValueCents !== null
      ? [replacementValueCents, "replacement_value"]
      : grossAreaSqft !== null
        ? [Math.round(grossAreaSqft * centsPerSqft), "area"]
        : [Math.round(equipmentCents / EQUIPMENT_SHARE), "equipment"];
  return { index: valueCents > 0 ? dueCents / valueCents : null, dueCents, valueCents, basis };
}
