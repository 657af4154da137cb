import type { PlacedComponent } from "../domain/component.ts";
import { type Knowledge, SYSTEMS } from "../domain/domain-knowledge.ts";
import type { ActionSums, DueAction } from "../domain/planning/due-actions.ts";
import type { Work } from "../domain/work-mark.ts";
import { actionFields, dueNow, serializeAction } from "./action-schema.ts";
import { applianceTypeId } from "./component-name-schema.ts";
import { alert } from "./component-schema.ts";
import { costBasis } from "./costs-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonUsdFromCents, roundJsonNumber } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  enumSchema,
  idSchema,
  numberSchema,
  objectSchema,
  recordSchema,
  textSchema,
  usdSchema,
} from "./definition/schema-field-types.ts";
import { pageSchema } from "./paging-schema.ts";
import { property } from "./property-schema.ts";
import { recalculating } from "./recalculating-schema.ts";
import { riskTier } from "./score-schema.ts";
import { serializeWorkFields, workFields } from "./work-mark-schema.ts";

/* The due actions of all properties of a portfolio. */

const { property_name, property_address, proactive_cost, reactive_cost } = alert.fields;

export const listedAction = recordSchema("PortfolioAction", {
  appliance_id: idSchema("A", "The appliance"),
  component_id: idSchema("C", "The component; null for the appliance as a whole").orNull(),
  name: textSchema("Name of the component, or of the appliance's type", "Gas water heater tank"),
  appliance_type: applianceTypeId,
  unit: idSchema("U", "The unit that the appliance serves").orNull(),
  property_id: property.fields.id.describedAs("The property"),
  property_name,
  property_address,
  state: textSchema("State of the property; outside the US its country and subdivision, such as CA-ON", "NY"),
  system: enumSchema(SYSTEMS, "Building system", "plumbing"),
  ...actionFields,
  risk_tier: riskTier.describedAs("Tier; of an appliance as a whole, the worst of its components"),
  replace_on: daySchema(
    "Day that the work waits for; null for what is due now, and for inspections",
  ).orNull(),
  due_now: dueNow,
  failure_probability_12m: numberSchema(
    "Probability of failure within 12 months; of an appliance as a whole, that any of its components fails",
    0.2231,
    { minimum: 0, maximum: 1 },
  ),
  proactive_cost,
  reactive_cost,
  cost_basis: costBasis,
  cost_of_waiting_a_year: usdSchema("Net cost of a 12-month delay, negative if waiting is cheaper", 162.5),
  expected_cost_12m: usdSchema(
    "Expected cost of failures within 12 months; of an appliance as a whole, those of its components without an action of their own",
    560.43,
  ),
  ...workFields,
});
export type PortfolioActionJson = JsonOf<typeof listedAction>;

export const serializeListedAction = listedAction.serializer(
  (knowledge: Knowledge, action: DueAction<PlacedComponent>, work: Work | undefined) => {
    const { component, isUnit, price } = action;
    return {
      appliance_id: component.applianceId,
      component_id: isUnit ? null : component.id,
      name: isUnit ? knowledge.type(component.typeId).name : knowledge.component(component.defId).name,
      appliance_type: component.typeId,
      unit: component.unitId,
      property_id: component.propertyId,
      property_name: component.propertyName,
      property_address: component.propertyAddress,
      state: component.state,
      system: action.system,
      ...serializeAction(action.action),
      risk_tier: action.tier,
      replace_on: action.dueOn,
      due_now: action.dueNow,
      failure_probability_12m: roundJsonNumber(action.failureProbability, 4),
      proactive_cost: jsonUsdFromCents(price.plannedCents),
      reactive_cost: jsonUsdFromCents(price.failedCents),
      cost_basis: price.basis,
      cost_of_waiting_a_year: jsonUsdFromCents(action.waitingCents),
      expected_cost_12m: jsonUsdFromCents(action.expectedCents),
      ...serializeWorkFields(work),
    };
  },
);

const sums = objectSchema({
  proactive_cost: usdSchema("Planned cost of all that match", 48_200),
  cost_of_waiting_a_year: usdSchema("Sum of the costs of a 12-month delay of all that match", 9120.5),
  expected_cost_12m: usdSchema(
    "Sum of the expected costs of failures within 12 months of all that match",
    30_140.2,
  ),
});

export const serializeActionSums = sums.serializer(
  ({ plannedCents, waitingCents, expectedCents }: ActionSums) => ({
    proactive_cost: jsonUsdFromCents(plannedCents),
    cost_of_waiting_a_year: jsonUsdFromCents(waitingCents),
    expected_cost_12m: jsonUsdFromCents(expectedCents),
  }),
);

export const actionPage = pageSchema("actions", listedAction, {
  totals: sums.describedAs("Sums of all pages"),
  ...recalculating,
});
export type ActionPageJson = JsonOf<typeof actionPage>;
