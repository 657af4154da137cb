/** A column of a table that fits the width of the terminal. */
export type Column = {
  heading: string;
  /** Right-aligned, for numbers. */
  align?: "right";
  /** The minimum terminal width at which the column is shown. */
  from?: number;
  /** True if the text may be shortened when the line is too long. */
  shrinks?: boolean;
};

const GAP = 2;
const SHORTEST = 8;

/** Formats rows as lines of at most `width` characters, if omitting columns and shortening text suffice. */
export function fittedTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string {
  const shown = columns.flatMap((column, index) =>
    (column.from ?? 0) <= width ? [{ ...column, index }] : [],
  );
  const lines = [columns.map(({ heading }) => heading), ...rows];
  const widths = shown.map(({ index }) => Math.max(...lines.map((line) => line[index]!.length)));
  const tooLong = () => widths.reduce((sum, width) => sum + width + GAP, -GAP) - width;
  for (const [at, { shrinks }] of shown.entries())
    if (shrinks) widths[at] = Math.max(SHORTEST, widths[at]! - Math.max(0, tooLong()));
  return lines
    .map((line) =>
      shown
        .map(({ index, align }, at) => {
          const cell = shortened(line[index]!, widths[at]!);
          return align === "right" ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!);
        })
        .join(" ".repeat(GAP))
        .trimEnd(),
    )
    .join("\n");
}

const shortened = (text: string, width: number) =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`;

/** Wraps text to lines of at most `width` characters. `mark` precedes the first line; the others are indented by its length. */
export function wrapped(text: string, width: number, mark = ""): string {
  const lines: string[] = [];
  let line = mark;
  for (const word of text.split(" ")) {
    const isEmpty = line === mark || line.trim() === "";
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${" ".repeat(mark.length)}${word}`;
    } else line += isEmpty ? word : ` ${word}`;
  }
  return [...lines, line].join("\n");
}
