import {
  type NoteReading,
  type NoteRules,
  type ScoredReading,
  scoredNoteOfFindings,
  scoringFindingsOfNote,
} from "../../domain/scoring/note-findings.ts";
import type { Note } from "../../domain/scoring/scoring-types.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import { type Tx, yieldOfStores } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

/** Returns the key under which scoring knows a note: equal for equal notes only, as far as a hash of 64 bits tells. */
export const loadedNoteKeyOf = (notes: string): string => Bun.hash(notes).toString(36);

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
  yieldNow: Yield = yieldOfStores(stores),
): Promise<(Note | null)[]> {
  return (await loadNoteReadings(stores, rules, rows, yieldNow)).map(scoredNoteOfFindings);
}

/** Returns what is needed of the findings of each row's note; reads the notes that are unread as `loadNotesOfHistories` does. */
export async function loadNoteReadings<R extends WithReading<Partial<NoteReading>>>(
  stores: Stores | Tx,
  rules: NoteRules,
  rows: readonly R[],
  yieldNow: Yield = yieldOfStores(stores),
): Promise<R[]> {
  const tx = "yieldToEventLoop" in stores ? stores : undefined;
  const readings: R[] = [];
  let length = 0;
  for (const row of rows) {
    if (row.unread === null) {
      readings.push(row);
      continue;
    }
    const reading = scoringFindingsOfNote(rules, row.unread, loadedNoteKeyOf);
    await tx?.serviceEvents.saveReading(row.id, reading);
    readings.push({ ...row, ...reading });
    length += row.unread.length;
    if (length < STEP_LENGTH) continue;
    length = 0;
    await yieldNow();
  }
  return readings;
}

/**
 * Reads notes ahead of the transaction that stores them, which would hold up other writes for as long: long notes of a full
 * body take seconds.
 */
export async function readNotesAhead(
  rules: NoteRules,
  notes: Iterable<string | null>,
  yieldNow: Yield,
): Promise<ReadonlyMap<string, NoteReading>> {
  const readings = new Map<string, NoteReading>();
  let length = 0;
  for (const text of notes) {
    if (text === null || readings.has(text)) continue;
    readings.set(text, scoringFindingsOfNote(rules, text, loadedNoteKeyOf));
    length += text.length;
    if (length < STEP_LENGTH) continue;
    length = 0;
    await yieldNow();
  }
  return readings;
}

/** Characters of notes after which there is a yield: the costliest text takes 10 ms for as many. */
const STEP_LENGTH = 10_000;
