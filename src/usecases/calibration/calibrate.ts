import type { Calibration } from "../../domain/calibration/calibration.ts";
import type { LifeOnRecord } from "../../domain/calibration/calibration-life.ts";
import { HAZARD_YEAR_DAYS } from "../../domain/calibration/expected-failures.ts";
import { countFailuresByYearInSteps } from "../../domain/calibration/failure-years.ts";
import {
  countFailedLives,
  FEWEST_FAILURES,
  type Fit,
  fitModelInSteps,
} from "../../domain/calibration/fit-model-in-steps.ts";
import { livesOnRecordInSteps } from "../../domain/calibration/lives-on-record-in-steps.ts";
import { baseModelVersion } from "../../domain/calibration/model-version.ts";
import { fitSharedCausesInSteps } from "../../domain/calibration/shared-causes.ts";
import {
  dCalibrationInSteps,
  type SurvivalCurve,
  survivalCurve,
} from "../../domain/calibration/survival-calibration.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { OperatorError } from "../../domain/errors.ts";
import { UNCORRECTED } from "../../domain/scoring/score-model-corrections.ts";
import type { PropertyHistory } from "../../domain/scoring/scoring-types.ts";
import { addDays, type Day, dayNumber } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import {
  type CalibrationDeps,
  forEachHistoryToCalibrate,
  runCalibrationStepsInTimeSlices,
  YearForecasts,
} from "./load-forecasts-for-past-year.ts";

/**
 * Calibrates the model with the operator's own outcomes as of a day, and measures what that calibration would have
 * achieved a year before (docs/model). Only reads. Throws an OperatorError if the record is insufficient.
 */
export async function calibrateModel(environment: CalibrationDeps, asOf: Day): Promise<Calibration> {
  const { store, knowledge } = environment;
  await requireScoresOfModelVersion(store, knowledge);
  const yearAgo = addDays(asOf, -HAZARD_YEAR_DAYS);
  const slices = <T>(steps: Generator<void, T>) => runCalibrationStepsInTimeSlices(environment, steps);
  // One after the other, since the lives of a large portfolio take much memory.
  const { failures: failuresYearAgo, fit: fitThen } = await fitAsOf(environment, yearAgo);
  const corrections = fitThen?.corrections ?? UNCORRECTED;
  const forecasts = new YearForecasts(environment, asOf);
  const lives = await livesAsOf(environment, asOf, (history, ofHistory) =>
    forecasts.add(history, ofHistory, corrections),
  );
  refuseThinRecord(lives, yearAgo);
  const fit = await slices(fitModelInSteps(knowledge, lives));
  const validation = await forecasts.measure();
  const years = await slices(countFailuresByYearInSteps(lives, fit.corrections, asOf));
  return {
    asOf,
    fit,
    failuresYearAgo,
    validation,
    dCalibration: {
      before: await slices(dCalibrationInSteps(lives, undefined)),
      after: await slices(dCalibrationInSteps(lives, fitThen)),
    },
    curves: await slices(survivalCurves(knowledge, lives)),
    sharedCauses: await slices(fitSharedCausesInSteps(knowledge, years)),
  };
}

/** Returns the calibration as of a day; undefined if there are too few failures. */
async function fitAsOf(
  environment: CalibrationDeps,
  asOf: Day,
): Promise<{ failures: number; fit: Fit | undefined }> {
  const lives = await livesAsOf(environment, asOf);
  const failures = countFailedLives(lives);
  const isEnough = failures >= FEWEST_FAILURES;
  return {
    failures,
    fit: isEnough
      ? await runCalibrationStepsInTimeSlices(environment, fitModelInSteps(environment.knowledge, lives))
      : undefined,
  };
}

/** `alsoTake` receives each property's history with its lives. */
async function livesAsOf(
  environment: CalibrationDeps,
  asOf: Day,
  alsoTake?: (history: PropertyHistory, lives: readonly LifeOnRecord[]) => Promise<void>,
): Promise<LifeOnRecord[]> {
  const lives: LifeOnRecord[] = [];
  await forEachHistoryToCalibrate(environment, asOf, async (histories) => {
    for (const history of histories) {
      const ofHistory = await runCalibrationStepsInTimeSlices(
        environment,
        livesOnRecordInSteps(environment.knowledge, history, asOf),
      );
      for (const life of ofHistory) lives.push(life);
      await alsoTake?.(history, ofHistory);
    }
  });
  return lives;
}

function* survivalCurves(
  knowledge: Knowledge,
  lives: readonly LifeOnRecord[],
): Generator<void, readonly SurvivalCurve[]> {
  const curves: SurvivalCurve[] = [];
  const byKind = [...Map.groupBy(lives, ({ defId }) => defId)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [defId, ofKind] of byKind) {
    const curve = survivalCurve(knowledge.component(defId), ofKind);
    if (curve) curves.push(curve);
    yield;
  }
  return curves;
}

function refuseThinRecord(lives: readonly LifeOnRecord[], yearAgo: Day): void {
  const begins = lives.reduce((earliest, { from }) => Math.min(earliest, from), Number.POSITIVE_INFINITY);
  if (begins > dayNumber(yearAgo))
    throw new OperatorError(
      "less than one year of service history is recorded",
      "Calibration needs at least one year of service history: run it once a property's record reaches back to " +
        `${yearAgo} or earlier. Set \`records_since\` on properties to show when their history is complete.`,
    );
  const failures = countFailedLives(lives);
  if (failures < FEWEST_FAILURES)
    throw new OperatorError(
      `${failures} ${failures === 1 ? "failure is" : "failures are"} on record; calibration needs at least ${FEWEST_FAILURES}`,
      "A recorded failure is a Replacement within 60 days after an Emergency Repair of the same component.",
    );
}

/** Throws an OperatorError if the database's scores, or its active calibration, belong to another model version. */
export async function requireScoresOfModelVersion(
  { read }: Pick<Store, "read">,
  knowledge: Knowledge,
): Promise<void> {
  const snapshot = await read.snapshots.latestFinished();
  const inUse = await read.models.inUse();
  for (const version of [snapshot?.modelVersion, inUse?.version])
    if (version !== undefined && baseModelVersion(version) !== knowledge.modelVersion)
      throw new OperatorError(
        `this database was scored by model ${version}, but this executable has model ${knowledge.modelVersion}`,
        "Take a snapshot first: mainstay snapshot",
      );
}
