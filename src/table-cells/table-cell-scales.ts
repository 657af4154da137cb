/** Reads the scale of a condition score in one cell, such as `1-5`. Returns an empty list for any other text. */
export function parseTableCellConditionScale(text: string): readonly number[] {
  const between = /^\[?(-?\d+(?:\.\d+)?) ?(?:-|–|to|,|;|\/| ) ?(-?\d+(?:\.\d+)?)\]?$/.exec(
    text.slice(0, 64).trim(),
  );
  return between === null ? [] : [Number(between[1]), Number(between[2])];
}

/** Returns whether a cell is a score that only a scale up to 10 has. */
export const isTableCellScoreAbove5 = (cell: string): boolean => Number(cell) > 5 && Number(cell) <= 10;
