import { csvSourceBytes } from "../../../csv/csv-source.ts";
import { readCsv } from "../../../csv/read-csv.ts";
import { OperatorError } from "../../../domain/errors.ts";
import { tableCellsHaveDecimalComma } from "../../../table-cells/table-limits.ts";
import { isWorkbook, readWorkbook } from "../../../xlsx/read-workbook.ts";
import { isXml, readXml } from "../../../xml/read-xml.ts";
import { buildingSyncTables } from "../../buildingsync/read-buildingsync.ts";
import { isCobie } from "../../cobie/cobie-sheet-rows.ts";
import { cobieTables } from "../../cobie/read-cobie.ts";
import { detectImportDelimiter } from "./detect-import-delimiter.ts";
import type { AreaUnit } from "./import-area-units.ts";
import { FIRST_ROWS, findImportHeadingRow } from "./import-heading-row.ts";
import { type ImportTable, SAMPLE } from "./import-source-table.ts";

/**
 * Opens the tables of a CSV file, a workbook or a BuildingSync document, whose areas are in that unit unless they state another. Throws an OperatorError
 * for one that cannot be read.
 */
export async function openImportTables(path: string, areaUnit: AreaUnit = "sqft"): Promise<ImportTable[]> {
  if (isXml(path)) return buildingSyncTables(path, readXml(path), areaUnit);
  if (!isWorkbook(path)) return [await csvTable(path)];
  const sheets = await readWorkbook(path);
  if (sheets.length === 0)
    throw new OperatorError(`${path} has no rows`, "The first row must contain the column names.");
  if (isCobie(sheets)) return cobieTables(path, sheets, areaUnit);
  return sheets.map(({ sheet, rows, notes }) => {
    const name = sheets.length === 1 ? path : `${path}, sheet ${sheet}`;
    const { headings, above, note } = findImportHeadingRow(
      rows.slice(0, FIRST_ROWS).map(({ cells }) => cells),
    );
    const data = rows.slice(above + 1);
    checkImportTableHeadings(name, headings);
    return {
      name,
      headings,
      sample: data.slice(0, SAMPLE).map(({ cells }) => cells),
      count: data.length,
      notes: [...notes, ...note],
      async *rows() {
        for (const { row, cells } of data) yield { line: row, cells };
      },
    };
  });
}

async function csvTable(path: string): Promise<ImportTable> {
  const source = { path };
  csvSourceBytes(source);
  const delimiter = await detectImportDelimiter(source);
  const first: string[][] = [];
  const sample: string[][] = [];
  let read = 0;
  for await (const { cells } of readCsv(source, delimiter)) {
    if (first.length < FIRST_ROWS) first.push(cells);
    if (sample.length < FIRST_ROWS + SAMPLE) sample.push(cells);
    read++;
  }
  if (read === 0)
    throw new OperatorError(
      `${path} has nothing but blank lines`,
      "The first line must contain the column names.",
    );
  const { headings, above, note } = findImportHeadingRow(first);
  checkImportTableHeadings(path, headings);
  return {
    name: path,
    headings,
    sample: sample.slice(above + 1, above + 1 + SAMPLE),
    count: read - above - 1,
    notes: note,
    hasCommas: tableCellsHaveDecimalComma(delimiter),
    async *rows() {
      let at = 0;
      for await (const row of readCsv(source, delimiter)) if (at++ > above) yield row;
    },
  };
}

/** The most columns that a table may have. Forms have hundreds, and guessing what they mean compares them with each other. */
const MOST_COLUMNS = 1_000;

/** Throws an OperatorError for too many headings, and for two that are the same. */
export function checkImportTableHeadings(name: string, headings: readonly string[]): void {
  if (headings.length > MOST_COLUMNS)
    throw new OperatorError(
      `${name} has ${headings.length} columns, and at most ${MOST_COLUMNS} are read`,
      "Remove those that are not needed.",
    );
  const seen = new Map<string, number>();
  for (const [at, heading] of headings.entries()) {
    const key = heading.trim();
    const first = seen.get(key);
    if (key !== "" && first !== undefined)
      throw new OperatorError(
        `${name}: columns ${first + 1} and ${at + 1} have the same heading ${JSON.stringify(key.slice(0, 100))}`,
        "Rename one of them.",
      );
    seen.set(key, at);
  }
}
