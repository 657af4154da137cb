/*
 * Runs the tests: `bun test/run.ts [patterns]`. Without patterns, those of POSTGRES_JOURNEYS run on PostgreSQL as well.
 *
 *   --storage postgres       run only on PostgreSQL, without the tests of SQLite's own files
 *   --postgres FOLDER        use the `initdb` and `postgres` in FOLDER
 *   --pgbouncer FILE         connect through this PgBouncer
 *   --report FILE            keep the JUnit report, with the duration of each file
 *   --update-timings         keep the durations in test/timings.json, by which the longest files start first; without
 *                            POSTGRES_JOURNEYS
 *   --unsteady FOLDER        keep the output of unsteady files there; test/artifacts/unsteady when not given
 *   --seed N                 draw the inputs of properties from another seed than 1; `random` chooses one and prints it
 *   -t, --test-name-pattern  run only the tests whose name matches
 *
 * The last line is `N passed, N failed`. The exit code is 1 when a test failed, when the run itself failed, and when
 * nothing ran. A search of the output of all processes for the secrets that the tests created counts as a test.
 *
 * A file that fails runs once more, alone. One that passes then is unsteady: the run fails all the same, and keeps the
 * output of the failure. Where more than MAX_REPEATED_FILES fail, the change is at fault and none is repeated.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { parseArgs } from "node:util";
import { openPostgresStore } from "../src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import {
  keepOutput,
  outputOf,
  reproductionsIn,
  runBunTest,
  type TestRun,
  type TestRunResult,
} from "./support/bun-test.ts";
import { LATER_COMPILATION } from "./support/executable.ts";
import { PgBouncer } from "./support/pgbouncer.ts";
import { rowsOf } from "./support/postgres.ts";
import {
  PostgresServer,
  SHARED_POOLER,
  SHARED_SERVER,
  STORAGE,
  TEMPLATE,
} from "./support/postgres-server.ts";
import { PROPERTY_SEED } from "./support/property-seed.ts";
import { TEMPLATE_FILE } from "./support/template-file.ts";
import { temporaryRoot } from "./support/temporary-folders.ts";

const { values, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: {
    storage: { type: "string", default: "folder" },
    postgres: { type: "string" },
    pgbouncer: { type: "string" },
    report: { type: "string" },
    unsteady: { type: "string", default: join(import.meta.dir, "artifacts", "unsteady") },
    seed: { type: "string", default: "1" },
    "update-timings": { type: "boolean", default: false },
    "test-name-pattern": { type: "string", short: "t" },
  },
});
if (!["folder", "postgres"].includes(values.storage)) throw new Error("--storage is folder or postgres");

// Without a negative one, which `--seed N` would take for another option.
const seed = values.seed === "random" ? `${crypto.getRandomValues(new Uint16Array(1))[0]}` : values.seed;
if (Number(seed) !== (Number(seed) | 0) || seed.trim() === "")
  throw new Error(`--seed is a whole number of 32 bits or random, not ${seed}`);

const MAX_REPEATED_FILES = 3;

/**
 * Files that run side by side, each isolated from the others. They wait for a third of their time, which leaves room for
 * one more than there are cores; more than four would overload the servers that they start.
 */
const WORKERS = Math.min(availableParallelism() + 1, 4);

/** A test that calls none of these does the same whatever the storage of the run. */
const USES_STORAGE = /\b(usePartnerStore|usePortfolioStore|useMainstay)\(\)/;
/**
 * The tests that a whole run also runs on PostgreSQL: those in which transactions, servers and steps of long work meet, and
 * the main journeys. The conformance tests of the stores run each statement on both engines, black-box tests import and
 * move on PostgreSQL, and `--storage postgres` runs all tests that depend on the storage.
 */
const POSTGRES_JOURNEYS = [
  "blackbox/journey.test.ts",
  "store/lists.test.ts",
  "cluster/*.test.ts",
  "usecases/{deliveries,event-stream,partners,snapshot}/*.test.ts",
  // The recount's own tests are of many small repairs, of which the conformance tests of the stores run each statement.
  "usecases/recalculation/recalculate-sums.test.ts",
  "usecases/import/appliance-batches.test.ts",
  "usecases/calibration/calibration-runs.test.ts",
  "usecases/portfolio/{merge-properties,repeated-writes}.test.ts",
]
  .flatMap((pattern) => {
    const found = [...new Bun.Glob(pattern).scanSync(import.meta.dir)];
    if (found.length === 0) throw new Error(`no test matches ${pattern}`);
    return found;
  })
  .filter((path) => USES_STORAGE.test(readFileSync(join(import.meta.dir, path), "utf8")));
/** The black-box tests that `--storage postgres` leaves out, with the reason. */
const NOT_ON_POSTGRES: Readonly<Record<string, string>> = {
  backup: "copies a data folder; PostgreSQL has its own tools, which doctor-postgres checks are named",
  "scheduled-backup": "copies a data folder on a schedule",
  disk: "fills the disk of a data folder; test/servers fills that of a database",
  upgrade: "opens files of earlier releases, none of which ran on PostgreSQL",
  demo: "always uses its own data folder",
  smoke: "reads no configuration",
  manual: "follows the manual from a new data folder",
  build: "needs no data",
  container: "needs no data",
  "init-system": "needs no data",
};
/** The patterns of `--storage postgres` where none are given. */
const allOnPostgres = () => [
  ...["test/store", "test/usecases", "test/cluster", "test/http", "test/jobs", "test/webhooks"],
  ...readdirSync(join(import.meta.dir, "blackbox"))
    .filter((name) => name.endsWith(".test.ts") && !(name.replace(".test.ts", "") in NOT_ON_POSTGRES))
    .map((name) => `test/blackbox/${name}`),
];

/**
 * Writes a test file that runs another on PostgreSQL, among files that run on SQLite: each has an environment of its own.
 * Returns its path.
 */
function writeJourney(folder: string, path: string): string {
  const file = join(folder, "postgres", path);
  mkdirSync(dirname(file), { recursive: true });
  const original = JSON.stringify(join(import.meta.dir, path));
  writeFileSync(file, `process.env.${STORAGE} = "postgres";\nawait import(${original});\n`);
  return file;
}

/** Runs each failed file alone, and keeps the output of those that pass then; returns how many these are. */
async function repeatFailed(
  { env, testName }: TestRun,
  { failedFiles, output }: TestRunResult,
): Promise<number> {
  if (failedFiles.length > MAX_REPEATED_FILES) return 0;
  let unsteady = 0;
  for (const file of failedFiles) {
    console.error(`\n${file} failed. Running it alone:`);
    const { counts } = await runBunTest({
      patterns: [isAbsolute(file) ? file : `./${file}`],
      workers: 1,
      env,
      testName,
    });
    if (counts.failed > 0) continue;
    unsteady++;
    const failure = outputOf(file, output);
    console.error(`${file} failed in the run and passed alone: it is unsteady. Find out why.`);
    for (const line of reproductionsIn(failure)) console.error(`  ${line}`);
    console.error(`  Output of the failure: ${keepOutput(values.unsteady, file, failure)}`);
  }
  return unsteady;
}

const storeDeps = {
  clock: Date.now,
  random: (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
};

/** Creates the database that the tests copy, with the schema and no rows; returns its name. */
async function createTemplate(server: PostgresServer): Promise<string> {
  const url = new URL(server.url());
  await rowsOf(url.href, "CREATE DATABASE mainstay_template");
  url.pathname = "/mainstay_template";
  await (await openPostgresStore(url.href, storeDeps)).close();
  return "mainstay_template";
}

/** Creates the database file that the tests copy, with the schema and no rows; returns its path. */
async function createTemplateFile(folder: string): Promise<string> {
  const file = join(folder, "template.db");
  await openSqliteStore(file, storeDeps).close();
  return file;
}

const server = await PostgresServer.start(values.postgres === undefined ? {} : { bin: values.postgres });
const temporary = mkdtempSync(join(temporaryRoot(), "mainstay-run-"));
const pooler = values.pgbouncer === undefined ? undefined : await PgBouncer.start(values.pgbouncer, server);
const environment = {
  ...LATER_COMPILATION,
  [SHARED_SERVER]: server.url(),
  [TEMPLATE]: await createTemplate(server),
  [TEMPLATE_FILE]: await createTemplateFile(temporary),
  ...(pooler && { [SHARED_POOLER]: pooler.host }),
  [PROPERTY_SEED]: seed,
};
const isWhole = patterns.length === 0;
const onlyPostgres = values.storage === "postgres";
const allFiles = () =>
  onlyPostgres
    ? allOnPostgres()
    : [
        "test",
        ...(values["update-timings"] ? [] : POSTGRES_JOURNEYS.map((path) => writeJourney(temporary, path))),
      ];
const run: TestRun = {
  patterns: isWhole ? allFiles() : patterns,
  workers: WORKERS,
  env: onlyPostgres ? { ...environment, [STORAGE]: "postgres" } : environment,
  testName: values["test-name-pattern"],
  report: values.report,
  updatesTimings: values["update-timings"],
};
let result: TestRunResult;
let unsteady: number;
try {
  result = await runBunTest(run);
  unsteady = await repeatFailed(run, result);
} finally {
  await pooler?.end();
  await server.end();
  rmSync(temporary, { recursive: true });
}
console.log(`Seed of the properties: ${seed}`);
const { passed, failed, skipped } = result.counts;
const files = unsteady === 1 ? "1 unsteady file" : `${unsteady} unsteady files`;
console.log(
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}${unsteady > 0 ? `, ${files}` : ""}`,
);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
