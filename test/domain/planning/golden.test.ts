import { describe, expect, test } from "bun:test";
import { capitalPlanOf } from "../../../src/domain/planning/capital-plan.ts";
import { planPart } from "../../../src/domain/planning/plan.ts";
import type { NewPart } from "../../../src/domain/planning/renewals.ts";
import { emptyYearlyCosts } from "../../../src/domain/planning/schedule.ts";
import { failureProbability } from "../../../src/domain/scoring/outlook.ts";
import costsAfterFailure from "../../fixtures/golden-plan-costs.json" with { type: "json" };
import plans from "../../fixtures/golden-plans.json" with { type: "json" };
import { goldenCases, scoreGolden } from "../scoring/golden.ts";
import { knowledge } from "../scoring/histories.ts";

describe("an independent implementation's plans are reproduced", () => {
  // Rule: plan-golden
  // The expected plans rest on costs after failure that the knowledge base had before it told damage apart.
  for (const golden of plans)
    test(`${golden.name}, ${golden.components.length} components`, () => {
      const found = scoreGolden(goldenCases.find(({ name }) => name === golden.name)!);
      const known = new Map<string, NewPart>();
      const sums = emptyYearlyCosts(golden.years);
      for (const expected of golden.components) {
        const score = found.get(`${expected.appliance}/${expected.component_def_id}`)!;
        const defId = expected.component_def_id as keyof typeof costsAfterFailure;
        const { weibullShape, proactiveCents } = knowledge.component(defId);
        const part = {
          shape: weibullShape,
          scaleYears: score.scaleYears / score.rate,
          plannedCents: proactiveCents,
          failureCents: costsAfterFailure[defId] * 100,
          ageYears: score.effectiveAgeYears / score.rate,
          hazardRatio: score.hazardRatio,
          failureProbability: failureProbability({ ...score, weibullShape }, 365.25, knowledge.model),
        };
        const plan = planPart(part, known, sums);
        expect(plan.dueInYears === null).toBe(expected.wait_years === null);
        expect(plan.bestAgeMonths === null).toBe(expected.optimal_age_years === null);
        expectNear(plan.bestAgeMonths! / 12, expected.optimal_age_years ?? 0, 1e-6);
        expectNear(plan.dueInYears!, expected.wait_years ?? 0, 1e-6);
        expectDollars(plan.yearlyCents, expected.yearly_cost);
        expectDollars(plan.yearlyCentsRunToFailure, expected.yearly_cost_run_to_failure);
        expectDollars(plan.waitingCents, expected.cost_of_waiting_a_year);
      }
      for (let year = 0; year < golden.years; year++) {
        expectDollars(sums.planned[year]!, golden.planned[year]!);
        expectDollars(sums.failures[year]!, golden.failed[year]!);
        expectDollars(sums.runToFailure[year]!, golden.run_to_failure[year]!);
      }
      const { levelDeposit } = capitalPlanOf(sums, golden.inflation);
      expectDollars(levelDeposit[50], golden.level_deposit["50"]);
      expectDollars(levelDeposit[80], golden.level_deposit["80"]);
      expectDollars(levelDeposit[95], golden.level_deposit["95"]);
    });
});

const expectDollars = (cents: number, usd: number) => expectNear(cents / 100, usd, 0.01);

function expectNear(actual: number, expected: number, tolerance: number): void {
  expect(Math.abs(actual - expected)).toBeLessThan(tolerance);
}
