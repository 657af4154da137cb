import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import {
  serializePlanTableCells,
  serializePlanTableHeading,
  serializePropertyPlan,
} from "../../api-schemas/plan-schema.ts";
import {
  budgetSharesJson,
  serializePortfolioPlan,
  serializePortfolioPlanItem,
  serializePortfolioPlanTable,
} from "../../api-schemas/portfolio-plan-schema.ts";
import { spreadsheetCsvLine } from "../../csv/write-csv.ts";
import { centsFromUsd } from "../../domain/costs/usd-cents.ts";
import { OperatorError } from "../../domain/errors.ts";
import {
  FORM_LIMITS,
  type FormTerms,
  PLAN_LIMITS,
  type PlanTerms,
} from "../../domain/planning/plan-terms.ts";
import { reserveFormTermByRule } from "../../domain/rules/reserve-form-term-rule.ts";
import { yieldToEventLoop } from "../../event-loop/event-loop.ts";
import { embeddedKnowledge } from "../../knowledge/embedded-knowledge.ts";
import type { DataFolder } from "../../server/server-data-folder.ts";
import type { PropertyPlanRow } from "../../store/queries/plans-queries.ts";
import { loadPartnerPrices } from "../../usecases/costs/load-partner-prices.ts";
import { requirePartner } from "../../usecases/partners/create-partner-and-credentials.ts";
import {
  loadPlanUnitLabels,
  preparePlanHazards,
  preparePlanLines,
  preparePlanLinesAsJson,
  preparePlanReconciliation,
} from "../../usecases/planning/load-plan-lines.ts";
import { loadPlannedProperties, loadPortfolioPlan } from "../../usecases/planning/load-portfolio-plan.ts";
import { loadPropertyPlan, type PlanDeps } from "../../usecases/planning/load-property-plan.ts";
import { portfolioReserveWorkbook } from "../../usecases/reserve-form/portfolio-reserve-workbook.ts";
import { reserveWorkbook } from "../../usecases/reserve-form/property-reserve-workbook.ts";
import { loadWorkMarksOfProperty } from "../../usecases/work-marks/record-work-marks.ts";
import { pageAssumptionSentences } from "../../web/page/page-assumption-sentences.ts";
import {
  choiceOption,
  defineCommand,
  switchOption,
  textOption,
  UsageError,
  valueOption,
  wholeNumberOption,
} from "../command.ts";
import { withCommandData } from "../command-data-access.ts";
import { checkCommandWorkbookOutput, writeCommandWorkbook } from "../command-workbook-output.ts";
import { terminalPortfolioPlanText, terminalPropertyPlanText } from "../terminal/terminal-plan-text.ts";
import type { OutputWidths } from "../terminal/terminal-table.ts";

const { years, inflationPct, budgetUsd, openingUsd, escrowPct, interestPct, minimumUsd, depositGrowthPct } =
  PLAN_LIMITS;
const { minimumItemUsd, loanTermYears } = FORM_LIMITS;

export const planCommand = defineCommand({
  name: "plan",
  summary: "print recommended replacements with timing, cost and cost of delay",
  description:
    "For a property: what to do with each unit and component, when and why, and how the figures of 12 months fit together. " +
    "For a partner: the replacements due now at each property. Both include the expected cost of each year, the deposits " +
    "to a replacement reserve and assumptions. --format xlsx writes the schedule in the form of lenders, over 12 years.",
  options: {
    property: textOption("ID", "the property to plan"),
    partner: textOption("ID", "the partner whose portfolio to plan"),
    years: wholeNumberOption("N", `years to plan (default: ${years.usual})`, years.least, years.most),
    inflation: decimal("PCT", `inflation in percent a year (default: ${inflationPct.usual})`, inflationPct),
    budget: decimal("USD", "show the best use of this budget", budgetUsd),
    includeDemo: switchOption("with --partner, include the demo property"),
    openingBalance: decimal("USD", "balance of the reserve at the start (default: 0)", openingUsd),
    escrowPct: decimal("PCT", `escrow for what is due now (default: ${escrowPct.usual})`, escrowPct),
    interestPct: decimal("PCT", "interest on the reserve in percent a year (default: 0)", interestPct),
    minimumBalance: decimal("USD", "least balance of the reserve (default: 0)", minimumUsd),
    depositGrowthPct: decimal(
      "PCT",
      "growth of the deposit in percent a year (default: 0)",
      depositGrowthPct,
    ),
    minimumItemCost: decimal(
      "USD",
      `with --format xlsx, the least cost of like items that are listed (default: ${minimumItemUsd.usual})`,
      minimumItemUsd,
    ),
    loanTerm: wholeNumberOption(
      "N",
      "with --format xlsx, the term of the loan in years: the schedule covers two more, at most 12",
      loanTermYears.least,
      loanTermYears.most,
    ),
    hud: switchOption("with --format xlsx, up to 20 years instead of 12, as HUD requires"),
    format: choiceOption(["table", "csv", "json", "xlsx"], "output format (default: table)"),
    output: textOption("FILE", "the file to write the workbook to; required with --format xlsx"),
  },
  examples: [
    "mainstay plan --property P_… --budget 5000",
    "mainstay plan --partner PARTNER_… --years 12 --format csv > reserve.csv",
    "mainstay plan --partner PARTNER_… --format xlsx --output portfolio.xlsx",
    "mainstay plan --property P_… --loan-term 10 --format xlsx --output reserve.xlsx",
  ],
  async run(context, _arguments, { property, partner, format, output, ...given }) {
    if ((property === undefined) === (partner === undefined))
      throw new UsageError(
        "specify either --property or --partner",
        "`mainstay partner list` shows the IDs of partners.",
      );
    const form = context.json ? "json" : (format ?? "table");
    checkCommandWorkbookOutput(form, output);
    const formTerms: FormTerms = {
      minimumItemCents: centsFromUsd(given.minimumItemCost ?? minimumItemUsd.usual),
      loanTermYears: given.loanTerm ?? null,
      isHud: given.hud ?? false,
    };
    const terms: PlanTerms = {
      years: given.years ?? (form === "xlsx" ? reserveFormTermByRule(formTerms) : years.usual),
      inflationPct: given.inflation ?? inflationPct.usual,
      budgetCents: given.budget === undefined ? null : centsFromUsd(given.budget),
      openingCents: centsFromUsd(given.openingBalance ?? openingUsd.usual),
      escrowPct: given.escrowPct ?? escrowPct.usual,
      interestPct: given.interestPct ?? interestPct.usual,
      minimumCents: centsFromUsd(given.minimumBalance ?? minimumUsd.usual),
      depositGrowthPct: given.depositGrowthPct ?? depositGrowthPct.usual,
    };
    const plan = await withCommandData(context, ({ store }) => {
      const deps = {
        store,
        knowledge: embeddedKnowledge(context.config.costs),
        clock: context.now,
        yieldNow: yieldToEventLoop,
      };
      return property !== undefined
        ? ofProperty(deps, property, terms, formTerms)
        : ofPartner(deps, partner!, { terms, formTerms }, given.includeDemo ?? false);
    });
    if (form === "xlsx") writeCommandWorkbook(context, output!, await plan.workbook());
    else if (form === "csv") context.stdout.write(plan.csv());
    else if (form === "json") context.stdout.write(`${JSON.stringify(plan.record)}\n`);
    else context.print(plan.record, plan.text(context));
  },
});

type RenderedPlan = {
  record: object;
  csv(): string;
  text(widths: OutputWidths): string;
  workbook(): Promise<Uint8Array>;
};

async function ofProperty(
  deps: PlanDeps & Pick<DataFolder, "store">,
  id: string,
  terms: PlanTerms,
  formTerms: FormTerms,
): Promise<RenderedPlan> {
  const { properties } = deps.store.read;
  const owner = await properties.ownerOf(id);
  if (owner === undefined)
    throw new OperatorError(
      `Property not found: ${id}`,
      "`mainstay partner list` shows partners; `mainstay plan --partner ID --format csv` lists a partner's properties.",
    );
  const partner = await requirePartner(deps.store, owner);
  const property = (await properties.find(owner, id))!;
  const plan = await loadPropertyPlan(deps, property, terms);
  const { knowledge, yieldNow } = deps;
  const lines = await preparePlanLines(plan, yieldNow);
  const work = await loadWorkMarksOfProperty(deps.store.read, id, yieldNow);
  const record = serializePropertyPlan(
    plan,
    await preparePlanReconciliation(
      await loadPartnerPrices(deps.store.read, knowledge, partner),
      plan,
      yieldNow,
    ),
    await preparePlanHazards(knowledge, plan, yieldNow),
    await preparePlanLinesAsJson(knowledge, lines, work, yieldNow),
  );
  const rows = [...lines.units, ...lines.components];
  const table = {
    labels: await loadPlanUnitLabels(deps.store.read, property),
    work,
    first: rows[0],
    assumptions: pageAssumptionSentences(record.counted_assumptions).join(" "),
  };
  return {
    record: addPartnerToJson(record, partner.name),
    csv: () =>
      [
        serializePlanTableHeading(plan),
        ...rows.map((row) => serializePlanTableCells(knowledge, row, terms.years, table)),
      ]
        .map(spreadsheetCsvLine)
        .join(""),
    text: (widths) => terminalPropertyPlanText(record, widths),
    workbook: () => reserveWorkbook(knowledge, plan, formTerms, yieldNow),
  };
}

async function ofPartner(
  deps: PlanDeps & Pick<DataFolder, "store">,
  id: string,
  { terms, formTerms }: { terms: PlanTerms; formTerms: FormTerms },
  includeDemo: boolean,
): Promise<RenderedPlan> {
  const { store } = deps;
  const partner = await requirePartner(store, id);
  const plan = await loadPortfolioPlan(deps, id, terms, includeDemo);
  const shares = plan.budget && budgetSharesJson(plan.budget);
  const rows: PropertyPlanRow[] = [];
  const properties = await loadPlannedProperties(deps, id, includeDemo);
  for (let some = await properties.page(0); some.length > 0; some = await properties.page(rows.length))
    rows.push(...some);
  const items = rows.map((row) => serializePortfolioPlanItem(row, shares));
  const record = serializePortfolioPlan(plan);
  return {
    record: addPartnerToJson({ portfolio: items, ...record }, partner.name),
    csv: () => serializePortfolioPlanTable(rows, shares, plan).map(spreadsheetCsvLine).join(""),
    text: (widths) => terminalPortfolioPlanText(record, items, widths),
    workbook: () => {
      const page = async (offset: number) => rows.slice(offset);
      const planned = { partner: partner.name, plan, properties: properties.properties, page };
      return portfolioReserveWorkbook(planned, formTerms, deps.yieldNow);
    },
  };
}

function decimal(placeholder: string, description: string, { least, most }: { least: number; most: number }) {
  return valueOption(placeholder, description, (typed): number => {
    const number = /^\d{1,15}(\.\d{1,15})?$/.test(typed) ? Number(typed) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new UsageError(`expected a number from ${least} to ${most}, got ${JSON.stringify(typed)}`);
  });
}
