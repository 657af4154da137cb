import { type Mention, PhraseBook, type Word } from "./note-words.ts";

/** The words by which a note says that an inspection passed or failed. */
export type VerdictRules = {
  failures: readonly string[];
  passes: readonly string[];
  /** Phrases with the word of a verdict that are none: "failed to gain access". */
  noVerdicts: readonly string[];
  /** Words shortly before a failure by which there is none: "no". */
  denials: readonly string[];
  /** Words shortly before a pass by which there is none, or none yet: "not", "will", "once". */
  doubts: readonly string[];
  /** Words right after a pass that limit it: "if"; and those that limit what is no participle: "ok until". */
  conditions: readonly string[];
  presentConditions: readonly string[];
  /** Words shortly before a failure of earlier than the verdicts before it: "previously". */
  earlier: readonly string[];
  /** Words between an inspection and a failure by which something else failed, or nothing: "found". */
  barriers: readonly string[];
  /** Words for a thing that is inspected: "car". */
  subjects: readonly string[];
  /** Words beside a verdict that name no other thing: "retest", "both". */
  neutrals: readonly string[];
  /** Words after a verdict, by which it is not of a thing as in "failed lamp": "due". */
  followers: readonly string[];
  /** Words by which a thing that failed is no verdict: "failed lamp replaced". */
  resolutions: readonly string[];
};

/** The verdicts of a note on the inspections that it names. */
export type NoteVerdicts<Group> = {
  /** By mention, the index of the word by which it failed first. */
  failedAt: ReadonlyMap<Mention<Group>, number>;
  /** Indexes of the words of failures: the "not" of "did not pass" denies nothing else. */
  failureWords: ReadonlySet<number>;
  /** True if the note ends with a failure of what it does not name: "Failed. OK to run until repair". */
  hasFailed: boolean;
  hasFailedFor(group: Group): boolean;
};

type Kind = "failed" | "passed";
type Verdict = { kind: Kind; start: number; end: number };

/** How far a verdict may be behind what it is about, and behind the start of its statement, in words. */
const REACH_WORDS = 4;
const STATEMENT_WORDS = 8;
const NUMBER = /^\d/;

/**
 * Reads the verdicts in a note. A failure stands until a later statement says that the same inspection passed. A pass that
 * is conditional, to come, or of another thing is none.
 */
export class InspectionVerdicts {
  readonly #phrases: PhraseBook<Kind | "none">;
  readonly #words: Readonly<Record<keyof VerdictRules, ReadonlySet<string>>>;
  readonly #isJoinedOver: ReadonlySet<string>;

  constructor(rules: VerdictRules, joinedOver: readonly string[]) {
    const phrases = (texts: readonly string[], kind: Kind | "none") =>
      texts.map((text) => [text, kind] as const);
    this.#phrases = new PhraseBook([
      ...phrases(rules.noVerdicts, "none"),
      ...phrases(rules.failures, "failed"),
      ...phrases(rules.passes, "passed"),
    ]);
    const words = Object.entries(rules).map(([name, texts]) => [name, new Set(texts)]);
    this.#words = Object.fromEntries(words);
    this.#isJoinedOver = new Set(joinedOver);
  }

  /** Returns the verdicts on some mentions, in time proportional to the note. `any` is the group of those of no type. */
  read<Group>(words: readonly Word[], mentions: readonly Mention<Group>[], any: Group): NoteVerdicts<Group> {
    const verdicts = this.#find(words, mentions);
    const named = this.#named(words, mentions, verdicts, any);
    const attached = new Set([...named.values()].flat());
    const failedAt = new Map<Mention<Group>, number>();
    const failureWords = new Set<number>();
    const results = new Map<Group, Kind>();
    /** The mentions that a verdict is about that names none. */
    let topic: readonly Mention<Group>[] = [];
    let hasFailed = false;
    let next = 0;
    for (const verdict of verdicts) {
      const { kind, start, end } = verdict;
      for (; (mentions[next]?.start ?? start) < start; next++) {
        const mention = mentions[next]!;
        if (mention.group !== any && !attached.has(mention)) topic = [mention];
      }
      const own = named.get(verdict) ?? [];
      const ofType = own.filter(({ group }) => group !== any);
      const isStatement = this.#isStatement(words, verdict);
      if (ofType.length > 0) topic = own;
      const about = ofType.length === 0 && isStatement ? [...topic, ...own] : own;
      const isEarlier = kind === "failed" && this.#isNear(words, start, "earlier", 2);
      if (isStatement && topic.length === 0 && !(isEarlier && results.has(any))) {
        results.set(any, kind);
        hasFailed = kind === "failed";
      }
      if (kind === "failed") for (let index = start; index < end; index++) failureWords.add(index);
      // "Hydrostatic test passed" says so of that test alone.
      if (kind === "passed" && ofType.length === 0 && !isStatement) continue;
      for (const mention of about) {
        if (isEarlier && results.has(mention.group)) continue;
        results.set(mention.group, kind);
        if (kind === "failed" && !failedAt.has(mention)) failedAt.set(mention, start);
      }
    }
    const hasFailedFor = (group: Group) => (results.has(group) ? results.get(group) === "failed" : hasFailed);
    return { failedAt, failureWords, hasFailed, hasFailedFor };
  }

  #find(words: readonly Word[], mentions: readonly Mention<unknown>[]): Verdict[] {
    const mentioned = new Set<number>();
    for (const { start, end } of mentions) for (let at = start; at < end; at++) mentioned.add(at);
    const verdicts: Verdict[] = [];
    for (let start = 0; start < words.length; ) {
      const phrase = this.#phrases.at(words, start);
      const verdict = { kind: phrase?.value as Kind, start, end: start + (phrase?.length ?? 1) };
      if (phrase && phrase.value !== "none" && this.#isMeant(words, verdict, mentioned))
        verdicts.push(verdict);
      start = verdict.end;
    }
    return verdicts;
  }

  #isMeant(words: readonly Word[], { kind, start, end }: Verdict, mentioned: ReadonlySet<number>): boolean {
    const { clause, text } = words[start]!;
    const next = words[end]?.clause === clause ? words[end] : undefined;
    if (kind === "passed") {
      if (this.#isNear(words, start, "doubts", 2)) return false;
      if (!next || this.#words.conditions.has(next.text)) return !next;
      return text.endsWith("ed") || !this.#words.presentConditions.has(next.text);
    }
    if (this.#isNear(words, start, "denials", 3, mentioned)) return false;
    const isOfThing = words[start - 1]?.clause !== clause && !mentioned.has(end) && !this.#isFollower(next);
    return (
      !isOfThing ||
      !this.#isNear(words, end + STATEMENT_WORDS, "resolutions", STATEMENT_WORDS, undefined, clause)
    );
  }

  /** Returns, by verdict, the mentions beside it: "failed Cat 5", "Failed: Cat 5", "Cat 1 and Cat 5 failed". */
  #named<Group>(
    words: readonly Word[],
    mentions: readonly Mention<Group>[],
    verdicts: readonly Verdict[],
    any: Group,
  ): Map<Verdict, Mention<Group>[]> {
    const starts = new Map(verdicts.map((verdict) => [verdict.start, verdict]));
    const ends = new Map(verdicts.map((verdict) => [verdict.end, verdict]));
    const mentionEnds = new Set(mentions.map(({ end }) => end));
    const named = new Map<Verdict, Mention<Group>[]>();
    for (const mention of mentions) {
      const verdict =
        this.#before(words, mention, ends, mentionEnds, mention.group === any) ??
        this.#after(words, mention, starts);
      if (!verdict) continue;
      const list = named.get(verdict);
      if (list) list.push(mention);
      else named.set(verdict, [mention]);
    }
    return named;
  }

  #before(
    words: readonly Word[],
    { start }: Mention<unknown>,
    ends: ReadonlyMap<number, Verdict>,
    mentionEnds: ReadonlySet<number>,
    isOfAny: boolean,
  ): Verdict | undefined {
    const { clause } = words[start]!;
    // "Failed the Cat 5 test", "failed state inspection"
    const isBetween = ({ text, clause: own }: Word) =>
      this.#isJoinedOver.has(text) || (isOfAny && own === clause && !this.#words.barriers.has(text));
    let at = start;
    while (at > Math.max(0, start - REACH_WORDS) && !ends.has(at) && isBetween(words[at - 1]!)) at--;
    const verdict = ends.get(at);
    if (!verdict) return undefined;
    const first = words[verdict.start]!;
    if (first.clause === clause)
      return mentionEnds.has(verdict.start) && words[verdict.start - 1]!.clause === clause
        ? undefined
        : verdict;
    const isWhole = words[verdict.start - 1]?.clause !== first.clause;
    const opens = words[at]!;
    return isWhole && opens.afterComma && (opens.afterColon || !first.afterComma) ? verdict : undefined;
  }

  #after(
    words: readonly Word[],
    { start, end }: Mention<unknown>,
    starts: ReadonlyMap<number, Verdict>,
  ): Verdict | undefined {
    const { clause } = words[start]!;
    let at = end;
    for (; words[at]?.clause === clause; at++) {
      const verdict = starts.get(at);
      if (verdict) return verdict;
      if (at >= end + REACH_WORDS || this.#words.barriers.has(words[at]!.text)) return undefined;
    }
    const opened = words[at];
    if (!opened?.afterComma) return undefined;
    const first = at;
    while (at < first + REACH_WORDS && !starts.has(at) && this.#isNeutral(words, at, opened.clause, "failed"))
      at++;
    return words[at]?.clause === opened.clause ? starts.get(at) : undefined;
  }

  /** Returns whether a verdict names no thing of its own: "failed due to", "retest 4/16 passed", but not "lamp failed". */
  #isStatement(words: readonly Word[], { kind, start, end }: Verdict): boolean {
    const { clause } = words[start]!;
    const next = words[end]?.clause === clause ? words[end] : undefined;
    if (end - start === 1 && !this.#isFollower(next)) return false;
    let at = start - 1;
    while (at >= start - STATEMENT_WORDS && this.#isNeutral(words, at, clause, kind)) at--;
    return words[at]?.clause !== clause || (kind === "passed" && words[at]!.text === "and");
  }

  #isNeutral(words: readonly Word[], at: number, clause: number, kind: Kind): boolean {
    if (words[at]?.clause !== clause) return false;
    const { text } = words[at]!;
    if (this.#words.neutrals.has(text) || this.#isJoinedOver.has(text)) return true;
    // "Car 2 failed", but not "3 failed"
    if (NUMBER.test(text)) return kind === "passed" || words[at - 1]?.clause === clause;
    return kind === "failed" ? this.#words.subjects.has(text) : text.endsWith("ed");
  }

  #isFollower(word: Word | undefined): boolean {
    if (!word || NUMBER.test(word.text)) return true;
    return [this.#words.followers, this.#words.neutrals, this.#isJoinedOver].some((some) =>
      some.has(word.text),
    );
  }

  /** Returns whether one of some words is among the `reach` words before `end`, in the same clause and not in `except`. */
  #isNear(
    words: readonly Word[],
    end: number,
    name: keyof VerdictRules,
    reach: number,
    except?: ReadonlySet<number>,
    clause = words[end]!.clause,
  ): boolean {
    for (let at = Math.max(0, end - reach); at < end; at++) {
      const word = words[at];
      if (word?.clause !== clause || except?.has(at) || !this.#words[name].has(word.text)) continue;
      if (word.text !== "may" || !NUMBER.test(words[at + 1]?.text ?? "")) return true;
    }
    return false;
  }
}
