import type { KeywordGroup, KeywordRules } from "../knowledge.ts";
import { type ClauseRules, PhraseBook, readWords, stem, type Word } from "./words.ts";

/** A word group that a note speaks of; `share` of its log-ratio: half for a fault that the note calls mended. */
type Finding = { group: KeywordGroup; share: 1 | 0.5 };

/** Where a group's word or phrase stands in a note. */
type Mention = { group: KeywordGroup; start: number; end: number };

type Lexicon = {
  rules: KeywordRules;
  clauses: ClauseRules;
  stems: ReadonlyMap<string, KeywordGroup>;
  /** Undefined for a false friend. */
  phrases: PhraseBook<KeywordGroup | undefined>;
  negations: PhraseBook<true>;
  notNegations: PhraseBook<true>;
  negationsAfter: PhraseBook<true>;
  resolutions: PhraseBook<true>;
  hypotheticals: PhraseBook<true>;
};

/** To be counted up when the same rules are taken otherwise: what notes speak of is stored, and read anew then. */
export const READING = 1;

const lexicons = new WeakMap<KeywordRules, Lexicon>();

/**
 * The word groups that a note speaks of, each once; negated, hypothetical and false ones left out. Takes time in
 * proportion to the note.
 */
export function findings(rules: KeywordRules, notes: string): readonly Finding[] {
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
    for (const word of group.words) stems.set(stem(word), group);
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
  };
}

/** A note, with what is asked of it again and again. */
type Text = {
  words: readonly Word[];
  /** By clause, the place after its last word. */
  clauseEnds: readonly number[];
  /** Clauses that say that a fault persists. */
  persistent: ReadonlySet<number>;
  /** Places that are a fault's own words: the "no" of "no heat" denies nothing else. */
  own: ReadonlySet<number>;
};

function read(lexicon: Lexicon, notes: string): readonly Finding[] {
  const words = readWords(notes, lexicon.clauses);
  const mentions = findMentions(lexicon, words);
  const text = prepare(lexicon, words, mentions);
  const resolvers = new Set<number>();
  const shares = new Map<Mention, 1 | 0.5>();
  let negated: Mention | undefined;
  for (const mention of mentions) {
    if (isNegated(lexicon, text, mention, negated)) {
      negated = mention;
      continue;
    }
    if (precededBy(lexicon, lexicon.hypotheticals, words, mention.start) !== undefined) continue;
    if (mention.group.direction === "down") {
      if (!isUnfulfilled(lexicon, words, mention.start)) shares.set(mention, 1);
      continue;
    }
    const resolver = resolvedAt(lexicon, text, mention);
    if (resolver !== undefined) resolvers.add(resolver);
    shares.set(mention, resolver === undefined ? 1 : 0.5);
  }
  // "Replaced leaking valve" tells how the leak ended; it is no second finding, that something is new.
  const strongest = new Map<KeywordGroup, 1 | 0.5>();
  for (const [{ group, start }, share] of shares)
    if (!resolvers.has(start)) strongest.set(group, strongest.get(group) === 1 ? 1 : share);
  return Array.from(strongest, ([group, share]) => ({ group, share }));
}

function prepare({ rules }: Lexicon, words: readonly Word[], mentions: readonly Mention[]): Text {
  const clauseEnds: number[] = [];
  const persistent = new Set<number>();
  for (const [index, { clause, text }] of words.entries()) {
    clauseEnds[clause] = index + 1;
    if (rules.persistence.includes(text)) persistent.add(clause);
  }
  const own = new Set<number>();
  for (const { group, start, end } of mentions)
    if (group.direction === "up") for (let index = start; index < end; index++) own.add(index);
  return { words, clauseEnds, persistent, own };
}

/** From left to right, the longest phrase first; a false friend takes up its words and says nothing. */
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
  text: Text,
  mention: Mention,
  lastNegated: Mention | undefined,
): boolean {
  const { words, own } = text;
  const before = precededBy(lexicon, lexicon.negations, words, mention.start, (index) => {
    return !own.has(index) && lexicon.notNegations.at(words, index) === undefined;
  });
  if (before !== undefined) return true;
  if (followedBy(lexicon, lexicon.negationsAfter, text, mention.end) !== undefined) return true;
  const next = words[mention.end];
  if (next?.clause === words[mention.start]!.clause && lexicon.rules.negationsRightAfter.includes(next.text))
    return true;
  return lastNegated !== undefined && isListed(lexicon, words, lastNegated, mention);
}

/** "No leaks at the valve or rust": what "or" joins to a denied finding is denied with it. */
function isListed({ rules }: Lexicon, words: readonly Word[], denied: Mention, mention: Mention): boolean {
  const sameClause = words[denied.start]!.clause === words[mention.start]!.clause;
  if (!sameClause || mention.start - denied.end >= rules.reachWords) return false;
  const between = words.slice(denied.end, mention.start);
  return between.length === 0 || between.some(({ text }) => rules.listWords.includes(text));
}

/** Where the words say that the fault was mended, or lies in the past; undefined where they do not. */
function resolvedAt(lexicon: Lexicon, text: Text, mention: Mention): number | undefined {
  const { words, persistent } = text;
  if (persistent.has(words[mention.start]!.clause)) return undefined;
  const isDone = (index: number) => !isUnfulfilled(lexicon, words, index);
  return (
    precededBy(lexicon, lexicon.resolutions, words, mention.start, isDone) ??
    followedBy(lexicon, lexicon.resolutions, text, mention.end, isDone)
  );
}

/** "Should be cleaned", "not yet fixed": work that was named and not done. */
function isUnfulfilled({ rules }: Lexicon, words: readonly Word[], index: number): boolean {
  const { clause } = words[index]!;
  return words
    .slice(Math.max(0, index - 2), index)
    .some((word) => word.clause === clause && rules.unfulfilled.includes(word.text));
}

const always = () => true;

/** The start of a phrase whose last word is among the few before `start`, in the same clause. */
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

/** The start of a phrase among the few words after `end`, in the same clause or opening the next one after a comma. */
function followedBy(
  { rules }: Lexicon,
  book: PhraseBook<true>,
  { words, clauseEnds }: Text,
  end: number,
  accepts: (index: number) => boolean = always,
): number | undefined {
  const next = clauseEnds[words[end - 1]!.clause]!;
  for (let index = end; index < Math.min(next, end + rules.reachWords); index++)
    if (book.at(words, index) && accepts(index)) return index;
  const opensNext = words[next]?.afterComma && book.at(words, next) && accepts(next);
  return opensNext ? next : undefined;
}
