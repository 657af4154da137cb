import type { ComponentForm, PlanSummaryForm, Tier } from "../forms.ts";

/* What the portfolio app reads of the public API's answers, beside what the sections read. */

type Paged = { total: number; limit: number; offset: number; partner: string };

/** An item of `GET /v1/portfolio/summary`. */
export type PortfolioItemForm = {
  property_id: string;
  name: string;
  address: string;
  city: string | null;
  state: string;
  unit_count: number;
  appliances: number;
  components: number;
  critical: number;
  warning: number;
  good: number;
  overall_rating: string | null;
  total_deferred_maintenance: number;
  total_reactive_exposure: number;
  deferred_per_door: number;
};

export type PortfolioTotalsForm = {
  properties: number;
  appliances: number;
  components: number;
  critical: number;
  warning: number;
  good: number;
  total_deferred: number;
  total_reactive: number;
};

export type PortfolioPageForm = Paged & {
  portfolio: PortfolioItemForm[];
  totals: PortfolioTotalsForm;
};

/** Of `GET /v1/portfolio/plan` with a budget. */
export type PortfolioPlanForm = PlanSummaryForm & {
  total: number;
  portfolio: readonly PlannedPropertyForm[];
  budget: { amount: number; spent: number; avoided: number; chosen_count: number };
  partner: string;
};

export type PlannedPropertyForm = {
  property_id: string;
  name: string;
  unit_count: number;
  immediate: { component_count: number; cost: number };
  cost_of_waiting_a_year: number;
  budget: { chosen_count: number; spent: number; avoided: number };
};

/** An item of `GET /v1/appliances`. */
export type ApplianceForm = {
  id: string;
  property_id: string;
  unit_id: string | null;
  type_id: string;
  brand: string | null;
  model: string | null;
  serial: string | null;
  brand_tier: string | null;
  install_year: number;
  usage_intensity: number | null;
  warranty_expiry: string | null;
};

/** Of `GET /v1/appliances/{id}`. */
export type WholeApplianceForm = ApplianceForm & {
  components: (ComponentForm & { property_id: string; property_name: string })[];
};

export type PhotoForm = {
  filename: string;
  original_name: string;
  uploaded_at: string;
  event_type: string | null;
  event_date: string | null;
};

/** Of `GET /v1/appliances/{id}/photos`. */
export type PhotosForm = { service_event_photos: PhotoForm[]; appliance_photos: PhotoForm[]; total: number };

/** An item of `GET /v1/property/{id}/claims`. */
export type ClaimForm = {
  id: string;
  claim_type: string;
  date_of_loss: string;
  claim_number: string | null;
  carrier: string | null;
  amount_paid: number | null;
  description: string | null;
  status: string;
  scoring_impact: number;
};

/** Of `GET /v1/components/{id}/history`. */
export type ComponentHistoryForm = {
  component: { id: string; component_name: string; appliance_id: string; appliance_type: string };
  events: ServiceEventForm[];
};

export type ServiceEventForm = {
  id: string;
  event_type: string;
  date: string;
  technician: string | null;
  total_cost: number | null;
  notes: string | null;
  condition_after: string | null;
};

/** An item of `GET /v1/alerts`. */
export type AlertForm = {
  component_id: string;
  component_name: string;
  appliance_id: string;
  appliance_type: string;
  property_id: string;
  property_name: string;
  property_address: string;
  risk_score: number;
  risk_tier: Tier;
  confidence: string;
  projected_failure_year: number;
  failure_probability_12m: number;
  proactive_cost: number;
  reactive_cost: number;
};

export type AlertPageForm = Paged & {
  alerts: AlertForm[];
  critical_count: number;
  warning_count: number;
};

export type DeliveryStatus = "pending" | "delivered" | "failed";

/** An item of `GET /v1/webhook-deliveries`. */
export type DeliveryForm = {
  id: string;
  event: string;
  status: DeliveryStatus;
  created_at: string;
  next_attempt_at: string | null;
  finished_at: string | null;
  attempt_count: number;
  attempts: {
    attempt: number;
    started_at: string;
    duration_ms: number;
    status_code: number | null;
    error: string | null;
    response_head: string;
  }[];
};

export type DeliveryPageForm = Paged & { deliveries: DeliveryForm[] };
