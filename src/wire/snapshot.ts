import type { SnapshotResult } from "../domain/snapshot.ts";
import { type Instant, toIso } from "../domain/time.ts";
import { operatorsPage } from "./paging.ts";
import { day, flag, id, instant, list, object, text, whole } from "./schema/fields.ts";
import { isoOrNull } from "./schema/units.ts";
import type { WireOf } from "./schema/wire-type.ts";
import { tierCounts } from "./scores.ts";

const snapshot = object({
  date: day("Day of the snapshot, in UTC"),
  components: whole("Components scored", 900),
  changed: whole("Components whose score differs from the one before", 12),
  ...tierCounts,
  announced: whole("Tier changes announced", 3),
  queued: whole("Deliveries that these came to", 3),
  without_receiver: list(
    "Partners that have components, and no receiver to be told",
    object({
      partner_id: id("PARTNER", "The partner's id"),
      name: text("The partner's company name", "Acme"),
    }),
  ),
  taken_in: object({
    components: whole("Components registered since", 5),
    announced: whole("Their tier changes announced", 1),
    queued: whole("Deliveries that these came to", 1),
  })
    .describedAs("What was registered since an earlier run of the day, and is taken in by this one")
    .orNull(),
  held_back: whole("Tier changes that another model made, and that nobody is told of", 0),
  duration_ms: whole("How long it took, in milliseconds", 240),
  already_done: flag("Whether another run had done this day before", false),
});

/** A snapshot that was taken, or that another run had taken; also in the log. */
export const snapshotRecord = snapshot.serializer((result: SnapshotResult) => ({
  date: result.date,
  components: result.components,
  changed: result.changed,
  critical: result.critical,
  warning: result.warning,
  good: result.good,
  announced: result.announced,
  queued: result.queued,
  without_receiver: result.withoutReceiver.map(({ id, name }) => ({ partner_id: id, name })),
  taken_in: result.added,
  held_back: result.heldBack,
  duration_ms: result.durationMs,
  already_done: result.alreadyDone,
}));

/** A day's run as it is kept. */
type Run = Pick<
  SnapshotResult,
  "components" | "changed" | "critical" | "warning" | "announced" | "heldBack"
> & {
  day: string;
  startedAt: Instant;
  finishedAt: Instant | null;
  modelVersion: string;
};

const run = object({
  date: snapshot.fields.date,
  started_at: instant("When it began"),
  finished_at: instant("When it finished; null for one that was cut short").orNull(),
  model_version: text("The model whose scores it took", "2"),
  components: snapshot.fields.components,
  changed: snapshot.fields.changed,
  ...tierCounts,
  announced: snapshot.fields.announced,
  held_back: snapshot.fields.held_back,
});
export type SnapshotRunJson = WireOf<typeof run>;

export const snapshotRunRecord = run.serializer((kept: Run) => ({
  date: kept.day,
  started_at: toIso(kept.startedAt),
  finished_at: isoOrNull(kept.finishedAt),
  model_version: kept.modelVersion,
  components: kept.components,
  changed: kept.changed,
  critical: kept.critical,
  warning: kept.warning,
  good: kept.components - kept.critical - kept.warning,
  announced: kept.announced,
  held_back: kept.heldBack,
}));
export const snapshotRunsPage = operatorsPage("snapshots", run);
export type SnapshotRunPageJson = WireOf<typeof snapshotRunsPage>;
