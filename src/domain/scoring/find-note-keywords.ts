import type { KeywordGroup, KeywordRules } from "../domain-knowledge.ts";
import { InspectionVerdicts, type NoteVerdicts } from "./inspection-verdicts-in-notes.ts";
import {
  type ClauseRules,
  type Mention as NoteMention,
  PhraseBook,
  splitNoteIntoWords,
  stemOfNoteWord,
  type Word,
} from "./note-words.ts";
import { ReportedRemovals } from "./removals-reported-in-notes.ts";

/** A word group found in a note. `share` is 0.5 for a fault that the note reports as fixed, or a thing reported as gone. */
type Finding = { group: KeywordGroup; share: 1 | 0.5 };

/** The word groups that a note names. */
export type NoteMentions = {
  findings: readonly Finding[];
  /** Groups that it names only to deny them, or to ask for them. */
  denied: ReadonlySet<KeywordGroup>;
  /** The groups that it says failed; of no type in particular also without a word for it. */
  failed: ReadonlySet<KeywordGroup>;
};

export const NO_MENTIONS: NoteMentions = { findings: [], denied: new Set(), failed: new Set() };

type Mention = NoteMention<KeywordGroup>;

type Lexicon = {
  rules: KeywordRules;
  clauses: ClauseRules;
  stems: ReadonlyMap<string, KeywordGroup>;
  /** Undefined for a false friend, a phrase that contains a group's word and is no finding. */
  phrases: PhraseBook<KeywordGroup | undefined>;
  negations: PhraseBook<true>;
  notNegations: PhraseBook<true>;
  negationsAfter: PhraseBook<true>;
  resolutions: PhraseBook<true>;
  hypotheticals: PhraseBook<true>;
  completions: PhraseBook<true>;
  otherVisits: PhraseBook<true>;
  otherVisitsAfter: PhraseBook<true>;
  /** Undefined for rules of what neither passes nor fails. */
  verdicts: { reader: InspectionVerdicts; any: KeywordGroup } | undefined;
  /** Null for rules of faults, which end by being resolved. */
  removals: ReportedRemovals | null;
};

/** The version of this reader. Findings are stored; a higher number makes every note be read again. */
export const READER_VERSION = 6;

/** The group of words for an inspection of whatever type, such as "test". */
export const ANY_INSPECTION = "any";

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
    lexicon = compile(rules);
    lexicons.set(rules, lexicon);
  }
  return read(lexicon, notes);
}

function compile(rules: KeywordRules): Lexicon {
  const book = (phrases: readonly string[]) =>
    new PhraseBook(phrases.map((phrase) => [phrase, true] as const));
  const phrases: [string, KeywordGroup | undefined][] = rules.falseFriends.map((text) => [text, undefined]);
  const stems = new Map<string, KeywordGroup>();
  for (const group of rules.groups) {
    for (const word of group.words) stems.set(stemOfNoteWord(word), group);
    for (const phrase of group.phrases) phrases.push([phrase, group]);
  }
  return {
    rules,
    clauses: { ends: new Set(rules.clauseEnds), verbsAfterAnd: new Set(rules.verbsAfterAnd) },
    stems,
    phrases: new PhraseBook(phrases),
    negations: book(rules.negations),
    notNegations: book(rules.notNegations),
    negationsAfter: book(rules.negationsAfter),
    resolutions: book(rules.resolutions),
    hypotheticals: book(rules.hypotheticals),
    completions: book(rules.completions),
    otherVisits: book(rules.otherVisits),
    otherVisitsAfter: book(rules.otherVisitsAfter),
    verdicts: rules.verdicts && {
      reader: new InspectionVerdicts(rules.verdicts, rules.joinedOver),
      any: rules.groups.find(({ id }) => id === ANY_INSPECTION)!,
    },
    removals: rules.removals && new ReportedRemovals(rules.removals),
  };
}

/** A note with indexes over its words. */
type IndexedNote = {
  words: readonly Word[];
  /** By clause, the index after its last word. */
  clauseEnds: readonly number[];
  /** Clauses that report that a fault persists. */
  persistent: ReadonlySet<number>;
  /** Indexes of the words of faults: the "no" of "no heat" denies nothing else. */
  faultWords: ReadonlySet<number>;
  /** Indexes of the first words of mentions, of an inspection of whatever type aside. */
  mentionStarts: ReadonlySet<number>;
  /** By clause, the index of the last word that reports something as done. Found when it is first needed. */
  lastCompletions?: ReadonlyMap<number, number>;
  verdicts: NoteVerdicts<KeywordGroup> | undefined;
};

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
  for (const mention of mentions) {
    const { group } = mention;
    if (
      negated.has(mention) ||
      precededBy(lexicon, lexicon.hypotheticals, words, mention.start) !== undefined ||
      (group.direction === "down" && isUnfulfilled(lexicon, words, mention.start))
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
  return { findings: Array.from(strongest, ([group, share]) => ({ group, share })), denied, failed };
}

/** Returns the mentions that the note denies, and those joined to one of them: "no leaks or rust", "Cat 1 and Cat 5 due". */
function negatedMentions(
  lexicon: Lexicon,
  note: IndexedNote,
  mentions: readonly Mention[],
): ReadonlySet<Mention> {
  const negated = new Set<Mention>();
  let last: Mention | undefined;
  for (const mention of mentions)
    if (isNegated(lexicon, note, mention, last)) {
      negated.add(mention);
      last = mention;
    }
  let isList = false;
  for (let at = mentions.length - 2; at >= 0; at--) {
    const [one, next] = [mentions[at]!, mentions[at + 1]!];
    const join = negated.has(next) ? joinOf(lexicon, note.words, one, next) : "none";
    isList = join === "and" || (isList && join === "comma");
    if (isList) negated.add(one);
  }
  return negated;
}

/** Returns how two mentions are joined, apart from the words of `joinedOver`: by a conjunction, a comma alone, or not. */
function joinOf(
  { rules }: Lexicon,
  words: readonly Word[],
  one: Mention,
  next: Mention,
): "and" | "comma" | "none" {
  const between = words.slice(one.end, next.start).map(({ text }) => text);
  if (!between.every((text) => rules.conjunctions.includes(text) || rules.joinedOver.includes(text)))
    return "none";
  const first = words[next.start]!;
  if (between.some((text) => rules.conjunctions.includes(text))) return "and";
  return first.afterComma && first.clause === words[one.start]!.clause + 1 ? "comma" : "none";
}

/** Returns whether a mention is of the last or the next visit, which says nothing about this one. */
function isOfOtherVisit(lexicon: Lexicon, note: IndexedNote, { start, end }: Mention): boolean {
  const { otherVisits, otherVisitsAfter: after } = lexicon;
  return (
    precededBy(lexicon, otherVisits, note.words, start) !== undefined ||
    followedBy(lexicon, after, note, end, (index) => !isOfNextMention(after, note, index)) !== undefined
  );
}

/**
 * Returns whether a phrase after a mention is of something else, since the mention was reported as done before: "next due" in
 * "Cat 5 passed, next due 2031". In "Cat 5 passed in 2021, due now" it may be of the mention.
 */
function followsCompletion(lexicon: Lexicon, note: IndexedNote, { end }: Mention, index: number): boolean {
  const { words } = note;
  const { clause } = words[end - 1]!;
  if (words[index]!.clause === clause) {
    if (!words.slice(end, index).some((_, at) => isCompletion(lexicon, words, end + at))) return false;
  } else {
    note.lastCompletions ??= findLastCompletions(lexicon, words);
    if ((note.lastCompletions.get(clause) ?? -1) < end) return false;
  }
  const { rules, otherVisits } = lexicon;
  return !rules.stillDue.includes(words[index]!.text) || otherVisits.at(words, index - 1) !== undefined;
}

function findLastCompletions(lexicon: Lexicon, words: readonly Word[]): ReadonlyMap<number, number> {
  const last = new Map<number, number>();
  for (const [index, { clause }] of words.entries())
    if (isCompletion(lexicon, words, index)) last.set(clause, index);
  return last;
}

/** Returns whether a word reports something as done, and nothing before it denies that, as in "never completed". */
const isCompletion = (lexicon: Lexicon, words: readonly Word[], index: number): boolean =>
  lexicon.completions.at(words, index) !== undefined &&
  precededBy(lexicon, lexicon.negations, words, index, (at) => !lexicon.notNegations.at(words, at)) ===
    undefined;

/** Returns whether a phrase is of the mention right after it: "pending" in "Cat 1 done, pending Cat 5". */
function isOfNextMention(
  book: PhraseBook<true>,
  { words, mentionStarts }: IndexedNote,
  index: number,
): boolean {
  const next = index + book.at(words, index)!.length;
  return mentionStarts.has(next) && words[next]!.clause === words[index]!.clause;
}

function indexNote(lexicon: Lexicon, words: readonly Word[], mentions: readonly Mention[]): IndexedNote {
  const { rules } = lexicon;
  const clauseEnds: number[] = [];
  const persistent = new Set<number>();
  for (const [index, { clause, text }] of words.entries()) {
    clauseEnds[clause] = index + 1;
    if (rules.persistence.includes(text)) persistent.add(clause);
  }
  const faultWords = new Set<number>();
  for (const { group, start, end } of mentions)
    if (group.direction === "up") for (let index = start; index < end; index++) faultWords.add(index);
  const particular = mentions.filter(({ group }) => group.id !== ANY_INSPECTION);
  const mentionStarts = new Set(particular.map(({ start }) => start));
  const verdicts = lexicon.verdicts?.reader.read(words, mentions, lexicon.verdicts.any);
  return { words, clauseEnds, persistent, faultWords, mentionStarts, verdicts };
}

/** Finds mentions from left to right, the longest phrase first. A false friend consumes its words. */
function findMentions(lexicon: Lexicon, words: readonly Word[]): Mention[] {
  const mentions: Mention[] = [];
  for (let start = 0; start < words.length; ) {
    const phrase = lexicon.phrases.at(words, start);
    const group = phrase ? phrase.value : lexicon.stems.get(words[start]!.stem);
    const end = start + (phrase?.length ?? 1);
    if (group) mentions.push({ group, start, end });
    start = end;
  }
  return mentions;
}

function isNegated(
  lexicon: Lexicon,
  note: IndexedNote,
  mention: Mention,
  lastNegated: Mention | undefined,
): boolean {
  const { words, faultWords, verdicts } = note;
  const before = precededBy(lexicon, lexicon.negations, words, mention.start, (index) => {
    return (
      !faultWords.has(index) &&
      !verdicts?.failureWords.has(index) &&
      lexicon.notNegations.at(words, index) === undefined &&
      !lexicon.removals?.isWork(words[index + 1])
    );
  });
  if (before !== undefined) return true;
  // "Cat 5 failed, retest scheduled" does not put off the test that failed.
  const failedAt = verdicts?.failedAt.get(mention) ?? words.length;
  const after = lexicon.negationsAfter;
  const isOfMention = (index: number) =>
    index <= failedAt &&
    !isOfNextMention(after, note, index) &&
    !followsCompletion(lexicon, note, mention, index);
  if (followedBy(lexicon, after, note, mention.end, isOfMention) !== undefined) return true;
  const next = words[mention.end];
  if (next?.clause === words[mention.start]!.clause && lexicon.rules.negationsRightAfter.includes(next.text))
    return true;
  return lastNegated !== undefined && isListed(lexicon, words, lastNegated, mention);
}

/** Returns whether a mention is joined to a denied one: "no leaks at the valve or rust". */
function isListed({ rules }: Lexicon, words: readonly Word[], denied: Mention, mention: Mention): boolean {
  const sameClause = words[denied.start]!.clause === words[mention.start]!.clause;
  if (!sameClause || mention.start - denied.end >= rules.reachWords) return false;
  const between = words.slice(denied.end, mention.start);
  return between.length === 0 || between.some(({ text }) => rules.listWords.includes(text));
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

const always = () => true;

/** Returns the index of a phrase that ends within reach before `start`, in the same clause. */
function precededBy(
  { rules }: Lexicon,
  book: PhraseBook<true>,
  words: readonly Word[],
  start: number,
  accepts: (index: number) => boolean = always,
): number | undefined {
  const { clause } = words[start]!;
  const first = Math.max(0, start - rules.reachWords - book.longest + 1);
  for (let index = start - 1; index >= first && words[index]!.clause === clause; index--) {
    const phrase = book.at(words, index);
    if (!phrase) continue;
    const distance = start - (index + phrase.length - 1);
    if (distance >= 1 && distance <= rules.reachWords && accepts(index)) return index;
  }
  return undefined;
}

/** Returns the index of a phrase within reach after `end`, in the same clause or opening the next one after a comma. */
function followedBy(
  { rules }: Lexicon,
  book: PhraseBook<true>,
  { words, clauseEnds }: IndexedNote,
  end: number,
  accepts: (index: number) => boolean = always,
): number | undefined {
  const next = clauseEnds[words[end - 1]!.clause]!;
  for (let index = end; index < Math.min(next, end + rules.reachWords); index++)
    if (book.at(words, index) && accepts(index)) return index;
  const opensNext = words[next]?.afterComma && book.at(words, next) && accepts(next);
  return opensNext ? next : undefined;
}
