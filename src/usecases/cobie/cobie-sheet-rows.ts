import type { SheetTable } from "../../xlsx/workbook-tables.ts";

/** A row of a sheet with a name. `cell` returns the text of a column, empty where the standard's `n/a` stands. */
export type SheetRow = { line: number; cell(column: string): string };

const plainHeading = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, "");

/** Returns whether a workbook has the sheets of a COBie workbook with the columns that they are recognized by. */
export function isCobie(sheets: readonly SheetTable[]): boolean {
  const has = (name: string, ...columns: string[]) => {
    const heading = sheets.find(({ sheet }) => plainHeading(sheet) === plainHeading(name))?.rows[0]?.cells;
    const plain = new Set(heading?.map(plainHeading));
    return columns.every((column) => plain.has(plainHeading(column)));
  };
  return has("Facility", "Name", "CreatedBy") && has("Type", "Name") && has("Component", "Name", "TypeName");
}

/** Returns the rows of a sheet that have a name, in their order; none without the sheet. */
export function cobieSheetRows(sheets: readonly SheetTable[], name: string): SheetRow[] {
  const [heading, ...rows] =
    sheets.find(({ sheet }) => plainHeading(sheet) === plainHeading(name))?.rows ?? [];
  const at = new Map(heading?.cells.map((text, index) => [plainHeading(text), index] as const));
  const key = at.has("name") ? "name" : "email";
  return rows
    .map(({ row, cells }): SheetRow => {
      return {
        line: row,
        cell(column) {
          const text = (cells[at.get(plainHeading(column)) ?? -1] ?? "").trim();
          return /^n\/?a$/i.test(text) ? "" : text;
        },
      };
    })
    .filter(({ cell }) => cell(key) !== "");
}
