import type { Calibration, WindowPair } from "../domain/calibration/calibration.ts";
import type {
  ForecastMeasures,
  ModelProof,
  Proof,
  ProofInterval,
} from "../domain/calibration/model-proof.ts";
import type { SharedCauses } from "../domain/calibration/shared-causes.ts";
import type { DCalibration } from "../domain/calibration/survival-calibration.ts";

/*
 * A calibration as JSON: printed by `mainstay calibrate --json`, stored as the evidence of a model version, and returned
 * by `/admin/model`.
 */

const rounded = (value: number, decimals = 6) => Number(value.toFixed(decimals));
const roundedOrNull = (value: number | null) => (value === null ? null : rounded(value));
const pair = (interval: ProofInterval | null) =>
  interval && ([rounded(interval.low), rounded(interval.high)] as const);

const measures = ({
  concordance,
  brierSkill,
  calibrationError,
  logLoss,
  actualToExpected,
}: ForecastMeasures) => ({
  concordance: roundedOrNull(concordance),
  brier_skill: roundedOrNull(brierSkill),
  calibration_error: roundedOrNull(calibrationError),
  log_loss: roundedOrNull(logLoss),
  actual_to_expected: roundedOrNull(actualToExpected),
});

const intervals = ({
  intervals: { concordance, brierSkill, calibrationError, logLoss, actualToExpected },
}: ModelProof) => ({
  concordance: pair(concordance),
  brier_skill: pair(brierSkill),
  calibration_error: pair(calibrationError),
  log_loss: pair(logLoss),
  actual_to_expected: pair(actualToExpected),
});

const ends = ({ shares, lives, chiSquared }: DCalibration) => ({
  lives,
  shares: shares.map((share) => rounded(share)),
  chi_squared: rounded(chiSquared, 3),
});

/** Compares the one-year forecasts of two models with the outcomes. Intervals are 90% intervals. */
export function serializeValidation(validation: Calibration["validation"]) {
  const { from, to, components, failed, before, after, windows } = validation;
  return {
    from,
    to,
    components,
    failed,
    before: measures(before.measures),
    after: measures(after.measures),
    log_loss_difference: difference(validation),
    intervals: { before: intervals(before), after: intervals(after) },
    failure_windows: windows,
  };
}

/** As stored; proofs by older versions have no `failure_windows`. */
export type ValidationJson = Omit<ReturnType<typeof serializeValidation>, "failure_windows"> & {
  failure_windows?: WindowPair;
};

const difference = ({ logLossDifference: found }: Proof) =>
  found && { mean: rounded(found.mean), low: rounded(found.low), high: rounded(found.high) };

/** Serializes what the failures of a year have in common. `before` is the knowledge base, `after` what other years say. */
const causes = ({ classes, years, outside }: SharedCauses) => ({
  classes: classes.map((classCauses) => ({
    system: classCauses.system,
    years: classCauses.years,
    failures: classCauses.failures,
    expected: rounded(classCauses.expected, 4),
    year_factor_variance: rounded(classCauses.variance),
    default_variance: classCauses.bookVariance,
    learned: classCauses.isLearned,
    years_outside: classCauses.outside,
  })),
  years: years.map(({ year, failures, expected, intervals: { before, after } }) => ({
    year,
    failures,
    expected: rounded(expected, 4),
    before,
    after,
  })),
  years_outside: outside,
});

/** Serializes a calibration with its validation. */
export function serializeCalibration(calibration: Calibration) {
  const { fit, failuresYearAgo, validation, dCalibration, sharedCauses } = calibration;
  return {
    failures: fit.failures,
    lives: fit.lives,
    kinds: fit.kinds.map(({ defId, lifeFactor, failures, expected }) => ({
      component_def_id: defId,
      life_factor: rounded(lifeFactor),
      failures,
      expected: rounded(expected, 4),
    })),
    frailty_shape: fit.frailtyShape,
    evidence_strength: {
      condition: rounded(fit.corrections.strength.condition),
      repairs: rounded(fit.corrections.strength.repairs),
    },
    validation: { ...serializeValidation(validation), failures_a_year_ago: failuresYearAgo },
    d_calibration: { before: ends(dCalibration.before), after: ends(dCalibration.after) },
    shared_causes: causes(sharedCauses),
    better: validation.better,
  };
}
export type CalibrationJson = ReturnType<typeof serializeCalibration>;
