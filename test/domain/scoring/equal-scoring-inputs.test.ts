import { expect, test } from "bun:test";
import fc from "fast-check";
import { appliancesByEqualScoringInputs } from "../../../src/domain/scoring/equal-scoring-inputs.ts";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import { type ModelCorrections, UNCORRECTED } from "../../../src/domain/scoring/score-model-corrections.ts";
import type { ApplianceHistory } from "../../../src/domain/scoring/scoring-types.ts";
import { AS_OF, appliance, event, knowledge, property, reading } from "./histories.ts";

/** The ways in which appliances differ; so few that many are equal. */
const differences = [
  {},
  { unitId: "1" },
  { brand: "Rheem" },
  { model: "X" },
  { brandTier: "budget" as const },
  { installYear: 1960 },
  { usageIntensity: 2 },
  { lastReplaced: "2010-01-01" },
  { overrideLifespan: 7 },
  { frailty: 1.5 },
  { happened: "a repair" },
  { happened: "a leak" },
];
const some = fc
  .tuple(
    fc.constantFrom("plumbing_supply", "washer"),
    fc.array(fc.constantFrom(...differences), { minLength: 10, maxLength: 40 }),
  )
  .map(([typeId, all]) =>
    all.map((difference) => ({
      typeId,
      unitId: null,
      brand: null,
      model: null,
      brandTier: "standard" as const,
      installYear: 1995,
      usageIntensity: 1,
      lastReplaced: null,
      overrideLifespan: null,
      frailty: undefined as number | undefined,
      happened: "nothing",
      ...difference,
    })),
  );

test("an appliance's representative has the same scores on any day", () => {
  fc.assert(
    fc.property(some, fc.constantFrom(AS_OF, "1999-03-01", "2012-12-31"), (given, asOf) => {
      const frailties = new Map<string, number>();
      const appliances = given.map(({ lastReplaced, overrideLifespan, frailty, happened, ...one }, i) => {
        const made: ApplianceHistory = appliance(one.typeId, { ...one, id: `A${i}` });
        if (frailty !== undefined) frailties.set(made.id, frailty);
        made.components = made.components.map((part) => ({ ...part, lastReplaced, overrideLifespan }));
        if (happened === "a repair") made.events = [event("Emergency Repair", "2012-12-01")];
        if (happened === "a leak") made.smartEvents = [reading("2012-12-30")];
        return made;
      });
      const corrections: ModelCorrections = { ...UNCORRECTED, frailties };
      // Each alone in its property, without cascades from others.
      const byId = new Map(
        appliances.map((one) => {
          const scores = scoreProperty(knowledge, property([one]), asOf, { corrections });
          return [one.id, one.components.map(({ id }) => ({ ...scores.get(id)! }))];
        }),
      );
      const representative = appliancesByEqualScoringInputs(appliances, corrections);
      for (const { id } of appliances) expect(byId.get(representative.get(id)!.id)).toEqual(byId.get(id)!);
    }),
  );
});

test("of a thousand appliances without a history that differ only in unit and ten install years, ten are scored", () => {
  const thousand = Array.from({ length: 1000 }, (_, i) =>
    appliance("plumbing_supply", { id: `A${i}`, unitId: `${i}`, installYear: 1990 + (i % 10) }),
  );
  expect(new Set(appliancesByEqualScoringInputs(thousand, UNCORRECTED).values()).size).toBe(10);
});
