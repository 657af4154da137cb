import { serializePlanAssumptions } from "../../api-schemas/plan-assumptions-schema.ts";
import type { FormTerms } from "../../domain/planning/plan-terms.ts";
import type { PlanSummary } from "../../domain/planning/property-plan-summary.ts";
import { forEachYielding, type Yield } from "../../event-loop/event-loop.ts";
import type { PropertyPlanRow } from "../../store/queries/plans-queries.ts";
import { writeWorkbook } from "../../xlsx/write-workbook.ts";
import { reserveFormAssumptionsSheet } from "./reserve-form-assumptions-sheet.ts";
import { MOST_CELLS } from "./reserve-form-cells.ts";
import { reserveFormDepositSheet } from "./reserve-form-deposit-sheet.ts";
import {
  type PropertyLine,
  ReserveFormPropertySheets,
  reserveFormCellsPerPropertyLine,
} from "./reserve-form-property-sheets.ts";
import { reserveFormSummarySheet } from "./reserve-form-summary-sheet.ts";
import { reserveFormYearSheet } from "./reserve-form-year-sheet.ts";

/** A portfolio's plan with what a workbook needs beside it. */
type PlannedPortfolio = {
  partner: string;
  plan: PlanSummary;
  /** The number of its properties. */
  properties: number;
  /** Returns the plans of the properties from an offset on, none at the end. */
  page: (offset: number) => Promise<readonly PropertyPlanRow[]>;
};

/**
 * Returns the replacement reserve schedule of a portfolio as a workbook with live formulas: a line for each property, as many as
 * can be written without keeping others waiting, those with the highest costs, and one for all others together.
 */
export async function portfolioReserveWorkbook(
  { partner, plan, properties, page }: PlannedPortfolio,
  { loanTermYears }: FormTerms,
  yieldNow: Yield,
): Promise<Uint8Array<ArrayBuffer>> {
  const { years } = plan.terms;
  const most = Math.floor(MOST_CELLS / reserveFormCellsPerPropertyLine(years));
  const largest = new LargestLines(most);
  for (let offset = 0; ; ) {
    const rows = await page(offset);
    await forEachYielding(rows, yieldNow, (row) => largest.add(lineOf(row, years)));
    if (rows.length === 0) break;
    offset += rows.length;
  }
  const lines = largest.lines();
  const others = properties - lines.length;
  if (others > 0) lines.push(othersOf(plan, lines, others));
  const sheets = new ReserveFormPropertySheets(plan, lines);
  await yieldNow();
  const counted = `${properties.toLocaleString("en-US")} ${properties === 1 ? "property" : "properties"}`;
  return await writeWorkbook(
    [
      ...[
        reserveFormSummarySheet(plan, sheets, [partner, counted]),
        sheets.properties,
        reserveFormYearSheet(plan, sheets),
      ],
      ...[reserveFormDepositSheet(plan, sheets), sheets.bases],
      reserveFormAssumptionsSheet(plan, {
        subject: [
          ["Portfolio", partner],
          ["Properties", properties],
        ],
        lines: [
          ["Properties with a line of their own", properties - Math.max(others, 0)],
          ["Other properties, which share a line", Math.max(others, 0)],
        ],
        loanTermYears,
        sentences: serializePlanAssumptions(plan),
      }),
    ],
    yieldNow,
  );
}

function lineOf({ name, propertyId, unitCount, sums }: PropertyPlanRow, years: number): PropertyLine {
  const { due } = sums;
  const planned = sums.years.planned.slice(0, years);
  planned[0]! -= due.cents;
  return { name, propertyId, units: unitCount, due, planned, failures: sums.years.failures.slice(0, years) };
}

const costOf = ({ due, planned, failures }: PropertyLine): number =>
  due.immediate.cents + due.shortTerm.cents + sumOf(planned) + sumOf(failures);
const sumOf = (cents: readonly number[]) => cents.reduce((sum, one) => sum + one, 0);

/** Keeps the lines with the highest costs. */
class LargestLines {
  #kept: { line: PropertyLine; cents: number }[] = [];

  constructor(private readonly most: number) {}

  add(line: PropertyLine): void {
    this.#kept.push({ line, cents: costOf(line) });
    if (this.#kept.length >= 2 * this.most) this.#cut();
  }

  lines(): PropertyLine[] {
    this.#cut();
    return this.#kept.map(({ line }) => line);
  }

  #cut(): void {
    this.#kept = this.#kept.sort((a, b) => b.cents - a.cents).slice(0, this.most);
  }
}

/** Returns the line of the properties that have none of their own: what is left of the portfolio. */
function othersOf({ sums, terms }: PlanSummary, lines: readonly PropertyLine[], count: number): PropertyLine {
  const rest = lineOf({ name: "", propertyId: "", unitCount: 0, sums, isChanged: false }, terms.years);
  const less = (of: "immediate" | "shortTerm") => ({
    count: rest.due[of].count - lines.reduce((sum, { due }) => sum + due[of].count, 0),
    cents: rest.due[of].cents - lines.reduce((sum, { due }) => sum + due[of].cents, 0),
  });
  const minus = (of: "planned" | "failures") =>
    rest[of].map((cents, at) => cents - lines.reduce((sum, line) => sum + line[of][at]!, 0));
  return {
    name: `${count.toLocaleString("en-US")} more ${count === 1 ? "property" : "properties"}`,
    propertyId: "",
    units: null,
    due: { immediate: less("immediate"), shortTerm: less("shortTerm") },
    planned: minus("planned"),
    failures: minus("failures"),
  };
}
