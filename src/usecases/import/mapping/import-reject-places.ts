import { basename } from "node:path";
import type { RowPlace } from "../dry-run-created-rows.ts";
import type { RejectedRow, RejectedRows, RejectReason } from "../import-rejects.ts";
import type { MappedTable } from "./prepare-import-rows.ts";

/* Rejected rows of files of any form, in terms of the files that people have: their sheets, rows and columns. */

/** The last cell of a prepared row: its original file and row, `FILE:12`, `FILE:12#2`. */
const ORIGINAL = /^(.*):(\d+)(?:#\d+)?$/s;

/** Returns the name of the original file of a prepared row, and the number of the row in it. */
export function originalRowOfReject({ cells }: Pick<RejectedRow, "cells">): RowPlace {
  const [, file, line] = ORIGINAL.exec(cells.at(-1)!)!;
  return { file: file!, line: Number(line) };
}

/** Returns the rejected rows of a prepared file with the places of the originals. */
export function rejectsWithOriginalPlaces(
  rejects: RejectedRows,
  mapped: readonly MappedTable[],
): RejectedRows {
  const reasons = rejects.reasons.map((reason) => placed(reason, mapped));
  const [first = reasons[0]] = reasons.filter(({ error }) => error === rejects.first.error);
  const files = [...new Set(mapped.map(({ table }) => table.name))];
  return {
    ...rejects,
    file: files.length === 1 ? files[0]! : rejects.kind.replaceAll("_", " "),
    first: first ? { line: first.firstLine, error: first.error } : rejects.first,
    reasons,
  };
}

function placed(reason: RejectReason, mapped: readonly MappedTable[]): RejectReason {
  const [, name, line] = ORIGINAL.exec(reason.firstCell) ?? [];
  const found = mapped.find(({ table }) => table.name === name);
  if (!found) return reason;
  const { table, mapping } = found;
  const error = table.form ? reason.error : withColumns(reason.error, mapping.fields);
  return { ...reason, error, firstLine: Number(line), place: `${basename(table.name)}, row ${line}` };
}

/** Names the column beside each field at the beginning of a clause. */
const withColumns = (error: string, fields: Readonly<Record<string, string>>): string =>
  error.replaceAll(/(^|; )([a-z_]+)(?= )/g, (clause, before: string, field: string) => {
    const column = Object.hasOwn(fields, field) ? fields[field] : undefined;
    return column === undefined || column === field
      ? clause
      : `${before}${field} (column ${JSON.stringify(column.slice(0, 60))})`;
  });
