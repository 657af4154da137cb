import { expect, test } from "bun:test";
import fc from "fast-check";
import { findNoteKeywords, findNoteMentions } from "../../../src/domain/scoring/find-note-keywords.ts";
import {
  notedInspectionsOfFindings,
  scoredNoteOfFindings,
  scoringFindingsOfNote,
} from "../../../src/domain/scoring/note-findings.ts";
import { loadedNoteKeyOf } from "../../../src/usecases/history/load-note-findings.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { rescoreProperty } from "../../../src/usecases/rescoring/rescore.ts";
import { knowledge, usePortfolioStore } from "../../support/portfolio-store.ts";

const { keywords } = knowledge;

test("the stored form of a note identifies its findings and the note itself", () => {
  const word = fc.constantFrom("leaking", "repaired", "no", "noisy", "passed", "valve", ",", "rust");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (words) => {
      const notes = words.join(" ");
      const { key, findings: kept } = scoredNoteOfFindings(
        scoringFindingsOfNote(knowledge, notes, loadedNoteKeyOf),
      )!;
      expect(kept).toEqual(
        findNoteKeywords(keywords, notes).map(({ group, share }) => ({ groupId: group.id, share })),
      );
      expect(
        scoredNoteOfFindings(scoringFindingsOfNote(knowledge, `${notes}!`, loadedNoteKeyOf))!.key,
      ).not.toBe(key);
    }),
  );
  expect(scoredNoteOfFindings(scoringFindingsOfNote(knowledge, null, loadedNoteKeyOf))).toBeNull();
});

test("inspections, failures and hazards are read beside any character that continues no word", () => {
  const { inspectionWords, hazardWords } = knowledge;
  const texts = [inspectionWords, hazardWords.rules].flatMap(({ groups, verdicts }) => [
    ...groups.flatMap(({ phrases }) => phrases),
    ...(verdicts?.failures ?? []),
  ]);
  const found = { inspections: 0, hazards: 0, failures: 0 };
  for (const text of texts)
    for (const [before, after] of ["()", "éé", "\n'", "2.5,"].map((two) => [two.slice(0, -1), two.at(-1)])) {
      const notes = `${before}${text}${after}`;
      const { notedInspections, hazards } = scoringFindingsOfNote(knowledge, notes, loadedNoteKeyOf);
      const { findings, failed } = findNoteMentions(inspectionWords, notes);
      const { done } = notedInspectionsOfFindings(notedInspections);
      for (const { id } of findings.map(({ group }) => group).filter(({ id }) => id !== "any")) {
        expect(done).toEqual(expect.arrayContaining(id.split(" ")));
        found.inspections++;
      }
      if (failed.size > 0) {
        expect(notedInspections).toContain("!");
        found.failures++;
      }
      for (const { group } of findNoteMentions(hazardWords.rules, notes).findings) {
        expect(hazards).toContain(group.id);
        found.hazards++;
      }
    }
  for (const count of Object.values(found)) expect(count).toBeGreaterThan(50);
});

test.each([
  ["Cat 5 full load test, passed", ["category_5_full_load_test"]],
  ["annual no-load test", ["category_1_annual_test"]],
  ["CAT5 done", ["category_5_full_load_test"]],
  ["cat. 5 full load", ["category_5_full_load_test"]],
  ["Cat.1 passed", ["category_1_annual_test"]],
  ["Category 1 and category 5 done", ["category_1_annual_test", "category_5_full_load_test"]],
  ["Backflow tested", ["fire_line_backflow_test", "backflow_preventer_test"]],
  [
    "Annual sprinkler inspection, tech on site 4hr, 5yr warranty on new heads",
    ["sprinkler_annual_inspection"],
  ],
  ["5 year warranty", []],
  ["Category five test, and 4hr run", ["category_5_full_load_test", "four_hour_test"]],
  ["5-yr obstruction survey", ["internal_pipe_inspection"]],
  ["5-year internal pipe inspection", ["internal_pipe_inspection"]],
  ["Fire pump churn test ok", ["fire_pump_flow_test"]],
  ["load bank and four-hour test", ["annual_load_bank_or_service", "four_hour_test"]],
  ["New certificate posted", ["certificate_inspection"]],
  ["Cat 5 due in March", []],
  ["Next category 5 in 2028", []],
  ["No flow test today", []],
  ["flow test not performed", []],
  ["sensitivity test was postponed", []],
  ["recommended to be load bank tested", []],
  ["if the backflow leaks, call us", []],
  ["greased the rails", []],
  ["", []],
  ["Cat 1 and 5 done", ["category_1_annual_test", "category_5_full_load_test"]],
  ["Cat 1 and Cat 5 tests due next month", []],
  ["Annual sprinkler, backflow and fire pump tests due", []],
  ["Cat 1 done and Cat 5 due", ["category_1_annual_test"]],
  ["Cat 1 test, Cat 5 due in 2028", ["category_1_annual_test"]],
  ["Annual fire alarm test", ["system_annual_test"]],
  ["CO alarms in dwellings tested", ["dwelling_smoke_co_alarm_check"]],
  ["Annual NFPA 25 inspection", ["sprinkler_annual_inspection"]],
])("a note that says %j names %j", (notes, inspections) => {
  expect(new Set(inspectionsOf(notes).done)).toEqual(new Set(inspections));
});

const inspectionsOf = (notes: string) =>
  notedInspectionsOfFindings(scoringFindingsOfNote(knowledge, notes, loadedNoteKeyOf).notedInspections);

test.each([
  ["Cat 1 test postponed", { notDone: ["category_1_annual_test"] }],
  // The next one is no doubt about this one.
  ["All ok. Next Cat 1 due 3/2027", {}],
  ["Cat 1 next due in March", {}],
  ["certificate expired, inspection needed", { notDone: ["certificate_inspection"] }],
  ["CAT-5 load test failed", { failed: ["category_5_full_load_test", "any"] }],
  ["Cat 5 did not pass", { failed: ["category_5_full_load_test"] }],
  [
    "Did not pass the backflow test",
    { failed: ["fire_line_backflow_test", "backflow_preventer_test", "any"] },
  ],
  ["Monthly exercise failed to start", { failed: ["monthly_load_exercise"] }],
  ["Inspection failed", { failed: ["any"] }],
  ["Cat 5 failed at first, adjusted, then passed", {}],
  ["Cat 5 failed, Cat 1 passed", { failed: ["category_5_full_load_test"] }],
  ["Cat 1 and Cat 5 failed, adjusted, both passed", {}],
  ["Cat 5 failed, not passed yet", { failed: ["category_5_full_load_test"] }],
  ["Cat 5 test unsatisfactory", { failed: ["category_5_full_load_test", "any"] }],
  ["Cat 5 test not ok", { failed: ["category_5_full_load_test", "any"] }],
  ["Replaced the failed battery; annual test ok", {}],
  ["Annual test found failed strobes, replaced", {}],
  ["Replaced failed strobes during annual test", {}],
  ["Annual test with no failed devices", {}],
  ["Inspection of failed compressor", {}],
  ["Repaired the failed backflow, test ok", {}],
  ["Backflow has failed", { failed: ["fire_line_backflow_test", "backflow_preventer_test"] }],
])("a note that says %j says what failed or was not done", (notes, expected) => {
  const { failed, notDone } = inspectionsOf(notes);
  expect({ failed: new Set(failed), notDone: new Set(notDone) }).toEqual({
    failed: new Set((expected as { failed?: string[] }).failed),
    notDone: new Set((expected as { notDone?: string[] }).notDone),
  });
});

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();
const UNREAD = { noteKey: null, findings: null, notedInspections: null, readBy: null, hazards: null };

test.each([
  ["was not read, in a database of before", UNREAD],
  [
    "was read by other rules",
    { noteKey: "x", findings: "no_longer_a_group", notedInspections: "", readBy: "other", hazards: "zinsco" },
  ],
])("a note that %s is read at the next scoring, once", async (_, before) => {
  const fixture = await open(NOW);
  const property = await fixture.addProperty();
  const [appliance] = await fixture.addAppliances({ propertyId: property.id });
  const [event] = await fixture.write(async (writer) => {
    const log = new ServiceLog(writer);
    const event = await log.add({
      applianceId: appliance!.id,
      componentId: null,
      eventType: "Other",
      date: "2026-03-01",
      partsCostCents: null,
      laborCostCents: null,
      totalCostCents: null,
      technician: null,
      notes: "leaking at the valve, burner repaired",
      conditionAfter: null,
    });
    await log.finish();
    return [event];
  });
  const evidence = async () =>
    (await fixture.store.read.serviceEvents.evidence([appliance!.id], keywords.version, 10))[0]!;
  const scores = async () =>
    (await fixture.components(property.id)).map(({ id, riskScore, hazardRatio }) => [
      id,
      riskScore,
      hazardRatio,
    ]);
  const [read, scored] = [await evidence(), await scores()];
  expect(read.unread).toBeNull();
  expect(read.findings).not.toBe("");

  await fixture.store.write((tx) => tx.serviceEvents.saveReading(event!.id, before));
  const { notedInspections: __, readBy: ___, ...kept } = before;
  expect(await evidence()).toMatchObject({ ...kept, unread: event!.notes });
  const recorded = (await fixture.store.read.properties.find(fixture.partner.id, property.id))!;
  await fixture.write((writer) => rescoreProperty(writer, recorded, "all", "history"));
  expect(await evidence()).toEqual(read);
  expect(await scores()).toEqual(scored);
});
