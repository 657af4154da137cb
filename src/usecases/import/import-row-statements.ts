import type { RowCells } from "./import-row-kind.ts";

/** The details that a row states of its record; null for one that it does not state. */
export type RowStatement = Readonly<Record<string, number | string | null>>;

/** Returns what cells state. */
export const importRowStatement = (cells: RowCells): RowStatement =>
  Object.fromEntries(Object.entries(cells).map(([field, value]) => [field, value ?? null]));

/** A detail that two rows of an import state differently. */
export type RowContradiction = { field: string; from: number | string; to: number | string };

/** The most records whose rows are kept: some 100 MB. */
const MOST_RECORDS = 400_000;

/**
 * The statements of an import's rows by the ID of the record that they create or match. A further row of a record would be
 * left out as unchanged, also where it means another record, such as by a mistyped reference.
 */
export class ImportRowStatements {
  readonly #committed = new Map<string, RowStatement>();

  /** Returns the statements of the committed rows and of those of one transaction. */
  begin(): BatchRowStatements {
    return new BatchRowStatements(this.#committed);
  }
}

export class BatchRowStatements {
  readonly #own = new Map<string, RowStatement>();

  constructor(private readonly earlier: Map<string, RowStatement>) {}

  /** Returns how a row contradicts the earlier rows of a record; adds its statement if it does not. */
  contradictions(id: string, row: RowStatement): RowContradiction[] {
    const known = this.#own.get(id) ?? this.earlier.get(id);
    const found: RowContradiction[] = [];
    const all: Record<string, number | string | null> = { ...row };
    for (const [field, to] of Object.entries(row)) {
      const from = known?.[field] ?? null;
      if (from !== null && to !== null && from !== to) found.push({ field, from, to });
      all[field] = from ?? to;
    }
    if (found.length === 0) this.#own.set(id, all);
    return found;
  }

  committed(): void {
    for (const [id, row] of this.#own) {
      const [first] = this.earlier.size < MOST_RECORDS ? [] : this.earlier.keys();
      if (first !== undefined) this.earlier.delete(first);
      this.earlier.set(id, row);
    }
  }
}
