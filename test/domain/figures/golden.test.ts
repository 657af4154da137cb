import { describe, expect, test } from "bun:test";
import { ExpectedCostAccumulator } from "../../../src/domain/figures/expected-cost.ts";
import { failureCostOf } from "../../../src/domain/figures/failure-cost.ts";
import { failureWindow } from "../../../src/domain/scoring/failure-window.ts";
import { failureProbability } from "../../../src/domain/scoring/outlook.ts";
import cases from "../../fixtures/golden-figures.json" with { type: "json" };
import { scoreGolden } from "../scoring/golden.ts";
import { knowledge, part, prices } from "./components.ts";

describe("an independent implementation's figures are reproduced", () => {
  // Rule: golden-figures
  for (const golden of cases)
    test(`${golden.name}, ${golden.expected.length} components`, () => {
      const found = scoreGolden(golden);
      expect(found.size).toBe(golden.expected.length);
      const outlooks = golden.expected.map((expected) => {
        const score = found.get(`${expected.appliance}/${expected.component_def_id}`)!;
        const def = knowledge.component(expected.component_def_id);
        const outlook = { ...score, weibullShape: def.weibullShape };
        expectNear(score.prior, expected.prior, 1e-6);
        expectNear(score.hazardRatio, expected.hazard_ratio, 1e-6);
        expect(score.riskScore).toBe(expected.risk_score);
        expectNear(
          failureProbability(outlook, 365, knowledge.model),
          expected.failure_probability_365d,
          1e-6,
        );
        const window = failureWindow(outlook, false, knowledge.model);
        const [earliest, latest] = expected.window_80_days;
        expectNear(window.earliestDays, earliest!, 0.1);
        if (latest === null) expect(window.latestDays).toBeNull();
        else expectNear(window.latestDays!, latest!, 0.1);
        return { outlook, def };
      });
      for (const [days, expected] of Object.entries(golden.forecast)) {
        const sum = new ExpectedCostAccumulator();
        for (const { outlook, def } of outlooks)
          sum.add(
            failureProbability(outlook, Number(days), knowledge.model),
            failureCostOf(prices.ofComponent(part(def.id, 0)), knowledge.lossClass(def.system)),
          );
        const { failures, mean, low, high } = sum.expected;
        expectNear(failures, expected.expected_failures, 1e-6);
        expectNear(mean / 100, expected.expected_cost, 0.01);
        expectNear(low / 100, expected.expected_cost_80[0]!, 0.01);
        expectNear(high / 100, expected.expected_cost_80[1]!, 0.01);
      }
    });
});

function expectNear(actual: number, expected: number, tolerance: number): void {
  expect(Math.abs(actual - expected)).toBeLessThan(tolerance);
}
