/*
 * What the sections read of the wire's forms: the bodies of the public API as they come, of which a page on the server
 * and one in the browser are made alike.
 */

export type Tier = "CRITICAL" | "WARNING" | "GOOD";

/** Of `GET /v1/properties/{id}`. */
export type PropertyForm = {
  id: string;
  name: string;
  address: string;
  city: string | null;
  state: string;
  zip: string | null;
  unit_count: number;
  year_built: number | null;
};

/** Of `GET /v1/components`. */
export type ComponentForm = {
  component_id: string;
  component_name: string;
  component_def_id: string;
  appliance_id: string;
  appliance_type: string;
  appliance_brand: string | null;
  unit: string | null;
  risk_score: number;
  risk_tier: Tier;
  confidence: "HIGH" | "MEDIUM" | "LOW";
  age_years: number;
  install_year: number;
  projected_failure_year: number;
  projected_failure_range: { earliest: number; latest: number; confidence_pct: number };
  failure_probability_12m: number;
  proactive_cost: number;
  reactive_cost: number;
};

/** Of `GET /v1/appliance-types`. */
export type ApplianceTypeForm = { type_id: string; name: string; system: string };

/** Of `GET /v1/property/{id}/units`. */
export type UnitForm = { id: string; label: string };

/** Of `GET /v1/property/{id}/condition-score`. */
export type ConditionForm = {
  condition_score: number | null;
  grade: string | null;
  rating: string | null;
  components_assessed: number;
  critical: number;
  warning: number;
  good: number;
  methodology: string;
};

/** Of `GET /v1/property/{id}/forecast`. */
export type ForecastForm = {
  forecast: Readonly<
    Record<
      `window_${30 | 60 | 90}_days`,
      {
        label: string;
        component_count: number;
        proactive_cost: number;
        emergency_cost_if_ignored: number;
        savings_potential: number;
      }
    >
  >;
};

type ReserveSpan = {
  label: string;
  per_unit_per_month: number;
  per_unit_per_year: number;
  property_per_month: number;
};

/** Of `GET /v1/property/{id}/reserve`. */
export type ReserveForm = {
  unit_count: number;
  reserves: Readonly<Record<"12_month" | "24_month" | "36_month" | "10_year_full_replacement", ReserveSpan>>;
};

/** An item of `GET /v1/property/{id}/compliance`. */
export type InspectionForm = {
  appliance_id: string;
  appliance_type: string;
  unit: string | null;
  inspection_type: string;
  authority: string;
  mandatory: boolean;
  interval_months: number;
  last_inspection: string | null;
  due_date: string;
  days_until_due: number;
  status: "OVERDUE" | "DUE_SOON" | "UPCOMING" | "OK";
};

/** A point of `GET /v1/components/{id}/trend`. */
export type TrendPointForm = { date: string; risk_score: number; risk_tier: Tier };

/** An event of `GET /v1/components/{id}/history`. */
export type HistoryEventForm = {
  event_type: string;
  date: string;
  total_cost: number | null;
  condition_after: string | null;
};

type Deposit = { per_year: number; per_unit_per_year: number; per_unit_per_month: number };

export type PlanYearForm = {
  year: number;
  planned_cost: number;
  failure_cost: number;
  total: number;
  run_to_failure: number;
  total_inflated: number;
  per_unit_inflated: number;
};

/** What the plans of a property and of a portfolio say alike. */
export type PlanSummaryForm = {
  as_of: string;
  years: number;
  inflation_pct: number;
  immediate: { component_count: number; cost: number };
  schedule: readonly PlanYearForm[];
  totals: {
    planned: number;
    planned_inflated: number;
    run_to_failure: number;
    run_to_failure_inflated: number;
    savings: number;
  };
  level_deposit: Readonly<Record<"50" | "80" | "95", Deposit>>;
  assumptions: readonly string[];
};

/** A component of `GET /v1/property/{id}/plan`. */
export type PlannedComponentForm = {
  component_id: string;
  component_name: string;
  component_def_id: string;
  appliance_type: string;
  unit: string | null;
  age_years: number;
  effective_age_years: number;
  expected_life_years: number;
  remaining_life_years: number;
  policy: "replace_now" | "replace_at_age" | "run_to_failure";
  replace_on: string | null;
  cost_of_waiting_a_year: number;
  proactive_cost: number;
  reactive_cost: number;
  risk_tier: Tier;
};

/** Of `GET /v1/property/{id}/plan`. */
export type PropertyPlanForm = PlanSummaryForm & {
  unit_count: number;
  components: readonly PlannedComponentForm[];
};

/** A row of the same with `format=csv`: `yearly_costs` are its columns of years. */
export type ScheduledComponentForm = PlannedComponentForm & { yearly_costs: readonly number[] };

/** The whole plan with what each component costs in each year. */
export type ScheduledPlanForm = Omit<PropertyPlanForm, "components"> & {
  components: readonly ScheduledComponentForm[];
};
