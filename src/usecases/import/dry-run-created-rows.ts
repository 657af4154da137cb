import { basename } from "node:path";
import type { SameAddress } from "./import-row-kind.ts";

/** An ID, with the slash before it in a path. */
const ID = /(\/?)\b([A-Z]+_[0-9a-z]{26})\b/g;

/** A row as people know it: the name of its file, and its line or row in it. */
export type RowPlace = { file: string; line: number };

export type CreatedRow = RowPlace & { id: string };

/** A property with the address of another one, as a dry run or an import reports it. */
export type NamedSameAddress = {
  line: number;
  /** Null for one that a dry run would create. */
  propertyId: string | null;
  /** Null for one that a dry run would create, in the row `firstLine`. */
  firstId: string | null;
  firstLine: number | null;
};

/** Names the rows that make records in a dry run, in place of the IDs of the records, which it does not leave. */
export class DryRunCreatedRows {
  readonly #places = new Map<string, RowPlace>();

  /** `word` is the word for the number of a place. */
  constructor(private readonly word: "line" | "row") {}

  add(rows: readonly CreatedRow[]): void {
    for (const { id, file, line } of rows) this.#places.set(id, { file, line });
  }

  /** Returns a text about a row of `file` with the rows in place of the IDs. */
  named(text: string, file: string): string {
    return text.replace(ID, (written, slash: string, id: string) => {
      const place = this.#places.get(id);
      if (!place) return written;
      if (slash) return "/{id}";
      const of = place.file === file ? "" : ` of ${basename(place.file)}`;
      return `in ${this.word} ${place.line}${of}`;
    });
  }

  sameAddress({ line, propertyId, firstId }: SameAddress & { line: number }): NamedSameAddress {
    const idOf = (id: string) => (this.#places.has(id) ? null : id);
    return {
      line,
      propertyId: idOf(propertyId),
      firstId: idOf(firstId),
      firstLine: this.#places.get(firstId)?.line ?? null,
    };
  }
}
