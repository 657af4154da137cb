import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { LifeOnRecord } from "../../../src/domain/calibration/calibration-life.ts";
import {
  type FailureForecast,
  validateForecastsInSteps,
} from "../../../src/domain/calibration/model-proof.ts";
import { dCalibrationInSteps, survivalCurve } from "../../../src/domain/calibration/survival-calibration.ts";
import { seededRandom } from "../../../src/domain/statistics/seeded-random.ts";
import { scaleFromMedian } from "../../../src/domain/statistics/weibull-distribution.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { knowledge } from "../scoring/histories.ts";

const proofOf = (properties: readonly (readonly FailureForecast[])[]) =>
  runSteps(validateForecastsInSteps(properties, seededRandom(1)));
const forecast = fc.record({
  // four decimals, by which forecasts are ranked
  before: fc.integer({ min: 0, max: 10_000 }).map((n) => n / 10_000),
  after: fc.integer({ min: 0, max: 10_000 }).map((n) => n / 10_000),
  failed: fc.boolean(),
});

// Rule: calibration-proof
describe("the proof", () => {
  test("measures what the definitions say", () => {
    fc.assert(
      fc.property(fc.array(fc.array(forecast, { maxLength: 12 }), { maxLength: 8 }), (properties) => {
        const all = properties.flat();
        const proof = proofOf(properties);
        expect(proof.components).toBe(all.length);
        expect(proof.failed).toBe(all.filter(({ failed }) => failed).length);
        const { concordance, brierSkill, logLoss, calibrationError, actualToExpected } =
          proof.before.measures;
        const pairs = all
          .filter(({ failed }) => failed)
          .flatMap((a) => all.filter(({ failed }) => !failed).map((b) => Math.sign(a.before - b.before)));
        if (pairs.length === 0) expect(concordance).toBeNull();
        else
          expect(concordance!).toBeCloseTo(
            pairs.reduce((sum, sign) => sum + (sign + 1) / 2, 0) / pairs.length,
            9,
          );
        if (all.length === 0) return;
        const mean = (value: (f: FailureForecast) => number) =>
          all.reduce((sum, f) => sum + value(f), 0) / all.length;
        const share = mean((f) => Number(f.failed));
        if (share > 0 && share < 1)
          expect(brierSkill!).toBeCloseTo(
            1 - mean((f) => (f.before - Number(f.failed)) ** 2) / (share * (1 - share)),
            6,
          );
        const held = (p: number) => Math.min(1 - 1e-9, Math.max(1e-9, p));
        expect(logLoss!).toBeCloseTo(
          mean((f) => -Math.log(f.failed ? held(f.before) : 1 - held(f.before))),
          6,
        );
        const bins = [...Map.groupBy(all, (f) => Math.min(9, Math.floor(held(f.before) * 10))).values()];
        const error = bins.reduce(
          (sum, bin) => sum + Math.abs(bin.reduce((gap, f) => gap + f.before - Number(f.failed), 0)),
          0,
        );
        expect(calibrationError!).toBeCloseTo(error / all.length, 6);
        const expected = all.reduce((sum, f) => sum + held(f.before), 0);
        expect(actualToExpected!).toBeCloseTo((share * all.length) / expected, 6);
      }),
      { numRuns: 30 },
    );
  });

  test("does not depend on the order of properties and components", () => {
    fc.assert(
      fc.property(fc.array(fc.array(forecast, { maxLength: 6 }), { maxLength: 8 }), (properties) => {
        const other = properties.map((list) => [...list].reverse()).reverse();
        expect(JSON.stringify(proofOf(other))).toBe(JSON.stringify(proofOf(properties)));
      }),
      { numRuns: 30 },
    );
  });

  test("calls the calibrated model better only if chance does not explain it", () => {
    const random = seededRandom(3);
    const fleet = (properties: number, skill: number): FailureForecast[][] =>
      Array.from({ length: properties }, () =>
        Array.from({ length: 20 }, () => {
          const risk = random() < 0.2 ? 0.4 : 0.02;
          return { before: 0.1, after: skill * risk + (1 - skill) * 0.1, failed: random() < risk };
        }),
      );
    expect(proofOf(fleet(200, 0.9))).toMatchObject({ better: true });
    expect(proofOf(fleet(200, 0))).toMatchObject({
      better: false,
      logLossDifference: { mean: 0, low: 0, high: 0 },
    });
    const few = proofOf(
      fleet(6, 0).map((list) => list.map((one) => ({ ...one, after: 0.05 + 0.1 * random() }))),
    );
    expect(few.better).toBe(false);
    expect(few.logLossDifference!.low).toBeLessThan(few.logLossDifference!.high);
  });

  test("has intervals that contain the measure, and narrow as the fleet grows", () => {
    const random = seededRandom(5);
    const fleet = (properties: number) =>
      proofOf(
        Array.from({ length: properties }, () =>
          Array.from({ length: 10 }, () => {
            const before = random() / 2;
            return { before, after: before, failed: random() < before };
          }),
        ),
      ).before;
    const [small, large] = [fleet(20), fleet(500)];
    for (const name of ["concordance", "brierSkill", "logLoss"] as const) {
      const width = ({ intervals }: typeof small) => intervals[name]!.high - intervals[name]!.low;
      expect(small.intervals[name]!.low).toBeLessThan(small.measures[name]!);
      expect(small.intervals[name]!.high).toBeGreaterThan(small.measures[name]!);
      expect(width(large)).toBeLessThan(width(small) / 2);
    }
    const held = large.bins
      .slice(0, 5)
      .filter(({ forecast, interval }) => interval!.low <= forecast! && forecast! <= interval!.high);
    expect(held.length).toBeGreaterThanOrEqual(3);
  });
});

// Rule: calibration-proof
test("intervals of five properties hold what was true in nine of ten years", () => {
  const random = seededRandom(5);
  const held = { actualToExpected: 0, logLossDifference: 0 };
  const years = 200;
  // A component fails with a probability of 0.16, as before forecasts; after differs from it by chance.
  const lossOf = (forecast: number) => -0.16 * Math.log(forecast) - 0.84 * Math.log(1 - forecast);
  const after = Array.from({ length: 1000 }, (_, at) => lossOf(0.12 + (0.08 * (at + 0.5)) / 1000));
  const difference = after.reduce((sum, loss) => sum + loss, 0) / 1000 - lossOf(0.16);
  for (let year = 0; year < years; year++) {
    const fleet = Array.from({ length: 5 }, () =>
      Array.from({ length: 40 }, (): FailureForecast => {
        const [risk, before, after] = [random() < 0.3 ? 0.3 : 0.1, 0.16, 0.12 + 0.08 * random()];
        return { before, after, failed: random() < risk };
      }),
    );
    const proof = proofOf(fleet);
    const ratio = proof.before.intervals.actualToExpected!;
    if (ratio.low <= 1 && ratio.high >= 1) held.actualToExpected++;
    const { low, high } = proof.logLossDifference!;
    if (low <= difference && high >= difference) held.logLossDifference++;
  }
  for (const share of Object.values(held)) expect(share / years).toBeWithin(0.86, 0.95);
});

test("a bin without a failure, or of one property, has no interval", () => {
  const property = (nth: number) => [
    ...Array.from({ length: 3 }, () => ({ before: 0.05, after: 0.05, failed: false })),
    { before: 0.55, after: 0.55, failed: nth % 2 === 0 },
    ...(nth === 0 ? [true, false].map((failed) => ({ before: 0.95, after: 0.95, failed })) : []),
  ];
  const { bins } = proofOf(Array.from({ length: 8 }, (_, nth) => property(nth))).before;
  expect([bins[0]!.outcome, bins[0]!.interval]).toEqual([0, null]);
  expect([bins[9]!.outcome, bins[9]!.interval]).toEqual([0.5, null]);
  expect(bins[5]!.interval!.low).toBeLessThan(bins[5]!.interval!.high);
});

// Rule: calibration-proof
test("fewer than five properties prove nothing, however much better the forecast", () => {
  const property = Array.from({ length: 50 }, (_, at) => ({ before: 0.5, after: at / 49, failed: at > 24 }));
  expect(proofOf(Array.from({ length: 5 }, () => property)).better).toBe(true);
  const few = proofOf(Array.from({ length: 4 }, () => property));
  expect(few).toMatchObject({ better: false, logLossDifference: null });
  expect(few.after.intervals.actualToExpected).toBeNull();
});

const def = knowledge.component("wh_gas_tank");
const scale = scaleFromMedian(def.medianLifeYears, def.weibullShape);
const life = (given: Partial<LifeOnRecord>): LifeOnRecord => ({
  defId: def.id,
  componentId: "C",
  applianceId: "A",
  system: def.system,
  division: "pacific",
  scale,
  shape: def.weibullShape,
  rate: 1,
  from: 0,
  until: 0,
  entryAge: 0,
  accrued: 0,
  pastIsUnknown: false,
  failed: true,
  years: [],
  ...given,
});

describe("the ends of lives", () => {
  test("are uniform over the prior if the model is right, and not if its lives are too long", () => {
    const random = seededRandom(11);
    const lives = Array.from({ length: 4000 }, () => {
      const dies = scale * (-Math.log(1 - random())) ** (1 / def.weibullShape);
      const seen = 25 * random();
      return life({ accrued: Math.min(dies, seen), failed: dies <= seen });
    });
    expect(runSteps(dCalibrationInSteps(lives, undefined)).chiSquared).toBeLessThan(16.919);
    const longer = lives.map((one) => ({ ...one, scale: one.scale * 1.4 }));
    expect(runSteps(dCalibrationInSteps(longer, undefined)).chiSquared).toBeGreaterThan(100);
  });

  test("give the Kaplan–Meier curve, with parts at risk from the start of their record", () => {
    const ages = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const lives = [
      ...ages.map((accrued) => life({ accrued })),
      life({ entryAge: 5.5, accrued: 20, failed: false }),
      life({ accrued: 40, pastIsUnknown: true }),
    ];
    const curve = survivalCurve(def, lives)!;
    expect(curve).toMatchObject({ lives: 11, failures: 10 });
    expect(curve.steps.map(({ atRisk }) => atRisk)).toEqual([10, 9, 8, 7, 6, 6, 5, 4, 3, 2]);
    expect(curve.steps[4]!.survival).toBeCloseTo(0.5, 12);
    expect(curve.steps[5]!.survival).toBeCloseTo((0.5 * 5) / 6, 12);
    for (const { survival, band } of curve.steps) {
      expect(band.low).toBeLessThan(survival);
      expect(band.high).toBeGreaterThan(survival);
    }
    expect(survivalCurve(def, lives.slice(1))).toBeUndefined();
  });
});
