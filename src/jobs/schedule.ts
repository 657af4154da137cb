import { Cron } from "croner";
import type { Logger } from "../log.ts";

/** Something that runs by the clock. */
export type Job = {
  name: string;
  /** A cron pattern in UTC, with seconds; see croner. Without one it runs when the schedule starts and never again. */
  pattern?: string;
  /** Whether it also runs when the schedule starts. */
  atStart?: boolean;
  run: (signal: AbortSignal) => Promise<void>;
};

export type Schedule = { stop(): Promise<void> };

/** Starts the jobs. One that still runs at its next time is not started twice; one that fails is logged and goes on. */
export function startJobs(jobs: readonly Job[], log: Logger): Schedule {
  const abort = new AbortController();
  const running = new Map<string, Promise<void>>();
  const crons = jobs.flatMap(({ name, pattern, atStart, run }) => {
    const once = async () => {
      if (running.has(name)) return;
      const work = run(abort.signal).catch((error) => {
        if (!abort.signal.aborted) log.error({ err: error, job: name }, "job failed");
      });
      running.set(name, work);
      await work;
      running.delete(name);
    };
    if (atStart) void once();
    return pattern === undefined ? [] : new Cron(pattern, { timezone: "UTC" }, once);
  });
  return {
    async stop() {
      for (const cron of crons) cron.stop();
      abort.abort();
      await Promise.all(running.values());
    },
  };
}
