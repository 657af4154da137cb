import { expect, test } from "bun:test";
import fc from "fast-check";
import { spreadsheetLine } from "../../src/csv/write.ts";
import { parseCsv } from "../../src/web/browser/csv-file.ts";

test("the browser parses CSV as the API writes it", () => {
  const cell = fc.oneof(fc.string(), fc.stringMatching(/^[",\r\n a=]{0,8}$/), fc.integer().map(String));
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 5 }), fc.array(cell, { maxLength: 40 }), (columns, cells) => {
      const rows: string[][] = [];
      for (let at = 0; at + columns <= cells.length; at += columns) rows.push(cells.slice(at, at + columns));
      const read = parseCsv(rows.map(spreadsheetLine).join(""));
      // A text that a spreadsheet would run as a formula gets a leading apostrophe.
      const written = rows.map((row) =>
        row.map((text) => (/^[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text)),
      );
      expect(read).toEqual(written);
    }),
    { numRuns: 500 },
  );
});
