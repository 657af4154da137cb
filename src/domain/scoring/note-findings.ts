import type { HazardWords, KeywordRules, Knowledge } from "../domain-knowledge.ts";
import { hazardGoneFromUnitsMark, OF_UNITS } from "../hazards/hazard-flags.ts";
import { findNoteKeywords, findNoteMentions, NO_MENTIONS, type NoteMentions } from "./find-note-keywords.ts";
import { ANY_INSPECTION } from "./note-lexicon.ts";
import type { Note } from "./scoring-types.ts";

/** The stored findings of a note; all null without one. */
export type NoteReading = {
  noteKey: string | null;
  /** Word groups, separated by spaces, with `/2` after those that count half. */
  findings: string | null;
  /** Inspection types, separated by spaces, with a mark before those that failed or were not done. */
  notedInspections: string | null;
  /** Codes of known hazards and marks of a note of units, separated by spaces; also null if the note has none. */
  hazards: string | null;
  readBy: string | null;
};

const HALF = "/2";
const FAILED = "!";
const NOT_DONE = "-";
/** Stored in the place of an inspection type if nothing was inspected. */
const NO_VISIT = "visit";

const UNREAD: NoteReading = {
  noteKey: null,
  findings: null,
  notedInspections: null,
  hazards: null,
  readBy: null,
};

/** The rules that notes are read by. */
export type NoteRules = Pick<Knowledge, "keywords" | "inspectionWords" | "hazardWords">;

/**
 * Returns the findings of a note, to be stored with its event so that nothing reads the note again. `keyOf` returns a short
 * text that differs between notes.
 */
export function scoringFindingsOfNote(
  { keywords, inspectionWords, hazardWords }: NoteRules,
  notes: string | null,
  keyOf: (notes: string) => string,
): NoteReading {
  if (notes === null) return UNREAD;
  const found = findNoteKeywords(keywords, notes).map(({ group, share }) =>
    share === 1 ? group.id : group.id + HALF,
  );
  return {
    noteKey: keyOf(notes),
    findings: found.join(" "),
    notedInspections: readInspections(inspectionWords, notes),
    hazards: readHazards(hazardWords, notes),
    readBy: keywords.version,
  };
}

/** Returns the inspections that a note names; of no type in particular, only that one failed. */
function readInspections(rules: KeywordRules, notes: string): string {
  const { findings, denied, failed, isOfNoVisit } = findPhrases(rules, spellOutCheckMarks(notes));
  const marked = (groups: Iterable<{ id: string }>, mark: string) =>
    Array.from(groups, ({ id }) => id.split(" ").map((type) => mark + type)).flat();
  const done = findings.map(({ group }) => group).filter((group) => !failed.has(group));
  const types = [...marked(done, ""), ...marked(failed, FAILED), ...marked(denied, NOT_DONE)].filter(
    (type) => type !== ANY_INSPECTION && type !== NOT_DONE + ANY_INSPECTION,
  );
  return (isOfNoVisit ? [...types, NOT_DONE + NO_VISIT] : types).join(" ");
}

const MARK = "[☑☒✅✓✔☐✗✘❌□▢■]|\\[\\s{0,2}[x✓✔_]?\\s{0,2}\\]|\\([x✓✔]?\\s?\\)";
/** Check marks of a form in a row, with the first and, if there are several, the last. */
const CHECK_MARKS = new RegExp(`(${MARK})(${MARK})*`, "giu");
const CHECKED = /[☑☒✅✓✔■x]/iu;
/** The text before the first mark of a line by which marks stand before their items: none, a bullet, or a heading. */
const OPENING = /^(?:[-*•\s]*|\s*\d+[.)]\s*|.*:\s*)$/;

/**
 * Returns a note with words for the check marks of a form, which stand before their items or behind them, in each line alike. Of
 * marks in a row, only the one beside an item counts, so that the text does not become many times as long.
 */
function spellOutCheckMarks(notes: string): string {
  const text = notes.replaceAll(" / ", ", ");
  return text.search(CHECK_MARKS) < 0 ? text : text.split("\n").map(spellOutLine).join("\n");
}

function spellOutLine(line: string): string {
  const isBefore = OPENING.test(line.slice(0, Math.max(0, line.search(CHECK_MARKS))));
  return line.replace(CHECK_MARKS, (_, first: string, last = first) => {
    const words = CHECKED.test(isBefore ? last : first) ? "done" : "not done";
    return isBefore ? `. ${words}: ` : ` ${words}. `;
  });
}

/** The inspections that a note names: those that were done, of them those that failed, and those that were not done. */
export type NotedInspections = Readonly<Record<"done" | "failed" | "notDone", readonly string[]>> & {
  /** True if the note says that nothing was inspected. */
  isOfNoVisit: boolean;
};

/** Returns the inspections of a note from their stored form. */
export function notedInspectionsOfFindings(stored: string | null): NotedInspections {
  const types = stored ? stored.split(" ") : [];
  const marked = (mark: string) =>
    types.filter((type) => type.startsWith(mark)).map((type) => type.slice(mark.length));
  const failed = marked(FAILED);
  const done = [...types.filter((type) => !/^[!-]/.test(type)), ...failed];
  const notDone = marked(NOT_DONE).filter((type) => type !== NO_VISIT);
  return { done, failed, notDone, isOfNoVisit: types.includes(NOT_DONE + NO_VISIT) };
}

/**
 * Returns the codes of the known hazards that a note names and does not deny or report as removed. A note that names units
 * has a mark, and one for each hazard that it reports as removed from them. Returns null without any.
 */
function readHazards({ rules, units }: HazardWords, notes: string): string | null {
  const isOfUnits = units.test(notes);
  const found = isOfUnits ? [OF_UNITS] : [];
  for (const { group, share } of findPhrases(rules, notes).findings)
    if (share === 1) found.push(group.id);
    else if (isOfUnits) found.push(hazardGoneFromUnitsMark(group.id));
  return found.length === 0 ? null : found.join(" ");
}

/** Finds word groups that have phrases alone. Most notes contain none of their first words, and need not be read for them. */
const findPhrases = (rules: KeywordRules, notes: string): NoteMentions =>
  firstWords(rules).test(notes.toLowerCase()) ? findNoteMentions(rules, notes) : NO_MENTIONS;

const expressions = new WeakMap<KeywordRules, RegExp>();

/** Returns an expression for lower-case notes that may contain a phrase: its first word between what is no letter. */
function firstWords(rules: KeywordRules): RegExp {
  let expression = expressions.get(rules);
  if (!expression) {
    const words = rules.groups.flatMap(({ phrases }) => phrases.map((text) => text.split(/[ ']/)[0]));
    for (const text of [...(rules.verdicts?.failures ?? []), ...(rules.reports?.noVisits ?? [])])
      words.push(text.replace(/[ ']/g, "\\W+"));
    expression = new RegExp(`(?<![a-z])(?:${[...new Set(words)].join("|")})(?![a-z0-9])`);
    expressions.set(rules, expression);
  }
  return expression;
}

/** The stored part of a note that scoring uses. */
export type ScoredReading = Pick<NoteReading, "noteKey" | "findings" | "hazards">;

/** Returns the note as scoring uses it, from its stored findings. */
export function scoredNoteOfFindings({ noteKey, findings, hazards }: ScoredReading): Note | null {
  if (noteKey === null) return null;
  const note: Note = { key: noteKey, findings: findings ? findings.split(" ").map(findingOf) : [] };
  return hazards === null ? note : { ...note, hazards: hazards.split(" ") };
}

const findingOf = (word: string): Note["findings"][number] =>
  word.endsWith(HALF) ? { groupId: word.slice(0, -HALF.length), share: 0.5 } : { groupId: word, share: 1 };
