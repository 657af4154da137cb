import { propertyInPath } from "../../api-schemas/api-parameter-schemas.ts";
import { addAssumptionsToJson } from "../../api-schemas/assumptions-schema.ts";
import { complianceReply, serializeCompliance } from "../../api-schemas/compliance-schema.ts";
import type { FigureSchemaAccumulator } from "../../api-schemas/figure-schema-accumulator.ts";
import {
  conditionReply,
  conditionSchemaAccumulator,
  reserveReply,
  reserveSchemaAccumulator,
} from "../../api-schemas/figures-schema.ts";
import { forecastReply, forecastSchemaAccumulator } from "../../api-schemas/forecast-schema.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import { addRecalculatingToJson } from "../../api-schemas/recalculating-schema.ts";
import {
  replacementCostReply,
  replacementCostSchemaAccumulator,
} from "../../api-schemas/replacement-cost-schema.ts";
import { propertyReportSchemaAccumulator, reportReply } from "../../api-schemas/report-schema.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { planContextOfPrices } from "../../domain/planning/plan-context.ts";
import { dayOf } from "../../domain/time.ts";
import { runYielding } from "../../event-loop/event-loop.ts";
import { selectStoredComponents } from "../../store/select-stored-rows.ts";
import { loadActiveModelVersion } from "../../usecases/calibration/load-active-model.ts";
import { loadPartnerPrices } from "../../usecases/costs/load-partner-prices.ts";
import { loadPropertyCompliance } from "../../usecases/inspections/load-property-compliance.ts";
import { isRecalculatingSums } from "../../usecases/recalculation/recalculate-sums.ts";
import {
  type Operation,
  okReply,
  type PartnerCall,
  partnerOperation,
  readOperationReplies,
} from "../http-operation.ts";
import { requirePropertyInPath } from "./properties-routes.ts";

export function figureOperations(knowledge: Knowledge): Operation[] {
  return [
    partnerOperation({
      id: "getPropertyReport",
      method: "GET",
      isLong: true,
      path: "/v1/property/{id}/report",
      summary: "Get a property's components by tier, with costs and savings",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: readOperationReplies("The report", reportReply),
      handle: (call) =>
        replyWith(call, (prices) =>
          propertyReportSchemaAccumulator(planContextOfPrices(prices), prices, call.now),
        ),
    }),
    partnerOperation({
      id: "getPropertyForecast",
      method: "GET",
      isLong: true,
      path: "/v1/property/{id}/forecast",
      summary: "Get the work expected within 30, 60 and 90 days",
      description:
        "Windows are cumulative. A window lists the components that are CRITICAL now, those that become CRITICAL by its end through aging alone, and those with a probability of failure of 0.25 or more within it.",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: readOperationReplies("The forecast", forecastReply),
      handle: (call) => replyWith(call, forecastSchemaAccumulator),
    }),
    partnerOperation({
      id: "getPropertyReserve",
      method: "GET",
      isLong: true,
      path: "/v1/property/{id}/reserve",
      summary: "Get the recommended monthly reserve contributions",
      description:
        "The cost of the replacements expected within 12, 24 and 36 months, spread over the months: CRITICAL components at full cost, others in proportion to their probability of failure. The full-replacement reserve spreads the replacement cost value over ten years.",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: readOperationReplies("The reserves", reserveReply),
      handle: (call) => replyWith(call, reserveSchemaAccumulator),
    }),
    partnerOperation({
      id: "getPropertyConditionScore",
      method: "GET",
      isLong: true,
      path: "/v1/property/{id}/condition-score",
      summary: "Get a property's condition score, grade and rating",
      description:
        "The score follows from the facility condition index, `fci`: the cost of what the plan says is due now, as a share of the building's replacement value. It is 100 for a property without components.",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: readOperationReplies("The condition", conditionReply),
      handle: (call) =>
        replyWith(call, (prices) => conditionSchemaAccumulator(prices, planContextOfPrices(prices))),
    }),
    partnerOperation({
      id: "getPropertyReplacementCost",
      method: "GET",
      isLong: true,
      path: "/v1/property/{id}/rcv",
      summary: "Get the replacement cost value of a property's equipment, by system",
      description:
        "An appliance is valued at the cost of its components or of the complete unit, whichever is lower. The exposures are the costs after failure; their sum is the total reactive exposure.",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: readOperationReplies("The replacement cost value", replacementCostReply),
      handle: (call) => replyWith(call, replacementCostSchemaAccumulator),
    }),
    partnerOperation({
      id: "getPropertyCompliance",
      method: "GET",
      isLong: true,
      path: "/v1/property/{id}/compliance",
      summary: "List the inspections of a property's appliances, earliest due date first",
      description:
        "One item per appliance and inspection. An inspection is due one interval after the latest matching service event that passed, or one interval after July 1 of the install year if there is none. OVERDUE is past due, DUE_SOON within 30 days, UPCOMING within 90.",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: readOperationReplies("The inspections", complianceReply),
      async handle({ reserveMemory, now, params, partner, store, yieldNow }) {
        const property = await requirePropertyInPath(store, partner, params.id!);
        const today = dayOf(now);
        const items = await loadPropertyCompliance(
          store,
          knowledge,
          property,
          today,
          yieldNow,
          reserveMemory,
        );
        return okReply(addPartnerToJson(serializeCompliance(property, items), partner.name));
      },
    }),
  ];

  /** Answers with a figure of the property's components. */
  async function replyWith<Written extends object>(
    { reserveMemory, now, params, partner, store, yieldNow }: PartnerCall,
    figureOf: (prices: PriceList) => FigureSchemaAccumulator<Written>,
  ) {
    const property = await requirePropertyInPath(store, partner, params.id!);
    const prices = await loadPartnerPrices(store.read, knowledge, partner);
    const figure = addAssumptionsToJson(prices, figureOf(prices));
    await selectStoredComponents(store, property.id, figure.add, yieldNow, reserveMemory);
    const modelVersion = await loadActiveModelVersion(store.read, knowledge);
    const written = await runYielding(figure.write(property, { now, modelVersion }), yieldNow);
    const noted = addRecalculatingToJson(written, await isRecalculatingSums(store.read, partner.id));
    return okReply(addPartnerToJson(noted, partner.name));
  }
}
