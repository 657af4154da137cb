import type { Form } from "./kit.ts";

/** What a cell of a table holds. */
export type Cell = string | number | boolean | null;

/**
 * The columns of a table of records, named as their fields are; a field of an object inside of a record becomes
 * `object_field`.
 */
export function tableColumns({ make }: Form<unknown>, prefix = ""): string[] {
  if (make.kind !== "record") return [prefix.slice(0, -1)];
  return Object.entries(make.fields).flatMap(([name, field]) => tableColumns(field, `${prefix}${name}_`));
}

/** A record's cells in the order of those columns. */
export function tableCells({ make }: Form<unknown>, value: unknown): Cell[] {
  if (make.kind !== "record") return [(value ?? null) as Cell];
  return Object.entries(make.fields).flatMap(([name, field]) =>
    tableCells(field, (value as Record<string, unknown> | null)?.[name]),
  );
}
