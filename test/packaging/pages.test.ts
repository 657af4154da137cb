import { expect, test } from "bun:test";
import { bundlePages } from "../../packaging/pages.ts";

test("scripts for browsers contain no code of the server", async () => {
  const { contents } = await bundlePages("quick");
  const files = Object.values(contents.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  expect(files).toContain("src/web/app/app.tsx");
  const sources = files.filter((file) => file.startsWith("src/"));
  // The rule for formulas in CSV is one for the server and for files that browsers make.
  const shared = new Set(["src/spreadsheet-text.ts"]);
  expect(sources.filter((file) => !/^src\/(web|domain)\//.test(file) && !shared.has(file))).toEqual([]);
  expect(files.filter((file) => /node_modules\/(@ark\/|arktype\/)/.test(file))).toEqual([]);
});
