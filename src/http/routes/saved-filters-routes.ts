import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import {
  parseSavedFilterJson,
  savedFilterRequest,
  savedFiltersReply,
  serializeSavedFilters,
} from "../../api-schemas/saved-filter-schema.ts";
import { conflict } from "../../domain/errors.ts";
import { MOST_SAVED_FILTERS } from "../../domain/saved-filter.ts";
import {
  type Operation,
  okReplies,
  okReply,
  partnerOperation,
  readOperationReplies,
} from "../http-operation.ts";

export function savedFilterOperations(): Operation[] {
  return [
    partnerOperation({
      id: "listSavedFilters",
      method: "GET",
      path: "/v1/saved-filters",
      summary: "List the saved filters of the list of actions",
      tag: "Figures",
      parameters: [],
      replies: readOperationReplies("The saved filters", savedFiltersReply),
      async handle({ partner, store: { read } }) {
        return okReply(
          addPartnerToJson(
            serializeSavedFilters(await read.savedFilters.ofPartner(partner.id)),
            partner.name,
          ),
        );
      },
    }),
    partnerOperation({
      id: "saveFilter",
      method: "PUT",
      path: "/v1/saved-filters",
      summary: "Save filters under a name, or remove them",
      description:
        "Replaces the filters of the same name; a `query` of null removes them. Returns all. All users of the account share them.",
      tag: "Figures",
      parameters: [],
      request: {
        type: savedFilterRequest,
        example: { name: "Plumbing in New York", query: "system=plumbing&state=NY" },
      },
      replies: okReplies("The saved filters", savedFiltersReply),
      errors: [409],
      body: "json",
      async handle({ body, partner, writePortfolio }) {
        const { name, query } = parseSavedFilterJson(body);
        return await writePortfolio(async ({ tx }) => {
          const { savedFilters } = tx;
          if (query === null) await savedFilters.remove(partner.id, name);
          else {
            const others = (await savedFilters.ofPartner(partner.id)).filter((one) => one.name !== name);
            if (others.length >= MOST_SAVED_FILTERS)
              throw conflict(`At most ${MOST_SAVED_FILTERS} filters can be saved: remove one first`);
            await savedFilters.save(partner.id, { name, query, savedAt: tx.now });
          }
          return okReply(
            addPartnerToJson(serializeSavedFilters(await savedFilters.ofPartner(partner.id)), partner.name),
          );
        });
      },
    }),
  ];
}
