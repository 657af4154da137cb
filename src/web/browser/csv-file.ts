type Cell = string | number | boolean | null;

/** Lets the reader keep a file of what the page shows already. */
export function saveCsv(name: string, heading: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const text = [heading, ...rows].map((row) => `${row.map(inCsv).join(",")}\r\n`).join("");
  saveFile(name, new Blob([text], { type: "text/csv;charset=utf-8" }));
}

/** The rows of a table as the API writes it (RFC 4180), their cells as texts. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [whole, quoted, plain, end] of text.matchAll(CELL)) {
    if (whole === "") break;
    row.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g;

/** Lets the reader keep a file. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to write it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A cell that a spreadsheet would take for a formula is text to it with a quote in front. */
function inCsv(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
