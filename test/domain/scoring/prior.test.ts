import { describe, expect, test } from "bun:test";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import { type ModelCorrections, UNCORRECTED } from "../../../src/domain/scoring/score-model-corrections.ts";
import { ageYears } from "../../../src/domain/scoring/virtual-age.ts";
import {
  cumulativeProbability,
  scaleFromMedian,
} from "../../../src/domain/statistics/weibull-distribution.ts";
import { AS_OF, appliance, BURNER, burner, event, knowledge, property, scores } from "./histories.ts";

describe("the Weibull life", () => {
  // Rule: weibull
  test("has half of all components failed by the median", () => {
    expect(scaleFromMedian(21, 2.5)).toBeCloseTo(24.315831, 6); // 21 / (ln 2)^0.4
    expect(cumulativeProbability(21, scaleFromMedian(21, 2.5), 2.5)).toBeCloseTo(0.5, 12);
  });

  test("reproduces the published survival of gas furnaces", () => {
    // Lutz and others, 2011: shape 2.218, scale 26.68; S(10) = 0.89, S(20) = 0.59
    expect(1 - cumulativeProbability(10, 26.68, 2.218)).toBeCloseTo(0.89, 2);
    expect(1 - cumulativeProbability(20, 26.68, 2.218)).toBeCloseTo(0.59, 2);
  });
});

describe("the prior", () => {
  // Rule: weibull
  test("is the share of equal components that have failed by now", () => {
    // 1 - exp(-ln 2 · (20/21)^2.5)
    expect(burner().prior).toBeCloseTo(0.458576, 6);
    expect(burner()).toMatchObject({ riskScore: 0.33, riskTier: "GOOD", hazardRatio: 1, ageYears: 20 });
  });

  // Rule: weibull
  test("scales the life by the brand's factor", () => {
    expect(burner([], { brandTier: "premium" }).prior).toBeCloseTo(0.383361, 6); // median 23.1
    expect(burner([], { brandTier: "budget" }).prior).toBeCloseTo(0.570266, 6); // median 18.48
  });

  // Rule: override-lifespan
  test("uses the component's own lifespan instead of the median", () => {
    const boiler = appliance("boiler");
    const components = boiler.components.map((part) => ({ ...part, overrideLifespan: 30 }));
    expect(burner([], { components }).prior).toBeCloseTo(0.222393, 6); // median 30
  });

  test("ages parts that wear with use by usage to the power 0.6, and no others", () => {
    const found = scores(property([appliance("boiler", { usageIntensity: 2 })]));
    expect(found.get(BURNER)!.rate).toBeCloseTo(1.515717, 6); // 2^0.6
    expect(found.get(BURNER)!.prior).toBeCloseTo(0.823669, 6);
    expect(found.get("A/boiler_expansion_tank")!.rate).toBeCloseTo(1 / 0.93, 12);
  });

  test("ages parts faster in a harsh state", () => {
    const found = scores(property([appliance("hvac_central")], { state: "FL" }));
    // heat 0.9 and coast 1.0: (1 - 0.15·0.9) · (1 - 0.20·1.0) = 0.692
    expect(found.get("A/hvac_compressor")!.rate).toBeCloseTo(1 / 0.692, 12);
  });

  test("uses 0.35 for every factor of an unknown state or a territory", () => {
    for (const state of [null, "PR"]) {
      const found = scores(property([appliance("hvac_heat_pump")], { state }));
      // (1 - 0.15·0.35) · (1 - 0.12·0.35) · (1 - 0.20·0.35) = 0.84416565
      expect(found.get("A/hp_compressor")!.rate).toBeCloseTo(1 / 0.84416565, 12);
    }
  });

  test("limits the life factor of the place to 0.65", () => {
    const found = scores(property([appliance("pool_equipment")], { state: "FL" }));
    expect(found.get("A/pool_automation")!.rate).toBeCloseTo(1 / 0.65, 12); // the product is 0.63664
  });
});

describe("the limit of age", () => {
  test("is the age that one in a thousand reaches", () => {
    const ancient = burner([], { components: appliance("boiler", { installYear: 1925 }).components });
    expect(ancient.prior).toBeCloseTo(0.999, 12);
    expect(ancient.effectiveAgeYears).toBeCloseTo(52.677346, 6); // 24.315831 · (-ln 0.001)^0.4
    expect(ancient.ageYears).toBeGreaterThan(99);
  });
});

describe("calibration", () => {
  const corrected = (corrections: Partial<ModelCorrections>) =>
    scoreProperty(knowledge, property([appliance("boiler")]), AS_OF, {
      corrections: { ...UNCORRECTED, ...corrections },
    }).get(BURNER)!;

  test("scales the life of a kind", () => {
    const longer = corrected({ lifeFactors: new Map([["boiler_burner", 30 / 21]]) });
    expect(longer.prior).toBeCloseTo(0.222393, 6); // median 30
    expect(longer.lifeFactor).toBeCloseTo(30 / 21, 12);
  });

  test("multiplies the hazard by the frailty of the appliance", () => {
    const frail = corrected({ frailties: new Map([["A", 2]]) });
    expect(Math.log1p(-frail.prior)).toBeCloseTo(2 * Math.log1p(-burner().prior), 12);
    expect(Math.log1p(-frail.periodRisk)).toBeCloseTo(2 * Math.log1p(-burner().periodRisk), 12);
    expect(corrected({ frailties: new Map([["B", 2]]) })).toEqual(burner());
  });
});

describe("calendar age", () => {
  test("runs from 1 July of the install year, or from the last replacement", () => {
    expect(ageYears({ installYear: 2005, lastReplaced: null }, "2025-07-01")).toBe(20);
    expect(ageYears({ installYear: 2005, lastReplaced: "2021-07-01" }, "2025-07-01")).toBe(4);
  });

  test("is never below 0", () => {
    expect(ageYears({ installYear: 2026, lastReplaced: null }, "2025-07-01")).toBe(0);
  });

  test("ignores a future replacement", () => {
    expect(ageYears({ installYear: 2005, lastReplaced: "2025-07-02" }, "2025-07-01")).toBe(20);
  });
});

describe("virtual age", () => {
  // Rule: event-directions, maintenance-rejuvenates
  test("is less by a share of what accrued since the last restoring event, two intervals at most", () => {
    const events = [event("Preventive Maintenance", "2015-07-01"), event("Cleaning", "2016-07-01")];
    // 7305 days, less 0.20 of 730.5 (of the 3652 before it, 24 months count), less 0.12 of 366
    expect(burner(events).effectiveAgeYears).toBeCloseTo((7305 - 146.1 - 43.92) / 365.25, 9);
    expect(burner(events).ageYears).toBe(20);
  });

  test("counts the strongest of several restoring events on one day", () => {
    const both = [event("Cleaning", "2015-07-01"), event("Preventive Maintenance", "2015-07-01")];
    expect(burner(both).effectiveAgeYears).toBeCloseTo((7305 - 146.1) / 365.25, 9);
  });

  test("is not reduced by maintenance that does not restore the component", () => {
    const events = [event("Filter Change", "2015-07-01"), event("Inspection", "2015-07-02")];
    expect(burner(events).effectiveAgeYears).toBe(20);
  });

  test("is not reduced by maintenance of another component", () => {
    const elsewhere = event("Preventive Maintenance", "2015-07-01", { componentId: "A/boiler_controls" });
    expect(burner([elsewhere]).effectiveAgeYears).toBe(20);
  });

  test("uses an interval of a year without a known one", () => {
    const dryer = appliance("dryer_electric", { events: [event("Cleaning", "2015-07-01")] });
    // the heating element: 0.12 of 24 months
    const score = scores(property([dryer])).get("A/dryer_elec_heating_element")!;
    expect(score.effectiveAgeYears).toBeCloseTo((7305 - 87.66) / 365.25, 9);
  });

  // Rule: maintenance-rejuvenates
  test("restarts with a Replacement of the component or of the whole appliance", () => {
    const replaced = event("Replacement", "2021-07-01", { componentId: BURNER });
    expect(burner([replaced]).effectiveAgeYears).toBe(4);
    expect(burner([{ ...replaced, componentId: null }]).effectiveAgeYears).toBe(4);
    expect(burner([{ ...replaced, componentId: "A/boiler_controls" }]).effectiveAgeYears).toBe(20);
  });

  test("ignores maintenance from before a Replacement", () => {
    const events = [event("Preventive Maintenance", "2020-07-01"), event("Replacement", "2021-07-01")];
    expect(burner(events).effectiveAgeYears).toBe(4);
  });

  test("counts from the later of a stored replacement date and a Replacement event", () => {
    const components = appliance("boiler").components.map((part) => ({
      ...part,
      lastReplaced: "2021-07-01",
    }));
    expect(burner([], { components }).effectiveAgeYears).toBe(4);
    expect(burner([event("Replacement", "2017-07-01")], { components }).effectiveAgeYears).toBe(4);
    expect(burner([event("Replacement", "2025-07-01")], { components }).effectiveAgeYears).toBe(0);
  });
});
