/*
 * Searches for inputs that break a parser or a route: `bun run fuzz [--minutes 60] [--seed S] [--target NAME]`. Parsers
 * get mutated inputs, in a process each; half of the time goes to requests to a server (`test/blackbox/fuzz.test.ts`).
 * Inputs that reach a new outcome or fail are kept in `test/fuzz/corpus`, which `check` tries again. Exits 1 on a finding.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { save } from "./corpus.ts";
import { endTargets, TARGETS } from "./targets/targets.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string" },
    /** A parser, or "requests"; all by default. */
    target: { type: "string" },
  },
});

const REQUESTS = "requests";
const names = [...TARGETS.map(({ name }) => name), REQUESTS];
await endTargets();
const isWhole = (text: string) => /^\d{1,9}$/.test(text);
if (!isWhole(values.minutes) || values.minutes === "0")
  throw new Error(`--minutes is ${values.minutes}: use a whole number from 1`);
if (values.seed !== undefined && !isWhole(values.seed))
  throw new Error(`--seed is ${values.seed}: use a whole number`);
if (values.target !== undefined && !names.includes(values.target))
  throw new Error(`--target is ${values.target}: use one of ${names.join(", ")}`);

const seconds = 60 * Number(values.minutes);
const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : Number(values.seed);
const scratch = mkdtempSync(join(tmpdir(), "mainstay-fuzz-run-"));
/** The processor time that a process may spend on one input, and the time that it may wait without spending any. */
const MOST_PROCESSOR_S = 60;
const MOST_WAITED_S = 900;
const WATCHED_EVERY_MS = 1_000;
/** Requests per operation in one run of the test, and a lower bound of the time that takes. */
const REQUESTS_EACH = 100;

const child = (args: readonly string[], env: Record<string, string> = {}) =>
  Bun.spawn([process.execPath, ...args], {
    cwd: join(import.meta.dir, "../.."),
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Returns the processor time that a process has spent, in seconds. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const [user, system] = [fields[11], fields[12]].map(Number);
  return (user! + system!) / TICKS_PER_S;
}
/** Linux counts processor time for programs in this unit, whatever its own. */
const TICKS_PER_S = 100;

/** Ends a process that stays with one input. A loaded machine takes long for each, but spends no processor time on it. */
function killIfStuck(worker: Bun.Subprocess, file: string): Timer {
  let since = { changedAt: 0, processorS: 0, at: performance.now() };
  return setInterval(() => {
    if (worker.exitCode !== null || !existsSync(file)) return;
    const changedAt = statSync(file).mtimeMs;
    const [processorS, at] = [processorSeconds(worker.pid), performance.now()];
    if (changedAt !== since.changedAt) since = { changedAt, processorS, at };
    else if (processorS - since.processorS > MOST_PROCESSOR_S || at - since.at > MOST_WAITED_S * 1000)
      worker.kill("SIGKILL");
  }, WATCHED_EVERY_MS);
}

/** Fuzzes a parser; returns whether nothing was found. */
async function fuzzParser(name: string, forSeconds: number): Promise<boolean> {
  const file = join(scratch, "input.bin");
  const worker = child(["test/fuzz/worker.ts", name, String(seed), String(forSeconds), file]);
  const watch = killIfStuck(worker, file);
  const [stdout, stderr, code] = await Promise.all([
    new Response(worker.stdout).text(),
    new Response(worker.stderr).text(),
    worker.exited,
  ]);
  clearInterval(watch);
  process.stdout.write(stdout);
  // A process that waits for nothing ends without its counts.
  if (code === 0 && stdout.includes('"tried"')) return !stdout.includes('"finding"');
  const path = save(name, readFileSync(file));
  console.log(
    `${name}: the process ${worker.signalCode ? "hung" : `ended with ${code}`} at ${path}\n${stderr}`,
  );
  return false;
}

/** Sends requests to a server until the time is over; returns whether nothing was found. */
async function fuzzRequests(forSeconds: number): Promise<boolean> {
  const endAt = performance.now() + forSeconds * 1000;
  let isFine = true;
  for (let nth = 0; nth === 0 || (isFine && performance.now() < endAt); nth++) {
    const env = { FUZZ_RUNS: String(REQUESTS_EACH), FUZZ_SEED: String(seed + nth) };
    const tests = child(["test", "--timeout", "120000", "test/blackbox/fuzz.test.ts"], env);
    const [stdout, stderr, code] = await Promise.all([
      new Response(tests.stdout).text(),
      new Response(tests.stderr).text(),
      tests.exited,
    ]);
    isFine = code === 0;
    if (isFine) console.log(`requests: ${REQUESTS_EACH} to each operation, seed ${seed + nth}`);
    else console.log(`${stdout}${stderr}`);
  }
  return isFine;
}

const chosen = values.target === undefined ? names : [values.target];
const parsers = chosen.filter((name) => name !== REQUESTS);
const toRequests = chosen.includes(REQUESTS) ? (parsers.length > 0 ? seconds / 2 : seconds) : 0;
console.log(`${values.minutes} minutes, seed ${seed}`);
let isFine = true;
for (const name of parsers)
  if (!(await fuzzParser(name, (seconds - toRequests) / parsers.length))) isFine = false;
if (toRequests > 0 && !(await fuzzRequests(toRequests))) isFine = false;
rmSync(scratch, { recursive: true, force: true });
console.log(isFine ? "nothing was found" : "something was found");
process.exit(isFine ? 0 : 1);
