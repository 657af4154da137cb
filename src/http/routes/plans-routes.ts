import {
  actionFilters,
  format,
  formTerms,
  includeDemo,
  pagingParameters,
  planTerms,
  portfolioFormTerms,
  portfolioPlanOrder,
  propertyFilter,
  propertyInPath,
  stateFilter,
  systemFilter,
  tier,
} from "../../api-schemas/api-parameter-schemas.ts";
import { serializeAssumptions } from "../../api-schemas/assumptions-schema.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import {
  planReply,
  serializePlanTableCells,
  serializePlanTableHeading,
  serializePropertyPlan,
} from "../../api-schemas/plan-schema.ts";
import {
  actionPage,
  listedAction,
  serializeActionSums,
  serializeListedAction,
} from "../../api-schemas/portfolio-action-schema.ts";
import {
  budgetSharesJson,
  portfolioPlanPage,
  serializePortfolioPlan,
  serializePortfolioPlanItem,
  serializePortfolioPlanTable,
} from "../../api-schemas/portfolio-plan-schema.ts";
import { addRecalculatingToJson } from "../../api-schemas/recalculating-schema.ts";
import { spreadsheetCsvLine } from "../../csv/write-csv.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { PLAN_ORDERS } from "../../domain/planning/plan-terms.ts";
import { loadPartnerPrices } from "../../usecases/costs/load-partner-prices.ts";
import { loadActionListPage } from "../../usecases/planning/load-action-list-page.ts";
import {
  loadPlanUnitLabels,
  preparePlanHazards,
  preparePlanLines,
  preparePlanLinesAsJson,
  preparePlanReconciliation,
} from "../../usecases/planning/load-plan-lines.ts";
import {
  loadPlannedProperties,
  loadPortfolioPlan,
  loadPropertyPlansOfPortfolio,
} from "../../usecases/planning/load-portfolio-plan.ts";
import { loadPropertyPlan } from "../../usecases/planning/load-property-plan.ts";
import { isRecalculatingSums } from "../../usecases/recalculation/recalculate-sums.ts";
import { portfolioReserveWorkbook } from "../../usecases/reserve-form/portfolio-reserve-workbook.ts";
import { reserveWorkbook } from "../../usecases/reserve-form/property-reserve-workbook.ts";
import { loadWorkMarksOfProperty } from "../../usecases/work-marks/record-work-marks.ts";
import { pageAssumptionSentences } from "../../web/page/page-assumption-sentences.ts";
import {
  CSV,
  csvReply,
  csvReplyChunks,
  httpCsvPageReply,
  httpListReplies,
  httpPageReplies,
  listReply,
} from "../csv-replies.ts";
import {
  httpListUnitLabelColumn as componentUnitLabels,
  EXAMPLE_UNIT_LABELS,
} from "../http-list-unit-labels.ts";
import { type Operation, okReply, partnerOperation, readOperationReplies } from "../http-operation.ts";
import {
  isDemoInHttpQuery,
  parseActionFilterHttpQuery,
  parseChoiceHttpQueryParameter,
  parsePlanTermsHttpQuery,
  parseReserveFormTermsHttpQuery,
  parseRowRangeHttpQuery,
} from "../http-query-parameters.ts";
import { parseTableFormatParameter, workbookReply, XLSX } from "../workbook-replies.ts";
import { requirePropertyInPath } from "./properties-routes.ts";

const portfolioReplies = httpPageReplies("A page of the portfolio with its plan", portfolioPlanPage);
const planReplies = readOperationReplies("The plan", planReply);

export function planOperations(knowledge: Knowledge): Operation[] {
  return [
    partnerOperation({
      id: "getPropertyPlan",
      method: "GET",
      isLong: true,
      path: "/v1/property/{id}/plan",
      summary: "Get a property's replacement plan",
      description:
        "Lists each appliance that is replaced as a whole and each component with its lowest-cost replacement policy, what to do and why, the cost of a 12-month delay, the expected costs of each year, the deposits of a replacement reserve, and how the figures of 12 months fit together. " +
        "With `format=csv`, a row per unit and component with its expected cost for each year in today's prices, planned replacements, failures and repairs combined. The costs of a unit include those of its components, whose cells are empty. `assumptions` in the first row says what the figures rest on. " +
        "With `format=xlsx`, the replacement reserve schedule in the form of lenders, with live formulas: totals, inflation, deposits and balances follow when a cell is changed. Without `years`, it covers 12 years.",
      tag: "Figures",
      parameters: [propertyInPath, ...planTerms, ...formTerms],
      replies: { ...planReplies, 200: { ...planReplies[200], alternativeType: [CSV, XLSX] } },
      async handle({ reserveMemory, now, params, partner, query, request, store, yieldNow }) {
        const wanted = parseTableFormatParameter({ query, request });
        const asked = parseReserveFormTermsHttpQuery(query);
        const terms = wanted === "xlsx" ? asked.terms : parsePlanTermsHttpQuery(query);
        const property = await requirePropertyInPath(store, partner, params.id!);
        const deps = { store, knowledge, clock: () => now, yieldNow };
        const plan = await loadPropertyPlan(deps, property, terms, reserveMemory);
        if (wanted === "xlsx")
          return workbookReply(
            await reserveWorkbook(knowledge, plan, asked.form, yieldNow),
            `reserve-schedule-${property.id}.xlsx`,
          );
        const lines = await preparePlanLines(plan, yieldNow);
        const work = await loadWorkMarksOfProperty(store.read, property.id, yieldNow);
        if (wanted === "csv") {
          const rows = [...lines.units, ...lines.components];
          const context = {
            labels: await loadPlanUnitLabels(store.read, property),
            work,
            first: rows[0],
            assumptions: pageAssumptionSentences(serializeAssumptions(plan.counted, plan.modelVersion)).join(
              " ",
            ),
          };
          const cellsOf = (line: (typeof rows)[number]) =>
            serializePlanTableCells(knowledge, line, terms.years, context);
          const table = await csvReplyChunks(serializePlanTableHeading(plan), rows, cellsOf, yieldNow);
          return csvReply(request, table, `plan-${property.id}.csv`);
        }
        const serialized = await preparePlanLinesAsJson(knowledge, lines, work, yieldNow);
        const prices = await loadPartnerPrices(store.read, knowledge, partner);
        const reconciliation = await preparePlanReconciliation(prices, plan, yieldNow);
        const flags = await preparePlanHazards(knowledge, plan, yieldNow);
        const view = serializePropertyPlan(plan, reconciliation, flags, serialized);
        const noted = addRecalculatingToJson(view, await isRecalculatingSums(store.read, partner.id));
        return okReply(addPartnerToJson(noted, partner.name));
      },
    }),
    partnerOperation({
      id: "getPortfolioPlan",
      method: "GET",
      isLong: true,
      path: "/v1/portfolio/plan",
      summary: "Get the portfolio's replacement plan",
      description:
        "The schedule, totals, deposits and the list cover all properties except the demo property, which `include_demo=true` adds; the list shows what is due now in each property. The sums are stored per property in whole cents and regenerated after each snapshot; `as_of` is the date of the oldest. Changes made since then are included before the response. " +
        "With `format=csv`, a row per property with its expected cost for each year in today's prices, planned replacements, failures and repairs combined: the columns add up to `total` of each year. `assumptions` in the first row says what the figures rest on. " +
        "With `format=xlsx`, the replacement reserve schedule of all properties with live formulas, whatever the page: a line for each property, or for those with the highest costs and one for all others. Without `years`, it covers 12 years.",
      tag: "Figures",
      parameters: [portfolioPlanOrder, ...pagingParameters, ...planTerms, includeDemo, ...portfolioFormTerms],
      replies: { ...portfolioReplies, 200: { ...portfolioReplies[200], alternativeType: [CSV, XLSX] } },
      async handle({ now, partner, query, request, signal, store, yieldNow }) {
        const slice = parseRowRangeHttpQuery(query);
        const wanted = parseTableFormatParameter({ query, request });
        const asked = parseReserveFormTermsHttpQuery(query);
        const terms = wanted === "xlsx" ? asked.terms : parsePlanTermsHttpQuery(query);
        const deps = { store, knowledge, clock: () => now, yieldNow, signal };
        const includesDemo = isDemoInHttpQuery(query);
        const order = parseChoiceHttpQueryParameter(query, "sort", PLAN_ORDERS) ?? "created";
        const plan = await loadPortfolioPlan(deps, partner.id, terms, includesDemo);
        if (wanted === "xlsx")
          return workbookReply(
            await portfolioReserveWorkbook(
              {
                ...(await loadPlannedProperties(deps, partner.id, includesDemo)),
                plan,
                partner: partner.name,
              },
              asked.form,
              yieldNow,
            ),
            "portfolio-reserve-schedule.xlsx",
          );
        const listed = { includeDemo: includesDemo, order };
        const { rows, total } = await loadPropertyPlansOfPortfolio(deps, partner.id, slice, listed);
        const shares = plan.budget && budgetSharesJson(plan.budget);
        if (wanted === "csv") {
          const table = serializePortfolioPlanTable(rows, shares, plan);
          const text = table.map(spreadsheetCsvLine).join("");
          return httpCsvPageReply(request, { ...slice, total }, text, "portfolio-plan.csv");
        }
        const items = rows.map((row) => serializePortfolioPlanItem(row, shares));
        const view = serializePortfolioPlan(plan);
        const noted = addRecalculatingToJson(view, await isRecalculatingSums(store.read, partner.id));
        return okReply(portfolioPlanPage.of(items, slice, total, partner.name, noted));
      },
    }),
    partnerOperation({
      id: "listActions",
      method: "GET",
      isLong: true,
      path: "/v1/portfolio/actions",
      summary: "List the recommended actions of all properties",
      description:
        "Hazards, replacements and inspections that are due now, and replacements due within two years, of components and of appliances as a whole, in the words of the plan. Filters can be combined; `total` and `totals` cover all that match. The list leaves the demo property out unless `include_demo=true` or `property_id` says otherwise.",
      tag: "Figures",
      parameters: [
        propertyFilter,
        stateFilter,
        systemFilter,
        tier,
        ...actionFilters,
        ...pagingParameters,
        includeDemo,
        format,
      ],
      replies: httpListReplies("A page of actions", actionPage, listedAction, EXAMPLE_UNIT_LABELS),
      errors: [404],
      async handle(call) {
        const { now, partner, query, signal, store, yieldNow } = call;
        const slice = parseRowRangeHttpQuery(query);
        const filter = { ...parseActionFilterHttpQuery(query), partnerId: partner.id };
        const order = parseChoiceHttpQueryParameter(query, "sort", ["waiting", "expected"]) ?? "waiting";
        const includesDemo = isDemoInHttpQuery(query) || filter.propertyId !== undefined;
        if (filter.propertyId !== undefined) await requirePropertyInPath(store, partner, filter.propertyId);
        const prices = await loadPartnerPrices(store.read, knowledge, partner);
        const deps = { store, knowledge, prices, clock: () => now, yieldNow, signal };
        const { actions, sums } = await loadActionListPage(deps, filter, {
          order,
          slice,
          includeDemo: includesDemo,
        });
        const records = actions.map(({ action, work }) => serializeListedAction(knowledge, action, work));
        const totals = { totals: serializeActionSums(sums) };
        const noted = addRecalculatingToJson(totals, await isRecalculatingSums(store.read, partner.id));
        const units = await componentUnitLabels(
          call,
          actions.map(({ action }) => action.component),
        );
        const page = actionPage.of(records, slice, sums.count, partner.name, noted);
        return listReply(call, page, "actions", listedAction, units);
      },
    }),
  ];
}
