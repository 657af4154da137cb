import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const threatModel = read("docs/security.md");
/** The rows of the last table, by the number of the risk. */
const rows = new Map(
  [...threatModel.matchAll(/^\| API(\d+) .*$/gm)].map(([row, number]) => [Number(number), row]),
);
const testsIn = (text: string) => [...text.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path]) => path!);

test("each of the ten risks has tests that prove what is said", () => {
  expect([...rows.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  for (const row of rows.values()) expect(testsIn(row).length, row).toBeGreaterThanOrEqual(3);
});

test("every test that the threat model names exists", () => {
  const named = testsIn(threatModel);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test("the README and the manual link to both documents", () => {
  expect(read("README.md")).toContain("](docs/security.md)");
  expect(read("README.md")).toContain("](SECURITY.md)");
  expect(read("docs/operating.md")).toContain("](security.md)");
  expect(read("docs/operating.md")).toContain("](../SECURITY.md)");
});
