import type { ChangedRow } from "./batches.ts";
import type { FieldChange, FileKind } from "./kind.ts";

/** A field that rows of a file have changed: in how many, and the first of them. */
export type ChangedField = FieldChange & { kind: FileKind; rows: number; line: number };

/** Counts what was changed, field by field. */
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
