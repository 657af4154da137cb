import { type Day, dayOf } from "../../domain/time.ts";
import type { PlanDeps } from "./load-property-plan.ts";

/**
 * Returns the day of the scores that a plan rests on: that of the latest snapshot, or today before the first one and if a clock
 * that was ahead has left one of a later day.
 */
export async function loadDayOfPlannedScores({
  store,
  clock,
}: Pick<PlanDeps, "store" | "clock">): Promise<Day> {
  const today = dayOf(clock());
  const latest = await store.read.snapshots.latestFinished();
  return latest && latest.day < today ? latest.day : today;
}
