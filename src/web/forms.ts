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
