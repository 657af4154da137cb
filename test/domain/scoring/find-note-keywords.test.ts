import { describe, expect, test } from "bun:test";
import type { KeywordRules } from "../../../src/domain/domain-knowledge.ts";
import { findNoteKeywords } from "../../../src/domain/scoring/find-note-keywords.ts";
import { stemOfNoteWord } from "../../../src/domain/scoring/note-words.ts";
import { knowledge } from "./histories.ts";

/** Returns the groups found, with a mark on those that count by half. */
function found(notes: string): string[] {
  return findNoteKeywords(knowledge.keywords, notes).map(({ group, share }) =>
    share === 1 ? group.id : `half ${group.id}`,
  );
}

function expectFound(table: Record<string, string[]>): void {
  for (const [notes, groups] of Object.entries(table))
    expect({ notes, groups: found(notes) }).toEqual({ notes, groups });
}

describe("words", () => {
  // Rule: notes-scanned
  test("match as whole words, in any case, with their simple endings", () => {
    for (const word of ["leak", "leaks", "leaked", "LEAKING", "Leak!"]) expect(found(word)).toEqual(["leak"]);
    expect(found("dripping at the stop")).toEqual(["leak"]);
    expect(found("bleak teak")).toEqual([]);
  });

  test("are stemmed equally in rules and notes", () => {
    expect([stemOfNoteWord("dripping"), stemOfNoteWord("drip")]).toEqual(["drip", "drip"]);
    expect(stemOfNoteWord("scaling")).toBe(stemOfNoteWord("scale"));
    expect(stemOfNoteWord("smells")).toBe(stemOfNoteWord("smell"));
    expect([stemOfNoteWord("gas"), stemOfNoteWord("spring"), stemOfNoteWord("glass")]).toEqual([
      "gas",
      "spring",
      "glas",
    ]);
  });

  test("form phrases across hyphens, and the longest phrase wins", () => {
    expectFound({
      "band-aid on elbow": ["makeshift"],
      "Stab-Lok panel": ["recalled"],
      "split hose": ["burst"],
      "split seam": ["crack"],
      "should be replaced": ["replacement_advised"],
    });
  });

  test("count once per group", () => {
    expectFound({
      "leak, another leak, drip": ["leak"],
      "bearing noise and vibration, leaking seal": ["noise", "vibration", "leak"],
    });
  });
});

describe("a denied finding is left out", () => {
  test("with the negation before it", () => {
    for (const notes of [
      "no leak",
      "no active leaks or corrosion",
      "not leaking",
      "no longer leaking",
      "free of rust",
      "no evidence of water leak",
      "did not find any evidence of leaks",
      "denies leak",
      "isn’t leaking",
      "No leaks at stops or rust on tank",
      "No leaks, corrosion, or unusual noise",
    ])
      expect({ notes, groups: found(notes) }).toEqual({ notes, groups: [] });
  });

  test("with the negation after it", () => {
    for (const notes of [
      "checked for leaks, none found",
      "leaks not observed",
      "leak-free",
      "rust free",
      "noise eliminated",
      "leak ruled out",
    ])
      expect({ notes, groups: found(notes) }).toEqual({ notes, groups: [] });
  });

  test("but not past the clause of the negation", () => {
    expectFound({
      "no heat, leaking at valve": ["no_output", "leak"],
      "not only noisy but leaking": ["noise", "leak"],
      "no issues except rust at base": ["in_order", "rust"],
      "no leaks, rust at base": ["rust"],
      "no visible rust, but leaking": ["leak"],
      "no noise and leaking at the base": ["leak"],
      "No. 2 boiler leaking": ["leak"],
      "leak found; rust not present": ["leak"],
      "no leaks at stops and rust on tank": ["rust"],
    });
  });
});

test("a fault that was fixed, or is past, counts by half", () => {
  expectFound({
    "leak repaired": ["half leak"],
    "replaced leaking valve": ["half leak"],
    "fixed drip": ["half leak"],
    "cleared clog": ["half clogged"],
    "leak at valve, repaired": ["half leak"],
    "previously leaking": ["half leak"],
    "history of leaks": ["half leak"],
    "replaced worn belt and found leak": ["half worn", "leak"],
  });
});

test("a fault that was not fixed counts in full", () => {
  expectFound({
    "leak not repaired": ["leak"],
    "repaired but still leaking": ["leak"],
    "leak to be fixed": ["leak"],
    "leak at both valves. Repaired door": ["leak"],
  });
});

test("a hypothetical finding is left out", () => {
  expectFound({
    "could leak": [],
    "watch for leaks": [],
    "if it leaks, call": [],
    "prevent freezing": [],
    "could leak; already rusted": ["rust"],
  });
});

test("false friends are left out", () => {
  expectFound({
    "leak test passed": [],
    "leak detector": [],
    "smoke detector": [],
    "smoke test": [],
    "noise filter": [],
    "burst test": [],
    "hot water": [],
    "cracked open the valve": [],
    "hail guard": [],
    "rust-inhibitive": [],
    "CO alarm tested": [],
    "fire alarm test": [],
    "leak detector found a leak": ["leak"],
    "no hot water": ["no_output"],
    "CO alarm sounding": ["gas_smell"],
  });
});

test("favorable words count, unless denied or not yet done", () => {
  expectFound({
    "Annual service: coils cleaned, no issues": ["serviced", "in_order"],
    "new unit in excellent condition": ["renewed", "good_condition"],
    "not replaced": [],
    "needs to be cleaned": [],
    "did not pass": ["failed_test"],
  });
});

describe("a note is read in time proportional to its length", () => {
  /** Enough repetitions for the resolution of the measurement. */
  const REPEATS = 10;
  /** Returns the processor time that reading the notes takes, in microseconds. */
  const readUs = (rules: KeywordRules, notes: readonly string[]) => {
    const before = process.threadCpuUsage();
    for (let nth = 0; nth < REPEATS; nth++) for (const one of notes) findNoteKeywords(rules, one);
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
  const units = [
    "a, ",
    "no heat ",
    "leaking valve replaced ",
    "no leak, or ",
    "not ",
    "still leak ",
    ", nor ",
    "9,",
    "? ",
    "zinsco ",
    "replaced the old zinsco and ",
  ];

  // Quadratic time would make one note take fifty times as long as fifty notes of the same total length.
  test.each(units)("of nothing but %p", (unit) => {
    const short = unit.repeat(Math.ceil(400 / unit.length));
    const [few, many] = [[short.repeat(50)], Array.from({ length: 50 }, () => short)];
    const rules = unit.includes("zinsco") ? knowledge.hazardWords.rules : knowledge.keywords;
    readUs(rules, many);
    const ratios = Array.from({ length: 4 }, () => readUs(rules, few) / readUs(rules, many));
    expect(Math.min(...ratios)).toBeLessThan(8);
  });
});
