import type { RejectedRows, RejectReason } from "../../usecases/import/import-rejects.ts";

/** Formats the rejected rows of a file with their most frequent reasons. */
export function terminalRejectedRowsText({ file, rows, path, reasons, otherRows }: RejectedRows): string {
  const where = path === null ? "" : ` (written to ${path})`;
  const shown = reasons.slice(0, REASONS_SHOWN);
  const others = reasons.slice(REASONS_SHOWN).reduce((sum, reason) => sum + reason.rows, otherRows);
  return [
    `${file}: ${rows} ${rows === 1 ? "row" : "rows"} rejected${where}`,
    ...shown.map((reason) => `  ${reasonText(reason)}`),
    ...(others > 0 ? [`  ${others} more rows rejected for other reasons`] : []),
  ].join("\n");
}

/** The maximum number of reasons shown per file. The file of rejected rows has all of them. */
const REASONS_SHOWN = 3;

function reasonText({ error: given, rows, firstLine, place = `line ${firstLine}` }: RejectReason): string {
  // A quoted cell may contain line ends, and so lines that look like the command's own.
  const error = given.replaceAll(/\s+/g, " ");
  if (rows === 1) return `${place}: ${error}`;
  const [, absent, other] =
    /^(\w+)(?: \(column "[^"]*"\))? is required(?: where the property has no (\w+))?$/.exec(error) ?? [];
  const remedies = [
    "Fix the rows",
    `pass --default ${absent}=VALUE`,
    ...(other === undefined ? [] : [`import ${other} of the properties with --update`]),
  ];
  const remedy =
    absent === undefined ? "" : `. ${new Intl.ListFormat("en-US", { type: "disjunction" }).format(remedies)}`;
  return `${rows} rows (first: ${place}): ${error}${remedy}`;
}

/** Returns the rejected rows of a file as the JSON of a command has them. */
export const terminalRejectsRecord = ({
  kind,
  file,
  rows,
  path,
  first,
  reasons,
  otherRows,
}: RejectedRows) => ({
  kind,
  file,
  rows,
  path,
  first,
  reasons: reasons.map(({ error, rows, firstLine }) => ({ error, rows, first_line: firstLine })),
  other_rows: otherRows,
});
