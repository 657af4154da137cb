import { forEachInSteps, runSteps, type Steps } from "../../domain/steps/computation-steps.ts";

/** Groups items by key, in the order of the first item of each group. */
export const groupPageItems = <T>(items: readonly T[], keyOf: (item: T) => string): T[][] =>
  runSteps(groupPageRows(items, keyOf));

/** Groups items by key in steps, for lists that take long. */
export function* groupPageRows<T>(items: readonly T[], keyOf: (item: T) => string): Steps<T[][]> {
  const groups = new Map<string, T[]>();
  yield* forEachInSteps(items, (item) => {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  });
  return [...groups.values()];
}

export const sumPageItems = <T>(items: readonly T[], amountOf: (item: T) => number): number =>
  items.reduce((sum, item) => sum + amountOf(item), 0);

// Math.min(...numbers) fails with more numbers than a function takes arguments.
const minOf = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.min(a, b), Infinity);
const maxOf = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);

/** The range of some numbers: `2028–2030`, or `2028` if both ends read the same. */
export function pageTextOfRange(
  numbers: readonly number[],
  format: (value: number) => string = String,
): string {
  const [from, to] = [format(minOf(numbers)), format(maxOf(numbers))];
  return from === to ? from : `${from}–${to}`;
}
