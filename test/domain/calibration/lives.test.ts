import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { LifeOnRecord } from "../../../src/domain/calibration/calibration-life.ts";
import { expectedFailuresOfLife } from "../../../src/domain/calibration/expected-failures.ts";
import { livesOnRecordInSteps } from "../../../src/domain/calibration/lives-on-record-in-steps.ts";
import type { EventEvidence } from "../../../src/domain/scoring/scoring-types.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { DAYS_PER_YEAR, dayNumber } from "../../../src/domain/time.ts";
import { appliance, event, knowledge, property } from "../scoring/histories.ts";

const AS_OF = "2026-07-01";
const VALVE = "A/wh_gas_control_valve";
const TANK = "A/wh_gas_tank";

/** Returns the lives of one component of a gas water heater of 2015, oldest first. */
function livesOf(
  componentId: string,
  events: EventEvidence[],
  recordsSince = "2010-01-01",
  asOf = AS_OF,
): LifeOnRecord[] {
  const heater = appliance("water_heater_gas", { installYear: 2015, events });
  const history = property([heater], { recordsSince });
  return runSteps(livesOnRecordInSteps(knowledge, history, asOf)).filter(
    (life) => life.componentId === componentId,
  );
}

const on = (componentId: string | null, type: EventEvidence["eventType"], date: string) =>
  event(type, date, { componentId });
const spans = (lives: readonly LifeOnRecord[]) =>
  lives.map(({ from, until, failed }) => [from, until, failed]);
const day = dayNumber;

// Rule: lives-on-record
describe("lives on record", () => {
  test("a part that was never replaced has one censored life", () => {
    const [life, ...others] = livesOf(VALVE, []);
    expect(others).toEqual([]);
    expect(life).toMatchObject({ from: day("2015-07-01"), until: day(AS_OF), failed: false, entryAge: 0 });
    expect(life!.pastIsUnknown).toBe(false);
    expect(life!.accrued).toBeCloseTo((life!.rate * (day(AS_OF) - day("2015-07-01"))) / DAYS_PER_YEAR, 9);
  });

  // Rule: retire
  test("a retired appliance ends its lives on that day, without a failure and without what follows", () => {
    const emergency = on(VALVE, "Emergency Repair", "2021-03-10");
    const heater = (retiredOn: string) => ({
      ...appliance("water_heater_gas", {
        installYear: 2015,
        events: [emergency, on(VALVE, "Replacement", "2021-03-20")],
      }),
      retiredOn,
    });
    const lives = (retiredOn: string) =>
      runSteps(
        livesOnRecordInSteps(
          knowledge,
          property([heater(retiredOn)], { recordsSince: "2010-01-01" }),
          AS_OF,
          {
            years: 6,
          },
        ),
      ).filter(({ componentId }) => componentId === VALVE);
    const [life, ...others] = lives("2021-03-15");
    expect(others).toEqual([]);
    expect(life).toMatchObject({ until: day("2021-03-15"), failed: false });
    // The year in which it was retired has no outcome.
    expect(life!.years.map(({ failed }) => failed)).toEqual([null]);
    expect(spans(lives("2023-01-01"))).toEqual([
      [day("2015-07-01"), day("2021-03-20"), true],
      [day("2021-03-20"), day("2023-01-01"), false],
    ]);
    expect(spans(lives("2030-01-01")).at(-1)).toEqual([day("2021-03-20"), day(AS_OF), false]);
  });

  test("a Replacement within 60 days after an Emergency Repair of the part ends a life in failure", () => {
    const replaced = on(VALVE, "Replacement", "2020-03-01");
    const cases: [string, boolean][] = [
      ["2020-03-01", true],
      ["2020-01-01", true],
      ["2019-12-31", false],
      ["2020-03-02", false],
    ];
    for (const [date, failed] of cases)
      expect(spans(livesOf(VALVE, [on(VALVE, "Emergency Repair", date), replaced]))).toEqual([
        [day("2015-07-01"), day("2020-03-01"), failed],
        [day("2020-03-01"), day(AS_OF), false],
      ]);
  });

  test("an Emergency Repair of the whole appliance makes a failure; one of another part or a Repair does not", () => {
    const replaced = on(VALVE, "Replacement", "2020-03-01");
    const failed = (before: EventEvidence) => livesOf(VALVE, [before, replaced])[0]!.failed;
    expect(failed(on(TANK, "Emergency Repair", "2020-02-20"))).toBe(false);
    expect(failed(on(VALVE, "Repair", "2020-02-20"))).toBe(false);
    expect(failed(on(null, "Emergency Repair", "2020-02-20"))).toBe(true);
  });

  test("an Emergency Repair without a Replacement ends no life", () => {
    expect(spans(livesOf(VALVE, [on(VALVE, "Emergency Repair", "2026-05-01")]))).toEqual([
      [day("2015-07-01"), day(AS_OF), false],
    ]);
  });

  test("the Replacement of a whole appliance is a failure only of the part that an Emergency Repair named", () => {
    const events = [on(TANK, "Emergency Repair", "2020-02-20"), on(null, "Replacement", "2020-03-01")];
    expect(livesOf(TANK, events)[0]).toMatchObject({ until: day("2020-03-01"), failed: true });
    expect(livesOf(VALVE, events)[0]).toMatchObject({ until: day("2020-03-01"), failed: false });
    const unnamed = [on(null, "Emergency Repair", "2020-02-20"), on(null, "Replacement", "2020-03-01")];
    expect(livesOf(TANK, unnamed)[0]!.failed).toBe(false);
  });

  test("two Replacements on a day end one life", () => {
    const events = [
      on(VALVE, "Emergency Repair", "2020-02-20"),
      on(VALVE, "Replacement", "2020-03-01"),
      on(null, "Replacement", "2020-03-01"),
      on(VALVE, "Replacement", "2020-03-01"),
    ];
    expect(spans(livesOf(VALVE, events))).toEqual([
      [day("2015-07-01"), day("2020-03-01"), true],
      [day("2020-03-01"), day(AS_OF), false],
    ]);
  });

  test("an Emergency Repair on the day of a Replacement belongs to the life that it ended", () => {
    const events = [
      on(VALVE, "Emergency Repair", "2020-03-01"),
      on(VALVE, "Replacement", "2020-03-01"),
      on(VALVE, "Replacement", "2020-04-01"),
    ];
    expect(livesOf(VALVE, events).map((life) => life.failed)).toEqual([true, false, false]);
  });

  test("events after the day do not count", () => {
    const events = [on(VALVE, "Emergency Repair", "2026-07-01"), on(VALVE, "Replacement", "2026-07-02")];
    expect(livesOf(VALVE, events)).toEqual(livesOf(VALVE, [on(VALVE, "Emergency Repair", "2026-07-01")]));
    expect(livesOf(VALVE, events, "2010-01-01", "2026-07-02")[0]!.failed).toBe(true);
  });

  test("a life that began before the record is left-truncated there", () => {
    const tank = livesOf(TANK, [], "2020-01-01")[0]!;
    const years = (day("2020-01-01") - day("2015-07-01")) / DAYS_PER_YEAR;
    expect(tank).toMatchObject({ from: day("2020-01-01"), pastIsUnknown: false });
    expect(tank.entryAge).toBeCloseTo(tank.rate * years, 9);
    const valve = livesOf(VALVE, [], "2020-01-01")[0]!;
    expect(valve.pastIsUnknown).toBe(true);
    expect(valve.entryAge).toBeCloseTo(valve.rate * years, 9);
  });

  test("a Replacement before the record begins is a birth with a known age", () => {
    const [life] = livesOf(VALVE, [on(VALVE, "Replacement", "2018-07-01")], "2020-01-01");
    expect(life).toMatchObject({ from: day("2020-01-01"), pastIsUnknown: false });
    expect(life!.entryAge).toBeCloseTo(
      (life!.rate * (day("2020-01-01") - day("2018-07-01"))) / DAYS_PER_YEAR,
      9,
    );
  });

  test("restorations reduce what accrued on record, not an unknown past", () => {
    const visit = on(VALVE, "Preventive Maintenance", "2021-01-01");
    const [plain] = livesOf(VALVE, [], "2020-01-01");
    const [visited] = livesOf(VALVE, [visit], "2020-01-01");
    expect(visited!.accrued).toBeCloseTo(plain!.accrued - 0.2 * plain!.rate * (366 / DAYS_PER_YEAR), 9);
    const early = on(VALVE, "Preventive Maintenance", "2019-01-01");
    expect(livesOf(VALVE, [early], "2020-01-01")[0]).toMatchObject({
      entryAge: plain!.entryAge,
      accrued: plain!.accrued,
    });
  });

  test("the years up to the day have the record at their start, and their outcome", () => {
    const events = [
      event("Inspection", "2023-05-01", { componentId: VALVE, conditionAfter: "poor" }),
      on(VALVE, "Emergency Repair", "2024-08-01"),
      on(VALVE, "Replacement", "2024-08-02"),
      on(VALVE, "Replacement", "2025-01-15"),
    ];
    const [first, second, third] = livesOf(VALVE, events, "2022-01-01");
    expect(first!.years.map(({ start, failed }) => [start, failed])).toEqual([
      [day(AS_OF) - 4 * 365, false],
      [day(AS_OF) - 3 * 365, false],
      [day(AS_OF) - 2 * 365, true],
    ]);
    const conditions = first!.years.map(({ condition }) => condition);
    expect(conditions[0]).toBe(1);
    expect(conditions[1]).toBeGreaterThan(conditions[2]!);
    expect(conditions[2]).toBeGreaterThan(1);
    expect(second!.years).toEqual([]);
    expect(third!.years.map(({ failed }) => failed)).toEqual([false]);
  });

  test("a life that ended without a failure is left out of its last year", () => {
    const [life] = livesOf(VALVE, [on(VALVE, "Replacement", "2026-01-15")]);
    expect(life!.years.map(({ failed }) => failed)).toEqual([false, false, false, false, null]);
  });
});

describe("the expected hazard of a life", () => {
  const parts = {
    scale: fc.double({ min: 2, max: 40, noNaN: true }),
    shape: fc.double({ min: 1.01, max: 4, noNaN: true }),
    entryAge: fc.double({ min: 0, max: 80, noNaN: true }),
    pastIsUnknown: fc.boolean(),
  };

  test("starts at 0 and grows with the accrued age", () => {
    fc.assert(
      fc.property(fc.record(parts), fc.double({ min: 0, max: 20, noNaN: true }), (life, accrued) => {
        expect(Math.abs(expectedFailuresOfLife(life, 0, 0))).toBeLessThan(1e-9);
        const less = expectedFailuresOfLife(life, accrued, 0);
        expect(expectedFailuresOfLife(life, accrued + 0.5, 0)).toBeGreaterThanOrEqual(less - 1e-9);
      }),
    );
  });

  test("equals a new part's without a past, unknown or not", () => {
    fc.assert(
      fc.property(
        parts.scale,
        parts.shape,
        fc.double({ min: 0, max: 20, noNaN: true }),
        (scale, shape, accrued) => {
          const life = { scale, shape, entryAge: 0, pastIsUnknown: true };
          expect(expectedFailuresOfLife(life, accrued, 0)).toBeCloseTo((accrued / scale) ** shape, 8);
        },
      ),
    );
  });

  test("of a known past scales with the life's correction", () => {
    fc.assert(
      fc.property(fc.record(parts), fc.double({ min: -0.9, max: 0.9, noNaN: true }), (given, correction) => {
        const life = { ...given, pastIsUnknown: false };
        const plain = expectedFailuresOfLife(life, 3, 0);
        const corrected = expectedFailuresOfLife(life, 3, correction);
        expect(corrected / (plain * Math.exp(-life.shape * correction))).toBeCloseTo(1, 6);
      }),
    );
  });
});
