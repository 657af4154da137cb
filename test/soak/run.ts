/*
 * Keeps servers under load for a long time: `bun run soak [--minutes 20 | --hours 24] [--storage folder|postgres]
 * [--servers 3]`, by default on both engines at once. Partners call every route, well and badly, and are purged again;
 * their endpoints are good and bad; a day passes every half minute; backups, retention and rotations happen meanwhile.
 * Writes the measured growth of memory, handles, database and log to a page and a JSON file, in `bench/reports` if the run
 * is full and else in `test/artifacts`, and exits 1 where something grows, a connection gets no answer or an answer is
 * unexplained.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isFullSoakRun, measuredOn, saveReport, saveReportFile } from "../support/saved-report.ts";
import { type Engine, soakEngine } from "./engine.ts";
import { pageOf } from "./page.ts";
import type { Recorder } from "./recorder.ts";
import { type EngineReport, reportOf } from "./report.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    hours: { type: "string" },
    storage: { type: "string" },
    servers: { type: "string", default: "3" },
    visitors: { type: "string", default: "3" },
    "pause-ms": { type: "string", default: "20" },
    seed: { type: "string" },
  },
});

const ENGINES = ["folder", "postgres"] as const;
const DEFAULT_MINUTES = 20;
const DAY_SECONDS = 30;

function numberFor(
  name: "minutes" | "hours" | "servers" | "visitors" | "pause-ms" | "seed",
  most: number,
): number {
  const value = values[name]!;
  if (!/^\d+$/.test(value) || Number(value) > most)
    throw new Error(`--${name} is ${value}: use a whole number up to ${most}`);
  return Number(value);
}

const minutes =
  values.hours !== undefined
    ? 60 * numberFor("hours", 1000)
    : values.minutes !== undefined
      ? numberFor("minutes", 60_000)
      : DEFAULT_MINUTES;
if (minutes < 2) throw new Error("a run takes at least 2 minutes: growth needs samples after the warm-up");
const engines: readonly Engine[] =
  values.storage === undefined ? ENGINES : ENGINES.filter((name) => name === values.storage);
if (engines.length === 0) throw new Error(`--storage is ${values.storage}: use ${ENGINES.join(" or ")}`);

const seconds = 60 * minutes;
const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : numberFor("seed", 1e9);
const options = {
  seed,
  seconds,
  servers: numberFor("servers", 16),
  visitors: numberFor("visitors", 64),
  pauseMs: numberFor("pause-ms", 60_000),
  daySeconds: DAY_SECONDS,
};
console.log(`${minutes} minutes on ${engines.join(" and ")}, seed ${seed}`);
const ended = await Promise.allSettled(
  engines.map(async (engine) => {
    const recorder = await soakEngine(engine, options);
    return [engine, { recorder, report: reportOf(engine, recorder, seconds) }] as const;
  }),
);
// Both end first, since the servers of one that runs would stay.
for (const one of ended) if (one.status === "rejected") throw one.reason;
const runs = new Map<Engine, { report: EngineReport; recorder: Recorder }>(
  ended.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
);
const reports = [...runs.values()].map(({ report }) => report);
for (const { engine, calls, measured, resets, violations, holds } of reports) {
  console.log(
    `${engine}: ${calls} calls, ${resets.length} connections without an answer, ${holds ? "holds" : "FAILED"}`,
  );
  for (const { series, growth, holds } of measured)
    if (!holds)
      console.log(`  ${series}: growth ${growth === null ? "unknown" : `${(growth * 100).toFixed(1)}%`}`);
  const seen = violations.map(({ what, firstAt }) => `after ${firstAt} s: ${what}`);
  for (const what of [...resets, ...seen].slice(0, 20)) console.log(`  ${what}`);
}
const artifacts = join(import.meta.dir, "../artifacts");
for (const { recorder, report } of runs.values()) {
  if (recorder.databaseLog === undefined || report.violations.length === 0) continue;
  mkdirSync(artifacts, { recursive: true });
  writeFileSync(join(artifacts, "soak-postgres.log"), recorder.databaseLog);
  console.log(`log of PostgreSQL: ${join(artifacts, "soak-postgres.log")}`);
}
const isFull = isFullSoakRun(seconds, engines);
saveReport("soak.json", { ...options, engines: reports }, isFull);
saveReportFile("soak.html", pageOf(measuredOn(), runs, seconds), isFull);
process.exit(reports.every(({ holds }) => holds) ? 0 : 1);
