import { Cron } from "croner";
import type { JobState } from "../domain/job.ts";
import type { Instant } from "../domain/time.ts";
import type { Logger } from "../log.ts";

/** Something that runs by the clock. */
export type Job = {
  name: string;
  /** A cron pattern in UTC, with seconds; see croner. Without one it runs when the schedule starts and never again. */
  pattern?: string;
  /** Whether it also runs when the schedule starts. */
  atStart?: boolean;
  run: (signal: AbortSignal) => Promise<void>;
  /** What is done when somebody asks for it now; `run` when not given. */
  runNow?: (signal: AbortSignal) => Promise<void>;
};

export type Schedule = {
  /** Every job as it is now, in the order of the table. */
  states(): JobState[];
  /** Starts a job; false when it is running already, undefined when there is none of that name. */
  runNow(name: string): boolean | undefined;
  stop(): Promise<void>;
};

/** Starts the jobs. One that still runs at its next time is not started twice; one that fails is logged and goes on. */
export function startJobs(jobs: readonly Job[], log: Logger, clock: () => Instant = Date.now): Schedule {
  const abort = new AbortController();
  const running = new Map<string, Promise<void>>();
  const latest = new Map<string, Pick<JobState, "startedAt" | "finishedAt" | "error">>();
  const start = (name: string, run: Job["run"]): Promise<void> | undefined => {
    if (running.has(name) || abort.signal.aborted) return undefined;
    const startedAt = clock();
    const ended = (error: string | null) => latest.set(name, { startedAt, finishedAt: clock(), error });
    const work = run(abort.signal)
      .then(
        () => void ended(null),
        (error) => {
          ended(error instanceof Error ? error.message : String(error));
          if (!abort.signal.aborted) log.error({ err: error, job: name }, "job failed");
        },
      )
      .finally(() => running.delete(name));
    latest.set(name, { startedAt, finishedAt: null, error: null });
    running.set(name, work);
    return work;
  };
  const crons = new Map<string, Cron>();
  for (const { name, pattern, atStart, run } of jobs) {
    if (atStart) void start(name, run);
    if (pattern !== undefined)
      crons.set(name, new Cron(pattern, { timezone: "UTC" }, () => void start(name, run)));
  }
  return {
    states: () =>
      jobs.map(({ name, pattern = null }) => ({
        name,
        pattern,
        running: running.has(name),
        ...(latest.get(name) ?? { startedAt: null, finishedAt: null, error: null }),
        nextAt: crons.get(name)?.nextRun()?.getTime() ?? null,
      })),
    runNow(name) {
      const job = jobs.find((one) => one.name === name);
      return job && start(name, job.runNow ?? job.run) !== undefined;
    },
    async stop() {
      for (const cron of crons.values()) cron.stop();
      abort.abort();
      await Promise.all(running.values());
    },
  };
}
