import { describe, expect, test } from "bun:test";
import { serializePlanAssumptions } from "../../../src/api-schemas/plan-assumptions-schema.ts";
import { priceBasisOf } from "../../../src/domain/costs/price-basis.ts";
import { emptyAssumptionCounts } from "../../../src/domain/figures/assumptions.ts";
import { capitalPlanOf } from "../../../src/domain/planning/capital-plan.ts";
import {
  dueDayAfterYears,
  hasUnknownAge,
  type Plannable,
  partInPlaceOf,
} from "../../../src/domain/planning/component-plan.ts";
import { lifespanYearsOf } from "../../../src/domain/planning/part-in-place.ts";
import { emptyPlanSums } from "../../../src/domain/planning/plan-sums.ts";
import { USUAL_TERMS } from "../../../src/domain/planning/plan-terms.ts";
import { reserveFundingOf } from "../../../src/domain/planning/property-plan-summary.ts";
import { knowledge } from "../scoring/histories.ts";
import { planOf } from "./parts.ts";

const valve: Plannable = {
  id: "C_1",
  applianceId: "A_1",
  defId: "wh_gas_tp_valve",
  typeId: "water_heater_gas",
  brandTier: "standard",
  installYear: 2016,
  installYearBasis: "given",
  installYearGiven: false,
  lastReplaced: null,
  past: null,
  overrideLifespan: null,
  deficiencies: 0,
  recordsSince: "2000-01-01",
  scoredOn: "2026-07-01",
  riskTier: "GOOD",
  confidence: "LOW",
  lifeFactor: 1,
  rate: 1,
  effectiveAgeYears: 6,
  hazardRatio: 1,
  acuteHazard: 0,
};
const tank: Plannable = { ...valve, id: "C_2", defId: "wh_gas_tank" };
const price = { plannedCents: 30_000, failedCents: 90_000, basis: "own" as const };
const partFor = (component: Plannable) => partInPlaceOf(knowledge, component, price);
const planned = (component: Plannable) => planOf(partFor(component));

describe("a stored component", () => {
  test("is planned by the life of its kind in its place, at the given costs", () => {
    const { medianLifeYears } = knowledge.component("wh_gas_tank");
    expect(lifespanYearsOf(partFor(tank))).toBeCloseTo(medianLifeYears, 9);
    expect(partFor(tank)).toMatchObject({ plannedCents: 30_000, failureCents: 90_000 });
    const worked = partFor({ ...tank, rate: 2 });
    expect(lifespanYearsOf(worked)).toBeCloseTo(medianLifeYears / 2, 9);
    expect(worked.ageYears).toBe(3);
  });

  test("with its own lifespan is planned by that, and the plan says so", () => {
    const own = { ...tank, overrideLifespan: 40 };
    expect(lifespanYearsOf(partFor(own))).toBeCloseTo(40, 9);
    expect(planned(own).bestAgeMonths!).toBeGreaterThan(planned(tank).bestAgeMonths!);
    const sentences = (overridden: number) =>
      serializePlanAssumptions(
        {
          terms: { ...USUAL_TERMS, years: 1 },
          asOf: "2026-11-21",
          modelVersion: "3",
          counted: { ...emptyAssumptionCounts(), ...priceBasisOf(knowledge) },
          sums: emptyPlanSums(),
          capital: capitalPlanOf(emptyPlanSums(), 1, 0, reserveFundingOf(USUAL_TERMS)),
        },
        false,
        overridden,
      ).join(" ");
    expect(sentences(1)).toContain("1 component uses its own lifespan");
    expect(sentences(0)).not.toContain("its own lifespan");
  });

  test("with a sensor warning costs more to wait for, and is due no sooner", () => {
    const leaking = planned({ ...tank, acuteHazard: 0.4 });
    expect(leaking.waitingCents).toBeGreaterThan(planned(tank).waitingCents);
    expect(leaking.dueInYears).toBe(planned(tank).dueInYears);
  });

  test("has an age of unknown length only if it may have been renewed before the record", () => {
    const def = knowledge.component(valve.defId);
    expect(def.replaced).toBe("alone");
    expect(hasUnknownAge(def, valve)).toBe(false);
    expect(hasUnknownAge(def, { ...valve, recordsSince: "2020-01-01" })).toBe(true);
    expect(hasUnknownAge(def, { ...valve, recordsSince: "2020-01-01", lastReplaced: "2018-05-01" })).toBe(
      false,
    );
    const body = knowledge.component("wh_gas_tank");
    expect(hasUnknownAge(body, { ...tank, recordsSince: "2020-01-01" })).toBe(false);
    expect(hasUnknownAge(body, { ...tank, recordsSince: "2020-01-01", installYearBasis: "year_built" })).toBe(
      true,
    );
    const hoses: Plannable = { ...valve, defId: "washer_supply_hoses", typeId: "washer" };
    expect(partFor(hoses).labelAgeYears).toBeCloseTo(10, 2);
    expect(partFor({ ...hoses, recordsSince: "2020-01-01" }).labelAgeYears).toBe(6);
  });

  test("is due on a day, today at the earliest, however far off", () => {
    expect(dueDayAfterYears(null, "2026-11-21")).toBeNull();
    expect(dueDayAfterYears(0, "2026-11-21")).toBe("2026-11-21");
    expect(dueDayAfterYears(1 / 365.25, "2026-11-21")).toBe("2026-11-22");
    expect(dueDayAfterYears(1e9, "2026-11-21")).toMatch(/^9\d{3}-\d{2}-\d{2}$/);
  });
});
