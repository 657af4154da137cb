import { type } from "arktype";
import {
  confidence,
  day,
  ids,
  instant,
  probability,
  rating,
  riskScore,
  text,
  tier,
  usd,
  whole,
} from "../../replies/fields.ts";
import { property, propertyFields } from "../../replies/records.ts";
import { createdReply, type OperationDocs, read } from "./types.ts";

const tiers = { critical: whole, warning: whole, good: whole } as const;
const named = { property_id: ids.property, name: text } as const;

const itemFields = {
  component_id: ids.component,
  component_name: text,
  appliance_id: ids.appliance,
  appliance_type: text,
  unit: ids.unit.or("null"),
  risk_score: riskScore,
  risk_tier: tier,
  confidence,
  projected_failure_year: whole,
  proactive_cost: usd,
  reactive_cost: usd,
} as const;
export const reportItem = type({ ...itemFields, age_years: "number >= 0" });

export const forecastWindow = type({
  label: text,
  component_count: whole,
  proactive_cost: usd,
  emergency_cost_if_ignored: usd,
  savings_potential: usd,
  components: type({ ...itemFields, failure_probability: probability }).array(),
});

export const reserve = type({
  label: text,
  per_unit_per_month: usd,
  per_unit_per_year: usd,
  property_per_month: usd,
});

export const figureDocs: Record<string, OperationDocs> = {
  getPropertyReport: {
    tag: "Figures",
    replies: read(
      "The report",
      type({
        property,
        overall: { rating, nci_equivalent: whole, components_assessed: whole },
        categories: type({ "[string]": { ...tiers, deferred: usd } }),
        critical: reportItem.array(),
        warning: reportItem.array(),
        good: reportItem.array(),
        financials: {
          total_deferred: usd,
          total_reactive_exposure: usd,
          deferred_per_door: usd,
          estimated_savings_if_acted: usd,
          recommended_monthly_reserve_per_unit: usd,
        },
        assessed_at: instant,
        partner: text,
      }),
    ),
  },
  getPropertyForecast: {
    tag: "Figures",
    description:
      "Windows are cumulative. A window holds the components that are CRITICAL now or will be by its end through ageing alone, and those that fail within it with a probability of 0.25 or more.",
    replies: read(
      "The forecast",
      type({
        ...named,
        forecast: {
          window_30_days: forecastWindow,
          window_60_days: forecastWindow,
          window_90_days: forecastWindow,
        },
        generated_at: instant,
        partner: text,
      }),
    ),
  },
  getPropertyReserve: {
    tag: "Figures",
    description:
      "What the replacements expected within 12, 24 and 36 months cost, spread over the months: elevated components in full, others by their probability of failing until then. The last spreads the whole replacement cost value over ten years.",
    replies: read(
      "The reserves",
      type({
        ...named,
        unit_count: whole,
        total_deferred: usd,
        reserves: {
          "12_month": reserve,
          "24_month": reserve,
          "36_month": reserve,
          "10_year_full_replacement": reserve,
        },
        generated_at: instant,
        partner: text,
      }),
    ),
  },
  getPropertyConditionScore: {
    tag: "Figures",
    description:
      "The facility condition index of the field: what the critical components cost, and half of what those in warning cost, as a share of the replacement value. 100 without components.",
    replies: read(
      "The condition",
      type({
        ...named,
        condition_score: "1 <= number.integer <= 100",
        grade: type.enumerated("A", "B", "C", "D", "F"),
        rating,
        components_assessed: whole,
        ...tiers,
        methodology: text,
        assessed_at: instant,
        partner: text,
      }),
    ),
  },
  getPropertyReplacementCost: {
    tag: "Figures",
    description:
      "An appliance counts with the smaller of its components' cost and the whole unit's. The exposures are what failures would cost; together they are the total reactive exposure.",
    replies: read(
      "The replacement cost value",
      type({
        ...named,
        unit_count: whole,
        total_replacement_cost: usd,
        rcv_per_unit: usd,
        critical_exposure: usd,
        warning_exposure: usd,
        systems: type({ system: text, total_rcv: usd, components: whole, ...tiers }).array(),
        estimated_value: usd.or("null"),
        deferred_as_pct_of_value: text.or("null"),
        assessed_at: instant,
        partner: text,
      }),
    ),
  },
  getPropertyCompliance: {
    tag: "Figures",
    description:
      "An item for each appliance and inspection. It is due an interval after the newest matching service event that was passed, else an interval after 1 July of the install year. OVERDUE is past due, DUE_SOON within 30 days, UPCOMING within 90.",
    replies: read(
      "The inspections",
      type({
        ...named,
        compliance_items: type({
          appliance_id: ids.appliance,
          appliance_type: text,
          brand: text.or("null"),
          unit: ids.unit.or("null"),
          inspection_type: text,
          authority: text,
          mandatory: "boolean",
          interval_months: whole,
          last_inspection: day.or("null"),
          due_date: day,
          days_until_due: "number.integer",
          status: type.enumerated("OVERDUE", "DUE_SOON", "UPCOMING", "OK"),
        }).array(),
        overdue: whole,
        partner: text,
      }),
    ),
  },
  createDemoProperty: {
    tag: "Onboarding",
    description: "One to a partner: a second is a 409. It is left out of billing.",
    replies: createdReply(
      "The demo property",
      type({ ...propertyFields, appliances: whole, components: whole, partner: text }),
    ),
    errors: [409],
  },
};
