import { neutralizeCsvFormula, restoreCsvFormula } from "../../csv/csv-formulas.ts";
import { SEPARATORS, type Separator } from "../../table-cells/table-limits.ts";
import { downloadFile } from "./browser-download.ts";

type Cell = string | number | boolean | null;

export const CSV_TYPE = "text/csv;charset=utf-8";

/** Offers rows as a CSV download. */
export function downloadCsv(
  name: string,
  heading: readonly string[],
  rows: readonly (readonly Cell[])[],
): void {
  downloadFile(name, new Blob([browserCsvText(heading, rows)], { type: CSV_TYPE }));
}

/** Returns rows as CSV, neutralized for spreadsheets as the API's. */
export function browserCsvText(heading: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [heading, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  const text = neutralizeCsvFormula(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A file that is not CSV, with what is wrong with it. */
export class CsvProblem extends Error {}

const MOST_MIB = 64;

/** Reads the text of a chosen file. Throws a CsvProblem if it is too large, or neither UTF-8 nor UTF-16 with a byte-order mark. */
export async function readBrowserCsvFile(file: Pick<File, "name" | "size" | "arrayBuffer">): Promise<string> {
  const { name, size } = file;
  if (size > MOST_MIB * 1_048_576)
    throw new CsvProblem(`${name} is larger than ${MOST_MIB} MiB. Split it into several files.`);
  const bytes = await file.arrayBuffer().catch(() => {
    throw new CsvProblem(`${name} cannot be read. It may have been moved or changed. Choose it again.`);
  });
  const text = unicodeText(bytes);
  // UTF-16 of English text without a byte-order mark is valid UTF-8 with zeros.
  if (text === undefined || text.includes("\0"))
    throw new CsvProblem(`${name} is not UTF-8. Save it as CSV UTF-8.`);
  return text;
}

/** The byte-order marks of UTF-16, in which spreadsheet programs save "Unicode text". */
const UTF16_MARKS: Readonly<Record<string, string>> = { "255,254": "utf-16le", "254,255": "utf-16be" };

function unicodeText(bytes: ArrayBuffer): string | undefined {
  const mark = new Uint8Array(bytes.slice(0, 2)).join();
  try {
    return new TextDecoder(UTF16_MARKS[mark] ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the separator that the first line with text has most often outside quotes; a comma if none. */
export function detectBrowserCsvSeparator(text: string): Separator {
  const counts = new Map<string, number>();
  const marks = /"[^"]*"|[\r\n,;\t|]/g;
  marks.lastIndex = Math.max(0, text.search(/[^\ufeff\r\n]/));
  for (let mark = marks.exec(text)?.[0]; mark && !/^[\r\n]/.test(mark); mark = marks.exec(text)?.[0])
    counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return SEPARATORS.reduce((a, b) => ((counts.get(b) ?? 0) > (counts.get(a) ?? 0) ? b : a));
}

/**
 * Parses CSV (RFC 4180), also with another separator, any line ends and a byte-order mark, and restores texts that look like
 * formulas. Throws a CsvProblem with the row of a quote that is not closed or in an invalid position.
 */
export function parseBrowserCsvText(text: string, separator: Separator = ","): string[][] {
  const plain = new RegExp(`[^"\\r\\n${separator}]*`, "y");
  const end = new RegExp(`[${separator}]|\\r\\n|\\r|\\n|$`, "y");
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = text.startsWith("\ufeff") ? 1 : 0; at < text.length || row.length > 0; ) {
    let cell: string;
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1);
      if (close < 0) throw quoteProblem(rows.length + 1, "a quote that is not closed");
      cell = text.slice(at + 1, close).replaceAll('""', '"');
      at = close + 1;
    } else {
      plain.lastIndex = at;
      cell = plain.exec(text)![0];
      at += cell.length;
    }
    row.push(restoreCsvFormula(cell));
    end.lastIndex = at;
    const mark = end.exec(text)?.[0];
    if (mark === undefined) throw quoteProblem(rows.length + 1, "a quote in an invalid position");
    at += mark.length;
    if (mark === separator) continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** Returns the place of the next quote that is not doubled, or -1. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

const quoteProblem = (row: number, problem: string) =>
  new CsvProblem(
    `Row ${row} has ${problem}. Put cells with quotes in quotes, and double the quotes in them: "like ""this""".`,
  );
