import type { JobState } from "../administration/job.ts";
import { flag, instant, list, object, text } from "./schema/fields.ts";
import { isoOrNull } from "./schema/units.ts";
import type { WireOf } from "./schema/wire-type.ts";
import { toldBy } from "./server.ts";

export const job = object({
  name: text("The job's name", "prune-deliveries"),
  pattern: text(
    "Its times as a cron pattern in UTC, with seconds; null when it runs at the start alone",
    "0 27 * * * *",
  ).orNull(),
  running: flag("Whether it is running now", false),
  started_at: instant("When it last began, since the start of the server").orNull(),
  finished_at: instant("When it last ended").orNull(),
  error: text("Why it failed then; null when it did not").orNull(),
  next_at: instant("When it runs next").orNull(),
});
export type JobJson = WireOf<typeof job>;

export const jobRecord = job.serializer((state: JobState) => ({
  name: state.name,
  pattern: state.pattern,
  running: state.running,
  started_at: isoOrNull(state.startedAt),
  finished_at: isoOrNull(state.finishedAt),
  error: state.error,
  next_at: isoOrNull(state.nextAt),
}));

export const jobs = object({ server: toldBy, jobs: list("The jobs of this server", job) });
export const jobsView = jobs.serializer((server: string, states: readonly JobState[]) => ({
  server,
  jobs: states.map(jobRecord),
}));
