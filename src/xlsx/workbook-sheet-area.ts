import type { ArchivedFile } from "./workbook-archive-size.ts";

/* The cells that a sheet takes once its rows are filled up to their last cell, which its bytes say nothing of. */

type SheetArea = {
  rows: number;
  columns: number;
  /** The columns up to each for which the sheet sets a width. */
  widths: number;
  /** The sheets that a file lists. */
  sheets: number;
  /** True for the file of styles if one of them pads numbers with zeros. */
  padsNumbers: boolean;
};

const TAG = /<(?:[^\s<>/:"'=]+:)?(row|col|c|sheet)(?=[\s/>])((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>/g;
const REFERENCE = /\sr\s*=\s*["']\s*(?:(?=\S)([A-Z]*)(\d*)\s*)?["']/i;
const LAST_WITH_WIDTH = /\smax\s*=\s*["']([^"']*)/g;
const LETTERS = 26;
export const MAX_COLUMN = 16_384;
const PADDING_FORMAT = /\sformatCode\s*=\s*["']00+["']/;

/** Returns the last row and column of a sheet's XML; none for another file. A cell whose place is unclear is beyond all others. */
export async function workbookSheetArea(archive: Uint8Array, file: ArchivedFile): Promise<SheetArea> {
  const text = await textOf(archive, file);
  const area = { rows: 0, columns: 0, widths: 0, sheets: 0, padsNumbers: PADDING_FORMAT.test(text) };
  let [row, column] = [0, 0];
  for (const [, tag, attributes] of text.matchAll(TAG)) {
    if (tag === "sheet") area.sheets++;
    if (tag === "col") area.widths += lastWithWidth(attributes!);
    if (tag === "sheet" || tag === "col") continue;
    const [given, letters = "", digits = ""] = REFERENCE.exec(attributes!) ?? [];
    const isUnclear = given === undefined && /\sr\s*=/.test(attributes!);
    if (tag === "row") {
      row = Number(digits) || row + 1;
      column = 0;
    } else {
      column = isUnclear ? Number.POSITIVE_INFINITY : letters === "" ? column + 1 : columnNumber(letters);
      area.rows = Math.max(area.rows, Number(digits) || row);
      area.columns = Math.max(area.columns, column);
    }
  }
  return area;
}

/** Returns the last column whose width a tag sets; the sheet's last if that is unclear. */
function lastWithWidth(attributes: string): number {
  let last = 0;
  for (const [, given] of attributes.matchAll(LAST_WITH_WIDTH)) last = Math.max(last, Number(given));
  return last >= 1 ? Math.min(last, MAX_COLUMN) : MAX_COLUMN;
}

const columnNumber = (letters: string) =>
  [...letters.toUpperCase()].reduce((sum, letter) => sum * LETTERS + letter.charCodeAt(0) - 64, 0);

/** Returns the text of a file, at most as long as the directory says. */
async function textOf(
  archive: Uint8Array,
  { start, compressed, isDeflated, size }: ArchivedFile,
): Promise<string> {
  const data = archive.slice(start, start + compressed);
  if (!isDeflated) return new TextDecoder().decode(data);
  const decoder = new TextDecoder();
  let text = "";
  let read = 0;
  try {
    for await (const chunk of new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw"))) {
      read += chunk.length;
      text += decoder.decode(chunk, { stream: true });
      if (read > size) break;
    }
  } catch {
    // The reader says what is wrong with the file.
  }
  return text + decoder.decode();
}
