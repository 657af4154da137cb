import type { KeywordGroup, KeywordRules } from "../domain-knowledge.ts";
import { InspectionVerdicts, type NoteVerdicts } from "./inspection-verdicts-in-notes.ts";
import { ReportedInspections } from "./inspections-reported-in-notes.ts";
import {
  type ClauseRules,
  type Mention as NoteMention,
  PhraseBook,
  stemOfNoteWord,
  type Word,
} from "./note-words.ts";
import { ReportedRemovals } from "./removals-reported-in-notes.ts";

export type Mention = NoteMention<KeywordGroup>;

export type Lexicon = {
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
  exceptions: PhraseBook<true>;
  calledFor: PhraseBook<true>;
  putOff: PhraseBook<true>;
  /** Undefined for rules of what neither passes nor fails. */
  verdicts: { reader: InspectionVerdicts; any: KeywordGroup } | undefined;
  /** Undefined for rules of what needs no report. */
  reports: ReportedInspections | undefined;
  /** Null for rules of faults, which end by being resolved. */
  removals: ReportedRemovals | null;
};

/** The group of words for an inspection of whatever type, such as "test". */
export const ANY_INSPECTION = "any";

export function compileLexicon(rules: KeywordRules): Lexicon {
  const book = (phrases: readonly string[]) =>
    new PhraseBook(phrases.map((phrase) => [phrase, true] as const));
  const phrases: [string, KeywordGroup | undefined][] = rules.falseFriends.map((text) => [text, undefined]);
  const stems = new Map<string, KeywordGroup>();
  for (const group of rules.groups) {
    for (const word of group.words) stems.set(stemOfNoteWord(word), group);
    for (const phrase of group.phrases) phrases.push([phrase, group]);
  }
  const clauses = { ends: new Set(rules.clauseEnds), verbsAfterAnd: new Set(rules.verbsAfterAnd) };
  return {
    rules,
    clauses,
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
    exceptions: book(rules.exceptions),
    calledFor: book([...rules.calledFor, ...rules.putOff]),
    putOff: book(rules.putOff),
    verdicts: rules.verdicts && {
      reader: new InspectionVerdicts(rules.verdicts, rules.joinedOver),
      any: rules.groups.find(({ id }) => id === ANY_INSPECTION)!,
    },
    reports: rules.reports && new ReportedInspections(rules.reports, clauses),
    removals: rules.removals && new ReportedRemovals(rules.removals),
  };
}

/** A note with indexes over its words. */
export type IndexedNote = {
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

export function indexNote(
  lexicon: Lexicon,
  words: readonly Word[],
  mentions: readonly Mention[],
): IndexedNote {
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
export function findMentions(lexicon: Lexicon, words: readonly Word[]): Mention[] {
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

/** Returns how two mentions are joined, apart from the words of `joinedOver`: by a conjunction, a comma alone, or not. */
export function joinOf(
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

/** Returns the index of the first word from `index` on, in steps of 1 or -1, that is none beside an inspection. */
export function skipJoined({ rules }: Lexicon, words: readonly Word[], index: number, step: 1 | -1): number {
  let at = index;
  for (let steps = 0; steps < rules.reachWords && rules.joinedOver.includes(words[at]?.text ?? ""); steps++)
    at += step;
  return at;
}

const always = () => true;

/** Returns the index of a phrase that ends within reach before `start`, in the same clause. */
export function precededBy(
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
export function followedBy(
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
