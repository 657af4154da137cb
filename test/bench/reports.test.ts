import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isFullCrashRun, isFullSoakRun, REPORTS } from "../support/saved-report.ts";

const report = (name: string) => JSON.parse(readFileSync(join(REPORTS, name), "utf8"));

test.each(["folder", "postgres"])("the kept report of kills on %s is of a full run that held", (engine) => {
  const { rounds, kills, writes, violations } = report(`crash-${engine}.json`);
  expect(isFullCrashRun(rounds)).toBe(true);
  expect(kills).toBeGreaterThanOrEqual(rounds);
  expect(writes).toBeGreaterThan(rounds);
  expect(violations).toEqual([]);
});

test("the kept report of the soak is of a full run on both engines that held", () => {
  const { seconds, engines } = report("soak.json");
  const names = engines.map(({ engine }: { engine: string }) => engine);
  expect(names).toEqual(["folder", "postgres"]);
  expect(isFullSoakRun(seconds, names)).toBe(true);
  for (const { resets, violations, holds } of engines)
    expect({ resets, violations, holds }).toEqual({ resets: [], violations: [], holds: true });
});
