import { COST_BASES, type CostBasis, type PartCosts, type Scaling } from "../domain/costs/component-costs.ts";
import { jsonUsdFromCents, roundJsonNumber } from "./definition/json-unit-conversion.ts";
import { enumSchema, numberSchema, objectSchema, usdSchema } from "./definition/schema-field-types.ts";

/* The costs of a component in its place, which every record of a component shares. */

export const costBasis = enumSchema<CostBasis>(
  COST_BASES,
  "Where the costs come from: `own`: the component's own numbers or your cost book; `own_history`: your past replacements; " +
    "`scaled`: the knowledge base, scaled to the size; `reference`: the knowledge base at its reference size",
  "scaled",
);
export const costSize = numberSchema(
  "Size that the costs are for, in the unit of the appliance's type: the appliance's own or the building's; null if it is " +
    "unknown, or if costs of the type do not depend on it",
  50,
).orNull();
export const costFactor = numberSchema(
  "Factor of size, location and price level that the cost of the knowledge base, or an own cost of another size, was " +
    "multiplied by",
  1.2571,
  { minimum: 0 },
);

/** The costs of a component in a record. */
export const costFields = {
  proactive_cost: usdSchema("Cost of a planned replacement", 1450),
  reactive_cost: usdSchema("Expected cost after a failure: emergency replacement and probable damage", 2512),
  cost_basis: costBasis,
  size: costSize,
  cost_factor: costFactor,
};

export const serializeCosts = objectSchema(costFields).serializer(
  (costs: Pick<PartCosts, "plannedCents" | "failedCents" | "basis" | "scaling">) => ({
    proactive_cost: jsonUsdFromCents(costs.plannedCents),
    reactive_cost: jsonUsdFromCents(costs.failedCents),
    cost_basis: costs.basis,
    size: costs.scaling.size === null ? null : roundJsonNumber(costs.scaling.size, 2),
    cost_factor: roundJsonNumber(factorOf(costs.scaling), 6),
  }),
);

const factorOf = ({ bySize, byLocation, byPriceLevel }: Scaling) => bySize * byLocation * byPriceLevel;
