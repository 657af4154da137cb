import type { Tier } from "../forms.ts";
import type { Paged } from "./forms.ts";

/* What the console reads of a component's explanation. Nothing in it is rounded. */

type Sourced<T> = { value: T; source: string; kind: "published" | "derived" | "estimate" };
type Confidence = "HIGH" | "MEDIUM" | "LOW";

export type EvidenceForm = {
  kind: string;
  label: string;
  date: string | null;
  base_ratio: number;
  remaining: number;
  weight: number;
  times: number;
  strength: number;
  factor: number;
  acute_hazard: number;
  ends_on: string | null;
  ended_by: string | null;
  source: string;
  source_kind: string;
};

export type ChangeForm = {
  change: "replacement" | "preventive_visit" | "inspection_good" | "inspection_poor";
  risk_score: number;
  risk_tier: Tier;
  confidence: Confidence;
  q: number;
  note: string | null;
};

export type HazardForm = {
  strength_condition: number;
  strength_repairs: number;
  own_product: number;
  cascades_product: number;
  cascades_highest: number;
  cascades: number;
  product: number;
  lowest: number;
  highest: number;
  hazard_ratio: number;
  acute_hazard: number;
  acute_span_days: number;
};

export type ExplanationForm = {
  as_of: string;
  model_version: string;
  component: {
    component_id: string;
    component_name: string;
    appliance_id: string;
    appliance_brand: string | null;
    property_id: string;
    property_name: string;
  };
  shown: { risk_score: number; risk_tier: Tier };
  definition: {
    appliance: string;
    wear: "use" | "calendar";
    median_life_years: Sourced<number>;
    weibull_shape: Sourced<number>;
    proactive_cost: Sourced<number>;
    reactive_cost: Sourced<number>;
  };
  model_source: { source: string; kind: string };
  life: {
    median_life_years: number;
    overridden: boolean;
    brand_tier: string;
    brand_factor: number;
    kind_factor: number;
    frailty: number;
    frailty_factor: number;
    calibrated_median_years: number;
    weibull_shape: number;
    weibull_scale_years: number;
  };
  rate: {
    usage_intensity: number;
    usage_factor: number;
    environment: { factor: string; sensitivity: number; value: number; life_factor: number }[];
    environment_product: number;
    lowest_life_factor: number;
    life_factor: number;
    source: string;
    years_per_year: number;
  };
  age: {
    reason: "replacement" | "installation" | "unknown_past";
    born_on: string;
    age_years: number;
    counted_from: string;
    counted_days: number;
    restorations: { event_type: string; date: string; share: number; removed_years: number }[];
    unknown_past: {
      records_since: string;
      probability_original_now: number;
    } | null;
    prior_unlimited: number;
    highest_prior: number;
    prior: number;
    effective_age_years: number;
  };
  evidence: EvidenceForm[];
  hazard: HazardForm;
  score: {
    period_days: number;
    usual_period_days: number;
    share_of_life: number;
    effective_lifespan_years: number;
    hazard_by_age: number;
    acute_share: number;
    cumulative_hazard: number;
    q: number;
    periods: number;
    cumulative_risk: number;
    highest: number;
    risk_score: number;
    risk_tier: Tier;
    warning_from: number;
    critical_from: number;
    failure_probability_12m: number;
  };
  confidence: {
    level: Confidence;
    service_events: number;
    condition_observed_on: string | null;
    brand_known: boolean;
    raised_to: Confidence | null;
    raised_by: string[];
  };
  projection: {
    projected_failure_on: string;
    projected_failure_year: number;
    earliest: number;
    latest: number;
    confidence_pct: number;
  };
  changes: ChangeForm[];
  decision: {
    policy: "replace_now" | "replace_at_age" | "run_to_failure";
    replace_on: string | null;
    proactive_cost: number;
    reactive_cost: number;
    yearly_cost: number;
    yearly_cost_run_to_failure: number;
    failure_probability_12m: number;
    risked_a_year: number;
    cost_of_waiting_a_year: number;
  };
  sources: {
    token: string;
    title: string;
    publisher: string;
    year: string | null;
    address: string | null;
    strength: "A" | "B" | "C" | null;
    second_hand: boolean;
  }[];
};

/** A component in a list, of any partner. */
export type ListedComponentForm = {
  component_id: string;
  component_name: string;
  appliance_id: string;
  appliance_type: string;
  property_id: string;
  property_name: string;
  partner_id: string;
  risk_score: number;
  risk_tier: Tier;
  confidence: Confidence;
  projected_failure_year: number;
  failure_probability_12m: number;
};
export type ComponentPageForm = Paged & { components: ListedComponentForm[] };
