import type { DamageCosts, PartCosts } from "../domain/costs/component-costs.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import { PERILS, type Peril } from "../domain/domain-knowledge.ts";
import { costBasis, costSize } from "./costs-schema.ts";
import { jsonUsdFromCents } from "./definition/json-unit-conversion.ts";
import {
  enumSchema,
  numberSchema,
  objectSchema,
  textSchema,
  usdSchema,
} from "./definition/schema-field-types.ts";

/** The costs of a component in its place, and how they follow from the knowledge base or from own costs. */
export const explainedCosts = objectSchema({
  cost_basis: costBasis,
  proactive_cost: usdSchema("Cost of a planned replacement; of the whole unit for a principal part", 1450),
  emergency_cost: usdSchema("Cost of replacement after a failure, without damage to the property", 1885),
  damage: objectSchema({
    peril: enumSchema<Peril>(PERILS, "What the damage counts as", "water"),
    expected: numberSchema("Number of damages that a failure is expected to do, κ", 0.024),
    cost: usdSchema("Mean cost of a damage", 8000),
  }).orNull(),
  reactive_cost: usdSchema("Expected cost after a failure: emergency cost + κ × cost of a damage", 2077),
  size: costSize,
  size_unit: textSchema("Unit of the size", "gallons").orNull(),
  reference_size: numberSchema(
    "Size that the costs are for before scaling; null for own costs of any size",
    45,
  ).orNull(),
  size_factor: numberSchema("(size ÷ reference size)^exponent; 1 for an unknown size", 1.0653),
  location_factor: numberSchema(
    "Factor of the state; 1 for own costs, and where none is known, as outside the US states",
    1.18,
  ),
  price_level: numberSchema("Today's prices ÷ those of the month that the costs are of; 1 for own costs", 1),
  costs_of_month: textSchema("Month that the costs of the knowledge base are of", "2026-01"),
  location_edition: textSchema(
    "Edition of the factors of the states; null where none is known, as in the territories",
    "EM 1110-2-1304, table 3, 31 March 2026",
  ).orNull(),
});

const serializeDamage = ({ peril, expected, cents }: DamageCosts) => ({
  peril,
  expected,
  cost: jsonUsdFromCents(cents),
});

export const serializeExplainedCosts = explainedCosts.serializer(
  (knowledge: Knowledge, { typeId, state }: { typeId: string; state: string }, costs: PartCosts) => ({
    cost_basis: costs.basis,
    proactive_cost: jsonUsdFromCents(costs.plannedCents),
    emergency_cost: jsonUsdFromCents(Math.round(costs.emergencyCents)),
    damage: costs.damage && serializeDamage(costs.damage),
    reactive_cost: jsonUsdFromCents(costs.failedCents),
    size: costs.scaling.size,
    size_unit: knowledge.type(typeId).size?.unit ?? null,
    reference_size: costs.scaling.referenceSize,
    size_factor: costs.scaling.bySize,
    location_factor: costs.scaling.byLocation,
    price_level: costs.scaling.byPriceLevel,
    costs_of_month: knowledge.costs.ofMonth,
    location_edition: knowledge.costs.locationFactors.has(state) ? knowledge.costs.edition : null,
  }),
);
