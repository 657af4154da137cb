type Cell = string | number | boolean | null;

/** Offers rows as a CSV download. */
export function downloadCsv(
  name: string,
  heading: readonly string[],
  rows: readonly (readonly Cell[])[],
): void {
  const text = [heading, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
  downloadFile(name, new Blob([text], { type: "text/csv;charset=utf-8" }));
}

/** Parses CSV as the API writes it (RFC 4180). */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [match, quoted, plain, end] of text.matchAll(CELL)) {
    if (match === "") break;
    row.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g;

/** Offers a file as a download. */
function downloadFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // By then, the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Quotes a cell. A leading apostrophe keeps spreadsheets from running a text as a formula. */
function csvCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
