import fc from "fast-check";
import type {
  ApplianceHistory,
  ClaimEvidence,
  EventEvidence,
  PropertyHistory,
  SmartEvidence,
} from "../../../src/domain/scoring/scoring-types.ts";
import { EVENT_TYPES } from "../../../src/domain/service-event.ts";
import { dayFromNumber, dayNumber, MS_PER_DAY } from "../../../src/domain/time.ts";
import { ALWAYS, AS_OF, appliance, knowledge, noteOf } from "./histories.ts";

/* Generators of histories. */

const TODAY = dayNumber(AS_OF);

export const day = fc.integer({ min: TODAY - 25 * 365, max: TODAY }).map(dayFromNumber);
const recentDay = fc.integer({ min: TODAY - 800, max: TODAY }).map(dayFromNumber);
export const anyDay = fc.oneof(day, recentDay);
export const notes = fc.constantFrom(
  null,
  "annual service, no issues",
  "leaking at valve",
  "leak repaired",
  "noisy, dirty coil",
  "cleaned and tightened",
  "failed test, recommend replacement",
);

function eventOn(componentIds: string[]): fc.Arbitrary<EventEvidence> {
  return fc.record({
    componentId: fc.option(fc.constantFrom(...componentIds)),
    eventType: fc.constantFrom(...EVENT_TYPES),
    date: anyDay,
    conditionAfter: fc.option(fc.constantFrom("good", "fair", "poor"), { freq: 2 }),
    note: notes.map(noteOf),
  });
}

export function readingOn(componentIds: string[]): fc.Arbitrary<SmartEvidence> {
  return fc.record({
    componentId: fc.option(fc.constantFrom(...componentIds)),
    eventType: fc.constantFrom(...knowledge.smartEvents.keys(), "unheard_of"),
    severity: fc.constantFrom("low", "medium", "high", "critical"),
    sensorId: fc.option(fc.constantFrom("s1", "s2")),
    recordedAt: fc.integer({ min: (TODAY - 120) * MS_PER_DAY, max: (TODAY + 1) * MS_PER_DAY - 1 }),
  });
}

const applianceHistory = (id: string): fc.Arbitrary<ApplianceHistory> =>
  fc.constantFrom(...knowledge.types.keys()).chain((typeId) => {
    const ids = appliance(typeId, { id }).components.map((part) => part.id);
    return fc
      .record({
        unitId: fc.constantFrom(null, "U1", "U2"),
        brand: fc.constantFrom(null, "Trane", "Zinsco", "polybutylene"),
        brandTier: fc.constantFrom("premium", "standard", "budget"),
        installYear: fc.integer({ min: 1995, max: 2025 }),
        usageIntensity: fc.double({ min: 0.5, max: 2, noNaN: true }),
        events: fc.array(eventOn(ids), { maxLength: 7 }),
        smartEvents: fc.array(readingOn(ids), { maxLength: 3 }),
      })
      .map((given): ApplianceHistory => appliance(typeId, { id, ...given }));
  });

export const claim: fc.Arbitrary<ClaimEvidence> = fc.record({
  claimType: fc.constantFrom(...knowledge.claimTypes.keys()),
  dateOfLoss: fc.integer({ min: TODAY - 6 * 365, max: TODAY }).map(dayFromNumber),
  status: fc.constantFrom("open", "closed", "denied"),
});

/** Histories whose records begin at any time, so that many pasts are unknown. */
export const history: fc.Arbitrary<PropertyHistory> = fc.record({
  state: fc.constantFrom(null, "TX", "MN", "FL", "PR"),
  recordsSince: fc.oneof(fc.constant(ALWAYS), anyDay),
  yearBuilt: fc.constantFrom(null, 1955, 1985, 2005),
  claims: fc.array(claim, { maxLength: 5 }),
  appliances: fc
    .tuple(applianceHistory("A0"), applianceHistory("A1"), applianceHistory("A2"))
    .map((all) => [...all]),
});
