import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join, relative } from "node:path";
import { ENVIRONMENT, EXECUTABLE } from "./executable.ts";

const ROOT = join(import.meta.dir, "..", "..");
const FOLDER = join(ROOT, "bench", "reports");

/** Writes a file to the folder of reports, and prints its name. */
export function saveReportFile(name: string, text: string): void {
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, name);
  writeFileSync(path, text);
  console.log(`report: ${relative(process.cwd(), path)}`);
}

/** Writes the figures of a run as JSON, with what they were measured on. */
export function saveReport(name: string, figures: object): void {
  saveReportFile(name, `${JSON.stringify({ ...measuredOn(), ...figures }, null, 2)}\n`);
}

export function measuredOn() {
  const { stdout } = Bun.spawnSync([EXECUTABLE, "version", "--json"], { env: ENVIRONMENT });
  return {
    date: new Date().toISOString(),
    build: JSON.parse(stdout.toString()),
    machine: `${availableParallelism()} × ${cpus()[0]?.model ?? "unknown processor"}`,
  };
}
