import type { SchemaType } from "./api-schema-type.ts";

/** The value of a cell in a CSV file or a workbook. */
export type Cell = string | number | boolean | null;

/**
 * Returns the columns of a table of records: one per field, by its name. The fields of a nested object become
 * `object_field`.
 */
export function apiSchemaTableColumns({ definition }: SchemaType<unknown>, prefix = ""): string[] {
  if (definition.kind !== "record") return [prefix.slice(0, -1)];
  return Object.entries(definition.fields).flatMap(([name, field]) =>
    apiSchemaTableColumns(field, `${prefix}${name}_`),
  );
}

/**
 * Returns the cells of a record in the order of `apiSchemaTableColumns`. A list is one cell with its items, separated by spaces;
 * a record among them is its first two fields, joined by a colon.
 */
export function apiSchemaTableCells({ definition }: SchemaType<unknown>, value: unknown): Cell[] {
  if (definition.kind === "list" && Array.isArray(value)) return [value.map(itemText).join(" ")];
  if (definition.kind !== "record") return [(value ?? null) as Cell];
  return Object.entries(definition.fields).flatMap(([name, field]) =>
    apiSchemaTableCells(field, (value as Record<string, unknown> | null)?.[name]),
  );
}

const itemText = (item: unknown) =>
  String(typeof item === "object" && item !== null ? Object.values(item).slice(0, 2).join(":") : item);
