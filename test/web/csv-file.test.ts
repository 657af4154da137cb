import { expect, test } from "bun:test";
import fc from "fast-check";
import { readCsv } from "../../src/csv/read-csv.ts";
import { spreadsheetCsvLine } from "../../src/csv/write-csv.ts";
import {
  browserCsvText,
  detectBrowserCsvSeparator,
  parseBrowserCsvText,
  readBrowserCsvFile,
} from "../../src/web/browser/browser-csv-file.ts";
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
      expect(parseBrowserCsvText(rows.map(spreadsheetCsvLine).join(""))).toEqual(rows);
    }),
    { numRuns: 500 },
  );
});

test("the browser parses a last row without a line end, also if its last cell is empty", () => {
  expect(parseBrowserCsvText("a,b\r\n1,2")).toEqual([
    ["a", "b"],
    ["1", "2"],
  ]);
  expect(parseBrowserCsvText("a,b\r\n1,")).toEqual([
    ["a", "b"],
    ["1", ""],
  ]);
  expect(parseBrowserCsvText("")).toEqual([]);
});

const cellsOf = async (text: string) => {
  const rows: string[][] = [];
  for await (const { cells } of readCsv({ name: "t.csv", text })) rows.push(cells);
  return rows;
};

test("the browser reads any text of quotes and line ends as imports by the server do, or refuses it as they do", async () => {
  const text = fc.stringMatching(/^[",\r\n ab]{0,16}$/);
  await fc.assert(
    fc.asyncProperty(text, async (given) => {
      const read = await cellsOf(given).catch(() => "refused");
      let parsed: string[][] | string = "refused";
      try {
        parsed = parseBrowserCsvText(given).filter((row) => row.some((one) => one.trim() !== ""));
      } catch {}
      expect(parsed).toEqual(read);
    }),
    { numRuns: 2_000 },
  );
});

test.each([",", ";", "\t", "|"] as const)(
  "the browser reads back what is written with the separator %j",
  (separator) => {
    const heading = ["a", "b,;|\t,;|\t", "c"];
    const written = (rows: string[][], end: string) =>
      rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(separator)).join(end);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(...heading.map(() => fc.string()))),
        fc.constantFrom("\r", "\n", "\r\n"),
        (rows, end) => {
          const plain = rows.map((row) => row.map((one) => `x${one}`));
          const text = `\ufeff${written([heading, ...plain], end)}`;
          expect(detectBrowserCsvSeparator(text)).toBe(separator);
          expect(parseBrowserCsvText(text, separator)).toEqual([heading, ...plain]);
        },
      ),
      { numRuns: 200 },
    );
  },
);

test.each([
  ['A,Unit 5" Main St,NY', "Row 2 has a quote in an invalid position"],
  ['"A" ,1 Elm', "Row 2 has a quote in an invalid position"],
  ['\r\n"A\r\nB', "Row 3 has a quote that is not closed"],
])("the browser refuses %j with its row", (row, problem) => {
  expect(() => parseBrowserCsvText(`a,b\r\n${row}`)).toThrow(problem);
});

test("a file in another encoding, or a large one, is refused", async () => {
  const file = (bytes: Uint8Array, size = bytes.length) => ({
    name: "a.csv",
    size,
    arrayBuffer: async () => bytes.slice().buffer,
  });
  expect(await readBrowserCsvFile(file(Buffer.from("\ufeffCafé")))).toBe("Café");
  for (const encoding of ["latin1", "utf16le"] as const)
    await expect(readBrowserCsvFile(file(Buffer.from("Café", encoding)))).rejects.toThrow("is not UTF-8");
  const unicode = Buffer.from("\ufeffCafé\tSão", "utf16le");
  expect(await readBrowserCsvFile(file(unicode))).toBe("Café\tSão");
  expect(await readBrowserCsvFile(file(Buffer.from(unicode).swap16()))).toBe("Café\tSão");
  await expect(readBrowserCsvFile(file(Buffer.from("Cafe", "utf16le")))).rejects.toThrow("is not UTF-8");
  await expect(readBrowserCsvFile(file(Buffer.from("a"), 64 * 1_048_576 + 1))).rejects.toThrow(
    "larger than 64 MiB",
  );
});

test("the browser writes the same cells as the API, numbers without a quote", async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.integer(), async (rows, number) => {
      const [heading, ...others] = rows.map((row) => ["first", ...row]);
      const data = others.map((row) => [number, ...row]);
      const written = await cellsOf(browserCsvText(heading!, data));
      expect(written).toEqual(await cellsOf([heading!, ...data].map(spreadsheetCsvLine).join("")));
    }),
    { numRuns: 300 },
  );
});
