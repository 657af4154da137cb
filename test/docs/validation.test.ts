import { expect, test } from "bun:test";
import { join } from "node:path";
import { renewTables } from "../../bench/validation/tables.ts";

const root = join(import.meta.dir, "../..");

test("the page of the validation shows the results of its last run", async () => {
  const page = await Bun.file(join(root, "docs/validation.md")).text();
  const results = await Bun.file(join(root, "bench/validation/results.json")).json();
  expect(renewTables(page, results)).toBe(page);
});
