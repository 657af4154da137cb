import { expect, test } from "bun:test";
import { claimHazardRatio } from "../../../src/domain/scoring/claim-evidence.ts";
import type { ClaimEvidence } from "../../../src/domain/scoring/scoring-types.ts";
import { dayNumber } from "../../../src/domain/time.ts";
import { AS_OF, appliance, BURNER, event, knowledge, property, scores } from "./histories.ts";

const claim = (claimType: string, dateOfLoss = AS_OF, status: ClaimEvidence["status"] = "open") => ({
  claimType,
  dateOfLoss,
  status,
});
const boilerRatio = (
  claims: ClaimEvidence[],
  part = "boiler_burner",
  events: ReturnType<typeof event>[] = [],
) => scores(property([appliance("boiler", { events })], { claims })).get(`A/${part}`)!.hazardRatio;

test("a claim counts by its type on the components that the type affects", () => {
  expect(boilerRatio([claim("equipment_breakdown")])).toBeCloseTo(1.8, 12);
  expect(boilerRatio([claim("equipment_breakdown")], "boiler_circulator")).toBe(1);
});

test("a claim fades over five years from the date of loss", () => {
  expect(boilerRatio([claim("equipment_breakdown", "2021-07-01")])).toBeCloseTo(1.16, 12); // 4 years: 1 + 0.8/5
  expect(boilerRatio([claim("equipment_breakdown", "2020-06-30")])).toBe(1);
});

test("a claim from before the component's Replacement has no effect on the new part", () => {
  const events = [event("Replacement", "2024-07-01", { componentId: BURNER })];
  expect(boilerRatio([claim("equipment_breakdown", "2024-06-01")], "boiler_burner", events)).toBe(1);
  expect(boilerRatio([claim("equipment_breakdown", "2024-07-02")], "boiler_burner", events)).toBeGreaterThan(
    1,
  );
});

// Rule: claim-limits
test("only the property's three strongest claims count, whatever they affect", () => {
  const stronger = [claim("gas_leak_explosion"), claim("fire_electrical"), claim("frozen_pipe_burst")];
  // the claim of ratio 2.1 affects the burner; the other two do not
  expect(boilerRatio(stronger)).toBeCloseTo(2.1, 12);
  expect(boilerRatio([claim("equipment_breakdown"), ...stronger])).toBeCloseTo(2.1, 12);
  expect(boilerRatio([claim("equipment_breakdown"), ...stronger.slice(0, 2)])).toBeCloseTo(2.1 * 1.8, 12);
});

test("strength is counted as faded today", () => {
  const old = [claim("gas_leak_explosion", "2020-08-01"), claim("gas_leak_explosion", "2020-09-01")];
  const young = [claim("liability_injury"), claim("mold"), claim("equipment_breakdown")];
  expect(boilerRatio([...old, ...young])).toBeCloseTo(1.8, 12);
});

// Rule: claim-status
test("denied, future and unknown claims have no effect", () => {
  const today = dayNumber(AS_OF);
  for (const silent of [
    claim("equipment_breakdown", AS_OF, "denied"),
    claim("equipment_breakdown", "2025-07-02"),
    claim("meteor_strike"),
  ]) {
    expect(claimHazardRatio(knowledge, silent, today)).toBe(1);
    expect(boilerRatio([silent])).toBe(1);
  }
});

test("a denied claim is not among the three strongest", () => {
  const denied = ["2025-06-01", "2025-05-01", "2025-04-01"].map((date) =>
    claim("gas_leak_explosion", date, "denied"),
  );
  expect(boilerRatio([...denied, claim("equipment_breakdown")])).toBeCloseTo(1.8, 12);
});
