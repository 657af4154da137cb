import { finished, inSteps, type Steps } from "../domain/steps.ts";

/** Things that are alike, in the order of the first of each. */
export const groupedBy = <T>(items: readonly T[], keyOf: (item: T) => string): T[][] =>
  finished(groupedInSteps(items, keyOf));

/** The same of very many. */
export function* groupedInSteps<T>(items: readonly T[], keyOf: (item: T) => string): Steps<T[][]> {
  const groups = new Map<string, T[]>();
  yield* inSteps(items, (item) => {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  });
  return [...groups.values()];
}

/** Parts of one kind: the same definition in the same type of appliance. */
export const kindOf = (part: { component_def_id: string; appliance_type: string }) =>
  `${part.appliance_type} ${part.component_def_id}`;

/** Parts of one kind in one tier: what is said of one of them is said of all. */
export const kindInTier = (part: { component_def_id: string; appliance_type: string; risk_tier: string }) =>
  `${kindOf(part)} ${part.risk_tier}`;

export const sumOf = <T>(items: readonly T[], amountOf: (item: T) => number): number =>
  items.reduce((sum, item) => sum + amountOf(item), 0);

/** Of numbers of any count: more than a function takes arguments. */
export const leastOf = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.min(a, b), Infinity);
export const mostOf = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);

/** `2028`, `2028–2030` of the least and the most of some numbers. */
export function spanOf(numbers: readonly number[], write: (value: number) => string = String): string {
  const [least, most] = [write(leastOf(numbers)), write(mostOf(numbers))];
  return least === most ? least : `${least}–${most}`;
}
