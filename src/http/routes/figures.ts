import type { Knowledge } from "../../domain/knowledge.ts";
import { dayOf } from "../../domain/time.ts";
import { complianceOf } from "../../usecases/compliance.ts";
import { modelVersionOf } from "../../usecases/model-in-use.ts";
import { walkComponents } from "../../usecases/walk.ts";
import { complianceReply, complianceView } from "../../wire/compliance.ts";
import {
  conditionFigure,
  conditionReply,
  type Figure,
  reserveFigure,
  reserveReply,
} from "../../wire/figures.ts";
import { forecastFigure, forecastReply } from "../../wire/forecast.ts";
import { withPartner } from "../../wire/paging.ts";
import { propertyInPath } from "../../wire/parameters.ts";
import { replacementCostFigure, replacementCostReply } from "../../wire/replacement-cost.ts";
import { reportFigure, reportReply } from "../../wire/report.ts";
import { type Operation, ok, type PartnerCall, partnerOperation, read } from "../operation.ts";
import { getProperty } from "./properties.ts";

export function figureOperations(knowledge: Knowledge): Operation[] {
  return [
    partnerOperation({
      id: "getPropertyReport",
      method: "GET",
      path: "/v1/property/{id}/report",
      summary: "Every component of a property by tier, and what acting on them would cost and save",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: read("The report", reportReply),
      handle: (call) => answer(call, reportFigure(knowledge)),
    }),
    partnerOperation({
      id: "getPropertyForecast",
      method: "GET",
      path: "/v1/property/{id}/forecast",
      summary: "What is going to need work within 30, 60 and 90 days",
      description:
        "Windows are cumulative. A window holds the components that are CRITICAL now or will be by its end through ageing alone, and those that fail within it with a probability of 0.25 or more.",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: read("The forecast", forecastReply),
      handle: (call) => answer(call, forecastFigure(knowledge)),
    }),
    partnerOperation({
      id: "getPropertyReserve",
      method: "GET",
      path: "/v1/property/{id}/reserve",
      summary: "What to set aside each month for the replacements to come",
      description:
        "What the replacements expected within 12, 24 and 36 months cost, spread over the months: CRITICAL components in full, others by their probability of failing until then. The last spreads the whole replacement cost value over ten years.",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: read("The reserves", reserveReply),
      handle: (call) => answer(call, reserveFigure(knowledge)),
    }),
    partnerOperation({
      id: "getPropertyConditionScore",
      method: "GET",
      path: "/v1/property/{id}/condition-score",
      summary: "A property's condition as one number, with its grade and rating",
      description:
        "The facility condition index of the field: what the critical components cost, and half of what those in warning cost, as a share of the replacement value. 100 without components.",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: read("The condition", conditionReply),
      handle: (call) => answer(call, conditionFigure(knowledge)),
    }),
    partnerOperation({
      id: "getPropertyReplacementCost",
      method: "GET",
      path: "/v1/property/{id}/rcv",
      summary: "What replacing a property's equipment would cost, by system",
      description:
        "An appliance counts with the smaller of its components' cost and the whole unit's. The exposures are what failures would cost; together they are the total reactive exposure.",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: read("The replacement cost value", replacementCostReply),
      handle: (call) => answer(call, replacementCostFigure(knowledge)),
    }),
    partnerOperation({
      id: "getPropertyCompliance",
      method: "GET",
      path: "/v1/property/{id}/compliance",
      summary: "The inspections that a property's appliances are due for, the first due first",
      description:
        "An item for each appliance and inspection. It is due an interval after the newest matching service event that was passed, else an interval after 1 July of the install year. OVERDUE is past due, DUE_SOON within 30 days, UPCOMING within 90.",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: read("The inspections", complianceReply),
      async handle({ hold, now, params, partner, store }) {
        const property = await getProperty(store, partner, params.id!);
        const items = await complianceOf(store, knowledge, property.id, dayOf(now), hold);
        return ok(withPartner(complianceView(property, items), partner.name));
      },
    }),
  ];

  /** Answers with a figure, made of the property's components as they stand at one moment. */
  async function answer<Written extends object>(
    { hold, now, params, partner, store }: PartnerCall,
    figure: Figure<Written>,
  ) {
    const property = await getProperty(store, partner, params.id!);
    await walkComponents(store, property.id, figure.add, hold);
    const modelVersion = await modelVersionOf(store.read, knowledge);
    return ok(withPartner(figure.write(property, { now, modelVersion }), partner.name));
  }
}
