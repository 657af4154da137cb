import { type CsvRow, readCsv } from "../../csv/read.ts";
import { type Source, sourceBytes, sourceName } from "../../csv/source.ts";
import { Failure, OperatorError } from "../../domain/errors.ts";
import { type ColumnMapping, type FieldDefault, findColumns, type Layout, readCells } from "./columns.ts";
import type { FileKind, RowKind } from "./kind.ts";

/** A file that has been read through once: its columns are known, and that every row can be parsed. */
export type SurveyedFile = {
  kind: FileKind;
  name: string;
  source: Source;
  layout: Layout;
  headings: readonly string[];
  /** Rows after the heading. */
  rows: number;
};

/** A row as it was read, or what is wrong with it. */
export type ReadRow<Entry> = CsvRow & ({ entry: Entry } | { error: string });

/**
 * Reads a file through before anything of the import is written, so that one that cannot be read to its end changes
 * nothing. Throws an OperatorError that names the file, and the line or the column.
 */
export async function surveyFile(
  kind: RowKind<unknown>,
  source: Source,
  mappings: readonly ColumnMapping[],
  defaults: readonly FieldDefault[],
): Promise<SurveyedFile> {
  sourceBytes(source);
  const name = sourceName(source);
  let headings: readonly string[] | undefined;
  let rows = 0;
  for await (const { cells } of readCsv(source)) {
    if (headings) rows++;
    else {
      headings = cells;
      findColumns(name, kind, headings, mappings, defaults); // a wrong heading is told before a long file is read
    }
  }
  if (!headings)
    throw new OperatorError(`${name} has nothing but blank lines`, "Its first line names the columns.");
  return {
    kind: kind.name,
    name,
    source,
    layout: findColumns(name, kind, headings, mappings, defaults),
    headings,
    rows,
  };
}

/** The rows of a surveyed file, each checked as far as that takes no database. */
export async function* readRows<Entry>(
  file: SurveyedFile,
  kind: RowKind<Entry>,
): AsyncGenerator<ReadRow<Entry>> {
  let isHeading = true;
  for await (const row of readCsv(file.source)) {
    if (!isHeading) yield readRow(file.layout, kind, row);
    else if (row.cells.join() !== file.headings.join())
      throw new OperatorError(`${file.name} was changed while it was imported`, "Import it again.");
    isHeading = false;
  }
}

function readRow<Entry>(layout: Layout, kind: RowKind<Entry>, row: CsvRow): ReadRow<Entry> {
  if (row.cells.length !== layout.width) return { ...row, error: raggedness(row.cells, layout.width) };
  try {
    return { ...row, entry: kind.read(readCells(layout, row.cells)) };
  } catch (error) {
    return { ...row, error: rejection(error) };
  }
}

/** What is wrong with a row, from the Failure that it met: the fields by name. Any other error is thrown on. */
export function rejection(error: unknown): string {
  if (!(error instanceof Failure)) throw error;
  const { message, details } = error;
  const named = details?.map((issue) => `${issue.field} ${issue.message}`);
  return named?.join("; ") || message;
}

/** Names the cells that the file of rejected rows has no column for, so that they are not lost. */
function raggedness(cells: readonly string[], width: number): string {
  const problem = `the row has ${cells.length} cells where the first line has ${width}`;
  if (cells.length < width) return problem;
  const extra = cells.slice(width).map((cell) => JSON.stringify(cell));
  return `${problem}; left over: ${extra.join(", ").slice(0, 1000)}`;
}
