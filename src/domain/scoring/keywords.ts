import type { KeywordGroup, KeywordRules, Knowledge } from "../knowledge.ts";
import { type ClauseRules, PhraseBook, readWords, stem, type Word } from "./words.ts";

/** A word group that a note speaks of; `share` of its log-ratio: half for a fault that the note calls mended. */
export type Finding = { group: KeywordGroup; share: 1 | 0.5 };

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
  known: Map<string, readonly Finding[]>;
};

const lexicons = new WeakMap<KeywordRules, Lexicon>();
/** Notes repeat ("annual service, no issues"): so many readings are kept. */
const KEPT_NOTES = 4096;

/** The word groups that a note speaks of, each once; negated, hypothetical and false ones left out. */
export function findings({ keywords }: Pick<Knowledge, "keywords">, notes: string): readonly Finding[] {
  let lexicon = lexicons.get(keywords);
  if (!lexicon) {
    lexicon = compile(keywords);
    lexicons.set(keywords, lexicon);
  }
  let found = lexicon.known.get(notes);
  if (!found) {
    found = read(lexicon, notes);
    if (lexicon.known.size >= KEPT_NOTES) lexicon.known.clear();
    lexicon.known.set(notes, found);
  }
  return found;
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
    known: new Map(),
  };
}

function read(lexicon: Lexicon, notes: string): readonly Finding[] {
  const words = readWords(notes, lexicon.clauses);
  const mentions = findMentions(lexicon, words);
  const resolvers = new Set<number>();
  const shares = new Map<Mention, 1 | 0.5>();
  let negated: Mention | undefined;
  for (const mention of mentions) {
    if (isNegated(lexicon, words, mentions, mention, negated)) {
      negated = mention;
      continue;
    }
    if (precededBy(lexicon, lexicon.hypotheticals, words, mention.start) !== undefined) continue;
    if (mention.group.direction === "down") {
      if (!isUnfulfilled(lexicon, words, mention.start)) shares.set(mention, 1);
      continue;
    }
    const resolver = resolvedAt(lexicon, words, mention);
    if (resolver !== undefined) resolvers.add(resolver);
    shares.set(mention, resolver === undefined ? 1 : 0.5);
  }
  // "Replaced leaking valve" tells how the leak ended; it is no second finding, that something is new.
  const strongest = new Map<KeywordGroup, 1 | 0.5>();
  for (const [{ group, start }, share] of shares)
    if (!resolvers.has(start)) strongest.set(group, strongest.get(group) === 1 ? 1 : share);
  return Array.from(strongest, ([group, share]) => ({ group, share }));
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
  words: readonly Word[],
  mentions: readonly Mention[],
  mention: Mention,
  lastNegated: Mention | undefined,
): boolean {
  // The "no" of "no heat" is that finding's own, and denies nothing else.
  const isOwn = (index: number) =>
    mentions.some(({ group, start, end }) => group.direction === "up" && start <= index && index < end);
  const before = precededBy(lexicon, lexicon.negations, words, mention.start, (index) => {
    return !isOwn(index) && lexicon.notNegations.at(words, index) === undefined;
  });
  if (before !== undefined) return true;
  if (followedBy(lexicon, lexicon.negationsAfter, words, mention.end) !== undefined) return true;
  const next = words[mention.end];
  if (next?.clause === words[mention.start]!.clause && lexicon.rules.negationsRightAfter.includes(next.text))
    return true;
  return lastNegated !== undefined && isListed(lexicon, words, lastNegated, mention);
}

/** "No leaks at the valve or rust": what "or" joins to a denied finding is denied with it. */
function isListed({ rules }: Lexicon, words: readonly Word[], denied: Mention, mention: Mention): boolean {
  const between = words.slice(denied.end, mention.start);
  const sameClause = words[denied.start]!.clause === words[mention.start]!.clause;
  return (
    sameClause &&
    between.length < rules.reachWords &&
    (between.length === 0 || between.some(({ text }) => rules.listWords.includes(text)))
  );
}

/** Where the words say that the fault was mended, or lies in the past; undefined where they do not. */
function resolvedAt(lexicon: Lexicon, words: readonly Word[], mention: Mention): number | undefined {
  const { clause } = words[mention.start]!;
  const persists = words.some(
    (word) => word.clause === clause && lexicon.rules.persistence.includes(word.text),
  );
  if (persists) return undefined;
  const isDone = (index: number) => !isUnfulfilled(lexicon, words, index);
  return (
    precededBy(lexicon, lexicon.resolutions, words, mention.start, isDone) ??
    followedBy(lexicon, lexicon.resolutions, words, mention.end, isDone)
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
  for (let index = start - 1; index >= 0 && words[index]!.clause === clause; index--) {
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
  words: readonly Word[],
  end: number,
  accepts: (index: number) => boolean = always,
): number | undefined {
  const { clause } = words[end - 1]!;
  let index = end;
  for (; words[index]?.clause === clause; index++) {
    if (index - end >= rules.reachWords) continue;
    if (book.at(words, index) && accepts(index)) return index;
  }
  const opensNext = words[index]?.afterComma && book.at(words, index) && accepts(index);
  return opensNext ? index : undefined;
}
