/*
 * Runs the tests (`bun test/run.ts [patterns]`), and those of JOURNEYS a second time on PostgreSQL; with `--postgres`
 * all that are not of SQLite's own files on that alone. Ends with one line, `N passed, N failed`. Exits 1 when a test
 * failed, when the run itself did, and when there was nothing to run. Last it searches what the product's processes
 * have written for every secret that the tests had it make; that counts as a test of its own.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer, SHARED_SERVER, STORAGE } from "./support/postgres-server.ts";
import { RECORD_FOLDER, searchRecord } from "./support/secret-record.ts";

type Counts = { passed: number; failed: number; skipped: number };

/** What a whole run tries on PostgreSQL too: the stores with the use cases on them, and the main journeys. */
const JOURNEYS = ["test/store/lists.test.ts", "test/usecases", "test/blackbox/journey.test.ts"];
/** What is tried of data in a file alone: its backups, its pages, its disk, its doctor, what a crash leaves of it. */
const OF_FILES = [
  ...[
    "backup",
    "scheduled-backup",
    "disk",
    "doctor",
    "upgrade",
    "upkeep",
    "crash",
    "start",
    "import",
    "purge",
  ],
  // And what is about no data at all.
  ...["build", "init-system", "container", "demo", "smoke", "manual"],
];
/** What `--postgres` runs when it is given no patterns. */
const allOnPostgres = () => [
  ...["test/store", "test/usecases", "test/http", "test/jobs", "test/webhooks"],
  ...readdirSync(join(import.meta.dir, "blackbox"))
    .filter((name) => name.endsWith(".test.ts") && !OF_FILES.includes(name.replace(".test.ts", "")))
    .map((name) => `test/blackbox/${name}`),
];

async function runTests(
  patterns: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-tests-"));
  const report = join(folder, "junit.xml");
  const record = join(folder, "record");
  mkdirSync(record);
  try {
    const run = Bun.spawn(
      [
        process.execPath,
        "test",
        // Files run side by side, each in a world of its own; more than four would crowd the servers they start.
        `--parallel=${Math.min(availableParallelism(), 4)}`,
        "--no-orphans",
        // Generous, since a busy machine is no failure; each wait of a test has a deadline of its own.
        "--timeout=120000",
        "--only-failures",
        "--reporter=junit",
        `--reporter-outfile=${report}`,
        ...patterns,
      ],
      {
        cwd: join(import.meta.dir, ".."),
        env: { ...process.env, [RECORD_FOLDER]: record, ...more },
        stdio: ["ignore", "inherit", "inherit"],
      },
    );
    const code = await run.exited;
    const counts = withSearch(readReport(report), record);
    // A file that cannot be loaded, or a process that dies, fails the run without being a failed test.
    return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
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

/** The sums that stand on the report's outermost element; all 0 when the run did not come to write one. */
function readReport(file: string): Counts {
  let outermost = "";
  try {
    outermost = /<testsuites [^>]*>/.exec(readFileSync(file, "utf8"))?.[0] ?? "";
  } catch {
    console.error("The test run ended without a report.");
  }
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(outermost)?.[1] ?? 0);
  const [failed, skipped] = [count("failures"), count("skipped")];
  return { passed: count("tests") - failed - skipped, failed, skipped };
}

const given = process.argv.slice(2);
const patterns = given.filter((argument) => argument !== "--postgres");
const server = await PostgresServer.start();
const onSqlite = { [SHARED_SERVER]: server.url() };
const onPostgres = { ...onSqlite, [STORAGE]: "postgres" };
const runs: Counts[] = [];
try {
  if (given.includes("--postgres"))
    runs.push(await runTests(patterns.length > 0 ? patterns : allOnPostgres(), onPostgres));
  else {
    runs.push(await runTests(patterns, onSqlite));
    if (patterns.length === 0) runs.push(await runTests(JOURNEYS, onPostgres));
  }
} finally {
  await server.end();
}
const sum = (count: keyof Counts) => runs.reduce((total, counts) => total + counts[count], 0);
const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
