import { IMPORT_FIELDS } from "../import-portfolio.ts";
import { headingWords, isImportFieldHeading } from "./import-heading-words.ts";

/* Files of people have titles above their headings, and groups of headings in a row of their own. */

/** Rows among which the headings are. */
export const FIRST_ROWS = 20;
/** The fewest known headings by which a row below the first is that of the headings. */
const FEWEST_KNOWN = 2;

const OWN_NAMES: ReadonlySet<string> = new Set(Object.values(IMPORT_FIELDS).flat().map(headingWords));

const isKnown = (heading: string): boolean => {
  const words = headingWords(heading);
  return OWN_NAMES.has(words) || isImportFieldHeading(words);
};

/** Returns how many of the cells are headings of known fields, less those that are there twice. */
export function importHeadingRowScore(cells: readonly string[]): number {
  const given = cells
    .slice(0, 1_000)
    .map((cell) => cell.trim())
    .filter(Boolean);
  const distinct = new Set(given.map(headingWords));
  return [...distinct].filter(isKnown).length - (given.length - distinct.size);
}

type Found = {
  headings: string[];
  /** The index of the row of the headings, the last of them. */
  above: number;
  note: string[];
};

/** Finds the row of the headings: the first, unless it is mostly unknown and one below has more known headings. */
export function findImportHeadingRow(rows: readonly (readonly string[])[]): Found {
  const [first = []] = rows;
  const isMostlyKnown = importHeadingRowScore(first) * 2 >= first.filter((cell) => cell.trim() !== "").length;
  let best: Found & { score: number } = {
    headings: first.map((cell) => cell.trim()),
    above: 0,
    note: [],
    score: Math.max(importHeadingRowScore(first), FEWEST_KNOWN - 1),
  };
  for (const [at, row] of rows.entries()) {
    if (isMostlyKnown) break;
    if (!isTexts(row)) continue;
    const cells = row.map((cell) => cell.trim());
    const groups = at > 0 && isGrouped(rows[at - 1]!) ? rows[at - 1]! : undefined;
    const candidates = [{ headings: cells, note: aboveNote(at) }];
    if (groups)
      candidates.push({
        headings: grouped(groups, cells),
        note: [...aboveNote(at - 1), "two rows of headings"],
      });
    for (const { headings, note } of candidates) {
      const score = importHeadingRowScore(headings);
      if (score > best.score) best = { headings, above: at, note, score };
    }
  }
  return best;
}

const aboveNote = (rows: number) =>
  rows === 0
    ? []
    : [
        rows === 1
          ? "the row above the headings is not read"
          : `${rows} rows above the headings are not read`,
      ];

/** A row of headings has no numbers or dates. */
const isTexts = (row: readonly string[]): boolean =>
  row.every((cell) => !/^[\s$€£(-]*\d[\d\s.,:/%-]*\)?$/.test(cell.slice(0, 50)));

/** A row of groups has blank cells, into which its headings reach. */
const isGrouped = (row: readonly string[]): boolean => {
  const filled = row.filter((cell) => cell.trim() !== "").length;
  return filled >= 2 && filled < row.length;
};

/** Puts the groups before the headings that need them: those that are unknown on their own, or there twice. */
function grouped(groups: readonly string[], cells: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const cell of cells) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  let group = "";
  return Array.from({ length: Math.max(groups.length, cells.length) }, (_, at) => {
    const own = (groups[at] ?? "").trim();
    if (own !== "") group = own;
    const cell = cells[at] ?? "";
    if (cell === "") return own;
    return counts.get(cell) === 1 && isKnown(cell) ? cell : `${group} ${cell}`.trim();
  });
}
