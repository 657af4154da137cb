import { expect, test } from "bun:test";
import { serializeAction } from "../../src/api-schemas/action-schema.ts";
import type { ActionReason } from "../../src/domain/planning/action.ts";

/** The reasons that state a probability. */
const reasonsWith = (failureProbability: number): ActionReason[] => [
  { kind: "unit_life_past", urgentPart: { kind: "likely_to_fail", name: "Tank", failureProbability } },
  {
    kind: "cost_due",
    failureProbability,
    isSafetyPastLife: false,
    plannedCents: 100_000,
    failureCents: 250_000,
  },
  { kind: "risk_to_safety", failureProbability },
  { kind: "risk_of_damage", failureProbability },
  { kind: "risk_unknown", failureProbability },
  { kind: "elevated", failureProbability },
];
const textsOf = (probability: number) =>
  reasonsWith(probability).map((because) => serializeAction({ name: "replace_now", because }).reason);

test("reasons state a probability in a sentence that is right for each", () => {
  expect(textsOf(0.18)).toEqual([
    "The unit is past the life at which its type is replaced. " +
      "The component whose failure ends its life (Tank) is 18% likely to fail within 12 months.",
    "Replacing it now costs less: a failure within 12 months is 18% likely, and would cost $2,500 instead of $1,000.",
    "It is a safety component, and 18% likely to fail within 12 months.",
    "Its failure may damage the building, and is 18% likely within 12 months.",
    "It is 18% likely to fail within 12 months, but has few records of its condition.",
    "It is 18% likely to fail within 12 months, but replacing it early would not save enough.",
  ]);
  const stated = new Set<string>();
  for (let permille = 0; permille <= 1000; permille++)
    for (const text of textsOf(permille / 1000)) {
      const [, before, number] = / (\S+) ((?:over |under )?\d+%) likely\b/.exec(text)!;
      expect(["is", "and"], text).toContain(before!);
      stated.add(number!);
    }
  expect(stated.size).toBe(101);
  expect(stated).toContain("under 1%");
  expect(stated).toContain("over 99%");
});
