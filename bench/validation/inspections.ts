import { join } from "node:path";
import type { LifeOnRecord } from "../../src/domain/calibration/calibration-life.ts";
import { fitEvidenceStrengthInSteps } from "../../src/domain/calibration/fit-evidence-strength.ts";
import { fitLivesInSteps } from "../../src/domain/calibration/fit-lives.ts";
import {
  type FailureForecast,
  type Proof,
  validateForecastsInSteps,
} from "../../src/domain/calibration/model-proof.ts";
import type { Knowledge } from "../../src/domain/domain-knowledge.ts";
import { createUnknownPast, hazardSinceRecordBegan } from "../../src/domain/scoring/unknown-past.ts";
import { seededRandom } from "../../src/domain/statistics/seeded-random.ts";
import { scaleFromMedian } from "../../src/domain/statistics/weibull-distribution.ts";
import { runSteps } from "../../src/domain/steps/computation-steps.ts";
import { DAYS_PER_YEAR } from "../../src/domain/time.ts";
import { dayOf, readRecords } from "./records.ts";

/**
 * A city's inspections of apartment buildings: each visit scores areas from 1 to 5. An interval between two visits ends
 * badly if an area that was fair or better (3 or more) falls below fair.
 */

/** The areas for which the knowledge base has a component, by column, with that component. */
const COMPONENTS: Record<string, string> = {
  ELEVATORS: "elev_car_fixtures",
  EXTERIOR_CLADDING: "env_cladding",
  BALCONY_GUARDS: "env_balconies",
  ENTRANCE_DOORS_WINDOWS: "env_exterior_doors",
  PARKING_AREA: "paving_asphalt",
  EXTERIOR_WALKWAYS: "paving_walks_drainage",
};

/** The areas without one, which get a life of this median and shape. */
const OTHER_AREAS = [
  "ENTRANCE_LOBBY",
  "SECURITY",
  "STAIRWELLS",
  "LAUNDRY_ROOMS",
  "INTERNAL_GUARDS_HANDRAILS",
  "GARBAGE_CHUTE_ROOMS",
  "GARBAGE_BIN_STORAGE_AREA",
  "STORAGE_AREAS_LOCKERS",
  "INTERIOR_WALL_CEILING_FLOOR",
  "INTERIOR_LIGHTING_LEVELS",
  "GRAFFITI",
  "EXTERIOR_GROUNDS",
  "WATER_PEN_EXT_BLDG_ELEMENTS",
  "OTHER_FACILITIES",
];
const OTHER_LIFE = { medianLifeYears: 20, weibullShape: 2.5 };

const FAIR = 3;

/** An area between two visits. Days are day numbers. */
export type Interval = {
  building: string;
  area: string;
  builtOn: number;
  from: number;
  until: number;
  /** The score at its start: 3, 4 or 5. */
  score: number;
  fell: boolean;
};

/** Reads the intervals from the folder with `evaluations.csv`. */
export function readIntervals(folder: string): Interval[] {
  const visits = new Map<string, Record<string, string>[]>();
  for (const row of readRecords(join(folder, "evaluations.csv"))) {
    const ofBuilding = visits.get(row.RSN!) ?? [];
    ofBuilding.push(row);
    visits.set(row.RSN!, ofBuilding);
  }
  const intervals: Interval[] = [];
  for (const [building, rows] of visits) {
    rows.sort((a, b) => dayOf(a.EVALUATION_COMPLETED_ON!) - dayOf(b.EVALUATION_COMPLETED_ON!));
    for (const [i, next] of rows.slice(1).entries())
      for (const area of [...Object.keys(COMPONENTS), ...OTHER_AREAS]) {
        const [score, then] = [Number(rows[i]![area]), Number(next[area])];
        const built = Number(next.YEAR_BUILT);
        if (!(score >= FAIR) || !(then >= 1) || !built) continue;
        const from = dayOf(rows[i]!.EVALUATION_COMPLETED_ON!);
        const until = dayOf(next.EVALUATION_COMPLETED_ON!);
        if (until > from)
          intervals.push({
            building,
            area,
            builtOn: dayOf(`${built}-07-01`),
            from,
            until,
            score,
            fell: then < FAIR,
          });
      }
  }
  return intervals;
}

export type InspectionProof = {
  areas: string;
  fittedOn: { intervals: number; fell: number };
  forecast: { intervals: number; fell: number };
  /** The share that fell of the forecast intervals, by their score before. */
  byScore: { score: number; intervals: number; fell: number }[];
  strength: number;
  frailtyShape: number | null;
  models: { name: string; expected: number; proof: Proof }[];
};

/** Fits to the intervals that ended before `day`, and forecasts the others. */
export function proveInspections(
  knowledge: Knowledge,
  intervals: readonly Interval[],
  day: number,
  areas: "known" | "all",
): InspectionProof {
  const used = intervals.filter(({ area }) => areas === "all" || area in COMPONENTS);
  const train = used.filter(({ until }) => until < day);
  const test = used.filter(({ until }) => until >= day);
  const lifeOf = (interval: Interval): LifeOnRecord => {
    const { medianLifeYears, weibullShape } =
      interval.area in COMPONENTS ? knowledge.component(COMPONENTS[interval.area]!) : OTHER_LIFE;
    return {
      defId: interval.area,
      componentId: `${interval.building} ${interval.area}`,
      applianceId: interval.building,
      system: "structural",
      division: "middle_atlantic",
      scale: scaleFromMedian(medianLifeYears, weibullShape),
      shape: weibullShape,
      rate: 1,
      from: interval.from,
      until: interval.until,
      entryAge: Math.max(0.5, (interval.from - interval.builtOn) / DAYS_PER_YEAR),
      accrued: (interval.until - interval.from) / DAYS_PER_YEAR,
      pastIsUnknown: true,
      failed: interval.fell,
      years: [],
    };
  };
  const fit = runSteps(fitLivesInSteps(train.map(lifeOf)));
  const hazardOf = (interval: Interval, isFitted: boolean) => {
    const { scale, shape, entryAge, accrued } = lifeOf(interval);
    const fitted = scale * (isFitted ? Math.exp(fit.corrections.get(interval.area) ?? 0) : 1);
    return Math.max(0, hazardSinceRecordBegan(createUnknownPast(shape, entryAge / fitted), accrued / fitted));
  };
  const ratios = knowledge.model.evidence.condition;
  const ratioOf = ({ score }: Interval) => (score >= 4 ? ratios.good : ratios.fair);
  const frailtyOf = ({ building }: Interval) => fit.frailty.get(building) ?? 1;
  const { lowestProduct, highestProduct } = knowledge.model.evidence;
  const strength = runSteps(
    fitEvidenceStrengthInSteps(
      train.map((one) => ({
        hazard: frailtyOf(one) * hazardOf(one, true),
        condition: ratioOf(one),
        repairs: 1,
        failed: one.fell,
      })),
      { lowestProduct, highestProduct },
    ),
  ).condition;
  const models: Record<string, (one: Interval) => number> = {
    "age alone": (one) => hazardOf(one, true),
    "knowledge base, with the condition seen last": (one) => hazardOf(one, false) * ratioOf(one),
    "fitted, with the building's record": (one) => frailtyOf(one) * hazardOf(one, true),
    "fitted, with the condition seen last": (one) => hazardOf(one, true) * ratioOf(one) ** strength,
    "fitted, with both": (one) => frailtyOf(one) * hazardOf(one, true) * ratioOf(one) ** strength,
  };
  const ageAlone = test.map(models["age alone"]!);
  return {
    areas,
    fittedOn: { intervals: train.length, fell: train.filter(({ fell }) => fell).length },
    forecast: { intervals: test.length, fell: test.filter(({ fell }) => fell).length },
    byScore: [3, 4, 5].map((score) => ({
      score,
      intervals: test.filter((one) => one.score === score).length,
      fell: test.filter((one) => one.score === score && one.fell).length,
    })),
    strength,
    frailtyShape: fit.frailtyShape,
    models: Object.entries(models).map(([name, hazard]) => {
      const expected = test.map(hazard);
      return {
        name,
        expected: expected.reduce((sum, h) => sum - Math.expm1(-h), 0),
        proof: prove(test, ageAlone, expected),
      };
    }),
  };
}

function prove(intervals: readonly Interval[], before: readonly number[], after: readonly number[]): Proof {
  const byBuilding = new Map<string, FailureForecast[]>();
  for (const [i, { building, fell }] of intervals.entries()) {
    const forecasts = byBuilding.get(building) ?? [];
    forecasts.push({ before: -Math.expm1(-before[i]!), after: -Math.expm1(-after[i]!), failed: fell });
    byBuilding.set(building, forecasts);
  }
  return runSteps(validateForecastsInSteps([...byBuilding.values()], seededRandom(1)));
}
