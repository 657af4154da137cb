import { expect, test } from "bun:test";
import { jsonThousandSqft } from "../../src/api-schemas/plan-summary-schema.ts";

// Rule: size-bounds
test("no figure is divided by an area below a square foot, which earlier versions stored", () => {
  expect([null, 0, 5e-324, 0.99].map(jsonThousandSqft)).toEqual([null, null, null, null]);
  expect([1, 30_000].map(jsonThousandSqft)).toEqual([0.001, 30]);
});
