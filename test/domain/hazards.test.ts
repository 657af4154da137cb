import { describe, expect, test } from "bun:test";
import {
  actionOf,
  countFlags,
  type FlagCount,
  type FlaggedAppliance,
  hazardFlagLabel,
  hazardFlags,
  parseFlags,
  storedFlags,
} from "../../src/domain/hazards.ts";
import type { EventType } from "../../src/domain/service-event.ts";
import { loadKnowledge } from "../../src/knowledge/load.ts";
import { noteOf, readNote } from "../../src/usecases/history/note-findings.ts";

const knowledge = loadKnowledge();
const PANEL: FlaggedAppliance = {
  typeId: "electrical_panel",
  brand: "Square D",
  model: null,
  installYear: 2001,
  installYearBasis: "given",
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
  note: noteOf(readNote(knowledge, notes)),
});
const flagsOf = (
  fields: Partial<FlaggedAppliance>,
  yearBuilt: number | null = null,
  events: ReturnType<typeof event>[] = [],
) => storedFlags(hazardFlags(knowledge, { ...PANEL, ...fields }, yearBuilt, COMPONENTS, events));

// Rule: hazard-flags
describe("a brand or model names a hazard", () => {
  test.each([
    ["Federal Pacific Electric", "federal_pacific:brand"],
    ["FPE", "federal_pacific:brand"],
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
    expect(flagsOf({ typeId: "plumbing_supply", brand: "Poly-B" })).toBe("polybutylene:brand");
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
  ])("%s", (notes, flags) => {
    expect(panel(notes)).toBe(flags);
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
    expect(flagsOf({ ...old, brand: "Square D" }, 1960)).toBe("");
    expect(flagsOf(old, 1960, [event("2020-01-01", "Zinsco panel")])).toBe("zinsco:notes");
    expect(flagsOf({ ...old, flagsSet: "pushmatic" }, 1960)).toBe("pushmatic:stated");
    expect(flagsOf({ ...old, installYear: 1999 }, 1970)).toBe("aluminum_wiring:era");
  });

  test("never are an immediate hazard, and say that they are a suspicion", () => {
    for (const { code, era } of knowledge.knownHazards.values()) {
      const flag = { code, basis: "era" as const };
      expect(actionOf(knowledge, flag)).not.toBe("immediate_hazard");
      if (era) expect(hazardFlagLabel(knowledge, flag)).toStartWith("Suspected by its years alone: ");
    }
    expect(actionOf(knowledge, { code: "challenger", basis: "brand" })).toBe("immediate_hazard");
    expect(actionOf(knowledge, { code: "r22", basis: "stated" })).toBe("monitor");
  });
});

test("what the partner sets or clears prevails", () => {
  const noted = [event("2020-01-01", "Zinsco")];
  expect(flagsOf({ brand: "Zinsco", flagsSet: "zinsco" }, null, noted)).toBe("zinsco:stated");
  expect(flagsOf({ brand: "Zinsco", flagsCleared: "zinsco" }, null, noted)).toBe("");
  expect(flagsOf({ brand: null, installYear: 1960, flagsCleared: "unidentified_panel" }, 1960)).toBe("");
});

test("flags are counted and uncounted as stored", () => {
  const counts = new Map<string, FlagCount>();
  countFlags(counts, "zinsco:brand aluminum_wiring:era", 1);
  countFlags(counts, "zinsco:era", 1, 3);
  expect(Object.fromEntries(counts)).toEqual({
    zinsco: { known: 1, suspected: 3 },
    aluminum_wiring: { known: 0, suspected: 1 },
  });
  countFlags(counts, "zinsco:brand aluminum_wiring:era", -1);
  expect(counts.get("aluminum_wiring")).toEqual({ known: 0, suspected: 0 });
  expect(parseFlags("")).toEqual([]);
  expect(parseFlags(storedFlags([{ code: "r22", basis: "notes" }]))).toEqual([
    { code: "r22", basis: "notes" },
  ]);
});
