import type { Component, ComponentToScore } from "../component.ts";

/** Returns which of the stored values a change may concern besides those that change daily, for the indexes that it touches. */
export function extentOfScoreChange(
  before: ComponentToScore,
  after: Component,
): "moved" | "ranked" | "settled" | "aged" {
  if (before.riskTier !== after.riskTier) return "moved";
  if (before.riskScore !== after.riskScore) return "ranked";
  const isSettled =
    before.announcedTier === after.announcedTier &&
    before.rescoredAt === after.rescoredAt &&
    before.trendScore === after.trendScore;
  return isSettled ? "aged" : "settled";
}
