/** A word of a note, with the clause that contains it. */
export type Word = {
  text: string;
  stem: string;
  /** Number of the clause, rising through the note. */
  clause: number;
  /** True if only a comma or colon separates its clause from the one before. */
  afterComma: boolean;
  /** True if only a colon does. */
  afterColon: boolean;
  /** True if its clause is a question. */
  isAsked: boolean;
};

/** The position of a group's word or phrase in a note, in words; `end` is exclusive. */
export type Mention<Group> = { group: Group; start: number; end: number };

/** Words that end a clause, such as "but", and verbs before which "and" ends one. */
export type ClauseRules = { ends: ReadonlySet<string>; verbsAfterAnd: ReadonlySet<string> };

const TOKEN = /(?<!\d)\d+(?:\.\d+)+|[a-z0-9]+(?:'[a-z]+)?|[.;!?\n]|[,:()–—]| - /g;
/** Abbreviations whose period ends no clause: "cat. 5", "excl. sensitivity". */
const ABBREVIATION = /\b(cat(?=\. ?\d)|excl|incl)\. ?/g;
const LAST_ITEM = /(?:\s+[\w'-]+){0,2}\s+n?or\s/y;
const ITEM = /(?:\s+[\w'-]+){1,2},/y;

/** Splits a note into lower-case words, each with its clause. Takes time proportional to the note. */
export function splitNoteIntoWords(notes: string, rules: ClauseRules): Word[] {
  const text = withoutListCommas(notes.toLowerCase().replaceAll("’", "'").replace(ABBREVIATION, "$1 "));
  const tokens = text.match(TOKEN) ?? [];
  const words: Word[] = [];
  let clause = 0;
  let afterComma = false;
  let afterColon = false;
  for (const [i, token] of tokens.entries()) {
    if (!/[a-z0-9]/.test(token)) {
      const stop = /[.;!?\n]/.test(token);
      afterComma = !stop && (words.at(-1)?.clause === clause || afterComma);
      afterColon = afterComma && token === ":";
      if (token === "?") markAsked(words, clause);
      clause = words.length === 0 ? 0 : words.at(-1)!.clause + 1;
      continue;
    }
    const begins = rules.ends.has(token) || (token === "and" && startsStatement(tokens, i, rules));
    if (begins) {
      clause++;
      afterComma = false;
      afterColon = false;
    }
    words.push({ text: token, stem: stemOfNoteWord(token), clause, afterComma, afterColon, isAsked: false });
  }
  return words;
}

function markAsked(words: readonly Word[], clause: number): void {
  for (let index = words.length - 1; words[index]?.clause === clause; index--) words[index]!.isAsked = true;
}

/**
 * Removes the commas of lists such as "leaks, rust, or noise", which are one clause. Goes from the last comma to the
 * first, since a comma before an item of a list belongs to the list.
 */
function withoutListCommas(text: string): string {
  const commas: number[] = [];
  let next: number | undefined;
  for (
    let comma = text.lastIndexOf(",");
    comma >= 0;
    comma = comma === 0 ? -1 : text.lastIndexOf(",", comma - 1)
  ) {
    const isOfList =
      matchesAt(LAST_ITEM, text, comma + 1) || (next !== undefined && next === endOfItem(text, comma + 1));
    next = isOfList ? comma : undefined;
    if (isOfList) commas.push(comma);
  }
  if (commas.length === 0) return text;
  let result = "";
  let from = 0;
  for (const comma of commas.reverse()) {
    result += `${text.slice(from, comma)} `;
    from = comma + 1;
  }
  return result + text.slice(from);
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Returns the index of the comma after the list item that begins at `at`; undefined without one. */
const endOfItem = (text: string, at: number) => (matchesAt(ITEM, text, at) ? ITEM.lastIndex - 1 : undefined);

/** Returns whether "and" starts a new statement: in "no noise and leaking", but not in "no knocking and banging". */
function startsStatement(tokens: readonly string[], and: number, rules: ClauseRules): boolean {
  const next = tokens[and + 1] ?? "";
  if (rules.verbsAfterAnd.has(next)) return true;
  return /(?:ing|ed)$/.test(next) && !/(?:ing|ed)$/.test(tokens[and - 1] ?? "");
}

/** Removes simple endings: leaks, leaked and leaking become leak, dripping becomes drip. */
export function stemOfNoteWord(word: string): string {
  let base = word;
  for (const ending of ["ing", "ed", "es", "s"]) {
    const rest = word.slice(0, -ending.length);
    if (!word.endsWith(ending) || rest.length < 3 || !/[aeiouy]/.test(rest)) continue;
    if (ending === "s" && /[sui]$/.test(rest)) continue; // glass, status, axis
    base = rest;
    break;
  }
  // Rules and notes are stemmed alike, so "scal" for "scale" and "smel" for "smell" do no harm.
  return base.replace(/e$/, "").replace(/([^aeiou])\1$/, "$1");
}

/** Phrases by their first word, the longest first. */
export class PhraseBook<T> {
  readonly #byFirst = new Map<string, { words: string[]; value: T }[]>();
  /** The length of the longest phrase, in words. */
  readonly longest: number = 0;

  constructor(entries: Iterable<readonly [phrase: string, value: T]>) {
    for (const [phrase, value] of entries) {
      const words = phrase.split(" ");
      const list = this.#byFirst.get(words[0]!) ?? [];
      list.push({ words, value });
      this.longest = Math.max(this.longest, words.length);
      this.#byFirst.set(words[0]!, list);
    }
    for (const list of this.#byFirst.values()) list.sort((a, b) => b.words.length - a.words.length);
  }

  /** Returns the longest phrase at `start` within one clause; undefined without one. */
  at(words: readonly Word[], start: number): { length: number; value: T } | undefined {
    const first = words[start];
    const fits = this.#byFirst.get(first?.text ?? "")?.find(({ words: phrase }) =>
      phrase.every((text, i) => {
        const word = words[start + i];
        return word?.text === text && word.clause === first!.clause;
      }),
    );
    return fits && { length: fits.words.length, value: fits.value };
  }
}
