import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  failureWindow,
  failureWindowSurvival,
  WINDOW_TAIL,
} from "../../../src/domain/scoring/failure-window.ts";
import { failureProbability, type Outlook } from "../../../src/domain/scoring/outlook.ts";
import { knowledge } from "./histories.ts";

const { model } = knowledge;
const certain = { ...model, lifeError: { book: 0, calibrated: 0 } };

const outlook: fc.Arbitrary<Outlook> = fc.record({
  scaleYears: fc.double({ min: 1, max: 120, noNaN: true }),
  weibullShape: fc.double({ min: 0.8, max: 6, noNaN: true }),
  effectiveAgeYears: fc.double({ min: 0, max: 100, noNaN: true }),
  rate: fc.double({ min: 0.5, max: 2.5, noNaN: true }),
  hazardRatio: fc.double({ min: 0.1, max: 10, noNaN: true }),
  acuteHazard: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 2, noNaN: true })),
});
/** Ages that are possible: at most that which one in a thousand reaches. */
const possible = outlook.filter(
  ({ scaleYears, weibullShape, effectiveAgeYears }) => (effectiveAgeYears / scaleYears) ** weibullShape < 6.9,
);

const NODES = [0, 1.35562617997427, -1.35562617997427, 2.85697001387281, -2.85697001387281];
const WEIGHTS = [8 / 15, 0.222075922005613, 0.222075922005613, 0.0112574113277207, 0.0112574113277207];
const sumOf = (term: (node: number) => number) =>
  NODES.reduce((sum, z, node) => sum + WEIGHTS[node]! * term(z), 0);

/** Returns the survival as the documentation states it, summed node by node. */
function documentedSurvival(given: Outlook, error: number, days: number): number {
  const { scaleYears, weibullShape, effectiveAgeYears, rate, hazardRatio, acuteHazard } = given;
  const hazard = (age: number, z: number) => (age / (scaleYears * Math.exp(error * z))) ** weibullShape;
  const spent = (z: number) => hazard(effectiveAgeYears, z);
  const added = (z: number) => hazard(effectiveAgeYears + (rate * days) / 365.25, z) - spent(z);
  const acute = acuteHazard * Math.min(1, days / 90);
  return (
    sumOf((z) => Math.exp(-spent(z) - hazardRatio * added(z) - acute)) / sumOf((z) => Math.exp(-spent(z)))
  );
}

describe("the failure window", () => {
  // Rule: failure-window
  test("has the days at which the documented survival has its levels, to a thousandth of a day", () => {
    let [inSpan, open] = [0, 0];
    const isAt = (days: number, level: number, given: Outlook, error: number) => {
      expect(documentedSurvival(given, error, days - 0.001)).toBeGreaterThan(level);
      expect(documentedSurvival(given, error, days + 0.001)).toBeLessThan(level);
      if (days < 90 && given.acuteHazard > 0) inSpan++;
    };
    fc.assert(
      fc.property(possible, fc.boolean(), (given, isCalibrated) => {
        const { earliestDays, latestDays } = failureWindow(given, isCalibrated, model);
        const error = isCalibrated ? model.lifeError.calibrated : model.lifeError.book;
        if (earliestDays < 36_525) isAt(earliestDays, 1 - WINDOW_TAIL, given, error);
        else expect(documentedSurvival(given, error, 36_525)).toBeGreaterThan(1 - WINDOW_TAIL - 1e-9);
        if (latestDays !== null) isAt(latestDays, WINDOW_TAIL, given, error);
        else {
          open++;
          expect(documentedSurvival(given, error, 36_525)).toBeGreaterThan(WINDOW_TAIL - 1e-9);
        }
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(inSpan, open)).toBeGreaterThan(10);
  });

  // Rule: failure-window
  test("leaves a tenth of failures on either side where the life is certain", () => {
    fc.assert(
      fc.property(possible, (given) => {
        const { earliestDays, latestDays } = failureWindow(given, false, certain);
        const within = (days: number) => failureProbability(given, days, model);
        if (earliestDays < 36_525) expect(within(earliestDays)).toBeCloseTo(0.1, 4);
        if (latestDays !== null) expect(within(latestDays)).toBeCloseTo(0.9, 4);
        else expect(within(36_525)).toBeLessThan(0.9);
      }),
    );
  });

  test("ends where the survival over the error of the life has its levels", () => {
    fc.assert(
      fc.property(possible, fc.boolean(), (given, isCalibrated) => {
        const { earliestDays, latestDays } = failureWindow(given, isCalibrated, model);
        const survival = failureWindowSurvival(given, isCalibrated, model);
        if (earliestDays < 36_525) expect(survival(earliestDays)).toBeCloseTo(1 - WINDOW_TAIL, 6);
        if (latestDays !== null) expect(survival(latestDays)).toBeCloseTo(WINDOW_TAIL, 6);
        else expect(survival(36_525)).toBeGreaterThan(WINDOW_TAIL - 1e-6);
      }),
    );
  });

  test("is in order, and wider with the lives of the knowledge base than with calibrated ones for a new part", () => {
    fc.assert(
      fc.property(possible, (given) => {
        const fresh = { ...given, effectiveAgeYears: 0, acuteHazard: 0 };
        const book = failureWindow(fresh, false, model);
        const calibrated = failureWindow(fresh, true, model);
        expect(book.latestDays ?? Number.POSITIVE_INFINITY).toBeGreaterThan(book.earliestDays);
        expect(book.earliestDays).toBeLessThanOrEqual(calibrated.earliestDays);
        expect(book.latestDays ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(
          calibrated.latestDays ?? Number.POSITIVE_INFINITY,
        );
      }),
    );
  });

  test("is open at the end beyond a hundred years", () => {
    const pipe = {
      scaleYears: 120,
      weibullShape: 3,
      effectiveAgeYears: 0,
      rate: 0.8,
      hazardRatio: 0.5,
      acuteHazard: 0,
    };
    expect(failureWindow(pipe, false, model).latestDays).toBeNull();
  });
});
