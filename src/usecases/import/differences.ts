import type { Cells, FieldChange } from "./kind.ts";

/** What of a row differs from what is there: as a change to make, and field by field in the words of the file. */
export type Differences<Change> = { change: Change; fields: FieldChange[] };

/** How a kind of row is compared: its fields that may change, how one comes in, and how all are written. */
export type Comparison<Record, Change> = {
  fields: readonly string[];
  read: (cells: Cells) => Change;
  view: (record: Record) => object;
};

/** Compares a row with what is there. Empty cells say nothing: they are not among `cells`. */
export function differences<Record extends object, Change extends object>(
  { fields, read, view }: Comparison<Record, Change>,
  cells: Cells,
  before: Record,
): Differences<Change> {
  const change = {} as Change;
  const differing = fields.filter((field) => {
    if (cells[field] === undefined) return false;
    const wanted = Object.entries(read({ [field]: cells[field] })).filter(
      ([key, value]) => (before as { [key: string]: unknown })[key] !== value,
    );
    Object.assign(change, Object.fromEntries(wanted));
    return wanted.length > 0;
  });
  if (differing.length === 0) return { change, fields: [] };
  const [from, to] = [view(before), view({ ...before, ...change })] as { [field: string]: unknown }[];
  return { change, fields: differing.map((field) => ({ field, from: from![field], to: to![field] })) };
}
