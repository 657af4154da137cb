import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join, relative } from "node:path";
import { ENVIRONMENT, EXECUTABLE } from "./executable.ts";

const ROOT = join(import.meta.dir, "..", "..");
/** The folder of the reports that are kept, which are of full runs. */
export const REPORTS = join(ROOT, "bench", "reports");
const ARTIFACTS = join(ROOT, "test", "artifacts");

const FULL_ROUNDS = 1000;
const FULL_SECONDS = 20 * 60;

/** Returns whether a run has as many kills of servers as a report that is kept. */
export const isFullCrashRun = (rounds: number): boolean => rounds >= FULL_ROUNDS;

/** Returns whether a soak has the duration and the engines of a report that is kept. */
export const isFullSoakRun = (seconds: number, engines: readonly string[]): boolean =>
  seconds >= FULL_SECONDS && engines.length === 2;

/**
 * Writes a file to the folder of reports, or to that of artifacts for a run that is not full, which does not replace the
 * report of one that is. Prints its name.
 */
export function saveReportFile(name: string, text: string, isFull: boolean): void {
  const folder = isFull ? REPORTS : ARTIFACTS;
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, text);
  console.log(`report: ${relative(process.cwd(), path)}`);
}

/** Writes the figures of a run as JSON, with what they were measured on. */
export function saveReport(name: string, figures: object, isFull: boolean): void {
  saveReportFile(name, `${JSON.stringify({ ...measuredOn(), ...figures }, null, 2)}\n`, isFull);
}

export function measuredOn() {
  const { stdout } = Bun.spawnSync([EXECUTABLE, "version", "--json"], { env: ENVIRONMENT });
  return {
    date: new Date().toISOString(),
    build: JSON.parse(stdout.toString()),
    machine: `${availableParallelism()} × ${cpus()[0]?.model ?? "unknown processor"}`,
  };
}
