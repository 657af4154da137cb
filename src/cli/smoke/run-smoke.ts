import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayOf } from "../../domain/time.ts";
import type { CommandContext } from "../command-context.ts";
import { SmokeEndpoint } from "./smoke-endpoint.ts";
import { SmokeFailure } from "./smoke-failure.ts";
import { runSmokeJourney, type Step } from "./smoke-journey.ts";
import { SmokeProcesses } from "./smoke-processes.ts";

export type SmokeStep = { name: string; ok: boolean; duration_ms: number; detail?: string };
export type SmokeResult = { ok: boolean; steps: SmokeStep[]; duration_ms: number };

type SmokeOptions = {
  /** The command that starts Mainstay: the executable, or Bun and a file. */
  program: readonly string[];
  host: string;
  deadlineMs: number;
  /** Aborts the test, which then fails. */
  signal?: AbortSignal;
  /** Called after each step, with the last lines of the server's log. */
  report?: (step: SmokeStep, log: readonly string[]) => void;
};

/** Runs the test in a temporary folder. Always removes the folder and ends the processes. */
export async function runSmokeTest(
  { env, now }: Pick<CommandContext, "env" | "now">,
  { program, host, deadlineMs, signal, report }: SmokeOptions,
): Promise<SmokeResult> {
  const startedAt = performance.now();
  const since = (at: number) => Math.round(performance.now() - at);
  const steps: SmokeStep[] = [];
  const folder = mkdtempSync(join(tmpdir(), "mainstay-smoke-"));
  const processes = new SmokeProcesses(program, folder, env);
  const deliveries = new SmokeEndpoint();
  const abort = rejection(deadlineMs, signal);

  const step: Step = async (name, run) => {
    const stepAt = performance.now();
    let detail: string | undefined;
    try {
      return await Promise.race([run(), abort.promise]);
    } catch (error) {
      detail = error instanceof Error ? error.message : String(error);
      throw STEP_FAILED;
    } finally {
      const failure = detail === undefined ? {} : { detail };
      const result = { name, ok: detail === undefined, duration_ms: since(stepAt), ...failure };
      steps.push(result);
      report?.(result, processes.log);
    }
  };
  try {
    await runSmokeJourney(step, { processes, host, deliveries, today: dayOf(now()) });
  } catch (error) {
    if (error !== STEP_FAILED) throw error;
  } finally {
    abort.cancel();
    await processes.killAll();
    await deliveries.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return { ok: steps.every((step) => step.ok), steps, duration_ms: since(startedAt) };
}

const STEP_FAILED = Symbol("a step failed and was reported");

/** Returns a promise that rejects at the deadline or on the signal, and never resolves. */
function rejection(deadlineMs: number, signal: AbortSignal | undefined) {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {}); // it may reject between two steps, when nothing awaits it
  const timedOut = new SmokeFailure("to finish in time", `the deadline of ${deadlineMs / 1000} s passed`);
  const timer = setTimeout(() => reject(timedOut), deadlineMs);
  signal?.addEventListener("abort", () => reject(new SmokeFailure("to finish", "it was interrupted")));
  return { promise, cancel: () => clearTimeout(timer) };
}
