import type { Assumptions } from "../domain/figures/assumptions.ts";
import type { YearFactor } from "../domain/losses/year-factors.ts";
import type { Day } from "../domain/time.ts";
import {
  assumptionSharesOf,
  costBasisSentences,
  uncertaintySentences,
} from "../domain/wording/uncertainty-wording.ts";
import { usDateWording } from "../domain/wording/us-english-wording.ts";

const day = usDateWording({ dateStyle: "long" });

/** Returns what losses include, exclude and rest on, in sentences for their reader. */
export function serializeLossNotes({
  asOf,
  modelVersion,
  isCalibrated,
  losses,
  assumptions,
  yearFactors,
}: {
  asOf: Day;
  modelVersion: string;
  isCalibrated: boolean;
  losses: { components: number };
  assumptions: Assumptions;
  yearFactors: readonly YearFactor[];
}): string[] {
  const shares = assumptionSharesOf(assumptions);
  return [
    ...(losses.components === 0 ? ["No component is in the selection, so every amount is 0."] : []),
    "These are non-catastrophe equipment losses: storms, floods and earthquakes are excluded.",
    `Failures use scoring model ${modelVersion}, ${isCalibrated ? "calibrated" : "not calibrated"}, and cover the 365 days from ${day(asOf)}.`,
    "A component fails once a year at most. Components of one class in one census division share a year factor; all else is independent.",
    yearFactorNote(yearFactors),
    ...costBasisSentences({ ...assumptions, ...shares }),
    ...uncertaintySentences(shares),
    "Amounts exceeded come from 20,000 simulated years; expected amounts and standard deviations are exact.",
  ];
}

/** Says where the variances of the year factors come from. */
function yearFactorNote(yearFactors: readonly YearFactor[]): string {
  const learned = yearFactors.filter(({ isLearned }) => isLearned);
  if (learned.length === 0) return "The variances of the year factors are judgments.";
  const named = new Intl.ListFormat("en-US").format(
    learned.map(({ system, variance }) => `${system.replaceAll("_", " ")} (${variance.toFixed(3)})`),
  );
  const others = learned.length < yearFactors.length ? "; the others are judgments" : "";
  return `The variances of the year factors of ${named} are learned from the operator's own years${others}.`;
}
