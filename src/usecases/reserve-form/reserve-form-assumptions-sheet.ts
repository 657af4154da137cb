import { serializePropertyPlanAssumptions } from "../../api-schemas/plan-assumptions-schema.ts";
import { jsonExactUsdFromCents as usd } from "../../api-schemas/plan-summary-schema.ts";
import { COST_ERROR } from "../../domain/planning/capital-plan.ts";
import { FUNDING_CONFIDENCES } from "../../domain/planning/level-deposit.ts";
import type { PlanSummary } from "../../domain/planning/property-plan-summary.ts";
import { wholeMoney } from "../../domain/wording/currency-and-unit-wording.ts";
import { IMMEDIATE_WORK } from "../../domain/wording/immediate-work-wording.ts";
import type { SheetCell, WorkbookSheet } from "../../xlsx/write-workbook.ts";
import type { ReserveForm } from "./reserve-form.ts";
import { PERCENT, reserveFormHeadingCells, SHARE, SHEETS, USD } from "./reserve-form-cells.ts";
import { reserveFormUnitsOrArea } from "./reserve-form-summary-sheet.ts";

/** The rows of the assumptions that differ between the form of a property and that of a portfolio. */
type FormAssumptions = {
  /** Rows 2 and 3: whose schedule it is. */
  subject: readonly [SheetCell[], SheetCell[]];
  /** Rows 14 and 15: which lines the form has. `INPUTS.includeBelow` is a cell of a property's. */
  lines: readonly [SheetCell[], SheetCell[]];
  loanTermYears: number | null;
  sentences: readonly string[];
};

/** Returns the sheet of the assumptions. `INPUTS` are its cells: formulas follow when one is changed. */
export function reserveFormAssumptionsSheet(
  plan: PlanSummary,
  { subject, lines, loanTermYears, sentences }: FormAssumptions,
): WorkbookSheet {
  const { terms, modelVersion, asOf } = plan;
  const divisor = reserveFormUnitsOrArea(plan);
  const percent = (value: number): SheetCell => ({ value: value / 100, format: PERCENT });
  const share = (value: number): SheetCell => ({ value, format: SHARE });
  return {
    name: SHEETS.assumptions,
    columns: [{ width: 52 }, { width: 18 }, { width: 70 }],
    rows: [
      reserveFormHeadingCells("Assumption", "Value", "Effect"),
      ...subject,
      [
        divisor === null || divisor.name === "unit" ? "Units" : `Area in ${divisor.name}`,
        divisor?.number ?? 0,
        "Divides deposits; 0: unknown",
      ],
      ["Date", asOf],
      ["Scoring model", modelVersion],
      ["Years", terms.years, OTHER_FORM],
      ["Inflation a year", percent(terms.inflationPct)],
      ["Interest on the reserve a year", percent(terms.interestPct)],
      ["Opening balance", money(terms.openingCents)],
      ["Minimum balance", money(terms.minimumCents)],
      ["Growth of the deposit a year", percent(terms.depositGrowthPct)],
      ["Escrow for what is due now", percent(terms.escrowPct)],
      ...lines,
      ["Normal deviate of 80% confidence", share(FUNDING_CONFIDENCES[80])],
      ["Normal deviate of 95% confidence", share(FUNDING_CONFIDENCES[95])],
      ["Error of own costs together", percent(100 * COST_ERROR.own)],
      ["Error of costs of own history together", percent(100 * COST_ERROR.own_history)],
      ["Error of costs scaled to the size together", percent(100 * COST_ERROR.scaled)],
      ["Error of reference costs together", percent(100 * COST_ERROR.reference)],
      ["Term of the loan in years", loanTermYears ?? "Not stated"],
      [],
      ...SENTENCES.map((sentence) => [sentence]),
      ...sentences.map((sentence) => [sentence]),
    ],
  };
}

/** Returns the assumptions of a property's form. */
export function reserveFormAssumptionsOfProperty({ plan, terms }: ReserveForm): FormAssumptions {
  const { property } = plan;
  return {
    subject: [
      ["Property", property.name],
      ["Year built", property.yearBuilt],
    ],
    lines: [
      ["Minimum cost of like items to be listed", money(terms.minimumItemCents), OTHER_FORM],
      [
        "Items below the minimum are reserved for (1 yes, 0 no)",
        1,
        "0 leaves the sheet Below the minimum out of needs and deposits",
      ],
    ],
    loanTermYears: terms.loanTermYears,
    sentences: [
      "EUL: expected useful life in the place of the item. Effective age: age adjusted for condition, use and service. RUL: EUL less effective age. Means of a line's items.",
      `Like items are the same part of the same kind of appliance. More than four of them are listed if they cost over ${wholeMoney(10_000)} together.`,
      ...serializePropertyPlanAssumptions(plan),
    ],
  };
}

const SENTENCES = [
  `Immediate: ${IMMEDIATE_WORK}. Short-term: the rest that is due now.`,
  "Replacements of a year are expected numbers: an item that is replaced at an age may fail before, and one that is run to failure may fail in any year.",
];
const OTHER_FORM = "Request another form to change it";

const money = (cents: number): SheetCell => ({ value: usd(cents), format: USD });
