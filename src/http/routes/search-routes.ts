import { searchText } from "../../api-schemas/api-parameter-schemas.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import { searchReply, serializeFoundRecords } from "../../api-schemas/search-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { searchPortfolioRecords } from "../../usecases/portfolio/search-portfolio-records.ts";
import { type Operation, okReply, partnerOperation, readOperationReplies } from "../http-operation.ts";
import { parseSearchTextHttpQuery } from "../http-query-parameters.ts";

export function searchOperations(knowledge: Knowledge): Operation[] {
  return [
    partnerOperation({
      id: "search",
      method: "GET",
      cacheable: true,
      path: "/v1/search",
      summary: "Find properties, appliances, components and claims",
      description:
        "Finds properties by the beginning of their name, address or street, or by your own reference; appliances by the beginning of their serial number; claims by that of their number; and each record by its ID. Ignores the case of letters without accents. Retired records are found by ID alone.",
      tag: "Properties",
      parameters: [searchText],
      replies: readOperationReplies("The records that were found", searchReply),
      async handle({ partner, query, store: { read } }) {
        const text = parseSearchTextHttpQuery(query);
        return okReply(
          addPartnerToJson(
            serializeFoundRecords(await searchPortfolioRecords({ read, knowledge }, partner.id, text)),
            partner.name,
          ),
        );
      },
    }),
  ];
}
