import { join } from "node:path";
import type { LifeOnRecord } from "../../src/domain/calibration/calibration-life.ts";
import { fitLivesInSteps, type LivesFit } from "../../src/domain/calibration/fit-lives.ts";
import {
  type FailureForecast,
  type Proof,
  validateForecastsInSteps,
} from "../../src/domain/calibration/model-proof.ts";
import { seededRandom } from "../../src/domain/statistics/seeded-random.ts";
import { scaleFromMedian } from "../../src/domain/statistics/weibull-distribution.ts";
import { runSteps } from "../../src/domain/steps/computation-steps.ts";
import { DAYS_PER_YEAR } from "../../src/domain/time.ts";
import { countInterval, type Interval } from "./count-interval.ts";
import { dayOf, readRecords } from "./records.ts";
import { fitYearVariance, type YearCount } from "./year-variance.ts";

/**
 * Water mains of a city: lives and frailty fitted to the breaks known on a day, then a forecast of the year after it. A
 * break is repaired and the main stays in service, so a main's record is one life between two breaks after another.
 */

/** A main, with the days of its breaks in order. Days are day numbers. */
export type Main = {
  id: string;
  road: string;
  material: string;
  installedOn: number;
  /** The last day on which the inventory has it. */
  lastSeenOn: number;
  breaks: readonly number[];
};

/** Breaks are on record from this day on. */
export const RECORD_BEGINS = dayOf("1997-01-01");
/** The day on which the inventory was frozen. */
export const INVENTORY_DAY = "2022-01-24";

/**
 * Median lives before any fit, in years: about the service lives of AWWA's "Buried No Longer" (2012). The shape is that of
 * supply piping in the knowledge base.
 */
const MEDIAN_LIVES: Record<string, number> = {
  CI: 120,
  DI: 80,
  PVC: 80,
  PVCO: 80,
  CPP: 80,
  AC: 90,
  HDPE: 80,
};
const OTHER_MEDIAN_LIFE = 80;
const SHAPE = 3;

/** Reads the mains of the frozen inventory from the folder with `lives.csv` and `events.csv`. */
export function readMains(folder: string): Main[] {
  const breaks = new Map<string, number[]>();
  for (const { unit_id, date } of readRecords(join(folder, "events.csv"))) {
    const days = breaks.get(unit_id!) ?? [];
    days.push(dayOf(date!));
    breaks.set(unit_id!, days);
  }
  return readRecords(join(folder, "lives.csv"))
    .filter((row) => row.in_2022_inventory === "1")
    .map((row) => ({
      id: row.unit_id!,
      road: row.property_id!,
      material: row.group!,
      installedOn: dayOf(row.install_date!),
      lastSeenOn: dayOf(row.last_seen!),
      breaks: (breaks.get(row.unit_id!) ?? []).sort((a, b) => a - b),
    }));
}

/** A kind of main, of a median life in years. */
type Kind = { id: string; medianYears: number };
const ofMaterial = ({ material }: Main): Kind => ({
  id: material,
  medianYears: MEDIAN_LIVES[material] ?? OTHER_MEDIAN_LIFE,
});
const ofAll = (): Kind => ({ id: "main", medianYears: OTHER_MEDIAN_LIFE });

/** Lives of mains under kinds and a shape, before any fit and as fitted to what was on record by a day. */
class Lives {
  readonly fit: LivesFit;

  constructor(
    mains: readonly Main[],
    day: number,
    private readonly shape: number,
    private readonly kindOf: (main: Main) => Kind,
  ) {
    this.fit = runSteps(fitLivesInSteps(livesUntil(mains, day, shape, kindOf)));
  }

  /** Returns the expected breaks of a main in the `days` after `day`, frailty aside. */
  unfitted(main: Main, day: number, days: number): number {
    return hazardAfter(
      main,
      day,
      days,
      scaleFromMedian(this.kindOf(main).medianYears, this.shape),
      this.shape,
    );
  }

  fitted(main: Main, day: number, days: number): number {
    const { id, medianYears } = this.kindOf(main);
    const scale = scaleFromMedian(medianYears, this.shape) * Math.exp(this.fit.corrections.get(id) ?? 0);
    return hazardAfter(main, day, days, scale, this.shape);
  }

  frailty(main: Main): number {
    return this.fit.frailty.get(main.id) ?? 1;
  }
}

/** Returns the mains' lives on record up to `day`. */
function livesUntil(
  mains: readonly Main[],
  day: number,
  shape: number,
  kindOf: (main: Main) => Kind,
): LifeOnRecord[] {
  const lives: LifeOnRecord[] = [];
  for (const main of mains) {
    const begins = Math.max(main.installedOn, RECORD_BEGINS);
    if (begins >= day) continue;
    const ends = main.breaks.filter((at) => at >= begins && at < day);
    let from = begins;
    for (const [i, until] of [...ends, day].entries()) {
      lives.push(lifeOf(main, from, until, i < ends.length, shape, kindOf(main)));
      from = until;
    }
  }
  return lives;
}

function lifeOf(
  main: Main,
  from: number,
  until: number,
  failed: boolean,
  shape: number,
  kind: Kind,
): LifeOnRecord {
  return {
    defId: kind.id,
    componentId: main.id,
    applianceId: main.id,
    system: "plumbing",
    division: "unknown",
    scale: scaleFromMedian(kind.medianYears, shape),
    shape,
    rate: 1,
    from,
    until,
    entryAge: (from - main.installedOn) / DAYS_PER_YEAR,
    accrued: (until - from) / DAYS_PER_YEAR,
    pastIsUnknown: false,
    failed,
    years: [],
  };
}

function hazardAfter(main: Main, day: number, days: number, scale: number, shape: number): number {
  const age = Math.max(0, day - main.installedOn) / DAYS_PER_YEAR;
  return ((age + days / DAYS_PER_YEAR) / scale) ** shape - (age / scale) ** shape;
}

/** One year's forecast beside what was seen. */
export type YearForecast = {
  from: string;
  mains: number;
  /** Breaks, and mains with one or more. */
  breaks: number;
  broken: number;
  models: { name: string; expected: number; proof: Proof }[];
  /** The number of breaks by the last model: its 90% interval without and with the year factor, and that factor's v. */
  interval: Interval;
  intervalWithYears: Interval;
  yearVariance: number;
};

const YEAR_DAYS = 365;

/** Forecasts the 365 days after `from` from what was on record then. */
export function forecastYear(mains: readonly Main[], from: string, shape = SHAPE): YearForecast {
  const day = dayOf(from);
  const inService = mains.filter(({ installedOn, lastSeenOn }) => installedOn < day && lastSeenOn >= day);
  const byAge = new Lives(inService, day, shape, ofAll);
  const byMaterial = new Lives(inService, day, shape, ofMaterial);
  const seen = inService.map(({ breaks }) => breaks.filter((at) => at >= day && at < day + YEAR_DAYS).length);
  const forecasts: [name: string, hazard: (main: Main) => number][] = [
    ["age alone, fitted", (main) => byAge.fitted(main, day, YEAR_DAYS)],
    ["age and material, not fitted", (main) => byMaterial.unfitted(main, day, YEAR_DAYS)],
    ["age and material, fitted", (main) => byMaterial.fitted(main, day, YEAR_DAYS)],
    [
      "the same with each main's own record",
      (main) => byMaterial.frailty(main) * byMaterial.fitted(main, day, YEAR_DAYS),
    ],
  ];
  const ageAlone = inService.map(forecasts[0]![1]);
  const models = forecasts.map(([name, hazard]) => {
    const expected = inService.map(hazard);
    return { name, expected: sumOf(expected), proof: prove(inService, ageAlone, expected, seen) };
  });
  const mean = models.at(-1)!.expected;
  const yearVariance = fitYearVariance(yearCounts(inService, byMaterial, day));
  const variance = mean + sumOf(inService.map((main) => frailtyVariance(byMaterial, main, day)));
  return {
    from,
    mains: inService.length,
    breaks: sumOf(seen),
    broken: seen.filter((one) => one > 0).length,
    models,
    interval: countInterval(mean, variance),
    intervalWithYears: countInterval(mean, variance + yearVariance * mean ** 2),
    yearVariance,
  };
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** Returns the variance of a main's expected breaks from that of its frailty, (κ + d)/(κ + e)². */
function frailtyVariance(lives: Lives, main: Main, day: number): number {
  const { frailtyShape } = lives.fit;
  if (frailtyShape === null) return 0;
  const begins = Math.max(main.installedOn, RECORD_BEGINS);
  const expected = begins < day ? lives.fitted(main, begins, day - begins) : 0;
  const failures = main.breaks.filter((at) => at >= begins && at < day).length;
  return (
    ((frailtyShape + failures) / (frailtyShape + expected) ** 2) * lives.fitted(main, day, YEAR_DAYS) ** 2
  );
}

function prove(
  mains: readonly Main[],
  before: readonly number[],
  after: readonly number[],
  seen: readonly number[],
): Proof {
  const byRoad = new Map<string, FailureForecast[]>();
  for (const [i, { road }] of mains.entries()) {
    const forecasts = byRoad.get(road) ?? [];
    forecasts.push({
      before: -Math.expm1(-before[i]!),
      after: -Math.expm1(-after[i]!),
      failed: seen[i]! > 0,
    });
    byRoad.set(road, forecasts);
  }
  return runSteps(validateForecastsInSteps([...byRoad.values()], seededRandom(1)));
}

/** Returns the breaks of each whole year on record before `day`, with those that the fitted lives expect. */
function yearCounts(mains: readonly Main[], lives: Lives, day: number): YearCount[] {
  const years: YearCount[] = [];
  for (let from = RECORD_BEGINS; from + DAYS_PER_YEAR <= day; from += DAYS_PER_YEAR) {
    let [failures, expected] = [0, 0];
    for (const main of mains) {
      const begins = Math.max(from, main.installedOn);
      const ends = from + DAYS_PER_YEAR;
      if (begins >= ends) continue;
      failures += main.breaks.filter((at) => at >= begins && at < ends).length;
      expected += lives.frailty(main) * lives.fitted(main, begins, ends - begins);
    }
    years.push({ failures, expected });
  }
  return years;
}
