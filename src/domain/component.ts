import type { PricedComponent } from "./costs/price-list.ts";
import type { Knowledge } from "./knowledge.ts";
import type {
  BrandTier,
  ComponentPast,
  Confidence,
  InstallYearBasis,
  RiskTier,
  ScoreState,
} from "./scoring/types.ts";
import type { Day, Instant } from "./time.ts";

/** A component as stored, with its latest score. */
export type Component = ScoreState & {
  id: string;
  partnerId: string;
  propertyId: string;
  applianceId: string;
  seq: number;
  defId: string;
  installYear: number;
  lastReplaced: Day | null;
  lastServiced: Day | null;
  /** Years; overrides the median life of the knowledge base. */
  overrideLifespan: number | null;
  /** The owner's cost of replacing it as planned; null without one. */
  ownPlannedCents: number | null;
  /** The owner's cost of its failure; null without one. */
  ownFailedCents: number | null;
  /** An inspector's finding about its past; null without one. */
  past: ComponentPast | null;
  /** Hundredths, 0 to 99. */
  riskScore: number;
  riskTier: RiskTier;
  confidence: Confidence;
  /** The tier last announced to the partner. */
  announcedTier: RiskTier;
  scoredOn: Day;
  /** The score of the newest trend point; null before the first snapshot. */
  trendScore: number | null;
  /** The time of the latest score; null if it is the latest snapshot's. */
  rescoredAt: Instant | null;
  createdAt: Instant;
};

/** A component as the input of a new score: without the fields that the score replaces. */
export type ComponentToScore = Omit<Component, keyof ScoreState | "confidence" | "scoredOn">;

/** The lowest scores of the tiers, in hundredths, as stored. */
export const WARNING_FROM = 52;
export const CRITICAL_FROM = 78;

/** Returns the tier of a score in hundredths. */
export function tierOfHundredths(riskScore: number): RiskTier {
  return riskScore >= CRITICAL_FROM ? "CRITICAL" : riskScore >= WARNING_FROM ? "WARNING" : "GOOD";
}

/** A component with fields of its appliance and property. */
export type PlacedComponent = PricedComponent &
  Component & {
    brand: string | null;
    brandTier: BrandTier;
    /** The flags of its appliance, as stored (`parseFlags`). */
    flags: string;
    installYearBasis: InstallYearBasis;
    propertyName: string;
    propertyAddress: string;
    /** The day from which the property's service record is complete. */
    recordsSince: Day;
  };

/** Returns whether a component belongs to a type; those of an appliance's former type stay retired. */
export const isOfType = (knowledge: Knowledge, { defId }: Pick<Component, "defId">, typeId: string) =>
  knowledge.type(typeId).components.some(({ id }) => id === defId);
