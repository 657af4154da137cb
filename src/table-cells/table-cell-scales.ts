/** Reads the scale of a condition score in one cell, such as `1-5`. Returns an empty list for any other text. */
export function parseTableCellConditionScale(text: string): readonly number[] {
  const between = /^\[?(-?\d+(?:\.\d+)?) ?(?:-|–|to|,|;|\/| ) ?(-?\d+(?:\.\d+)?)\]?$/.exec(
    text.slice(0, 64).trim(),
  );
  return between === null ? [] : [Number(between[1]), Number(between[2])];
}
