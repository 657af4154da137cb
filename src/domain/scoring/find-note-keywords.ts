import type { KeywordGroup, KeywordRules } from "../domain-knowledge.ts";
import { isOfOtherVisit, negatedMentions } from "./denials-in-notes.ts";
import {
  ANY_INSPECTION,
  compileLexicon,
  findMentions,
  followedBy,
  type IndexedNote,
  indexNote,
  type Lexicon,
  type Mention,
  precededBy,
} from "./note-lexicon.ts";
import { splitNoteIntoWords, type Word } from "./note-words.ts";

/** A word group found in a note. `share` is 0.5 for a fault that the note reports as fixed, or a thing reported as gone. */
type Finding = { group: KeywordGroup; share: 1 | 0.5 };

/** The word groups that a note names. */
export type NoteMentions = {
  findings: readonly Finding[];
  /** Groups that it names only to deny them, or to ask for them. */
  denied: ReadonlySet<KeywordGroup>;
  /** The groups that it says failed; of no type in particular also without a word for it. */
  failed: ReadonlySet<KeywordGroup>;
  /** True if it says that nothing was inspected. */
  isOfNoVisit: boolean;
};

export const NO_MENTIONS: NoteMentions = {
  findings: [],
  denied: new Set(),
  failed: new Set(),
  isOfNoVisit: false,
};

/** The version of this reader. Findings are stored; a higher number makes every note be read again. */
export const READER_VERSION = 8;

const lexicons = new WeakMap<KeywordRules, Lexicon>();

/**
 * Returns the word groups found in a note, each once, without those that it denies or supposes
 * (docs/model/scoring.md#words-in-notes). Takes time proportional to the note.
 */
export function findNoteKeywords(rules: KeywordRules, notes: string): readonly Finding[] {
  return findNoteMentions(rules, notes).findings;
}

/** Returns the word groups that a note names, also those that it denies. Takes time proportional to the note. */
export function findNoteMentions(rules: KeywordRules, notes: string): NoteMentions {
  let lexicon = lexicons.get(rules);
  if (!lexicon) {
    lexicon = compileLexicon(rules);
    lexicons.set(rules, lexicon);
  }
  return read(lexicon, notes);
}

function read(lexicon: Lexicon, notes: string): NoteMentions {
  const words = splitNoteIntoWords(notes, lexicon.clauses);
  const mentions = findMentions(lexicon, words);
  if (mentions.length === 0 && !lexicon.verdicts) return NO_MENTIONS;
  const note = indexNote(lexicon, words, mentions);
  const ends = new Map(mentions.map(({ start, end }) => [start, end]));
  const resolvers = new Set<number>();
  const shares = new Map<Mention, 1 | 0.5>();
  const negated = negatedMentions(lexicon, note, mentions);
  const denied = new Set<KeywordGroup>();
  const failed = new Set<KeywordGroup>();
  const particular = mentions.filter(({ group }) => group.id !== ANY_INSPECTION);
  const reported = lexicon.reports?.of(words, particular);
  const isUnreported = (mention: Mention) =>
    reported !== undefined &&
    mention.group.id !== ANY_INSPECTION &&
    !reported.has(mention) &&
    !note.verdicts?.failedAt.has(mention);
  for (const mention of mentions) {
    const { group } = mention;
    if (
      negated.has(mention) ||
      precededBy(lexicon, lexicon.hypotheticals, words, mention.start) !== undefined ||
      (group.direction === "down" && isUnfulfilled(lexicon, words, mention.start)) ||
      isUnreported(mention)
    ) {
      if (!isOfOtherVisit(lexicon, note, mention)) denied.add(group);
      continue;
    }
    if (group.direction === "down") {
      shares.set(mention, 1);
      if (note.verdicts?.hasFailedFor(group)) failed.add(group);
      continue;
    }
    if (lexicon.removals) {
      const isPersistent = note.persistent.has(words[mention.start]!.clause);
      const isGone = !isPersistent && lexicon.removals.isRemoved(words, mention.start, mention.end, ends);
      if (!words[mention.start]!.isAsked) shares.set(mention, isGone ? 0.5 : 1);
      continue;
    }
    const resolver = resolvedAt(lexicon, note, mention);
    if (resolver !== undefined) resolvers.add(resolver);
    shares.set(mention, resolver === undefined ? 1 : 0.5);
  }
  // "Replaced leaking valve" reports how the leak ended. "Replaced" is then no finding of its own.
  const strongest = new Map<KeywordGroup, 1 | 0.5>();
  for (const [{ group, start }, share] of shares)
    if (!resolvers.has(start)) strongest.set(group, strongest.get(group) === 1 ? 1 : share);
  for (const group of strongest.keys()) denied.delete(group);
  if (note.verdicts?.hasFailed) failed.add(lexicon.verdicts!.any);
  const findings = Array.from(strongest, ([group, share]) => ({ group, share }));
  return { findings, denied, failed, isOfNoVisit: lexicon.reports?.isOfNoVisit(words, particular) ?? false };
}

/** Returns the index of the phrase that reports the fault as fixed or past; undefined without one. */
function resolvedAt(lexicon: Lexicon, note: IndexedNote, mention: Mention): number | undefined {
  const { words, persistent } = note;
  if (persistent.has(words[mention.start]!.clause)) return undefined;
  const isDone = (index: number) => !isUnfulfilled(lexicon, words, index);
  return (
    precededBy(lexicon, lexicon.resolutions, words, mention.start, isDone) ??
    followedBy(lexicon, lexicon.resolutions, note, mention.end, isDone)
  );
}

/** Returns whether a phrase names work that was not done: "should be cleaned", "not yet fixed". */
function isUnfulfilled({ rules }: Lexicon, words: readonly Word[], index: number): boolean {
  const { clause } = words[index]!;
  return words
    .slice(Math.max(0, index - 2), index)
    .some((word) => word.clause === clause && rules.unfulfilled.includes(word.text));
}
