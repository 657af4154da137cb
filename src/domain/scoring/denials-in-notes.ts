import {
  followedBy,
  type IndexedNote,
  joinOf,
  type Lexicon,
  type Mention,
  precededBy,
  skipJoined,
} from "./note-lexicon.ts";
import type { PhraseBook, Word } from "./note-words.ts";

/** Returns the mentions that the note denies, and those joined to one of them: "no leaks or rust", "Cat 1 and Cat 5 due". */
export function negatedMentions(
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

/** Returns whether a mention is of the last or the next visit, which says nothing about this one. */
export function isOfOtherVisit(lexicon: Lexicon, note: IndexedNote, { start, end }: Mention): boolean {
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
  precededBy(
    lexicon,
    lexicon.negations,
    words,
    index,
    (at) => !isNoNegation(lexicon, lexicon.negations, words, at),
  ) === undefined;

/** Returns whether a phrase is of the mention right after it: "pending" in "Cat 1 done, pending Cat 5". */
function isOfNextMention(
  book: PhraseBook<true>,
  { words, mentionStarts }: IndexedNote,
  index: number,
): boolean {
  const next = index + book.at(words, index)!.length;
  return mentionStarts.has(next) && words[next]!.clause === words[index]!.clause;
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
      !isNoNegation(lexicon, lexicon.negations, words, index) &&
      !(verdicts?.failedAt.has(mention) && lexicon.exceptions.at(words, index)) &&
      !isDoneDespite(lexicon, words, mention, index) &&
      !lexicon.removals?.isWork(words[index + 1])
    );
  });
  if (before !== undefined || isHeadedByNegation(lexicon, words, mention)) return true;
  if (!verdicts?.failedAt.has(mention) && isOfNamedYear(lexicon, words, mention)) return true;
  // "Cat 5 failed, retest scheduled" does not put off the test that failed.
  const failedAt = verdicts?.failedAt.get(mention) ?? words.length;
  const after = lexicon.negationsAfter;
  const isOfMention = (index: number) =>
    index <= failedAt &&
    !isNoNegation(lexicon, after, words, index) &&
    !isOfNextMention(after, note, index) &&
    !followsCompletion(lexicon, note, mention, index);
  if (followedBy(lexicon, after, note, mention.end, isOfMention) !== undefined) return true;
  const next = words[mention.end];
  if (next?.clause === words[mention.start]!.clause && lexicon.rules.negationsRightAfter.includes(next.text))
    return true;
  if (lastNegated === undefined) return false;
  if (isListed(lexicon, words, lastNegated, mention)) return true;
  return (
    isHeadedByNegation(lexicon, words, lastNegated) &&
    joinOf(lexicon, words, lastNegated, mention) !== "none" &&
    !isDoneRightAfter(lexicon, words, mention)
  );
}

/** Returns whether a mention stands under a heading by which it was not done: "Declined: Cat 5". */
function isHeadedByNegation(lexicon: Lexicon, words: readonly Word[], mention: Mention): boolean {
  const { start } = mention;
  const { clause, afterColon } = words[start]!;
  if (!afterColon) return false;
  const last = skipJoined(lexicon, words, start - 1, -1);
  if (last < 0 || words[last]!.clause === clause) return false;
  const isDone = isDoneRightAfter(lexicon, words, mention);
  return [lexicon.negations, lexicon.negationsAfter].some((book) =>
    Array.from({ length: book.longest }, (_, nth) => last - nth).some(
      (index) =>
        book.at(words, index)?.length === last - index + 1 &&
        !isNoNegation(lexicon, book, words, index) &&
        // "Required: Cat 5, completed", but not "not done: Cat 5 completed" on a form
        (!isDone || words[index]!.text === "not"),
    ),
  );
}

/** Returns whether a phrase that contains the whole negation makes it none: "no deficiencies", "per owner request". */
function isNoNegation(
  { notNegations }: Lexicon,
  negations: PhraseBook<true>,
  words: readonly Word[],
  index: number,
): boolean {
  const end = index + negations.at(words, index)!.length;
  for (let start = index; start > index - notNegations.longest && start >= 0; start--) {
    const phrase = notNegations.at(words, start);
    if (phrase && (start === index || start + phrase.length >= end)) return true;
  }
  return false;
}

/**
 * Returns whether a word by which an inspection is to come is of one that the note reports as done: "completed the pending Cat 5",
 * "overdue Cat 5 completed". What is pending without an article may follow the statement before it: "done pending Cat 5".
 */
function isDoneDespite(lexicon: Lexicon, words: readonly Word[], mention: Mention, index: number): boolean {
  const phrase = lexicon.calledFor.at(words, index);
  if (!phrase || skipJoined(lexicon, words, index + phrase.length, 1) < mention.start) return false;
  const { clause } = words[index]!;
  const isFirstDone = (at: number) =>
    words[at]?.clause === clause && words[at - 1]?.clause !== clause && isCompletion(lexicon, words, at);
  const before = skipJoined(
    lexicon,
    words,
    words[index - 1]?.text === "previously" ? index - 2 : index - 1,
    -1,
  );
  if (isFirstDone(before)) return before < index - 1 || words[index]!.text !== "pending";
  return lexicon.putOff.at(words, index) !== undefined && isDoneRightAfter(lexicon, words, mention, index);
}

/**
 * Returns whether the statement after a mention is no more than that it was done: "Cat 5 completed 3/9", "Cat 5, completed". A
 * negation denies that, except the one at `except`.
 */
function isDoneRightAfter(
  lexicon: Lexicon,
  words: readonly Word[],
  { end }: Mention,
  except?: number,
): boolean {
  const after = skipJoined(lexicon, words, end, 1);
  const done = lexicon.completions.at(words, after);
  if (!done || !(words[after]!.clause === words[end - 1]!.clause || words[after]!.afterComma)) return false;
  const next = words[after + done.length];
  if (next?.clause === words[after]!.clause && next.text !== "today" && !NUMBER.test(next.text)) return false;
  const isDenied = (at: number) => at !== except && !isNoNegation(lexicon, lexicon.negations, words, at);
  return precededBy(lexicon, lexicon.negations, words, after, isDenied) === undefined;
}

const NUMBER = /^\d/;
const YEAR = /^(?:19|20)\d\d$/;

/** Returns whether a mention was done in a year that the note names, which is that of another visit: "done in 2021". */
function isOfNamedYear(lexicon: Lexicon, words: readonly Word[], { end }: Mention): boolean {
  const { clause } = words[end - 1]!;
  let at = skipJoined(lexicon, words, end, 1);
  if (["was", "were"].includes(words[at]?.text ?? "")) at++;
  const isDone = words[at]?.clause === clause && isCompletion(lexicon, words, at);
  return isDone && words[at + 1]?.text === "in" && YEAR.test(words[at + 2]?.text ?? "");
}

/** Returns whether a mention is joined to a denied one: "no leaks at the valve or rust". */
function isListed({ rules }: Lexicon, words: readonly Word[], denied: Mention, mention: Mention): boolean {
  const sameClause = words[denied.start]!.clause === words[mention.start]!.clause;
  if (!sameClause || mention.start - denied.end >= rules.reachWords) return false;
  const between = words.slice(denied.end, mention.start);
  return between.length === 0 || between.some(({ text }) => rules.listWords.includes(text));
}
