/** A word of a note, with the clause and sentence it stands in. */
export type Word = {
  text: string;
  stem: string;
  /** Counts up; words of one clause share it. */
  clause: number;
  /** Whether only a comma, or its like, parts its clause from the one before. */
  afterComma: boolean;
};

/** What ends a clause beside punctuation: words such as "but", and "and" before one of these verbs. */
export type ClauseRules = { ends: ReadonlySet<string>; verbsAfterAnd: ReadonlySet<string> };

const TOKEN = /\d+\.\d+|[a-z0-9]+(?:'[a-z]+)?|[.;!?\n]|[,:()–—]| - /g;
const LAST_ITEM = /(?:\s+[\w'-]+){0,2}\s+n?or\s/y;
const ITEM = /(?:\s+[\w'-]+){1,2},/y;

/** The words of a note in lower case, without hyphens, each with its clause. Takes time in proportion to the note. */
export function readWords(notes: string, rules: ClauseRules): Word[] {
  const text = withoutListCommas(notes.toLowerCase().replaceAll("’", "'"));
  const tokens = text.match(TOKEN) ?? [];
  const words: Word[] = [];
  let clause = 0;
  let afterComma = false;
  for (const [i, token] of tokens.entries()) {
    if (!/[a-z0-9]/.test(token)) {
      const stop = /[.;!?\n]/.test(token);
      afterComma = !stop && (words.at(-1)?.clause === clause || afterComma);
      clause = words.length === 0 ? 0 : words.at(-1)!.clause + 1;
      continue;
    }
    const begins = rules.ends.has(token) || (token === "and" && leadsOn(tokens, i, rules));
    if (begins) {
      clause++;
      afterComma = false;
    }
    words.push({ text: token, stem: stem(token), clause, afterComma });
  }
  return words;
}

/**
 * A text without the commas of "leaks, rust, or noise": such a list is one clause. From the last comma to the first, since
 * a comma that leads to another of a list is of that list itself.
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

/** Where the comma of the item stands that begins there; undefined where none does. */
const endOfItem = (text: string, at: number) => (matchesAt(ITEM, text, at) ? ITEM.lastIndex - 1 : undefined);

/** Whether "and" leads to a verb, and so to a new statement: "no noise and leaking", but not "no knocking and banging". */
function leadsOn(tokens: readonly string[], and: number, rules: ClauseRules): boolean {
  const next = tokens[and + 1] ?? "";
  if (rules.verbsAfterAnd.has(next)) return true;
  return /(?:ing|ed)$/.test(next) && !/(?:ing|ed)$/.test(tokens[and - 1] ?? "");
}

/** A word without its simple endings: leaks, leaked and leaking are leak; dripping is drip. */
export function stem(word: string): string {
  let base = word;
  for (const ending of ["ing", "ed", "es", "s"]) {
    const rest = word.slice(0, -ending.length);
    if (!word.endsWith(ending) || rest.length < 3 || !/[aeiouy]/.test(rest)) continue;
    if (ending === "s" && /[sui]$/.test(rest)) continue; // glass, status, axis
    base = rest;
    break;
  }
  // Both sides are cut alike, so it does not matter that "scale" becomes "scal" and "smell" "smel".
  return base.replace(/e$/, "").replace(/([^aeiou])\1$/, "$1");
}

/** Phrases by their first word, longest first, so that the longest that fits is found. */
export class PhraseBook<T> {
  readonly #byFirst = new Map<string, { words: string[]; value: T }[]>();
  /** Words of the longest phrase. */
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

  /** The longest phrase that begins at `start` and lies within one clause. */
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
