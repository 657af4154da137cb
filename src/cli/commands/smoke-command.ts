import { resolve } from "node:path";
import { OperatorError } from "../../domain/errors.ts";
import { fileStorageError, replaceFile } from "../../files/durable-files.ts";
import { serverExecutablePath } from "../../server/server-child-process.ts";
import { defineCommand, textOption, wholeNumberOption } from "../command.ts";
import { runSmokeTest, type SmokeStep } from "../smoke/run-smoke.ts";
import { smokeJunitReport } from "../smoke/smoke-junit-report.ts";

/** The part of the timeout reserved for stopping the processes and removing the folder. */
const CLEAN_UP_MS = 1_000;

/** `mainstay smoke`: an end-to-end test for a build job that has only the executable. */
export const smokeCommand = defineCommand({
  description:
    "Starts a server with default settings on free ports, creates a partner and a property, waits for a signed webhook, " +
    "restarts the server, and removes everything. Uses no existing data folder or configuration.",
  options: {
    host: textOption("HOST", "address to listen on (default: 127.0.0.1)"),
    junit: textOption("FILE", "also write a JUnit report, for build servers"),
    timeout: wholeNumberOption("SECONDS", "time limit, at least 2 (default: 10)", 2, 600),
  },
  examples: ["mainstay smoke", "mainstay smoke --json", "mainstay smoke --junit smoke.xml"],
  longRunning: true,
  async run(context, _arguments, { host = "127.0.0.1", timeout = 10, junit }) {
    const interrupted = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
    const result = await runSmokeTest(context, {
      program: serverExecutablePath(),
      host,
      deadlineMs: timeout * 1000 - CLEAN_UP_MS,
      signal: interrupted.signal,
      ...(!context.json && { report: (step, log) => context.stdout.write(stepText(step, log)) }),
    });
    const { ok, steps, duration_ms } = result;
    if (junit !== undefined) await writeReport(resolve(context.cwd, junit), smokeJunitReport(result));
    const seconds = (duration_ms / 1000).toFixed(1);
    context.print(result, `${ok ? "Passed" : "Failed"}: ${steps.length} steps in ${seconds} s.`);
    const failed = steps.find((step) => !step.ok);
    if (failed) throw new OperatorError(`the smoke test failed at step ${failed.name}: ${failed.detail}`);
  },
});

async function writeReport(path: string, report: string): Promise<void> {
  try {
    await replaceFile(path, report);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileStorageError(error, path);
    throw new OperatorError(
      `cannot write ${path}: folder not found`,
      "Create the folder or specify another path.",
    );
  }
}

function stepText({ name, ok, duration_ms, detail }: SmokeStep, log: readonly string[]): string {
  const line = `${ok ? "OK    " : "Failed"} ${name.padEnd(10)} ${String(duration_ms).padStart(6)} ms\n`;
  if (ok) return line;
  const lines = log.length === 0 ? ["the server logged nothing"] : ["last log lines of the server:", ...log];
  return `${line}       ${[detail, ...lines].join("\n       ")}\n`;
}
