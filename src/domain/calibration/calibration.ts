import type { Day } from "../time.ts";
import type { WindowOutcomes } from "./failure-window-counts.ts";
import type { Fit, KindFit } from "./fit-model-in-steps.ts";
import type { Proof } from "./model-proof.ts";
import type { SharedCauses } from "./shared-causes.ts";
import type { DCalibration, SurvivalCurve } from "./survival-calibration.ts";

/** The outcomes of both models' failure windows. */
export type WindowPair = { before: WindowOutcomes; after: WindowOutcomes };

/** A fit to an operator's record, with its proof (docs/model/calibration.md). */
export type Calibration = {
  asOf: Day;
  fit: Fit;
  /** Failures on record a year ago, which the fit under proof is based on. */
  failuresYearAgo: number;
  /** The year that both models forecast from what was on record on `from`, compared with the outcomes until `to`. */
  validation: { from: Day; to: Day; windows: WindowPair } & Proof;
  /** D-calibration over all lives on record: of the default model, and of the fit of a year ago. */
  dCalibration: { before: DCalibration; after: DCalibration };
  /** The curves of kinds with enough failures of known age, in the order of ids. */
  curves: readonly SurvivalCurve[];
  /** The variances of the year factors that losses use (docs/model/losses.md#shared-causes). */
  sharedCauses: SharedCauses;
};

/** Returns the kinds with the largest corrections of life, the largest first. */
export function kindsByModelCorrection(kinds: readonly KindFit[], count: number): KindFit[] {
  const distance = ({ lifeFactor }: KindFit) => Math.abs(Math.log(lifeFactor));
  const inOrder = (a: KindFit, b: KindFit) => distance(b) - distance(a) || (a.defId < b.defId ? -1 : 1);
  return [...kinds].sort(inOrder).slice(0, count);
}
