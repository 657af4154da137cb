import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { FORECAST_DAYS, ForecastAccumulator } from "../../../src/domain/figures/forecast.ts";
import {
  failureProbabilityWithin,
  scoredComponentAgedScore,
} from "../../../src/domain/scoring/score-projections.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { aged, anyComponents, gather, knowledge, part, prices } from "./components.ts";

type Component = ReturnType<typeof part>;

function forecastWithin(components: readonly Component[], days: number) {
  const gatherer = new ForecastAccumulator<Component>(prices, days);
  const add = (component: Component) => gatherer.add(component, () => component);
  gather({ add }, components);
  const { items, ...costs } = runSteps(gatherer.window());
  return { items: items.map(({ item, ...rest }) => ({ component: item, ...rest })), ...costs };
}

const windows = (component: ReturnType<typeof part>) =>
  [30, 60, 90].map((days) => forecastWithin([component], days).items.length);

describe("a forecast window", () => {
  // Rule: forecast-windows
  test("contains what is CRITICAL now", () => {
    expect(windows(part("boiler_burner", 78))).toEqual([1, 1, 1]);
    expect(windows(part("boiler_burner", 77))).toEqual([0, 0, 0]);
  });

  // Rule: forecast-windows
  test("contains what becomes CRITICAL through aging alone", () => {
    // A burner of 48.866893 years: 0.7737 now, 0.7746 in 30 days, 0.7754 in 60, which rounds to 0.78
    const aging = aged("boiler_burner", 48.86689287521485);
    expect(aging.riskTier).toBe("WARNING");
    expect(windows(aging)).toEqual([0, 1, 1]);
  });

  // Rule: forecast-windows
  test("contains what fails within it with a probability of 0.25, whatever its tier", () => {
    // Acute hazards alone: 1 - exp(-0.289 · days / 90) is 0.0918, 0.1752 and 0.2510
    const alarmed = aged("boiler_burner", 0, { acuteHazard: 0.289 });
    expect(alarmed).toMatchObject({ riskScore: 76, riskTier: "WARNING" });
    expect(windows(alarmed)).toEqual([0, 0, 1]);
    const [item] = forecastWithin([alarmed], 90).items;
    expect(item!.failureProbability).toBeCloseTo(0.251, 4);
  });

  test("sums up the planned cost of its components and their cost after failure", () => {
    const components = [
      part("boiler_burner", 80),
      part("boiler_circulator", 51),
      part("boiler_controls", 99),
    ];
    const { items, expected, ...costs } = forecastWithin(components, 30);
    expect(items.map(({ component }) => component.defId)).toEqual(["boiler_controls", "boiler_burner"]);
    expect(costs).toEqual({ proactiveCents: 420_000, reactiveCents: 744_000 });
    expect(expected.failures).toBeGreaterThan(0);
  });

  // Rule: expected-cost
  test("expects the failures of all components, listed or not", () => {
    const sound = part("boiler_circulator", 0, { acuteHazard: 0.1 });
    const { items, expected } = forecastWithin([sound], 90);
    expect(items).toEqual([]);
    const probability = failureProbabilityWithin(knowledge, sound, sound.brandTier, 90);
    expect(expected.failures).toBeCloseTo(probability, 9);
    expect(expected.mean).toBeCloseTo(probability * 152_000, 4);
  });

  test("lists the highest score first, and of equal scores the most likely to fail", () => {
    const some = [1, 3, 2].map((hazardRatio) =>
      part("boiler_burner", 90, { id: `C_${hazardRatio}`, effectiveAgeYears: 20, hazardRatio }),
    );
    const low = part("boiler_circulator", 80);
    const { items } = forecastWithin([low, ...some], 30);
    expect(items.map(({ component }) => component.id)).toEqual(["C_3", "C_2", "C_1", low.id]);
  });

  test("contains all of a shorter one, at no lower probability", () => {
    fc.assert(
      fc.property(anyComponents, (components) => {
        const [month, two, three] = FORECAST_DAYS.map((days) => forecastWithin(components, days));
        for (const [shorter, longer] of [
          [month!, two!],
          [two!, three!],
        ] as const) {
          const later = new Map(longer.items.map((item) => [item.component.id, item.failureProbability]));
          for (const { component, failureProbability } of shorter.items)
            expect(later.get(component.id)).toBeGreaterThanOrEqual(failureProbability);
          expect(longer.proactiveCents).toBeGreaterThanOrEqual(shorter.proactiveCents);
          expect(longer.reactiveCents).toBeGreaterThanOrEqual(shorter.reactiveCents);
        }
      }),
    );
  });

  test("contains every CRITICAL component, and nothing that is neither CRITICAL by then nor likely to fail", () => {
    fc.assert(
      fc.property(anyComponents, fc.constantFrom(...FORECAST_DAYS), (components, days) => {
        const { items } = forecastWithin(components, days);
        const held = new Set(items.map((item) => item.component.id));
        for (const { id, riskTier } of components)
          if (riskTier === "CRITICAL") expect(held.has(id)).toBe(true);
        for (const { component, failureProbability } of items) {
          if (component.riskTier === "CRITICAL" || failureProbability >= 0.25) continue;
          expect(
            scoredComponentAgedScore(knowledge, component, component.brandTier, days),
          ).toBeGreaterThanOrEqual(0.78);
        }
      }),
    );
  });
});
