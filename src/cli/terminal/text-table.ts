/** Formats rows as aligned columns under their headings. */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  const lines = [headings, ...rows.map((row) => row.map((cell) => (cell === null ? "-" : String(cell))))];
  const widths = headings.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Formats a record as lines of a name and its value. */
export function textRecord(record: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  const shown = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}  ${value === null ? "-" : shown(value)}`)
    .join("\n");
}
