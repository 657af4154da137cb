import { describe, expect, test } from "bun:test";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import { AS_OF, appliance, BURNER, burner, event, knowledge, property, scores } from "./histories.ts";

/** 487 days before AS_OF: exactly 16 of the 24 months that most evidence fades over. */
const SIXTEEN_MONTHS_AGO = "2024-03-01";
const named = { componentId: BURNER };

describe("evidence moves the odds", () => {
  // Rule: event-directions, evidence
  test("by the likelihood ratio", () => {
    const score = burner([event("Emergency Repair", AS_OF, named)]);
    expect(score.evidenceRatio).toBeCloseTo(1.8, 12);
    // odds 0.458576 / 0.541424 · 1.8
    expect(score.probability).toBeCloseTo(0.603893, 6);
    expect(score).toMatchObject({ riskScore: 0.6, riskTier: "WARNING" });
  });

  // Rule: evidence
  test("less and less, linearly to nothing over its span", () => {
    const atAge = (date: string) => burner([event("Emergency Repair", date, named)]).evidenceRatio;
    expect(atAge(SIXTEEN_MONTHS_AGO)).toBeCloseTo(1 + 0.8 / 3, 12);
    expect(atAge("2023-07-01")).toBe(1); // 731 days of 730.5
  });

  // Rule: evidence
  test("never beyond six times up or five times down", () => {
    const days = Array.from({ length: 9 }, (_, i) => `2025-06-2${i}`);
    const alarms = days.map((date) => event("Emergency Repair", date, named));
    expect(burner(alarms).evidenceRatio).toBe(6);
    expect(burner(alarms).probability).toBeCloseTo(0.835578, 6);
    const praise = "no issues; like new; cleaned; upgraded";
    const calm = days.map((date) => event("Inspection", date, { ...named, notes: praise }));
    expect(burner(calm).evidenceRatio).toBe(0.2);
    expect(burner(calm).probability).toBeCloseTo(0.144858, 6);
  });

  test("at its square root when the event names no component", () => {
    expect(burner([event("Emergency Repair", AS_OF)]).evidenceRatio).toBeCloseTo(1.8 ** 0.5, 12);
    // The faded ratio's root, not the fading of the root.
    const faded = burner([event("Emergency Repair", SIXTEEN_MONTHS_AGO)]).evidenceRatio;
    expect(faded).toBeCloseTo(1.1254628, 6); // √1.266667
  });

  test("of the named component alone", () => {
    const elsewhere = event("Emergency Repair", AS_OF, { componentId: "A/boiler_controls" });
    expect(burner([elsewhere]).evidenceRatio).toBe(1);
  });

  test("only when dated after the last Replacement", () => {
    const replaced = event("Replacement", "2024-07-01", named);
    expect(burner([replaced, event("Emergency Repair", "2024-07-01", named)]).evidenceRatio).toBe(1);
    expect(burner([replaced, event("Emergency Repair", "2024-07-02", named)]).evidenceRatio).toBeGreaterThan(
      1,
    );
  });

  test("even when dated before 1 July of the install year, which is only nominal", () => {
    const early = event("Emergency Repair", "2025-05-01", named);
    expect(burner([early], { installYear: 2025 }).evidenceRatio).toBeGreaterThan(1);
  });

  test("once for an event that was recorded twice", () => {
    const repair = event("Emergency Repair", AS_OF, named);
    expect(burner([repair, { ...repair }])).toEqual(burner([repair]));
  });
});

describe("repair frequency", () => {
  const repair = (date: string, componentId: string | null = BURNER) =>
    event("Repair", date, { componentId });

  // Rule: event-directions
  test("counts each of the last three repairs", () => {
    const full = [AS_OF, AS_OF, AS_OF, AS_OF].map((date, i) => ({ ...repair(date), notes: `visit ${i}` }));
    expect(burner(full.slice(0, 2)).evidenceRatio).toBeCloseTo(1.5625, 12); // 1.25²
    expect(burner(full.slice(0, 3)).evidenceRatio).toBeCloseTo(1.953125, 12); // 1.25³
    expect(burner(full).evidenceRatio).toBeCloseTo(1.953125, 12);
  });

  test("prefers the newer ones", () => {
    const recent = ["2025-06-01", "2025-05-01", "2025-04-01"].map((date) => repair(date));
    expect(burner([repair("2024-01-01"), ...recent]).evidenceRatio).toBe(burner(recent).evidenceRatio);
  });

  test("is never lowered by a repair that may have been elsewhere", () => {
    const here = ["2025-06-01", "2025-05-01", "2025-04-01"].map((date) => repair(date));
    expect(burner([...here, repair(AS_OF, null)]).evidenceRatio).toBe(burner(here).evidenceRatio);
  });
});

describe("condition", () => {
  const seen = (conditionAfter: "good" | "fair" | "poor", date = AS_OF) =>
    event("Other", date, { ...named, conditionAfter });

  test("weighs good, fair and poor", () => {
    expect(burner([seen("good")]).evidenceRatio).toBeCloseTo(0.6, 12);
    expect(burner([seen("fair")]).evidenceRatio).toBeCloseTo(1.05, 12);
    expect(burner([seen("poor")]).evidenceRatio).toBeCloseTo(1.9, 12);
  });

  test("is that of the newest observation", () => {
    expect(burner([seen("poor", "2025-06-01"), seen("good")]).evidenceRatio).toBeCloseTo(0.6, 12);
  });

  test("is the worse of two seen on one day", () => {
    expect(burner([seen("good"), seen("poor")]).evidenceRatio).toBeCloseTo(1.9, 12);
    expect(burner([seen("poor"), seen("good")]).evidenceRatio).toBeCloseTo(1.9, 12);
  });

  test("counts in full when seen on the whole appliance", () => {
    expect(burner([{ ...seen("poor"), componentId: null }]).evidenceRatio).toBeCloseTo(1.9, 12);
  });
});

describe("an inspection", () => {
  // Rule: event-directions
  test("that gives no condition speaks a little for the component", () => {
    expect(burner([event("Inspection", AS_OF, named)]).evidenceRatio).toBeCloseTo(0.95, 12);
  });

  test("that gives one counts by the condition alone", () => {
    const inspection = event("Inspection", AS_OF, { ...named, conditionAfter: "poor" });
    expect(burner([inspection]).evidenceRatio).toBeCloseTo(1.9, 12);
  });
});

describe("keywords in notes", () => {
  const note = (notes: string, given = {}) => event("Other", AS_OF, { ...named, notes, ...given });

  // Rule: notes-scanned
  test("weigh once a group and event", () => {
    expect(burner([note("leaking, drip at valve, seepage")]).evidenceRatio).toBeCloseTo(1.5, 12);
    expect(burner([note("leaking and noisy")]).evidenceRatio).toBeCloseTo(1.5 * 1.35, 12);
  });

  test("weigh half in the logarithm when the fault was mended", () => {
    expect(burner([note("leak repaired")]).evidenceRatio).toBeCloseTo(1.2247449, 6); // √1.5
  });

  test("fade over twelve months", () => {
    // 100 days of 365.25
    const score = burner([note("leaking", { date: "2025-03-23" })]);
    expect(score.evidenceRatio).toBeCloseTo(1 + 0.5 * (1 - 100 / 365.25), 12);
    expect(burner([note("leaking", { date: "2024-06-30" })]).evidenceRatio).toBe(1);
  });

  test("on a whole appliance speak of the components that the word fits, at the square root", () => {
    const events = [note("leaking", { componentId: null })];
    const boiler = appliance("boiler", { installYear: 2025, events });
    const found = scores(property([boiler]));
    expect(found.get("A/boiler_relief_valve")!.evidenceRatio).toBeCloseTo(1.5 ** 0.5, 12);
    expect(found.get("A/boiler_controls")!.evidenceRatio).toBe(1);
  });

  test("on a whole appliance that has no such component speak of all its components", () => {
    const panel = appliance("electrical_panel", { events: [note("leaking", { componentId: null })] });
    for (const score of scores(property([panel])).values())
      expect(score.evidenceRatio).toBeCloseTo(1.5 ** 0.5, 12);
  });

  test("of dirt are cleared by the cleaning itself or a later one", () => {
    const dirty = { ...named, notes: "dirty filter" };
    expect(burner([event("Other", "2025-06-01", dirty)]).evidenceRatio).toBeGreaterThan(1);
    expect(burner([event("Cleaning", "2025-06-01", dirty)]).evidenceRatio).toBe(1);
    const later = event("Filter Change", "2025-06-15");
    expect(burner([event("Other", "2025-06-01", dirty), later]).evidenceRatio).toBe(1);
  });
});

describe("a brand on a hazard list", () => {
  test("doubles the odds of the components named, for as long as it is there", () => {
    const panel = appliance("electrical_panel", { brand: "Federal Pacific Electric" });
    const found = scores(property([panel]));
    expect(found.get("A/panel_main_breaker")!.evidenceRatio).toBe(2);
    expect(found.get("A/panel_gfci_afci")!.evidenceRatio).toBe(1);
  });

  test("is found in the model too", () => {
    const panel = appliance("electrical_panel", { brand: "FPC", model: "Stab-Lok 200A" });
    expect(scores(property([panel])).get("A/panel_bus_enclosure")!.evidenceRatio).toBe(2);
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
    expect(score.evidenceRatio).toBeCloseTo(1.8 * 1.5 * 0.95, 12);
  });

  test("is left out unless asked for, and changes no score", () => {
    const plain = scores(history).get(BURNER)!;
    const { evidence, ...explained } = scoreProperty(knowledge, history, AS_OF, { explain: true }).get(
      BURNER,
    )!;
    expect(evidence).toHaveLength(3);
    expect(plain).toEqual(explained);
  });
});
