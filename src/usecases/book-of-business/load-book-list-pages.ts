import type { StoredRowRange } from "../../store/stored-row-range.ts";

/** A list of a concatenation, with its length. */
type Counted = { count: number };

/** The part of a page that is of one list. */
type ListPart<List> = StoredRowRange & { list: List; isWhole: boolean };

/**
 * Returns the parts of lists that a page of their concatenation consists of. At most the first and the last are not whole.
 * @example
 * loadBookListPartsOfPage([{ count: 3 }, { count: 2 }, { count: 9 }], { limit: 4, offset: 2 })
 * // the last of the first list, both of the second, and the first of the third
 */
export function loadBookListPartsOfPage<List extends Counted>(
  lists: readonly List[],
  { limit, offset }: StoredRowRange,
): ListPart<List>[] {
  const parts: ListPart<List>[] = [];
  let [skip, left] = [offset, limit];
  for (const list of lists) {
    if (left === 0) break;
    const skipped = Math.min(skip, list.count);
    const taken = Math.min(list.count - skipped, left);
    if (taken > 0) parts.push({ list, limit: taken, offset: skipped, isWhole: taken === list.count });
    skip -= skipped;
    left -= taken;
  }
  return parts;
}
