import type { FieldChange, RowCells } from "./import-row-kind.ts";

/** The differences between a row and the stored record: as a change, and field by field in the file's terms. */
type Differences<Change> = { change: Change; fields: FieldChange[] };

/** The comparison of one kind of row: the fields that can change, and how they are read and written. */
export type Comparison<Record, Change> = {
  fields: readonly string[];
  read: (cells: RowCells) => Change;
  view: (record: Record) => object;
};

/** Compares a row with the stored record. Empty cells are not in `cells` and change nothing. */
export function compareRowWithRecord<Record extends object, Change extends object>(
  { fields, read, view }: Comparison<Record, Change>,
  cells: RowCells,
  before: Record,
): Differences<Change> {
  const change = {} as Change;
  const differing = fields.filter((field) => {
    if (cells[field] === undefined) return false;
    const wanted = Object.entries(read({ [field]: cells[field] })).filter(
      ([key, value]) => !Bun.deepEquals((before as { [key: string]: unknown })[key], value),
    );
    Object.assign(change, Object.fromEntries(wanted));
    return wanted.length > 0;
  });
  if (differing.length === 0) return { change, fields: [] };
  const [from, to] = [view(before), view({ ...before, ...change })] as { [field: string]: unknown }[];
  return { change, fields: differing.map((field) => ({ field, from: from![field], to: to![field] })) };
}
