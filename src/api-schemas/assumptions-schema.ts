import type { PriceList } from "../domain/costs/price-list.ts";
import { SYSTEMS } from "../domain/domain-knowledge.ts";
import { type Assumptions, AssumptionsAccumulator } from "../domain/figures/assumptions.ts";
import type { YearFactor } from "../domain/losses/year-factors.ts";
import { inOneStep } from "../domain/steps/computation-steps.ts";
import { assumptionSharesOf } from "../domain/wording/uncertainty-wording.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { roundJsonNumber } from "./definition/json-unit-conversion.ts";
import {
  enumSchema,
  flagSchema,
  listSchema,
  numberSchema,
  objectSchema,
  recordSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import type { FigureContext, FigureSchemaAccumulator } from "./figure-schema-accumulator.ts";

/** Says what a score is worth; every figure repeats it. */
export const NO_GUARANTEE = "Scores are estimates: they set priorities and are no guarantee.";

const share = (description: string, example: number) =>
  numberSchema(description, example, { minimum: 0, maximum: 1 });

/** The basis of a figure, beside it in every answer. */
const fields = recordSchema("Assumptions", {
  model_version: textSchema("Scoring model; a local calibration has `+local` and its number", "3"),
  calibrated: flagSchema("True if the model is calibrated to the operator's own records", false),
  price_level: numberSchema("Factor on the costs of the knowledge base", 1, { minimum: 0 }),
  price_month: textSchema("Month that the costs of the knowledge base are of", "2026-01"),
  price_location: enumSchema(
    ["state", "none"],
    "`state`: costs of the knowledge base follow the state of the property; `none`: they are US averages",
    "state",
  ),
  components: wholeNumberSchema("Components that the figures count", 90),
  cost_shares: objectSchema({
    own: share("The partner's own costs", 0),
    own_history: share("Medians of the partner's own replacements", 0),
    scaled: share("Costs of the knowledge base, scaled to the size", 0.4),
    reference: share("Costs of the knowledge base at its reference sizes", 0.6),
  }).describedAs(
    "Shares of the planned costs, or of the replacement cost value, by where these come from; all 0 without components",
  ),
  confidence_shares: objectSchema({
    HIGH: share("Components with confidence HIGH", 0.1),
    MEDIUM: share("Components with confidence MEDIUM", 0.3),
    LOW: share("Components with confidence LOW", 0.6),
  }).describedAs("Shares of the components by confidence; all 0 without components"),
  install_year_of_building: wholeNumberSchema(
    "Components whose install year is the building's, since no other and no Replacement is known",
    12,
  ),
  unknown_past: wholeNumberSchema(
    "Components older than the service record, which may have been replaced before it began",
    40,
  ),
  unknown_places: wholeNumberSchema(
    "Components outside the US states: scored at a mean climate, priced at location factor 1",
    0,
  ),
  statement: textSchema("What scores are worth", NO_GUARANTEE),
});
export type AssumptionsJson = JsonOf<typeof fields>;

/** The assumptions of losses, with the basis of their shared causes. */
export const lossAssumptions = fields.and({
  year_factors: listSchema(
    "How much the failures of a year have in common, by class",
    recordSchema("YearFactor", {
      system: enumSchema(SYSTEMS, "The class: a system", "plumbing"),
      variance: numberSchema("Variance of the factor on a year's failures, whose mean is 1", 0.04),
      learned: flagSchema(
        "True if it is learned from the operator's own years, false for the knowledge base's",
        false,
      ),
    }),
  ),
});

export const serializeYearFactor = ({ system, variance, isLearned }: YearFactor) => ({
  system,
  variance: roundJsonNumber(variance, 6),
  learned: isLearned,
});

/** The field of figures that says what they rest on. */
export const assumptionsField = {
  assumptions: fields.describedAs("What the figures rest on"),
};

export const serializeAssumptions = fields.serializer((counted: Assumptions, modelVersion: string) => {
  const { components, costShares, confidenceShares } = assumptionSharesOf(counted);
  return {
    model_version: modelVersion,
    calibrated: modelVersion.includes("+"),
    price_level: counted.priceLevel,
    price_month: counted.priceMonth,
    price_location: counted.priceFollowsState ? "state" : "none",
    components,
    cost_shares: {
      own: roundJsonNumber(costShares.own, 4),
      own_history: roundJsonNumber(costShares.own_history, 4),
      scaled: roundJsonNumber(costShares.scaled, 4),
      reference: roundJsonNumber(costShares.reference, 4),
    },
    confidence_shares: {
      HIGH: roundJsonNumber(confidenceShares.HIGH, 4),
      MEDIUM: roundJsonNumber(confidenceShares.MEDIUM, 4),
      LOW: roundJsonNumber(confidenceShares.LOW, 4),
    },
    install_year_of_building: counted.buildingYears,
    unknown_past: counted.unknownPasts,
    unknown_places: counted.unknownPlaces,
    statement: NO_GUARANTEE,
  };
});

/** Returns the calculation of what figures over a property's components rest on. */
export function assumptionsSchemaAccumulator(
  prices: PriceList,
  figure: Pick<FigureSchemaAccumulator<unknown>, "costCents"> = {},
): FigureSchemaAccumulator<AssumptionsJson> {
  const counted = new AssumptionsAccumulator(prices.knowledge);
  return {
    add(component) {
      counted.add(component, prices.ofComponent(component));
      return 0;
    },
    write: (_, { modelVersion }: FigureContext) =>
      inOneStep(() => {
        const costCents = figure.costCents?.() ?? counted.assumptions.costCents;
        return serializeAssumptions({ ...counted.assumptions, costCents }, modelVersion);
      }),
  };
}

/** Returns the figure with its assumptions. */
export function addAssumptionsToJson<Written extends object>(
  prices: PriceList,
  figure: FigureSchemaAccumulator<Written>,
): FigureSchemaAccumulator<Written & { assumptions: AssumptionsJson }> {
  const counted = assumptionsSchemaAccumulator(prices, figure);
  return {
    add(component) {
      counted.add(component);
      return figure.add(component);
    },
    *write(property, context) {
      return {
        ...(yield* figure.write(property, context)),
        assumptions: yield* counted.write(property, context),
      };
    },
  };
}
