import { PhraseBook, stemOfNoteWord, type Word } from "./note-words.ts";

/** The words by which a note reports that a thing is gone, such as "the Zinsco panel was replaced". */
export type RemovalRules = {
  /** Participles: "replaced", "taken out". */
  removed: readonly string[];
  /** Words before which a participle needs no more: "was", "have been". */
  auxiliaries: readonly string[];
  /** Words that may stand between the thing and the participle that follows it: "panel", "all". */
  carriers: readonly string[];
  /** Words that may stand between a participle and the thing that follows it: "the", "old". */
  articles: readonly string[];
  /** Words that may follow where no auxiliary says what was removed: "with" and "in", but not "breaker". */
  follows: readonly string[];
  /** Words before the thing or the participle that report no work done: "recommend", "not". */
  undone: readonly string[];
  /** Words before the thing with which a participle after it reports no work done: "have the panel replaced". */
  causatives: readonly string[];
};

/** The longest way from a thing to its participle, and how far before them a word of `undone` counts, in words. */
const REACH_WORDS = 8;
/** The year of the work. Other numbers, as in "20A breaker" and "2 breakers", begin a part of the thing. */
const YEAR = /^(19|20)\d\d$/;

/** Finds in a note whether a thing is reported as gone. Each answer takes a bounded number of steps. */
export class ReportedRemovals {
  readonly #removed: PhraseBook<true>;
  readonly #auxiliaries: ReadonlySet<string>;
  readonly #carriers: ReadonlySet<string>;
  readonly #articles: ReadonlySet<string>;
  readonly #follows: ReadonlySet<string>;
  readonly #undone: ReadonlySet<string>;
  readonly #undoneBeforeThing: ReadonlySet<string>;
  /** The stems of the participles: "replace" and "replaced" have one. */
  readonly #stems: ReadonlySet<string>;

  constructor({ removed, auxiliaries, carriers, articles, follows, undone, causatives }: RemovalRules) {
    this.#removed = new PhraseBook(removed.map((phrase) => [phrase, true] as const));
    this.#auxiliaries = new Set(auxiliaries);
    this.#carriers = new Set(carriers);
    this.#articles = new Set(articles);
    this.#follows = new Set(follows);
    this.#undone = new Set(undone);
    this.#undoneBeforeThing = new Set([...undone, ...causatives]);
    this.#stems = new Set(removed.map((phrase) => stemOfNoteWord(phrase.split(" ")[0]!)));
  }

  /** Returns whether a word says that something is removed: "not" before it denies the work, not the thing. */
  isWork(word: Word | undefined): boolean {
    return word !== undefined && this.#stems.has(word.stem);
  }

  /**
   * Returns whether the thing at the words from `start` to `end` is reported as gone. `ends` has the ends of all things in the
   * note by their starts: in "Zinsco and Stab-Lok panels were replaced" both are.
   */
  isRemoved(words: readonly Word[], start: number, end: number, ends: ReadonlyMap<number, number>): boolean {
    return this.#isRemovedAfter(words, start, end, ends) || this.#isRemovedBefore(words, start, end, ends);
  }

  #isRemovedAfter(
    words: readonly Word[],
    start: number,
    end: number,
    ends: ReadonlyMap<number, number>,
  ): boolean {
    const { clause } = words[start]!;
    let hasAuxiliary = false;
    let index = end;
    while (index < end + REACH_WORDS && words[index]?.clause === clause) {
      const thing = ends.get(index);
      const { text } = words[index]!;
      if (this.#removed.at(words, index)) break;
      if (this.#auxiliaries.has(text)) hasAuxiliary = true;
      else if (thing === undefined && !this.#carriers.has(text)) return false;
      index = thing ?? index + 1;
    }
    // "Zinsco panel, replaced in 2019", "Zinsco panel found and replaced"
    const next = words[index];
    if (next && next.clause !== clause && next.text === "and") index++;
    else if (next && next.clause !== clause && !next.afterComma) return false;
    const phrase = this.#removed.at(words, index);
    if (!phrase || followsAny(this.#undoneBeforeThing, words, start)) return false;
    return hasAuxiliary || this.#endsWell(words, index, index + phrase.length);
  }

  #isRemovedBefore(
    words: readonly Word[],
    start: number,
    end: number,
    ends: ReadonlyMap<number, number>,
  ): boolean {
    const { clause } = words[start]!;
    let after = end;
    while (after < end + REACH_WORDS) {
      const thing = ends.get(after);
      if (thing === undefined && !this.#isCarrier(words[after], clause)) break;
      after = thing ?? after + 1;
    }
    if (!this.#endsWell(words, start, after)) return false;
    for (let index = start - 1; index >= 0 && index > start - REACH_WORDS; index--) {
      const word = words[index]!;
      if (word.clause !== clause) return false;
      const at = [index, index - 1].find(
        (from) => (this.#removed.at(words, from)?.length ?? 0) > index - from,
      );
      if (at !== undefined) return !followsAny(this.#undone, words, at);
      const isOfOther = [1, 2, 3].some((length) => (ends.get(index + 1 - length) ?? 0) > index);
      if (!isOfOther && !this.#articles.has(word.text)) return false;
    }
    return false;
  }

  #isCarrier = (word: Word | undefined, clause: number) =>
    word?.clause === clause && this.#carriers.has(word.text);

  /** Returns whether nothing follows at `after` that may be what was removed instead: a part of the thing. */
  #endsWell(words: readonly Word[], from: number, after: number): boolean {
    const word = words[after];
    if (word?.clause !== words[from]!.clause) return true;
    return this.#follows.has(word.text) || YEAR.test(word.text);
  }
}

/** Returns whether one of some words stands shortly before a word, in the same clause. */
function followsAny(some: ReadonlySet<string>, words: readonly Word[], at: number): boolean {
  const { clause } = words[at]!;
  return words
    .slice(Math.max(0, at - REACH_WORDS), at)
    .some(({ text, clause: own }) => own === clause && some.has(text));
}
