import { pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { OperatorError } from "../domain/errors.ts";
import { restoreCsvFormula } from "./csv-formulas.ts";
import { type CsvSource, csvSourceName, csvUtf8Chunks } from "./csv-source.ts";

/** The cells of a row, and the line on which it starts, from 1. */
export type CsvRow = { line: number; cells: string[] };

/** The maximum size of a row. Without it, an unclosed quote would read the whole file into memory. */
export const MAX_ROW_BYTES = 1_048_576;

export type Delimiter = "," | ";" | "\t" | "|";

/**
 * Yields the rows of a comma-separated file (RFC 4180) in order, the heading first. Accepts a byte-order mark and any line
 * ends, skips blank rows, and restores the texts that a file has with a quote before a formula's sign. Throws an OperatorError
 * with the line of the problem: an invalid quote, a row longer than MAX_ROW_BYTES, or invalid UTF-8. Ending the iteration early
 * closes the file.
 */
export async function* readCsv(source: CsvSource, delimiter: Delimiter = ","): AsyncGenerator<CsvRow> {
  // The parser's own line count is wrong after a Windows line end in a cell.
  let line = 1;
  let emptyLines = 0;
  const restores = "path" in source && source.isPrepared !== true;
  const parser = parse({
    bom: true,
    delimiter,
    relax_column_count: true,
    // For any row with another number of cells than the first, the parser makes an error, which takes 10 µs.
    skip_empty_lines: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    max_record_size: MAX_ROW_BYTES,
    on_record: (cells) => {
      skipEmptyLines();
      const start = String(line);
      line++;
      for (const cell of cells) line += lineBreaks(cell);
      const texts: string[] = restores ? cells.map(restoreCsvFormula) : cells;
      return texts.every((text) => text.trim() === "") ? null : [start, ...texts];
    },
  });
  const skipEmptyLines = () => {
    line += parser.info.empty_lines - emptyLines;
    emptyLines = parser.info.empty_lines;
  };
  // The pipeline destroys the parser with the error, which the loop below then throws.
  const chunks = withRowsWithinLimit(withoutWhiteSpaceLines(csvUtf8Chunks(source)), () => {
    skipEmptyLines();
    return tooLongRow(source, line);
  });
  pipeline(Readable.from(chunks, { objectMode: true }), parser, () => {});
  try {
    for await (const [start, ...cells] of parser as AsyncIterable<string[]>)
      yield { line: Number(start), cells };
  } catch (error) {
    skipEmptyLines();
    throw error instanceof CsvError ? parseError(error, source, line) : error;
  }
}

/** Not one between a carriage return and a line feed, which would join them to one line end. */
const WHITE_SPACE_LINE = /(?<=\n)[ \t]+(?=[\r\n])|(?<=\r)[ \t]+(?=\r)/;
const QUOTE_OR_WHITE_SPACE_LINE = new RegExp(`"|${WHITE_SPACE_LINE.source}`, "g");

/** Empties the lines of white space outside of quotes, for each of which the parser would make a row that is skipped. */
async function* withoutWhiteSpaceLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isQuoted = false;
  for await (const chunk of chunks) {
    // Each byte is a character of its own, so that no character is cut.
    const text = chunk.toString("latin1");
    if (!WHITE_SPACE_LINE.test(text)) {
      for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) isQuoted = !isQuoted;
      yield chunk;
      continue;
    }
    const emptied = text.replace(QUOTE_OR_WHITE_SPACE_LINE, (found) => {
      if (found === '"') isQuoted = !isQuoted;
      return found === '"' || isQuoted ? found : "";
    });
    yield Buffer.from(emptied, "latin1");
  }
}

/** Throws before the parser has a row of twice the limit: it counts the characters of cells, but no delimiters. */
async function* withRowsWithinLimit(
  chunks: AsyncIterable<Buffer>,
  tooLong: () => OperatorError,
): AsyncGenerator<Buffer> {
  let isQuoted = false;
  let bytes = 0;
  for await (const chunk of chunks) {
    const text = chunk.toString("latin1");
    let rowStart = -bytes;
    for (let from = 0; from < text.length; ) {
      const quote = text.indexOf('"', from);
      const to = quote < 0 ? text.length : quote;
      const lineEnd = isQuoted ? -1 : lastLineEnd(text.slice(from, to));
      if (lineEnd >= 0) rowStart = from + lineEnd + 1;
      if (quote >= 0) isQuoted = !isQuoted;
      from = to + 1;
    }
    bytes = text.length - rowStart;
    if (bytes > 2 * MAX_ROW_BYTES) throw tooLong();
    yield chunk;
  }
}

const lastLineEnd = (text: string) => Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));

const tooLongRow = (source: CsvSource, line: number) =>
  new OperatorError(
    `${csvSourceName(source)} line ${line}: the row starting here is longer than ${MAX_ROW_BYTES / 1_048_576} MiB`,
    "Check for an unclosed quote.",
  );

function parseError(error: CsvError, source: CsvSource, line: number): OperatorError {
  if (error.code === "CSV_MAX_RECORD_SIZE") return tooLongRow(source, line);
  const where = `${csvSourceName(source)} line ${line}`;
  const problem =
    error.code === "CSV_QUOTE_NOT_CLOSED"
      ? "the row starting here has an unclosed quote"
      : "the row starting here has a quote in an invalid position";
  return new OperatorError(
    `${where}: ${problem}`,
    'Put cells with quotes in quotes, and double the quotes in them: "like ""this""".',
  );
}

function lineBreaks(cell: string): number {
  if (!cell.includes("\n") && !cell.includes("\r")) return 0;
  return cell.match(/\r\n|\r|\n/g)!.length;
}
