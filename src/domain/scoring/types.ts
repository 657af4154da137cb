import type { ClaimStatus } from "../claim.ts";
import type { Severity } from "../sensor-event.ts";
import type { Condition, EventType } from "../service-event.ts";
import type { Day, Instant } from "../time.ts";

export type RiskTier = "CRITICAL" | "WARNING" | "GOOD";
export type Confidence = "HIGH" | "MEDIUM" | "LOW";
export type BrandTier = "premium" | "standard" | "budget";

/** All that a property's scores depend on. The order within any list means nothing. */
export type PropertyHistory = {
  state: string | null;
  claims: ClaimEvidence[];
  appliances: ApplianceHistory[];
};

export type ClaimEvidence = { claimType: string; dateOfLoss: Day; status: ClaimStatus };

export type ApplianceHistory = {
  id: string;
  typeId: string;
  /** Null when it serves the whole property. */
  unitId: string | null;
  brand: string | null;
  model: string | null;
  brandTier: BrandTier;
  installYear: number;
  /** 0.5 (light) to 2.0 (heavy). */
  usageIntensity: number;
  components: ComponentHistory[];
  events: EventEvidence[];
  smartEvents: SmartEvidence[];
};

export type ComponentHistory = {
  id: string;
  defId: string;
  installYear: number;
  lastReplaced: Day | null;
  /** Years; replaces the knowledge base's median life. */
  overrideLifespan: number | null;
};

export type EventEvidence = {
  /** Null when the event speaks of the whole appliance. */
  componentId: string | null;
  eventType: EventType;
  date: Day;
  conditionAfter: Condition | null;
  notes: string | null;
};

export type SmartEvidence = {
  /** Null: the components that the knowledge base names for the event type. */
  componentId: string | null;
  eventType: string;
  severity: Severity;
  sensorId: string | null;
  /** A moment, not a day: a sensor often warns and clears within one day. */
  recordedAt: Instant;
};

/** What is stored of a component, and enough to project from without its history. */
export type ScoreState = {
  /** Posterior probability of failure before rounding. */
  probability: number;
  /** Virtual age (Kijima I), in years of normal use. */
  priorAgeYears: number;
  /** Years of normal use that a calendar year adds (accelerated failure time). */
  rate: number;
  /** Product of all likelihood ratios, held within the model's limits. */
  evidenceRatio: number;
};

export type Score = ScoreState & {
  /** 0 to 0.99 at two decimals. */
  riskScore: number;
  riskTier: RiskTier;
  confidence: Confidence;
  /** Calendar age. */
  ageYears: number;
  /** Filled when an explanation was asked for. */
  evidence?: Evidence[];
};

/** One factor of a score, as an explanation shows it. */
export type Evidence = {
  kind:
    | "emergency_repair"
    | "repair"
    | "condition"
    | "inspection"
    | "keyword"
    | "hazard_brand"
    | "smart_event"
    | "claim"
    | "cascade";
  /** What it rests on: the event type, condition, word group, brand, claim type, or upstream component's id. */
  subject: string;
  /** Null for what has no date. */
  on: Day | null;
  /** Likelihood ratio on the odds of failure, as faded on the day of scoring. */
  ratio: number;
};
