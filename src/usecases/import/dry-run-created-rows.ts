import type { SameAddress } from "./row-kind.ts";

const ID = /\b[A-Z]+_[0-9a-z]{26}\b/g;

export type CreatedRow = { id: string; line: number };

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
  readonly #places = new Map<string, { line: number; file: string }>();

  /** With `isOneTable`, the lines of all files are rows of one table. */
  constructor(private readonly isOneTable: boolean) {}

  add(rows: readonly CreatedRow[], file: string): void {
    for (const { id, line } of rows) this.#places.set(id, { line, file });
  }

  /** Returns a text about a row of `file` with the rows in place of the IDs. */
  named(text: string, file: string): string {
    return text.replace(ID, (id) => {
      const place = this.#places.get(id);
      if (!place) return id;
      if (this.isOneTable) return `in row ${place.line}`;
      return place.file === file ? `in line ${place.line}` : `in line ${place.line} of ${place.file}`;
    });
  }

  sameAddress({ line, propertyId, firstId }: SameAddress & { line: number }): NamedSameAddress {
    const idOf = (id: string) => (this.#places.has(id) ? null : id);
    return {
      ...{ line, propertyId: idOf(propertyId), firstId: idOf(firstId) },
      firstLine: this.#places.get(firstId)?.line ?? null,
    };
  }
}
