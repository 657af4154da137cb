import type { ChangedRow } from "./import-batches.ts";
import type { FieldChange, FileKind } from "./import-row-kind.ts";

/** A field changed by rows of a file, with their number and the first of them. */
export type ChangedField = FieldChange & { kind: FileKind; rows: number; line: number };

/** Counts changes field by field. */
export class ChangeLog {
  readonly #fields = new Map<string, ChangedField>();

  add(kind: FileKind, rows: readonly ChangedRow[]): void {
    for (const { line, fields } of rows)
      for (const change of fields) {
        const key = `${kind} ${change.field}`;
        const known = this.#fields.get(key);
        if (known) known.rows++;
        else this.#fields.set(key, { ...change, kind, rows: 1, line });
      }
  }

  summary = (): ChangedField[] => [...this.#fields.values()];
}
