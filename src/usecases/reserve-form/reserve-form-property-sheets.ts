import { jsonExactUsdFromCents as usd } from "../../api-schemas/plan-summary-schema.ts";
import { COST_BASES, type CostBasis } from "../../domain/costs/component-costs.ts";
import type { PlanRowSums } from "../../domain/planning/plan-sums.ts";
import type { DueNow } from "../../domain/planning/planned-appliance.ts";
import type { PlanSummary } from "../../domain/planning/property-plan-summary.ts";
import { todaysMoneyWithPlainQuotes } from "../../domain/wording/currency-and-unit-wording.ts";
import { workbookCellReference, workbookColumnName } from "../../xlsx/workbook-cell-references.ts";
import type { SheetCell, WorkbookSheet } from "../../xlsx/write-workbook.ts";
import type { CostCells } from "./reserve-form.ts";
import {
  COUNT,
  reserveFormBoldCell,
  reserveFormCodeInWords,
  reserveFormFormulaCell,
  reserveFormRowOfYear,
  reserveFormTableSheet,
  SHARE,
  SHEETS,
  USD,
} from "./reserve-form-cells.ts";

/** A property, or several that share a line, with what it costs. */
export type PropertyLine = {
  name: string;
  propertyId: string;
  units: number | null;
  due: Pick<PlanRowSums["due"], "immediate" | "shortTerm">;
  /** By year, in cents, without what is due now. */
  planned: readonly number[];
  failures: readonly number[];
};

/** The columns of a property before those of its years. */
const COLUMNS = [
  { name: "Property", width: 38 },
  { name: "ID", width: 34 },
  { name: "Units", width: 9, format: COUNT },
  { name: "Immediate items", width: 10, format: COUNT },
  { name: "Immediate cost", width: 14, format: USD },
  { name: "Short-term items", width: 10, format: COUNT },
  { name: "Short-term cost", width: 14, format: USD },
] as const;
const DUE_COLUMNS = { immediate: ["$D$", "$E$"], short_term: ["$F$", "$G$"] } as const;
const FIRST_ROW = 2;

/** The cells of a property's line over a number of years. */
export const reserveFormCellsPerPropertyLine = (years: number) => COLUMNS.length + 2 * years + 1;

/** The sheets of a portfolio's properties: their costs by year, and the shares of their costs by basis. */
export class ReserveFormPropertySheets implements CostCells {
  readonly properties: WorkbookSheet;
  readonly bases: WorkbookSheet;
  readonly #years: number;
  readonly #totalRow: number;

  constructor(plan: PlanSummary, lines: readonly PropertyLine[]) {
    this.#years = plan.terms.years;
    this.#totalRow = FIRST_ROW + lines.length + 1;
    this.properties = this.#propertiesSheet(lines);
    this.bases = this.#basesSheet(plan);
  }

  costFormula(of: "planned" | "failures", year: number): string {
    return workbookCellReference(SHEETS.properties, this.#column(of, year), this.#totalRow);
  }

  basisFormula(basis: CostBasis, year: number): string {
    const row = reserveFormRowOfYear(year);
    const share = workbookCellReference(SHEETS.bases, workbookColumnName(1 + COST_BASES.indexOf(basis)), row);
    return `ROUND(${share}*(${workbookCellReference(SHEETS.byYear, "B", row)}+${workbookCellReference(SHEETS.byYear, "C", row)}),2)`;
  }

  dueCells(dueNow: DueNow) {
    const [items, cost] = DUE_COLUMNS[dueNow];
    return {
      items: workbookCellReference(SHEETS.properties, items, this.#totalRow),
      cost: workbookCellReference(SHEETS.properties, cost, this.#totalRow),
    };
  }

  #column(of: "planned" | "failures", year: number): string {
    return workbookColumnName(COLUMNS.length + (of === "planned" ? 0 : this.#years) + year - 1);
  }

  #propertiesSheet(lines: readonly PropertyLine[]): WorkbookSheet {
    const years = Array.from({ length: this.#years }, (_, at) => at + 1);
    const last = this.#totalRow - 1;
    const ofYears = (row: number) =>
      `SUM(${this.#column("planned", 1)}${row}:${this.#column("failures", this.#years)}${row})`;
    const sum = (pick: (line: PropertyLine) => number) =>
      lines.reduce((total, line) => total + pick(line), 0);
    const ofLine = ({ planned, failures }: PropertyLine) =>
      years.reduce((cents, _, at) => cents + planned[at]! + failures[at]!, 0);
    const total = (column: string, value: number, format: string = USD) =>
      reserveFormFormulaCell(`SUM(${column}${FIRST_ROW}:${column}${last})`, value, format, true);
    const columns = [
      ...COLUMNS,
      ...["Planned", "After failures"].flatMap((how) =>
        years.map((year) => ({ name: `${how}, year ${year}`, width: 13, format: USD })),
      ),
      { name: "Total", width: 14, format: USD },
    ];
    return reserveFormTableSheet(SHEETS.properties, columns, [
      ...lines.map((line, at): SheetCell[] => [
        ...[line.name, line.propertyId, line.units],
        ...[line.due.immediate.count, usd(line.due.immediate.cents)],
        ...[line.due.shortTerm.count, usd(line.due.shortTerm.cents)],
        ...years.map((_, year) => usd(line.planned[year]!)),
        ...years.map((_, year) => usd(line.failures[year]!)),
        reserveFormFormulaCell(ofYears(FIRST_ROW + at), usd(ofLine(line))),
      ]),
      [],
      [
        ...[reserveFormBoldCell("Total"), null, null],
        total(
          "D",
          sum(({ due }) => due.immediate.count),
          COUNT,
        ),
        total("E", usd(sum(({ due }) => due.immediate.cents))),
        total(
          "F",
          sum(({ due }) => due.shortTerm.count),
          COUNT,
        ),
        total("G", usd(sum(({ due }) => due.shortTerm.cents))),
        ...years.map((year) =>
          total(this.#column("planned", year), usd(sum(({ planned }) => planned[year - 1]!))),
        ),
        ...years.map((year) =>
          total(this.#column("failures", year), usd(sum(({ failures }) => failures[year - 1]!))),
        ),
        reserveFormFormulaCell(ofYears(this.#totalRow), usd(sum(ofLine)), USD, true),
      ],
      [],
      [
        `Costs of a year are in ${todaysMoneyWithPlainQuotes()}, after what is due now. Repairs of the minor parts of units are left out.`,
      ],
    ]);
  }

  #basesSheet({ sums }: PlanSummary): WorkbookSheet {
    const columns = [
      { name: "Year", width: 7, format: COUNT },
      ...COST_BASES.map((basis) => ({
        name: `Share of ${reserveFormCodeInWords(basis)}`,
        width: 16,
        format: SHARE,
      })),
    ];
    const rows = Array.from({ length: this.#years }, (_, at): SheetCell[] => {
      const needs = COST_BASES.map(
        (basis) => sums.years.needs[basis][at]! - (at === 0 ? sums.dueByBasis[basis] : 0),
      );
      const all = needs.reduce((total, need) => total + need, 0);
      return [at + 1, ...needs.map((need) => (all === 0 ? 0 : need / all))];
    });
    return reserveFormTableSheet(SHEETS.bases, columns, [
      ...rows,
      [],
      ["The shares of a year's costs by where they come from. Costs of one basis err together."],
    ]);
  }
}
