import { ENVIRONMENT_FACTORS, PERILS, SYSTEMS } from "../domain/domain-knowledge.ts";
import { EVENT_TYPES } from "../domain/service-event.ts";
import { interpretedType as type } from "../validation/arktype-validators.ts";

/*
 * The schemas of the knowledge base's files. Unknown keys are rejected, since a misspelled one would have no effect. Schemas
 * are interpreted and not compiled, since the build validates each file once.
 */

const token = type("/^[a-z0-9]+(?:_[a-z0-9]+)*$/");
const tokens = token.array();
const text = type("string > 0");
const texts = text.array();
const share = type("0 <= number <= 1");
const positive = type("0 < number <= 1000");
const ratio = type("0.1 <= number <= 6");
const kind = type("'published' | 'derived' | 'estimate'");
/** Rejects other keys. */
const closed = { "+": "reject" } as const;
const provenance = { source: token, kind } as const;
const system = type.enumerated(...SYSTEMS);
const systems = system.array();
const environmentFactors = type.enumerated(...ENVIRONMENT_FACTORS).array();
const eventTypes = type.enumerated(...EVENT_TYPES).array();

const years = type({ ...closed, value: positive, ...provenance });
const weibullShape = type({ ...closed, value: "0.5 <= number <= 10", ...provenance });
const usd = type({ ...closed, value: "0 < number.integer <= 100000000", ...provenance });
const months = type({ ...closed, value: "1 <= number.integer <= 600", ...provenance });

export const applianceFile = type({
  ...closed,
  type_id: token,
  name: text,
  system,
  reference_size: text,
  size: type({
    ...closed,
    unit: text,
    reference: "number > 0",
    exponent: share,
    defaults_to: "'footprint' | 'gross_area' | 'unit_count' | null",
    ...provenance,
  }).or("null"),
  replacement_cost_usd: usd,
  replaced_as_whole: "boolean",
  unit_life_years: years.or("null"),
  components: type({
    ...closed,
    id: token,
    name: text,
    median_life_years: years,
    weibull_shape: weibullShape,
    proactive_cost_usd: usd,
    emergency_cost_usd: usd,
    damage: type({
      ...closed,
      peril: type.enumerated(...PERILS),
      probability: "0 < number <= 1",
      cost_usd: "0 < number.integer <= 100000000",
      ...provenance,
    }).or("null"),
    maintenance_interval_months: months.or("null"),
    environment: { ...closed, value: environmentFactors, ...provenance },
    wear: "'use' | 'calendar'",
    restored_by: type("'preventive' | 'cleaning' | 'filter'").array(),
    replaced: "'alone' | 'with_appliance'",
    fixed_life_years: years.or("null"),
    safety: "boolean",
  })
    .array()
    .atLeastLength(1),
});

export const brandsFile = type({
  ...closed,
  note: text,
  ...provenance,
  unstated: texts,
  families: type({
    ...closed,
    type_ids: tokens,
    premium: texts,
    standard: texts,
    budget: texts,
  }).array(),
  hazards: type({
    ...closed,
    names: texts,
    type_ids: tokens,
    component_ids: tokens,
    reason: text,
    ...provenance,
  }).array(),
});

export const cascadesFile = type({
  ...closed,
  note: text,
  ...provenance,
  rules: type({
    ...closed,
    upstream: token,
    downstream: token,
    ratio: "1 < number <= 2.5",
    reason: text,
  }).array(),
});

export const claimTypesFile = type({
  ...closed,
  note: text,
  ...provenance,
  claim_types: type({
    ...closed,
    id: token,
    label: text,
    ratio: "1 < number <= 2.5",
    systems: systems,
    component_ids: tokens.atLeastLength(1),
  }).array(),
});

const year = type("1800 <= number.integer <= 2100 | null");

export const erasFile = type({
  ...closed,
  note: text,
  ...provenance,
  eras: type({
    ...closed,
    id: token,
    label: text,
    component_ids: tokens.atLeastLength(1),
    from_year: year,
    to_year: year,
    ratio: "1 < number <= 2.5",
    without_brand: "boolean",
    reason: text,
  }).array(),
});

export const hazardsFile = type({
  ...closed,
  note: text,
  ...provenance,
  reach_words: "1 <= number.integer <= 10",
  unit_words: texts,
  abbreviations: texts,
  measures: texts,
  negations: texts,
  removals: type({
    ...closed,
    removed: texts,
    auxiliaries: texts,
    carriers: texts,
    articles: texts,
    follows: texts,
    undone: texts,
    causatives: texts,
  }),
  hazards: type({
    ...closed,
    code: token,
    label: text,
    type_ids: tokens.atLeastLength(1),
    component_ids: tokens,
    outlives_appliance: "boolean",
    names: texts,
    phrases: texts,
    era: type({
      ...closed,
      of: "'building' | 'appliance'",
      from_year: year,
      to_year: year,
      original: "boolean",
      without_brand: "boolean",
      "suspect_brands?": texts,
    }).or("null"),
    excluded_by: tokens,
    authority: text,
    action: "'immediate_hazard' | 'inspect' | 'monitor'",
    action_suspected: "'immediate_hazard' | 'inspect' | 'monitor'",
    reason: text,
    ...provenance,
  }).array(),
});

export const regimesFile = type({
  ...closed,
  note: text,
  regimes: type({
    ...closed,
    type_id: token,
    inspection_type: token,
    authority: text,
    mandatory: "boolean",
    interval_months: "1 <= number.integer <= 600 | null",
    reset_by: eventTypes,
    "component_ids?": token.array(),
    ...provenance,
    note: text.or("null"),
  }).array(),
  notes: type({
    ...closed,
    note: text,
    ...provenance,
    not_done_before: text.array(),
    not_done_right_after: text.array(),
    not_done_after: text.array(),
    favorable: text.array(),
    not_negations: text.array(),
    conjunctions: text.array(),
    joined_over: text.array(),
    completions: text.array(),
    still_due: text.array(),
    other_visits: text.array(),
    other_visits_after: text.array(),
    exceptions: text.array(),
    called_for: text.array(),
    put_off: text.array(),
    verdicts: type({
      ...closed,
      failures: text.array(),
      passes: text.array(),
      no_verdicts: text.array(),
      denials: text.array(),
      doubts: text.array(),
      conditions: text.array(),
      present_conditions: text.array(),
      earlier: text.array(),
      barriers: text.array(),
      subjects: text.array(),
      neutrals: text.array(),
      followers: text.array(),
    }),
    reports: type({
      ...closed,
      results: text.array(),
      work: text.array(),
      answers: text.array(),
      denials: text.array(),
      hearsay: text.array(),
      refusals: text.array(),
      neutrals: text.array(),
      openers: text.array(),
    }),
    no_visits: text.array(),
    visits: text.array(),
    false_friends: text.array(),
    words: type({
      ...closed,
      phrases: text.array(),
      inspection_types: token.array(),
      ...provenance,
    }).array(),
  }),
});

export const censusDivisionsFile = type({
  ...closed,
  note: text,
  ...provenance,
  divisions: type({ ...closed, division: token, states: text.array() }).array(),
});

export const locationFactorsFile = type({
  ...closed,
  note: text,
  costs_of_month: "/^\\d{4}-(0[1-9]|1[0-2])$/",
  edition: text,
  ...provenance,
  territories_without_factor: type("/^[A-Z]{2}$/").array(),
  states: type({ ...closed, state: "/^[A-Z]{2}$/", factor: "0.5 <= number <= 3" }).array(),
});

export const lossClassesFile = type({
  ...closed,
  note: text,
  ...provenance,
  model_error: { ...closed, book: positive, calibrated: positive },
  classes: type({
    ...closed,
    system,
    year_factor_variance: "0 < number <= 1",
    damage_variation: positive,
  }).array(),
});

export const keywordsFile = type({
  ...closed,
  note: text,
  ...provenance,
  groups: type({
    ...closed,
    id: token,
    direction: "'up' | 'down'",
    ratio,
    words: texts,
    phrases: texts,
    component_ids: tokens.or("'all'"),
    "cleared_by?": eventTypes,
  }).array(),
  reach_words: "1 <= number.integer <= 10",
  negations: texts,
  not_negations: texts,
  negations_after: texts,
  negations_right_after: texts,
  clause_ends: texts,
  verbs_after_and: texts,
  list_words: texts,
  resolutions: texts,
  persistence: texts,
  unfulfilled: texts,
  hypotheticals: texts,
  false_friends: texts,
});

export const smartEventsFile = type({
  ...closed,
  note: text,
  ...provenance,
  event_types: type({
    ...closed,
    event_type: token,
    ratios: { ...closed, low: ratio, medium: ratio, high: ratio, critical: ratio },
    component_ids: tokens.atLeastLength(1),
  })
    .or({ ...closed, event_type: token, clears: "true" })
    .array(),
});

export const statesFile = type({
  ...closed,
  note: text,
  ...provenance,
  hard_water_sources: tokens,
  territories_without_values: type("/^[A-Z]{2}$/").array(),
  factors: environmentFactors,
  states: type({
    ...closed,
    state: "/^[A-Z]{2}$/",
    values: share.array(),
    hard_water_basis: "'banded' | 'judgement'",
  }).array(),
});

export const sourcesFile = type({
  ...closed,
  note: text,
  sources: type({
    ...closed,
    token,
    title: text,
    publisher: text,
    year: text.or("null"),
    address: text.or("null"),
    strength: "'A' | 'B' | 'C' | null",
    second_hand: "boolean",
  }).array(),
});

const fading = type({ ...closed, ratio, span_months: positive });
const byConfidence = (of: typeof share | typeof positive) => ({ ...closed, HIGH: of, MEDIUM: of, LOW: of });

export const modelFile = type({
  ...closed,
  model_version: "/^\\d+$/",
  note: text,
  ...provenance,
  tiers: { ...closed, critical_from: share, warning_from: share },
  score: { ...closed, period_days: positive, share_of_life: share, periods: positive, highest: share },
  highest_prior: "0 < number < 1",
  record: { ...closed, longest_gap_days: "number.integer > 0" },
  brand_factor: { ...closed, premium: positive, standard: positive, budget: positive },
  usage_exponent: share,
  environment: {
    ...closed,
    sensitivity: {
      ...closed,
      coastal: share,
      freeze: share,
      hard_water: share,
      heat: share,
      humidity: share,
      hail: share,
      wind: share,
    },
    lowest_life_factor: "0 < number <= 1",
    unknown_value: share,
  },
  restoration: {
    ...closed,
    shares: { ...closed, preventive: share, cleaning: share, filter: share },
    intervals_counted: positive,
    default_interval_months: positive,
  },
  evidence: {
    ...closed,
    emergency_repair: fading,
    repair: { ...closed, ratio, span_months: positive, counted: "number.integer > 0" },
    condition: { ...closed, good: ratio, fair: ratio, poor: ratio, span_months: positive },
    inspection: fading,
    keywords: { ...closed, span_months: positive },
    hazard_brand: { ...closed, ratio },
    smart_event: { ...closed, span_days: positive, hazard: positive },
    claims: { ...closed, span_years: positive, counted: "number.integer > 0" },
    unnamed_component_exponent: share,
    resolved_finding_exponent: share,
    lowest_product: "0 < number <= 1",
    highest_product: "1 <= number <= 100",
  },
  cascade: {
    ...closed,
    from_score: share,
    full_after: "0 < number <= 1",
    highest_product: "1 <= number <= 100",
  },
  life_error: { ...closed, book: share, calibrated: share },
  confidence: {
    ...closed,
    events_for_high: "number.integer > 0",
    condition_within_months: positive,
    range_share: byConfidence(share),
    confidence_pct: byConfidence(positive),
  },
});

/** The files after validation. */
export type CheckedFiles = {
  appliances: (typeof applianceFile.infer)[];
  brands: typeof brandsFile.infer;
  cascades: typeof cascadesFile.infer;
  censusDivisions: typeof censusDivisionsFile.infer;
  claimTypes: typeof claimTypesFile.infer;
  eras: typeof erasFile.infer;
  hazards: typeof hazardsFile.infer;
  regimes: typeof regimesFile.infer;
  keywords: typeof keywordsFile.infer;
  locationFactors: typeof locationFactorsFile.infer;
  lossClasses: typeof lossClassesFile.infer;
  model: typeof modelFile.infer;
  smartEvents: typeof smartEventsFile.infer;
  sources: typeof sourcesFile.infer;
  states: typeof statesFile.infer;
};
