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
  /** The day from which the service record counts as complete: what came before it may be unknown. */
  recordsSince: Day;
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
  /** Null where nothing was noted. */
  note: Note | null;
  /** So many events that differ in the words of their notes alone; one when not given. */
  times?: number;
};

/** What scoring knows of a note. */
export type Note = {
  /** Equal for equal notes alone. */
  key: string;
  /** The word groups that it speaks of, each once; `share` of its log-ratio: half for a fault that it calls mended. */
  findings: readonly { groupId: string; share: 1 | 0.5 }[];
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

/** How old a component is on a day, evidence aside. Ages and scales in years of normal use, days as numbers. */
export type AgedLife = {
  /** Scale η of its life. */
  scaleYears: number;
  /** Years of normal use that a calendar year adds: r. */
  rate: number;
  /** Day of its last Replacement; undefined without one. */
  replacedOn: number | undefined;
  /** The day from which it ages: its last Replacement, else the middle of its install year. */
  bornOn: number;
  /**
   * Virtual age (Kijima I): since its birth, or, where its past is unknown, what it has gained since the record began.
   */
  virtualAgeYears: number;
  /** Nominal virtual age when the record began (t), where what came before is unknown (docs/model/scoring.md#unknown-past). */
  unknownPastYears: number | undefined;
  /** Probability of having failed by now from age alone: p0. */
  prior: number;
  /** The age whose prior is p0: V*. */
  effectiveAgeYears: number;
};

/** What is stored of a component, and with its kind and make enough to look ahead from without its history. */
export type ScoreState = {
  /** Factor that calibration puts on its life: of its kind, and of its appliance's frailty. */
  lifeFactor: number;
  /** The virtual age (Kijima I) that age alone speaks for, in years of normal use: V*. */
  effectiveAgeYears: number;
  /** Years of normal use that a calendar year adds (accelerated failure time): r. */
  rate: number;
  /** Product of all hazard ratios, held within the model's limits: θ. */
  hazardRatio: number;
  /** Cumulative hazard of what sensors report, over the days in which that fades: Λ. */
  acuteHazard: number;
};

export type Score = ScoreState & {
  /** Scale η of its Weibull life in years of normal use: make, lifespan of its own and calibration included. */
  scaleYears: number;
  /** Prior probability of having failed by now, from age alone: p0. */
  prior: number;
  /** Probability of failing within the period that the score looks ahead: q. */
  periodRisk: number;
  /** 0 to 0.99 at two decimals. */
  riskScore: number;
  riskTier: RiskTier;
  confidence: Confidence;
  /** Calendar age. */
  ageYears: number;
  /** Filled when an explanation was asked for. */
  evidence?: Evidence[];
  /** Likewise. */
  working?: Working;
};

/** What a score was worked out from, beside its evidence. */
type Working = {
  life: AgedLife;
  /** Product of all ratios but cascades, not held within its limits. */
  ownRatio: number;
  /** Product of the cascades, held within its own limit. */
  cascadeRatio: number;
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
  /** Hazard ratio, as faded on the day of scoring. */
  ratio: number;
  /** The power that calibration puts on the ratio; left out where it is 1. */
  strength?: number;
  /** The power that the ratio was taken to for concerning a component that nobody named, or a fault mended; left out where it is 1. */
  weight?: number;
  /** Of a cascade: the upstream component's score without cascade, unrounded. */
  upstreamScore?: number;
  /** So many events have said it; left out for one. */
  times?: number;
  /** Of a sensor's event. */
  severity?: Severity;
  /** What a sensor's event adds to the acute hazard, in place of multiplying by its ratio. */
  hazard?: number;
};
