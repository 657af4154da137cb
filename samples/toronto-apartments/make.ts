/*
 * Cuts the sample from the city's two files: `bun samples/toronto-apartments/make.ts REGISTRATIONS EVALUATIONS`. Every third
 * building is kept with all of its visits, and every column as it came.
 */
import { join } from "node:path";
import { readCsv } from "../../src/csv/read-csv.ts";
import { csvLine } from "../../src/csv/write-csv.ts";

const EVERY = 3;
const [registrations, evaluations] = process.argv.slice(2);
if (!registrations || !evaluations) throw new Error("usage: make.ts REGISTRATIONS EVALUATIONS");

const kept = new Set<string>();
await cut(registrations, "registrations.csv", (building, row) => {
  if (row % EVERY === 0) kept.add(building);
  return kept.has(building);
});
await cut(evaluations, "evaluations.csv", (building) => kept.has(building));

async function cut(
  from: string,
  name: string,
  keeps: (building: string, row: number) => boolean,
): Promise<void> {
  let text = "";
  let at = -1;
  let row = -1;
  for await (const { cells } of readCsv({ path: from })) {
    if (row < 0) at = cells.indexOf("RSN");
    if (row < 0 || keeps(cells[at]!, row)) text += csvLine(cells);
    row++;
  }
  await Bun.write(join(import.meta.dir, name), text);
}
