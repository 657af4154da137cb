import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  complianceStatus,
  inspectionComplianceOfAppliances,
} from "../../../src/domain/figures/inspection-compliance.ts";
import { type InspectionEvent, InspectionRecord } from "../../../src/domain/figures/inspection-record.ts";
import {
  notedInspectionsOfFindings,
  scoringFindingsOfNote,
} from "../../../src/domain/scoring/note-findings.ts";
import { addDays, dayFromNumber, dayNumber } from "../../../src/domain/time.ts";
import { knowledge } from "./components.ts";
import { INSPECTIONS, INSPECTORS_NOTES } from "./inspectors-notes.ts";

const TODAY = "2026-03-10";
const ELEVATOR = { id: "A_1", typeId: "elevator", installYear: 2020 };

let events = 0;
const inspected = (date: string, given: Partial<InspectionEvent> = {}): InspectionEvent => ({
  id: `SE_${String(++events).padStart(6, "0")}`,
  eventType: "Inspection",
  date,
  conditionAfter: null,
  isRated: false,
  componentDefId: null,
  inspectionTypes: null,
  noted: { done: [], failed: [], notDone: [], isOfNoVisit: false },
  ...given,
});
/** An event whose notes name inspections. */
const noting = (done: string[], { failed = [] as string[], notDone = [] as string[] } = {}) => ({
  noted: { done: [...done, ...failed], failed, notDone, isOfNoVisit: false },
});
function record(typeId: string, events: readonly InspectionEvent[]): InspectionRecord {
  const made = new InspectionRecord(knowledge.regimes(typeId), knowledge.type(typeId).components);
  for (const event of events) made.add(event);
  return made;
}
const items = (events: InspectionEvent[] = [], appliance = ELEVATOR, today = TODAY) =>
  inspectionComplianceOfAppliances(
    knowledge,
    [appliance],
    new Map([[appliance.id, record(appliance.typeId, events)]]),
    today,
  );
const item = (inspectionType: string, events: InspectionEvent[], appliance = ELEVATOR) =>
  items(events, appliance).find(({ regime }) => regime.inspectionType === inspectionType)!;
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

  // Rule: inspection-failed
  test("of a mandatory one does not restart with a visit that left the condition poor, and it is due since", () => {
    const failed = inspected("2026-03-01", { conditionAfter: "poor" });
    expect(yearly(failed), "the first one on record").toMatchObject({
      lastInspection: "2026-03-01",
      result: "failed",
      deficiencyOpen: true,
      dueDate: "2026-03-01",
      status: "OVERDUE",
    });
    const again = inspected("2026-03-08", { conditionAfter: "poor" });
    expect(yearly(again, failed)).toMatchObject({ lastInspection: "2026-03-08", dueDate: "2026-03-01" });
    const passed = inspected("2026-03-08", { id: "SE_9" });
    expect(yearly(failed, again, passed, { ...again, id: "SE_99" }).dueDate).toBe("2026-03-08");
    expect(yearly(inspected("2025-03-01"), failed)).toMatchObject({
      lastInspection: "2026-03-01",
      dueDate: "2026-03-01",
      daysUntilDue: -9,
      status: "OVERDUE",
    });
    expect(yearly(inspected("2025-08-01"), failed).dueDate).toBe("2026-03-01");
    expect(yearly(failed, inspected("2026-03-05"))).toMatchObject({
      result: "passed",
      deficiencyOpen: false,
      dueDate: "2027-03-05",
    });
  });

  // Rule: inspection-failed
  test("of a recommended one restarts with any visit", () => {
    const failed = inspected("2026-03-01", { conditionAfter: "poor" });
    const panel = { ...ELEVATOR, typeId: "electrical_panel" };
    expect(item("infrared_thermography", [failed], panel)).toMatchObject({
      result: "failed",
      deficiencyOpen: true,
      dueDate: "2027-03-01",
      status: "OK",
    });
  });

  test("ignores other events and other appliances", () => {
    for (const eventType of ["Repair", "Preventive Maintenance"] as const)
      expect(yearly(inspected("2026-01-01", { eventType })).lastInspection).toBeNull();
    expect(yearly(inspected(TODAY)).lastInspection).toBe(TODAY);
    const ofAnother = new Map([["A_2", record("elevator", [inspected("2026-01-01")])]]);
    for (const { lastInspection } of inspectionComplianceOfAppliances(
      knowledge,
      [ELEVATOR],
      ofAnother,
      TODAY,
    ))
      expect(lastInspection).toBeNull();
  });

  test("ends on the last day of a shorter month", () => {
    const roof = { id: "A_1", typeId: "roof", installYear: 2000 };
    expect(items([inspected("2025-08-31")], roof)[0]!.dueDate).toBe("2026-02-28");
  });
});

// Rule: inspection-basis
describe("a visit counts for", () => {
  const SPRINKLERS = { ...ELEVATOR, typeId: "fire_suppression" };
  const seen = (given: Partial<InspectionEvent>) =>
    items([inspected("2026-03-01", given)], SPRINKLERS)
      .filter(({ lastInspection }) => lastInspection !== null)
      .map(({ regime, basis }) => [regime.inspectionType, basis]);

  test("the inspections that the event names, whatever its type", () => {
    const inspectionTypes = ["internal_pipe_inspection", "fire_pump_flow_test"];
    for (const eventType of ["Inspection", "Other"] as const)
      expect(seen({ eventType, inspectionTypes, ...noting(["fire_line_backflow_test"]) })).toEqual([
        ["fire_pump_flow_test", "named"],
        ["internal_pipe_inspection", "named"],
      ]);
  });

  test("else those that the notes name, if its type can be one", () => {
    const backflow = noting(["fire_line_backflow_test", "backflow_preventer_test"]);
    expect(seen(backflow)).toEqual([["fire_line_backflow_test", "notes"]]);
    expect(seen({ eventType: "Repair", ...backflow })).toEqual([]);
    expect(seen({ eventType: "Preventive Maintenance", ...backflow })).toEqual([
      ["portable_extinguisher_annual", "assumed"],
    ]);
  });

  test("else those with the shortest interval that its type can be", () => {
    expect(seen({})).toEqual([["waterflow_and_valve_quarterly", "assumed"]]);
    expect(seen(noting(["four_hour_test"]))).toEqual([["waterflow_and_valve_quarterly", "assumed"]]);
    expect(seen({ eventType: "Preventive Maintenance" })).toEqual([
      ["portable_extinguisher_annual", "assumed"],
    ]);
    expect(seen({ eventType: "Warranty Claim" })).toEqual([]);
  });

  test("none that its notes say was not done", () => {
    const notDone = (type: string) => seen(noting([], { notDone: [type] }));
    expect(notDone("waterflow_and_valve_quarterly")).toEqual([]);
    expect(notDone("sprinkler_annual_inspection")).toEqual([["waterflow_and_valve_quarterly", "assumed"]]);
  });

  test("none that it only rates the condition of, as a survey of a building does", () => {
    for (const conditionAfter of ["good", "poor"] as const) {
      expect(seen({ isRated: true, conditionAfter })).toEqual([]);
      expect(seen({ isRated: true, conditionAfter, componentDefId: "fs_backflow" })).toEqual([]);
    }
    const noted = noting(["sprinkler_annual_inspection"]);
    expect(seen({ isRated: true, ...noted })).toEqual([["sprinkler_annual_inspection", "notes"]]);
  });

  test("of a component alone, no inspection of the whole appliance unless it names one", () => {
    const componentDefId = "fs_backflow";
    expect(seen({ componentDefId: "fs_fire_pump" })).toEqual([]);
    expect(seen({ componentDefId, conditionAfter: "poor" })).toEqual([
      ["fire_line_backflow_test", "assumed"],
    ]);
    expect(seen({ componentDefId, eventType: "Preventive Maintenance" })).toEqual([]);
    expect(seen({ componentDefId, ...noting(["sprinkler_annual_inspection"]) })).toEqual([
      ["sprinkler_annual_inspection", "notes"],
    ]);
    expect(seen({ componentDefId, inspectionTypes: ["internal_pipe_inspection"] })).toEqual([
      ["internal_pipe_inspection", "named"],
    ]);
    const washer = { ...ELEVATOR, typeId: "washer" };
    const replaced = (defId: string | null) =>
      item(
        "supply_hose_check",
        [inspected("2026-03-01", { eventType: "Replacement", componentDefId: defId })],
        washer,
      );
    expect(replaced("washer_supply_hoses").basis).toBe("assumed");
    expect(replaced(null).basis).toBe("assumed");
    expect(replaced("washer_drive_motor").basis).toBe("none");
  });

  test("nothing without a visit", () => {
    expect(yearly()).toMatchObject({ basis: "none", result: null, lastEventId: null, deficiencyOpen: false });
  });
});

// Rule: inspection-deficiency
describe("a deficiency is open", () => {
  const failed = () => inspected("2026-03-01", { conditionAfter: "poor" });
  const isOpen = (...events: InspectionEvent[]) => yearly(...events).deficiencyOpen;

  test("until a later repair, a replacement, or the same inspection passes", () => {
    const found = failed();
    expect(isOpen(found)).toBe(true);
    expect(isOpen(inspected("2026-02-01", { eventType: "Repair" }), found)).toBe(true);
    for (const eventType of ["Cleaning", "Emergency Repair", "Other"] as const)
      expect(isOpen(found, inspected("2026-03-02", { eventType }))).toBe(true);
    for (const eventType of ["Repair", "Replacement"] as const)
      expect(isOpen(found, inspected("2026-03-02", { eventType }))).toBe(false);
    expect(isOpen(found, inspected("2026-03-02", { componentDefId: "elev_controller" }))).toBe(true);
    const other = { inspectionTypes: ["category_5_full_load_test"] };
    expect(isOpen(found, inspected("2026-03-02", other)), "another one is no proof").toBe(true);
    expect(isOpen(found, inspected("2026-03-02"))).toBe(false);
  });

  test("on one day in the order in which the events were logged", () => {
    const found = failed();
    const repair = inspected(found.date, { eventType: "Repair" });
    expect(isOpen(repair, found)).toBe(false);
    expect(isOpen({ ...repair, id: "SE_0" }, found)).toBe(true);
  });

  test("while a repaired one is still due", () => {
    const events = [failed(), inspected("2026-03-02", { eventType: "Repair" })];
    expect(yearly(...events)).toMatchObject({ deficiencyOpen: false, status: "OVERDUE", result: "failed" });
  });
});

// Rule: inspection-failed
test("an inspection fails by the notes where the event states no condition", () => {
  const types = ["category_1_annual_test", "category_5_full_load_test"];
  const results = (given: Partial<InspectionEvent>) =>
    types.map((type) => item(type, [inspected("2026-03-01", given)]).result);
  const fullLoad = noting(["category_1_annual_test"], { failed: ["category_5_full_load_test"] });
  expect(results(fullLoad)).toEqual(["passed", "failed"]);
  expect(results({ ...fullLoad, inspectionTypes: types })).toEqual(["passed", "failed"]);
  expect(results({ ...fullLoad, conditionAfter: "good" })).toEqual(["passed", "passed"]);
  const any = noting([], { failed: ["any"] });
  expect(results(any)).toEqual(["failed", null]);
  expect(results({ ...any, inspectionTypes: types })).toEqual(["failed", "failed"]);
  const deficiencyOf = (...events: InspectionEvent[]) =>
    item("category_1_annual_test", events).deficiencyOpen;
  expect(deficiencyOf(inspected("2026-03-01", any)), "no condition is stated").toBe(false);
  const poor = inspected("2026-02-01", { conditionAfter: "poor" });
  expect(deficiencyOf(poor, inspected("2026-03-01", any))).toBe(true);
  const covers = inspected("2026-03-01", { ...any, eventType: "Replacement" });
  const pool = { ...ELEVATOR, typeId: "pool_equipment" };
  expect(item("drain_cover_check", [covers], pool).result, "what was replaced had failed").toBe("passed");
  const door = { ...any, componentDefId: "elev_door_operator" };
  expect(results(door)).toEqual(["failed", null]);
});

// Rule: inspection-failed
test.each(INSPECTORS_NOTES)("an inspector's note %j has passed %j and failed %j", (notes, passed, failed) => {
  const namesOf = (names: string) => names.split(" ").filter((name) => name !== "");
  const [typeId] = INSPECTIONS[(namesOf(`${passed} ${failed}`)[0] ?? "cat5") as "cat5"].split(" ");
  const { notedInspections } = scoringFindingsOfNote(knowledge, notes, String);
  const visit = inspected("2026-03-01", { noted: notedInspectionsOfFindings(notedInspections) });
  const results = record(typeId!, [visit]);
  const named = (hasPassed: boolean) =>
    Object.entries(INSPECTIONS).flatMap(([name, inspection]) => {
      const regime = knowledge
        .regimes(typeId!)
        .find((one) => inspection === `${typeId} ${one.inspectionType}`);
      return regime && results.stateOf(regime).last?.hasPassed === hasPassed ? [name] : [];
    });
  const names = [namesOf(passed), namesOf(failed)];
  expect([named(true), named(false)]).toEqual(names);
});

// Rule: inspection-of-component
describe("an inspection of one component that is none of its appliance", () => {
  const controller = (date: string, given: Partial<InspectionEvent> = {}) =>
    inspected(date, { componentDefId: "elev_controller", ...given });
  const failed = (date = "2026-03-01") => controller(date, { conditionAfter: "poor" });
  const fullLoad = (...events: InspectionEvent[]) => item("category_5_full_load_test", events);

  test("fails the one with the shortest interval, whose deficiency it opens", () => {
    const found = failed();
    expect(yearly(found)).toMatchObject({
      lastInspection: "2026-03-01",
      result: "failed",
      deficiencyOpen: true,
      basis: "assumed",
      lastEventId: found.id,
      // No visit is on record: it has been due since a year after the installation.
      dueDate: "2021-07-01",
      status: "OVERDUE",
    });
    expect(yearly(inspected("2026-02-01"), found)).toMatchObject({
      dueDate: "2026-03-01",
      deficiencyOpen: true,
    });
    expect(fullLoad(found)).toMatchObject({ basis: "none", deficiencyOpen: false });
    expect(yearly(found, inspected("2026-02-01", { conditionAfter: "poor" })).dueDate).toBe("2026-02-01");
  });

  test("is over once the component passes, and has satisfied nothing", () => {
    const test = inspected("2026-02-01");
    const passed = controller("2026-03-05");
    for (const events of [
      [test, failed(), passed],
      [passed, failed(), test],
    ])
      expect(yearly(...events)).toMatchObject({
        lastInspection: "2026-02-01",
        result: "passed",
        deficiencyOpen: false,
        dueDate: "2027-02-01",
        status: "OK",
      });
    expect(yearly(failed(), passed)).toMatchObject({ basis: "none", deficiencyOpen: false, result: null });
    expect(yearly(passed)).toMatchObject({ basis: "none", result: null });
    expect(yearly(failed(), controller("2026-02-20")).deficiencyOpen).toBe(true);
    expect(yearly(test, failed(), passed, failed("2026-03-07"))).toMatchObject({
      dueDate: "2026-03-07",
      deficiencyOpen: true,
    });
    const door = inspected("2026-03-05", { componentDefId: "elev_door_operator" });
    expect(yearly(failed(), door).deficiencyOpen).toBe(true);
  });

  test("is settled by a repair, and ended by a passed inspection of the appliance", () => {
    const repair = inspected("2026-03-02", { eventType: "Repair" });
    expect(yearly(failed(), repair)).toMatchObject({ deficiencyOpen: false, result: "failed" });
    expect(yearly(failed(), inspected("2026-03-02"))).toMatchObject({
      deficiencyOpen: false,
      result: "passed",
    });
  });

  test("moves no due date of a recommended inspection", () => {
    const washer = { ...ELEVATOR, typeId: "washer" };
    const before = item("supply_hose_check", [], washer);
    const motor = inspected("2026-03-01", { componentDefId: "washer_drive_motor", conditionAfter: "poor" });
    expect(item("supply_hose_check", [motor], washer)).toMatchObject({
      dueDate: before.dueDate,
      lastInspection: "2026-03-01",
      deficiencyOpen: true,
    });
  });

  test("counts for nothing once the appliance is of a type without the component", () => {
    const pump = { ...ELEVATOR, typeId: "sump_pump" };
    expect(item("functional_test", [failed()], pump)).toMatchObject({ basis: "none", deficiencyOpen: false });
  });

  test("counts for itself alone where one of its own exists", () => {
    const sprinklers = { ...ELEVATOR, typeId: "fire_suppression" };
    const backflow = inspected("2026-03-01", { componentDefId: "fs_backflow", conditionAfter: "poor" });
    expect(item("waterflow_and_valve_quarterly", [backflow], sprinklers).basis).toBe("none");
    for (const eventType of ["Cleaning", "Preventive Maintenance"] as const)
      expect(yearly({ ...failed(), eventType }).basis).toBe("none");
  });
});

describe("the inspections of a property", () => {
  test("are one per appliance and inspection type, the first due first", () => {
    const second = { ...ELEVATOR, id: "A_2" };
    const all = inspectionComplianceOfAppliances(
      knowledge,
      [ELEVATOR, second],
      new Map([["A_1", record("elevator", [inspected("2025-12-01")])]]),
      TODAY,
    );
    expect(
      all.map(({ appliance, regime, dueDate }) => [appliance.id, regime.inspectionType, dueDate]),
    ).toEqual([
      ["A_2", "category_1_annual_test", "2021-07-01"],
      ["A_1", "category_5_full_load_test", "2025-07-01"],
      ["A_2", "category_5_full_load_test", "2025-07-01"],
      ["A_1", "category_1_annual_test", "2026-12-01"],
    ]);
  });

  test("are none for an appliance without a regime, and for no appliances", () => {
    expect(items([], { id: "A_1", typeId: "garbage_disposal", installYear: 2000 })).toEqual([]);
    expect(inspectionComplianceOfAppliances(knowledge, [], new Map(), TODAY)).toEqual([]);
  });

  test("are 43 over the whole knowledge base, each with its interval", () => {
    const all = [...knowledge.types.keys()].map((typeId) => ({ id: typeId, typeId, installYear: 2020 }));
    const found = inspectionComplianceOfAppliances(knowledge, all, new Map(), TODAY);
    expect(found).toHaveLength(43);
    expect(found.every(({ regime }) => regime.intervalMonths > 0)).toBe(true);
  });

  test("have statuses that agree with their due dates for any history", () => {
    const event = fc.record({
      eventType: fc.constantFrom("Inspection" as const, "Replacement" as const, "Cleaning" as const),
      date: fc.integer({ min: dayNumber("2015-01-01"), max: dayNumber(TODAY) }).map(dayFromNumber),
      conditionAfter: fc.constantFrom(null, "good" as const, "poor" as const),
    });
    const typeId = fc.constantFrom(...knowledge.types.keys());
    fc.assert(
      fc.property(typeId, fc.array(event, { maxLength: 6 }), (type, events) => {
        const given = events.map((one) => inspected(one.date, one));
        const appliance = { id: "A_1", typeId: type, installYear: 2018 };
        const found = items(given, appliance);
        expect(items(given.toReversed(), appliance), "in any order").toEqual(found);
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
