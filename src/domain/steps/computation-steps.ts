/** A long computation in short steps. It yields between them, so that its caller can yield to the event loop. */
export type Steps<Result> = Generator<undefined, Result>;

/** Items processed in one step. */
const ITEMS_PER_STEP = 500;

/** Returns a short computation as steps. */
export function* inOneStep<Result>(compute: () => Result): Steps<Result> {
  yield;
  return compute();
}

/** Runs steps to the end without a break, and returns their result. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
  }
}

/** Calls `visit` for each item. */
export function* forEachInSteps<T>(items: readonly T[], visit: (item: T) => void): Steps<void> {
  for (let at = 0; at < items.length; at++) {
    if (at > 0 && at % ITEMS_PER_STEP === 0) yield;
    visit(items[at]!);
  }
}

/** Returns the result of `map` for each item. */
export function* mapInSteps<T, Mapped>(items: readonly T[], map: (item: T) => Mapped): Steps<Mapped[]> {
  const mapped: Mapped[] = [];
  yield* forEachInSteps(items, (item) => {
    mapped.push(map(item));
  });
  return mapped;
}

/** Sorts as `toSorted` does: stable, into a new array. */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += ITEMS_PER_STEP) {
    runs.push(items.slice(from, from + ITEMS_PER_STEP).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergeInSteps(runs[at]!, runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeInSteps<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (a: T, b: T) => number,
): Steps<T[]> {
  const merged: T[] = [];
  let [a, b] = [0, 0];
  while (a < first.length || b < second.length) {
    const isOfFirst = b === second.length || (a < first.length && compare(first[a]!, second[b]!) <= 0);
    merged.push(isOfFirst ? first[a++]! : second[b++]!);
    if (merged.length % ITEMS_PER_STEP === 0) yield;
  }
  return merged;
}
