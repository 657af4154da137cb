import { serializeAction } from "../../api-schemas/action-schema.ts";
import { jsonExactUsdFromCents as usd } from "../../api-schemas/plan-summary-schema.ts";
import type { CostBasis } from "../../domain/costs/component-costs.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { DueNow } from "../../domain/planning/planned-appliance.ts";
import type { ReserveLine } from "../../domain/planning/planned-reserve-lines.ts";
import { todaysMoneyWithPlainQuotes } from "../../domain/wording/currency-and-unit-wording.ts";
import { compareWordingNaturally } from "../../domain/wording/us-english-wording.ts";
import {
  workbookCellReference,
  workbookColumnName,
  workbookRangeReference,
} from "../../xlsx/workbook-cell-references.ts";
import type { SheetCell, WorkbookSheet } from "../../xlsx/write-workbook.ts";
import type { CostCells, ReserveForm } from "./reserve-form.ts";
import {
  COUNT,
  INPUTS,
  reserveFormBoldCell,
  reserveFormCodeInWords,
  reserveFormFormulaCell,
  reserveFormTableSheet,
  SHARE,
  SHEETS,
  USD,
  YEARS,
} from "./reserve-form-cells.ts";

/** The columns of a line before those of its years. */
const COLUMNS = [
  { name: "Building system", width: 18 },
  { name: "Item", width: 38 },
  { name: "Size", width: 16 },
  { name: "Quantity", width: 9, format: COUNT },
  { name: "Unit", width: 7 },
  { name: "Unit cost", width: 12, format: USD },
  { name: "Unit cost after failure", width: 12, format: USD },
  { name: "Cost basis", width: 12 },
  { name: "EUL (years)", width: 9, format: YEARS },
  { name: "Effective age (years)", width: 9, format: YEARS },
  { name: "RUL (years)", width: 9, format: YEARS },
  { name: "Replacement", width: 14 },
  { name: "Cost of all", width: 13, format: USD },
] as const;
const QUANTITY = "D";
const UNIT_COST = "F";
const FAILED_COST = "G";
const BASIS = "H";
const FIRST_ROW = 2;

type Placed = { line: ReserveLine; sheet: string; row: number };
type Part = { sheet: string; expected: string; lines: readonly ReserveLine[] };

/** The sheets of the form's lines: those listed, those below the minimum, and the expected replacements of both. */
export class ReserveLineSheets implements CostCells {
  readonly placed: readonly Placed[];
  readonly reserves: WorkbookSheet;
  readonly below: WorkbookSheet;
  readonly expected: readonly WorkbookSheet[];
  readonly #parts: readonly Part[];
  readonly #years: number;
  readonly #inflation: number;

  constructor(knowledge: Knowledge, { plan, lines }: ReserveForm) {
    this.#years = plan.terms.years;
    this.#inflation = plan.terms.inflationPct / 100;
    const listed = { sheet: SHEETS.reserves, expected: SHEETS.expected, lines: lines.filter(isListed) };
    const below = {
      sheet: SHEETS.below,
      expected: SHEETS.expectedBelow,
      lines: lines.filter((line) => !isListed(line)),
    };
    this.#parts = [listed, below];
    this.placed = this.#parts.flatMap(({ sheet, lines: some }) =>
      some.map((line, at) => ({ line, sheet, row: FIRST_ROW + at })),
    );
    this.reserves = this.#lines(knowledge, listed);
    this.below = this.#lines(knowledge, below);
    this.expected = this.#parts.map((part) => this.#expectedSheet(knowledge, part));
  }

  costFormula(of: "planned" | "failures", year: number): string {
    const [listed, below] = this.#parts.map((part) => {
      const shares = workbookColumnName(of === "planned" ? year : this.#years + year);
      const cost = of === "planned" ? UNIT_COST : FAILED_COST;
      const columns = [
        ...[QUANTITY, cost].map((column) => range(part, part.sheet, column)),
        range(part, part.expected, shares),
      ];
      return `SUMPRODUCT(${columns.join(",")})`;
    });
    return `ROUND(${listed}+${INPUTS.includeBelow}*${below},2)`;
  }

  basisFormula(basis: CostBasis, year: number): string {
    const [listed, below] = this.#parts.map(
      (part) =>
        `SUMIF(${range(part, part.sheet, BASIS)},"${reserveFormCodeInWords(basis)}",${range(part, part.sheet, yearColumn(year))})`,
    );
    return `ROUND(${listed}+${INPUTS.includeBelow}*${below},2)`;
  }

  dueCells(dueNow: DueNow) {
    const due = this.placed.filter(({ line }) => line.dueNow === dueNow).length;
    const [items, cost] = ["$D$", "$G$"].map((column) =>
      workbookCellReference(SHEETS[dueNow], column, FIRST_ROW + due + 1),
    );
    return { items: items!, cost: cost! };
  }

  #lines(knowledge: Knowledge, part: Part): WorkbookSheet {
    const years = Array.from({ length: this.#years }, (_, at) => at + 1);
    const rows = part.lines.map((line, at) => this.#row(knowledge, part, line, FIRST_ROW + at));
    const amounts = part.lines.map((line) => years.map((year) => usd(costOf(line, year))));
    const sums = years.map((_, at) => amounts.reduce((sum, amount) => sum + amount[at]!, 0));
    const last = lastRow(part);
    const total = (column: string, value: number) =>
      reserveFormFormulaCell(`SUM(${column}${FIRST_ROW}:${column}${last})`, value, USD, true);
    const factor = (year: number) => (1 + this.#inflation) ** (year - 1);
    const totalRow = last + 1;
    const span = (label: string): SheetCell[] => [
      reserveFormBoldCell(label),
      ...COLUMNS.slice(2).map(() => null),
    ];
    const all = part.lines.reduce((sum, { quantity, unitCents }) => sum + quantity * unitCents, 0);
    const lastYear = yearColumn(this.#years);
    const across = (row: number) => `SUM(${yearColumn(1)}${row}:${lastYear}${row})`;
    const ofAll = sums.reduce((sum, total) => sum + total, 0);
    const inflated = sums.map((sum, at) => sum * factor(at + 1));
    const columns = [
      ...COLUMNS,
      ...years.map((year) => ({ name: `Year ${year}`, width: 12, format: USD })),
      { name: "Total", width: 14, format: USD },
    ];
    return reserveFormTableSheet(part.sheet, columns, [
      ...rows,
      [],
      [
        ...span(`Total, ${todaysMoneyWithPlainQuotes()}`),
        total("M", usd(all)),
        ...sums.map((sum, at) => total(yearColumn(at + 1), sum)),
        reserveFormFormulaCell(across(totalRow), ofAll, USD, true),
      ],
      [
        ...span("Inflation factor"),
        null,
        ...years.map((year) =>
          reserveFormFormulaCell(`(1+${INPUTS.inflation})^${year - 1}`, factor(year), SHARE),
        ),
      ],
      [
        ...span("Total, inflated"),
        null,
        ...years.map((year, at) =>
          reserveFormFormulaCell(
            `${yearColumn(year)}${totalRow}*${yearColumn(year)}${totalRow + 1}`,
            inflated[at]!,
            USD,
            true,
          ),
        ),
        reserveFormFormulaCell(
          across(totalRow + 2),
          inflated.reduce((sum, amount) => sum + amount, 0),
          USD,
          true,
        ),
      ],
    ]);
  }

  #row(knowledge: Knowledge, part: Part, line: ReserveLine, row: number): SheetCell[] {
    const years = Array.from({ length: this.#years }, (_, at) => at + 1);
    const amounts = years.map((year) => {
      const share = (column: number) => workbookCellReference(part.expected, workbookColumnName(column), row);
      const formula = `${QUANTITY}${row}*(${UNIT_COST}${row}*${share(year)}+${FAILED_COST}${row}*${share(this.#years + year)})`;
      return reserveFormFormulaCell(formula, usd(costOf(line, year)));
    });
    const type = knowledge.type(line.first.typeId);
    const all = years.reduce((sum, year) => sum + usd(costOf(line, year)), 0);
    return [
      systemName(type.system),
      nameOf(knowledge, line),
      sizeText(line.sizes, type.size?.unit),
      line.quantity,
      "each",
      usd(line.unitCents),
      usd(line.failedCents),
      reserveFormCodeInWords(line.basis),
      line.expectedLifeYears,
      line.effectiveAgeYears,
      line.remainingLifeYears,
      replacementText(line),
      reserveFormFormulaCell(`${QUANTITY}${row}*${UNIT_COST}${row}`, usd(line.quantity * line.unitCents)),
      ...amounts,
      reserveFormFormulaCell(`SUM(${yearColumn(1)}${row}:${yearColumn(this.#years)}${row})`, all),
    ];
  }

  #expectedSheet(knowledge: Knowledge, { expected, lines }: Part): WorkbookSheet {
    const years = Array.from({ length: this.#years }, (_, at) => at + 1);
    const columns = [
      { name: "Expected replacements of an item", width: 38 },
      ...["Planned", "Failed"].flatMap((how) =>
        years.map((year) => ({ name: `${how} ${year}`, width: 11, format: SHARE })),
      ),
    ];
    return reserveFormTableSheet(
      expected,
      columns,
      lines.map((line): SheetCell[] => [nameOf(knowledge, line), ...line.planned, ...line.failures]),
    );
  }
}

const isListed = (line: ReserveLine) => line.isListed;

/** Returns the column of a year on the sheets of lines. */
const yearColumn = (year: number) => workbookColumnName(COLUMNS.length + year - 1);

/** Returns the last row that sums include: an empty one, above which lines can be inserted. */
const lastRow = ({ lines }: Part) => FIRST_ROW + lines.length;

const range = (part: Part, sheet: string, column: string) =>
  workbookRangeReference(sheet, column, FIRST_ROW, lastRow(part));

/** Returns what a line costs in a year, in cents of today. */
const costOf = ({ quantity, unitCents, failedCents, planned, failures }: ReserveLine, year: number) =>
  quantity * (unitCents * planned[year - 1]! + failedCents * failures[year - 1]!);

/** Returns the sheet of what is due now, whose quantities and costs are those of the lines. */
export function reserveFormDueNowSheet(
  knowledge: Knowledge,
  { placed }: ReserveLineSheets,
  dueNow: DueNow,
): WorkbookSheet {
  // Not in the order of the lines, which depends on how many years the schedule covers.
  const due = placed
    .filter(({ line }) => line.dueNow === dueNow)
    .map((place) => ({
      ...place,
      cents: place.line.quantity * place.line.unitCents,
      name: nameOf(knowledge, place.line),
    }))
    .sort((a, b) => b.cents - a.cents || compareWordingNaturally(a.name, b.name));
  const last = FIRST_ROW + due.length;
  const sum = (pick: (line: ReserveLine) => number) => due.reduce((total, { line }) => total + pick(line), 0);
  return reserveFormTableSheet(SHEETS[dueNow], DUE_COLUMNS, [
    ...due.map(({ line, sheet, row, cents, name }, at): SheetCell[] => {
      const type = knowledge.type(line.first.typeId);
      const own = FIRST_ROW + at;
      return [
        systemName(type.system),
        name,
        sizeText(line.sizes, type.size?.unit),
        reserveFormFormulaCell(workbookCellReference(sheet, QUANTITY, row), line.quantity, COUNT),
        "each",
        reserveFormFormulaCell(workbookCellReference(sheet, UNIT_COST, row), usd(line.unitCents)),
        reserveFormFormulaCell(`ROUND(D${own}*F${own},2)`, usd(Math.round(cents))),
        serializeAction(line.first.action).reason,
      ];
    }),
    [],
    [
      ...[reserveFormBoldCell("Total"), null, null],
      reserveFormFormulaCell(
        `SUM(D${FIRST_ROW}:D${last})`,
        sum(({ quantity }) => quantity),
        COUNT,
        true,
      ),
      ...[null, null],
      reserveFormFormulaCell(
        `SUM(G${FIRST_ROW}:G${last})`,
        usd(sum(({ quantity, unitCents }) => Math.round(quantity * unitCents))),
        USD,
        true,
      ),
    ],
  ]);
}

const DUE_COLUMNS = [
  ...COLUMNS.slice(0, 5),
  { name: "Unit cost", width: 12, format: USD },
  { name: "Cost", width: 14, format: USD },
  { name: "Reason", width: 90 },
];

function nameOf(knowledge: Knowledge, { first: { typeId, defId }, kinds }: ReserveLine): string {
  const type = knowledge.type(typeId);
  if (kinds === "system") return `${systemName(type.system)}: several kinds`;
  if (defId === null) return type.name;
  return kinds === "type"
    ? `${type.name}: several parts`
    : `${knowledge.component(defId).name}, ${type.name}`;
}

const systemName = (system: string) => {
  const words = system === "hvac" ? "HVAC" : reserveFormCodeInWords(system);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
};

function sizeText(sizes: ReserveLine["sizes"], unit: string | undefined): string | null {
  if (sizes === null) return null;
  const number = (size: number) => size.toLocaleString("en-US", { maximumFractionDigits: 1 });
  const { least, most } = sizes;
  return [
    least === most ? number(least) : `${number(least)}–${number(most)}`,
    unit && reserveFormCodeInWords(unit),
  ]
    .filter(Boolean)
    .join(" ");
}

function replacementText({ dueNow, dueYears }: ReserveLine): string {
  if (dueNow !== null) return "Due now";
  if (dueYears === null) return "On failure";
  const { least, most } = dueYears;
  return least === most ? `Year ${least}` : `Years ${least}–${most}`;
}
