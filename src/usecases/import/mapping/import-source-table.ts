import type { FileMapping } from "./import-file-mapping.ts";

/** A row's cells by field. */
export type TableCells = Readonly<Record<string, string | undefined>>;

/** Cells that were left out, with their number: of parts without a kind, or unreadable. */
export type LeftOut = { file: string; what: string; reason: string; cells: number };

/** A file of rows, or a sheet of one. `rows` may be read more than once. */
export type ImportTable = {
  name: string;
  headings: readonly string[];
  sample: readonly (readonly string[])[];
  count: number;
  notes: readonly string[];
  /** Its cells are separated by semicolons, as programs do that write a decimal comma. */
  hasCommas?: boolean;
  rows(): AsyncIterable<{ line: number; cells: readonly string[] }>;
  /** A standard format, whose mapping is known and whose references to properties are names. */
  form?: { name: string; mapping: FileMapping; leftOut: readonly LeftOut[] };
};

/** Rows by whose cells the contents of columns are guessed. */
export const SAMPLE = 2_000;

/** Returns rows of a standard format as a table of the importer's own columns. `types`: what its kinds of equipment mean. */
export function standardImportTable(given: {
  name: string;
  form: string;
  kind: FileMapping["rows"];
  rows: readonly { line: number; cells: TableCells }[];
  types?: Readonly<Record<string, string>>;
  leftOut?: readonly LeftOut[];
}): ImportTable {
  const { name, form, kind, rows, types, leftOut = [] } = given;
  const used = new Set<string>();
  for (const { cells } of rows)
    for (const [field, text] of Object.entries(cells)) if (text !== undefined && text !== "") used.add(field);
  const headings = [...used];
  const cellsOf = ({ cells }: { cells: TableCells }) => headings.map((field) => cells[field] ?? "");
  return {
    name,
    headings,
    sample: rows.slice(0, SAMPLE).map(cellsOf),
    count: rows.length,
    notes: [],
    async *rows() {
      for (const row of rows) yield { line: row.line, cells: cellsOf(row) };
    },
    form: {
      name: form,
      leftOut: leftOut.map((one) => ({ ...one, file: name })),
      mapping: {
        columns: headings,
        rows: kind,
        fields: Object.fromEntries(headings.map((field) => [field, field])),
        constants: {},
        values: types ? { type_id: types } : {},
        dates: {},
        equipment: [],
        scores: [],
      },
    },
  };
}
