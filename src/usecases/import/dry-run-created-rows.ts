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
  readonly #lines = new Map<string, number>();

  add(rows: readonly CreatedRow[]): void {
    for (const { id, line } of rows) this.#lines.set(id, line);
  }

  /** Returns a text with the rows in place of the IDs. */
  named(text: string): string {
    return text.replace(ID, (id) => (this.#lines.has(id) ? `in row ${this.#lines.get(id)}` : id));
  }

  sameAddress({ line, propertyId, firstId }: SameAddress & { line: number }): NamedSameAddress {
    const idOf = (id: string) => (this.#lines.has(id) ? null : id);
    return {
      ...{ line, propertyId: idOf(propertyId), firstId: idOf(firstId) },
      firstLine: this.#lines.get(firstId) ?? null,
    };
  }
}
