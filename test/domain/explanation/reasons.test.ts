import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { explainScorePartsInSteps } from "../../../src/domain/explanation/explanation.ts";
import { mainReasonsOf, type Reason } from "../../../src/domain/explanation/score-reasons.ts";
import { UNCORRECTED } from "../../../src/domain/scoring/score-model-corrections.ts";
import type { PropertyHistory } from "../../../src/domain/scoring/scoring-types.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { history } from "../scoring/any-history.ts";
import { ALWAYS, AS_OF, appliance, event, knowledge, property, reading } from "../scoring/histories.ts";

function reasons(given: PropertyHistory, at: { applianceId: string; componentId: string }): Reason[] {
  return mainReasonsOf(runSteps(explainScorePartsInSteps(knowledge, given, at, AS_OF, UNCORRECTED)));
}
const TANK = { applianceId: "A", componentId: "A/wh_gas_tank" };
const ofTank = (
  given: Parameters<typeof appliance>[1],
  rest: Omit<Parameters<typeof property>[1], "appliances"> = {},
) => reasons(property([appliance("water_heater_gas", given)], { recordsSince: ALWAYS, ...rest }), TANK);
const texts = (some: readonly Reason[]) => some.map(({ effect, text, on }) => [effect, text, on]);

describe("the reasons for a score", () => {
  test("begin with the age, compared with the life of its kind", () => {
    const leads = [2025, 2020, 2016, 2005].map((installYear) => ofTank({ installYear })[0]!);
    expect(leads.map(({ effect }) => effect)).toEqual(["lowers", "neutral", "raises", "raises"]);
    expect(leads.map(({ text }) => text.split(":")[0])).toEqual([
      "Early in its life",
      "In the middle of its life",
      "Aging",
      "Old for its type",
    ]);
    expect(leads[0]!.text).toContain("installed less than a year ago; half of its kind last");
    expect(leads[3]!.text).toContain("installed 20 years ago");
  });

  test("name a replacement, a life that was set, and a past that is not on record", () => {
    const replaced = event("Replacement", "2022-06-01", { componentId: TANK.componentId });
    expect(ofTank({ events: [replaced] })[0]!.text).toContain("replaced 3 years ago");
    const components = appliance("water_heater_gas").components.map((one) => ({
      ...one,
      overrideLifespan: 30,
    }));
    expect(ofTank({ components })[0]!.text).toMatch(/; it is expected to last \d+ years$/);
    const burner = { applianceId: "A", componentId: "A/boiler_burner" };
    const old = property([appliance("boiler", { installYear: 1990 })], { recordsSince: "2023-01-01" });
    expect(reasons(old, burner)[0]!.text).toContain("possibly renewed before the record begins");
  });

  test("then name the evidence with the greatest effect, one line for each kind, with its latest date", () => {
    const repairs = ["2025-01-02", "2025-03-04"].map((date) =>
      event("Emergency Repair", date, { componentId: TANK.componentId }),
    );
    const poor = event("Inspection", "2025-05-06", {
      componentId: TANK.componentId,
      conditionAfter: "poor",
    });
    expect(texts(ofTank({ events: [...repairs, poor] })).slice(1)).toEqual([
      ["raises", "2 emergency repairs", "2025-03-04"],
      ["raises", "In poor condition when last examined", "2025-05-06"],
    ]);
    const good = event("Inspection", "2025-06-06", {
      componentId: TANK.componentId,
      conditionAfter: "good",
    });
    expect(texts(ofTank({ events: [good] }))[1]).toEqual([
      "lowers",
      "In good condition when last examined",
      "2025-06-06",
    ]);
  });

  test("name warnings, claims, notes and other components in words", () => {
    const warned = reading("2025-06-25", { eventType: "water_leak", severity: "high" });
    expect(texts(ofTank({ installYear: 2020, smartEvents: [warned] }))[1]).toEqual([
      "raises",
      "Sensor warning: water leak, high",
      "2025-06-25",
    ]);
    const claims = [{ claimType: "water_damage", dateOfLoss: "2025-05-01", status: "open" as const }];
    expect(texts(ofTank({}, { claims }))).toContainEqual([
      "raises",
      "Claim on the property: Water damage (non-weather)",
      "2025-05-01",
    ]);
    const note = event("Repair", "2025-06-01", { componentId: TANK.componentId, notes: "tank leaks" });
    expect(texts(ofTank({ events: [note] }))).toContainEqual([
      "raises",
      "A technician's note mentions “leak” or similar",
      "2025-06-01",
    ]);
    expect(ofTank({}).some(({ text }) => text.startsWith("Affected by another component. Sacrificial"))).toBe(
      true,
    );
  });

  test("end with use, surroundings and a missing record, if there is room", () => {
    const young = { installYear: 2024 };
    expect(texts(ofTank(young)).at(-1)).toEqual([
      "neutral",
      "No service is on record, so the score rests on age and type",
      null,
    ]);
    const heavy = ofTank({ ...young, usageIntensity: 2 });
    expect(heavy.some(({ text }) => text.startsWith("Ages faster than usual: heavy use"))).toBe(true);
    const light = ofTank({ ...young, usageIntensity: 0.5 });
    expect(light.some(({ text }) => text === "Ages more slowly than usual: light use")).toBe(true);
  });

  test("are one to three sentences without weights, for any history", () => {
    fc.assert(
      fc.property(history, fc.nat(), (given, at) => {
        const { id: applianceId, components } = given.appliances[0]!;
        const componentId = components[at % components.length]!.id;
        const some = reasons(given, { applianceId, componentId });
        expect(some.length).toBeWithin(1, 4);
        for (const { text, on } of some) {
          expect(text).toMatch(/^[A-Z0-9]/);
          expect(text).not.toMatch(/\d\.\d|%|undefined|NaN|Infinity/);
          if (on !== null) expect(on <= AS_OF).toBeTrue();
        }
        expect(new Set(some.map(({ text }) => text)).size).toBe(some.length);
      }),
      { numRuns: 150 },
    );
  });
});
