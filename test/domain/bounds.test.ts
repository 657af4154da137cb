import { describe, expect, test } from "bun:test";
import { checkBuildingYearRule } from "../../src/domain/rules/building-year-rule.ts";
import { checkPastDayRule } from "../../src/domain/rules/past-day-rule.ts";

describe("the day of a past event", () => {
  const check = (day: string) => () => checkPastDayRule("date", day, "2026-02-28");

  // Rule: event-dates
  test.each(["1900-01-01", "2026-02-28", "2026-03-01"])("may be %s on 28 February 2026", (day) => {
    expect(check(day)).not.toThrow();
  });

  // Rule: event-dates
  test.each(["1899-12-31", "2026-03-02"])("may not be %s, and the refusal names the bounds", (day) => {
    expect(check(day)).toThrow("date must be from 1900-01-01 to 2026-03-01");
  });
});

describe("a year of construction", () => {
  const check = (year: number) => () => checkBuildingYearRule("year_built", year, 2026);

  test.each([1800, 2026, 2027])("may be %d in 2026", (year) => {
    expect(check(year)).not.toThrow();
  });

  test.each([1799, 2028])("may not be %d, and the refusal names the bounds", (year) => {
    expect(check(year)).toThrow("year_built must be a whole number from 1800 to 2027");
  });
});
