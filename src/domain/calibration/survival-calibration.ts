import type { ComponentDef } from "../domain-knowledge.ts";
import { ReproducibleSums } from "../statistics/reproducible-sum.ts";
import { scaleFromMedian } from "../statistics/weibull-distribution.ts";
import type { Steps } from "../steps/computation-steps.ts";
import type { LifeOnRecord } from "./calibration-life.ts";
import { expectedFailuresOfLife } from "./expected-failures.ts";
import type { Fit } from "./fit-model-in-steps.ts";
import { BINS, type ProofInterval } from "./model-proof.ts";

const LIVES_PER_STEP = 200;
/** The fewest failures that a survival curve is drawn from. */
const FAILURES_FOR_CURVE = 10;
/** The standard normal quantile of a 90% interval. */
const Z_90 = 1.6448536269514722;

/**
 * D-calibration (Haider et al. 2020): the shares of lives by the probability that the model gave their end by then, in
 * tenths. A calibrated model puts a tenth into each (docs/model/calibration.md#life-ends).
 */
export type DCalibration = { shares: readonly number[]; lives: number; chiSquared: number };

/**
 * Returns the D-calibration of a fit, or of the default model if `fit` is undefined. Frailty is integrated out: what was
 * learned from an end must not forecast it.
 */
export function* dCalibrationInSteps(
  lives: readonly LifeOnRecord[],
  fit: Fit | undefined,
): Steps<DCalibration> {
  const sums = new ReproducibleSums(BINS);
  for (const [i, life] of lives.entries()) {
    const correction = Math.log(fit?.corrections.lifeFactors.get(life.defId) ?? 1);
    const hazard = Math.max(0, expectedFailuresOfLife(life, life.accrued, correction));
    const shape = fit?.frailtyShape ?? null;
    const survival = shape === null ? Math.exp(-hazard) : (1 + hazard / shape) ** -shape;
    const bin = Math.min(BINS - 1, Math.floor((1 - survival) * BINS));
    if (life.failed || survival === 0) sums.add(bin, 1);
    else {
      sums.add(bin, ((bin + 1) / BINS - (1 - survival)) / survival);
      for (let later = bin + 1; later < BINS; later++) sums.add(later, 1 / BINS / survival);
    }
    if (i % LIVES_PER_STEP === 0) yield;
  }
  const expected = lives.length / BINS;
  const counts = [...sums.values()];
  return {
    shares: counts.map((count) => (lives.length === 0 ? 0 : count / lives.length)),
    lives: lives.length,
    chiSquared:
      lives.length === 0 ? 0 : counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0),
  };
}

/** A kind's observed survival by virtual age (Kaplan–Meier, left-truncated). */
export type SurvivalCurve = {
  defId: string;
  lives: number;
  failures: number;
  /** One step per age with a failure. Ages are years of normal use of a standard make. */
  steps: readonly { age: number; atRisk: number; failed: number; survival: number; band: ProofInterval }[];
};

/** Returns the curve of a kind from its lives of known age; undefined with too few failures. */
export function survivalCurve(def: ComponentDef, lives: readonly LifeOnRecord[]): SurvivalCurve | undefined {
  const standard = scaleFromMedian(def.medianLifeYears, def.weibullShape);
  const known = lives.filter((life) => !life.pastIsUnknown);
  const spans = known.map(({ entryAge, accrued, scale, failed }) => ({
    entry: (entryAge * standard) / scale,
    exit: ((entryAge + accrued) * standard) / scale,
    failed,
  }));
  const failures = spans.filter(({ failed }) => failed).length;
  if (failures < FAILURES_FOR_CURVE) return undefined;
  const entries = spans.map(({ entry }) => entry).sort((a, b) => a - b);
  const exits = spans.sort((a, b) => a.exit - b.exit);
  const steps: SurvivalCurve["steps"][number][] = [];
  let [survival, variance, entered] = [1, 0, 0];
  for (let i = 0; i < exits.length; ) {
    const age = exits[i]!.exit;
    while (entered < entries.length && entries[entered]! < age) entered++;
    const atRisk = entered - i;
    let failed = 0;
    for (; i < exits.length && exits[i]!.exit === age; i++) if (exits[i]!.failed) failed++;
    if (failed === 0 || atRisk < failed) continue;
    survival *= 1 - failed / atRisk;
    variance += atRisk > failed ? failed / (atRisk * (atRisk - failed)) : 0;
    steps.push({ age, atRisk, failed, survival, band: logLogBand(survival, variance) });
  }
  return { defId: def.id, lives: known.length, failures, steps };
}

/** Returns a 90% band from Greenwood's variance on the scale of ln(−ln S), which keeps it within 0 and 1. */
function logLogBand(survival: number, variance: number): ProofInterval {
  if (survival <= 0 || survival >= 1) return { low: survival, high: survival };
  const spread = (Z_90 * Math.sqrt(variance)) / Math.abs(Math.log(survival));
  return { low: survival ** Math.exp(spread), high: survival ** Math.exp(-spread) };
}
