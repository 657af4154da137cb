import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  countHazardFlags,
  type FlagCount,
  type FlaggedAppliance,
  hazardFlagAction,
  hazardFlagLabel,
  hazardFlagNotation,
  hazardFlagsOfAppliance,
  hazardFlagsOfNotation,
  hazardFlagsOfPart,
} from "../../../src/domain/hazards/hazard-flags.ts";
import { scoredNoteOfFindings, scoringFindingsOfNote } from "../../../src/domain/scoring/note-findings.ts";
import type { EventType } from "../../../src/domain/service-event.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";

const knowledge = embeddedKnowledge();
const PANEL: FlaggedAppliance = {
  typeId: "electrical_panel",
  brand: "Square D",
  model: null,
  installYear: 2001,
  installYearBasis: "given",
  unitId: null,
  flagsSet: "",
  flagsCleared: "",
};
const COMPONENTS = [
  { id: "C_bus", defId: "panel_bus_enclosure" },
  { id: "C_main", defId: "panel_main_breaker" },
  { id: "C_pipe", defId: "plumb_supply_piping" },
];
const event = (
  date: string,
  notes: string | null,
  eventType: EventType = "Inspection",
  componentId?: string,
) => ({
  date,
  eventType,
  componentId: componentId ?? null,
  note: scoredNoteOfFindings(scoringFindingsOfNote(knowledge, notes, (text) => text)),
});
const flagsOf = (
  fields: Partial<FlaggedAppliance>,
  yearBuilt: number | null = null,
  events: ReturnType<typeof event>[] = [],
) =>
  hazardFlagNotation(
    hazardFlagsOfAppliance(knowledge, { ...PANEL, ...fields }, yearBuilt, COMPONENTS, events),
  );

// Rule: hazard-flags
describe("a brand or model names a hazard", () => {
  test.each([
    ["Federal Pacific Electric", "federal_pacific:brand"],
    ["FPE", "federal_pacific:brand"],
    ["F.P.E.", "federal_pacific:brand"],
    ["Fed. Pacific", "federal_pacific:brand"],
    ["Bull Dog", "pushmatic:brand"],
    ["federal-pacific", "federal_pacific:brand"],
    ["Sylvania-Zinsco", "zinsco:brand"],
    ["GTE Sylvania", "zinsco:brand"],
    ["Challenger", "challenger:brand"],
    ["ITE Pushmatic", "pushmatic:brand"],
    ["Bulldog Electric", "pushmatic:brand"],
    ["Square D", ""],
    ["Sylvania", ""],
    ["Challengers", ""],
  ])("%s", (brand, flags) => {
    expect(flagsOf({ brand })).toBe(flags);
    expect(flagsOf({ brand: null, model: brand })).toBe(flags);
  });

  test("of its own types only", () => {
    expect(flagsOf({ typeId: "elevator", brand: "Challenger" })).toBe("");
    expect(flagsOf({ typeId: "fire_suppression", brand: "Central", model: "Omega EC-20" })).toBe(
      "omega_sprinklers:brand",
    );
    for (const brand of ["Poly-B", "Quest", "PB2110"])
      expect([brand, flagsOf({ typeId: "plumbing_supply", brand })]).toEqual([brand, "polybutylene:brand"]);
    expect(flagsOf({ typeId: "rooftop_unit", installYear: 2012, model: "RTU 5T R-22" })).toBe("r22:brand");
  });
});

describe("notes name a hazard", () => {
  const panel = (...notes: string[]) =>
    flagsOf(
      {},
      null,
      notes.map((text, at) => event(`2020-01-0${at + 1}`, text)),
    );
  test.each([
    ["Panel is a Federal Pacific Stab-Lok, recommend replacement", "federal_pacific:notes"],
    ["Replaced breaker in the Zinsco panel", "zinsco:notes"],
    ["Aluminum wiring throughout; pigtails at outlets", "aluminum_wiring:notes"],
    ["No aluminum wiring found", ""],
    ["No evidence of Federal Pacific breakers", ""],
    ["Checked for Zinsco: not a Zinsco panel", ""],
    ["Zinsco panel replaced with Siemens", ""],
    ["Replaced Stab-Lok panel with Square D", ""],
    ["If Pushmatic, replace", ""],
    ["The Dodge Challenger was parked in front", ""],
    ["Zinsco panel was replaced in 2019", ""],
    ["Zinsco panel has been replaced", ""],
    ["Zinsco panel removed", ""],
    ["Zinsco was removed in 2015", ""],
    ["Federal Pacific Stab-Lok panels in all units were replaced", "federal_pacific:notes"],
    ["Federal Pacific Stab-Lok panel was replaced by Square D", ""],
    ["Zinsco and Stab-Lok panels were removed", ""],
    ["Removed the old Zinsco and Stab-Lok panels in May", ""],
    ["Zinsco panel found and replaced with Eaton", ""],
    ["Zinsco panel, replaced 2019", ""],
    ["Old Zinsco panel is gone", ""],
    ["Rule out Zinsco", ""],
    ["Is this a Zinsco?", ""],
    ["Zinsco or Stab-Lok?", ""],
    ["Zinsco panel. Replace it?", "zinsco:notes"],
    ["No longer a Zinsco", ""],
    ["We have replaced the Zinsco panel", ""],
    ["Have the Zinsco panel replaced", "zinsco:notes"],
    ["Zinsco breaker was replaced", "zinsco:notes"],
    ["Replaced Zinsco breaker", "zinsco:notes"],
    ["Replaced Zinsco 20A breaker", "zinsco:notes"],
    ["Replaced Zinsco 20 amp breaker", "zinsco:notes"],
    ["Replaced Zinsco 2-pole breaker", "zinsco:notes"],
    ["Zinsco panel, replaced 2 breakers", "zinsco:notes"],
    ["Replaced Zinsco 2019", ""],
    ["Removed Zinsco panel cover", "zinsco:notes"],
    ["Zinsco panel, replaced breaker", "zinsco:notes"],
    ["Not replaced: Zinsco panel", "zinsco:notes"],
    ["Has not replaced Zinsco panel", "zinsco:notes"],
    ["Zinsco panel was not removed", "zinsco:notes"],
    ["Zinsco panel should be replaced", "zinsco:notes"],
    ["Recommend Zinsco panel replaced", "zinsco:notes"],
    ["Zinsco panel scheduled to be replaced", "zinsco:notes"],
    ["Zinsco panel still in service, replaced 2019 elsewhere", "zinsco:notes"],
  ])("%s", (notes, flags) => {
    expect(panel(notes)).toBe(flags);
  });

  // Rule: hazard-notes
  test("unless they report it as gone, deny it or ask about it, in any of these words", () => {
    const any = (...texts: string[]) => fc.constantFrom(...texts);
    const words = (...parts: string[]) => parts.filter(Boolean).join(" ");
    const name = any("Zinsco panel", "zinsco", "Zinsco electrical panel", "ZINSCO main panels");
    const article = any("", "the", "the old", "an existing", "both original");
    const participle = any("replaced", "removed", "swapped out", "upgraded", "taken out");
    const auxiliary = any("was", "were", "has been", "have now been", "had already been");
    const end = any(
      "",
      "in 2019",
      "with Square D",
      "by others",
      "last year",
      "2019",
      "during the renovation",
    );
    const before = any("", "Tenant reports heat. ", "Meter read, ", "OK; ");
    const after = any("", ". No issues", "; labels checked", ", all covers on");
    const part = any("breaker", "cover", "neutral lug", "door latch");
    const gone = fc.oneof(
      fc.tuple(article, name, auxiliary, participle, end).map((parts) => words(...parts)),
      fc.tuple(article, name, participle, end).map((parts) => words(...parts)),
      fc.tuple(participle, article, name, end).map((parts) => words(...parts)),
      fc
        .tuple(any("is this", "could that be", "was it"), article, name)
        .map((parts) => `${words(...parts)}?`),
      fc.tuple(any("rule out", "no longer", "formerly"), name).map((parts) => words(...parts)),
    );
    const there = fc.oneof(
      fc.tuple(article, name, any("needs to be", "was not", "should be", "will be"), participle),
      fc.tuple(any("recommend", "owner wants", "have", "never saw the"), name, participle),
      fc.tuple(participle, part, any("in the", "of the old"), name),
      fc.tuple(participle, article, any("Zinsco"), part),
      fc.tuple(article, any("Zinsco"), part, any("was replaced", "removed", "has been swapped out")),
      fc.tuple(article, name, any("found", "in unit 3", "with scorched breakers")),
      fc.tuple(any("has not", "did not", "never"), participle, article, name),
    );
    for (const [notes, flags] of [
      [gone, ""],
      [there.map((parts) => words(...parts)), "zinsco:notes"],
    ] as const)
      fc.assert(
        fc.property(before, notes, after, (first, note, last) => {
          expect([first + note + last, panel(first + note + last)]).toEqual([first + note + last, flags]);
        }),
        { numRuns: 500 },
      );
  });

  test("of polybutylene pipe in the same way", () => {
    const pipes = (notes: string) =>
      flagsOf({ typeId: "plumbing_supply", brand: null }, null, [event("2020-01-01", notes)]);
    expect(pipes("polybutylene pipe was replaced in 2010")).toBe("");
    expect(pipes("Building repiped from polybutylene in 2010")).toBe("");
    expect(pipes("Replaced a section of polybutylene pipe")).toBe("polybutylene:notes");
    expect(pipes("polybutylene fittings replaced")).toBe("polybutylene:notes");
  });

  test.each([
    ["Zinsco panel replaced in unit 3", "zinsco:notes"],
    ["Unit 3: Zinsco panel was replaced in 2019", "zinsco:notes"],
    ["Replaced Zinsco panel, Apt. 2B", "zinsco:notes"],
    ["Zinsco panel removed (#12)", "zinsco:notes"],
    ["Zinsco panels replaced in units 3 and 4", "zinsco:notes"],
    ["Replaced the Zinsco panel in Unit B", "zinsco:notes"],
    ["Replaced the Zinsco panel in unit A", "zinsco:notes"],
    ["Zinsco panel replaced in unit three", "zinsco:notes"],
    ["Zinsco panel replaced in unit: 3", "zinsco:notes"],
    ["Zinsco panel replaced, unit (3)", "zinsco:notes"],
    ["Zinsco panel replaced in apartment\n3", "zinsco:notes"],
    ["Zinsco panel replaced on the 3rd floor", "zinsco:notes"],
    ["Zinsco panel replaced in bldg. 3", "zinsco:notes"],
    ["Zinsco panels replaced in #12 and #14", "zinsco:notes"],
    ["Is there a Zinsco panel in unit 3?", ""],
    ["No Zinsco panel in unit 3", ""],
    ["Zinsco panel of the unit a contractor saw was replaced", "zinsco:notes"],
    ["Zinsco panel replaced by a unit of Siemens", ""],
  ])("of units, which say nothing about the rest of the property: %s", (notes, flags) => {
    expect(panel(notes)).toBe(flags);
    const gone = notes.startsWith("Zinsco panel of the unit a") ? flags : "";
    expect(flagsOf({ unitId: "U_3" }, null, [event("2020-01-01", notes)])).toBe(gone);
  });

  test.each([
    ["", "WO #48213"],
    ["", "PO #5567"],
    ["", "invoice #1123"],
    ["", "breaker #4"],
    ["Replaced unit 3/14/2024. ", ""],
    ["Replaced unit 03/2024. ", ""],
    ["", "new unit 200 amp"],
    ["", "unit 15 years old"],
    ["Replaced unit. 2 yr warranty. ", ""],
    ["Replaced unit. ", "A new Square D panel"],
    ["", "boiler room B"],
    ["", "electrical room 2"],
    ["", "unit one year old"],
  ])("of the whole property, with a number that is none of a unit: %s…, %s", (before, after) => {
    expect(panel(`${before}Zinsco panel was replaced in 2019, ${after}`)).toBe("");
    const found = event("2020-01-01", "Zinsco panel found");
    const replaced = event("2021-01-01", `${before}Panel replaced with Square D, ${after}`, "Replacement");
    expect(flagsOf({}, null, [found, replaced])).toBe("");
  });

  test("until all that carries it is replaced, not that of a unit", () => {
    const found = event("2020-01-01", "Zinsco panels");
    const ofUnit = (notes: string, componentId?: string) =>
      event("2021-01-01", notes, "Replacement", componentId);
    for (const notes of ["Panel replaced in unit 3", "Zinsco panel out of apartment 12", "new panel, #4"])
      for (const componentId of [undefined, "C_bus"]) {
        const events = [found, ofUnit(notes, componentId)];
        expect(flagsOf({}, null, events)).toBe("zinsco:notes");
        expect(flagsOf({ unitId: "U_3" }, null, events)).toBe("");
      }
    expect(flagsOf({}, null, [found, ofUnit("All panels replaced")])).toBe("");
    expect(flagsOf({}, null, [ofUnit("Zinsco panel out of unit 3")])).toBe("zinsco:notes");
    const old = { brand: null, installYear: 1960 };
    expect(flagsOf(old, 1960, [ofUnit("Panel replaced in unit 3")])).toBe("unidentified_panel:era");
    expect(flagsOf(old, 1960, [ofUnit("Panel replaced")])).toBe("");
  });

  test("until what carries it is replaced, and again after it", () => {
    const found = event("2020-01-01", "Stab-Lok breakers");
    const known = "federal_pacific:notes";
    expect(flagsOf({}, null, [found])).toBe(known);
    expect(flagsOf({}, null, [found, event("2021-01-01", null, "Replacement", "C_main")])).toBe(known);
    expect(flagsOf({}, null, [found, event("2021-01-01", null, "Replacement", "C_bus")])).toBe("");
    expect(flagsOf({}, null, [found, event("2021-01-01", null, "Replacement")])).toBe("");
    expect(flagsOf({}, null, [found, event("2019-12-31", null, "Replacement")])).toBe(known);
    const again = event("2022-01-01", "still the Stab-Lok");
    expect(flagsOf({}, null, [found, event("2021-01-01", null, "Replacement"), again])).toBe(known);
    expect(flagsOf({}, null, [event("2021-01-01", "old Stab-Lok panel out", "Replacement")])).toBe("");
    const wiring = event("2020-01-01", "aluminum wiring");
    expect(flagsOf({}, null, [wiring, event("2021-01-01", null, "Replacement")])).toBe(
      "aluminum_wiring:notes",
    );
  });
});

describe("years alone", () => {
  const pipes = (fields: Partial<FlaggedAppliance>, yearBuilt: number | null) =>
    flagsOf({ typeId: "plumbing_supply", brand: null, ...fields }, yearBuilt);
  test.each([
    [1977, ""],
    [1978, "polybutylene:era"],
    [1995, "polybutylene:era"],
    [1996, ""],
  ])("suspect the supply pipe of a building of %i", (year, flags) => {
    expect(pipes({ installYear: year }, year)).toBe(flags);
  });

  test("say nothing of a later appliance, one that was replaced, or a building without a year", () => {
    expect(pipes({ installYear: 2005 }, 1985)).toBe("");
    expect(pipes({ installYear: 1985 }, null)).toBe("");
    expect(pipes({ installYear: 1985, installYearBasis: "year_built" }, 1985)).toBe("polybutylene:era");
    const replaced = event("2010-05-01", null, "Replacement", "C_pipe");
    expect(flagsOf({ typeId: "plumbing_supply", brand: null, installYear: 1985 }, 1985, [replaced])).toBe("");
  });

  test("suspect a panel without a brand, unless a make is known", () => {
    const old = { brand: null, installYear: 1960 };
    expect(flagsOf(old, 1960)).toBe("unidentified_panel:era");
    for (const brand of ["Unknown", "N/A", "none", "-", "?"])
      expect([brand, flagsOf({ ...old, brand }, 1960)]).toEqual([brand, "unidentified_panel:era"]);
    expect(flagsOf({ ...old, brand: "Unknown Electric Co" }, 1960)).toBe("");
    expect(flagsOf({ ...old, brand: "Square D" }, 1960)).toBe("");
    for (const brand of ["Sylvania", "I-T-E", "Federal Pioneer"])
      expect([brand, flagsOf({ ...old, brand }, 1960)]).toEqual([brand, "unidentified_panel:era"]);
    expect(flagsOf(old, 1960, [event("2020-01-01", "Zinsco panel")])).toBe("zinsco:notes");
    expect(flagsOf({ ...old, flagsSet: "pushmatic" }, 1960)).toBe("pushmatic:stated");
    expect(flagsOf({ ...old, installYear: 1999 }, 1970)).toBe("aluminum_wiring:era");
  });

  test("suspect sprinkler heads without a brand, or of a maker of recalled ones", () => {
    const heads = (brand: string | null) => flagsOf({ typeId: "fire_suppression", brand, installYear: 1990 });
    for (const brand of [null, "Central Sprinkler Co.", "Gem", "Star"])
      expect([brand, heads(brand)]).toEqual([brand, "unidentified_sprinklers:era"]);
    for (const brand of ["Viking", "Centralized"]) expect([brand, heads(brand)]).toEqual([brand, ""]);
    expect(heads("Central GB")).toBe("o_ring_sprinklers:brand");
  });

  test("never are an immediate hazard, and say that they are a suspicion", () => {
    for (const { code, era } of knowledge.knownHazards.values()) {
      const flag = { code, basis: "era" as const };
      expect(hazardFlagAction(knowledge, flag)).not.toBe("immediate_hazard");
      if (era) expect(hazardFlagLabel(knowledge, flag)).toStartWith("Suspected only by its years: ");
    }
    expect(hazardFlagAction(knowledge, { code: "challenger", basis: "brand" })).toBe("immediate_hazard");
    expect(hazardFlagAction(knowledge, { code: "r22", basis: "stated" })).toBe("monitor");
  });
});

test("what the partner sets or clears prevails", () => {
  const noted = [event("2020-01-01", "Zinsco")];
  expect(flagsOf({ brand: "Zinsco", flagsSet: "zinsco" }, null, noted)).toBe("zinsco:stated");
  expect(flagsOf({ brand: "Zinsco", flagsCleared: "zinsco" }, null, noted)).toBe("");
  expect(flagsOf({ brand: null, installYear: 1960, flagsCleared: "unidentified_panel" }, 1960)).toBe("");
});

// Rule: hazard-flags
test("a part has the flags of the hazards that it is or contains", () => {
  const ofPart = (flags: string, defId: string) =>
    hazardFlagNotation(hazardFlagsOfPart(knowledge, flags, defId));
  expect(ofPart("zinsco:brand aluminum_wiring:era", "panel_bus_enclosure")).toBe(
    "zinsco:brand aluminum_wiring:era",
  );
  expect(ofPart("zinsco:brand aluminum_wiring:era", "panel_gfci_afci")).toBe("aluminum_wiring:era");
  expect(ofPart("omega_sprinklers:stated", "fs_fire_pump")).toBe("");
  expect(ofPart("omega_sprinklers:stated", "fs_sprinkler_heads")).toBe("omega_sprinklers:stated");
  expect(ofPart("r22:brand", "hvac_blower_motor")).toBe("r22:brand");
});

test("flags are counted and uncounted as stored", () => {
  const counts = new Map<string, FlagCount>();
  countHazardFlags(counts, "zinsco:brand aluminum_wiring:era", 1);
  countHazardFlags(counts, "zinsco:era", 1, 3);
  expect(Object.fromEntries(counts)).toEqual({
    zinsco: { known: 1, suspected: 3 },
    aluminum_wiring: { known: 0, suspected: 1 },
  });
  countHazardFlags(counts, "zinsco:brand aluminum_wiring:era", -1);
  expect(counts.get("aluminum_wiring")).toEqual({ known: 0, suspected: 0 });
  expect(hazardFlagsOfNotation("")).toEqual([]);
  expect(hazardFlagsOfNotation(hazardFlagNotation([{ code: "r22", basis: "notes" }]))).toEqual([
    { code: "r22", basis: "notes" },
  ]);
});
