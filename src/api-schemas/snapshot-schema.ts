import { type Day, type Instant, isoText } from "../domain/time.ts";
import { isoOrNull } from "./definition/json-unit-conversion.ts";
import { day, flag, id, instant, list, object, text, whole } from "./definition/schema-field-types.ts";
import type { JsonOf } from "./definition/schema-type.ts";
import { unscopedPage } from "./paging-schema.ts";
import { tierCounts } from "./score-schema.ts";

/** The result of a day's snapshot. */
export type SnapshotResult = {
  date: Day;
  components: number;
  /** Components whose score changed. */
  changed: number;
  critical: number;
  warning: number;
  good: number;
  /** Tier changes announced. */
  announced: number;
  /** Deliveries queued for them. A partner without a webhook endpoint gets none. */
  queued: number;
  /** Partners with components but without a webhook endpoint. */
  withoutEndpoint: { id: string; name: string }[];
  /** The part of this run for components registered since an earlier run of the day; null on the first run. */
  added: { components: number; announced: number; queued: number } | null;
  /** Tier changes that are not announced, since a new model causes them. */
  suppressed: number;
  durationMs: number;
  /** True if an earlier run had already completed this day. */
  alreadyDone: boolean;
  /** True if another server completed the run. */
  endedByAnotherServer: boolean;
};

const snapshot = object({
  date: day("Day of the snapshot, in UTC"),
  components: whole("Components scored", 900),
  changed: whole("Components whose score changed", 12),
  ...tierCounts,
  announced: whole("Tier changes sent as webhook events", 3),
  queued: whole("Deliveries created for these changes", 3),
  without_receiver: list(
    "Partners that have components but no webhook endpoint",
    object({
      partner_id: id("PARTNER", "The partner's ID"),
      name: text("The partner's company name", "Acme"),
    }),
  ),
  taken_in: object({
    components: whole("Components added since the earlier run", 5),
    announced: whole("Their tier changes sent as webhook events", 1),
    queued: whole("Deliveries created for these changes", 1),
  })
    .describedAs("Components added since an earlier run on the same day; null if there was none")
    .orNull(),
  held_back: whole("Tier changes that result from a change of model and are not sent", 0),
  duration_ms: whole("Duration in milliseconds", 240),
  already_done: flag("Whether an earlier run had completed this day", false),
});

/** The result of a snapshot job, in the response and in the log. */
export const serializeSnapshot = snapshot.serializer((result: SnapshotResult) => ({
  date: result.date,
  components: result.components,
  changed: result.changed,
  critical: result.critical,
  warning: result.warning,
  good: result.good,
  announced: result.announced,
  queued: result.queued,
  without_receiver: result.withoutEndpoint.map(({ id, name }) => ({ partner_id: id, name })),
  taken_in: result.added,
  held_back: result.suppressed,
  duration_ms: result.durationMs,
  already_done: result.alreadyDone,
}));

/** The stored summary of a day's snapshot. */
type Run = Pick<
  SnapshotResult,
  "components" | "changed" | "critical" | "warning" | "announced" | "suppressed"
> & {
  day: string;
  startedAt: Instant;
  finishedAt: Instant | null;
  modelVersion: string;
};

const run = object({
  date: snapshot.fields.date,
  started_at: instant("When the snapshot started"),
  finished_at: instant("When the snapshot finished; null if it was interrupted").orNull(),
  model_version: text(
    "Version of the model that calculated the scores; two of them while a snapshot runs during which the model changed, and that scores all again before it ends",
    "2",
  ),
  components: snapshot.fields.components,
  changed: snapshot.fields.changed,
  ...tierCounts,
  announced: snapshot.fields.announced,
  held_back: snapshot.fields.held_back,
});
export type SnapshotRunJson = JsonOf<typeof run>;

export const serializeSnapshotRun = run.serializer((kept: Run) => ({
  date: kept.day,
  started_at: isoText(kept.startedAt),
  finished_at: isoOrNull(kept.finishedAt),
  model_version: kept.modelVersion,
  components: kept.components,
  changed: kept.changed,
  critical: kept.critical,
  warning: kept.warning,
  good: kept.components - kept.critical - kept.warning,
  announced: kept.announced,
  held_back: kept.suppressed,
}));
export const snapshotRunsPage = unscopedPage("snapshots", run);
export type SnapshotRunPageJson = JsonOf<typeof snapshotRunsPage>;
