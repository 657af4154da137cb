import { type ClauseRules, type Mention, PhraseBook, type Word } from "./note-words.ts";

/** The words by which a note reports an inspection that it names, rather than speaks of one. */
export type ReportRules = {
  /** Words for what an inspection did or found: "tested", "ok", "psi". */
  results: readonly string[];
  /** Words for what was done about its findings, in the clause after it: "2 strobes replaced". */
  work: readonly string[];
  /** Words right after an inspection that are results: "Cat 5: yes". */
  answers: readonly string[];
  /** Words shortly before a result by which there is none: "not", "will". */
  denials: readonly string[];
  /** Phrases with a denial that are results: "no deficiencies". */
  notDenials: readonly string[];
  /** Phrases by which the note tells what somebody else did or wrote: "by others", "per tag". */
  hearsay: readonly string[];
  /** Words right after an inspection that deny it: "Cat 5: no". */
  refusals: readonly string[];
  /** Words that a clause may have that does nothing but name an inspection: "annual test of car 2". */
  neutrals: readonly string[];
  /** Words after which the rest of such a clause says by whom or what: "with". */
  openers: readonly string[];
  /** Phrases by which nothing was inspected: "no access". */
  noVisits: readonly string[];
};

/** The distance at which a denial may stand before the result that it denies, in words. */
const REACH_WORDS = 3;
const NUMBER = /^\d/;
const MEASURED = /^\d+(?:\.\d+)?(?:psi|ppm|gpm|fpm)$/;
const MONTH =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/;
/** Words of a day to come. */
const LATER = /^(?:tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day)$/;

/**
 * Finds the inspections that a note reports. Notes name many that were not made: in offers, in questions, and beside what was
 * brought for them. So an inspection counts if its clause, or the opening of the next, has a word for a result, or if its clause
 * does nothing but name it.
 */
export class ReportedInspections {
  readonly #words: Readonly<Record<keyof ReportRules, ReadonlySet<string>>>;
  readonly #notDenials: PhraseBook<true>;
  readonly #hearsay: PhraseBook<true>;
  readonly #noVisits: PhraseBook<true>;

  constructor(
    rules: ReportRules,
    private readonly clauses: ClauseRules,
  ) {
    const words = Object.entries(rules).map(([name, texts]) => [name, new Set(texts)]);
    this.#words = Object.fromEntries(words);
    const book = (phrases: readonly string[]) =>
      new PhraseBook(phrases.map((phrase) => [phrase, true] as const));
    this.#notDenials = book(rules.notDenials);
    this.#hearsay = book(rules.hearsay);
    this.#noVisits = book(rules.noVisits);
  }

  /** Returns the mentions that the note reports, in time proportional to the note. The mentions are in its order. */
  of<G>(words: readonly Word[], mentions: readonly Mention<G>[]): ReadonlySet<Mention<G>> {
    const sentences = this.#sentences(words);
    const groups = this.#groups(words, mentions);
    const reported = new Set<Mention<G>>();
    for (const [at, group] of groups.entries())
      if (this.#isReported(words, group, groups[at - 1], groups[at + 1], sentences))
        for (const mention of group) reported.add(mention);
    return reported;
  }

  /**
   * Returns whether a note says that nothing was inspected: in a sentence that names no inspection, where the note has no word
   * for a result.
   */
  isOfNoVisit(words: readonly Word[], mentions: readonly Mention<unknown>[]): boolean {
    const denials = words.flatMap((_, at) => (this.#noVisits.at(words, at) ? [at] : []));
    if (denials.length === 0) return false;
    const sentences = this.#sentences(words);
    const named = new Set(mentions.map(({ start }) => sentences[start]));
    if (denials.every((at) => named.has(sentences[at]))) return false;
    return !words.some((_, at) => this.#isResult(words, at, "results") || this.#isResult(words, at, "work"));
  }

  /** Returns, by word, the number of its sentence: clauses that commas, colons, dashes or words such as "but" separate. */
  #sentences(words: readonly Word[]): readonly number[] {
    let sentence = 0;
    return words.map(({ clause, afterComma, text }, at) => {
      const begins = at > 0 && clause !== words[at - 1]!.clause;
      if (begins && !afterComma && text !== "and" && !this.clauses.ends.has(text)) sentence++;
      return sentence;
    });
  }

  /** Returns the mentions by what joins them in a clause: "Cat 1 and Cat 5" are one group. */
  #groups<G>(words: readonly Word[], mentions: readonly Mention<G>[]): readonly (readonly Mention<G>[])[] {
    const groups: Mention<G>[][] = [];
    for (const mention of mentions) {
      const last = groups.at(-1);
      const from = last?.at(-1)?.end ?? 0;
      const isJoined =
        words[from - 1]?.clause === words[mention.start]!.clause &&
        words.slice(from, mention.start).every((word) => this.#isNeutral(word));
      if (last && isJoined) last.push(mention);
      else groups.push([mention]);
    }
    return groups;
  }

  #isReported<G>(
    words: readonly Word[],
    mentions: readonly Mention<G>[],
    previous: readonly Mention<G>[] | undefined,
    next: readonly Mention<G>[] | undefined,
    sentences: readonly number[],
  ): boolean {
    const { start } = mentions[0]!;
    const { end } = mentions.at(-1)!;
    if (mentions.some((mention) => words[mention.start]!.isAsked)) return false;
    const clause = words[end - 1]!.clause;
    const floor = previous?.at(-1)?.end ?? 0;
    const ceiling = next?.[0]?.start ?? words.length;
    let first = start;
    while (first > floor && words[first - 1]!.clause === words[start]!.clause) first--;
    let last = end;
    while (last < ceiling && words[last]!.clause === clause) last++;
    const opening =
      words[last]?.afterComma && last < ceiling && sentences[last] === sentences[start] ? last : undefined;
    const answer = end < last ? end : opening;
    if (answer !== undefined && this.#refuses(words, answer)) return false;
    if (answer !== undefined && this.#words.answers.has(words[answer]!.text)) return true;
    for (let at = end; at < last; at++) if (this.#hearsay.at(words, at)) return false;
    for (let at = first; at < last; at++) if (this.#isResult(words, at, "results")) return true;
    if (opening !== undefined && this.#opensWithResult(words, opening, ceiling)) return true;
    if (!this.#onlyNames(words, first, start) || !this.#onlyNames(words, end, last)) return false;
    return this.#isOfNeutralHeading(words, first, floor);
  }

  #refuses(words: readonly Word[], at: number): boolean {
    return this.#words.refusals.has(words[at]!.text) && !this.#notDenials.at(words, at);
  }

  #opensWithResult(words: readonly Word[], opening: number, ceiling: number): boolean {
    const { clause } = words[opening]!;
    for (let at = opening; at < ceiling && words[at]!.clause === clause; at++) {
      const isOpen = at < opening + 2;
      if (isOpen ? this.#isResult(words, at, "results") : this.#isResult(words, at, "work")) return true;
    }
    return false;
  }

  /** Returns whether a clause is not in a list whose heading says that it is of something else: "Recommended: Cat 5". */
  #isOfNeutralHeading(words: readonly Word[], first: number, floor: number): boolean {
    let at = first;
    while (at > floor && words[at]!.afterComma && !words[at]!.afterColon) at--;
    if (at <= floor || !words[at]!.afterColon) return true;
    const { clause } = words[at - 1]!;
    for (let index = at - 1; index >= floor && words[index]!.clause === clause; index--)
      if (this.#isResult(words, index, "results")) return true;
      else if (!this.#isNeutral(words[index]!)) return false;
    return true;
  }

  /** Returns whether some words name no more than an inspection, or say after one by whom or with what it was made. */
  #onlyNames(words: readonly Word[], from: number, to: number): boolean {
    for (let at = from; at < to; at++) {
      const word = words[at]!;
      // "By 6/30" and "in January" say when it is to be made.
      if ((word.text === "by" || word.text === "in") && this.#isDate(words[at + 1])) return false;
      if (this.#words.openers.has(word.text))
        return !words.slice(at + 1, to).some(({ text }) => LATER.test(text));
      if (!this.#isNeutral(word)) return false;
    }
    return true;
  }

  #isNeutral({ text }: Word): boolean {
    return NUMBER.test(text) || text.length === 1 || MONTH.test(text) || this.#words.neutrals.has(text);
  }

  #isDate(word: Word | undefined): boolean {
    return word !== undefined && (NUMBER.test(word.text) || MONTH.test(word.text));
  }

  #isResult(words: readonly Word[], at: number, name: "results" | "work"): boolean {
    if (this.#notDenials.at(words, at)) return true;
    const { text, clause } = words[at]!;
    if (!(this.#words[name].has(text) || (name === "results" && MEASURED.test(text)))) return false;
    const next = words[at + 1];
    if (next?.clause === clause && next.text === "not") return false;
    // "Done: no"
    const isAnswer = next?.clause !== clause && next?.afterComma && words[at + 2]?.clause !== next.clause;
    if (isAnswer && this.#words.refusals.has(next.text)) return false;
    for (let before = Math.max(0, at - REACH_WORDS); before < at; before++) {
      const word = words[before]!;
      if (word.clause === clause && this.#words.denials.has(word.text) && !this.#notDenials.at(words, before))
        return false;
    }
    return true;
  }
}
