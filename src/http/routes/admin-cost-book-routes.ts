import { partnerInPath } from "../../api-schemas/api-parameter-schemas.ts";
import {
  costBookReply,
  costBookRequest,
  parseCostBookJson,
  replacedBookReply,
  serializeCostBook,
  serializeCostLine,
  serializeReplacedBook,
} from "../../api-schemas/cost-book-schema.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import { dropOverlappingCostLines } from "../../domain/costs/cost-book-lines.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { dayOf } from "../../domain/time.ts";
import { mapYielding } from "../../event-loop/event-loop.ts";
import { replaceCostBook, type SavedBook } from "../../usecases/costs/replace-cost-book.ts";
import { writePortfolio } from "../../usecases/portfolio/portfolio-writer.ts";
import { isRecalculatingSums } from "../../usecases/recalculation/recalculate-sums.ts";
import { adminOperation, type Operation, okReplies, okReply } from "../http-operation.ts";
import { requirePartnerInPath } from "./admin-partners-routes.ts";
import { costLinesOfHttpRequestBody } from "./cost-book-routes.ts";

/** Returns the operations on partners' cost books for administrators. */
export function adminCostBookOperations(knowledge: Knowledge): Operation[] {
  return [
    adminOperation({
      id: "getPartnerCostBook",
      method: "GET",
      path: "/admin/partners/{id}/cost-book",
      summary: "Get a partner's cost book",
      tag: "Administration",
      parameters: [partnerInPath],
      replies: okReplies("The cost book", costBookReply),
      async handle({ params, store, yieldNow }) {
        const partner = await requirePartnerInPath(store, params.id!);
        const lines = await store.read.costLines.ofPartner(partner.id);
        const views = await mapYielding(lines, yieldNow, serializeCostLine);
        const recalculating = await isRecalculatingSums(store.read, partner.id);
        return okReply(addPartnerToJson(serializeCostBook(views, recalculating), partner.name));
      },
    }),
    adminOperation({
      id: "replacePartnerCostBook",
      method: "PUT",
      path: "/admin/partners/{id}/cost-book",
      summary: "Replace a partner's cost book",
      description: "As `PUT /v1/cost-book` for the partner itself; the audit log names the administrator.",
      tag: "Administration",
      parameters: [partnerInPath],
      request: {
        type: costBookRequest,
        example: { lines: [{ type_id: "water_heater_gas", proactive_cost: 1850, reactive_cost: 3200 }] },
      },
      replies: okReplies("The new cost book", replacedBookReply),
      body: "json",
      async handle({ administrator, body, now, params, store, yieldNow }) {
        const partner = await requirePartnerInPath(store, params.id!);
        const given = await costLinesOfHttpRequestBody(
          knowledge,
          parseCostBookJson(body),
          dayOf(now),
          yieldNow,
        );
        const { lines, warnings } = dropOverlappingCostLines(given.lines);
        const saved = await writePortfolio<SavedBook>(store.write, knowledge, partner, (writer) =>
          replaceCostBook(writer, administrator.id, () => lines),
        );
        const views = await mapYielding(saved.lines, yieldNow, serializeCostLine);
        const view = serializeReplacedBook(views, saved.recalculating, [...warnings, ...given.warnings]);
        return okReply(addPartnerToJson(view, partner.name));
      },
    }),
  ];
}
