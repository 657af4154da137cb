import { goneFromUnitsMark, OF_UNITS } from "../../domain/hazards.ts";
import type { HazardWords, KeywordRules, Knowledge } from "../../domain/knowledge.ts";
import { findKeywords } from "../../domain/scoring/note-keywords.ts";
import type { Note } from "../../domain/scoring/scoring-types.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { NoteReading } from "../../store/queries/service-events-queries.ts";
import { type Tx, yieldOf } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

const HALF = "/2";
const UNREAD: NoteReading = {
  noteKey: null,
  findings: null,
  notedInspections: null,
  hazards: null,
  readBy: null,
};

/** The rules that notes are read by. */
export type NoteRules = Pick<Knowledge, "keywords" | "inspectionWords" | "hazardWords">;

/** Extracts the findings of a note, to be stored with its event so that nothing reads the note again. */
export function extractNoteFindings(
  { keywords, inspectionWords, hazardWords }: NoteRules,
  notes: string | null,
): NoteReading {
  if (notes === null) return UNREAD;
  const found = findKeywords(keywords, notes).map(({ group, share }) =>
    share === 1 ? group.id : group.id + HALF,
  );
  const inspections = findKeywords(inspectionWords, notes).map(({ group }) => group.id);
  return {
    noteKey: Bun.hash(notes).toString(36),
    findings: found.join(" "),
    notedInspections: inspections.join(" "),
    hazards: readHazards(hazardWords, notes),
    readBy: keywords.version,
  };
}

/**
 * Returns the codes of the known hazards that a note names and does not deny or report as removed. A note that names units
 * has a mark, and one for each hazard that it reports as removed from them. Returns null without any.
 */
function readHazards({ rules, units }: HazardWords, notes: string): string | null {
  const isOfUnits = units.test(notes);
  const found = isOfUnits ? [OF_UNITS] : [];
  if (firstWords(rules).test(notes))
    for (const { group, share } of findKeywords(rules, notes))
      if (share === 1) found.push(group.id);
      else if (isOfUnits) found.push(goneFromUnitsMark(group.id));
  return found.length === 0 ? null : found.join(" ");
}

const expressions = new WeakMap<KeywordRules, RegExp>();

/** Returns an expression for notes that may contain a phrase: most contain none, and need not be read a second time. */
function firstWords(rules: KeywordRules): RegExp {
  let expression = expressions.get(rules);
  if (!expression) {
    const words = new Set(rules.groups.flatMap(({ phrases }) => phrases.map((text) => text.split(" ")[0])));
    expression = new RegExp(`\\b(?:${[...words].join("|")})`, "i");
    expressions.set(rules, expression);
  }
  return expression;
}

/** The stored part of a note that scoring uses. */
type ScoredReading = Pick<NoteReading, "noteKey" | "findings" | "hazards">;

/** Returns the note as scoring uses it, from its stored findings. */
export function noteFromFindings({ noteKey, findings, hazards }: ScoredReading): Note | null {
  if (noteKey === null) return null;
  const note: Note = { key: noteKey, findings: findings ? findings.split(" ").map(findingOf) : [] };
  return hazards === null ? note : { ...note, hazards: hazards.split(" ") };
}

const findingOf = (word: string): Note["findings"][number] =>
  word.endsWith(HALF) ? { groupId: word.slice(0, -HALF.length), share: 0.5 } : { groupId: word, share: 1 };

/** A row with the stored findings of its note, and the note itself if it was not analyzed with the current rules. */
type WithReading<R> = R & { id: string; unread: string | null };

/**
 * Returns the notes of events as scoring uses them. Notes without stored findings are read, in short steps; inside
 * a transaction the findings are stored.
 */
export async function loadNotesOfHistories(
  stores: Stores | Tx,
  rules: NoteRules,
  rows: readonly WithReading<ScoredReading>[],
  yieldNow: Yield = yieldOf(stores),
): Promise<(Note | null)[]> {
  return (await loadNoteReadings(stores, rules, rows, yieldNow)).map(noteFromFindings);
}

/** Returns what is needed of the findings of each row's note; reads the notes that are unread as `loadNotesOfHistories` does. */
export async function loadNoteReadings<R extends WithReading<Partial<NoteReading>>>(
  stores: Stores | Tx,
  rules: NoteRules,
  rows: readonly R[],
  yieldNow: Yield = yieldOf(stores),
): Promise<R[]> {
  const tx = "yieldToEventLoop" in stores ? stores : undefined;
  const readings: R[] = [];
  let length = 0;
  for (const row of rows) {
    if (row.unread === null) {
      readings.push(row);
      continue;
    }
    const reading = extractNoteFindings(rules, row.unread);
    await tx?.serviceEvents.saveReading(row.id, reading);
    readings.push({ ...row, ...reading });
    length += row.unread.length;
    if (length < STEP_LENGTH) continue;
    length = 0;
    await yieldNow();
  }
  return readings;
}

/** Characters of notes read between two yields. */
const STEP_LENGTH = 20_000;
