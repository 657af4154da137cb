import { type CsvSource, csvSourceBytes, csvSourceName } from "../../csv/csv-source.ts";
import { type CsvRow, readCsv } from "../../csv/read-csv.ts";
import { Failure, OperatorError } from "../../domain/errors.ts";
import {
  type ColumnLayout,
  type ColumnMapping,
  type FieldDefault,
  findImportColumns,
  readImportRowCells,
} from "./import-columns.ts";
import type { FileKind, RowReader } from "./import-row-kind.ts";

/** A file that was read completely once: its columns are known and every row can be parsed. */
export type SurveyedFile = {
  kind: FileKind;
  name: string;
  source: CsvSource;
  layout: ColumnLayout;
  headings: readonly string[];
  /** Rows after the heading. */
  rows: number;
};

/** A parsed row, or its error. */
export type ReadRow<Entry> = CsvRow & ({ entry: Entry } | { error: string });

/**
 * Reads a file completely before anything is written, so that an unreadable file changes nothing. Throws an
 * OperatorError that names the file and the line or column.
 */
export async function surveyImportFile(
  kind: RowReader<unknown>,
  source: CsvSource,
  mappings: readonly ColumnMapping[],
  defaults: readonly FieldDefault[],
): Promise<SurveyedFile> {
  csvSourceBytes(source);
  const name = csvSourceName(source);
  let headings: readonly string[] | undefined;
  let rows = 0;
  for await (const { cells } of readCsv(source)) {
    if (headings) rows++;
    else {
      headings = cells;
      findImportColumns(name, kind, headings, mappings, defaults); // rejects a wrong heading before a long file is read
    }
  }
  if (!headings)
    throw new OperatorError(
      `${name} has nothing but blank lines`,
      "The first line must contain the column names.",
    );
  return {
    kind: kind.name,
    name,
    source,
    layout: findImportColumns(name, kind, headings, mappings, defaults),
    headings,
    rows,
  };
}

/** Yields the rows of a surveyed file, validated as far as possible without the database. */
export async function* readImportRows<Entry>(
  file: SurveyedFile,
  kind: RowReader<Entry>,
): AsyncGenerator<ReadRow<Entry>> {
  let isHeading = true;
  for await (const row of readCsv(file.source)) {
    if (!isHeading) yield readRow(file.layout, kind, row);
    else if (row.cells.join() !== file.headings.join())
      throw new OperatorError(`${file.name} changed during the import`, "Import it again.");
    isHeading = false;
  }
}

function readRow<Entry>(layout: ColumnLayout, kind: RowReader<Entry>, row: CsvRow): ReadRow<Entry> {
  if (row.cells.length !== layout.width) return { ...row, error: raggedness(row.cells, layout.width) };
  try {
    return { ...row, entry: kind.read(readImportRowCells(layout, row.cells)) };
  } catch (error) {
    return { ...row, error: rowRejectionReason(error) };
  }
}

/** Returns the error text of a Failure, with the fields by name. Rethrows any other error. */
export function rowRejectionReason(error: unknown): string {
  if (!(error instanceof Failure)) throw error;
  const { message, details } = error;
  const named = details?.map((issue) => `${issue.field} ${issue.message}`);
  return named?.join("; ") || message;
}

/** Lists the cells beyond the columns of the rejects file, so that they are not lost. */
function raggedness(cells: readonly string[], width: number): string {
  const problem = `the row has ${cells.length} cells where the first line has ${width}`;
  if (cells.length < width) return problem;
  const extra = cells.slice(width).map((cell) => JSON.stringify(cell));
  return `${problem}; left over: ${extra.join(", ").slice(0, 1000)}`;
}
