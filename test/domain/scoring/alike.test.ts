import { expect, test } from "bun:test";
import fc from "fast-check";
import { alike } from "../../../src/domain/scoring/alike.ts";
import { type Corrections, UNCORRECTED } from "../../../src/domain/scoring/corrections.ts";
import { scoreWithoutCascade } from "../../../src/domain/scoring/score.ts";
import type { ApplianceHistory } from "../../../src/domain/scoring/types.ts";
import { AS_OF, appliance, event, knowledge, property, reading } from "./histories.ts";

const some = fc.array(
  fc.record({
    typeId: fc.constantFrom("plumbing_supply", "water_heater_gas"),
    unitId: fc.constantFrom(null, "1", "2"),
    brand: fc.constantFrom(null, "Rheem"),
    model: fc.constantFrom(null, "X"),
    brandTier: fc.constantFrom("standard" as const, "budget" as const),
    installYear: fc.constantFrom(1960, 2001),
    usageIntensity: fc.constantFrom(1, 2),
    lastReplaced: fc.constantFrom(null, "2010-01-01"),
    overrideLifespan: fc.constantFrom(null, 7),
    frailty: fc.constantFrom(undefined, 1.5),
    happened: fc.constantFrom("nothing", "nothing", "nothing", "a repair", "a leak"),
  }),
  { maxLength: 40 },
);

test("an appliance's stand-in has its very scores on any day", () => {
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
      const corrections: Corrections = { ...UNCORRECTED, frailties };
      const scores = scoreWithoutCascade(knowledge, property(appliances), asOf, corrections);
      const byId = new Map(appliances.map(({ id }, i) => [id, scores[i]!.standalone]));
      const standing = alike(appliances, corrections);
      for (const { id } of appliances) expect(byId.get(standing.get(id)!.id)).toEqual(byId.get(id)!);
    }),
  );
});

test("of a thousand without a history that differ in nothing but unit and ten install years, ten are assessed", () => {
  const thousand = Array.from({ length: 1000 }, (_, i) =>
    appliance("plumbing_supply", { id: `A${i}`, unitId: `${i}`, installYear: 1990 + (i % 10) }),
  );
  expect(new Set(alike(thousand, UNCORRECTED).values()).size).toBe(10);
});
