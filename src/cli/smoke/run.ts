import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayOf } from "../../domain/time.ts";
import type { Context } from "../context.ts";
import { Deliveries } from "./deliveries.ts";
import { type Step, walkJourney } from "./journey.ts";
import { Processes } from "./processes.ts";
import { Unexpected } from "./unexpected.ts";

export type SmokeStep = { name: string; ok: boolean; duration_ms: number; detail?: string };
export type SmokeResult = { ok: boolean; steps: SmokeStep[]; duration_ms: number };

export type SmokeOptions = {
  /** What starts Mainstay: the executable, or Bun and a file. */
  program: readonly string[];
  host: string;
  deadlineMs: number;
  /** Ends the journey early, as a failure. */
  signal?: AbortSignal;
  /** Gets each step when it is over, with the last lines of the server's log. */
  report?: (step: SmokeStep, log: readonly string[]) => void;
};

/** Walks the journey in a scratch folder. Whatever happens, the folder and the processes are gone afterwards. */
export async function runSmoke(
  { env, now }: Pick<Context, "env" | "now">,
  { program, host, deadlineMs, signal, report }: SmokeOptions,
): Promise<SmokeResult> {
  const startedAt = performance.now();
  const since = (at: number) => Math.round(performance.now() - at);
  const steps: SmokeStep[] = [];
  const folder = mkdtempSync(join(tmpdir(), "mainstay-smoke-"));
  const processes = new Processes(program, folder, env);
  const deliveries = new Deliveries();
  const cutShort = rejection(deadlineMs, signal);

  const step: Step = async (name, run) => {
    const stepAt = performance.now();
    let detail: string | undefined;
    try {
      return await Promise.race([run(), cutShort.promise]);
    } catch (error) {
      detail = error instanceof Error ? error.message : String(error);
      throw STEP_FAILED;
    } finally {
      const failure = detail === undefined ? {} : { detail };
      const made = { name, ok: detail === undefined, duration_ms: since(stepAt), ...failure };
      steps.push(made);
      report?.(made, processes.log);
    }
  };
  try {
    await walkJourney(step, { processes, host, deliveries, today: dayOf(now()) });
  } catch (error) {
    if (error !== STEP_FAILED) throw error;
  } finally {
    cutShort.forget();
    await processes.end();
    await deliveries.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return { ok: steps.every((one) => one.ok), steps, duration_ms: since(startedAt) };
}

const STEP_FAILED = Symbol("a step has failed and was reported");

/** A promise that rejects at the deadline or by the signal, and never resolves. */
function rejection(deadlineMs: number, signal: AbortSignal | undefined) {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {}); // it may reject between two steps, when nobody waits for it
  const within = new Unexpected("all within the deadline", `${deadlineMs / 1000} s were over`);
  const timer = setTimeout(() => reject(within), deadlineMs);
  signal?.addEventListener("abort", () => reject(new Unexpected("to finish", "it was interrupted")));
  return { promise, forget: () => clearTimeout(timer) };
}
