import type { SnapshotResult } from "../domain/snapshot.ts";
import { day, flag, object, whole } from "./kit.ts";
import { tierCounts } from "./scores.ts";

const snapshot = object({
  date: day("Day of the snapshot, in UTC"),
  components: whole("Components scored", 900),
  changed: whole("Components whose score differs from the one before", 12),
  ...tierCounts,
  announced: whole("Tier changes announced", 3),
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
  held_back: result.heldBack,
  duration_ms: result.durationMs,
  already_done: result.alreadyDone,
}));
