import type { Day } from "../domain/time.ts";

const day = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });

/** Returns what losses include and exclude, in sentences for their reader. */
export function lossNotesOf({
  asOf,
  modelVersion,
  isCalibrated,
  losses,
}: {
  asOf: Day;
  modelVersion: string;
  isCalibrated: boolean;
  losses: { components: number };
}): string[] {
  return [
    ...(losses.components === 0 ? ["No component is in the selection, so every amount is 0."] : []),
    "These are non-catastrophe equipment losses: storms, floods and earthquakes are excluded.",
    `Failures use scoring model ${modelVersion}, ${isCalibrated ? "calibrated" : "not calibrated"}, and cover the 365 days from ${day.format(new Date(asOf))}.`,
    "A component fails once a year at most. Components of one class in one census division share a year factor; all else is independent.",
    "Amounts exceeded come from 20,000 simulated years; expected amounts and standard deviations are exact.",
  ];
}
