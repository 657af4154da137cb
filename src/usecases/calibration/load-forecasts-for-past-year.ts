import type { Calibration } from "../../domain/calibration/calibration.ts";
import type { LifeOnRecord } from "../../domain/calibration/calibration-life.ts";
import { HAZARD_YEAR_DAYS } from "../../domain/calibration/expected-failures.ts";
import { WindowCounts } from "../../domain/calibration/failure-window-counts.ts";
import { livesOnRecordInSteps } from "../../domain/calibration/lives-on-record-in-steps.ts";
import { type FailureForecast, validateForecastsInSteps } from "../../domain/calibration/model-proof.ts";
import { isComponentOfType } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { ScoredProperty } from "../../domain/property.ts";
import { isRetired } from "../../domain/rules/retirement-rule.ts";
import { failureWindowSurvival } from "../../domain/scoring/failure-window.ts";
import { failureProbability } from "../../domain/scoring/outlook.ts";
import { type ScoreOptions, scorePropertyInSteps } from "../../domain/scoring/score.ts";
import { type ModelCorrections, UNCORRECTED } from "../../domain/scoring/score-model-corrections.ts";
import type { PropertyHistory } from "../../domain/scoring/scoring-types.ts";
import { seededRandom } from "../../domain/statistics/seeded-random.ts";
import { addDays, type Day, dayNumber } from "../../domain/time.ts";
import { yieldToEventLoop } from "../../event-loop/event-loop.ts";
import type { ScoredAppliance } from "../../store/queries/appliances-queries.ts";
import { extendStores, type Store } from "../../store/store.ts";
import { loadClaimEvidence } from "../claims/load-claim-evidence.ts";
import { loadHistories } from "../history/load-histories.ts";
import { loadAppliancesOfHistory } from "../history/load-history-appliances.ts";

export type CalibrationDeps = {
  store: Pick<Store, "read">;
  knowledge: Knowledge;
  /** Yields to other requests between two pieces of work. */
  yieldNow: () => Promise<void>;
  /** A monotonic clock, in milliseconds. */
  monotonicMs: () => number;
  /** Stops between two pieces of work. */
  signal?: AbortSignal;
};

/** Intervals are sampled from a fixed seed, so that the same record gives the same result. */
const SEED = 2;
/** The length of a piece of work between two yields, in milliseconds. */
const SLICE_MS = 8;
/** Components in the first step; adapts to the slice. */
const FIRST_STEP = 100;
const STEP_RANGE = { least: 25, most: 2000 };

/**
 * Returns the forecasts of the default and of a corrected model for the year up to a day, from the record at its
 * start, measured against the outcomes of the components in service then (docs/model).
 */
export async function loadForecastsForPastYear(
  environment: CalibrationDeps,
  asOf: Day,
  correctionsOf: (appliances: readonly { id: string }[]) => Promise<ModelCorrections>,
): Promise<Calibration["validation"]> {
  const { knowledge } = environment;
  const forecasts = new YearForecasts(environment, asOf);
  await forEachHistoryToCalibrate(environment, asOf, async (histories, appliances) => {
    const corrections = await correctionsOf(appliances);
    for (const history of histories) {
      const lives = await runCalibrationStepsInTimeSlices(
        environment,
        livesOnRecordInSteps(knowledge, history, asOf, { years: 1 }),
      );
      await forecasts.add(history, lives, corrections);
    }
  });
  return await forecasts.measure();
}

/** The two models' forecasts of the year up to `to`, collected property by property. */
export class YearForecasts {
  readonly #from: Day;
  readonly #byProperty: FailureForecast[][] = [];
  readonly #windows = { before: new WindowCounts(), after: new WindowCounts() };

  constructor(
    private readonly environment: CalibrationDeps,
    private readonly to: Day,
  ) {
    this.#from = addDays(to, -HAZARD_YEAR_DAYS);
  }

  /** `lives` are those of the property's components on record as of `to`, for at least the last year. */
  async add(
    history: PropertyHistory,
    lives: readonly LifeOnRecord[],
    corrections: ModelCorrections,
  ): Promise<void> {
    const { knowledge } = this.environment;
    const start = dayNumber(this.#from);
    const inService = {
      ...history,
      appliances: history.appliances.filter(({ retiredOn }) => !retiredOn || retiredOn > this.#from),
    };
    const scores = (options: ScoreOptions) =>
      runCalibrationStepsInTimeSlices(
        this.environment,
        scorePropertyInSteps(knowledge, inService, this.#from, options),
      );
    const before = await scores({});
    const after = corrections === UNCORRECTED ? before : await scores({ corrections });
    const forecasts: FailureForecast[] = [];
    for (const { componentId, defId, years, until } of lives) {
      const year = years.find((candidate) => candidate.start === start);
      if (!year || year.failed === null) continue;
      const { weibullShape } = knowledge.component(defId);
      const failedAfterDays = year.failed ? until - start : null;
      const inYear = (model: "before" | "after") => {
        const scores = model === "before" ? before : after;
        const score = scores.get(componentId)!;
        const outlook = { ...score, weibullShape };
        const survivalAt = failureWindowSurvival(outlook, score.lifeFactor !== 1, knowledge.model);
        this.#windows[model].add(survivalAt, HAZARD_YEAR_DAYS, failedAfterDays);
        return failureProbability(outlook, HAZARD_YEAR_DAYS, knowledge.model);
      };
      forecasts.push({ before: inYear("before"), after: inYear("after"), failed: year.failed });
    }
    this.#byProperty.push(forecasts);
  }

  /** Measures the forecasts against the outcomes. */
  async measure(): Promise<Calibration["validation"]> {
    const proof = await runCalibrationStepsInTimeSlices(
      this.environment,
      validateForecastsInSteps(this.#byProperty, seededRandom(SEED)),
    );
    const windows = { before: this.#windows.before.outcomes, after: this.#windows.after.outcomes };
    return { from: this.#from, to: this.to, windows, ...proof };
  }
}

/**
 * Visits the histories of all properties except demo properties, a few at a time, as they are scored at the start
 * of the year up to `asOf`; yields in between.
 */
export async function forEachHistoryToCalibrate(
  { store, knowledge, yieldNow, monotonicMs, signal }: CalibrationDeps,
  asOf: Day,
  take: (
    histories: readonly PropertyHistory[],
    appliances: readonly { id: string }[],
  ) => void | Promise<void>,
): Promise<void> {
  let budget = FIRST_STEP;
  for (let cursor = ""; ; ) {
    signal?.throwIfAborted();
    const startedAt = monotonicMs();
    const properties = await store.read.properties.forCalibration(cursor, budget);
    if (properties.length === 0) return;
    cursor = properties.at(-1)!.id;
    const counted = properties.filter(({ isDemo }) => !isDemo);
    // All properties but the last have fewer components together than the step allows.
    const appliances = await store.read.appliances.forScoring(counted.slice(0, -1).map(({ id }) => id));
    for (const { id } of counted.slice(-1))
      for (const appliance of await loadAppliancesOfHistory(store.read, id)) appliances.push(appliance);
    const retiredOn = await addRetired(store.read, counted, appliances, yieldNow);
    const read = withRetiredComponents(store.read, knowledge, appliances);
    const loaded = await loadInSteps(read, knowledge, counted, appliances, addDays(asOf, -HAZARD_YEAR_DAYS));
    for (const { appliances } of loaded)
      for (const appliance of appliances) {
        const day = retiredOn.get(appliance.id);
        if (day !== undefined) appliance.retiredOn = day;
      }
    await take(loaded, appliances);
    const ratio = SLICE_MS / Math.max(monotonicMs() - startedAt, 0.1);
    const next = budget * Math.min(2, Math.max(0.5, ratio));
    budget = Math.round(Math.min(STEP_RANGE.most, Math.max(STEP_RANGE.least, next)));
    await yieldNow();
  }
}

/** Adds the retired appliances of properties to the others, and returns the day of each. */
async function addRetired(
  { appliances }: Store["read"],
  properties: readonly { id: string; seq: number; retiredAt: Day | null }[],
  found: ScoredAppliance[],
  yieldNow: () => Promise<void>,
): Promise<ReadonlyMap<string, Day>> {
  const days = new Map<string, Day>();
  for (const property of properties) {
    const ofProperty = isRetired(property) ? property.retiredAt : null;
    for (let after = 0, left = true; left; ) {
      const some = await appliances.retiredForScoringAfter(property.id, after, APPLIANCES);
      for (const { seq: _, retiredAt, ...appliance } of some) {
        found.push(appliance);
        const first = [retiredAt, ofProperty].filter((day) => day !== null).sort()[0];
        if (first !== undefined) days.set(appliance.id, first);
      }
      left = some.length === APPLIANCES;
      after = some.at(-1)?.seq ?? after;
      if (left) await yieldNow();
    }
  }
  return days;
}

/** Reads the components of retired appliances too. Those of a former type stay out: they were recorded by mistake. */
function withRetiredComponents(
  read: Store["read"],
  knowledge: Knowledge,
  appliances: readonly ScoredAppliance[],
): Store["read"] {
  const types = new Map(appliances.map(({ id, typeId }) => [id, typeId]));
  const forScoring: typeof read.components.forScoring = async (ids) => {
    const retired = await read.components.retiredForScoring(ids);
    return [
      ...(await read.components.forScoring(ids)),
      ...retired.filter((componentToScore) =>
        isComponentOfType(knowledge, componentToScore, types.get(componentToScore.applianceId)!),
      ),
    ];
  };
  return extendStores(read, { components: { ...read.components, forScoring } });
}

/** Appliances loaded at once. */
const APPLIANCES = 500;

/** Loads the histories of properties, some appliances at a time. */
async function loadInSteps(
  read: Store["read"],
  knowledge: Knowledge,
  properties: readonly ScoredProperty[],
  appliances: readonly ScoredAppliance[],
  scoredOn: Day,
): Promise<PropertyHistory[]> {
  const histories = new Map<string, PropertyHistory>();
  const claims = await loadClaimEvidence(
    read,
    knowledge,
    properties.map(({ id }) => id),
  );
  for (let from = 0; from === 0 || from < appliances.length; from += APPLIANCES) {
    if (from > 0) await yieldToEventLoop();
    const some = appliances.slice(from, from + APPLIANCES);
    for (const [id, { history }] of await loadHistories(
      read,
      knowledge,
      properties,
      some,
      scoredOn,
      claims,
    )) {
      const whole = histories.get(id);
      if (!whole) histories.set(id, history);
      else for (const appliance of history.appliances) whole.appliances.push(appliance);
    }
  }
  return [...histories.values()];
}

/** Runs a generator to its end and yields after each slice. */
export async function runCalibrationStepsInTimeSlices<T>(
  { yieldNow, monotonicMs, signal }: Pick<CalibrationDeps, "yieldNow" | "monotonicMs" | "signal">,
  steps: Generator<void, T>,
): Promise<T> {
  for (let startedAt = monotonicMs(); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (monotonicMs() - startedAt < SLICE_MS) continue;
    signal?.throwIfAborted();
    await yieldNow();
    startedAt = monotonicMs();
  }
}
