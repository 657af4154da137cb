import { type Day, type Instant, isoTextOfInstant } from "../domain/time.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonInstantOrNull } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  flagSchema,
  idSchema,
  instantSchema,
  listSchema,
  objectSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { unscopedPageSchema } from "./paging-schema.ts";
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

const snapshot = objectSchema({
  date: daySchema("Day of the snapshot, in UTC"),
  components: wholeNumberSchema("Components scored", 900),
  changed: wholeNumberSchema(
    "Components whose score changed; of a day that is scored again, in its last run",
    12,
  ),
  ...tierCounts,
  announced: wholeNumberSchema("Tier changes sent as webhook events", 3),
  queued: wholeNumberSchema("Deliveries created for these changes", 3),
  without_receiver: listSchema(
    "Partners that have components but no webhook endpoint",
    objectSchema({
      partner_id: idSchema("PARTNER", "The partner's ID"),
      name: textSchema("The partner's company name", "Acme"),
    }),
  ),
  taken_in: objectSchema({
    components: wholeNumberSchema("Components added since the earlier run", 5),
    announced: wholeNumberSchema("Their tier changes sent as webhook events", 1),
    queued: wholeNumberSchema("Deliveries created for these changes", 1),
  })
    .describedAs("Components added since an earlier run on the same day; null if there was none")
    .orNull(),
  held_back: wholeNumberSchema("Tier changes that result from a change of model and are not sent", 0),
  duration_ms: wholeNumberSchema("Duration in milliseconds", 240),
  already_done: flagSchema("Whether an earlier run had completed this day", false),
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

const run = objectSchema({
  date: snapshot.fields.date,
  started_at: instantSchema("When the snapshot started"),
  finished_at: instantSchema("When the snapshot finished; null if it was interrupted").orNull(),
  model_version: textSchema(
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
  started_at: isoTextOfInstant(kept.startedAt),
  finished_at: jsonInstantOrNull(kept.finishedAt),
  model_version: kept.modelVersion,
  components: kept.components,
  changed: kept.changed,
  critical: kept.critical,
  warning: kept.warning,
  good: kept.components - kept.critical - kept.warning,
  announced: kept.announced,
  held_back: kept.suppressed,
}));
export const snapshotRunsPage = unscopedPageSchema("snapshots", run);
export type SnapshotRunPageJson = JsonOf<typeof snapshotRunsPage>;
