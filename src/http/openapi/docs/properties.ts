import { type } from "arktype";
import { newPropertyShape, propertyChangeShape } from "../../../shapes/property.ts";
import { envelopeFields, ids, instant, rating, text, usd, whole } from "../../replies/fields.ts";
import { propertyFields, propertyRow, unit } from "../../replies/records.ts";
import { createdReply, type OperationDocs, read } from "./types.ts";

const record = type({ ...propertyFields, partner: text });
const example = {
  name: "Harbor View Apartments",
  address: "120 Harbor St",
  city: "New York",
  state: "NY",
  zip: "10013",
  unit_count: 24,
  year_built: 1987,
  partner_property_id: "HV-001",
};

const exposure = {
  total_deferred_maintenance: usd,
  total_reactive_exposure: usd,
  deferred_per_door: usd,
} as const;
const tiers = { critical: whole, warning: whole, good: whole } as const;

const portfolioItem = type({
  property_id: ids.property,
  name: text,
  address: text,
  city: text.or("null"),
  state: text,
  unit_count: whole,
  appliances: whole,
  components: whole,
  ...tiers,
  overall_rating: rating,
  ...exposure,
});

export const propertyDocs: Record<string, OperationDocs> = {
  listProperties: {
    tag: "Properties",
    replies: read("A page of properties", type({ properties: propertyRow.array(), ...envelopeFields })),
  },
  createProperty: {
    tag: "Properties",
    description:
      "Registers a property. Units are made from `unit_count` and labelled from 1. A `partner_property_id` that is already used is a 409.",
    request: newPropertyShape.type,
    example,
    replies: createdReply("The property", record),
  },
  getProperty: { tag: "Properties", replies: read("The property", record) },
  updateProperty: {
    tag: "Properties",
    description:
      "Takes any subset of the fields; null clears an optional one. Raising `unit_count` adds units; lowering it removes the highest-numbered, and is a 409 that names them when one carries an appliance.",
    request: propertyChangeShape.type,
    example: { estimated_value: 8500000 },
    replies: { 200: { description: "The property as it is now", shape: record } },
    errors: [409],
  },
  listUnits: {
    tag: "Properties",
    replies: read(
      "A page of units",
      type({ units: unit.array(), property_id: ids.property, ...envelopeFields }),
    ),
  },
  getPropertySummary: {
    tag: "Figures",
    replies: read(
      "The property at a glance",
      type({
        property: {
          id: ids.property,
          name: text,
          address: text,
          city: text.or("null"),
          state: text,
          unit_count: whole,
        },
        counts: { appliances: whole, components: whole, service_events: whole },
        risk: { ...tiers, overall_rating: rating },
        financials: { ...exposure, recommended_monthly_reserve_per_unit: usd },
        assessed_at: instant,
        partner: text,
      }),
    ),
  },
  getPortfolioSummary: {
    tag: "Figures",
    description:
      "The page's properties with their figures, and totals over the whole portfolio (over the demo properties with `sandbox=true`).",
    replies: read(
      "A page of the portfolio",
      type({
        portfolio: portfolioItem.array(),
        totals: {
          properties: whole,
          appliances: whole,
          components: whole,
          ...tiers,
          total_deferred: usd,
          total_reactive: usd,
        },
        ...envelopeFields,
      }),
    ),
  },
};
