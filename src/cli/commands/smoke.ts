import { resolve } from "node:path";
import { ownProgram } from "../../app/own-command.ts";
import { OperatorError, refusedWrite } from "../../domain/errors.ts";
import { replaceFile } from "../../files.ts";
import { command, text, whole } from "../command.ts";
import { junitReport } from "../smoke/junit.ts";
import { runSmoke, type SmokeStep } from "../smoke/run.ts";

/** Of the time given, what ending the processes and removing the folder may take. */
const CLEAN_UP_MS = 1_000;

/** `mainstay smoke`, for a build job that has just the executable. */
export const smokeCommand = command({
  description:
    "Starts this program as a server with default settings on free ports, creates a partner, takes a property from " +
    "its registration to a signed webhook, restarts the server, and removes everything. Touches no data folder and " +
    "reads no configuration.",
  options: {
    host: text("HOST", "the address that the server listens on (default: 127.0.0.1)"),
    junit: text("FILE", "write the steps as a JUnit report too, which build servers show"),
    timeout: whole("SECONDS", "the time after which it has failed, at least 2 (default: 10)", 2, 600),
  },
  examples: ["mainstay smoke", "mainstay smoke --json", "mainstay smoke --junit smoke.xml"],
  longRunning: true,
  async run(context, _arguments, { host = "127.0.0.1", timeout = 10, junit }) {
    const interrupted = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
    const result = await runSmoke(context, {
      program: ownProgram(),
      host,
      deadlineMs: timeout * 1000 - CLEAN_UP_MS,
      signal: interrupted.signal,
      ...(!context.json && { report: (step, log) => context.stdout.write(stepText(step, log)) }),
    });
    const { ok, steps, duration_ms } = result;
    if (junit !== undefined) await writeReport(resolve(context.cwd, junit), junitReport(result));
    const seconds = (duration_ms / 1000).toFixed(1);
    context.print(result, `${ok ? "Passed" : "Failed"} after ${steps.length} steps and ${seconds} s.`);
    const failed = steps.find((step) => !step.ok);
    if (failed) throw new OperatorError(`the smoke test failed at ${failed.name}: ${failed.detail}`);
  },
});

async function writeReport(path: string, report: string): Promise<void> {
  try {
    await replaceFile(path, report);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw refusedWrite(error, path);
    throw new OperatorError(
      `${path} cannot be written: there is no such folder`,
      "Make it, or name another place.",
    );
  }
}

function stepText({ name, ok, duration_ms, detail }: SmokeStep, log: readonly string[]): string {
  const line = `${ok ? "ok  " : "FAIL"} ${name.padEnd(10)} ${String(duration_ms).padStart(6)} ms\n`;
  if (ok) return line;
  const lines =
    log.length === 0 ? ["no server has logged anything"] : ["the server's last log lines:", ...log];
  return `${line}     ${[detail, ...lines].join("\n     ")}\n`;
}
