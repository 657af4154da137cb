import { jsonExactUsdFromCents as usd } from "../../api-schemas/plan-summary-schema.ts";
import { COST_BASES } from "../../domain/costs/component-costs.ts";
import { reserveNeedsByYear } from "../../domain/planning/capital-plan.ts";
import { FUNDING_CONFIDENCES } from "../../domain/planning/level-deposit.ts";
import type { PlanSummary } from "../../domain/planning/property-plan-summary.ts";
import { workbookCellReference } from "../../xlsx/workbook-cell-references.ts";
import type { SheetCell, WorkbookSheet } from "../../xlsx/write-workbook.ts";
import type { CostCells } from "./reserve-form.ts";
import {
  COUNT,
  INPUTS,
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
  { name: "Opening balance with interest", width: 14 },
  { name: "Needs up to the year, with interest", width: 14 },
  { name: "Deposits of 1 in the first year, with interest", width: 14, format: SHARE },
  { name: "Standard deviation of needs", width: 14 },
  { name: "Needs of own costs", width: 14 },
  { name: "Needs of own history", width: 14 },
  { name: "Needs of scaled costs", width: 14 },
  { name: "Needs of reference costs", width: 14 },
  { name: "Error of costs together", width: 10, format: SHARE },
  { name: "50%", width: 13 },
  { name: "80%", width: 13 },
  { name: "95%", width: 13 },
  { name: "80% with cost error", width: 13 },
  { name: "95% with cost error", width: 13 },
] as const;

/** The columns of the first deposits that keep the balance at or above the floor up to a year. */
export const DEPOSIT_COLUMNS = { "50": "K", "80": "L", "95": "M", "80e": "N", "95e": "O" } as const;

/** The columns of needs by the basis of their costs, in the order of the bases. */
const BASIS_COLUMNS = { own: "F", own_history: "G", scaled: "H", reference: "I" } as const;
const ERRORS = {
  own: INPUTS.errorOwn,
  own_history: INPUTS.errorOwnHistory,
  scaled: INPUTS.errorScaled,
  reference: INPUTS.errorReference,
} as const;

/** Returns the sheet that derives the level deposits: of each year the deposit that it needs, whose largest is the deposit. */
export function reserveFormDepositSheet(plan: PlanSummary, costs: CostCells): WorkbookSheet {
  const years = plan.capital.schedule.map(({ year }) => year);
  const byYear = depositYears(plan);
  return reserveFormTableSheet(SHEETS.deposit, withReserveFormMoneyFormat(COLUMNS), [
    ...years.map((year) => depositRow(year, byYear[year - 1]!, costs)),
    [
      ...[reserveFormBoldCell("Deposit"), ...COLUMNS.slice(1, 10).map(() => null)],
      ...Object.values(DEPOSIT_COLUMNS).map((column, at) =>
        reserveFormFormulaCell(
          `MAX(0,${column}2:${column}${reserveFormRowOfYear(years.length)})`,
          Math.max(0, ...byYear.map(({ deposits }) => deposits[at]!)),
          USD,
          true,
        ),
      ),
    ],
    [],
    [
      "The standard deviation of needs is that of the failures of single items. It does not follow when a cell is changed.",
    ],
  ]);
}

function depositRow(year: number, values: DepositYear, costs: CostCells): SheetCell[] {
  const row = reserveFormRowOfYear(year);
  const compounded = (column: string, more: string) =>
    year === 1 ? more : `${column}${row - 1}*(1+${INPUTS.interest})+${more}`;
  const inflator = workbookCellReference(SHEETS.byYear, "G", row);
  const base = `${INPUTS.minimumBalance}-B${row}+C${row}`;
  const error = COST_BASES.map((basis) => `${BASIS_COLUMNS[basis]}${row}*${ERRORS[basis]}`).join("+");
  const widened = `SQRT(E${row}^2+(J${row}*C${row})^2)`;
  const formulas = [
    `(${base})/D${row}`,
    `(${base}+${INPUTS.deviate80}*E${row})/D${row}`,
    `(${base}+${INPUTS.deviate95}*E${row})/D${row}`,
    `(${base}+${INPUTS.deviate80}*${widened})/D${row}`,
    `(${base}+${INPUTS.deviate95}*${widened})/D${row}`,
  ];
  return [
    year,
    reserveFormFormulaCell(
      year === 1 ? `${INPUTS.opening}*(1+${INPUTS.interest})` : `B${row - 1}*(1+${INPUTS.interest})`,
      values.opening,
    ),
    reserveFormFormulaCell(compounded("C", workbookCellReference(SHEETS.byYear, "I", row)), values.needed),
    reserveFormFormulaCell(compounded("D", `(1+${INPUTS.depositGrowth})^(A${row}-1)`), values.paid, SHARE),
    values.deviation,
    ...COST_BASES.map((basis, at) =>
      reserveFormFormulaCell(
        compounded(BASIS_COLUMNS[basis], `MAX(0,${costs.basisFormula(basis, year)}*${inflator})`),
        values.byBasis[at]!,
      ),
    ),
    reserveFormFormulaCell(
      `IF(SUM(F${row}:I${row})>0,(${error})/SUM(F${row}:I${row}),0)`,
      values.costError,
      SHARE,
    ),
    ...formulas.map((formula, at) => reserveFormFormulaCell(formula, values.deposits[at]!)),
  ];
}

/** The values of a year, in dollars. `deposits` has those of `DEPOSIT_COLUMNS`. */
type DepositYear = {
  opening: number;
  needed: number;
  paid: number;
  deviation: number;
  byBasis: number[];
  costError: number;
  deposits: number[];
};

function depositYears({ sums, terms }: Pick<PlanSummary, "sums" | "terms">): DepositYear[] {
  const [inflation, interest] = [terms.inflationPct / 100, terms.interestPct / 100];
  const needs = reserveNeedsByYear(sums, terms.years, inflation, interest);
  let [opening, needed, paid] = [usd(terms.openingCents), 0, 0];
  const upTo = COST_BASES.map(() => 0);
  return needs.cents.map((cents, at) => {
    opening *= 1 + interest;
    needed = needed * (1 + interest) + usd(cents);
    paid = paid * (1 + interest) + (1 + terms.depositGrowthPct / 100) ** at;
    for (const [index, basis] of COST_BASES.entries()) {
      const due = at === 0 ? sums.dueByBasis[basis] : 0;
      const need = sums.years.needs[basis][at]! * (1 + inflation) ** at - due;
      upTo[index] = upTo[index]! * (1 + interest) + Math.max(0, usd(need));
    }
    const deviation = usd(Math.sqrt(Math.max(0, needs.variance[at]!)));
    const costError = needs.costError[at]!;
    const base = usd(terms.minimumCents) - opening + needed;
    const widened = Math.sqrt(deviation ** 2 + (costError * needed) ** 2);
    const margins = [
      0,
      ...[deviation, widened].flatMap((deviates) => [
        FUNDING_CONFIDENCES[80] * deviates,
        FUNDING_CONFIDENCES[95] * deviates,
      ]),
    ];
    return {
      opening,
      needed,
      paid,
      deviation,
      costError,
      byBasis: [...upTo],
      deposits: margins.map((margin) => (base + margin) / paid),
    };
  });
}
