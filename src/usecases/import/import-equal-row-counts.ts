import { invalid } from "../../domain/errors.ts";

/** The most keys in the text of a response: those of the rows that were counted last. */
const MOST_CONTINUED = 20_000;
const KEY_LENGTH = 12;
const PAIR = new RegExp(`^[\\w-]{${KEY_LENGTH}}[1-9]\\d{0,6}$`);

/**
 * Counts the rows of a file by what tells them apart, so that the third of equal rows means a third record. As a text, the
 * counts of some rows of a file are those with which the next ones begin; the same rows with the same counts mean the same
 * records again.
 */
export class EqualRowCounts {
  /** By key, those counted last at the end. */
  readonly #rows: Map<string, number>;

  private constructor(rows: Map<string, number>) {
    this.#rows = rows;
  }

  static none(): EqualRowCounts {
    return new EqualRowCounts(new Map());
  }

  /** Reads counts from a text; undefined for any other text, or one of more than `mostKeys`. */
  static parse(text: string, mostKeys = Number.POSITIVE_INFINITY): EqualRowCounts | undefined {
    const pairs = text === "" ? [] : text.split(" ");
    if (pairs.length > mostKeys || !pairs.every((pair) => PAIR.test(pair))) return undefined;
    return new EqualRowCounts(
      new Map(pairs.map((pair) => [pair.slice(0, KEY_LENGTH), Number(pair.slice(KEY_LENGTH))])),
    );
  }

  /** Returns the counts as a text of linear size, without those counted first if there are more than `mostKeys`. */
  text(mostKeys = this.#rows.size): string {
    const pairs = [...this.#rows].slice(Math.max(0, this.#rows.size - mostKeys));
    return pairs.map(([key, rows]) => `${key}${rows}`).join(" ");
  }

  copy(): EqualRowCounts {
    return new EqualRowCounts(new Map(this.#rows));
  }

  /** Returns the number of rows with the key so far. */
  of(key: string): number {
    return this.#rows.get(key) ?? 0;
  }

  set(key: string, rows: number): void {
    this.#rows.delete(key);
    this.#rows.set(key, rows);
  }
}

/** Returns a short key that is equal for equal values. */
export const importEqualRowKey = (...values: readonly (string | number | null)[]): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(values)).digest("base64url").slice(0, KEY_LENGTH);

/** The first word of a dry run's continuation: an import that began with it would create again what exists. */
const DRY_RUN = "check";

/** Returns the counts with which the next request of a file begins. */
export const formatImportContinuation = (counts: EqualRowCounts, isDryRun: boolean): string =>
  `${isDryRun ? `${DRY_RUN} ` : ""}${counts.text(MOST_CONTINUED)}`.trim();

/** Reads the counts with which a request begins; a dry run may continue an import. Throws invalid_request. */
export function parseImportContinuation(text: string, isDryRun: boolean): EqualRowCounts {
  const isOfDryRun = text === DRY_RUN || text.startsWith(`${DRY_RUN} `);
  const counts = EqualRowCounts.parse(isOfDryRun ? text.slice(DRY_RUN.length + 1) : text, MOST_CONTINUED);
  if (counts && (isDryRun || !isOfDryRun)) return counts;
  const message = counts
    ? "is that of a dry run: import the first rows of the file without one"
    : "must be the continuation of an earlier response";
  throw invalid(`continuation ${message}`, [{ field: "continuation", message }]);
}
