import { expect, test } from "bun:test";
import { bundlePages } from "../../packaging/pages.ts";

test("scripts for browsers contain no code of the server", async () => {
  const { contents } = await bundlePages("quick");
  const files = Object.values(contents.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  expect(files).toContain("src/web/app/app.tsx");
  const sources = files.filter((file) => file.startsWith("src/"));
  // The rules for formulas in CSV, and the reading of workbooks within bounds, are those of the server and the command.
  const shared = new Set([
    "src/csv/csv-formulas.ts",
    "src/xlsx/workbook-archive-size.ts",
    "src/xlsx/workbook-cell-references.ts",
    "src/xlsx/workbook-sheet-area.ts",
    "src/xlsx/workbook-tables.ts",
  ]);
  expect(
    sources.filter((file) => !/^src\/(web|domain|table-cells)\//.test(file) && !shared.has(file)),
  ).toEqual([]);
  expect(files.filter((file) => /node_modules\/(@ark\/|arktype\/)/.test(file))).toEqual([]);
});
