import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { planAppliance } from "../../../src/domain/planning/appliance-plan.ts";
import { LOOKAHEAD_MONTHS } from "../../../src/domain/planning/horizon.ts";
import { lifespanYearsOf } from "../../../src/domain/planning/part-in-place.ts";
import { noCaches, planOf, survival, worn } from "./parts.ts";
import { anyUnit, type DrawnUnit, planOfUnit, scheduleOfUnit } from "./units.ts";

const ROWS = ["planned", "failures", "repairs", "runToFailure", "squares", "firstRenewal"] as const;
const heater = { ...worn, plannedCents: 90_000, failureCents: 130_000, ageYears: 3 };
const valve = { ...worn, plannedCents: 20_000, failureCents: 32_000, scaleYears: 6, shape: 2, ageYears: 3 };
const unit: DrawnUnit = {
  parts: [heater, valve],
  whole: {
    priceCents: 150_000,
    failedPriceCents: 195_000,
    principal: 0,
    lifeYears: null,
    calendarAgeYears: 3,
  },
};

describe("a whole unit", () => {
  test("without minor parts has the policy of its principal part at the unit's costs", () => {
    const part = { ...heater, plannedCents: 150_000, failureCents: 420_000, scaleYears: 9 };
    const alone = planOf(part);
    const { unit: plan } = planAppliance([part], { ...unit.whole, failedPriceCents: 420_000 }, noCaches());
    expect(plan!.bestAgeMonths).toBe(alone.bestAgeMonths!);
    expect(plan!.yearlyCents).toBeCloseTo(alone.yearlyCents, 6);
  });

  // Rule: plan-policy
  test("is replaced at an age that no other beats by more than 1 %, by brute force", () => {
    fc.assert(
      fc.property(anyUnit, (drawn) => {
        const { unit: plan } = planOfUnit(drawn);
        const [principal] = drawn.parts;
        // The repairs of a new unit by month, from the schedules of its parts.
        const costs = plan!.newUnit.policy;
        const { priceCents, failedPriceCents } = drawn.whole;
        const minors = drawn.parts.slice(1).map((part) => newCosts(part));
        let [repairs, years] = [0, 0];
        let best = Number.POSITIVE_INFINITY;
        for (let month = 1; month <= LOOKAHEAD_MONTHS; month++) {
          const [before, after] = [survival(principal!, (month - 1) / 12), survival(principal!, month / 12)];
          for (const minor of minors) repairs += (minor[month]! * (before + after)) / 2;
          years += (before + after) / 24;
          best = Math.min(best, (priceCents * after + failedPriceCents * (1 - after) + repairs) / years);
        }
        expect(costs.yearlyCents).toBeLessThanOrEqual(best * 1.01);
        expect(costs.yearlyCents).toBeGreaterThanOrEqual(best * 0.999);
      }),
      { numRuns: 15 },
    );
  });

  test("without minor parts is due no later, the more the evidence speaks against it", () => {
    fc.assert(
      fc.property(anyUnit, fc.double({ min: 1, max: 3, noNaN: true }), ({ parts, whole }, factor) => {
        const due = (factor: number) => {
          const part = { ...parts[0]!, hazardRatio: parts[0]!.hazardRatio * factor };
          return planOfUnit({ whole, parts: [part] }).unit!.dueInMonths ?? LOOKAHEAD_MONTHS;
        };
        expect(due(factor)).toBeLessThanOrEqual(due(1));
      }),
      { numRuns: 30 },
    );
  });

  // Rule: plan-policy
  test("with a safety part as its principal is never run to failure", () => {
    fc.assert(
      fc.property(anyUnit, (drawn) => {
        const [principal, ...minors] = drawn.parts;
        const parts = [{ ...principal!, safety: true }, ...minors];
        const { unit: plan } = planOfUnit({ ...drawn, parts });
        expect(plan!.dueInMonths).not.toBeNull();
        const cap = Math.round(12 * lifespanYearsOf(principal!));
        expect(plan!.bestAgeMonths).toBeLessThanOrEqual(cap);
        expect(plan!.dueInMonths!).toBeLessThanOrEqual(
          Math.max(0, Math.ceil(cap - 12 * principal!.ageYears)),
        );
      }),
    );
  });

  test("without a principal part is replaced at the end of its own life at the latest, and never fails", () => {
    const whole = { ...unit.whole, principal: null, lifeYears: 15, calendarAgeYears: 13 };
    const { plan, schedule } = scheduleOfUnit(
      { parts: [{ ...heater, failureCents: 40_000 }, valve], whole },
      10,
    );
    expect(plan.unit!.bestAgeMonths).toBeLessThanOrEqual(180);
    expect(plan.unit!.dueInMonths!).toBeLessThanOrEqual(24);
    expect(Array.from(schedule.failures)).toEqual(new Array(10).fill(0));
  });

  test("takes its parts along when it is due", () => {
    const old = unit.parts.map((part) => ({ ...part, ageYears: 30, labelAgeYears: 30 }));
    const plan = planOfUnit({ ...unit, parts: old });
    expect(plan.unit!.dueInMonths).toBe(0);
    expect(plan.parts.map(({ policy }) => policy)).toEqual(["with_unit", "with_unit"]);
    const young = planOfUnit(unit);
    expect(young.parts[0]!.policy).toBe("with_unit");
    expect(young.parts[1]!.policy).not.toBe("with_unit");
  });

  test("goes with its principal part if that must go, whatever its age", () => {
    const young = planAppliance(unit.parts, unit.whole, noCaches(), [true, false]);
    expect(young.unit!.dueInMonths).toBe(0);
    const minor = planAppliance(unit.parts, unit.whole, noCaches(), [false, true]);
    expect(minor.unit!.dueInMonths).not.toBe(0);
    expect(minor.parts[1]!.policy).toBe("replace_now");
  });
});

describe("the schedule of a unit", () => {
  // Rule: plan-schedule
  test("of n years equals the first n years of a longer one", () => {
    fc.assert(
      fc.property(anyUnit, fc.integer({ min: 1, max: 29 }), (drawn, years) => {
        const [shorter, longer] = [scheduleOfUnit(drawn, years), scheduleOfUnit(drawn, years + 1)];
        for (const row of ROWS)
          for (let year = 0; year < years; year++)
            expectNear(longer.schedule[row][year]!, shorter.schedule[row][year]!);
      }),
      { numRuns: 20 },
    );
  });

  // Rule: plan-schedule
  test("of ten years costs no more than its dearest single policy", () => {
    fc.assert(
      fc.property(anyUnit, (drawn) => {
        const { schedule } = scheduleOfUnit(drawn, 10);
        const total = sum(schedule.planned) + sum(schedule.failures) + sum(schedule.repairs);
        const toFailure = sum(schedule.runToFailure);
        const now = scheduleOfUnit(atOnce(drawn), 10).schedule;
        const replacedNow = sum(now.planned) + sum(now.failures) + sum(now.repairs);
        const partByPart = drawn.parts
          .map((part) => planOf(part))
          .reduce((all, { yearlyCentsRunToFailure }) => all + 10 * yearlyCentsRunToFailure, 0);
        expect(total).toBeLessThanOrEqual(
          1.01 * Math.max(toFailure, replacedNow, partByPart) + drawn.whole.priceCents,
        );
      }),
      { numRuns: 25 },
    );
  });

  test("that is due now pays the price in the first month, and next to nothing else in the year", () => {
    const old = unit.parts.map((part) => ({ ...part, ageYears: 30, labelAgeYears: 30 }));
    const { schedule } = scheduleOfUnit({ ...unit, parts: old }, 1);
    expect(schedule.planned[0]).toBeCloseTo(unit.whole.priceCents, 6);
    expect(schedule.failures[0]!).toBeLessThan(0.01 * unit.whole.priceCents);
    expect(schedule.runToFailure[0]!).toBeGreaterThan(schedule.failures[0]! + schedule.repairs[0]!);
  });
});

const sum = (row: Iterable<number>) => [...row].reduce((total, value) => total + value, 0);
const atOnce = ({ parts, whole }: DrawnUnit): DrawnUnit => ({
  whole,
  parts: parts.map((part) => ({ ...part, ageYears: 1_000, hazardRatio: 1 })),
});

/** Returns the expected cost of a new part and its successors by month, by the renewal equation term by term. */
function newCosts(part: DrawnUnit["parts"][number]): number[] {
  const { bestAgeMonths } = planOf(part);
  const last = bestAgeMonths ?? Number.POSITIVE_INFINITY;
  const renewals = [1];
  const costs = [0];
  for (let month = 1; month <= LOOKAHEAD_MONTHS; month++) {
    let [failures, planned] = [0, 0];
    for (let age = 1; age <= Math.min(month, last); age++) {
      const started = renewals[month - age]!;
      failures += started * (survival(part, (age - 1) / 12) - survival(part, age / 12));
      if (age === last) planned += started * survival(part, age / 12);
    }
    renewals.push(failures + planned);
    costs.push(failures * part.failureCents + planned * part.plannedCents);
  }
  return costs;
}

function expectNear(actual: number, expected: number): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * Math.max(Math.abs(expected), 1e6));
}
