import { describe, expect, test } from "bun:test";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import type { ApplianceHistory, PropertyHistory } from "../../../src/domain/scoring/scoring-types.ts";
import { AS_OF, appliance, event, knowledge, property, scores } from "./histories.ts";

/** Returns an appliance installed 20 years ago whose parts have lifespans that give these priors. */
function withLifespans(typeId: string, years: Record<string, number>, given: Partial<ApplianceHistory> = {}) {
  const made = appliance(typeId, given);
  // 1000 years: too young to cause a cascade
  const components = made.components.map((part) => ({
    ...part,
    overrideLifespan: years[part.defId] ?? 1000,
  }));
  return { ...made, components };
}

describe("within an appliance", () => {
  const ratioWith = (floatSwitchLife: number) =>
    scores(property([withLifespans("sump_pump", { sump_float_switch: floatSwitchLife })])).get("A/sump_pump")!
      .hazardRatio;

  // Rule: cascade
  test("a failing upstream part raises its downstream parts by the rule's ratio", () => {
    expect(ratioWith(5)).toBeCloseTo(1.6, 12);
  });

  test("a sound one has no effect", () => {
    expect(ratioWith(25)).toBe(1);
  });

  test("one in between has a proportional effect, from 0.52 to 0.78", () => {
    // shape 1.6; at 20 years of a life of 9 the coming year's hazard is 0.2017885: 1 - exp(-5 · that) = 0.635397
    expect(ratioWith(9)).toBeCloseTo(1 + 0.6 * ((0.635397 - 0.52) / 0.26), 5);
  });

  // Rule: cascade
  test("several multiply, up to 2.5", () => {
    const lives = { boiler_expansion_tank: 5, boiler_circulator: 5, boiler_controls: 5 };
    const found = scores(property([withLifespans("boiler", lives)]));
    // 1.3 · 1.5 · 1.6 = 3.12
    expect(found.get("A/boiler_heat_exchanger")!.hazardRatio).toBe(2.5);
  });

  // Rule: cascade
  test("comes from the upstream part's own evidence alone, since the rest reaches the downstream part itself", () => {
    const FLOAT = "A/sump_float_switch";
    const ratioAfter = (componentId: string | null, claims: PropertyHistory["claims"] = []) => {
      const events = [event("Emergency Repair", AS_OF, { componentId })];
      const pump = withLifespans("sump_pump", { sump_float_switch: 9 }, { events });
      const found = scoreProperty(knowledge, property([pump], { claims }), AS_OF, { explain: true });
      const cascade = found.get("A/sump_pump")!.evidence!.find(({ kind }) => kind === "cascade")!;
      return { cascade: cascade.ratio, float: found.get(FLOAT)!.hazardRatio };
    };
    const alone = ratioWith(9);
    const onAppliance = ratioAfter(null, [{ claimType: "flood", dateOfLoss: AS_OF, status: "open" }]);
    expect(onAppliance.cascade).toBe(alone);
    expect(onAppliance.float).toBeGreaterThan(1.3);
    expect(ratioAfter(FLOAT).cascade).toBe(1.6);
  });

  // Rule: cascade
  test("a cascade does not cause further cascades", () => {
    // The flashing alone scores 0.37. The sealant raises it over 0.52, which must not affect the membrane.
    const roof = withLifespans("roof", { roof_sealant: 5, roof_flashing: 23 });
    const found = scores(property([roof]));
    expect(found.get("A/roof_flashing")!.riskScore).toBeGreaterThan(0.52);
    expect(found.get("A/roof_membrane")!.hazardRatio).toBe(1);
  });
});

describe("across appliance types", () => {
  const supply = (unitId: string | null) =>
    withLifespans("plumbing_supply", { plumb_prv: 5 }, { id: "S", unitId });
  const heater = (unitId: string | null) => withLifespans("water_heater_gas", {}, { id: "H", unitId });
  const ratio = (...appliances: ApplianceHistory[]) =>
    scores(property(appliances)).get("H/wh_gas_tp_valve")!.hazardRatio;

  test("a cascade reaches appliances of the same unit, and all from one that serves the whole property", () => {
    expect(ratio(supply("U1"), heater("U1"))).toBeCloseTo(1.5, 12);
    expect(ratio(supply(null), heater("U1"))).toBeCloseTo(1.5, 12);
    expect(ratio(supply(null), heater(null))).toBeCloseTo(1.5, 12);
  });

  test("a cascade reaches no other unit, and nothing that serves the whole property from within one unit", () => {
    expect(ratio(supply("U2"), heater("U1"))).toBe(1);
    expect(ratio(supply("U1"), heater(null))).toBe(1);
  });

  test("a rule within a type does not reach another appliance of that type", () => {
    const bad = withLifespans("sump_pump", { sump_float_switch: 5 }, { id: "B" });
    const found = scores(property([bad, withLifespans("sump_pump", {}, { id: "G" })]));
    expect(found.get("G/sump_pump")!.hazardRatio).toBe(1);
  });

  test("scoring one appliance alone gives the same score as scoring all", () => {
    const history = property([heater("U1"), supply(null), appliance("roof", { id: "R" })]);
    const only = scoreProperty(knowledge, history, AS_OF, { only: new Set(["H"]) });
    expect([...only.keys()].every((id) => id.startsWith("H/"))).toBe(true);
    const all = scores(history);
    for (const [id, score] of only) expect(score).toEqual(all.get(id)!);
  });
});
