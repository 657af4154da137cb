import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { claimImpactsInSteps } from "../../../src/domain/figures/claim-impact-figure.ts";
import { fadedRatio } from "../../../src/domain/scoring/hazard-ratios.ts";
import type { ClaimEvidence } from "../../../src/domain/scoring/scoring-types.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { addDays } from "../../../src/domain/time.ts";
import { knowledge, whole } from "./components.ts";

const TODAY = "2026-03-10";
let made = 0;

/** A claim of that many days ago. */
const claim = (claimType: string, daysAgo: number, status: ClaimEvidence["status"] = "open") => ({
  id: `CLM_${String(made++).padStart(6, "0")}`,
  claimType,
  dateOfLoss: addDays(TODAY, -daysAgo),
  status,
});
const DEF_IDS = [...whole("boiler", 0), ...whole("elevator", 0)].map(({ defId }) => defId);
const PRESENT = new Map(DEF_IDS.map((defId) => [defId, 1]));
const impacts = (...claims: ReturnType<typeof claim>[]) =>
  runSteps(claimImpactsInSteps(knowledge, claims, PRESENT, TODAY));
const impact = (...given: Parameters<typeof claim>) => impacts(claim(...given))[0]!;

describe("a claim's ratio", () => {
  // Rule: claim-fade
  test("fades linearly over five years", () => {
    expect([0, 2.5, 5].map((years) => fadedRatio(1.8, years, 5))).toEqual([1.8, 1.4, 1]);
    expect(impact("equipment_breakdown", 0).effectiveRatio).toBe(1.8);
    expect(impact("equipment_breakdown", 913).effectiveRatio).toBeCloseTo(1.400055, 6); // 1 + 0.8 · (1 - 913/1826.25)
    expect(impact("equipment_breakdown", 1461).effectiveRatio).toBeCloseTo(1.16, 12); // 4 years
  });

  // Rule: claim-end, claim-limits
  test("is 1 after five years, 1,826.25 days", () => {
    expect(impact("equipment_breakdown", 1826)).toMatchObject({ status: "active_scoring", scored: true });
    expect(impact("equipment_breakdown", 1827)).toMatchObject({
      baseRatio: 1.8,
      effectiveRatio: 1,
      remainingYears: 0,
      status: "expired_no_impact",
      scored: false,
    });
  });

  // Rule: claim-end
  test("has the rest of the five years remaining", () => {
    expect(impact("equipment_breakdown", 1461)).toMatchObject({ ageYears: 4, remainingYears: 1 });
  });
});

describe("the impact of claims", () => {
  test("names the systems and counts the property's components that the type affects", () => {
    // boiler: heat exchanger, burner, controls, relief valve; elevator: controller, machine
    expect(impact("equipment_breakdown", 10)).toMatchObject({
      label: "Equipment breakdown (boiler and machinery)",
      systems: ["hvac", "electrical", "conveyance", "amenity", "life_safety"],
      affectedComponents: 6,
    });
    expect(impact("roof_leak", 10)).toMatchObject({ systems: ["structural"], affectedComponents: 0 });
  });

  test("counts each of several components of one kind", () => {
    const twice = new Map(DEF_IDS.map((defId) => [defId, 2]));
    expect(
      runSteps(claimImpactsInSteps(knowledge, [claim("equipment_breakdown", 1)], twice, TODAY))[0]!
        .affectedComponents,
    ).toBe(12);
  });

  // Rule: claim-fade
  test("scores the three strongest claims; a fourth is active but not scored", () => {
    const all = impacts(
      claim("gas_leak_explosion", 0),
      claim("fire_electrical", 10),
      claim("mold", 20),
      claim("frozen_pipe_burst", 30),
    );
    expect(all.map(({ claim: { claimType }, status, scored }) => [claimType, status, scored])).toEqual([
      ["gas_leak_explosion", "active_scoring", true],
      ["fire_electrical", "active_scoring", true],
      ["mold", "active_scoring", false],
      ["frozen_pipe_burst", "active_scoring", true],
    ]);
    expect(all[2]!.effectiveRatio).toBeGreaterThan(1);
  });

  test("is none for a denied claim and for an unknown type", () => {
    expect(impact("equipment_breakdown", 10, "denied")).toMatchObject({
      baseRatio: 1.8,
      effectiveRatio: 1,
      remainingYears: 0,
      status: "expired_no_impact",
      affectedComponents: 6,
    });
    expect(impact("meteor_strike", 10)).toMatchObject({
      label: "Other",
      baseRatio: 1,
      effectiveRatio: 1,
      status: "expired_no_impact",
      systems: [],
      affectedComponents: 0,
    });
  });

  test("is none for a loss dated tomorrow", () => {
    expect(impact("mold", -1)).toMatchObject({ ageYears: 0, effectiveRatio: 1, status: "expired_no_impact" });
  });

  test("lists the newest date of loss first, and of one day the newer claim", () => {
    const [older, newer] = [claim("mold", 5), claim("flood", 5)];
    const all = impacts(older, claim("mold", 9), newer, claim("mold", 1));
    expect(all.map(({ claim: { id } }) => id)).toEqual([
      all[0]!.claim.id,
      newer.id,
      older.id,
      all[3]!.claim.id,
    ]);
    expect(all.map(({ claim: { dateOfLoss } }) => dateOfLoss)).toEqual([
      "2026-03-09",
      "2026-03-05",
      "2026-03-05",
      "2026-03-01",
    ]);
  });

  test("follows its rules for any claims", () => {
    const any = fc.record({
      id: fc.uuid(),
      claimType: fc.constantFrom(...knowledge.claimTypes.keys(), "meteor_strike"),
      dateOfLoss: fc.integer({ min: -1, max: 2500 }).map((days) => addDays(TODAY, -days)),
      status: fc.constantFrom("open" as const, "closed" as const, "denied" as const),
    });
    fc.assert(
      fc.property(fc.uniqueArray(any, { maxLength: 8, selector: ({ id }) => id }), (claims) => {
        const all = impacts(...claims);
        expect(all).toHaveLength(claims.length);
        const active = all.filter(({ status }) => status === "active_scoring");
        expect(all.filter(({ scored }) => scored)).toHaveLength(Math.min(active.length, 3));
        for (const one of all) {
          expect(one.effectiveRatio).toBeLessThanOrEqual(one.baseRatio);
          expect(one.effectiveRatio > 1).toBe(one.status === "active_scoring");
          expect(one.remainingYears > 0).toBe(one.status === "active_scoring");
          if (one.claim.status === "denied") expect(one.effectiveRatio).toBe(1);
        }
      }),
    );
  });
});
