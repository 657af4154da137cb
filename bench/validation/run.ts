/*
 * Measures the method on records that nobody here made, and renews the tables of docs/validation.md:
 *
 *   bun bench/validation/run.ts --water-mains FOLDER --inspections FOLDER
 *
 * The folders hold `lives.csv` and `events.csv`, and `evaluations.csv` and `registrations.csv`, which `dist/mainstay` imports; docs/validation.md describes them. Results are kept
 * in results.json beside this file, so that a run of one half leaves the other's.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { embeddedKnowledge } from "../../src/knowledge/embedded-knowledge.ts";
import { compareConditions } from "./conditions.ts";
import { proveInspections, readIntervals } from "./inspections.ts";
import { dayOf } from "./records.ts";
import { type Results, renewTables } from "./tables.ts";
import { forecastYear, INVENTORY_DAY, readMains } from "./water-mains.ts";

const { values } = parseArgs({
  options: { "water-mains": { type: "string" }, inspections: { type: "string" } },
});
if (!values["water-mains"] && !values.inspections)
  throw new Error("Name a folder: --water-mains FOLDER, --inspections FOLDER, or both");

const file = join(import.meta.dir, "results.json");
const page = join(import.meta.dir, "../../docs/validation.md");
const results: Results = await Bun.file(file).json();

if (values["water-mains"]) {
  const mains = readMains(values["water-mains"]);
  results.waterMains = {
    years: [INVENTORY_DAY, "2023-01-24"].map((day) => forecastYear(mains, day)).map(withoutBins),
    shapes: [3, 2.5, 2, 1.5, 1.2].map((shape) => {
      const [first, second] = [INVENTORY_DAY, "2023-01-24"].map((day) => forecastYear(mains, day, shape));
      return { shape, years: [first!, second!].map(ownRecord) };
    }),
    coverage: [3, 1.5].map((shape) => ({
      shape,
      years: Array.from({ length: 17 }, (_, i) => {
        const { breaks, models, interval, intervalWithYears } = forecastYear(
          mains,
          `${2007 + i}-01-01`,
          shape,
        );
        return { year: 2007 + i, breaks, expected: models.at(-1)!.expected, interval, intervalWithYears };
      }),
    })),
  };
}
if (values.inspections) {
  const intervals = readIntervals(values.inspections);
  const knowledge = embeddedKnowledge();
  results.inspections = (["known", "all"] as const).map((areas) =>
    withoutBins(proveInspections(knowledge, intervals, dayOf("2022-01-01"), areas)),
  );
  results.conditions = await compareConditions(values.inspections);
}
await Bun.write(file, `${JSON.stringify(results, (_, value) => rounded(value))}\n`);
// The check of the format covers the results, too.
Bun.spawnSync([join(import.meta.dir, "../../node_modules/.bin/biome"), "format", "--write", file]);
await Bun.write(page, renewTables(await Bun.file(page).text(), await Bun.file(file).json()));
console.log(`Renewed ${page}`);

/** Leaves the bins out, which no table shows. */
function withoutBins<T extends { models: { name: string; expected: number; proof: { after: object } }[] }>(
  of: T,
) {
  return {
    ...of,
    models: of.models.map(({ name, expected, proof }) => {
      const { measures, intervals } = proof.after as { measures: never; intervals: never };
      return { name, expected, measures, intervals };
    }),
  };
}

function ownRecord({ from, breaks, models }: ReturnType<typeof forecastYear>) {
  const { expected, proof } = models.at(-1)!;
  return { from, breaks, expected, concordance: proof.after.measures.concordance };
}

function rounded(value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(6)) : value;
}
