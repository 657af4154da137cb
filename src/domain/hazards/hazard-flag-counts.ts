/** The number of appliances with a flag of a code, and for a portfolio the number of their properties. */
export type HazardFlagCount = { code: string; known: number; suspected: number; properties: number };

const NONE = { known: 0, suspected: 0, properties: 0 };

/** Adds the numbers of a flag to those of its code in `counts`, in place. */
export function addHazardFlagCount(
  counts: Map<string, HazardFlagCount>,
  { code, known, suspected, properties }: HazardFlagCount,
): void {
  const before = counts.get(code) ?? NONE;
  counts.set(code, {
    code,
    known: before.known + known,
    suspected: before.suspected + suspected,
    properties: before.properties + properties,
  });
}

/** Returns counts less those of some of their properties. */
export function subtractHazardFlagCounts(
  all: readonly HazardFlagCount[],
  some: readonly HazardFlagCount[],
): HazardFlagCount[] {
  const taken = new Map(some.map((count) => [count.code, count]));
  return all.map(({ code, known, suspected, properties }) => {
    const less = taken.get(code) ?? { known: 0, suspected: 0, properties: 0 };
    return {
      code,
      known: known - less.known,
      suspected: suspected - less.suspected,
      properties: properties - less.properties,
    };
  });
}
