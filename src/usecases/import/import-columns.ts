import type { CsvCellType, CsvColumn } from "../../api-schemas/definition/api-input-csv-columns.ts";
import { type FieldIssue, invalid, OperatorError } from "../../domain/errors.ts";
import { closestSpelling } from "../../spelling/closest-spelling.ts";
import { REJECT_COLUMNS, tableCellsHaveRejectColumns } from "../../table-cells/table-limits.ts";
import type { FileKind, RowCells } from "./import-row-kind.ts";

/** `--map`: the heading of a file's column, and the field that it contains. */
export type ColumnMapping = { column: string; field: string };

/** `--default`: the value of a field whose cell is empty or whose column is missing. */
export type FieldDefault = { field: string; text: string };

type Fields = Readonly<Record<string, CsvColumn>>;
type Heading = {
  name: FileKind;
  fields: Fields;
  required: readonly string[];
  references: readonly (readonly string[])[];
  identifier?: string;
};

/** The columns of the fields. */
export type ColumnLayout = {
  /** The columns of the rows, as in the original file; also used for the file of rejected rows. */
  columns: readonly string[];
  /**
   * Cells in each row; more than `columns` in a file of rejected rows, whose last two columns are added by the
   * importer.
   */
  width: number;
  isRejects: boolean;
  /** Headings that the importer does not know. */
  ignored: readonly string[];
  fields: readonly { field: string; type: CsvCellType; at: number }[];
  defaults: RowCells;
};

/**
 * Finds the fields in a file's headings. A mapped column provides only the field that it is mapped to. Throws an
 * OperatorError if a required column is missing or duplicated.
 */
export function findImportColumns(
  file: string,
  kind: Heading,
  headings: readonly string[],
  mappings: readonly ColumnMapping[],
  defaults: readonly FieldDefault[],
): ColumnLayout {
  const isRejects = tableCellsHaveRejectColumns(headings);
  const originals = isRejects ? headings.slice(0, -REJECT_COLUMNS.length) : headings;
  const columns = originals.map((heading) => heading.trim());
  const mapped = mappings.filter(
    ({ column, field }) => Object.hasOwn(kind.fields, field) && columns.includes(column),
  );
  const taken = new Set(mapped.flatMap(({ column, field }) => [column, field]));
  const wanted = Object.entries(kind.fields).map(([field, type]) => {
    const sources = mapped.filter((mapping) => mapping.field === field).map(({ column }) => column);
    if (!taken.has(field)) sources.push(field);
    return { field, type, sources };
  });
  const fields = wanted.flatMap(({ field, type, sources }) => {
    const found = columns.flatMap((column, at) => (sources.includes(column) ? [at] : []));
    if (found.length > 1)
      throw new OperatorError(
        `${file}: columns ${found.map((at) => at + 1).join(" and ")} both hold ${field}`,
        "Rename the other column, or specify the right one with --map COLUMN=FIELD.",
      );
    return found.map((at) => ({ field, type: cellTypeOf(type), at }));
  });
  const used = new Set(fields.map(({ at }) => at));
  const ignored = columns.filter((name, at) => !used.has(at) && name !== "");
  const given = cellsOf(defaults, kind.fields);
  refuseMissing(
    file,
    kind,
    new Set([...fields.map(({ field }) => field), ...Object.keys(given)]),
    columns,
    ignored,
  );
  return {
    columns: originals,
    width: headings.length,
    isRejects,
    ignored,
    fields,
    defaults: given,
  };
}

/** Returns the row's cells by field. Throws a Failure for text in a numeric field. */
export function readImportRowCells(layout: ColumnLayout, row: readonly string[]): RowCells {
  const cells: Record<string, string | number | undefined> = { ...layout.defaults };
  const issues: FieldIssue[] = [];
  for (const { field, type, at } of layout.fields) {
    const text = row[at]!.trim();
    if (text === "") continue;
    if (type === "text") cells[field] = text;
    else if (PLAIN_NUMBER.test(text)) cells[field] = Number(text);
    else issues.push({ field, message: "must be a number such as 12 or 1200.50" });
  }
  if (issues.length > 0) throw invalid("expected a number", issues);
  return cells;
}

const cellTypeOf = (column: CsvColumn): CsvCellType => (typeof column === "string" ? column : column());

function cellsOf(defaults: readonly FieldDefault[], fields: Fields): RowCells {
  const own = defaults.filter(({ field }) => field in fields);
  return Object.fromEntries(
    own.map(({ field, text }) => {
      if (cellTypeOf(fields[field]!) === "text") return [field, text];
      if (PLAIN_NUMBER.test(text)) return [field, Number(text)];
      throw new OperatorError(
        `--default ${field}=${text}: ${field} must be a number such as 12 or 1200.50`,
        "Specify a number, or omit the option.",
      );
    }),
  );
}

/** No exponent, currency sign or thousands separator: their meaning differs between files. */
const PLAIN_NUMBER = /^-?(\d+(\.\d*)?|\.\d+)$/;

function refuseMissing(
  file: string,
  kind: Heading,
  found: ReadonlySet<string>,
  columns: readonly string[],
  ignored: readonly string[],
): void {
  if (kind.identifier !== undefined && found.has(kind.identifier)) return;
  const missing = kind.required.filter((field) => !found.has(field));
  const hasReference = kind.references.some((set) => set.every((field) => found.has(field)));
  if (missing.length === 0 && hasReference) return;
  const lacking = [...missing];
  if (!hasReference) lacking.push(kind.references.map((set) => set.join(" with ")).join(", or "));
  const wanted = [...missing, ...(hasReference ? [] : kind.references.flat())];
  throw new OperatorError(
    `${file}: column${lacking.length > 1 ? "s" : ""} missing: ${lacking.join("; ")}`,
    remedy(columns, suggestions(wanted, ignored)),
  );
}

function remedy(columns: readonly string[], near: readonly string[]): string {
  if (near.length > 0) return `Did you mean ${near.map((mapping) => `--map ${mapping}`).join(" ")}?`;
  const [only] = columns;
  if (columns.length === 1 && /[;\t|]/.test(only!))
    return "The first line has no commas: save the file as comma-separated values.";
  const has = columns.map((name) => JSON.stringify(name)).join(", ");
  return `The first line has ${has}. Specify the column of a field with --map COLUMN=FIELD.`;
}

/** Returns `'Install Year=install_year'` for each field that a heading resembles. */
function suggestions(fields: readonly string[], ignored: readonly string[]): string[] {
  const plain = new Map(ignored.map((name) => [name.toLowerCase().replace(/[^a-z0-9]+/g, "_"), name]));
  return [...new Set(fields)].flatMap((field) => {
    const near = closestSpelling(field, [...plain.keys()]);
    return near === undefined ? [] : [`'${plain.get(near)}=${field}'`];
  });
}
