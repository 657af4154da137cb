import { type CsvSource, csvUtf8Chunks } from "../../../csv/csv-source.ts";
import type { Delimiter } from "../../../csv/read-csv.ts";
import { importHeadingRowScore } from "./import-heading-row.ts";

const DELIMITERS: readonly Delimiter[] = [",", ";", "\t", "|"];
const LINES = 20;

/** Returns what separates the cells of a file: what makes the most known headings of one of its first lines. */
export async function detectImportDelimiter(source: CsvSource): Promise<Delimiter> {
  const lines = (await firstText(source))
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .slice(0, LINES);
  let best: { delimiter: Delimiter; score: number; cells: number } = { delimiter: ",", score: -1, cells: 0 };
  for (const delimiter of DELIMITERS)
    for (const line of lines) {
      const cells = line.split(delimiter).map((cell) => cell.replace(/^\s*"(.*)"\s*$/, "$1"));
      const score = importHeadingRowScore(cells);
      // Among files of unknown headings, the comma is only beaten by what makes more columns of the first line.
      const isBetter =
        score > best.score || (score === best.score && line === lines[0] && cells.length > best.cells);
      if (isBetter)
        best = { delimiter, score, cells: Math.max(best.cells, line === lines[0] ? cells.length : 0) };
    }
  return best.delimiter;
}

async function firstText(source: CsvSource): Promise<string> {
  for await (const chunk of csvUtf8Chunks(source)) return chunk.toString("utf8").slice(0, 64 * 1024);
  return "";
}
