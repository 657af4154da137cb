import type { BrandTier, Confidence, RiskTier, ScoreState } from "./scoring/types.ts";
import type { Day, Instant } from "./time.ts";

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
  overrideLifespan: number | null;
  /** Hundredths, 0 to 99. */
  riskScore: number;
  riskTier: RiskTier;
  confidence: Confidence;
  /** The tier that partners were last told of. */
  announcedTier: RiskTier;
  scoredOn: Day;
  /** The score of its newest trend point; null before its first snapshot. */
  trendScore: number | null;
  /** When it was last scored by itself; null when that was by the latest snapshot. */
  rescoredAt: Instant | null;
  createdAt: Instant;
};

/** A component that is to be scored: all of it but what its new score says whatever the old one was. */
export type ComponentToScore = Omit<Component, keyof ScoreState | "confidence" | "scoredOn">;

/** The thresholds of the specification in hundredths, as stored. */
export const WARNING_FROM = 52;
export const CRITICAL_FROM = 78;

export function tierOfHundredths(riskScore: number): RiskTier {
  return riskScore >= CRITICAL_FROM ? "CRITICAL" : riskScore >= WARNING_FROM ? "WARNING" : "GOOD";
}

/** A component with what is told of its appliance and property. */
export type PlacedComponent = Component & {
  typeId: string;
  brand: string | null;
  brandTier: BrandTier;
  unitId: string | null;
  propertyName: string;
  propertyAddress: string;
};
