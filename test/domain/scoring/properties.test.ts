import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { failureProbability, scoreByAging } from "../../../src/domain/scoring/outlook.ts";
import { tierOf } from "../../../src/domain/scoring/risk-tier.ts";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import type {
  ApplianceHistory,
  EventEvidence,
  PropertyHistory,
  Score,
} from "../../../src/domain/scoring/scoring-types.ts";
import { EVENT_TYPES, type EventType } from "../../../src/domain/service-event.ts";
import { addDays, dayNumber, MS_PER_DAY } from "../../../src/domain/time.ts";
import { anyDay, claim, history, readingOn } from "./any-history.ts";
import { ALWAYS, AS_OF, appliance, event, knowledge, property, scores } from "./histories.ts";

/** The rounding error of two computations of one number. */
const EPSILON = 1e-12;

/** Histories on record from the birth of every part. */
const onRecord = history.map((given) => ({ ...given, recordsSince: ALWAYS }));

/** Returns the history with its first appliance changed. Cascades may affect the others. */
function withFirst(given: PropertyHistory, change: (first: ApplianceHistory) => Partial<ApplianceHistory>) {
  const [first, ...others] = given.appliances;
  return { ...given, appliances: [{ ...first!, ...change(first!) }, ...others] };
}

const withEvents = (given: PropertyHistory, ...more: EventEvidence[]) =>
  withFirst(given, ({ events }) => ({ events: [...events, ...more] }));

function expectNoLower(after: Map<string, Score>, before: Map<string, Score>): void {
  for (const [id, score] of before) {
    expect(after.get(id)!.periodRisk).toBeGreaterThanOrEqual(score.periodRisk - EPSILON);
    expect(after.get(id)!.riskScore).toBeGreaterThanOrEqual(score.riskScore);
  }
}

/** The id of a component of the first appliance, or null for the whole appliance. */
const target = (given: PropertyHistory, pick: number) => {
  const parts = given.appliances[0]!.components;
  return [...parts.map(({ id }) => id), null][pick % (parts.length + 1)]!;
};
const pick = fc.nat({ max: 8 });

test("a score is from 0 to 0.99 with two decimals, and its tier follows from it", () => {
  fc.assert(
    fc.property(history, (given) => {
      for (const { riskScore, riskTier } of scores(given).values()) {
        expect(riskScore).toBeGreaterThanOrEqual(0);
        expect(riskScore).toBeLessThanOrEqual(0.99);
        expect(Math.round(riskScore * 100) / 100).toBe(riskScore);
        expect(riskTier).toBe(tierOf(riskScore));
      }
    }),
  );
});

describe("age, use and brand", () => {
  /** Only events without fading evidence: maintenance and brands. */
  const unfading = onRecord.map((given) => ({
    ...given,
    claims: [],
    appliances: given.appliances.map((one) => ({
      ...one,
      smartEvents: [],
      events: one.events.map((past) => ({
        ...past,
        eventType: "Preventive Maintenance" as const,
        conditionAfter: null,
        note: null,
      })),
    })),
  }));

  // Rule: fresh-and-aging
  test("growing older never lowers a score when no evidence fades", () => {
    fc.assert(
      fc.property(unfading, fc.nat({ max: 4000 }), (given, days) => {
        expectNoLower(scores(given, addDays(AS_OF, days)), scores(given));
      }),
    );
  });

  test("projected aging agrees with scoring later", () => {
    fc.assert(
      fc.property(unfading, fc.nat({ max: 4000 }), (given, days) => {
        const later = scores(given, addDays(AS_OF, days));
        for (const { components } of given.appliances)
          for (const { id, defId } of components) {
            const now = scores(given).get(id)!;
            if (now.hazardRatio !== later.get(id)!.hazardRatio || now.ageYears === 0) continue;
            const ahead = scoreByAging({ ...now, ...knowledge.component(defId) }, days, knowledge.model);
            expect(Math.abs(ahead - later.get(id)!.riskScore)).toBeLessThan(0.0101);
          }
      }),
      { numRuns: 30 },
    );
  });

  // Rule: use-and-tier-order
  test("more use never lowers a score", () => {
    fc.assert(
      fc.property(onRecord, fc.double({ min: 0, max: 1, noNaN: true }), (given, more) => {
        const harder = withFirst(given, ({ usageIntensity }) => ({ usageIntensity: usageIntensity + more }));
        expectNoLower(scores(harder), scores(given));
      }),
    );
  });

  // Rule: use-and-tier-order
  test("a premium brand scores no higher than a standard one, and that no higher than a budget one", () => {
    fc.assert(
      fc.property(onRecord, (given) => {
        const premium = scores(withFirst(given, () => ({ brandTier: "premium" })));
        const standard = scores(withFirst(given, () => ({ brandTier: "standard" })));
        const budget = scores(withFirst(given, () => ({ brandTier: "budget" })));
        expectNoLower(standard, premium);
        expectNoLower(budget, standard);
      }),
    );
  });
});

/**
 * Removes the notes beside conditions. The condition and the notes of a visit count as one; a newer condition takes the
 * place of the visit's, so that notes which it outweighed count again. That is as specified, and no effect of the newer
 * evidence itself.
 */
const withoutOutweighedNotes = (given: PropertyHistory) =>
  withFirst(given, ({ events }) => ({
    events: events.map((one) => (one.conditionAfter === null ? one : { ...one, note: null })),
  }));

describe("evidence", () => {
  test("that is adverse never lowers a score", () => {
    fc.assert(
      fc.property(history, anyDay, pick, fc.nat({ max: 2 }), (any, date, at, kind) => {
        const given = withoutOutweighedNotes(any);
        const componentId = target(given, at);
        const adverse = [
          event("Emergency Repair", date, { componentId }),
          event("Other", date, { componentId, conditionAfter: "poor" }),
          event("Warranty Claim", date, { componentId, notes: "leaking, noisy, burnt wire" }),
        ][kind]!;
        expectNoLower(scores(withEvents(given, adverse)), scores(given));
      }),
    );
  });

  test("of one more repair never lowers a score, unless it ends a sensor warning", () => {
    fc.assert(
      fc.property(history, anyDay, pick, (given, date, at) => {
        const quiet = withFirst(given, () => ({ smartEvents: [] }));
        const repair = event("Repair", date, { componentId: target(given, at) });
        expectNoLower(scores(withEvents(quiet, repair)), scores(quiet));
      }),
    );
  });

  test("that is favorable never raises a score", () => {
    fc.assert(
      fc.property(history, anyDay, pick, fc.nat({ max: 3 }), (any, date, at, kind) => {
        const given = withoutOutweighedNotes(any);
        const componentId = target(given, at);
        const favorable = [
          event("Inspection", date, { componentId }),
          event("Other", date, { componentId, conditionAfter: "good" }),
          event("Other", date, { componentId, notes: "passed, no issues, like new" }),
          event("Preventive Maintenance", date, { componentId }),
        ][kind]!;
        expectNoLower(scores(given), scores(withEvents(given, favorable)));
      }),
    );
  });

  test("from a sensor never lowers a score, unless it is a normal reading, which never raises one", () => {
    fc.assert(
      fc.property(history, readingOn(["A0/none"]), (given, reading) => {
        const more = withFirst(given, ({ smartEvents }) => ({ smartEvents: [...smartEvents, reading] }));
        const [before, after] = [scores(given), scores(more)];
        if (reading.eventType === "normal") expectNoLower(before, after);
        else expectNoLower(after, before);
      }),
    );
  });

  test("of a third claim never lowers a score", () => {
    fc.assert(
      fc.property(history, claim, (given, third) => {
        const claims = given.claims.slice(0, 2);
        expectNoLower(scores({ ...given, claims: [...claims, third] }), scores({ ...given, claims }));
      }),
    );
  });
});

describe("claims", () => {
  test("of five years ago or more change nothing", () => {
    fc.assert(
      fc.property(history, claim, fc.integer({ min: 1827, max: 9000 }), (given, old, days) => {
        const past = { ...old, dateOfLoss: addDays(AS_OF, -days) };
        expect(scores({ ...given, claims: [...given.claims, past] })).toEqual(scores(given));
      }),
    );
  });

  test("beyond the three strongest change nothing", () => {
    const strong = ["gas_leak_explosion", "fire_electrical", "frozen_pipe_burst"].map((claimType) => ({
      claimType,
      dateOfLoss: AS_OF,
      status: "open" as const,
    }));
    const weaker = claim.filter(({ claimType }) => knowledge.claimType(claimType)!.ratio < 1.9);
    fc.assert(
      fc.property(history, weaker, (given, fourth) => {
        const three = { ...given, claims: strong };
        expect(scores({ ...given, claims: [...strong, fourth] })).toEqual(scores(three));
      }),
    );
  });
});

// Rule: fresh-and-aging
test("right after a Replacement, without other adverse evidence, a score is at most 0.40", () => {
  const quiet = history.map((given) => ({
    ...given,
    claims: [],
    appliances: given.appliances.map((one) => ({ ...one, smartEvents: [] })),
  }));
  fc.assert(
    fc.property(quiet, pick, (given, at) => {
      const componentId = target(given, at);
      const replaced = withEvents(given, event("Replacement", AS_OF, { componentId }));
      const found = scoreProperty(knowledge, replaced, AS_OF, { explain: true });
      for (const { id } of given.appliances[0]!.components) {
        const score = found.get(id)!;
        if (componentId !== null && componentId !== id) continue;
        expect(score.effectiveAgeYears).toBe(0);
        if (score.evidence!.length === 0) expect(score.riskScore).toBeLessThanOrEqual(0.4);
      }
    }),
  );
});

describe("an unknown past", () => {
  const RESTORING = new Set(["Preventive Maintenance", "Cleaning", "Filter Change"]);
  /** Without restorations, the original's virtual age is that at the start of the record plus what accrued since. */
  const unrestored = history.map((given) => ({
    ...given,
    appliances: given.appliances.map((one) => ({
      ...one,
      events: one.events.filter(({ eventType }) => !RESTORING.has(eventType)),
    })),
  }));

  test("never makes a part older than the original would be", () => {
    fc.assert(
      fc.property(unrestored, (given) => {
        const original = scores({ ...given, recordsSince: ALWAYS });
        for (const [id, { prior }] of scores(given))
          expect(prior).toBeLessThanOrEqual(original.get(id)!.prior + EPSILON);
      }),
    );
  });

  test("is not assumed if the record covers the life", () => {
    fc.assert(
      fc.property(history, (given) => {
        const [found, covered] = [scores(given), scores({ ...given, recordsSince: ALWAYS })];
        for (const { components, events, installYear } of given.appliances)
          for (const { id, defId } of components) {
            const isReplaced = events.some(
              (past) => past.eventType === "Replacement" && [id, null].includes(past.componentId),
            );
            const isCovered = given.recordsSince <= `${installYear}-07-01`;
            if (isReplaced || isCovered || knowledge.component(defId).replaced === "with_appliance")
              expect(found.get(id)!.prior).toBe(covered.get(id)!.prior);
          }
      }),
    );
  });
});

describe("the order of records", () => {
  /** Returns the history with every list reversed. */
  const reversed = (given: PropertyHistory): PropertyHistory => ({
    ...given,
    claims: given.claims.toReversed(),
    appliances: given.appliances.toReversed().map((one) => ({
      ...one,
      components: one.components.toReversed(),
      events: one.events.toReversed(),
      smartEvents: one.smartEvents.toReversed(),
    })),
  });

  // Rule: order-of-history
  test("has no effect on scores", () => {
    fc.assert(
      fc.property(history, (given) => {
        const [found, again] = [scores(given), scores(reversed(given))];
        expect(again.size).toBe(found.size);
        for (const [id, score] of found) expect(again.get(id)!).toEqual(score);
      }),
    );
  });

  // Rule: order-of-history
  test("has no effect with repeated events", () => {
    fc.assert(
      fc.property(history, (given) => {
        const twice = withFirst(given, ({ events, smartEvents }) => ({
          events: [...events, ...events],
          smartEvents: [...smartEvents, ...smartEvents],
        }));
        expect(scores(twice)).toEqual(scores(given));
      }),
    );
  });

  // Rule: order-of-history
  test("has no effect with records dated after the scored day", () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 900 }), pick, (given, days, at) => {
        const date = addDays(AS_OF, days);
        const recordedAt = dayNumber(date) * MS_PER_DAY;
        const later = withFirst(
          withEvents(
            given,
            ...EVENT_TYPES.map((type) =>
              event(type, date, { componentId: target(given, at), conditionAfter: "poor", notes: "leaking" }),
            ),
          ),
          ({ smartEvents, components }) => ({
            smartEvents: [
              ...smartEvents,
              ...["s1", null].flatMap((sensorId) =>
                ["water_leak", "normal"].map((eventType) => ({
                  componentId: null,
                  eventType,
                  sensorId,
                  recordedAt,
                  severity: "critical" as const,
                })),
              ),
            ],
            components: components.map((part) => ({ ...part, lastReplaced: date })),
          }),
        );
        const claims = [
          ...given.claims,
          { claimType: "fire_electrical", dateOfLoss: date, status: "open" as const },
        ];
        expect(scores({ ...later, claims })).toEqual(scores(given));
      }),
    );
  });

  test("has no effect on an appliance scored alone", () => {
    fc.assert(
      fc.property(history, (given) => {
        const only = scoreProperty(knowledge, given, AS_OF, { only: new Set(["A1"]) });
        const all = scores(given);
        expect(only.size).toBe(given.appliances[1]!.components.length);
        for (const [id, score] of only) expect(score).toEqual(all.get(id)!);
      }),
    );
  });
});

// Rule: failure-probability
test("the failure probability is 0 at 0 days, rises with days, and stays within 1", () => {
  fc.assert(
    fc.property(
      history,
      fc.uniqueArray(fc.integer({ min: 1, max: 20_000 }), { minLength: 2 }),
      (given, windows) => {
        const found = scores(given);
        for (const { components } of given.appliances)
          for (const { id, defId } of components) {
            const outlook = { ...found.get(id)!, ...knowledge.component(defId) };
            const within = (days: number) => failureProbability(outlook, days, knowledge.model);
            expect(within(0)).toBe(0);
            const rising = windows.toSorted((a, b) => a - b).map(within);
            for (let i = 1; i < rising.length; i++) expect(rising[i]!).toBeGreaterThanOrEqual(rising[i - 1]!);
            expect(rising[0]!).toBeGreaterThan(0);
            expect(rising.at(-1)!).toBeLessThanOrEqual(1);
          }
      },
    ),
    { numRuns: 40 },
  );
});

test("events that differ only in the text of their notes count equally as single events and as a number", () => {
  const many = fc.record({
    eventType: fc.constantFrom(...EVENT_TYPES),
    date: anyDay,
    times: fc.integer({ min: 1, max: 6 }),
  });
  fc.assert(
    fc.property(history, fc.array(many, { maxLength: 8 }), pick, (given, some, at) => {
      const componentId = target(given, at);
      const findings = [{ groupId: "leak", share: 1 as const }];
      const noted = (key: string) => ({ componentId, note: { key, findings } });
      const each = some.flatMap(({ eventType, date, times }, which) =>
        Array.from({ length: times }, (_, n) => event(eventType, date, noted(`${which} ${n}`))),
      );
      const together = some.map(({ eventType, date, times }, which) =>
        event(eventType, date, { ...noted(`${which} 0`), times }),
      );
      expect([...scores(withEvents(given, ...together))]).toEqual([...scores(withEvents(given, ...each))]);
    }),
  );
});

test("an event with a number counts that often", () => {
  const tank = appliance("water_heater_gas").components[0]!.id;
  const reported = (...events: EventEvidence[]) =>
    scores(property([appliance("water_heater_gas", { events })])).get(tank)!;
  const on = (eventType: EventType, times: number) => event(eventType, AS_OF, { componentId: tank, times });
  const alone = reported().hazardRatio;
  const ratio = (eventType: EventType, times: number) => reported(on(eventType, times)).hazardRatio / alone;
  expect(ratio("Emergency Repair", 2)).toBeCloseTo(1.8 ** 2, 12);
  expect(ratio("Inspection", 4)).toBeCloseTo(0.95 ** 4, 12);
  expect(ratio("Repair", 2)).toBeCloseTo(1.25 ** 2, 12);
  expect(ratio("Repair", 20)).toBeCloseTo(1.25 ** 3, 12);
  expect(reported(on("Other", 2)).confidence).toBe(reported(on("Other", 1)).confidence);
  const known = (events: number) =>
    scores(
      property([
        appliance("water_heater_gas", {
          brand: "Rheem",
          brandTier: "standard",
          events: [event("Inspection", AS_OF, { componentId: tank, conditionAfter: "good", times: events })],
        }),
      ]),
    ).get(tank)!.confidence;
  expect([known(2), known(3)]).toEqual(["MEDIUM", "HIGH"]);
});
