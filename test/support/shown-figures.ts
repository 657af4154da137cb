import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { expectShown, type HtmlTable } from "./html-tables.ts";
import type { Json } from "./json.ts";

/** Returns the text of a page, and its tables, also of closed `<details>`. */
export const figuresOf = (page: Page): Promise<{ text: string; tables: HtmlTable[] }> =>
  page.evaluate(readPage);

function readPage() {
  const textOf = (element: Element | null) => {
    const copy = element?.cloneNode(true) as Element | undefined;
    for (const one of copy?.querySelectorAll("[popover], .definition, .arrow, .under") ?? []) one.remove();
    for (const one of copy?.querySelectorAll("dt, dd, p, li, h1, h2, h3, th, td") ?? []) one.append(" ");
    return (copy?.textContent ?? "").replaceAll(/\s+/g, " ").trim();
  };
  const tables = Array.from(document.querySelectorAll("main table"), (table) => {
    const headings = Array.from(table.querySelectorAll("thead th"), textOf);
    return {
      caption: textOf(table.querySelector("caption")),
      rows: Array.from(table.querySelectorAll("tbody tr"), (row) =>
        Object.fromEntries(Array.from(row.children, (cell, at) => [headings[at]!, textOf(cell)])),
      ),
    };
  });
  return { text: textOf(document.querySelector("main")), tables };
}

export const column = (rows: HtmlTable["rows"], heading: string) => rows.map((row) => row[heading]!);

/** Finds the only table with a caption, and expects its columns to show these fields of the records. */
export function expectTable(
  tables: readonly HtmlTable[],
  caption: string,
  records: readonly Json[],
  fields: Readonly<Record<string, string | ((one: Json) => number | null)>>,
): HtmlTable["rows"] {
  const found = tables.filter((one) => one.caption === caption);
  expect([caption, found.length]).toEqual([caption, 1]);
  // Rows below the window are not in the document.
  const rows = found[0]!.rows.filter((row) => Object.keys(row).length > 1);
  expect([caption, rows.length > 0 && rows.length <= records.length]).toEqual([caption, true]);
  for (const [heading, field] of Object.entries(fields)) {
    const values = records.slice(0, rows.length).map(typeof field === "string" ? (one) => one[field] : field);
    const shown = column(rows, heading).map((text) => (text === "" || text === "–" ? null : text));
    expect([caption, heading, shown.map((text) => text === null)]).toEqual([
      caption,
      heading,
      values.map((value) => value === null),
    ]);
    expectShown(
      `${caption}: ${heading}`,
      shown.filter((text) => text !== null),
      values.filter((value) => value !== null),
    );
  }
  return rows;
}

/** Expects the amounts and counts of a sentence to be these, as far as their digits go. */
export function expectSentence(text: string, pattern: RegExp, values: readonly number[]): void {
  const shown = pattern.exec(text)?.slice(1);
  if (!shown) throw new Error(`${pattern} does not match: ${text.slice(0, 1500)}`);
  expectShown(String(pattern), shown, values);
}

/** A number, which `#` stands for in a pattern. */
const N = String.raw`(\$?[\d,]+(?:\.\d+)?)`;

/** Returns the pattern of a sentence with numbers for `#`, and any space for a space. */
export const sentencePattern = (words: string) =>
  new RegExp(words.replaceAll(" ", String.raw`\s*`).replaceAll("#", N));

/** Returns a function that replaces texts in the cells of a table. */
export function replacedInCells(from: RegExp, to: string) {
  return ({ caption, rows }: HtmlTable): HtmlTable => ({
    caption,
    rows: rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([heading, text]) => [heading, text.replace(from, to)])),
    ),
  });
}
