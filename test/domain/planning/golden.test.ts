import { describe, expect, test } from "bun:test";
import { planAppliance, scheduleAppliance } from "../../../src/domain/planning/appliance-plan.ts";
import { addYearlyCosts, emptyYearlyCosts } from "../../../src/domain/planning/cost-schedule.ts";
import {
  addVarianceOfScheduledCosts,
  costVarianceByYear,
  emptyVarianceSums,
} from "../../../src/domain/planning/cost-variance.ts";
import { levelDepositOf } from "../../../src/domain/planning/level-deposit.ts";
import type { PartInPlace } from "../../../src/domain/planning/part-in-place.ts";
import type { PlanCaches } from "../../../src/domain/planning/plan.ts";
import { failureProbability } from "../../../src/domain/scoring/outlook.ts";
import { ageYears } from "../../../src/domain/scoring/virtual-age.ts";
import plans from "../../fixtures/golden-plans.json" with { type: "json" };
import { goldenCases, goldenHistory, scoreGolden } from "../scoring/golden.ts";
import { knowledge } from "../scoring/histories.ts";

type GoldenProperty = Parameters<typeof scoreGolden>[0]["property"];

const caches: PlanCaches = { parts: new Map(), units: new Map() };

/** Returns the plans of a case's appliances, at the costs of the knowledge base. */
function planGolden(golden: { as_of: string; property: GoldenProperty }) {
  const scores = scoreGolden(golden);
  return goldenHistory(golden).appliances.map((appliance) => {
    const { whole, replacementCents } = knowledge.type(appliance.typeId);
    const defs = appliance.components.map(({ defId }) => knowledge.component(defId));
    const parts = appliance.components.map(({ id, defId }): PartInPlace => {
      const def = knowledge.component(defId);
      const score = scores.get(id)!;
      const { working } = score;
      const ageYears = score.effectiveAgeYears / score.rate;
      return {
        shape: def.weibullShape,
        scaleYears: score.scaleYears / score.rate,
        plannedCents: def.proactiveCents,
        failureCents: def.reactiveCents,
        fixedLifeYears: def.fixedLifeYears,
        safety: def.safety,
        ageYears,
        labelAgeYears: working!.life.unknownPastYears === undefined ? score.ageYears : ageYears,
        hazardRatio: score.hazardRatio,
        failureProbability: failureProbability(
          { ...score, weibullShape: def.weibullShape },
          365.25,
          knowledge.model,
        ),
      };
    });
    const principal = whole?.principal ? defs.findIndex(({ id }) => id === whole.principal!.defId) : null;
    const damage = principal === null ? null : defs[principal]!.damage;
    const replaced = appliance.events
      .filter(({ eventType, componentId }) => eventType === "Replacement" && componentId === null)
      .map(({ date }) => date)
      .sort();
    return planAppliance(
      parts,
      whole && {
        priceCents: replacementCents,
        failedPriceCents:
          (whole.principal?.emergencyCents ?? replacementCents) +
          (damage ? damage.probability * damage.cents : 0),
        principal,
        lifeYears: whole.lifeYears,
        calendarAgeYears: ageYears(
          { installYear: appliance.installYear, lastReplaced: replaced.at(-1) ?? null },
          golden.as_of,
        ),
      },
      caches,
    );
  });
}

describe("an independent implementation's plans are reproduced", () => {
  // Rule: plan-golden
  for (const golden of plans)
    test(`${golden.name}, ${golden.components.length} components over ${golden.years} years`, () => {
      const { property = goldenCases.find(({ name }) => name === golden.name)!.property } = golden as {
        property?: GoldenProperty;
      };
      const planned = planGolden({ as_of: golden.as_of, property });
      const sums = emptyYearlyCosts(golden.years);
      const variance = emptyVarianceSums(golden.years);
      let dueCents = 0;
      for (const [index, appliance] of planned.entries()) {
        const { unit, parts } = appliance;
        const ofAppliance = golden.components.filter(({ appliance }) => appliance === index);
        expect(parts.length).toBe(ofAppliance.length);
        for (const [at, expected] of ofAppliance.entries()) {
          const part = parts[at]!;
          expect(part.policy).toBe(expected.policy as typeof part.policy);
          expect(part.dueInYears === null).toBe(expected.wait_years === null);
          expectNear(part.dueInYears ?? 0, expected.wait_years ?? 0, 1e-6);
          expectDollars(part.waitingCents, expected.cost_of_waiting_a_year);
          if (part.policy === "replace_now" && !unit) dueCents += part.part.plannedCents;
        }
        const expected = golden.units.find(({ appliance }) => appliance === index);
        expect(unit === null).toBe(expected === undefined);
        if (unit && expected) {
          expectNear(unit.bestAgeMonths / 12, expected.optimal_age_years, 1e-6);
          expect(unit.dueInMonths === null).toBe(expected.wait_years === null);
          expectNear((unit.dueInMonths ?? 0) / 12, expected.wait_years ?? 0, 1e-6);
          expectDollars(unit.yearlyCents, expected.yearly_cost);
          expectDollars(unit.waitingCents, expected.cost_of_waiting_a_year);
          expectDollars(unit.unit.priceCents, expected.price);
          expectDollars(unit.unit.failedPriceCents, expected.failed_price);
          if (unit.dueInMonths === 0) dueCents += unit.unit.priceCents;
        }
        const schedule = scheduleAppliance(appliance, golden.years);
        for (const own of [schedule.unit, ...schedule.parts]) {
          if (!own) continue;
          addYearlyCosts(sums, own);
          addVarianceOfScheduledCosts(variance, own);
        }
      }
      expectDollars(dueCents, golden.due_now);
      for (let year = 0; year < golden.years; year++) {
        expectDollars(sums.planned[year]!, golden.planned[year]!);
        expectDollars(sums.failures[year]!, golden.failures[year]!);
        expectDollars(sums.repairs[year]!, golden.repairs[year]!);
        expectDollars(sums.runToFailure[year]!, golden.run_to_failure[year]!);
      }
      const { inflation } = golden;
      const cents = Array.from(
        sums.planned,
        (planned, year) =>
          (planned + sums.failures[year]!) * (1 + inflation) ** year - (year === 0 ? dueCents : 0),
      );
      const depositAt = (funding: { openingCents: number; interest: number; minimumCents: number }) =>
        levelDepositOf(
          {
            cents,
            variance: costVarianceByYear(variance, golden.years, inflation, funding.interest),
            costError: cents.map(() => 0),
          },
          { ...funding, depositGrowth: 0 },
        );
      const plain = depositAt({ openingCents: 0, interest: 0, minimumCents: 0 });
      const funded = depositAt({ openingCents: 500_000, interest: 0.02, minimumCents: 100_000 });
      for (const confidence of ["50", "80", "95"] as const) {
        const level = Number(confidence) as 50 | 80 | 95;
        expectDollars(plain[level].noise, golden.level_deposit[confidence]);
        expectDollars(
          funded[level].noise,
          golden.level_deposit_with_balance_5000_interest_2_floor_1000[confidence],
        );
        expect(plain[level].withCostError).toBeCloseTo(plain[level].noise, 6);
      }
    });
});

const expectDollars = (cents: number, usd: number) => expectNear(cents / 100, usd, 0.01);

function expectNear(actual: number, expected: number, tolerance: number): void {
  expect(Math.abs(actual - expected)).toBeLessThan(tolerance);
}
