import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { PropertyHistory } from "../../../src/domain/scoring/scoring-types.ts";
import {
  createUnknownPast,
  failureProbabilitySinceRecordBegan,
  hazardSinceRecordBegan,
  PriorCache,
} from "../../../src/domain/scoring/unknown-past.ts";
import { addDays, dayFromNumber, dayNumber } from "../../../src/domain/time.ts";
import { recordStartOf } from "./golden.ts";
import { AS_OF, appliance, BURNER, event, knowledge, property, scores } from "./histories.ts";

const { model } = knowledge;

/** Computes docs/model/scoring.md#unknown-past term by term. */
function naive(shape: number, t: number, d: number) {
  const S = (x: number) => Math.exp(-(x ** shape));
  const ages = Array.from({ length: 64 }, (_, j) => ((j + 0.5) / 64) * t);
  const sum = (of: (age: number) => number) => ages.reduce((total, age) => total + of(age), 0);
  const k = (1 - S(t)) / sum(S);
  const survived = S(t + d) + k * sum((age) => S(age + d));
  const failed = S(t + d) * (1 - S(t + d)) + k * sum((age) => S(age + d) * (1 - S(age + d)));
  return { prior: failed / survived, hazard: -Math.log(survived) };
}

const shapes = fc.double({ min: 1, max: 5, noNaN: true });
const age = (max: number) => fc.double({ min: 1e-3, max, noNaN: true });

describe("a part whose past is unknown", () => {
  test("has the prior and the hazard of the renewal process", () => {
    fc.assert(
      fc.property(shapes, age(2), age(1.5), (shape, t, d) => {
        const past = createUnknownPast(shape, t);
        const expected = naive(shape, t, d);
        expect(Math.abs(failureProbabilitySinceRecordBegan(past, d) - expected.prior)).toBeLessThan(1e-11);
        expect(Math.abs(hazardSinceRecordBegan(past, d) - expected.hazard)).toBeLessThan(1e-9);
      }),
    );
  });

  test("never counts as older than an original that was never renewed", () => {
    fc.assert(
      fc.property(shapes, age(40), age(40), (shape, t, d) => {
        const prior = failureProbabilitySinceRecordBegan(createUnknownPast(shape, t), d);
        expect(prior).toBeGreaterThan(0);
        expect(prior).toBeLessThanOrEqual(-Math.expm1(-((t + d) ** shape)) + 1e-12);
      }),
    );
  });

  test("has a prior for any length of its past and of the record", () => {
    for (const [t, d] of [
      [500, 0],
      [500, 300],
      [1e-9, 300],
      [1e-9, 0],
    ] as const) {
      const prior = failureProbabilitySinceRecordBegan(createUnknownPast(3.2, t), d);
      expect(prior).toBeGreaterThanOrEqual(0);
      expect(prior).toBeLessThanOrEqual(1);
    }
  });

  test("is cached, and recomputed equally after many others", () => {
    const pasts = new PriorCache();
    const first = pasts.prior(2.5, 1.1, 0.3);
    for (let i = 0; i < 3000; i++) pasts.prior(2.5, 1 + i / 1000, i / 1000);
    expect(pasts.prior(2.5, 1.1, 0.3)).toBe(first);
    expect(first).toBe(failureProbabilitySinceRecordBegan(createUnknownPast(2.5, 1.1), 0.3));
  });
});

describe("the past counts as unknown", () => {
  const since = (recordsSince: string, given: Partial<PropertyHistory["appliances"][number]> = {}) =>
    scores(property([appliance("boiler", given)], { recordsSince }));
  const onRecord = scores(property([appliance("boiler")]));

  // Rule: unknown-past
  test("for a part that may be replaced on its own, installed before the record begins", () => {
    const { prior, ageYears } = since("2020-07-01").get(BURNER)!;
    expect(prior).toBeLessThan(onRecord.get(BURNER)!.prior);
    expect(ageYears).toBe(20);
  });

  test("not for one installed on or after the start of the record", () => {
    expect(since("2005-07-01").get(BURNER)!).toEqual(onRecord.get(BURNER)!);
    expect(since("2005-07-02").get(BURNER)!).not.toEqual(onRecord.get(BURNER)!);
  });

  // Rule: unknown-past
  test("not for one that is as old as its appliance", () => {
    const exchanger = "A/boiler_heat_exchanger";
    expect(since(AS_OF).get(exchanger)!.prior).toBe(onRecord.get(exchanger)!.prior);
  });

  // Rule: unknown-past
  test("not for one with a Replacement, also one from before the record", () => {
    const events = [event("Replacement", "2012-07-01", { componentId: BURNER })];
    expect(since("2020-07-01", { events }).get(BURNER)!.effectiveAgeYears).toBeCloseTo(13, 2);
  });

  test("and maintenance from before the record does not reduce the age since", () => {
    const visit = (date: string) => ({ events: [event("Preventive Maintenance", date)] });
    const plain = since("2020-07-01").get(BURNER)!;
    expect(since("2020-07-01", visit("2019-07-01")).get(BURNER)!.prior).toBe(plain.prior);
    expect(since("2020-07-01", visit("2021-07-01")).get(BURNER)!.prior).toBeLessThan(plain.prior);
  });

  test("up to the scored day, for what is registered later", () => {
    expect(since("2030-01-01")).toEqual(since(AS_OF));
  });
});

describe("a record begins", () => {
  const registered = "2025-07-01";
  const back = (...days: number[]) =>
    recordStartOf(
      registered,
      days.map((ago) => addDays(registered, -ago)),
    );

  test("on the day of registration without earlier events", () => {
    expect(back()).toBe(registered);
    expect(back(-30)).toBe(registered);
  });

  // Rule: record-begins
  test("with the earliest event reached without a gap of more than three years", () => {
    expect(back(1096)).toBe("2022-07-01");
    expect(back(1097)).toBe(registered);
    expect(back(1096, 2192)).toBe("2019-07-01");
    expect(back(1096, 2193)).toBe("2022-07-01");
  });

  test("neither with a stray old entry nor with an extract that ended years ago", () => {
    expect(back(200, 12_000)).toBe("2024-12-13");
    expect(back(3650, 3660, 3700)).toBe(registered);
  });

  test("where walking back from event to event ends", () => {
    const days = fc.array(fc.integer({ min: -100, max: 9000 }), { maxLength: 30 });
    fc.assert(
      fc.property(days, (ago) => {
        let reached = 0;
        for (const next of ago.toSorted((a, b) => a - b))
          if (next > reached && next - reached <= model.record.longestGapDays) reached = next;
        expect(back(...ago)).toBe(addDays(registered, -reached));
      }),
    );
  });

  test("on the same day when continued from a day found before", () => {
    const days = fc.array(fc.integer({ min: 0, max: 9000 }), { maxLength: 20 });
    fc.assert(
      fc.property(days, days, (some, more) => {
        const day = (ago: number) => dayFromNumber(dayNumber(registered) - ago);
        const before = recordStartOf(registered, some.map(day));
        const all = [...some, ...more].map(day);
        expect(recordStartOf(before, all)).toBe(recordStartOf(registered, all));
      }),
    );
  });
});
