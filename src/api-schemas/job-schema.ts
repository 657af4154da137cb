import type { MonitoredJobState } from "../monitoring/monitored-job-state.ts";
import { reportedBy } from "./cluster-server-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonInstantOrNull } from "./definition/json-unit-conversion.ts";
import {
  flagSchema,
  instantSchema,
  listSchema,
  objectSchema,
  textSchema,
} from "./definition/schema-field-types.ts";

export const job = objectSchema({
  name: textSchema("Name of the job", "prune-deliveries"),
  pattern: textSchema(
    "Schedule as a cron pattern in UTC, with seconds; null for a job that runs only at startup",
    "0 27 * * * *",
  ).orNull(),
  running: flagSchema("Whether the job is running", false),
  started_at: instantSchema("When the last run since the server's start began").orNull(),
  finished_at: instantSchema("When that run ended").orNull(),
  error: textSchema("Why that run failed; null if it succeeded").orNull(),
  next_at: instantSchema("When the next run is scheduled").orNull(),
});
export type JobJson = JsonOf<typeof job>;

export const serializeJob = job.serializer((state: MonitoredJobState) => ({
  name: state.name,
  pattern: state.pattern,
  running: state.running,
  started_at: jsonInstantOrNull(state.startedAt),
  finished_at: jsonInstantOrNull(state.finishedAt),
  error: state.error,
  next_at: jsonInstantOrNull(state.nextAt),
}));

export const jobs = objectSchema({ server: reportedBy, jobs: listSchema("The server's jobs", job) });
export const serializeJobs = jobs.serializer((server: string, states: readonly MonitoredJobState[]) => ({
  server,
  jobs: states.map(serializeJob),
}));
