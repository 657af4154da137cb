import type { BrandTier, Confidence } from "./scoring/types.ts";
import type { Severity } from "./sensor-event.ts";
import type { Condition, EventType } from "./service-event.ts";

/** Where a number comes from: a source's token, and how it was taken from there. */
export type Provenance = { source: string; kind: "published" | "derived" | "estimate" };

export type Source = {
  token: string;
  title: string;
  publisher: string;
  year: string | null;
  address: string | null;
  /** A government, standards body or lender; B professional table or academic fit; C trade page. */
  strength: "A" | "B" | "C" | null;
  /** Read in a transcription or citation, not in the original. */
  secondHand: boolean;
};

export const SYSTEMS = [
  "hvac",
  "plumbing",
  "appliance",
  "electrical",
  "structural",
  "amenity",
  "conveyance",
  "life_safety",
] as const;
export type System = (typeof SYSTEMS)[number];

/** Whether a CRITICAL component of the system bears on people's safety, and so on a property's rating. */
export const isLifeSafetyOrConveyance = (system: System) =>
  system === "life_safety" || system === "conveyance";

export const ENVIRONMENT_FACTORS = [
  "coastal",
  "freeze",
  "hard_water",
  "heat",
  "humidity",
  "hail",
  "wind",
] as const;
export type EnvironmentFactor = (typeof ENVIRONMENT_FACTORS)[number];
/** How far each factor is present at a place, 0 to 1. */
export type Environment = Readonly<Record<EnvironmentFactor, number>>;

/** Kinds of maintenance that take away a share of a component's age. */
export type Restoration = "preventive" | "cleaning" | "filter";

/** `use`: ages with the appliance's use; `calendar`: with time alone. */
type Wear = "use" | "calendar";

/** Whether a part is ever replaced `alone`, or is as old as its appliance while it serves. */
type ReplacedHow = "alone" | "with_appliance";

export type ComponentDef = {
  id: string;
  typeId: string;
  name: string;
  system: System;
  /** Of a life-safety or conveyance system; see `isLifeSafetyOrConveyance`. */
  vital: boolean;
  medianLifeYears: number;
  weibullShape: number;
  /** Cost of a planned replacement. */
  proactiveCents: number;
  /** Cost after a failure, damage included. */
  reactiveCents: number;
  /** Null where nobody is expected to maintain it. */
  maintenanceIntervalMonths: number | null;
  environment: readonly EnvironmentFactor[];
  wear: Wear;
  restoredBy: readonly Restoration[];
  replaced: ReplacedHow;
  provenance: {
    medianLife: Provenance;
    weibullShape: Provenance;
    proactiveCost: Provenance;
    reactiveCost: Provenance;
    /** Null where there is no interval. */
    maintenanceInterval: Provenance | null;
    environment: Provenance;
  };
};

export type ApplianceType = {
  id: string;
  name: string;
  system: System;
  /** What the costs are for, such as "one 3-ton split system". */
  referenceSize: string;
  /** Cost of replacing the whole unit. */
  replacementCents: number;
  /** Replacement cost value: the smaller of the whole unit's cost and the sum of its components' proactive costs. */
  rcvCents: number;
  components: readonly ComponentDef[];
};

export type BrandFamily = {
  typeIds: readonly string[];
  tiers: Readonly<Record<BrandTier, readonly string[]>>;
};

/** A recalled or condemned make, and the components that suffer from it. */
export type Hazard = {
  names: readonly string[];
  typeIds: readonly string[];
  componentIds: ReadonlySet<string>;
};

/** A hazard ratio on `downstream` once `upstream` is in bad state. */
export type Cascade = {
  upstream: string;
  downstream: string;
  ratio: number;
  /** The upstream component's appliance type. */
  upstreamTypeId: string;
  acrossTypes: boolean;
  reason: string;
};

export type ClaimType = {
  id: string;
  label: string;
  /** Hazard ratio at the date of loss. */
  ratio: number;
  systems: readonly System[];
  componentIds: ReadonlySet<string>;
};

export type InspectionRegime = {
  typeId: string;
  inspectionType: string;
  authority: string;
  mandatory: boolean;
  intervalMonths: number;
  resetBy: readonly EventType[];
  note: string | null;
};

export type SmartEventType = {
  eventType: string;
  /** Null for a reading that clears the earlier ones of its sensor. */
  ratios: Readonly<Record<Severity, number>> | null;
  /** What a reading speaks of when it names no component. */
  componentIds: ReadonlySet<string>;
};

export type KeywordGroup = {
  id: string;
  direction: "up" | "down";
  ratio: number;
  /** Match with their simple endings: leak, leaks, leaked, leaking. */
  words: readonly string[];
  /** Match as written. */
  phrases: readonly string[];
  /** What a note on a whole appliance speaks of. */
  componentIds: ReadonlySet<string> | "all";
  /** Appliance types that have one of those components. */
  typeIds: ReadonlySet<string> | "all";
  /** Later events of these types end the finding. */
  clearedBy: readonly EventType[];
};

export type KeywordRules = {
  /** Names the rules: notes that were read by others are read again. */
  version: string;
  groups: readonly KeywordGroup[];
  /** How many words away a negation or resolution may stand. */
  reachWords: number;
  negations: readonly string[];
  notNegations: readonly string[];
  negationsAfter: readonly string[];
  negationsRightAfter: readonly string[];
  clauseEnds: readonly string[];
  verbsAfterAnd: readonly string[];
  listWords: readonly string[];
  resolutions: readonly string[];
  persistence: readonly string[];
  unfulfilled: readonly string[];
  hypotheticals: readonly string[];
  falseFriends: readonly string[];
};

type Fading = { ratio: number; spanMonths: number };

/** Every number of the scoring model that belongs to no component, brand, claim or sensor. */
export type ScoringModel = {
  version: string;
  /**
   * A score is the cumulative probability of failing within `periods` like the coming one: `periodDays`, or
   * `shareOfLife` of the effective lifespan where that is shorter.
   */
  score: { periodDays: number; shareOfLife: number; periods: number; highest: number };
  /** Age alone counts for no more than this probability of having failed. */
  highestPrior: number;
  /** A gap between service events longer than this ends a complete record. */
  record: { longestGapDays: number };
  /** Factor on the median life. */
  brandFactor: Readonly<Record<BrandTier, number>>;
  usageExponent: number;
  environment: { sensitivity: Environment; lowestLifeFactor: number; unknownValue: number };
  restoration: {
    shares: Readonly<Record<Restoration, number>>;
    intervalsCounted: number;
    defaultIntervalMonths: number;
  };
  evidence: {
    emergencyRepair: Fading;
    repair: Fading & { counted: number };
    condition: Readonly<Record<Condition, number>> & { spanMonths: number };
    inspection: Fading;
    keywords: { spanMonths: number };
    hazardBrand: { ratio: number };
    /** `hazard`: what a standing event adds to the acute hazard for each whole its ratio is above 1. */
    smartEvent: { spanDays: number; hazard: number };
    claims: { spanYears: number; counted: number };
    /** Power on the ratio of an event that concerns one component which nobody named. */
    unnamedComponentExponent: number;
    /** Power on the ratio of a fault that a note calls mended. */
    resolvedFindingExponent: number;
    lowestProduct: number;
    highestProduct: number;
  };
  cascade: { fromScore: number; fullAfter: number; highestProduct: number };
  confidence: {
    eventsForHigh: number;
    conditionWithinMonths: number;
    /** Half the width of the projected range, as a share of the effective lifespan. */
    rangeShare: Readonly<Record<Confidence, number>>;
    confidencePct: Readonly<Record<Confidence, number>>;
  };
};

/** Facts that come from one place each, beside those of single components. */
export type FactGroup =
  | "model"
  | "brands"
  | "keywords"
  | "cascades"
  | "claimTypes"
  | "smartEvents"
  | "environments";

export type KnowledgeData = {
  model: ScoringModel;
  types: readonly ApplianceType[];
  brandFamilies: readonly BrandFamily[];
  hazards: readonly Hazard[];
  keywords: KeywordRules;
  cascades: readonly Cascade[];
  claimTypes: readonly ClaimType[];
  regimes: readonly InspectionRegime[];
  smartEvents: readonly SmartEventType[];
  environments: ReadonlyMap<string, Environment>;
  sources: readonly Source[];
  provenance: Readonly<Record<FactGroup, Provenance>>;
};

/** The facts that scores and figures rest on, with their look-ups. */
export type Knowledge = {
  modelVersion: string;
  model: ScoringModel;
  keywords: KeywordRules;
  types: ReadonlyMap<string, ApplianceType>;
  components: ReadonlyMap<string, ComponentDef>;
  claimTypes: ReadonlyMap<string, ClaimType>;
  smartEvents: ReadonlyMap<string, SmartEventType>;
  sources: ReadonlyMap<string, Source>;
  provenance: Readonly<Record<FactGroup, Provenance>>;
  cascades: readonly Cascade[];
  /** Types with a component that can cascade into another type's. */
  cascadingTypes: ReadonlySet<string>;
  /** Components that can. */
  cascadesAcross: ReadonlySet<string>;
  findType(id: string): ApplianceType | undefined;
  /** Throws for an id that the knowledge base lacks: stored ids were checked when they came in. */
  type(id: string): ApplianceType;
  /** Throws likewise. */
  component(defId: string): ComponentDef;
  /** The tier known for the brand in that type's family; case, punctuation and a longer name do not matter. */
  brandTier(typeId: string, brand: string | null): BrandTier | undefined;
  /** Components that suffer from a recalled or condemned make, named as the brand or within the model. */
  hazard(typeId: string, brand: string | null, model: string | null): ReadonlySet<string>;
  cascadesTo(defId: string): readonly Cascade[];
  /** Throws likewise. */
  keywordGroup(id: string): KeywordGroup;
  claimType(id: string): ClaimType | undefined;
  smartEvent(eventType: string): SmartEventType | undefined;
  regimes(typeId: string): readonly InspectionRegime[];
  /** The state's values; the unknown value throughout where none are held. */
  environment(state: string | null): Environment;
};
