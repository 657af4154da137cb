import type { BrandTier } from "./scoring/types.ts";
import type { Day, Instant } from "./time.ts";

export type Appliance = {
  id: string;
  partnerId: string;
  propertyId: string;
  seq: number;
  /** Null when it serves the whole property. */
  unitId: string | null;
  typeId: string;
  brand: string | null;
  model: string | null;
  serial: string | null;
  brandTier: BrandTier;
  /** False while the tier follows from the brand. */
  brandTierGiven: boolean;
  installYear: number;
  /** 0.5 (light) to 2.0 (heavy). */
  usageIntensity: number;
  warrantyExpiry: Day | null;
  createdAt: Instant;
  updatedAt: Instant;
};

export type NewAppliance = {
  propertyId: string;
  typeId: string;
  installYear: number;
  unitId: string | null;
  brand: string | null;
  model: string | null;
  serial: string | null;
  brandTier: BrandTier | null;
  usageIntensity: number | null;
  warrantyExpiry: Day | null;
};

/** Any subset of what can be changed; null clears an optional field, and for brandTier returns to the brand's own. */
export type ApplianceChange = Partial<Omit<NewAppliance, "propertyId" | "typeId" | "installYear">> & {
  installYear?: number;
  /** Refused unless they are what they were. */
  typeId?: string;
  propertyId?: string;
};

export const DEFAULT_USAGE = 1;
