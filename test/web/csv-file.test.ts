import { expect, test } from "bun:test";
import fc from "fast-check";
import { readCsv } from "../../src/csv/read.ts";
import { spreadsheetLine } from "../../src/csv/write.ts";
import { csvText, parseCsv } from "../../src/web/browser/csv-file.ts";
import { formulaLike } from "../support/formula-like.ts";

const cell = fc.oneof(
  fc.string(),
  formulaLike,
  fc.stringMatching(/^[",\r\n a=]{0,8}$/),
  fc.integer().map(String),
);
const table = fc
  .integer({ min: 2, max: 5 })
  .chain((columns) =>
    fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 8 }),
  );

test("the browser parses CSV as the API writes it, and restores texts that look like formulas", () => {
  fc.assert(
    fc.property(table, (rows) => {
      expect(parseCsv(rows.map(spreadsheetLine).join(""))).toEqual(rows);
    }),
    { numRuns: 500 },
  );
});

test("the browser parses a last row without a line end, also if its last cell is empty", () => {
  expect(parseCsv("a,b\r\n1,2")).toEqual([
    ["a", "b"],
    ["1", "2"],
  ]);
  expect(parseCsv("a,b\r\n1,")).toEqual([
    ["a", "b"],
    ["1", ""],
  ]);
  expect(parseCsv("")).toEqual([]);
});

test("the browser writes the same cells as the API, numbers without a quote", async () => {
  const cellsOf = async (text: string) => {
    const rows: string[][] = [];
    for await (const { cells } of readCsv({ name: "t.csv", text })) rows.push(cells);
    return rows;
  };
  await fc.assert(
    fc.asyncProperty(table, fc.integer(), async (rows, number) => {
      const [heading, ...others] = rows.map((row) => ["first", ...row]);
      const data = others.map((row) => [number, ...row]);
      const written = await cellsOf(csvText(heading!, data));
      expect(written).toEqual(await cellsOf([heading!, ...data].map(spreadsheetLine).join("")));
    }),
    { numRuns: 300 },
  );
});
