import { unitsAndAreaJson, jsonExactUsdFromCents as usd } from "../../api-schemas/plan-summary-schema.ts";
import type { PlanSummary } from "../../domain/planning/property-plan-summary.ts";
import {
  areaUnitWording,
  todaysMoneyWithPlainQuotes,
} from "../../domain/wording/currency-and-unit-wording.ts";
import { WHY_PLAN_COSTS_MORE } from "../../domain/wording/plan-cost-wording.ts";
import { workbookCellReference } from "../../xlsx/workbook-cell-references.ts";
import type { SheetCell, WorkbookSheet } from "../../xlsx/write-workbook.ts";
import type { CostCells } from "./reserve-form.ts";
import {
  COUNT,
  INPUTS,
  reserveFormBoldCell,
  reserveFormFormulaCell,
  reserveFormHeadingCells,
  reserveFormRowOfYear,
  SHEETS,
  USD,
} from "./reserve-form-cells.ts";
import { DEPOSIT_COLUMNS } from "./reserve-form-deposit-sheet.ts";

/** Returns the name of what deposits are divided by, and its number; null where neither units nor area are known. */
export function reserveFormUnitsOrArea(
  plan: Pick<PlanSummary, "sums">,
): { name: string; number: number } | null {
  const { units, thousandSqft } = unitsAndAreaJson(plan.sums);
  if (units !== null) return { name: "unit", number: units };
  return thousandSqft === null ? null : { name: `1,000 ${areaUnitWording()}`, number: thousandSqft };
}

/** Returns the first sheet: the sums that lenders compare. `DEPOSIT_IN_USE` is a cell of it. */
export function reserveFormSummarySheet(
  plan: PlanSummary,
  costs: CostCells,
  [name, place]: readonly [string, string],
): WorkbookSheet {
  const { capital, sums, terms } = plan;
  const { due } = sums;
  const divisor = reserveFormUnitsOrArea(plan);
  const last = reserveFormRowOfYear(terms.years);
  const total = last + 1;
  const { levelDeposit, totals, balances, schedule } = capital;
  const needs = schedule.reduce((sum, year) => sum + year.plannedCents + year.failureCents, 0) - due.cents;
  const inflated = balances.reduce((sum, year) => sum + year.needCents, 0);
  const share = (formula: string, cents: number) =>
    reserveFormFormulaCell(
      `IF(${INPUTS.units}>0,${formula}/${INPUTS.units},0)`,
      divisor === null ? 0 : usd(cents) / divisor.number,
    );
  const dueRow = (
    label: string,
    dueNow: "immediate" | "short_term",
    { count, cents }: typeof due.immediate,
  ) => [
    label,
    reserveFormFormulaCell(costs.dueCells(dueNow).items, count, COUNT),
    reserveFormFormulaCell(costs.dueCells(dueNow).cost, usd(cents)),
  ];
  const depositRow = (label: string, column: string, row: number, cents: number): SheetCell[] => [
    label,
    reserveFormFormulaCell(workbookCellReference(SHEETS.deposit, column, total), usd(cents)),
    ...perSize(row, cents),
  ];
  const perSize = (row: number, cents: number) => [
    share(`B${row}`, cents),
    reserveFormFormulaCell(`C${row}/12`, divisor === null ? 0 : usd(cents) / divisor.number / 12),
  ];
  const byYear = (column: string, cents: number, isBold = false) =>
    reserveFormFormulaCell(workbookCellReference(SHEETS.byYear, column, total), usd(cents), USD, isBold);
  const savings = (column: string, cents: number) =>
    reserveFormFormulaCell(`${column}28-${column}27`, usd(cents));
  const saved = totals.runToFailureCents - totals.plannedCents;
  const costsMore = `In this period the plan costs more in ${todaysMoneyWithPlainQuotes()}: ${WHY_PLAN_COSTS_MORE}.`;
  const per = divisor === null ? "Per unit" : `Per ${divisor.name}`;
  return {
    name: SHEETS.summary,
    columns: [{ width: 44 }, ...[1, 2, 3].map(() => ({ width: 18, format: USD }))],
    rows: [
      [reserveFormBoldCell("Replacement reserve schedule")],
      [name],
      [place],
      [`${terms.years} years from ${plan.asOf}`],
      [],
      reserveFormHeadingCells("Due now, paid at closing", "Items", "Cost"),
      dueRow("Immediate repairs", "immediate", due.immediate),
      dueRow("Short-term repairs", "short_term", due.shortTerm),
      [
        reserveFormBoldCell("Total"),
        reserveFormFormulaCell("SUM(B7:B8)", due.immediate.count + due.shortTerm.count, COUNT, true),
        reserveFormFormulaCell("SUM(C7:C8)", usd(due.cents), USD, true),
      ],
      [
        "Escrow",
        null,
        reserveFormFormulaCell(
          `ROUND(C9*${INPUTS.escrow},2)`,
          usd(Math.round((due.cents * terms.escrowPct) / 100)),
        ),
      ],
      [],
      reserveFormHeadingCells(
        "Replacement reserves",
        sentenceStart(todaysMoneyWithPlainQuotes()),
        "Inflated",
      ),
      [
        "Total",
        reserveFormFormulaCell(
          `${workbookCellReference(SHEETS.byYear, "B", total)}+${workbookCellReference(SHEETS.byYear, "C", total)}`,
          usd(needs),
        ),
        byYear("I", inflated),
      ],
      [
        "A year on average",
        reserveFormFormulaCell(`B13/${terms.years}`, usd(needs) / terms.years),
        reserveFormFormulaCell(`C13/${terms.years}`, usd(inflated) / terms.years),
      ],
      [`${per} and year`, share("B14", needs / terms.years), share("C14", inflated / terms.years)],
      [],
      reserveFormHeadingCells("Deposit of the first year", "A year", `${per} and year`, `${per} and month`),
      depositRow("50% confidence in each single year", DEPOSIT_COLUMNS["50"], 18, levelDeposit[50].noise),
      depositRow("80% confidence in each single year", DEPOSIT_COLUMNS["80"], 19, levelDeposit[80].noise),
      depositRow("95% confidence in each single year", DEPOSIT_COLUMNS["95"], 20, levelDeposit[95].noise),
      depositRow("80%, costs that err together", DEPOSIT_COLUMNS["80e"], 21, levelDeposit[80].withCostError),
      depositRow("95%, costs that err together", DEPOSIT_COLUMNS["95e"], 22, levelDeposit[95].withCostError),
      [
        reserveFormBoldCell("Deposit in use (enter another to see its balances)"),
        reserveFormFormulaCell("B18", usd(levelDeposit[50].noise), USD, true),
        ...perSize(23, levelDeposit[50].noise),
      ],
      [
        "Lowest balance",
        reserveFormFormulaCell(
          `MIN('${SHEETS.byYear}'!L2:L${last})`,
          usd(Math.min(...balances.map(({ balanceCents }) => balanceCents))),
        ),
      ],
      [],
      reserveFormHeadingCells(
        "All costs, due now and repairs included",
        sentenceStart(todaysMoneyWithPlainQuotes()),
        "Inflated",
      ),
      ["With this plan", byYear("F", totals.plannedCents), byYear("H", totals.plannedInflatedCents)],
      [
        "If everything is run to failure",
        byYear("P", totals.runToFailureCents),
        byYear("Q", totals.runToFailureInflatedCents),
      ],
      [
        "Savings",
        savings("B", saved),
        savings("C", totals.runToFailureInflatedCents - totals.plannedInflatedCents),
      ],
      [{ formula: `IF(B29<-0.5,"${costsMore}","")`, value: saved < -50 ? costsMore : "" }],
    ],
  };
}

const sentenceStart = (text: string) => text[0]!.toUpperCase() + text.slice(1);
