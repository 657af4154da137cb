import { jsonExactUsdFromCents as usd } from "../../api-schemas/plan-summary-schema.ts";
import type { PlanSummary } from "../../domain/planning/property-plan-summary.ts";
import { todaysMoneyWithPlainQuotes } from "../../domain/wording/currency-and-unit-wording.ts";
import type { SheetCell, WorkbookSheet } from "../../xlsx/write-workbook.ts";
import type { CostCells } from "./reserve-form.ts";
import {
  COUNT,
  DEPOSIT_IN_USE,
  INPUTS,
  PERCENT,
  reserveFormBoldCell,
  reserveFormFormulaCell,
  reserveFormRowOfYear,
  reserveFormTableSheet,
  SHARE,
  SHEETS,
  USD,
  withReserveFormMoneyFormat,
} from "./reserve-form-cells.ts";

const COLUMNS = [
  { name: "Year", width: 7, format: COUNT },
  { name: "Planned", width: 13 },
  { name: "After failures", width: 13 },
  { name: "Due now", width: 13 },
  { name: "Repairs", width: 13 },
  { name: "Total", width: 14 },
  { name: "Inflation factor", width: 10, format: SHARE },
  { name: "Total, inflated", width: 14 },
  { name: "Needs of the reserve, inflated", width: 14 },
  { name: "Interest", width: 12 },
  { name: "Deposit", width: 13 },
  { name: "Balance", width: 14 },
  { name: "Used-up lives", width: 14 },
  { name: "Used-up lives, inflated", width: 14 },
  { name: "Percent funded", width: 10 },
  { name: "Run to failure", width: 14 },
  { name: "Run to failure, inflated", width: 14 },
] as const;

/** Returns the sheet of the reserve by year: costs in today's dollars and inflated, deposits and balances. */
export function reserveFormYearSheet({ capital, sums, terms }: PlanSummary, costs: CostCells): WorkbookSheet {
  const rows = capital.schedule.map((year, at): SheetCell[] => {
    const row = reserveFormRowOfYear(year.year);
    const isFirst = at === 0;
    const due = isFirst ? sums.due.cents : 0;
    const balance = capital.balances[at]!;
    const factor = (1 + terms.inflationPct / 100) ** at;
    const before = isFirst ? INPUTS.opening : `L${row - 1}`;
    const { fullyFundedCents, balanceCents } = balance;
    return [
      year.year,
      reserveFormFormulaCell(costs.costFormula("planned", year.year), usd(year.plannedCents - due)),
      reserveFormFormulaCell(costs.costFormula("failures", year.year), usd(year.failureCents)),
      isFirst
        ? reserveFormFormulaCell(
            `${costs.dueCells("immediate").cost}+${costs.dueCells("short_term").cost}`,
            usd(due),
          )
        : 0,
      usd(year.repairCents),
      reserveFormFormulaCell(`SUM(B${row}:E${row})`, usd(year.totalCents)),
      reserveFormFormulaCell(`(1+${INPUTS.inflation})^(A${row}-1)`, factor, SHARE),
      reserveFormFormulaCell(`ROUND(F${row}*G${row},2)`, usd(year.inflatedCents)),
      reserveFormFormulaCell(`(B${row}+C${row})*G${row}`, usd(balance.needCents)),
      reserveFormFormulaCell(`${before}*${INPUTS.interest}`, usd(balance.interestCents)),
      reserveFormFormulaCell(
        `${DEPOSIT_IN_USE}*(1+${INPUTS.depositGrowth})^(A${row}-1)`,
        usd(balance.depositCents),
      ),
      reserveFormFormulaCell(`${before}+J${row}+K${row}-I${row}`, usd(balanceCents)),
      usd(sums.years.accrued[year.year]!),
      reserveFormFormulaCell(`ROUND(M${row}*(1+${INPUTS.inflation})^A${row},2)`, usd(fullyFundedCents)),
      reserveFormFormulaCell(
        `IF(N${row}>0,L${row}/N${row},0)`,
        fullyFundedCents > 0 ? balanceCents / fullyFundedCents : 0,
        PERCENT,
      ),
      usd(year.runToFailureCents),
      reserveFormFormulaCell(`ROUND(P${row}*G${row},2)`, usd(Math.round(year.runToFailureCents * factor))),
    ];
  });
  const last = reserveFormRowOfYear(terms.years);
  const { totals, schedule, balances } = capital;
  const sum = (column: string, cents: number) =>
    reserveFormFormulaCell(`SUM(${column}2:${column}${last})`, usd(cents), USD, true);
  const total = <T>(column: string, items: readonly T[], pick: (item: T) => number, less = 0) =>
    sum(column, items.reduce((cents, item) => cents + pick(item), 0) - less);
  return reserveFormTableSheet(SHEETS.byYear, withReserveFormMoneyFormat(COLUMNS), [
    ...rows,
    [
      reserveFormBoldCell("Total"),
      total("B", schedule, ({ plannedCents }) => plannedCents, sums.due.cents),
      total("C", schedule, ({ failureCents }) => failureCents),
      sum("D", sums.due.cents),
      total("E", schedule, ({ repairCents }) => repairCents),
      sum("F", totals.plannedCents),
      null,
      sum("H", totals.plannedInflatedCents),
      total("I", balances, ({ needCents }) => needCents),
      total("J", balances, ({ interestCents }) => interestCents),
      total("K", balances, ({ depositCents }) => depositCents),
      ...[null, null, null, null],
      sum("P", totals.runToFailureCents),
      sum("Q", totals.runToFailureInflatedCents),
    ],
    [],
    ...notes().map((sentence) => [sentence]),
  ]);
}

const notes = () => [
  `Planned and after failures: replacements, in ${todaysMoneyWithPlainQuotes()}, after what is due now. They and their inflated sum are the needs that the reserve pays.`,
  "Due now is paid at closing or from the escrow, and repairs of the minor parts of units are operating costs: the reserve pays neither.",
  "Deposits and needs fall at the end of a year. Repairs, used-up lives and the costs of running everything to failure do not follow when a cell is changed.",
];
