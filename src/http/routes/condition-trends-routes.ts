import { pagingParameters, propertyInPath } from "../../api-schemas/api-parameter-schemas.ts";
import {
  portfolioConditionTrend,
  propertyConditionTrend,
  serializeConditionPoint,
} from "../../api-schemas/condition-trend-schema.ts";
import {
  type Operation,
  okReply,
  type PartnerCall,
  partnerOperation,
  readOperationReplies,
} from "../http-operation.ts";
import { parseRowRangeHttpQuery } from "../http-query-parameters.ts";
import { requirePropertyInPath } from "./properties-routes.ts";

const WEEKLY =
  "One point per week, of the day of its first snapshot, for the last three years. `condition_score` and `grade` follow from `due_now` as a share of `replacement_value`.";

export function conditionTrendOperations(): Operation[] {
  return [
    partnerOperation({
      id: "getPropertyConditionTrend",
      method: "GET",
      cacheable: true,
      path: "/v1/property/{id}/condition-trend",
      summary: "Get a property's weekly condition and expected cost, oldest first",
      description: WEEKLY,
      tag: "Figures",
      parameters: [propertyInPath, ...pagingParameters],
      replies: readOperationReplies("A page of the trend", propertyConditionTrend),
      async handle(call) {
        const { id } = await requirePropertyInPath(call.store, call.partner, call.params.id!);
        const { slice, points, total } = await pageOf(call, id);
        return okReply(
          propertyConditionTrend.of(points, slice, total, call.partner.name, { property_id: id }),
        );
      },
    }),
    partnerOperation({
      id: "getPortfolioConditionTrend",
      method: "GET",
      cacheable: true,
      path: "/v1/portfolio/condition-trend",
      summary: "Get the portfolio's weekly condition and expected cost, oldest first",
      description: `${WEEKLY} Demo properties are left out.`,
      tag: "Figures",
      parameters: [...pagingParameters],
      replies: readOperationReplies("A page of the trend", portfolioConditionTrend),
      async handle(call) {
        const { slice, points, total } = await pageOf(call, null);
        return okReply(portfolioConditionTrend.of(points, slice, total, call.partner.name));
      },
    }),
  ];
}

async function pageOf({ query, partner, store }: PartnerCall, propertyId: string | null) {
  const slice = parseRowRangeHttpQuery(query);
  const all = await store.read.conditionTrends.points(partner.id, propertyId);
  const points = all.slice(slice.offset, slice.offset + slice.limit).map(serializeConditionPoint);
  return { slice, points, total: all.length };
}
