import { Cron } from "croner";
import type { JobStartResult, JobState } from "../administration/job.ts";
import { type Cluster, SINGLE_NODE } from "../cluster/cluster.ts";
import type { Instant } from "../domain/time.ts";
import type { Logger } from "../log.ts";

/** Something that runs by the clock. */
export type Job = {
  name: string;
  /** A cron pattern in UTC, with seconds; see croner. Without one it runs when the schedule starts and never again. */
  pattern?: string;
  /** Whether it also runs when the schedule starts. */
  runAtStart?: boolean;
  run: (signal: AbortSignal) => Promise<void>;
  /** Whether each of several servers runs it: it is about this server alone, or they divide it among them. */
  runOnEveryServer?: boolean;
  /** What is done when somebody asks for it now; `run` when not given. */
  runNow?: (signal: AbortSignal) => Promise<void>;
};

export type Schedule = {
  /** Every job as it is now, in the order of the table. */
  states(): JobState[];
  /**
   * Starts a job; undefined when there is none of that name. Rejects when it cannot be seen whether another server runs
   * it.
   */
  runNow(name: string): Promise<JobStartResult | undefined>;
  stop(): Promise<void>;
};

const NEVER_RUN = { startedAt: null, finishedAt: null, error: null };
/** A timer may fire that much before its time. */
const EARLY_TIMER_MS = 500;

/**
 * Starts the jobs. One that still runs at its next time is not started twice; one that fails is logged and goes on.
 * Among several servers one of them runs a job for each of its times.
 */
export function startJobs(
  jobs: readonly Job[],
  log: Logger,
  clock: () => Instant = Date.now,
  cluster: Cluster = SINGLE_NODE,
): Schedule {
  const abort = new AbortController();
  const running = new Map<string, Promise<void>>();
  const latest = new Map<string, Pick<JobState, "startedAt" | "finishedAt" | "error">>();
  const start = (
    { name, runOnEveryServer }: Job,
    run: Job["run"],
    scheduledFor?: Instant,
    onFailure = (_error: unknown) => {},
  ): Promise<void> | undefined => {
    if (running.has(name) || abort.signal.aborted) return undefined;
    const startedAt = clock();
    const before = latest.get(name) ?? NEVER_RUN;
    const ended = (error: string | null) => latest.set(name, { startedAt, finishedAt: clock(), error });
    const work = (
      runOnEveryServer ? run(abort.signal) : cluster.runExclusively(name, scheduledFor, run, abort.signal)
    )
      .then(
        (ran) => void (ran === false ? latest.set(name, before) : ended(null)),
        (error) => {
          ended(error instanceof Error ? error.message : String(error));
          onFailure(error);
          if (!abort.signal.aborted) log.error({ err: error, job: name }, "job failed");
        },
      )
      .finally(() => running.delete(name));
    latest.set(name, { startedAt, finishedAt: null, error: null });
    running.set(name, work);
    return work;
  };
  const crons = new Map<string, Cron>();
  for (const job of jobs) {
    const { name, pattern, runAtStart, run } = job;
    // The time of the pattern that it runs for: by it several servers know whether one of them has done so.
    const scheduledFor = () =>
      crons
        .get(name)
        ?.previousRuns(1, new Date(clock() + EARLY_TIMER_MS))[0]
        ?.getTime();
    if (pattern !== undefined)
      crons.set(name, new Cron(pattern, { timezone: "UTC" }, () => void start(job, run, scheduledFor())));
    if (runAtStart) void start(job, run, scheduledFor());
  }
  return {
    states: () =>
      jobs.map(({ name, pattern = null }) => ({
        name,
        pattern,
        running: running.has(name),
        ...(latest.get(name) ?? NEVER_RUN),
        nextAt: crons.get(name)?.nextRun()?.getTime() ?? null,
      })),
    async runNow(name) {
      const job = jobs.find((one) => one.name === name);
      if (!job) return undefined;
      const { promise, resolve, reject } = Promise.withResolvers<JobStartResult>();
      const run: Job["run"] = (signal) => {
        resolve("begun");
        return (job.runNow ?? job.run)(signal);
      };
      const ending = start(job, run, undefined, reject);
      if (!ending) return "running here";
      // One that was never begun was another's to run.
      void ending.then(() => resolve("running elsewhere"));
      return await promise;
    },
    async stop() {
      for (const cron of crons.values()) cron.stop();
      abort.abort();
      await Promise.all(running.values());
    },
  };
}
