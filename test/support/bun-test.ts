import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { TEST_TIMEOUT_MS } from "./eventually.ts";
import { RECORD_FOLDER, searchRecord } from "./secret-record.ts";
import { temporaryIn, temporaryRoot } from "./temporary-folders.ts";

const ROOT = join(import.meta.dir, "../..");

/** The duration of each file in milliseconds: the longest start first, since one that starts last runs alone. */
const TIMINGS = "test/timings.json";

export type TestCounts = { passed: number; failed: number; skipped: number };

/** One `bun test`: its files, its parallel workers, and the environment of its tests. */
export type TestRun = {
  patterns: readonly string[];
  workers: number;
  env: Readonly<Record<string, string>>;
  testName: string | undefined;
  /** The file that the JUnit report is copied to. */
  report?: string | undefined;
  updatesTimings?: boolean;
};

export type TestRunResult = {
  counts: TestCounts;
  failedFiles: readonly string[];
  /** The standard error, which has the output of each file below its name. */
  output: string;
};

/** Runs the tests, until SIGTERM if it comes. A search of the products' output for secrets counts as a test. */
export async function runBunTest(run: TestRun): Promise<TestRunResult> {
  const folder = mkdtempSync(join(temporaryRoot({ hasPrograms: true }), "mainstay-tests-"));
  // For the servers of tests, which another user runs.
  chmodSync(folder, 0o755);
  const report = join(folder, "junit.xml");
  const record = join(folder, "record");
  mkdirSync(record);
  try {
    const child = Bun.spawn(commandOf(run, report), {
      cwd: ROOT,
      env: { ...process.env, ...temporaryIn(folder), [RECORD_FOLDER]: record, ...run.env },
      stdio: ["ignore", "inherit", "pipe"],
    });
    let isEnded = false;
    const end = () => {
      isEnded = true;
      child.kill();
    };
    process.once("SIGTERM", end);
    const output = await copyToStderr(child.stderr);
    const exitCode = await child.exited;
    process.off("SIGTERM", end);
    const { counts, failedFiles } = readReport(report);
    if (run.report !== undefined && existsSync(report)) writeFileSync(run.report, readFileSync(report));
    // A file that cannot be loaded, or a process that dies, fails the run without being a failed test.
    if (exitCode !== 0 && counts.failed === 0) counts.failed = 1;
    // The files that a signal has interrupted say nothing.
    return { counts: addSecretSearch(counts, record), failedFiles: isEnded ? [] : failedFiles, output };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function commandOf(
  { patterns, workers, testName, updatesTimings = false }: TestRun,
  report: string,
): string[] {
  return [
    process.execPath,
    "test",
    `--parallel=${workers}`,
    `--timings=${TIMINGS}`,
    ...(updatesTimings ? ["--update-timings"] : []),
    "--no-orphans",
    `--timeout=${TEST_TIMEOUT_MS}`,
    "--only-failures",
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...(testName === undefined ? [] : ["-t", testName]),
    ...patterns,
  ];
}

async function copyToStderr(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    process.stderr.write(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function addSecretSearch(counts: TestCounts, record: string): TestCounts {
  const { secrets, leaks } = searchRecord(record);
  if (secrets === 0) return counts;
  for (const leak of leaks) console.error(`A secret was written by a process in ${leak}`);
  return leaks.length > 0
    ? { ...counts, failed: counts.failed + 1 }
    : { ...counts, passed: counts.passed + 1 };
}

/** Reads the totals and the failed files of a JUnit report; all 0 when the run ended without one. */
function readReport(file: string): { counts: TestCounts; failedFiles: string[] } {
  let report = "";
  try {
    report = readFileSync(file, "utf8");
  } catch {
    console.error("The test run ended without a report.");
  }
  const attribute = (element: string, name: string) =>
    Number(new RegExp(` ${name}="(\\d+)"`).exec(element)?.[1] ?? 0);
  const root = /<testsuites [^>]*>/.exec(report)?.[0] ?? "";
  const [failed, skipped] = [attribute(root, "failures"), attribute(root, "skipped")];
  // The suite of a file is named by its path, and a suite within it by its describe.
  const failedFiles = [...report.matchAll(/<testsuite name="([^"]*)" file="\1"[^>]*>/g)]
    .filter(([element]) => attribute(element, "failures") > 0)
    .map(([, path]) => path as string);
  return { counts: { passed: attribute(root, "tests") - failed - skipped, failed, skipped }, failedFiles };
}

/** Returns what a run wrote of one file: everything below the line with its path. */
export function outputOf(file: string, output: string): string {
  const lines = output.split("\n");
  const isHeading = (line: string) => /\.test\.ts:$/.test(line);
  const start = lines.findIndex(
    (line) => isHeading(line) && resolve(ROOT, line.slice(0, -1)) === resolve(ROOT, file),
  );
  if (start < 0) return "";
  const length = lines.slice(start + 1).findIndex(isHeading);
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join("\n");
}

/** Returns the lines that name the seed and the path of a failed property, and its counterexample. */
export function reproductionsIn(output: string): string[] {
  return output.split("\n").filter((line) => /\bseed\b.*-?\d|^Counterexample:|_SEED=/.test(line));
}

/** Writes the output of a file that failed and then passed alone to `<path with dashes>.log`; returns that path. */
export function keepOutput(folder: string, file: string, output: string): string {
  mkdirSync(folder, { recursive: true });
  const name = relative(ROOT, resolve(ROOT, file))
    .replace(/\.test\.ts$/, "")
    .replaceAll(/\W+/g, "-")
    .replace(/^-/, "");
  const path = join(folder, `${name}.log`);
  writeFileSync(path, output);
  return path;
}
