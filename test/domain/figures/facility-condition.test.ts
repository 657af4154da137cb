import { expect, test } from "bun:test";
import { facilityConditionOf } from "../../../src/domain/figures/facility-condition.ts";

const building = { replacementValueCents: 200_000_000, grossAreaSqft: 10_000 };

test("the facility condition index divides by the building's own value before its area and its equipment", () => {
  expect(facilityConditionOf(building, 5_000_000, 900_000)).toEqual({
    index: 0.025,
    dueCents: 5_000_000,
    valueCents: 200_000_000,
    basis: "replacement_value",
  });
  const withoutValue = { ...building, replacementValueCents: null };
  expect(facilityConditionOf(withoutValue, 5_000_000, 900_000)).toMatchObject({
    valueCents: 180_000_000,
    basis: "area",
  });
  expect(facilityConditionOf(withoutValue, 5_000_000, 900_000, 25_050)).toMatchObject({
    valueCents: 250_500_000,
    basis: "area",
  });
  const unknown = { replacementValueCents: null, grossAreaSqft: null };
  expect(facilityConditionOf(unknown, 500_000, 900_000)).toMatchObject({
    index: 0.25,
    valueCents: 2_000_000,
    basis: "equipment",
  });
});

test("the facility condition index of a building without a value is unknown", () => {
  expect(facilityConditionOf({ replacementValueCents: null, grossAreaSqft: null }, 0, 0).index).toBeNull();
});
