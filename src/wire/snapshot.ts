import type { SnapshotResult } from "../domain/snapshot.ts";
import { day, flag, id, list, object, text, whole } from "./kit.ts";
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
    .as("What was registered since an earlier run of the day, and is taken in by this one")
    .orNull(),
  held_back: whole("Tier changes that another model made, and that nobody is told of", 0),
  duration_ms: whole("How long it took, in milliseconds", 240),
  already_done: flag("Whether another run had done this day before", false),
});

/** A snapshot that was taken, or that another run had taken; also in the log. */
export const snapshotRecord = snapshot.view((result: SnapshotResult) => ({
  date: result.date,
  components: result.components,
  changed: result.changed,
  critical: result.critical,
  warning: result.warning,
  good: result.good,
  announced: result.announced,
  queued: result.queued,
  without_receiver: result.withoutReceiver.map(({ id, name }) => ({ partner_id: id, name })),
  taken_in: result.takenIn,
  held_back: result.heldBack,
  duration_ms: result.durationMs,
  already_done: result.alreadyDone,
}));
