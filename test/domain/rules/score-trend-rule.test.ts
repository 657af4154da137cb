import { expect, test } from "bun:test";
import { scoreTrendByRule } from "../../../src/domain/rules/score-trend-rule.ts";

const DAYS = ["2026-01-01", "2026-01-02", "2026-01-04", "2026-01-05"];

test("a trend has a point per snapshot day, with the score of the latest change", () => {
  const rows = [
    { day: "2026-01-01", riskScore: 10 },
    { day: "2026-01-04", riskScore: 12 },
  ];
  expect(scoreTrendByRule(rows, DAYS).map(({ day, riskScore }) => `${day} ${riskScore}`)).toEqual([
    "2026-01-01 10",
    "2026-01-02 10",
    "2026-01-04 12",
    "2026-01-05 12",
  ]);
});

test("a trend starts with the component's first snapshot", () => {
  expect(scoreTrendByRule([{ day: "2026-01-04", riskScore: 5 }], DAYS).map(({ day }) => day)).toEqual(
    DAYS.slice(2),
  );
});

test("a trend of recent days starts with the score before them", () => {
  expect(scoreTrendByRule([{ day: "2025-06-01", riskScore: 7 }], DAYS)).toHaveLength(4);
});

test("a component without a snapshot has no trend, nor is there one without days", () => {
  expect(scoreTrendByRule([], DAYS)).toEqual([]);
  expect(scoreTrendByRule([{ day: "2026-01-01", riskScore: 1 }], [])).toEqual([]);
});
