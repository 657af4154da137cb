import { expect, test } from "bun:test";
import type { SmartEvidence } from "../../../src/domain/scoring/scoring-types.ts";
import { AS_OF, appliance, event, property, reading, scores } from "./histories.ts";

const TANK = "A/wh_gas_tank";
const ANODE = "A/wh_gas_anode";

function scored(smartEvents: SmartEvidence[], events: ReturnType<typeof event>[] = [], id = TANK) {
  const heater = appliance("water_heater_gas", { installYear: 2025, smartEvents, events });
  return scores(property([heater])).get(id)!;
}
/** Returns the sum of (ratio − 1) over a component's active warnings; each 1 is an acute hazard of 0.15. */
const excess = (...given: Parameters<typeof scored>) => scored(...given).acuteHazard / 0.15;

// Rule: acute-hazard
test("a critical leak makes a new tank CRITICAL at once, a high one WARNING, a low one neither", () => {
  const leak = (severity: SmartEvidence["severity"]) =>
    scored([reading(AS_OF, { severity, componentId: TANK })]);
  expect(leak("critical")).toMatchObject({ riskTier: "CRITICAL", hazardRatio: 1 });
  expect(leak("critical").periodRisk).toBeCloseTo(0.3626, 4); // 1 - exp(-0.45), and what age gives
  expect(leak("high").riskTier).toBe("WARNING");
  expect(leak("low").riskTier).toBe("GOOD");
});

test("a warning adds a hazard that no ratio multiplies", () => {
  const warning = reading(AS_OF, { componentId: TANK });
  const alarmed = scored([warning], [event("Emergency Repair", AS_OF, { componentId: TANK })]);
  const repaired = scored([], [event("Emergency Repair", AS_OF, { componentId: TANK })]);
  expect(alarmed.hazardRatio).toBe(repaired.hazardRatio);
  expect(Math.log1p(-alarmed.periodRisk)).toBeCloseTo(Math.log1p(-repaired.periodRisk) - 0.15, 12);
});

test("a warning counts by type and severity on the components that the knowledge base lists", () => {
  expect(excess([reading(AS_OF)])).toBeCloseTo(1, 12);
  expect(excess([reading(AS_OF, { severity: "critical" })])).toBeCloseTo(3, 12);
  expect(excess([reading(AS_OF)], [], ANODE)).toBe(0);
});

test("a warning that names a component concerns that one only", () => {
  expect(excess([reading(AS_OF, { componentId: ANODE })], [], ANODE)).toBeCloseTo(1, 12);
  expect(excess([reading(AS_OF, { componentId: ANODE })])).toBe(0);
});

// Rule: normal-reading
test("a warning fades over 90 days", () => {
  expect(excess([reading("2025-06-01")])).toBeCloseTo(60 / 90, 12); // 30 days old
  expect(excess([reading("2025-04-02")])).toBe(0);
});

test("repeated warnings of a sensor count once, at the strongest", () => {
  expect(excess([reading(AS_OF), reading("2025-06-30"), reading("2025-06-29")])).toBeCloseTo(1, 12);
  expect(excess([reading(AS_OF), reading("2025-06-30", { severity: "high" })])).toBeCloseTo(
    1.8 * (89 / 90),
    12,
  );
});

test("warnings of different types add up", () => {
  expect(excess([reading(AS_OF), reading(AS_OF, { eventType: "high_moisture" })])).toBeCloseTo(1.35, 12);
});

// Rule: normal-reading
test("a normal reading clears the earlier warnings of its sensor, also within one day", () => {
  const warning = reading(AS_OF);
  const normal = (after: number, sensorId = "s1") =>
    reading(AS_OF, { eventType: "normal", sensorId, recordedAt: warning.recordedAt + after });
  expect(excess([warning, normal(60_000)])).toBe(0);
  expect(excess([normal(60_000), warning])).toBe(0);
  expect(excess([warning, normal(-60_000)])).toBeCloseTo(1, 12);
  expect(excess([warning, normal(60_000, "s2")])).toBeCloseTo(1, 12);
});

test("a Repair or Replacement on the day or later ends a warning", () => {
  for (const type of ["Repair", "Replacement"] as const) {
    expect(excess([reading("2025-06-20")], [event(type, "2025-06-20")])).toBe(0);
    expect(excess([reading("2025-06-21")], [event(type, "2025-06-20")])).toBeGreaterThan(0);
  }
});

test("a Repair of another component ends no warning", () => {
  expect(
    excess([reading("2025-06-20")], [event("Repair", "2025-06-25", { componentId: ANODE })]),
  ).toBeGreaterThan(0);
});

test("an unknown event type has no effect", () => {
  expect(excess([reading(AS_OF, { eventType: "moon_phase", componentId: TANK })])).toBe(0);
});

test("a reading after the scored day has no effect and clears nothing", () => {
  expect(excess([reading("2025-07-02")])).toBe(0);
  expect(excess([reading("2025-06-30"), reading("2025-07-02", { eventType: "normal" })])).toBeGreaterThan(0);
});
