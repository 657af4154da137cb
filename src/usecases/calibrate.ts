import type { Calibration } from "../domain/calibration/calibration.ts";
import { YEAR_DAYS } from "../domain/calibration/expected-hazard.ts";
import { FEWEST_FAILURES, type Fit, failuresAmong, fitRecord } from "../domain/calibration/fit.ts";
import type { Life } from "../domain/calibration/life.ts";
import { dCalibration, type SurvivalCurve, survivalCurve } from "../domain/calibration/life-ends.ts";
import { livesOnRecord } from "../domain/calibration/lives-on-record.ts";
import { type Forecast, type Proof, prove } from "../domain/calibration/proof.ts";
import { seededRandom } from "../domain/calibration/seeded-random.ts";
import { OperatorError } from "../domain/errors.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import { type Corrections, UNCORRECTED } from "../domain/scoring/corrections.ts";
import { failureProbability } from "../domain/scoring/outlook.ts";
import { scoreProperty } from "../domain/scoring/score.ts";
import type { PropertyHistory } from "../domain/scoring/types.ts";
import { addDays, type Day, dayNumber } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import { loadHistories } from "./histories.ts";
import { baseVersion } from "./model-in-use.ts";

export type CalibrationEnvironment = {
  store: Pick<Store, "read">;
  knowledge: Knowledge;
  /** Lets others have their turn between two pieces of work. */
  pause: () => Promise<void>;
  /** Stops between two pieces of work. */
  signal?: AbortSignal;
};

/** Intervals are drawn from one seed, so that the same record gives the same bytes. */
const SEED = 2;
/** A piece of work holds the event loop for about so long. */
const SLICE_MS = 8;
/** Components read at once at first; adapted to the slice. */
const FIRST_STEP = 100;
const STEP_RANGE = { least: 25, most: 2000 };

/**
 * Fits the model to the operator's own outcomes as of a day, and measures what that would have been worth a year before
 * (`scoring.md` §8). Reads alone. Throws an OperatorError where the record does not bear it.
 */
export async function calibrate(environment: CalibrationEnvironment, asOf: Day): Promise<Calibration> {
  const { store, knowledge } = environment;
  await refuseAnotherModel(store, knowledge);
  const yearAgo = addDays(asOf, -YEAR_DAYS);
  const lives: Life[] = [];
  const livesThen: Life[] = [];
  await eachProperty(environment, asOf, (history) => {
    for (const life of livesOnRecord(knowledge, history, asOf)) lives.push(life);
    for (const life of livesOnRecord(knowledge, history, yearAgo)) livesThen.push(life);
  });
  refuseThinRecord(lives, yearAgo);
  const slices = <T>(steps: Generator<void, T>) => inSlices(environment, steps);

  const fit = await slices(fitRecord(knowledge, lives));
  const failuresYearAgo = failuresAmong(livesThen);
  const fitThen: Fit | undefined =
    failuresYearAgo < FEWEST_FAILURES ? undefined : await slices(fitRecord(knowledge, livesThen));
  const forecasts = await forecastsOf(environment, { asOf, yearAgo }, fitThen?.corrections ?? UNCORRECTED);
  const proof: Proof = await slices(prove(forecasts, seededRandom(SEED)));
  return {
    asOf,
    fit,
    failuresYearAgo,
    validation: { from: yearAgo, to: asOf, ...proof },
    dCalibration: {
      before: await slices(dCalibration(lives, undefined)),
      after: await slices(dCalibration(lives, fitThen)),
    },
    curves: await slices(survivalCurves(knowledge, lives)),
  };
}

/** What both models said a year ago of the components in service then, by property, with what came of them. */
async function forecastsOf(
  environment: CalibrationEnvironment,
  { asOf, yearAgo }: { asOf: Day; yearAgo: Day },
  corrections: Corrections,
): Promise<Forecast[][]> {
  const { knowledge } = environment;
  const start = dayNumber(yearAgo);
  const byProperty: Forecast[][] = [];
  await eachProperty(environment, asOf, (history) => {
    const before = scoreProperty(knowledge, history, yearAgo);
    const after =
      corrections === UNCORRECTED ? before : scoreProperty(knowledge, history, yearAgo, { corrections });
    const forecasts: Forecast[] = [];
    for (const { componentId, defId, years } of livesOnRecord(knowledge, history, asOf)) {
      const year = years.find((candidate) => candidate.start === start);
      if (!year || year.failed === null) continue;
      const { weibullShape } = knowledge.component(defId);
      const inYear = (scores: typeof before) =>
        failureProbability({ ...scores.get(componentId)!, weibullShape }, YEAR_DAYS, knowledge.model);
      forecasts.push({ before: inYear(before), after: inYear(after), failed: year.failed });
    }
    byProperty.push(forecasts);
  });
  return byProperty;
}

function* survivalCurves(
  knowledge: Knowledge,
  lives: readonly Life[],
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

/** Hands over the history of every property but demo ones, a few at a time, giving way between. */
async function eachProperty(
  { store, knowledge, pause, signal }: CalibrationEnvironment,
  asOf: Day,
  take: (history: PropertyHistory) => void,
): Promise<void> {
  let budget = FIRST_STEP;
  for (let cursor = ""; ; ) {
    signal?.throwIfAborted();
    const startedAt = performance.now();
    const properties = await store.read.properties.forSnapshot(cursor, budget);
    if (properties.length === 0) return;
    cursor = properties.at(-1)!.id;
    const counted = properties.filter(({ isDemo }) => !isDemo);
    const appliances = await store.read.appliances.forScoring(counted.map(({ id }) => id));
    const loaded = await loadHistories(store.read, knowledge, counted, appliances, asOf);
    for (const { history } of loaded.values()) take(history);
    const ratio = SLICE_MS / Math.max(performance.now() - startedAt, 0.1);
    const next = budget * Math.min(2, Math.max(0.5, ratio));
    budget = Math.round(Math.min(STEP_RANGE.most, Math.max(STEP_RANGE.least, next)));
    await pause();
  }
}

/** Runs to the end what gives way between two pieces of work, and lets others have their turn now and then. */
async function inSlices<T>(
  { pause, signal }: Pick<CalibrationEnvironment, "pause" | "signal">,
  steps: Generator<void, T>,
): Promise<T> {
  for (let startedAt = performance.now(); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - startedAt < SLICE_MS) continue;
    signal?.throwIfAborted();
    await pause();
    startedAt = performance.now();
  }
}

function refuseThinRecord(lives: readonly Life[], yearAgo: Day): void {
  const begins = lives.reduce((earliest, { from }) => Math.min(earliest, from), Number.POSITIVE_INFINITY);
  if (begins > dayNumber(yearAgo))
    throw new OperatorError(
      "there is less than a year on record",
      "A fit is proved at the outcomes of a year: calibrate once the service record of a property reaches back to " +
        `${yearAgo} or before. \`records_since\` of a property says from when its record is complete.`,
    );
  const failures = failuresAmong(lives);
  if (failures < FEWEST_FAILURES)
    throw new OperatorError(
      `${failures} ${failures === 1 ? "failure is" : "failures are"} on record, and nothing is fitted to fewer than ${FEWEST_FAILURES}`,
      "A failure on record is a Replacement within 60 days after an Emergency Repair of the same component.",
    );
}

async function refuseAnotherModel({ read }: Pick<Store, "read">, knowledge: Knowledge): Promise<void> {
  const snapshot = await read.snapshots.latestFinished();
  const inUse = await read.models.inUse();
  for (const version of [snapshot?.modelVersion, inUse?.version])
    if (version !== undefined && baseVersion(version) !== knowledge.modelVersion)
      throw new OperatorError(
        `this database was scored by model ${version}, and this executable has model ${knowledge.modelVersion}`,
        "Take a snapshot first: mainstay snapshot",
      );
}
