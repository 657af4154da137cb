import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  newPartSurvival,
  type PartInPlace,
  survivalOfPartInPlace,
} from "../../../src/domain/planning/part-in-place.ts";
import { PlanSumsAccumulator } from "../../../src/domain/planning/plan-sums.ts";
import { planApplianceFromScores } from "../../../src/domain/planning/planned-appliance.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";
import { applianceOf, referenceContext } from "./reference-context.ts";

const knowledge = embeddedKnowledge();
const context = referenceContext(knowledge);
const MONTHS = 12;

const states = fc.array(
  fc.record({
    effectiveAgeYears: fc.double({ min: 0, max: 40, noNaN: true }),
    rate: fc.double({ min: 0.7, max: 1.8, noNaN: true }),
    hazardRatio: fc.double({ min: 0.3, max: 4, noNaN: true }),
    installYear: fc.constantFrom(1980, 2000, 2015),
  }),
  { minLength: 1, maxLength: 5 },
);

/** The probabilities of failing for the first time in each month of the year. */
function firstFailures(part: PartInPlace): number[] {
  const survival = survivalOfPartInPlace(part, MONTHS);
  return Array.from({ length: MONTHS }, (_, at) => survival[at]! - survival[at + 1]!);
}

/** The failures within the year of a part that replaces one that failed in these months, its own successors included. */
function laterFailures(part: PartInPlace, first: readonly number[]): number {
  const survival = newPartSurvival(part, MONTHS);
  const all = [...first];
  for (let month = 0; month < MONTHS; month++)
    for (let before = 0; before < month; before++)
      all[month]! += all[before]! * (survival[month - before - 1]! - survival[month - before]!);
  return sum(all) - sum(first);
}
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

// Rule: plan-reconciliation
test("run to failure of 12 months is what each part's first failure costs, with second failures, without those that a renewal prevents", () => {
  fc.assert(
    fc.property(fc.constantFrom(...knowledge.types.keys()), states, (typeId, given) => {
      const planned = planApplianceFromScores(
        context,
        applianceOf(knowledge, typeId, given),
        "2026-07-01",
        1,
      );
      const sums = new PlanSumsAccumulator(1);
      sums.add(planned);
      const runToFailure = sums.sums({ unitCount: 0, areaSqft: null }).years.runToFailure[0]!;
      const { unit, components } = planned;
      const principal = components.find(({ part }) => part === unit?.unit.principal)?.part;
      const unitFails = principal ? firstFailures(principal) : new Array<number>(MONTHS).fill(0);
      let [forecast, second, prevented] = [0, 0, 0];
      for (const { part } of components) {
        const fails = firstFailures(part);
        const cost = part === principal ? unit!.unit.failedPriceCents : part.failureCents;
        forecast += part.failureProbability * cost;
        second += laterFailures(part, fails) * cost;
        if (!unit || part === principal) continue;
        // A failed unit takes its old minor parts along, on the mean in the middle of a month.
        for (let month = 0; month < MONTHS; month++)
          prevented += fails[month]! * cost * (sum(unitFails.slice(0, month)) + unitFails[month]! / 2);
      }
      const reconciled = forecast + second - prevented;
      expect(Math.abs(reconciled - runToFailure)).toBeLessThanOrEqual(0.02 * reconciled + 100);
    }),
    { numRuns: 300, seed: 7 },
  );
});
