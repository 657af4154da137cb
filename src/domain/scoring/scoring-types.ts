import type { ClaimStatus } from "../claim.ts";
import type { Severity } from "../sensor-event.ts";
import type { Condition, EventType } from "../service-event.ts";
import type { Day, Instant } from "../time.ts";

export type RiskTier = "CRITICAL" | "WARNING" | "GOOD";
export const SCORE_CONFIDENCES = ["HIGH", "MEDIUM", "LOW"] as const;
export type Confidence = (typeof SCORE_CONFIDENCES)[number];
/** Where an install year is from: `given` by the partner, or `year_built` of the property for lack of one. */
export type InstallYearBasis = "given" | "year_built";
/**
 * An inspector's finding about a component without a Replacement on record: `original` for one that was installed with its
 * appliance, `unknown` for one that may have been replaced before the record begins, even if its kind never is alone.
 */
export type ComponentPast = "original" | "unknown";
export type BrandTier = "premium" | "standard" | "budget";

/** The input of a property's scores. The order within lists has no effect. */
export type PropertyHistory = {
  state: string | null;
  /** The day from which the service record is complete. Earlier events may be missing. */
  recordsSince: Day;
  /** Null if unknown. */
  yearBuilt: number | null;
  claims: ClaimEvidence[];
  appliances: ApplianceHistory[];
};

export type ClaimEvidence = { claimType: string; dateOfLoss: Day; status: ClaimStatus };

export type ApplianceHistory = {
  id: string;
  typeId: string;
  /** Null for an appliance that serves the whole property. */
  unitId: string | null;
  brand: string | null;
  model: string | null;
  brandTier: BrandTier;
  installYear: number;
  installYearBasis: InstallYearBasis;
  /** 0.5 (light) to 2.0 (heavy). */
  usageIntensity: number;
  /** The day on which it was retired, by itself or with its property; read by calibration alone. */
  retiredOn?: Day;
  components: ComponentHistory[];
  events: EventEvidence[];
  smartEvents: SmartEvidence[];
};

export type ComponentHistory = {
  id: string;
  defId: string;
  installYear: number;
  /** True if the year is the part's own, whatever that of its appliance rests on. */
  installYearGiven: boolean;
  lastReplaced: Day | null;
  /** Years; overrides the median life of the knowledge base. */
  overrideLifespan: number | null;
  past: ComponentPast | null;
};

export type EventEvidence = {
  /** Null for an event on the whole appliance. */
  componentId: string | null;
  eventType: EventType;
  date: Day;
  conditionAfter: Condition | null;
  /** Null without a note. */
  note: Note | null;
  /** The number of events that differ only in the text of their notes; 1 by default. */
  times?: number;
};

/** A note of a service event, as scoring reads it. */
export type Note = {
  /** Identifies the text: equal for equal notes only. */
  key: string;
  /** The word groups found, each once. `share` is 0.5 for a fault that the note reports as fixed. */
  findings: readonly { groupId: string; share: 1 | 0.5 }[];
  /** The codes of the known hazards that it names, and marks of a note of units (`hazard-flags.ts`); left out without any. */
  hazards?: readonly string[];
};

export type SmartEvidence = {
  /** Null for the components that the knowledge base lists for the event type. */
  componentId: string | null;
  eventType: string;
  severity: Severity;
  sensorId: string | null;
  /** An instant and not a day, since a sensor often warns and clears within one day. */
  recordedAt: Instant;
};

/** A component's age on a day, evidence aside. Ages and scales are in years of normal use, days are day numbers. */
export type AgedLife = {
  /** Scale η of the life. */
  scaleYears: number;
  /** Years of normal use per calendar year: r. */
  rate: number;
  /** The day of the last Replacement; undefined without one. */
  replacedOn: number | undefined;
  /** The day of birth: the last Replacement, or 1 July of the install year. */
  bornOn: number;
  /**
   * Virtual age (Kijima type I): V since birth, or, with an unknown past, d since the record began.
   */
  virtualAgeYears: number;
  /** Nominal virtual age t when the record began; undefined with a known past (docs/model/scoring.md#unknown-past). */
  unknownPastYears: number | undefined;
  /** Probability of having failed by now, from age alone: p0. */
  prior: number;
  /** The age that has p0: V*. */
  effectiveAgeYears: number;
};

/** The stored part of a score. With the component's kind and make it suffices to project without the history. */
export type ScoreState = {
  /** Factor on the life from calibration: the kind's correction and the appliance's frailty. */
  lifeFactor: number;
  /** Effective age in years of normal use: V*. */
  effectiveAgeYears: number;
  /** Years of normal use per calendar year (accelerated failure time): r. */
  rate: number;
  /** Product of all hazard ratios, within the model's limits: θ. */
  hazardRatio: number;
  /** Cumulative hazard of active sensor warnings over the days in which they fade: Λ. */
  acuteHazard: number;
};

export type Score = ScoreState & {
  /** Scale η of the Weibull life in years of normal use, with make, own lifespan and calibration. */
  scaleYears: number;
  /** Probability of having failed by now, from age alone: p0. */
  prior: number;
  /** Probability of failing within the scored period: q. */
  periodRisk: number;
  /** 0 to 0.99, with two decimals. */
  riskScore: number;
  riskTier: RiskTier;
  confidence: Confidence;
  /** Calendar age in years. */
  ageYears: number;
  /** Only with `explain`. */
  evidence?: Evidence[];
  /** Only with `explain`. */
  working?: Working;
};

/** Intermediate results of a score. */
type Working = {
  life: AgedLife;
  /** Product of all ratios but cascades, before the limits. */
  ownRatio: number;
  /** Product of the cascades, within its limit. */
  cascadeRatio: number;
};

/** A factor of a score, for an explanation. */
export type Evidence = {
  kind:
    | "emergency_repair"
    | "repair"
    | "condition"
    | "inspection"
    | "keyword"
    | "hazard_brand"
    | "era"
    | "smart_event"
    | "claim"
    | "cascade";
  /** The event type, condition, word group, brand, era, claim type or id of the upstream component. */
  subject: string;
  /** Null for evidence without a date. */
  on: Day | null;
  /** Hazard ratio, as faded on the day of scoring. */
  ratio: number;
  /** Exponent from calibration; left out if 1. */
  strength?: number;
  /** Exponent already in `ratio`, for a component that was not named or a fault that was fixed; left out if 1. */
  weight?: number;
  /** For a cascade: the unrounded score of the upstream component from its own evidence. */
  upstreamScore?: number;
  /** The number of events that say the same; left out if 1. */
  times?: number;
  /** For a sensor warning. */
  severity?: Severity;
  /** For a sensor warning: its acute hazard. Its ratio multiplies nothing. */
  hazard?: number;
};
