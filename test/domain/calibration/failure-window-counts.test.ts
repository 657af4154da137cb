import { expect, test } from "bun:test";
import { WindowCounts } from "../../../src/domain/calibration/failure-window-counts.ts";
import { failureWindow, failureWindowSurvival } from "../../../src/domain/scoring/failure-window.ts";
import { seededRandom } from "../../../src/domain/statistics/seeded-random.ts";
import { knowledge } from "../scoring/histories.ts";

const YEAR = 365;
const outlookAt = (effectiveAgeYears: number) => ({
  scaleYears: 10,
  weibullShape: 3,
  effectiveAgeYears,
  rate: 1,
  hazardRatio: 8,
  acuteHazard: 0.05,
});

// Rule: calibration-windows
test("a tenth of components that fail as forecast miss their window on either side", () => {
  const random = seededRandom(7);
  const counts = new WindowCounts();
  for (let nth = 0; nth < 20_000; nth++) {
    const survivalAt = failureWindowSurvival(outlookAt(10 + 30 * random()), true, knowledge.model);
    const chance = random();
    let [low, high] = [0, YEAR];
    if (survivalAt(YEAR) < chance)
      while (high - low > 0.01) {
        const middle = (low + high) / 2;
        if (survivalAt(middle) > chance) low = middle;
        else high = middle;
      }
    counts.add(survivalAt, YEAR, survivalAt(YEAR) < chance ? high : null);
  }
  const { begun, early, ended, late } = counts.outcomes;
  expect(begun).toBeGreaterThan(10_000);
  expect(ended).toBeGreaterThan(2_000);
  expect(Math.abs(early / begun - 0.1)).toBeLessThan(0.01);
  expect(Math.abs(late / ended - 0.1)).toBeLessThan(0.02);
});

test("the counted window is the one that answers have", () => {
  const outlook = outlookAt(30);
  const { earliestDays, latestDays } = failureWindow(outlook, true, knowledge.model);
  const survivalAt = failureWindowSurvival(outlook, true, knowledge.model);
  const outcomesOf = (followUpDays: number, failedAfterDays: number | null) => {
    const counts = new WindowCounts();
    counts.add(survivalAt, followUpDays, failedAfterDays);
    return Object.values(counts.outcomes);
  };
  expect(outcomesOf(earliestDays - 1, null)).toEqual([0, 0, 0, 0]);
  expect(outcomesOf(earliestDays + 1, earliestDays - 1)).toEqual([1, 1, 0, 0]);
  expect(outcomesOf(latestDays! + 1, earliestDays + 1)).toEqual([1, 0, 1, 0]);
  expect(outcomesOf(latestDays! + 1, latestDays! + 0.5)).toEqual([1, 0, 1, 1]);
  expect(outcomesOf(latestDays! + 1, null)).toEqual([1, 0, 1, 1]);
});
