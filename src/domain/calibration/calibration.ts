import type { Day } from "../time.ts";
import type { Fit, KindFit } from "./fit.ts";
import type { DCalibration, SurvivalCurve } from "./life-ends.ts";
import type { Proof } from "./proof.ts";

/** A fit of an operator's record with what speaks for and against it (docs/model/calibration.md). */
export type Calibration = {
  asOf: Day;
  fit: Fit;
  /** Failures on record a year before, on which the forecasts of the proof rest. */
  failuresYearAgo: number;
  /** The year that both models forecast: what `from` knew, measured at what came until `to`. */
  validation: { from: Day; to: Day } & Proof;
  /** Of all lives on record: by the plain model, and by the fit of a year before. */
  dCalibration: { before: DCalibration; after: DCalibration };
  /** Of the kinds with enough failures of known age, in the order of their ids. */
  curves: readonly SurvivalCurve[];
};

/** The kinds whose life moved most, the furthest first. */
export function mostCorrected(kinds: readonly KindFit[], count: number): KindFit[] {
  const distance = ({ lifeFactor }: KindFit) => Math.abs(Math.log(lifeFactor));
  const inOrder = (a: KindFit, b: KindFit) => distance(b) - distance(a) || (a.defId < b.defId ? -1 : 1);
  return [...kinds].sort(inOrder).slice(0, count);
}
