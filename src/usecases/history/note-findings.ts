import type { KeywordRules, Knowledge } from "../../domain/knowledge.ts";
import { findings } from "../../domain/scoring/keywords.ts";
import type { Note } from "../../domain/scoring/types.ts";
import type { Yield } from "../../event-loop.ts";
import type { EventEvidenceRow, Reading } from "../../store/queries/service-events.ts";
import { type Tx, yieldOf } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

const HALF = "/2";
const UNREAD: Reading = { noteKey: null, findings: null, readBy: null };

/** Extracts the findings of a note, to be stored with its event so that no scoring reads the note again. */
export function readNote(rules: KeywordRules, notes: string | null): Reading {
  if (notes === null) return UNREAD;
  const found = findings(rules, notes).map(({ group, share }) => (share === 1 ? group.id : group.id + HALF));
  return { noteKey: Bun.hash(notes).toString(36), findings: found.join(" "), readBy: rules.version };
}

/** Returns the note as scoring uses it, from its stored findings. */
export function noteOf({ noteKey, findings }: Reading): Note | null {
  if (noteKey === null) return null;
  return { key: noteKey, findings: findings ? findings.split(" ").map(findingOf) : [] };
}

const findingOf = (word: string): Note["findings"][number] =>
  word.endsWith(HALF) ? { groupId: word.slice(0, -HALF.length), share: 0.5 } : { groupId: word, share: 1 };

/**
 * Returns the notes of events as scoring uses them. Notes without stored findings are read, in short steps; inside
 * a transaction the findings are stored.
 */
export async function loadNotes(
  stores: Stores | Tx,
  { keywords }: Pick<Knowledge, "keywords">,
  rows: readonly EventEvidenceRow[],
  yieldNow: Yield = yieldOf(stores),
): Promise<(Note | null)[]> {
  const tx = "yieldToEventLoop" in stores ? stores : undefined;
  const notes: (Note | null)[] = [];
  let length = 0;
  for (const row of rows) {
    if (row.unread === null) {
      notes.push(noteOf(row));
      continue;
    }
    const reading = readNote(keywords, row.unread);
    await tx?.serviceEvents.saveReading(row.id, reading);
    notes.push(noteOf(reading));
    length += row.unread.length;
    if (length < STEP_LENGTH) continue;
    length = 0;
    await yieldNow();
  }
  return notes;
}

/** Characters of notes read between two yields. */
const STEP_LENGTH = 20_000;
