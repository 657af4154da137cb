import type { StoredDue } from "./planning/planned-appliance.ts";
import type { UnitTiming } from "./planning/unit-advice.ts";
import type { Retirement } from "./rules/retirement-rule.ts";
import type { BrandTier, InstallYearBasis } from "./scoring/scoring-types.ts";
import type { Day, Instant } from "./time.ts";

export type Appliance = Retirement & {
  id: string;
  partnerId: string;
  propertyId: string;
  seq: number;
  /** Null for an appliance that serves the whole property. */
  unitId: string | null;
  typeId: string;
  brand: string | null;
  model: string | null;
  serial: string | null;
  brandTier: BrandTier;
  /** False if the tier follows from the brand. */
  brandTierGiven: boolean;
  installYear: number;
  installYearBasis: InstallYearBasis;
  /** 0.5 (light) to 2.0 (heavy). */
  usageIntensity: number;
  /** In the unit of its type; null if unknown. */
  size: number | null;
  warrantyExpiry: Day | null;
  /** The known hazards that it is flagged for, as stored (`hazardFlagsOfNotation`). */
  flags: string;
  /** Codes that the partner set, and that the partner cleared, as stored (`hazardCodesInList`). */
  flagsSet: string;
  flagsCleared: string;
  /** The number of its inspections with an open deficiency. */
  deficiencies: number;
  /** The cost of what its plan says is due now: the unit, or parts of a type that is not replaced as a whole. */
  dueCents: number;
  /** When it is due as a whole; null if it is not replaced as a whole, or lacks components of its type. */
  unitTiming: UnitTiming | null;
  /** The last day for which both hold if its parts only age; null if its next score decides (`unitTimingWithValidity`). */
  dueHoldsUntil: Day | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** An appliance as lists show it. */
export type ListedAppliance = Omit<
  Appliance,
  "partnerId" | "brandTierGiven" | "deficiencies" | keyof StoredDue
>;

export type NewAppliance = {
  propertyId: string;
  typeId: string;
  /** Null for the building's year. */
  installYear: number | null;
  unitId: string | null;
  brand: string | null;
  model: string | null;
  serial: string | null;
  brandTier: BrandTier | null;
  usageIntensity: number | null;
  size?: number | null;
  warrantyExpiry: Day | null;
  /** Codes of known hazards, as stored; none by default. */
  flagsSet?: string;
  flagsCleared?: string;
};

/** Fields to change. Null clears an optional field; for `brandTier` it restores the brand's own tier. */
export type ApplianceChange = Partial<Omit<NewAppliance, "propertyId" | "typeId" | "installYear">> & {
  /** Null for the building's year. */
  installYear?: number | null;
  typeId?: string;
  propertyId?: string;
} & Partial<Retirement>;

/** The usage intensity of an appliance without one. */
export const DEFAULT_USAGE = 1;
