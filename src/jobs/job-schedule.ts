import { Cron } from "croner";
import { type Cluster, SINGLE_NODE } from "../cluster/cluster.ts";
import type { Instant } from "../domain/time.ts";
import type { Logger } from "../logging/logger.ts";
import type { MonitoredJobStart, MonitoredJobState } from "../monitoring/monitored-job-state.ts";

export type ScheduledJob = {
  name: string;
  /** A cron pattern in UTC, with seconds (croner). Without one, the job runs only when the schedule starts. */
  pattern?: string;
  /** Also runs the job when the schedule starts. */
  runAtStart?: boolean;
  run: (signal: AbortSignal) => Promise<void>;
  /** Runs the job on every server of a cluster instead of one: it concerns the server itself, or divides the work. */
  runOnEveryServer?: boolean;
  /** Runs on every server of a cluster before it asks whether it is the one that runs the job. */
  prepareOnEveryServer?: () => Promise<void>;
  /** Runs instead of `run` when the job is started on demand. */
  runNow?: (signal: AbortSignal) => Promise<void>;
};

export type JobSchedule = {
  /** Returns the state of every job, in the order of the table. */
  states(): MonitoredJobState[];
  /** Starts a job. Returns undefined for an unknown name. Rejects if the cluster cannot be queried. */
  runNow(name: string): Promise<MonitoredJobStart | undefined>;
  stop(): Promise<void>;
};

const NEVER_RUN = { startedAt: null, finishedAt: null, error: null };
/** A timer may fire this much too early. */
const EARLY_TIMER_MS = 500;

/**
 * Starts the schedule. A job that is still running at its next scheduled time is not started again. A failed job is
 * logged and stays scheduled. In a cluster, one server runs a job for each scheduled time.
 */
export function startJobs(
  jobs: readonly ScheduledJob[],
  log: Logger,
  clock: () => Instant = Date.now,
  cluster: Cluster = SINGLE_NODE,
): JobSchedule {
  const abort = new AbortController();
  const running = new Map<string, Promise<void>>();
  const latest = new Map<string, Pick<MonitoredJobState, "startedAt" | "finishedAt" | "error">>();
  const start = (
    { name, runOnEveryServer, prepareOnEveryServer }: ScheduledJob,
    run: ScheduledJob["run"],
    scheduledFor?: Instant,
    onFailure = (_error: unknown) => {},
  ): Promise<void> | undefined => {
    if (running.has(name) || abort.signal.aborted) return undefined;
    const startedAt = clock();
    const before = latest.get(name) ?? NEVER_RUN;
    const ended = (error: string | null) => latest.set(name, { startedAt, finishedAt: clock(), error });
    const runHere = async () => {
      if (runOnEveryServer) return await run(abort.signal);
      if (prepareOnEveryServer) {
        await prepareOnEveryServer();
        if (abort.signal.aborted) return false;
      }
      return await cluster.runExclusively(name, scheduledFor, run, abort.signal);
    };
    const work = runHere()
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
    // Identifies the run within the cluster.
    const scheduledFor = () =>
      crons
        .get(name)
        ?.previousRuns(1, new Date(clock() + EARLY_TIMER_MS))[0]
        ?.getTime();
    if (pattern !== undefined)
      crons.set(name, new Cron(pattern, { utcOffset: 0 }, () => void start(job, run, scheduledFor())));
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
      const job = jobs.find((job) => job.name === name);
      if (!job) return undefined;
      const { promise, resolve, reject } = Promise.withResolvers<MonitoredJobStart>();
      const run: ScheduledJob["run"] = (signal) => {
        resolve("begun");
        return (job.runNow ?? job.run)(signal);
      };
      const finished = start(job, run, undefined, reject);
      if (!finished) return "running here";
      // If the job did not start here, another server runs it.
      void finished.then(() => resolve("running elsewhere"));
      return await promise;
    },
    async stop() {
      for (const cron of crons.values()) cron.stop();
      abort.abort();
      await Promise.all(running.values());
    },
  };
}
