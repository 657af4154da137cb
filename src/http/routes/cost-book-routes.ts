import {
  costBookReply,
  costBookRequest,
  parseCostBookJson,
  parseCostLineJson,
  replacedBookReply,
  serializeCostBook,
  serializeCostLine,
  serializeReplacedBook,
} from "../../api-schemas/cost-book-schema.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import { dropOverlappingCostLines, MOST_COST_LINES } from "../../domain/costs/cost-book-lines.ts";
import type { CostLine } from "../../domain/costs/cost-line.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { Failure, type FieldIssue, invalid } from "../../domain/errors.ts";
import { checkCostLineRule, costLineRuleWarnings } from "../../domain/rules/cost-line-rule.ts";
import { type Day, dayOf } from "../../domain/time.ts";
import { forEachYielding, mapYielding, type Yield } from "../../event-loop/event-loop.ts";
import { replaceCostBook } from "../../usecases/costs/replace-cost-book.ts";
import { isRecalculatingSums } from "../../usecases/recalculation/recalculate-sums.ts";
import {
  type Operation,
  okReplies,
  okReply,
  partnerOperation,
  readOperationReplies,
} from "../http-operation.ts";

/** The most lines of a request that its error names. */
const MOST_ISSUES = 20;
/** The approximate memory of a line with its view, in bytes. */
const LINE_BYTES = 1_000;

export function costBookOperations(knowledge: Knowledge): Operation[] {
  return [
    partnerOperation({
      id: "getCostBook",
      method: "GET",
      path: "/v1/cost-book",
      summary: "Get your cost book",
      description:
        "Your own costs by type of appliance, component and state. Where a line applies, the most specific one replaces the costs of the knowledge base; a component's own costs replace both.",
      tag: "Costs",
      replies: readOperationReplies("The cost book", costBookReply),
      async handle({ partner, store, reserveMemory, yieldNow }) {
        const lines = await store.read.costLines.ofPartner(partner.id);
        reserveMemory(lines.length * LINE_BYTES);
        const views = await mapYielding(lines, yieldNow, serializeCostLine);
        const recalculating = await isRecalculatingSums(store.read, partner.id);
        return okReply(addPartnerToJson(serializeCostBook(views, recalculating), partner.name));
      },
    }),
    partnerOperation({
      id: "replaceCostBook",
      method: "PUT",
      path: "/v1/cost-book",
      summary: "Replace your cost book",
      description:
        "Replaces all lines; one that is left out is removed. An invalid line rejects the request with its number. Of lines for the same, the later replaces the earlier, which `warnings` says. " +
        "Costs of components are updated immediately, and the sums of a portfolio of more than 2,000 components or 400 properties in the background: until then, responses with amounts contain `recalculating: true`. Scores do not depend on costs.",
      tag: "Costs",
      request: {
        type: costBookRequest,
        example: {
          lines: [
            { type_id: "water_heater_gas", proactive_cost: 1850, reactive_cost: 3200, size: 50 },
            { type_id: "boiler", component_def_id: "boiler_circulator", state: "NY", proactive_cost: 1400 },
          ],
        },
      },
      replies: okReplies("The new cost book", replacedBookReply),
      body: "json",
      idempotent: true,
      async handle({ body, now, partner, writePortfolio, yieldNow }) {
        const given = await costLinesOfHttpRequestBody(
          knowledge,
          parseCostBookJson(body),
          dayOf(now),
          yieldNow,
        );
        const { lines, warnings } = dropOverlappingCostLines(given.lines);
        return await writePortfolio(async (writer) => {
          const saved = await replaceCostBook(writer, partner.id, () => lines);
          const views = await mapYielding(saved.lines, writer.tx.yieldToEventLoop, serializeCostLine);
          const view = serializeReplacedBook(views, saved.recalculating, [...warnings, ...given.warnings]);
          return okReply(addPartnerToJson(view, partner.name));
        });
      },
    }),
  ];
}

/** Reads all lines, numbered from 1. Throws invalid_request that names the invalid ones by their numbers. */
export async function costLinesOfHttpRequestBody(
  knowledge: Knowledge,
  given: readonly unknown[],
  today: Day,
  yieldNow: Yield,
): Promise<{ lines: { line: CostLine; number: number }[]; warnings: string[] }> {
  if (given.length > MOST_COST_LINES)
    throw invalid(`A cost book has at most ${MOST_COST_LINES} lines, and this one has ${given.length}`);
  const lines: { line: CostLine; number: number }[] = [];
  const warnings: string[] = [];
  const issues: FieldIssue[] = [];
  let first: string | undefined;
  let number = 0;
  await forEachYielding(given, yieldNow, (item) => {
    number++;
    try {
      const line = parseCostLineJson(item, today);
      checkCostLineRule(knowledge, line, today);
      lines.push({ line, number });
      for (const doubt of costLineRuleWarnings(knowledge, line)) warnings.push(`Line ${number}: ${doubt}`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      first ??= `Line ${number}: ${error.message}`;
      for (const { field, message } of error.details ?? [{ field: "body", message: error.message }])
        if (issues.length < MOST_ISSUES) issues.push({ field: `lines.${number - 1}.${field}`, message });
    }
  });
  if (first !== undefined) throw invalid(first, issues);
  return { lines, warnings };
}
