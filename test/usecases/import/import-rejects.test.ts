import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { CsvSource } from "../../../src/csv/csv-source.ts";
import { readCsv } from "../../../src/csv/read-csv.ts";
import { csvLine, spreadsheetCsvLine } from "../../../src/csv/write-csv.ts";
import { readImportRows, surveyImportFile } from "../../../src/usecases/import/import-file-rows.ts";
import { RejectLog } from "../../../src/usecases/import/import-rejects.ts";
import { openImportTables } from "../../../src/usecases/import/mapping/open-source-tables.ts";
import { propertyImportRows } from "../../../src/usecases/import/property-import.ts";
import { formulaLike } from "../../support/formula-like.ts";

const folder = mkdtempSync(join(tmpdir(), "mainstay-rejects-"));
afterAll(() => rmSync(folder, { recursive: true }));

const COLUMNS = ["partner_property_id", "name", "address", "state"];

/** Reads a file of properties as an import does, and rejects every row. */
async function rejectAll(source: CsvSource, error: string): Promise<{ path: string; cells: string[][] }> {
  const file = await surveyImportFile(propertyImportRows, source, [], []);
  const log = new RejectLog(file, mkdtempSync(join(folder, "r-")));
  const cells: string[][] = [];
  for await (const row of readImportRows(file, propertyImportRows)) {
    cells.push(row.cells.slice(0, file.layout.columns.length));
    log.add([{ line: row.line, cells: row.cells, error }]);
  }
  log.close();
  return { path: log.summary()!.path!, cells };
}

const text = fc.oneof(formulaLike, fc.string());
const files = fc.record({
  extra: text,
  rows: fc.array(
    fc.array(text, { minLength: 5, maxLength: 5 }).filter((row) => row.some((cell) => cell.trim() !== "")),
    { minLength: 1, maxLength: 5 },
  ),
  error: text,
});

describe("a file of rejected rows", () => {
  test("contains no formula, in rows, headings or reasons, and restores every text when it is read", async () => {
    await fc.assert(
      fc.asyncProperty(files, async ({ extra, rows, error }) => {
        const heading = [...COLUMNS, `${extra}.`];
        const original = { name: "properties.csv", text: [heading, ...rows].map(csvLine).join("") };
        const first = await rejectAll(original, error);
        expect(first.cells).toEqual(rows);
        // Rejected rows may be rejected again.
        const second = await rejectAll({ path: first.path }, error);
        expect(second.cells).toEqual(rows);
        const read = await surveyImportFile(propertyImportRows, { path: second.path }, [], []);
        expect(read.layout.columns).toEqual(heading);
        for await (const { cells } of readCsv({ path: second.path, isPrepared: true }))
          for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      }),
      { numRuns: 60 },
    );
  });

  test("is neutralized as the API's CSV is", async () => {
    const rows = ['B1,"=HYPERLINK(""http://x"")",＝1 Elm St,-NY'];
    const original = { name: "properties.csv", text: `${COLUMNS.join()}\n${rows.join("\n")}\n` };
    const { path } = await rejectAll(original, "@reason");
    expect(readFileSync(path, "utf8")).toBe(
      `${COLUMNS.join()},line,error\nB1,"'=HYPERLINK(""http://x"")",'＝1 Elm St,'-NY,2,'@reason\n`,
    );
  });
});

test("a required column is found behind a heading that was neutralized", async () => {
  const path = join(folder, "heading.csv");
  writeFileSync(path, "'\tname,partner_property_id,address,state\nN,B1,1 Elm St,NY\n");
  const { layout } = await surveyImportFile(propertyImportRows, { path }, [], []);
  expect(layout.fields.map(({ field }) => field)).toContain("name");
});

test("any other file is restored too, such as a CSV list of the API; rows of a request are not", async () => {
  const row = ["B1", "=1", "'-2", "'plain"];
  const path = join(folder, "list.csv");
  writeFileSync(path, [COLUMNS, row].map(spreadsheetCsvLine).join(""));
  const { cells } = await rejectAll({ path }, "reason");
  expect(cells).toEqual([row]);
  const [table] = await openImportTables(path);
  expect(table!.sample).toEqual([row]);
  const text = [COLUMNS, row].map(csvLine).join("");
  expect((await rejectAll({ name: "rows", text }, "reason")).cells).toEqual([row]);
});
