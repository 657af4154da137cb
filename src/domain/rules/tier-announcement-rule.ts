import type { Component, ComponentToScore } from "../component.ts";

/**
 * The cause of a score change, which decides what is announced. A snapshot and a smart sensor event announce every
 * difference from the last announced tier; a replacement announces a return to GOOD; other history nothing. A
 * snapshot by a changed model records the tiers as announced without announcing them. A late snapshot adds a
 * component that the day's first run has not scored.
 */
export type ScoreCause =
  | "snapshot"
  | "late snapshot"
  | "change of model"
  | "sensor"
  | "replacement"
  | "history";

/** Returns whether a new score is announced to the partner. */
export function meetsTierAnnouncementRule(
  cause: ScoreCause,
  before: ComponentToScore,
  after: Component,
): boolean {
  if (after.riskTier === before.announcedTier) return false;
  if (cause === "history" || cause === "change of model") return false;
  return cause !== "replacement" || after.riskTier === "GOOD";
}
