/**
 * Work on very many things in short steps: between two of them it yields, so that who does it can let others have their
 * turn.
 */
export type Steps<Made> = Generator<undefined, Made>;

/** Items that a step takes. */
const ITEMS = 500;

/** What steps make, without a break. */
export function runSteps<Made>(steps: Steps<Made>): Made {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
  }
}

/** Visits each item. */
export function* forEachInSteps<T>(items: readonly T[], visit: (item: T) => void): Steps<void> {
  for (let at = 0; at < items.length; at++) {
    if (at > 0 && at % ITEMS === 0) yield;
    visit(items[at]!);
  }
}

/** What is made of each item. */
export function* mapInSteps<T, Made>(items: readonly T[], make: (item: T) => Made): Steps<Made[]> {
  const made: Made[] = [];
  yield* forEachInSteps(items, (item) => {
    made.push(make(item));
  });
  return made;
}

/** As `toSorted`: equals stay as they stand. */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += ITEMS) {
    runs.push(items.slice(from, from + ITEMS).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergedInSteps(runs[at]!, runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedInSteps<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (a: T, b: T) => number,
): Steps<T[]> {
  const merged: T[] = [];
  let [a, b] = [0, 0];
  while (a < first.length || b < second.length) {
    const isOfFirst = b === second.length || (a < first.length && compare(first[a]!, second[b]!) <= 0);
    merged.push(isOfFirst ? first[a++]! : second[b++]!);
    if (merged.length % ITEMS === 0) yield;
  }
  return merged;
}
