import type { Calibration } from "../../domain/calibration/calibration.ts";
import type { ModelCheck } from "../../domain/calibration/model-version.ts";
import { OperatorError } from "../../domain/errors.ts";
import type { Day } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import { requireScoresOfModelVersion } from "./calibrate.ts";
import { loadModelCorrections } from "./load-active-model.ts";
import { type CalibrationDeps, loadForecastsForPastYear } from "./load-forecasts-for-past-year.ts";

/**
 * Measures whether the active calibration would have forecast the past year better than the default model, and
 * stores the result. A calibration younger than a year has seen part of that year; a loss is then all the more
 * certain. Throws an OperatorError if the default model is active.
 */
export async function checkActiveCalibrationModel(
  environment: CalibrationDeps & { store: Store },
  asOf: Day,
  evidenceOf: (validation: Calibration["validation"]) => Record<string, unknown>,
): Promise<ModelCheck> {
  const { store, knowledge } = environment;
  await requireScoresOfModelVersion(store, knowledge);
  const inUse = await store.read.models.inUse();
  if (!inUse) throw new OperatorError("the default model is active: there is no calibration to check");
  const validation = await loadForecastsForPastYear(environment, asOf, (appliances) =>
    loadModelCorrections(store.read, knowledge, appliances),
  );
  const check: ModelCheck = {
    day: asOf,
    version: inUse.version,
    isWorse: (validation.after.measures.logLoss ?? 0) > (validation.before.measures.logLoss ?? 0),
    evidence: evidenceOf(validation),
  };
  await store.write((tx) => tx.models.saveCheck(check));
  return check;
}
