import { layerTerms, lossTerms, propertyInPath } from "../../api-schemas/api-parameter-schemas.ts";
import { serializeLossComponents } from "../../api-schemas/loss-components-schema.ts";
import { lossesReply } from "../../api-schemas/losses-schema.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import { underwritingReply } from "../../api-schemas/underwriting-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { LossBooks } from "../../usecases/losses/load-loss-books.ts";
import { loadPricedLosses } from "../../usecases/losses/load-priced-losses.ts";
import { loadPropertyUnderwriting } from "../../usecases/losses/load-property-underwriting.ts";
import { CSV } from "../csv-replies.ts";
import { type Operation, okReply, partnerOperation, readOperationReplies } from "../http-operation.ts";
import {
  parseInsuredLayerHttpQuery,
  parseLossRequestHttpQuery,
  parsePremiumTermsHttpQuery,
} from "../loss-query-parameters.ts";
import { httpLossDeps, lossFileReply } from "../loss-replies.ts";
import { parseTableFormatParameter, XLSX } from "../workbook-replies.ts";
import { requirePropertyInPath } from "./properties-routes.ts";

const replies = readOperationReplies("The losses", lossesReply);
const lossReplies = { ...replies, 200: { ...replies[200], alternativeType: [CSV, XLSX] } };

const ABOUT =
  "What the failures of the coming year cost, on average and in a bad year, and what drives it: expected loss and standard deviation, the annual loss exceeded once in 2 to 200 years, and each part's share. " +
  "Non-catastrophe equipment losses. With `format=csv` or `format=xlsx`, the same figures as a table or a workbook.";

export function lossOperations(knowledge: Knowledge, books: LossBooks): Operation[] {
  return [
    partnerOperation({
      id: "getPortfolioLosses",
      method: "GET",
      isLong: true,
      path: "/v1/portfolio/losses",
      summary: "Get the expected losses and worst years of the portfolio",
      description: `${ABOUT} The response is cached until the portfolio or the day changes.`,
      tag: "Figures",
      parameters: lossTerms,
      replies: lossReplies,
      async handle(call) {
        const { partner, query, request, store } = call;
        const asked = parseLossRequestHttpQuery(query);
        const terms = parsePremiumTermsHttpQuery(query);
        const format = parseTableFormatParameter(call);
        const revision = (await store.read.partners.revision(partner.id)) ?? "";
        const selected = await books.ofPartners(httpLossDeps(call), [{ id: partner.id, revision }], asked);
        const deviation = async () => selected.losses.insured.standardDeviation;
        const losses = await loadPricedLosses(knowledge, selected, asked, { terms, deviation });
        return (
          (await lossFileReply(request, format, losses, "portfolio-losses")) ??
          okReply(addPartnerToJson(losses, partner.name))
        );
      },
    }),
    partnerOperation({
      id: "getPropertyLosses",
      method: "GET",
      isLong: true,
      path: "/v1/property/{id}/losses",
      summary: "Get a property's expected losses and worst years",
      description: `${ABOUT} A technical premium with a \`risk_load\` uses the property's share of the standard deviation of the portfolio. The workbook lists the components that the expected amounts add up from.`,
      tag: "Figures",
      parameters: [propertyInPath, ...lossTerms],
      replies: lossReplies,
      async handle(call) {
        const { params, partner, query, request, store } = call;
        const asked = parseLossRequestHttpQuery(query);
        const terms = parsePremiumTermsHttpQuery(query);
        const format = parseTableFormatParameter(call);
        const property = await requirePropertyInPath(store, partner, params.id!);
        const owner = { id: partner.id, revision: (await store.read.partners.revision(partner.id)) ?? "" };
        const deps = httpLossDeps(call);
        const selected = await books.ofProperty(deps, owner, property, asked);
        const deviation = () => books.shareOfDeviation(deps, owner, property, asked);
        const components = async () =>
          serializeLossComponents(knowledge, await books.componentsOf(deps, property, asked));
        const losses = await loadPricedLosses(knowledge, selected, asked, { terms, deviation });
        return (
          (await lossFileReply(request, format, losses, `losses-${property.id}`, components)) ??
          okReply(addPartnerToJson(losses, partner.name))
        );
      },
    }),
    partnerOperation({
      id: "getPropertyUnderwriting",
      method: "GET",
      isLong: true,
      path: "/v1/property/{id}/underwriting",
      summary: "Get a property's underwriting figures",
      description:
        "Losses of the coming year, known hazards and overdue mandatory inspections, claims beside the damages that the model expects, what planned work would save, and how the property stands among the portfolio.",
      tag: "Figures",
      parameters: [propertyInPath, ...layerTerms],
      replies: readOperationReplies("The underwriting page", underwritingReply),
      async handle(call) {
        const { params, partner, query, store } = call;
        const request = parseInsuredLayerHttpQuery(query);
        const property = await requirePropertyInPath(store, partner, params.id!);
        const owner = { id: partner.id, revision: (await store.read.partners.revision(partner.id)) ?? "" };
        const made = await loadPropertyUnderwriting(
          httpLossDeps(call),
          knowledge,
          books,
          { property, owner, among: "portfolio" },
          request,
        );
        return okReply(addPartnerToJson(made, partner.name));
      },
    }),
  ];
}
