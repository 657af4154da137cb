import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder with the files of the worked example of calibration. */
export const GOLDEN_FLEET = join(import.meta.dir, "../fixtures/golden-calibration");

const FAILURE = /,(Emergency Repair|Repair|Replacement),/;

/**
 * Returns the service events of the example that are failures, as CSV: a seventh of them, by which a calibration is proven
 * better, too.
 */
export function failuresOfGoldenFleet(): string {
  const [heading, ...rows] = readFileSync(join(GOLDEN_FLEET, "service_events.csv"), "utf8")
    .trim()
    .split(/\r?\n/);
  return [heading, ...rows.filter((row) => FAILURE.test(row)), ""].join("\n");
}
