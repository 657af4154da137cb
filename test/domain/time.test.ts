import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  addDays,
  addMonths,
  dayFromNumber,
  dayNumber,
  dayOf,
  daysBetween,
  instantFromText,
  isoTextOfInstant,
  nextUtcMidnight,
  parseDay,
  yearOfDayNumber,
} from "../../src/domain/time.ts";

const FIRST = Date.UTC(1800, 0, 1);
const LAST = Date.UTC(2400, 11, 31);
const instants = fc.integer({ min: FIRST, max: LAST });
const days = instants.map((instant) => new Date(instant).toISOString().slice(0, 10));

describe("a day", () => {
  test.each([
    "2000-02-29",
    "2024-02-29",
    "2400-02-29",
    "2023-02-28",
    "2026-04-30",
    "2026-12-31",
    "0001-01-01",
  ])("is %s", (text) => {
    expect(parseDay(text)).toBe(text);
  });

  test.each([
    "1900-02-29",
    "2100-02-29",
    "2023-02-29",
    "2024-02-30",
    "2026-04-31",
    "2026-06-31",
    "2026-09-31",
    "2026-11-31",
    "2026-01-32",
    "2026-01-00",
    "2026-00-01",
    "2026-13-01",
    "0000-01-01",
    "2026-1-01",
    "26-01-01",
    "2026-01-01T00:00",
    " 2026-01-01",
    "2026/01/01",
    "",
  ])("is not %p", (text) => {
    expect(parseDay(text)).toBeUndefined();
  });

  test("has the day number and the year of the calendar, over four hundred years", () => {
    fc.assert(
      fc.property(days, (day) => {
        expect(yearOfDayNumber(dayNumber(day))).toBe(Number(day.slice(0, 4)));
        expect(dayNumber(day)).toBe(Date.parse(day) / 86_400_000);
        expect(dayFromNumber(dayNumber(day))).toBe(day);
      }),
    );
  });

  test("is as many days from another as were added", () => {
    fc.assert(
      fc.property(days, fc.integer({ min: -100_000, max: 100_000 }), (day, count) => {
        expect(daysBetween(day, addDays(day, count))).toBe(count);
      }),
    );
  });

  test.each([
    ["2024-01-31", 1, "2024-02-29"],
    ["2023-01-31", 1, "2023-02-28"],
    ["1999-11-30", 3, "2000-02-29"],
    ["2026-03-31", 1, "2026-04-30"],
    ["2026-12-15", 1, "2027-01-15"],
    ["2026-01-15", 24, "2028-01-15"],
    ["2026-12-31", 12, "2027-12-31"],
    ["2026-01-31", -1, "2025-12-31"],
    ["2026-03-31", -1, "2026-02-28"],
  ])("%s and %d months is %s", (day, months, later) => {
    expect(addMonths(day, months)).toBe(later);
  });
});

describe("an instant", () => {
  test.each([
    ["2026-03-10", "2026-03-10T00:00:00.000Z"],
    ["2026-03-10T23:59:59.999Z", "2026-03-10T23:59:59.999Z"],
    ["2026-03-10T12:00Z", "2026-03-10T12:00:00.000Z"],
    ["2026-03-10T00:30:00+02:00", "2026-03-09T22:30:00.000Z"],
    ["2026-03-10T12:00:00-0530", "2026-03-10T17:30:00.000Z"],
    ["2026-03-10T12:00:00.123456789Z", "2026-03-10T12:00:00.123Z"],
  ])("is read from %s", (text, iso) => {
    expect(isoTextOfInstant(instantFromText(text)!)).toBe(iso);
  });

  test.each([
    "2026-03-10T12:00:00",
    "2026-02-30T12:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-03-10T24:00:00Z",
    "2026-03-10T12:60:00Z",
    "2026-03-10T12:00:60Z",
    "2026-03-10 12:00:00Z",
    "2026-03-10T12Z",
    "2026-03-10T12:00:00z",
    "2026-02-30",
    "yesterday",
    "1767225600000",
    "",
  ])("is not read from %p", (text) => {
    expect(instantFromText(text)).toBeUndefined();
  });

  test("is formatted as Date formats it, in any order, and lies in its day", () => {
    fc.assert(
      fc.property(fc.array(instants, { minLength: 1 }), (some) => {
        for (const instant of some) {
          expect(isoTextOfInstant(instant)).toBe(new Date(instant).toISOString());
          expect(instantFromText(isoTextOfInstant(instant))).toBe(instant);
          expect(dayOf(instant)).toBe(isoTextOfInstant(instant).slice(0, 10));
        }
      }),
    );
  });

  test("has its next midnight after it, never at it", () => {
    const midnight = Date.parse("2026-03-10T00:00:00Z");
    expect(nextUtcMidnight(midnight)).toBe(midnight + 86_400_000);
    expect(nextUtcMidnight(midnight - 1)).toBe(midnight);
    expect(nextUtcMidnight(midnight + 86_399_999)).toBe(midnight + 86_400_000);
  });
});
