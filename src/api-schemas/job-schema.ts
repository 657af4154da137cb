import type { MonitoredJobState } from "../monitoring/monitored-job-state.ts";
import { reportedBy } from "./cluster-server-schema.ts";
import { isoOrNull } from "./definition/json-unit-conversion.ts";
import { flag, instant, list, object, text } from "./definition/schema-field-types.ts";
import type { JsonOf } from "./definition/schema-type.ts";

export const job = object({
  name: text("Name of the job", "prune-deliveries"),
  pattern: text(
    "Schedule as a cron pattern in UTC, with seconds; null for a job that runs only at startup",
    "0 27 * * * *",
  ).orNull(),
  running: flag("Whether the job is running", false),
  started_at: instant("When the last run since the server's start began").orNull(),
  finished_at: instant("When that run ended").orNull(),
  error: text("Why that run failed; null if it succeeded").orNull(),
  next_at: instant("When the next run is scheduled").orNull(),
});
export type JobJson = JsonOf<typeof job>;

export const serializeJob = job.serializer((state: MonitoredJobState) => ({
  name: state.name,
  pattern: state.pattern,
  running: state.running,
  started_at: isoOrNull(state.startedAt),
  finished_at: isoOrNull(state.finishedAt),
  error: state.error,
  next_at: isoOrNull(state.nextAt),
}));

export const jobs = object({ server: reportedBy, jobs: list("The server's jobs", job) });
export const serializeJobs = jobs.serializer((server: string, states: readonly MonitoredJobState[]) => ({
  server,
  jobs: states.map(serializeJob),
}));
