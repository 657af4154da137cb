/*
 * Runs the tests (`bun test/run.ts [patterns]`), and those of JOURNEYS a second time on PostgreSQL; with
 * `--storage postgres` all that are not of SQLite's own files on that alone. `--postgres FOLDER` takes the `initdb` and
 * `postgres` of another version, `--pgbouncer FILE` has what is tested go through a PgBouncer, `--report FILE` keeps the
 * JUnit report, which has how long each file took, and `--update-timings` keeps that in TIMINGS; both of the first run
 * where there are two. Ends with one line, `N passed, N failed`. Exits 1 when a test failed, when the run itself did,
 * and when there was nothing to run. Last it searches what the product's processes have written for every secret that
 * the tests had it make; that counts as a test of its own.
 *
 * A file that fails is tried once more, alone. What passes then is named and counted as unsteady: not a reason to hold
 * up whoever comes next, and a fault to be found all the same, of the test or of the product. More files than
 * UNSTEADY_FILES at once are a fault of the change, and are not tried again.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { PgBouncer } from "./support/pgbouncer.ts";
import { rowsOf } from "./support/postgres.ts";
import {
  PostgresServer,
  SHARED_POOLER,
  SHARED_SERVER,
  STORAGE,
  TEMPLATE,
} from "./support/postgres-server.ts";
import { RECORD_FOLDER, searchRecord } from "./support/secret-record.ts";

const { values, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: {
    storage: { type: "string", default: "folder" },
    postgres: { type: "string" },
    pgbouncer: { type: "string" },
    report: { type: "string" },
    "update-timings": { type: "boolean", default: false },
    "test-name-pattern": { type: "string", short: "t" },
  },
});
if (!["folder", "postgres"].includes(values.storage)) throw new Error("--storage is folder or postgres");

type Counts = { passed: number; failed: number; skipped: number; unsteady: number };
type Run = { counts: Counts; failures: ReadonlyMap<string, number> };

const UNSTEADY_FILES = 3;

/**
 * How long each file took, in milliseconds: the longest begin first. One that began last would be waited for alone. A
 * file that is not named there counts as one of the middle.
 */
const TIMINGS = "test/timings.json";

/**
 * Files run side by side, each in a world of its own. They wait for a third of their time: so one more than there are
 * cores, and more than four would crowd the servers that they start.
 */
const WORKERS = Math.min(availableParallelism() + 1, 4);

/** What a whole run tries on PostgreSQL too: the stores with the use cases on them, and the main journeys. */
const JOURNEYS = ["test/store/lists.test.ts", "test/usecases", "test/blackbox/journey.test.ts"];
/** What `--storage postgres` leaves out of the black-box tests, and why. */
const NOT_ON_POSTGRES: Readonly<Record<string, string>> = {
  backup:
    "copies a data folder; PostgreSQL has tools of its own, and doctor-postgres tries that they are named",
  "scheduled-backup": "the same, by the clock",
  disk: "fills the disk of a data folder; test/servers fills a database's",
  upgrade: "opens the files of earlier releases; none of them was on PostgreSQL",
  demo: "has a data folder of its own, whatever is configured",
  smoke: "reads no configuration",
  manual: "follows the manual from a new data folder on",
  build: "needs no data",
  container: "needs no data",
  "init-system": "needs no data",
};
/** What it runs when it is given no patterns. */
const allOnPostgres = () => [
  ...["test/store", "test/usecases", "test/http", "test/jobs", "test/webhooks"],
  ...readdirSync(join(import.meta.dir, "blackbox"))
    .filter((name) => name.endsWith(".test.ts") && !(name.replace(".test.ts", "") in NOT_ON_POSTGRES))
    .map((name) => `test/blackbox/${name}`),
];

/** One `bun test`: its files, how many of them side by side, and what it tells them of where the rows go. */
type Part = {
  patterns: readonly string[];
  workers: number;
  env: Readonly<Record<string, string>>;
  /** Where to keep its JUnit report, and whether to keep how long its files took for those to come. */
  report?: string | undefined;
  timings?: boolean;
};

/**
 * Runs the parts side by side, so that one has the cores while another waits, and then the files of each that failed
 * again, each alone.
 */
async function runTests(parts: readonly Part[]): Promise<Counts[]> {
  const runs = await Promise.all(parts.map(runOnce));
  const all: Counts[] = [];
  for (const [index, { counts, failures }] of runs.entries()) {
    const unsteady = failures.size > UNSTEADY_FILES ? 0 : await triedAgain(parts[index]!, failures);
    const { passed, failed } = counts;
    all.push({ ...counts, passed: passed + unsteady, failed: failed - unsteady, unsteady });
  }
  return all;
}

/** How many of the failed tests are in files that pass alone. */
async function triedAgain({ env }: Part, failures: Run["failures"]): Promise<number> {
  let unsteady = 0;
  for (const [file, failed] of failures) {
    console.error(`\n${file} failed; once more, alone:`);
    if ((await runOnce({ patterns: [file], workers: 1, env })).counts.failed > 0) continue;
    console.error(`${file} passed alone: it is unsteady, find out why.`);
    unsteady += failed;
  }
  return unsteady;
}

async function runOnce({ patterns, workers, env, report: kept, timings = false }: Part): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-tests-"));
  const report = join(folder, "junit.xml");
  const record = join(folder, "record");
  mkdirSync(record);
  try {
    const run = Bun.spawn(
      [
        process.execPath,
        "test",
        `--parallel=${workers}`,
        `--timings=${TIMINGS}`,
        ...(timings ? ["--update-timings"] : []),
        "--no-orphans",
        // Generous, since a busy machine is no failure; each wait of a test has a deadline of its own.
        "--timeout=120000",
        "--only-failures",
        "--reporter=junit",
        `--reporter-outfile=${report}`,
        ...(values["test-name-pattern"] === undefined ? [] : ["-t", values["test-name-pattern"]]),
        ...patterns,
      ],
      {
        cwd: join(import.meta.dir, ".."),
        env: { ...process.env, [RECORD_FOLDER]: record, ...env },
        stdio: ["ignore", "inherit", "inherit"],
      },
    );
    const code = await run.exited;
    if (kept !== undefined && existsSync(report)) copyFileSync(report, kept);
    const { counts, failures } = readReport(report);
    // A file that cannot be loaded, or a process that dies, fails the run without being a failed test.
    if (code !== 0 && counts.failed === 0) counts.failed = 1;
    return { counts: withSearch(counts, record), failures };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The counts and the search of the record, when there is one: a run of a few tests may make no secret. */
function withSearch(counts: Counts, record: string): Counts {
  const { secrets, leaks } = searchRecord(record);
  if (secrets === 0) return counts;
  for (const leak of leaks) console.error(`A secret was written by a process in ${leak}`);
  return leaks.length > 0
    ? { ...counts, failed: counts.failed + 1 }
    : { ...counts, passed: counts.passed + 1 };
}

/**
 * The sums that stand on the report's outermost element, and how much failed of each file that did; all 0 when the run
 * did not come to write one.
 */
function readReport(file: string): Run {
  let report = "";
  try {
    report = readFileSync(file, "utf8");
  } catch {
    console.error("The test run ended without a report.");
  }
  const count = (element: string, name: string) =>
    Number(new RegExp(` ${name}="(\\d+)"`).exec(element)?.[1] ?? 0);
  const outermost = /<testsuites [^>]*>/.exec(report)?.[0] ?? "";
  const [failed, skipped] = [count(outermost, "failures"), count(outermost, "skipped")];
  // A file's element has its path for a name; those of its groups of tests, within it, have theirs.
  const files = [...report.matchAll(/<testsuite name="([^"]*)" file="\1"[^>]*>/g)].map(
    ([element, path]) => [path as string, count(element, "failures")] as const,
  );
  return {
    counts: { passed: count(outermost, "tests") - failed - skipped, failed, skipped, unsteady: 0 },
    failures: new Map(files.filter(([, failures]) => failures > 0)),
  };
}

/** Makes the database that those of the black-box tests are copies of. */
async function template(server: PostgresServer): Promise<string> {
  const url = new URL(server.url());
  await rowsOf(url.href, "CREATE DATABASE mainstay_template");
  url.pathname = "/mainstay_template";
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  await (await openPostgresStore(url.href, { clock: Date.now, random })).close();
  return "mainstay_template";
}

const server = await PostgresServer.start(values.postgres === undefined ? {} : { bin: values.postgres });
const pooler = values.pgbouncer === undefined ? undefined : await PgBouncer.start(values.pgbouncer, server);
const onSqlite = { [SHARED_SERVER]: server.url(), ...(pooler && { [SHARED_POOLER]: pooler.host }) };
const onPostgres = { ...onSqlite, [STORAGE]: "postgres", [TEMPLATE]: await template(server) };
const { report, "update-timings": timings } = values;
const isWhole = patterns.length === 0;
const parts: readonly Part[] =
  values.storage === "postgres"
    ? [{ patterns: isWhole ? allOnPostgres() : patterns, workers: WORKERS, env: onPostgres, report }]
    : [
        { patterns, workers: WORKERS, env: onSqlite, report, timings },
        ...(isWhole ? [{ patterns: JOURNEYS, workers: 1, env: onPostgres }] : []),
      ];
let runs: readonly Counts[] = [];
try {
  runs = await runTests(parts);
} finally {
  await pooler?.end();
  await server.end();
}
const sum = (count: keyof Counts) => runs.reduce((total, counts) => total + counts[count], 0);
const [passed, failed, skipped, unsteady] = [sum("passed"), sum("failed"), sum("skipped"), sum("unsteady")];
const more = `${skipped > 0 ? `, ${skipped} skipped` : ""}${unsteady > 0 ? `, ${unsteady} unsteady` : ""}`;
console.log(`${passed} passed, ${failed} failed${more}`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
