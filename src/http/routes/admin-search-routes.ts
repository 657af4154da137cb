import { adminSearchReply, serializeAdminSearch } from "../../api-schemas/admin-search-schema.ts";
import { searchText } from "../../api-schemas/api-parameter-schemas.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { searchAsAdministrator } from "../../usecases/administration/search-as-administrator.ts";
import { adminOperation, type Operation, okReplies, okReply } from "../http-operation.ts";
import { parseSearchTextHttpQuery } from "../http-query-parameters.ts";
import type { ServerState } from "./admin-server-routes.ts";

export function adminSearchOperations(knowledge: Knowledge, server: () => ServerState): Operation[] {
  return [
    adminOperation({
      id: "searchAsAdministrator",
      method: "GET",
      path: "/admin/search",
      summary: "Find records of all partners, deliveries, embeds, settings and audit entries",
      description:
        "Finds partners by a part of their name, webhook endpoints by a part of their URL, settings by a part of their name or meaning, properties, appliances and claims as `GET /v1/search` does, and each record by its ID.",
      tag: "Administration",
      parameters: [searchText],
      replies: okReplies("What was found", adminSearchReply),
      async handle({ query, store: { read } }) {
        const { settings } = server();
        return okReply(
          serializeAdminSearch(
            await searchAsAdministrator({ read, knowledge, settings }, parseSearchTextHttpQuery(query)),
          ),
        );
      },
    }),
  ];
}
