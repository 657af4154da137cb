import { pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { OperatorError } from "../domain/errors.ts";
import { type Source, sourceName, utf8Chunks } from "./source.ts";

/** A row's cells as they stand in the file, and the line that it starts on, counted from 1 as editors do. */
export type CsvRow = { line: number; cells: string[] };

/** What a row takes at most, so that a quote that is never closed does not gather a whole file in memory. */
export const MAX_ROW_BYTES = 1_048_576;

/**
 * The rows of a comma-separated file (RFC 4180) in order, the heading first. Byte-order marks, any line ends and
 * blank rows are taken in one's stride. Throws an OperatorError that names the line where the rest cannot be read:
 * a wrong quote, a row above MAX_ROW_BYTES, bytes that are no UTF-8. Stopping early closes the file.
 */
export async function* readCsv(source: Source): AsyncGenerator<CsvRow> {
  // Counted here: the parser's own count is off after a Windows line end within a cell.
  let line = 1;
  const parser = parse({
    bom: true,
    relax_column_count: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    max_record_size: MAX_ROW_BYTES,
    on_record: (cells) => {
      const start = String(line);
      line++;
      for (const cell of cells) line += lineBreaks(cell);
      return cells.every((cell) => cell.trim() === "") ? null : [start, ...cells];
    },
  });
  // Errors reach the loop below through the parser, which the pipeline destroys with them.
  pipeline(Readable.from(utf8Chunks(source), { objectMode: true }), parser, () => {});
  try {
    for await (const [start, ...cells] of parser as AsyncIterable<string[]>)
      yield { line: Number(start), cells };
  } catch (error) {
    throw error instanceof CsvError ? unreadable(error, source, line) : error;
  }
}

function unreadable(error: CsvError, source: Source, line: number): OperatorError {
  const where = `${sourceName(source)} line ${line}`;
  if (error.code === "CSV_MAX_RECORD_SIZE")
    return new OperatorError(
      `${where}: the row that starts here is longer than ${MAX_ROW_BYTES / 1_048_576} MiB`,
      "Is a quote opened in it and never closed?",
    );
  const problem =
    error.code === "CSV_QUOTE_NOT_CLOSED"
      ? "a quote is opened in the row that starts here and never closed"
      : "the row that starts here has a quote in a place where none may stand";
  return new OperatorError(`${where}: ${problem}`, 'A cell with a quote in it is written "like ""this""".');
}

function lineBreaks(cell: string): number {
  if (!cell.includes("\n") && !cell.includes("\r")) return 0;
  return cell.match(/\r\n|\r|\n/g)!.length;
}
