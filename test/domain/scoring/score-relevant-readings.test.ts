import { expect, test } from "bun:test";
import fc from "fast-check";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import { ScoreRelevantReadings } from "../../../src/domain/scoring/score-relevant-readings.ts";
import type { SmartEvidence } from "../../../src/domain/scoring/scoring-types.ts";
import { dayFromNumber, dayNumber, MS_PER_DAY } from "../../../src/domain/time.ts";
import { AS_OF, appliance, event, knowledge, property } from "./histories.ts";

const TODAY = dayNumber(AS_OF);
const PARTS = ["A/wh_gas_tank", "A/wh_gas_anode"];
const SEVERITIES = ["low", "medium", "high", "critical"] as const;

const aReading: fc.Arbitrary<SmartEvidence> = fc.record({
  // Few types and severities, so that many supersede others.
  componentId: fc.option(fc.constantFrom(...PARTS), { freq: 1 }),
  eventType: fc.constantFrom("water_leak", "water_leak", "normal", "overheating", "unheard_of"),
  severity: fc.constantFrom("low", "high"),
  sensorId: fc.option(fc.constantFrom("s1", "s2")),
  // Few instants, so that many coincide.
  recordedAt: fc
    .tuple(fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 85, max: 95 })), fc.nat(2))
    .map(([ago, part]) => (TODAY - ago) * MS_PER_DAY + part),
});
const repair = fc.record({
  eventType: fc.constantFrom("Repair" as const, "Replacement" as const),
  componentId: fc.option(fc.constantFrom(...PARTS)),
  ago: fc.integer({ min: 0, max: 6 }),
});
const newestFirst = (a: SmartEvidence, b: SmartEvidence) => b.recordedAt - a.recordedAt;

function keptOf(readings: readonly SmartEvidence[], days: readonly number[]): SmartEvidence[] {
  const relevant = new ScoreRelevantReadings(knowledge, days);
  for (const reading of readings.toSorted(newestFirst)) relevant.add(reading);
  return relevant.kept;
}

test("scores and explanations from the relevant readings equal those from all readings on each day", () => {
  fc.assert(
    fc.property(
      fc.array(aReading, { minLength: 1, maxLength: 25 }),
      fc.array(repair, { maxLength: 2 }),
      fc.uniqueArray(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 80, max: 95 })), {
        minLength: 1,
        maxLength: 4,
      }),
      (smartEvents, repairs, daysAgo) => {
        const events = repairs.map(({ ago, eventType, componentId }) =>
          event(eventType, dayFromNumber(TODAY - ago), { componentId }),
        );
        const scoresOf = (readings: SmartEvidence[], day: number) => {
          const heater = appliance("water_heater_gas", { smartEvents: readings, events });
          return [...scoreProperty(knowledge, property([heater]), dayFromNumber(day), { explain: true })];
        };
        const days = daysAgo.map((ago) => TODAY - ago).sort((a, b) => a - b);
        const kept = keptOf(smartEvents, days);
        for (const day of days) expect(scoresOf(kept, day)).toEqual(scoresOf(smartEvents, day));
      },
    ),
    { numRuns: 1000 },
  );
});

test("the number of readings kept is bounded for any number of sensors that repeat themselves", () => {
  const readings = Array.from(
    { length: 20_000 },
    (_, i): SmartEvidence => ({
      componentId: [null, ...PARTS][i % 3]!,
      eventType: ["water_leak", "overheating"][i % 2]!,
      severity: SEVERITIES[i % 4]!,
      sensorId: `s${i}`,
      recordedAt: TODAY * MS_PER_DAY - i * 300_000,
    }),
  );
  expect(keptOf(readings, [TODAY])).toHaveLength(12);
  expect(keptOf(readings, [TODAY - 30, TODAY])).toHaveLength(24);
  const cleared = readings.map((one) => ({ ...one, eventType: "normal", recordedAt: one.recordedAt + 1 }));
  expect(keptOf([...readings, ...cleared], [TODAY])).toHaveLength(0);
});
