import { describe, expect, test } from "bun:test";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import { UNCORRECTED } from "../../../src/domain/scoring/score-model-corrections.ts";
import type { ApplianceHistory } from "../../../src/domain/scoring/scoring-types.ts";
import { AS_OF, appliance, BURNER, burner, event, knowledge, noteOf, property, scores } from "./histories.ts";

/** 487 days before AS_OF: exactly 16 of the 24 months that most evidence fades over. */
const SIXTEEN_MONTHS_AGO = "2024-03-01";
const named = { componentId: BURNER };

describe("evidence multiplies the hazard", () => {
  // Rule: event-directions, evidence
  test("by the hazard ratio", () => {
    const score = burner([event("Emergency Repair", AS_OF, named)]);
    expect(score.hazardRatio).toBeCloseTo(1.8, 12);
    // the hazard of a year, 0.0795390, times 1.8
    expect(score.periodRisk).toBeCloseTo(0.1333911, 6);
    expect(score).toMatchObject({ riskScore: 0.51, riskTier: "GOOD" });
  });

  // Rule: evidence
  test("fading linearly to 1 over its span", () => {
    const atAge = (date: string) => burner([event("Emergency Repair", date, named)]).hazardRatio;
    expect(atAge(SIXTEEN_MONTHS_AGO)).toBeCloseTo(1 + 0.8 / 3, 12);
    expect(atAge("2023-07-01")).toBe(1); // 731 days of 730.5
  });

  // Rule: evidence
  test("within a factor of ten up or down", () => {
    const days = Array.from({ length: 9 }, (_, i) => `2025-06-2${i}`);
    const alarms = days.map((date) => event("Emergency Repair", date, named));
    expect(burner(alarms).hazardRatio).toBe(10);
    expect(burner(alarms).periodRisk).toBeCloseTo(0.5485882, 6);
    const praise = "no issues; like new; cleaned; upgraded";
    const calm = days.map((date) => event("Inspection", date, { ...named, notes: praise }));
    expect(burner(calm).hazardRatio).toBe(0.1);
    expect(burner(calm).periodRisk).toBeCloseTo(0.0079222, 6);
  });

  test("by its square root if the event names no component", () => {
    expect(burner([event("Emergency Repair", AS_OF)]).hazardRatio).toBeCloseTo(1.8 ** 0.5, 12);
    // The root of the faded ratio, not the faded root.
    const faded = burner([event("Emergency Repair", SIXTEEN_MONTHS_AGO)]).hazardRatio;
    expect(faded).toBeCloseTo(1.1254628, 6); // √1.266667
  });

  test("of the named component only", () => {
    const elsewhere = event("Emergency Repair", AS_OF, { componentId: "A/boiler_controls" });
    expect(burner([elsewhere]).hazardRatio).toBe(1);
  });

  test("only when dated after the last Replacement", () => {
    const replaced = event("Replacement", "2024-07-01", named);
    expect(burner([replaced, event("Emergency Repair", "2024-07-01", named)]).hazardRatio).toBe(1);
    expect(burner([replaced, event("Emergency Repair", "2024-07-02", named)]).hazardRatio).toBeGreaterThan(1);
  });

  test("also when dated before 1 July of the install year", () => {
    const early = event("Emergency Repair", "2025-05-01", named);
    expect(burner([early], { installYear: 2025 }).hazardRatio).toBeGreaterThan(1);
  });

  test("once for an event recorded twice", () => {
    const repair = event("Emergency Repair", AS_OF, named);
    expect(burner([repair, { ...repair }])).toEqual(burner([repair]));
  });
});

describe("repair frequency", () => {
  const repair = (date: string, componentId: string | null = BURNER) =>
    event("Repair", date, { componentId });

  // Rule: event-directions
  test("counts each of the last three repairs", () => {
    const full = [AS_OF, AS_OF, AS_OF, AS_OF].map((date, i) => ({
      ...repair(date),
      note: noteOf(`visit ${i}`),
    }));
    expect(burner(full.slice(0, 2)).hazardRatio).toBeCloseTo(1.5625, 12); // 1.25²
    expect(burner(full.slice(0, 3)).hazardRatio).toBeCloseTo(1.953125, 12); // 1.25³
    expect(burner(full).hazardRatio).toBeCloseTo(1.953125, 12);
  });

  test("counts the newer ones", () => {
    const recent = ["2025-06-01", "2025-05-01", "2025-04-01"].map((date) => repair(date));
    expect(burner([repair("2024-01-01"), ...recent]).hazardRatio).toBe(burner(recent).hazardRatio);
  });

  test("is never lowered by a repair that may have been elsewhere", () => {
    const here = ["2025-06-01", "2025-05-01", "2025-04-01"].map((date) => repair(date));
    expect(burner([...here, repair(AS_OF, null)]).hazardRatio).toBe(burner(here).hazardRatio);
  });
});

describe("condition", () => {
  const seen = (conditionAfter: "good" | "fair" | "poor", date = AS_OF) =>
    event("Other", date, { ...named, conditionAfter });

  test("has ratios for good, fair and poor", () => {
    expect(burner([seen("good")]).hazardRatio).toBeCloseTo(0.5, 12);
    expect(burner([seen("fair")]).hazardRatio).toBeCloseTo(1.1, 12);
    expect(burner([seen("poor")]).hazardRatio).toBeCloseTo(2.5, 12);
  });

  test("is that of the newest observation", () => {
    expect(burner([seen("poor", "2025-06-01"), seen("good")]).hazardRatio).toBeCloseTo(0.5, 12);
  });

  test("is the worse of two observed on one day", () => {
    expect(burner([seen("good"), seen("poor")]).hazardRatio).toBeCloseTo(2.5, 12);
    expect(burner([seen("poor"), seen("good")]).hazardRatio).toBeCloseTo(2.5, 12);
  });

  test("counts in full when observed on the whole appliance", () => {
    expect(burner([{ ...seen("poor"), componentId: null }]).hazardRatio).toBeCloseTo(2.5, 12);
  });
});

describe("one visit", () => {
  const visit = (conditionAfter: "good" | "fair" | "poor", notes: string, date = AS_OF) =>
    event("Inspection", date, { ...named, conditionAfter, notes });

  // Rule: evidence
  test("counts by its condition if that says more than its notes", () => {
    expect(burner([visit("poor", "leaking")]).hazardRatio).toBe(2.5);
    expect(burner([visit("good", "leaking")]).hazardRatio).toBe(0.5);
  });

  test("counts by its notes if they say more than its condition", () => {
    expect(burner([visit("fair", "leaking")]).hazardRatio).toBeCloseTo(1.5, 12);
    expect(burner([visit("good", "burst and cracked and flooded")]).hazardRatio).toBeGreaterThan(2);
  });

  test("counts by its notes if a later visit saw another condition", () => {
    const earlier = visit("poor", "leaking", SIXTEEN_MONTHS_AGO);
    expect(burner([earlier, visit("good", "")]).hazardRatio).toBe(0.5); // the words have faded
    const recent = visit("poor", "leaking", "2025-06-30");
    const faded = 1 + 0.5 * (1 - 1 / 30.4375 / 12);
    expect(burner([recent, visit("good", "")]).hazardRatio).toBeCloseTo(0.5 * faded, 12);
  });

  test("counts apart from another visit of the same day", () => {
    const both = burner([visit("poor", ""), event("Repair", AS_OF, { ...named, notes: "leaking" })]);
    expect(both.hazardRatio).toBeCloseTo(2.5 * 1.5 * 1.25, 12);
  });
});

describe("the era of a building", () => {
  const eraOf = (
    typeId: string,
    defId: string,
    yearBuilt: number | null,
    given: Partial<ApplianceHistory>,
  ) => {
    const history = property([appliance(typeId, given)], { yearBuilt });
    const { evidence } = scoreProperty(knowledge, history, AS_OF, { explain: true }).get(`A/${defId}`)!;
    return evidence!.find(({ kind }) => kind === "era")?.ratio ?? 1;
  };
  const pipe = (yearBuilt: number | null, given: Partial<ApplianceHistory>) =>
    eraOf("plumbing_supply", "plumb_supply_piping", yearBuilt, given);
  const panel = (brand: string | null) =>
    eraOf("electrical_panel", "panel_bus_enclosure", 1970, { brand, installYear: 1970 });

  // Rule: eras
  test("raises the hazard of its original parts without fading", () => {
    const inYear = (year: number) => pipe(year, { installYear: year });
    expect([1959, 1960, 1977, 1978, 1995, 1996].map(inYear)).toEqual([1.5, 1, 1, 1.5, 1.5, 1]);
  });

  test("does not concern a part that was replaced or installed later", () => {
    expect(pipe(1950, { installYear: 1990 })).toBe(1);
    expect(pipe(null, { installYear: 1950 })).toBe(1);
    expect(pipe(1950, { installYear: 1950, events: [event("Replacement", "2020-01-01")] })).toBe(1);
  });

  test("concerns an appliance without an install year", () => {
    expect(pipe(1950, { installYear: 1950, installYearBasis: "year_built" })).toBe(1.5);
  });

  // Rule: eras
  test("says less than a known make", () => {
    expect([panel(null), panel("N/A"), panel("Square D"), panel("Zinsco")]).toEqual([1.3, 1.3, 1, 1]);
  });
});

// Rule: install-year-of-the-building
test("an appliance without an install year has an unknown past in all of its parts", () => {
  const tank = (installYearBasis: "given" | "year_built") => {
    const heater = appliance("water_heater_gas", { installYear: 1950, installYearBasis });
    const registered = property([heater], { yearBuilt: 1950, recordsSince: AS_OF });
    return scores(registered).get("A/wh_gas_tank")!;
  };
  expect(tank("given").prior).toBe(0.999);
  expect(tank("year_built").prior).toBeLessThan(0.6);
  expect(tank("year_built").ageYears).toBe(tank("given").ageYears);
});

describe("an inspection", () => {
  // Rule: event-directions
  test("without a condition is slightly favorable", () => {
    expect(burner([event("Inspection", AS_OF, named)]).hazardRatio).toBeCloseTo(0.95, 12);
  });

  test("with a condition counts by the condition only", () => {
    const inspection = event("Inspection", AS_OF, { ...named, conditionAfter: "poor" });
    expect(burner([inspection]).hazardRatio).toBeCloseTo(2.5, 12);
  });
});

describe("keywords in notes", () => {
  const note = (notes: string, given = {}) => event("Other", AS_OF, { ...named, notes, ...given });

  // Rule: notes-scanned
  test("count once per group and event", () => {
    expect(burner([note("leaking, drip at valve, seepage")]).hazardRatio).toBeCloseTo(1.5, 12);
    expect(burner([note("leaking and noisy")]).hazardRatio).toBeCloseTo(1.5 * 1.35, 12);
  });

  test("count by the square root if the fault was fixed", () => {
    expect(burner([note("leak repaired")]).hazardRatio).toBeCloseTo(1.2247449, 6); // √1.5
  });

  test("fade over twelve months", () => {
    // 100 days of 365.25
    const score = burner([note("leaking", { date: "2025-03-23" })]);
    expect(score.hazardRatio).toBeCloseTo(1 + 0.5 * (1 - 100 / 365.25), 12);
    expect(burner([note("leaking", { date: "2024-06-30" })]).hazardRatio).toBe(1);
  });

  test("on a whole appliance concern the components that the group lists, by the square root", () => {
    const events = [note("leaking", { componentId: null })];
    const boiler = appliance("boiler", { installYear: 2025, events });
    const found = scores(property([boiler]));
    expect(found.get("A/boiler_relief_valve")!.hazardRatio).toBeCloseTo(1.5 ** 0.5, 12);
    expect(found.get("A/boiler_controls")!.hazardRatio).toBe(1);
  });

  test("on a whole appliance without such a component concern all its components", () => {
    const panel = appliance("electrical_panel", { events: [note("leaking", { componentId: null })] });
    for (const score of scores(property([panel])).values())
      expect(score.hazardRatio).toBeCloseTo(1.5 ** 0.5, 12);
  });

  test("of dirt are cleared by the cleaning itself or a later one", () => {
    const dirty = { ...named, notes: "dirty filter" };
    expect(burner([event("Other", "2025-06-01", dirty)]).hazardRatio).toBeGreaterThan(1);
    expect(burner([event("Cleaning", "2025-06-01", dirty)]).hazardRatio).toBe(1);
    const later = event("Filter Change", "2025-06-15");
    expect(burner([event("Other", "2025-06-01", dirty), later]).hazardRatio).toBe(1);
  });
});

describe("a brand on a hazard list", () => {
  test("doubles the hazard of the listed components without fading", () => {
    const panel = appliance("electrical_panel", { brand: "Federal Pacific Electric" });
    const found = scores(property([panel]));
    expect(found.get("A/panel_main_breaker")!.hazardRatio).toBe(2);
    expect(found.get("A/panel_gfci_afci")!.hazardRatio).toBe(1);
  });

  test("is also found in the model name", () => {
    const panel = appliance("electrical_panel", { brand: "FPC", model: "Stab-Lok 200A" });
    expect(scores(property([panel])).get("A/panel_bus_enclosure")!.hazardRatio).toBe(2);
  });
});

describe("confidence", () => {
  const boiler = (brand: string | null, events: ReturnType<typeof event>[]) =>
    burner(events, { brand }).confidence;
  const seen = (date: string) => event("Other", date, { conditionAfter: "good" });

  // Rule: confidence
  test("is LOW without events or a known brand", () => {
    expect(boiler(null, [])).toBe("LOW");
    expect(boiler("No Such Maker", [])).toBe("LOW");
  });

  // Rule: confidence
  test("is MEDIUM with either", () => {
    expect(boiler("Viessmann", [])).toBe("MEDIUM");
    expect(boiler(null, [event("Other", "2010-01-01")])).toBe("MEDIUM");
  });

  // Rule: confidence
  test("is HIGH with a known brand and three events, one with a condition within 36 months", () => {
    const events = [event("Other", "2010-01-01"), event("Repair", "2015-01-01"), seen("2022-07-02")];
    expect(boiler("Viessmann", events)).toBe("HIGH");
    expect(boiler(null, events)).toBe("MEDIUM");
    expect(boiler("Viessmann", events.slice(1))).toBe("MEDIUM");
    expect(boiler("Viessmann", [...events.slice(0, 2), seen("2022-06-30")])).toBe("MEDIUM");
  });

  test("does not count events on other components", () => {
    const elsewhere = event("Repair", "2015-01-01", { componentId: "A/boiler_controls" });
    expect(boiler(null, [elsewhere])).toBe("LOW");
  });
});

describe("calibrated strength", () => {
  const strength = { condition: 2, repairs: 0.5 };
  const ratioOf = (...events: ReturnType<typeof event>[]) =>
    scoreProperty(knowledge, property([appliance("boiler", { events })]), AS_OF, {
      corrections: { ...UNCORRECTED, strength },
    }).get(BURNER)!.hazardRatio;

  test("is an exponent on the ratio of the newest condition", () => {
    expect(ratioOf(event("Other", AS_OF, { ...named, conditionAfter: "poor" }))).toBeCloseTo(6.25, 12);
  });

  test("is an exponent on the ratios of repairs and emergency repairs", () => {
    const repairs = [event("Repair", AS_OF, named), event("Emergency Repair", AS_OF, named)];
    expect(ratioOf(...repairs)).toBeCloseTo((1.25 * 1.8) ** 0.5, 12);
  });

  test("has no effect on other evidence", () => {
    expect(ratioOf(event("Inspection", AS_OF, named))).toBeCloseTo(0.95, 12);
  });
});

describe("an explanation", () => {
  const events = [
    event("Emergency Repair", AS_OF, { ...named, notes: "leaking" }),
    event("Inspection", AS_OF, named),
  ];
  const history = property([appliance("boiler", { events })]);

  test("lists every ratio, and their product is the score's", () => {
    const score = scoreProperty(knowledge, history, AS_OF, { explain: true }).get(BURNER)!;
    expect(score.evidence).toEqual([
      { kind: "emergency_repair", subject: "Emergency Repair", on: AS_OF, ratio: 1.8 },
      { kind: "keyword", subject: "leak", on: AS_OF, ratio: 1.5 },
      { kind: "inspection", subject: "Inspection", on: AS_OF, ratio: 0.95 },
    ]);
    expect(score.hazardRatio).toBeCloseTo(1.8 * 1.5 * 0.95, 12);
  });

  test("is optional and changes no score", () => {
    const plain = scores(history).get(BURNER)!;
    const { evidence, working, ...explained } = scoreProperty(knowledge, history, AS_OF, {
      explain: true,
    }).get(BURNER)!;
    expect(evidence).toHaveLength(3);
    expect(plain).toEqual(explained);
  });
});
