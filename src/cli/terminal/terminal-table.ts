/** The widths of a command's output. */
export type OutputWidths = {
  /** The width of texts: that of the terminal in characters, or a usual one. */
  columns: number;
  /** The width of tables: that of the terminal, or unlimited where nothing is left out, as in a file or a pipe. */
  tableWidth: number;
};

/** A column of a table that fits the width of the terminal. */
export type TerminalColumn = {
  heading: string;
  /** Right-aligned, for numbers. */
  align?: "right";
  /** The minimum terminal width at which the column is shown. Infinity: it does not apply, and is never shown. */
  from?: number;
  /** True if the text may be shortened when the line is too long. */
  shrinks?: boolean;
  /** True for a last column whose text continues on the next line when it is too long. */
  wraps?: boolean;
};

type Cell = string | number | null;

const GAP = 2;
const SHORTEST = 8;
/** The width of a text that continues on the next line, while other columns can still be shortened. */
const NARROW_TEXT = 30;
const NARROWEST_TEXT = 12;

/**
 * Formats rows as lines of at most `width` characters, if omitting columns, shortening and wrapping text suffice. A
 * column without properties is given by its heading; null is shown as a dash.
 */
export function terminalTable(
  columns: readonly (string | TerminalColumn)[],
  rows: readonly (readonly Cell[])[],
  width: number,
): string {
  const described = columns.map(
    (column): TerminalColumn => (typeof column === "string" ? { heading: column } : column),
  );
  const shown = described.flatMap((column, index) => {
    const { from = 0 } = column;
    return from <= width && Number.isFinite(from) ? [{ ...column, index }] : [];
  });
  const lines = [described.map(({ heading }) => heading), ...rows.map((row) => row.map(cellText))];
  const widths = shown.map(({ index }) =>
    lines.reduce((widest, line) => Math.max(widest, line[index]!.length), 0),
  );
  const tooLong = () => widths.reduce((sum, width) => sum + width + GAP, -GAP) - width;
  const shorten = (kind: "wraps" | "shrinks", least: number) => {
    const columns = [...shown.keys()].filter((at) => shown[at]![kind]);
    let left = columns.reduce((sum, at) => sum + widths[at]!, 0) - Math.max(0, tooLong());
    // Shares the width evenly, except that no column gets more than its text needs.
    for (const [done, at] of columns.toSorted((a, b) => widths[a]! - widths[b]!).entries()) {
      widths[at] = Math.min(widths[at]!, Math.max(least, Math.floor(left / (columns.length - done))));
      left -= widths[at]!;
    }
  };
  shorten("wraps", NARROW_TEXT);
  shorten("shrinks", SHORTEST);
  shorten("wraps", NARROWEST_TEXT);
  return lines
    .map((line) => {
      const cells = shown.map(({ index, align, wraps }, at) => {
        if (wraps) return "";
        const cell = shortened(line[index]!, widths[at]!);
        return align === "right" ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!);
      });
      const text = cells.join(" ".repeat(GAP));
      return (shown.at(-1)!.wraps ? wrapTerminalText(line.at(-1)!, width, text) : text).trimEnd();
    })
    .join("\n");
}

const cellText = (cell: Cell) => (cell === null ? "-" : String(cell));

const shortened = (text: string, width: number) =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`;

/** Formats a record as lines of a label and its value. */
export function terminalLabeledLines(
  record: readonly (readonly [label: string, value: Cell])[],
  width: number,
): string {
  const labels = Math.max(...record.map(([label]) => label.length));
  return record
    .map(([label, value]) => wrapTerminalText(cellText(value), width, label.padEnd(labels + GAP)).trimEnd())
    .join("\n");
}

/** Wraps text to lines of at most `width` characters. `mark` precedes the first line; the others are indented by its length. */
export function wrapTerminalText(text: string, width: number, mark = ""): string {
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
