import type { PricedProperty } from "./costs/appliance-size.ts";
import { notFound } from "./errors.ts";
import type { Retirement } from "./rules/retirement-rule.ts";
import type { Day, Instant } from "./time.ts";

export const MAX_UNITS = 10_000;
/** Figures by area of anything smaller would exceed all numbers. */
export const MIN_GROSS_AREA_SQFT = 1;
export const MAX_GROSS_AREA_SQFT = 50_000_000;
export const MAX_STORIES = 200;

/** The kinds of rentable units of a property. */
export const UNIT_LABELS = ["unit", "key", "bed", "suite", "stall"] as const;
export type UnitLabel = (typeof UNIT_LABELS)[number];

export type PropertySource = "api" | "import" | "sensor_event" | "demo";

export type Property = {
  id: string;
  partnerId: string;
  seq: number;
  name: string;
  address: string;
  city: string | null;
  /** The place (`domain/places/place.ts`): `NY` in the US, `CA-ON` elsewhere. */
  state: string;
  zip: string | null;
  unitCount: number;
  yearBuilt: number | null;
  estimatedValueCents: number | null;
  /** The floor area of all stories. */
  grossAreaSqft: number | null;
  stories: number | null;
  unitLabel: UnitLabel | null;
  /** The cost of rebuilding the property, such as its insured value. */
  replacementValueCents: number | null;
  isDemo: boolean;
  /** The partner's own reference, unique within the partner. */
  partnerPropertyId: string | null;
  notes: string | null;
  source: PropertySource;
  /** The normalized address (`addressKey`); null for the demo property, which duplicates none. */
  addressKey: string | null;
  /** The property that this one was merged into. */
  mergedInto: string | null;
  createdAt: Instant;
  updatedAt: Instant;
} & RecordsSince &
  Retirement;

export type RecordsSince = {
  /** The day from which the service record is complete. Earlier events may be missing. */
  recordsSince: Day;
  /** False if that day follows from the registration and the service events. */
  recordsSinceGiven: boolean;
};

type BuildingFacts = Pick<Property, "grossAreaSqft" | "stories" | "unitLabel" | "replacementValueCents">;

/** The fields of a property that scoring reads, and those that its costs depend on. */
export type ScoredProperty = Pick<Property, "id" | "yearBuilt" | "recordsSince"> & PricedProperty;

/** The fields of a property that a summary of a portfolio shows, and its rating follows from. */
export type SummarizedProperty = Pick<
  Property,
  | "id"
  | "name"
  | "address"
  | "city"
  | "state"
  | "unitCount"
  | "grossAreaSqft"
  | "replacementValueCents"
  | "isDemo"
>;

/** The input for a new property. */
export type NewProperty = Pick<
  Property,
  "name" | "address" | "state" | "city" | "zip" | "unitCount" | "yearBuilt" | "notes" | "partnerPropertyId"
> &
  Partial<BuildingFacts> & { estimatedValueCents?: number | null; recordsSince?: Day | null };

/** Fields to change. Null clears an optional field. */
export type PropertyChange = Partial<
  Pick<
    Property,
    | "name"
    | "address"
    | "city"
    | "zip"
    | "unitCount"
    | "yearBuilt"
    | "notes"
    | "partnerPropertyId"
    | "estimatedValueCents"
    | keyof BuildingFacts
  >
> & {
  country?: string;
  /** The state or other subdivision, as stated; without a country, of the property's own. */
  state?: string;
  /** Null derives the day from the registration and the service events. */
  recordsSince?: Day | null;
} & Partial<Retirement>;

export type Unit = { id: string; propertyId: string; number: number; createdAt: Instant };

/** The failure for an unknown property, and for a property of another partner. */
export const propertyNotFound = () => notFound("Property not found");
