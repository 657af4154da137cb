import { describe, expect, test } from "bun:test";
import { countInterval } from "../../bench/validation/count-interval.ts";
import { forecastYear, type Main, RECORD_BEGINS } from "../../bench/validation/water-mains.ts";
import { fitYearVariance } from "../../bench/validation/year-variance.ts";
import { seededRandom } from "../../src/domain/statistics/seeded-random.ts";
import { scaleFromMedian } from "../../src/domain/statistics/weibull-distribution.ts";
import { DAYS_PER_YEAR, dayNumber } from "../../src/domain/time.ts";

/** A city whose mains break by a known law, a third of them ten times as often as the others. */
function simulatedCity(count: number, shape: number): Main[] {
  const random = seededRandom(7);
  const ends = dayNumber("2024-06-01");
  return Array.from({ length: count }, (_, i) => {
    const installedOn = dayNumber("1890-01-01") + Math.floor(random() * 60 * DAYS_PER_YEAR);
    const frailty = i % 3 === 0 ? 2.5 : 0.25;
    const scale = scaleFromMedian(100, shape);
    const breaks: number[] = [];
    let hazard = 0;
    for (;;) {
      hazard -= Math.log(random()) / frailty;
      const day = Math.floor(installedOn + scale * hazard ** (1 / shape) * DAYS_PER_YEAR);
      if (day >= ends) break;
      if (day >= RECORD_BEGINS) breaks.push(day);
    }
    return { id: `M${i}`, road: `R${i % 200}`, material: "CI", installedOn, lastSeenOn: ends, breaks };
  });
}

describe("the validation on water mains", () => {
  test("forecasts a city that breaks by the law that it assumes", () => {
    const { breaks, models, intervalWithYears } = forecastYear(simulatedCity(4000, 3), "2022-01-24");
    const own = models.at(-1)!;
    expect(own.expected).toBeGreaterThan(breaks * 0.85);
    expect(own.expected).toBeLessThan(breaks * 1.15);
    expect(breaks).toBeGreaterThanOrEqual(intervalWithYears.low);
    expect(breaks).toBeLessThanOrEqual(intervalWithYears.high);
    expect(own.proof.better).toBe(true);
    expect(own.proof.after.measures.concordance!).toBeGreaterThan(
      own.proof.before.measures.concordance! + 0.05,
    );
  });

  test("expects too many breaks where hazards rise more slowly than it assumes", () => {
    const { breaks, models } = forecastYear(simulatedCity(4000, 1.2), "2022-01-24");
    expect(models.at(-1)!.expected).toBeGreaterThan(breaks * 1.15);
    expect(models.at(-1)!.proof.after.measures.actualToExpected!).toBeLessThan(0.9);
  });
});

describe("the interval of a count", () => {
  test("is that of the Poisson distribution without more variance", () => {
    // A Poisson count with mean 100: 5% lie below 84 and 5% above 117.
    expect(countInterval(100, 100)).toEqual({ low: 84, high: 117 });
  });

  test("widens with the variance", () => {
    const { low, high } = countInterval(100, 100 + 0.04 * 100 ** 2);
    expect(low).toBeLessThan(70);
    expect(high).toBeGreaterThan(132);
  });
});

test("the year factor's variance is found in years that vary by it, and is small in years that do not", () => {
  const expected = 100;
  const varied = [60, 130, 95, 75, 140, 110, 65, 120, 90, 115].map((failures) => ({ failures, expected }));
  const even = [97, 103, 100, 99, 101, 98, 102, 100, 96, 104].map((failures) => ({ failures, expected }));
  expect(fitYearVariance(varied)).toBeGreaterThan(0.04);
  expect(fitYearVariance(varied)).toBeLessThan(0.12);
  expect(fitYearVariance(even)).toBeLessThan(0.01);
});
