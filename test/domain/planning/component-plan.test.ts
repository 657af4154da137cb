import { describe, expect, test } from "bun:test";
import { dueOn, type Plannable, partOf, planComponent } from "../../../src/domain/planning/component-plan.ts";
import { lifespanYearsOf } from "../../../src/domain/planning/part.ts";
import { emptyYearlyCosts } from "../../../src/domain/planning/schedule.ts";
import { assumptionsOf } from "../../../src/wire/plan-assumptions.ts";
import { knowledge } from "../scoring/histories.ts";

const tank = {
  id: "C_1",
  defId: "wh_gas_tank",
  brandTier: "standard",
  overrideLifespan: null,
  lifeFactor: 1,
  rate: 1,
  effectiveAgeYears: 6,
  hazardRatio: 1,
  acuteHazard: 0,
} as Plannable;
const planned = (component: Plannable) => planComponent(knowledge, component, new Map(), emptyYearlyCosts(1));

describe("a stored component", () => {
  test("is planned by the life of its kind in its place", () => {
    const { medianLifeYears } = knowledge.component("wh_gas_tank");
    expect(lifespanYearsOf(partOf(knowledge, tank))).toBeCloseTo(medianLifeYears, 9);
    const worked = partOf(knowledge, { ...tank, rate: 2 });
    expect(lifespanYearsOf(worked)).toBeCloseTo(medianLifeYears / 2, 9);
    expect(worked.ageYears).toBe(3);
  });

  test("with its own lifespan is planned by that, and the plan says so", () => {
    const own = { ...tank, overrideLifespan: 40 };
    expect(lifespanYearsOf(partOf(knowledge, own))).toBeCloseTo(40, 9);
    expect(planned(own).bestAgeMonths!).toBeGreaterThan(planned(tank).bestAgeMonths!);
    const sentences = (component: Plannable) =>
      assumptionsOf(
        {
          terms: { years: 1, inflationPct: 3, budgetCents: null },
          asOf: "2026-11-21",
          modelVersion: "2",
        },
        [{ component }],
      ).join(" ");
    expect(sentences(own)).toContain("1 component uses its own lifespan");
    expect(sentences(tank)).not.toContain("its own lifespan");
  });

  test("with a sensor warning costs more to wait for, and is due no sooner", () => {
    const leaking = planned({ ...tank, acuteHazard: 0.4 });
    expect(leaking.waitingCents).toBeGreaterThan(planned(tank).waitingCents);
    expect(leaking.dueInYears).toBe(planned(tank).dueInYears);
  });

  test("is due on a day, today at the earliest, however far off", () => {
    expect(dueOn({ dueInYears: null }, "2026-11-21")).toBeNull();
    expect(dueOn({ dueInYears: 0 }, "2026-11-21")).toBe("2026-11-21");
    expect(dueOn({ dueInYears: 1 / 365.25 }, "2026-11-21")).toBe("2026-11-22");
    expect(dueOn({ dueInYears: 1e9 }, "2026-11-21")).toMatch(/^9\d{3}-\d{2}-\d{2}$/);
  });
});
