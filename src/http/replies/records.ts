import { type } from "arktype";
import { EVENT_TYPES } from "../../domain/service-event.ts";
import { confidence, day, ids, instant, probability, riskScore, text, tier, usd, whole } from "./fields.ts";

const propertyRowFields = {
  id: ids.property,
  name: text,
  address: text,
  city: text.or("null"),
  state: text,
  zip: text.or("null"),
  unit_count: whole,
  created_at: instant,
} as const;

export const propertyRow = type(propertyRowFields);

export const propertyFields = {
  ...propertyRowFields,
  year_built: whole.or("null"),
  estimated_value: usd.or("null"),
  is_demo: type("boolean"),
  partner_property_id: text.or("null"),
  notes: text.or("null"),
  source: type.enumerated("api", "import", "sensor_event", "demo"),
  updated_at: instant,
} as const;

export const property = type(propertyFields);

export const unit = type({ id: ids.unit, property_id: ids.property, label: text, created_at: instant });

export const applianceFields = {
  id: ids.appliance,
  property_id: ids.property,
  unit_id: ids.unit.or("null"),
  type_id: text,
  brand: text.or("null"),
  model: text.or("null"),
  serial: text.or("null"),
  brand_tier: type.enumerated("premium", "standard", "budget"),
  install_year: whole,
  usage_intensity: type("0.5 <= number <= 2"),
  warranty_expiry: day.or("null"),
  created_at: instant,
  updated_at: instant,
} as const;

export const appliance = type(applianceFields);

export const componentStub = type({ id: ids.component, component_def_id: text, component_name: text });

export const component = type({
  id: ids.component,
  component_id: ids.component,
  component_name: text,
  component_def_id: text,
  appliance_id: ids.appliance,
  appliance_type: text,
  appliance_brand: text.or("null"),
  unit: ids.unit.or("null"),
  property_id: ids.property,
  property_name: text,
  risk_score: riskScore,
  risk_tier: tier,
  confidence,
  age_years: type("number >= 0"),
  install_year: whole,
  last_replaced: day.or("null"),
  last_serviced: day.or("null"),
  override_lifespan: whole.or("null"),
  projected_failure_year: whole,
  projected_failure_range: { earliest: whole, latest: whole, confidence_pct: whole },
  failure_probability_12m: probability,
  proactive_cost: usd,
  reactive_cost: usd,
  last_scored: instant,
});

export const alert = type({
  id: ids.component,
  component_id: ids.component,
  component_name: text,
  component_def_id: text,
  appliance_id: ids.appliance,
  appliance_type: text,
  property_id: ids.property,
  property_name: text,
  property_address: text,
  risk_score: riskScore,
  risk_tier: tier,
  confidence,
});

export const eventType = type.enumerated(...EVENT_TYPES);
const condition = type.enumerated("good", "fair", "poor");

export const serviceEvent = type({
  id: ids.serviceEvent,
  appliance_id: ids.appliance,
  component_id: ids.component.or("null"),
  event_type: eventType,
  date: day,
  parts_cost: usd.or("null"),
  labor_cost: usd.or("null"),
  total_cost: usd.or("null"),
  technician: text.or("null"),
  notes: text.or("null"),
  condition_after: condition.or("null"),
  created_at: instant,
});

export const historyEvent = type({
  id: ids.serviceEvent,
  event_type: eventType,
  date: day,
  technician: text.or("null"),
  total_cost: usd.or("null"),
  notes: text.or("null"),
  condition_after: condition.or("null"),
});

export const trendPoint = type({ date: day, risk_score: riskScore, risk_tier: tier });
