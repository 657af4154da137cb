import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  complianceItems,
  complianceStatus,
  type InspectionEvent,
} from "../../../src/domain/figures/compliance.ts";
import { addDays, dayFromNumber, dayNumber } from "../../../src/domain/time.ts";
import { knowledge } from "./components.ts";

const TODAY = "2026-03-10";
const ELEVATOR = { id: "A_1", typeId: "elevator", installYear: 2020 };

const inspected = (date: string, given: Partial<InspectionEvent> = {}): InspectionEvent => ({
  eventType: "Inspection",
  date,
  conditionAfter: null,
  ...given,
});
const items = (events: InspectionEvent[] = [], appliance = ELEVATOR, today = TODAY) =>
  complianceItems(knowledge, [appliance], new Map([[appliance.id, events]]), today);
/** The elevator's yearly test. */
const yearly = (...events: InspectionEvent[]) =>
  items(events).find(({ regime }) => regime.inspectionType === "category_1_annual_test")!;

// Rule: compliance-status
test("an inspection has the status of its remaining days", () => {
  expect([-1, 0, 30, 31, 90, 91].map(complianceStatus)).toEqual([
    ...(["OVERDUE", "DUE_SOON", "DUE_SOON", "UPCOMING", "UPCOMING", "OK"] as const),
  ]);
});

describe("the interval of an inspection", () => {
  // Rule: compliance-item, inspection-clock
  test("starts on 1 July of the install year", () => {
    expect(yearly()).toMatchObject({
      lastInspection: null,
      dueDate: "2021-07-01",
      daysUntilDue: -1713, // 1,461 days to 1 July 2025 and 252 from there
      status: "OVERDUE",
    });
  });

  test("restarts with the latest event that passed", () => {
    expect(yearly(inspected("2025-06-30"), inspected("2024-01-01"))).toMatchObject({
      lastInspection: "2025-06-30",
      dueDate: "2026-06-30",
      daysUntilDue: 112,
      status: "OK",
    });
    expect(yearly(inspected("2025-04-01", { conditionAfter: "fair" })).dueDate).toBe("2026-04-01");
  });

  test("continues after an event that left the condition poor", () => {
    const failed = inspected("2026-03-01", { conditionAfter: "poor" });
    expect(yearly(failed).lastInspection).toBeNull();
    expect(yearly(inspected("2025-03-01"), failed)).toMatchObject({
      lastInspection: "2025-03-01",
      daysUntilDue: -9,
      status: "OVERDUE",
    });
  });

  test("ignores other events, other appliances and events dated after today", () => {
    for (const other of [
      inspected("2026-01-01", { eventType: "Repair" }),
      inspected("2026-01-01", { eventType: "Preventive Maintenance" }),
      inspected("2026-03-11"),
    ])
      expect(yearly(other).lastInspection).toBeNull();
    expect(yearly(inspected(TODAY)).lastInspection).toBe(TODAY);
    const ofAnother = new Map([["A_2", [inspected("2026-01-01")]]]);
    for (const { lastInspection } of complianceItems(knowledge, [ELEVATOR], ofAnother, TODAY))
      expect(lastInspection).toBeNull();
  });

  test("ends on the last day of a shorter month", () => {
    const roof = { id: "A_1", typeId: "roof", installYear: 2000 };
    expect(items([inspected("2025-08-31")], roof)[0]!.dueDate).toBe("2026-02-28");
  });
});

describe("the inspections of a property", () => {
  test("are one per appliance and inspection type, the first due first", () => {
    const second = { ...ELEVATOR, id: "A_2" };
    const all = complianceItems(
      knowledge,
      [ELEVATOR, second],
      new Map([["A_1", [inspected("2025-12-01")]]]),
      TODAY,
    );
    expect(
      all.map(({ appliance, regime, dueDate }) => [appliance.id, regime.inspectionType, dueDate]),
    ).toEqual([
      ["A_2", "category_1_annual_test", "2021-07-01"],
      ["A_2", "category_5_full_load_test", "2025-07-01"],
      ["A_1", "category_1_annual_test", "2026-12-01"],
      ["A_1", "category_5_full_load_test", "2030-12-01"],
    ]);
  });

  test("are none for an appliance without a regime, and for no appliances", () => {
    expect(items([], { id: "A_1", typeId: "garbage_disposal", installYear: 2000 })).toEqual([]);
    expect(complianceItems(knowledge, [], new Map(), TODAY)).toEqual([]);
  });

  test("are 43 over the whole knowledge base, each with its interval", () => {
    const all = [...knowledge.types.keys()].map((typeId) => ({ id: typeId, typeId, installYear: 2020 }));
    const found = complianceItems(knowledge, all, new Map(), TODAY);
    expect(found).toHaveLength(43);
    expect(found.every(({ regime }) => regime.intervalMonths > 0)).toBe(true);
  });

  test("have statuses that agree with their due dates for any history", () => {
    const event = fc.record({
      applianceId: fc.constant("A_1"),
      eventType: fc.constantFrom("Inspection" as const, "Replacement" as const, "Cleaning" as const),
      date: fc.integer({ min: dayNumber("2015-01-01"), max: dayNumber("2027-01-01") }).map(dayFromNumber),
      conditionAfter: fc.constantFrom(null, "good" as const, "poor" as const),
    });
    const typeId = fc.constantFrom(...knowledge.types.keys());
    fc.assert(
      fc.property(typeId, fc.array(event, { maxLength: 6 }), (type, events) => {
        const found = items(events, { id: "A_1", typeId: type, installYear: 2018 });
        for (const { dueDate, daysUntilDue, status, lastInspection } of found) {
          expect(addDays(TODAY, daysUntilDue)).toBe(dueDate);
          expect(status).toBe(complianceStatus(daysUntilDue));
          if (lastInspection !== null) expect(lastInspection <= TODAY).toBe(true);
        }
        expect(found.map(({ dueDate }) => dueDate)).toEqual(found.map(({ dueDate }) => dueDate).sort());
      }),
    );
  });
});
