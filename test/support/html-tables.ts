import { expect } from "bun:test";

/** A table of a page: its caption, and the texts of the cells of its body by their headings. */
export type HtmlTable = { caption: string; rows: Readonly<Record<string, string>>[] };

/** Returns the tables of a page by their captions, in order. */
export function htmlTables(html: string): HtmlTable[] {
  return [...html.matchAll(/<table.*?<\/table>/gs)].map(([table]) => {
    const headings = cellsOf(/<thead.*?<\/thead>/s.exec(table)?.[0] ?? "");
    return {
      caption: textOf(/<caption.*?<\/caption>/s.exec(table)?.[0] ?? ""),
      rows: rowsOf(/<tbody.*?<\/tbody>/s.exec(table)?.[0] ?? "").map((row) =>
        Object.fromEntries(cellsOf(row).map((cell, at) => [headings[at] ?? String(at), cell])),
      ),
    };
  });
}

const rowsOf = (html: string) => [...html.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) => row);
const cellsOf = (html: string) => [...html.matchAll(/<(th|td)\b.*?<\/\1>/gs)].map(([cell]) => textOf(cell));

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** Returns the text of some HTML, without the definitions of terms. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<button.*?<\/button>/gs, "")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)
    .replaceAll(/\s+/g, " ")
    .trim();

/** Returns the number that a text shows, such as `$1,234` or `41.2%`, and half of its last digit. */
export function shownNumber(text: string): { value: number; within: number } {
  const digits = /^([-−]?)\$?([\d,]+(?:\.(\d+))?)%?$/.exec(text);
  if (!digits) throw new Error(`${JSON.stringify(text)} is no number`);
  const [, sign, amount, decimals = ""] = digits;
  const value = Number(amount!.replaceAll(",", "")) * (sign === "" ? 1 : -1);
  return { value, within: 0.5 * 10 ** -decimals.length };
}

/** Expects texts to show these values as far as their digits go. */
export function expectShown(what: string, shown: readonly string[], values: readonly number[]): void {
  const found = shown.map((text, at) => {
    const { value, within } = shownNumber(text);
    const expected = values[at] ?? Number.NaN;
    return Math.abs(value - expected) <= within + 1e-6 ? "" : `${text} for ${expected}`;
  });
  expect([what, found, shown.length]).toEqual([what, values.map(() => ""), values.length]);
}
