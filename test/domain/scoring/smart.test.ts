import { expect, test } from "bun:test";
import type { SmartEvidence } from "../../../src/domain/scoring/types.ts";
import { AS_OF, appliance, event, property, reading, scores } from "./histories.ts";

const TANK = "A/wh_gas_tank";
const ANODE = "A/wh_gas_anode";

/** The evidence ratio of a gas water heater's component, too young for any cascade. */
function ratio(smartEvents: SmartEvidence[], events: ReturnType<typeof event>[] = [], id = TANK): number {
  const heater = appliance("water_heater_gas", { installYear: 2025, smartEvents, events });
  return scores(property([heater])).get(id)!.evidenceRatio;
}

test("a warning weighs by its type and severity on the components that the knowledge base names", () => {
  expect(ratio([reading(AS_OF)])).toBe(2);
  expect(ratio([reading(AS_OF, { severity: "critical" })])).toBe(4);
  expect(ratio([reading(AS_OF)], [], ANODE)).toBe(1);
});

test("a warning that names a component speaks of that one alone", () => {
  expect(ratio([reading(AS_OF, { componentId: ANODE })], [], ANODE)).toBe(2);
  expect(ratio([reading(AS_OF, { componentId: ANODE })])).toBe(1);
});

// Rule: normal-reading
test("a warning fades over 90 days", () => {
  expect(ratio([reading("2025-06-01")])).toBeCloseTo(1 + 60 / 90, 12); // 30 days old
  expect(ratio([reading("2025-04-02")])).toBe(1);
});

test("a sensor that repeats itself says one thing, at its strongest", () => {
  expect(ratio([reading(AS_OF), reading("2025-06-30"), reading("2025-06-29")])).toBe(2);
  expect(ratio([reading(AS_OF), reading("2025-06-30", { severity: "high" })])).toBeCloseTo(
    1 + 1.8 * (89 / 90),
    12,
  );
});

test("different kinds of warning multiply", () => {
  expect(ratio([reading(AS_OF), reading(AS_OF, { eventType: "high_moisture" })])).toBeCloseTo(2 * 1.35, 12);
});

// Rule: normal-reading
test("a normal reading clears the earlier warnings of its sensor, within one day too", () => {
  const warning = reading(AS_OF);
  const normal = (after: number, sensorId = "s1") =>
    reading(AS_OF, { eventType: "normal", sensorId, recordedAt: warning.recordedAt + after });
  expect(ratio([warning, normal(60_000)])).toBe(1);
  expect(ratio([normal(60_000), warning])).toBe(1);
  expect(ratio([warning, normal(-60_000)])).toBe(2);
  expect(ratio([warning, normal(60_000, "s2")])).toBe(2);
});

test("a Repair or Replacement on the day or later ends a warning", () => {
  for (const type of ["Repair", "Replacement"] as const) {
    const before = ratio([], [event(type, "2025-06-20")]);
    expect(ratio([reading("2025-06-20")], [event(type, "2025-06-20")])).toBe(before);
    expect(ratio([reading("2025-06-21")], [event(type, "2025-06-20")])).toBeGreaterThan(before);
  }
});

test("a Repair of another component ends nothing", () => {
  expect(
    ratio([reading("2025-06-20")], [event("Repair", "2025-06-25", { componentId: ANODE })]),
  ).toBeGreaterThan(1);
});

test("an event type that the knowledge base lacks says nothing", () => {
  expect(ratio([reading(AS_OF, { eventType: "moon_phase", componentId: TANK })])).toBe(1);
});

test("a reading of after the day of scoring says nothing, and clears nothing", () => {
  expect(ratio([reading("2025-07-02")])).toBe(1);
  expect(ratio([reading("2025-06-30"), reading("2025-07-02", { eventType: "normal" })])).toBeGreaterThan(1);
});
