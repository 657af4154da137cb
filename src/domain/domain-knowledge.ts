import type { CostAdjustment, CostOrigin } from "./costs/cost-adjustment.ts";
import type { HazardDef } from "./hazards/hazard-definition.ts";
import type { VerdictRules } from "./scoring/inspection-verdicts-in-notes.ts";
import type { ReportRules } from "./scoring/inspections-reported-in-notes.ts";
import type { RemovalRules } from "./scoring/removals-reported-in-notes.ts";
import type { BrandTier, Confidence } from "./scoring/scoring-types.ts";
import type { Severity } from "./sensor-event.ts";
import type { Condition, EventType } from "./service-event.ts";

/** The origin of a number: the token of a source, and how the number was taken from it. */
export type Provenance = { source: string; kind: "published" | "derived" | "estimate" };

type Source = {
  token: string;
  title: string;
  publisher: string;
  year: string | null;
  address: string | null;
  /** A: government, standards body or lender; B: professional table or academic fit; C: trade page. */
  strength: "A" | "B" | "C" | null;
  /** True if it was read in a transcription or citation. */
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

/** Returns whether a CRITICAL component of the system lowers a property's rating. */
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
/** The strength of each factor at a place, 0 to 1. */
export type PlaceEnvironment = Readonly<Record<EnvironmentFactor, number>>;

/** The kinds of maintenance that take back a share of a component's age. */
export type Restoration = "preventive" | "cleaning" | "filter";

/** `use`: aging depends on the appliance's use; `calendar`: on time alone. */
type Wear = "use" | "calendar";

/** `alone`: the part may be replaced on its own; `with_appliance`: it is as old as its appliance. */
type ReplacedHow = "alone" | "with_appliance";

export const PERILS = ["water", "sewer_backup", "fire"] as const;
export type Peril = (typeof PERILS)[number];

/** The damage to the property that a failure does with a probability; its mean cost. */
type Damage = { peril: Peril; probability: number; cents: number };

/** A component of an appliance type. Lives in years, costs in cents. */
export type ComponentDef = {
  id: string;
  typeId: string;
  name: string;
  system: System;
  /** True for a life-safety or conveyance system. */
  vital: boolean;
  medianLifeYears: number;
  weibullShape: number;
  /** Cost of planned replacement. */
  proactiveCents: number;
  /** Cost of replacement after a failure, without damage to the property. */
  emergencyCents: number;
  /** Null for a component whose failure damages nothing else. */
  damage: Damage | null;
  /** Expected cost of a failure: the emergency cost and the probable damage. */
  reactiveCents: number;
  /** Null for a component without regular maintenance. */
  maintenanceIntervalMonths: number | null;
  environment: readonly EnvironmentFactor[];
  wear: Wear;
  restoredBy: readonly Restoration[];
  replaced: ReplacedHow;
  /** The age at which a standard, a maker or an insurer has it replaced whatever its condition; null without one. */
  fixedLifeYears: number | null;
  /** True for life safety, conveyance, gas and relief devices, balconies: never planned to run to failure. */
  safety: boolean;
  provenance: {
    medianLife: Provenance;
    weibullShape: Provenance;
    proactiveCost: Provenance;
    emergencyCost: Provenance;
    /** Null without damage. */
    damage: Provenance | null;
    /** Null without an interval. */
    maintenanceInterval: Provenance | null;
    environment: Provenance;
    /** Null without a fixed life. */
    fixedLife: Provenance | null;
  };
};

export type ApplianceType = {
  id: string;
  name: string;
  system: System;
  /** The size that the costs are for, such as "one 3-ton split system". */
  referenceSize: string;
  /** How costs follow the size; null for a type whose costs do not. */
  size: ApplianceSize | null;
  /** Cost of replacing the whole unit. */
  replacementCents: number;
  /** Replacement cost value: the smaller of the whole unit's cost and the sum of its components' proactive costs. */
  rcvCents: number;
  /** Null for a type whose parts are replaced one by one. */
  whole: WholeUnit | null;
  components: readonly ComponentDef[];
};

/** Costs are those of the reference size times (size ÷ reference)^exponent. */
type ApplianceSize = {
  unit: string;
  reference: number;
  exponent: number;
  /**
   * The property's own size that stands in for a missing one: its gross area, that area by story, or its units. Such a type
   * is a part of the building, and a failure of it damages the more places, the larger it is.
   */
  defaultsTo: SizeDefault | null;
};

/** A size of the property: its gross area by story, that area, or its units. */
export type SizeDefault = "footprint" | "gross_area" | "unit_count";

/** A type that is replaced as a whole (docs/model/figures.md#costs): with its principal part, or at a life of its own. */
type WholeUnit = {
  /** The part whose failure is the unit's, and what the unit costs after it, damage aside; not rounded. */
  principal: { defId: string; emergencyCents: number } | null;
  /** The life of a unit without a principal part. */
  lifeYears: number | null;
};

/** Parameters of the losses of a building system's components. */
export type LossClass = {
  /** Variance of the factor on a year's failures that the components of one census division share. */
  yearFactorVariance: number;
  /** Coefficient of variation of a damage. */
  damageVariation: number;
};

/** Standard deviation of the logarithm of the error that all forecasts of a year share, by the lives in use. */
type LossModelError = { book: number; calibrated: number };

/** The brand names of each tier for a family of appliance types. */
export type BrandFamily = {
  typeIds: readonly string[];
  tiers: Readonly<Record<BrandTier, readonly string[]>>;
};

/** A recalled or condemned make, and the components that it harms. */
export type Hazard = {
  names: readonly string[];
  typeIds: readonly string[];
  componentIds: ReadonlySet<string>;
};

/** A rule by which `upstream`, in a bad state, harms `downstream`. */
export type Cascade = {
  upstream: string;
  downstream: string;
  /** Hazard ratio at full effect. */
  ratio: number;
  /** The upstream component's appliance type. */
  upstreamTypeId: string;
  /** True if the two components are of different appliance types. */
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

/** The likely make of original parts of buildings of some years, and its hazard ratio. */
export type Era = {
  id: string;
  /** A description in words. */
  label: string;
  componentIds: ReadonlySet<string>;
  /** The building's years, inclusive. */
  firstYear: number;
  lastYear: number;
  ratio: number;
  /** True if it applies only to an appliance without a brand. */
  withoutBrand: boolean;
};

/** How notes name known hazards; `units` finds the units that a note is about, such as "unit 3". */
export type HazardWords = { rules: KeywordRules; units: RegExp };

/**
 * An inspection that an appliance type needs at an interval. Events of the types `resetBy` can be one; those of one of the
 * components `componentIds` alone, too.
 */
export type InspectionRegime = {
  typeId: string;
  inspectionType: string;
  authority: string;
  mandatory: boolean;
  intervalMonths: number;
  resetBy: readonly EventType[];
  componentIds: ReadonlySet<string>;
  note: string | null;
};

export type SmartEventType = {
  eventType: string;
  /** Hazard ratios by severity; null for a normal reading, which clears earlier warnings of its sensor. */
  ratios: Readonly<Record<Severity, number>> | null;
  /** The components that a reading concerns if it names none. */
  componentIds: ReadonlySet<string>;
};

export type KeywordGroup = {
  id: string;
  direction: "up" | "down";
  ratio: number;
  /** Matched with their simple endings: leak, leaks, leaked, leaking. */
  words: readonly string[];
  /** Matched as written. */
  phrases: readonly string[];
  /** The components that a note on a whole appliance concerns. */
  componentIds: ReadonlySet<string> | "all";
  /** The appliance types with one of those components. */
  typeIds: ReadonlySet<string> | "all";
  /** Event types that end the finding. */
  clearedBy: readonly EventType[];
};

export type KeywordRules = {
  /** Identifies the rules. Notes that were read by other rules are read again. */
  version: string;
  groups: readonly KeywordGroup[];
  /** The largest distance of a negation or resolution, in words. */
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
  /** Words that join what is denied together before the denial, such as "and", and words that may stand beside them. */
  conjunctions: readonly string[];
  joinedOver: readonly string[];
  /** Words that report a thing as done, after which phrases behind it are of something else, except those of `stillDue`. */
  completions: readonly string[];
  stillDue: readonly string[];
  /** Phrases before and after the mention of another visit, such as "next" and "last", which do not say that it was missed now. */
  otherVisits: readonly string[];
  otherVisitsAfter: readonly string[];
  /** Negations that deny nothing of what failed: "all passed except". */
  exceptions: readonly string[];
  /** Negations of what may have been done at last: after it ("completed the required"), those of `putOff` also before it. */
  calledFor: readonly string[];
  putOff: readonly string[];
  /** Undefined for rules of what neither passes nor fails. */
  verdicts?: VerdictRules;
  /** Undefined for rules of what needs no report. */
  reports?: ReportRules;
  /** Apply in the place of `resolutions` to things that may be gone, which questions do not name; null for rules of faults. */
  removals: RemovalRules | null;
};

type Fading = { ratio: number; spanMonths: number };

/** The parameters of the scoring model that belong to no component, brand, claim or sensor (docs/model/scoring.md). */
export type ScoringModel = {
  version: string;
  /**
   * A score is the probability of failing within `periods` periods as risky as the coming one. A period is `periodDays`,
   * or `shareOfLife` of the effective lifespan if that is shorter.
   */
  score: { periodDays: number; shareOfLife: number; periods: number; highest: number };
  /** The highest probability of having failed that age alone gives. */
  highestPrior: number;
  /** The longest gap between service events within a complete record. */
  record: { longestGapDays: number };
  /** Factor on the median life. */
  brandFactor: Readonly<Record<BrandTier, number>>;
  usageExponent: number;
  environment: { sensitivity: PlaceEnvironment; lowestLifeFactor: number; unknownValue: number };
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
    /** `hazard`: an active warning adds this times (ratio − 1) to the acute hazard. */
    smartEvent: { spanDays: number; hazard: number };
    claims: { spanYears: number; counted: number };
    /** Exponent on the ratio of an event on a whole appliance that concerns one component. */
    unnamedComponentExponent: number;
    /** Exponent on the ratio of a fault that a note reports as fixed. */
    resolvedFindingExponent: number;
    lowestProduct: number;
    highestProduct: number;
  };
  cascade: { fromScore: number; fullAfter: number; highestProduct: number };
  /** Standard deviation of the error of a life's logarithm. */
  lifeError: { book: number; calibrated: number };
  confidence: {
    eventsForHigh: number;
    conditionWithinMonths: number;
    /** Half the width of the projected range as a share of the effective lifespan. */
    rangeShare: Readonly<Record<Confidence, number>>;
    confidencePct: Readonly<Record<Confidence, number>>;
  };
};

/** Groups of facts that share one provenance each. */
export type FactGroup =
  | "model"
  | "brands"
  | "keywords"
  | "cascades"
  | "claimTypes"
  | "eras"
  | "smartEvents"
  | "environments"
  | "locationFactors";

export type KnowledgeData = {
  model: ScoringModel;
  types: readonly ApplianceType[];
  brandFamilies: readonly BrandFamily[];
  /** The texts of registers that say that no brand is known. */
  unstatedBrands: readonly string[];
  hazards: readonly Hazard[];
  knownHazards: readonly (HazardDef & { names: readonly string[]; suspectBrands: readonly string[] })[];
  keywords: KeywordRules;
  /** The rules that find inspections in a note; a group's id is its inspection types, separated by spaces. */
  inspectionWords: KeywordRules;
  hazardWords: HazardWords;
  cascades: readonly Cascade[];
  claimTypes: readonly ClaimType[];
  eras: readonly Era[];
  costs: CostOrigin;
  lossClasses: ReadonlyMap<System, LossClass>;
  lossModelError: LossModelError;
  /** The census division of each state. */
  divisions: ReadonlyMap<string, string>;
  regimes: readonly InspectionRegime[];
  smartEvents: readonly SmartEventType[];
  environments: ReadonlyMap<string, PlaceEnvironment>;
  sources: readonly Source[];
  provenance: Readonly<Record<FactGroup, Provenance>>;
};

/** The knowledge base: the facts behind scores and figures, with look-ups. */
export type Knowledge = {
  modelVersion: string;
  model: ScoringModel;
  keywords: KeywordRules;
  /** The rules that find inspections in a note; a group's id is its inspection types, separated by spaces. */
  inspectionWords: KeywordRules;
  /** The rules that find known hazards in notes. */
  hazardWords: HazardWords;
  /** The known hazards by code. */
  knownHazards: ReadonlyMap<string, HazardDef>;
  types: ReadonlyMap<string, ApplianceType>;
  components: ReadonlyMap<string, ComponentDef>;
  claimTypes: ReadonlyMap<string, ClaimType>;
  smartEvents: ReadonlyMap<string, SmartEventType>;
  sources: ReadonlyMap<string, Source>;
  costs: CostOrigin;
  /** Scales the costs of the types; its own by default. */
  priceTerms: CostAdjustment;
  /** The replacement value of a building per square foot of its gross area. */
  buildingCentsPerSqft: number;
  provenance: Readonly<Record<FactGroup, Provenance>>;
  cascades: readonly Cascade[];
  /** Types with a component that cascades into another type. */
  cascadingTypes: ReadonlySet<string>;
  /** Components that cascade into another type. */
  cascadesAcross: ReadonlySet<string>;
  findType(id: string): ApplianceType | undefined;
  /** Throws for an unknown id: stored ids were validated. */
  type(id: string): ApplianceType;
  /** Throws for an unknown id. */
  component(defId: string): ComponentDef;
  /** Returns the brand's tier for the type, ignoring case, punctuation and a longer name; undefined if unknown. */
  brandTier(typeId: string, brand: string | null): BrandTier | undefined;
  /** Returns whether a text names a brand; false for one that says that none is known. */
  statesBrand(brand: string | null): boolean;
  /** Returns whether the maker also made others than the hazard, so that its name rules nothing out. */
  isSuspectBrand(code: string, brand: string | null): boolean;
  /** Returns the components that a recalled or condemned make harms, if the brand or the model names one. */
  hazard(typeId: string, brand: string | null, model: string | null): ReadonlySet<string>;
  /** Throws for an unknown code. */
  knownHazard(code: string): HazardDef;
  hazardsOf(typeId: string): readonly HazardDef[];
  /** Returns the codes of the known hazards that the brand or the model names. */
  namedHazards(typeId: string, brand: string | null, model: string | null): ReadonlySet<string>;
  /** Returns whether the component is the upstream component of a rule. */
  isUpstream(defId: string): boolean;
  cascadesTo(defId: string): readonly Cascade[];
  /** Throws for an unknown id. */
  keywordGroup(id: string): KeywordGroup;
  lossModelError: LossModelError;
  /** Returns the census division of a state; `unknown` for any other text. */
  division(state: string): string;
  lossClass(system: System): LossClass;
  erasOf(defId: string): readonly Era[];
  claimType(id: string): ClaimType | undefined;
  smartEvent(eventType: string): SmartEventType | undefined;
  regimes(typeId: string): readonly InspectionRegime[];
  /** Returns whether the climate of a place is known, as it is of the US states and DC. */
  knowsClimate(state: string | null): boolean;
  /** Returns the state's climate; the unknown value throughout for a state without values. */
  environment(state: string | null): PlaceEnvironment;
};
