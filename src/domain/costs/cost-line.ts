import type { Day } from "../time.ts";

/** A line of a partner's cost book. */
export type CostLine = {
  typeId: string;
  /** Null for the whole unit. */
  componentDefId: string | null;
  /** USPS abbreviation; null for all states. */
  state: string | null;
  /** The cost of a planned replacement; null leaves it to less particular lines, or in proportion to the other cost. */
  plannedCents: number | null;
  /** `own`: everything that a failure is expected to cost. `history`: the bill of the replacement, damage aside. */
  failedCents: number | null;
  /** The size that the costs are for, in the type's unit; null for any size. */
  size: number | null;
  asOf: Day;
  source: "own" | "history";
};

/** A cost that a partner states, in whole cents, brought to the size of the appliance. */
export type StatedCost = {
  cents: number;
  source: CostLine["source"];
  /** The size that it was stated for; null for any. */
  lineSize: number | null;
  bySize: number;
};

/** The costs that a partner states for a part; null where it states none. */
export type StatedCosts = { planned: StatedCost | null; failed: StatedCost | null };

const NOTHING_STATED: StatedCosts = { planned: null, failed: null };

/** An appliance's state and size, and how costs of its type follow the size. */
type Place = { state: string; size: number | null; exponent: number };

/** The lines of a partner's cost book by the part that they price. */
export class CostLines {
  readonly #byPart = new Map<string, CostLine[]>();

  /** The later one applies of two lines that are equally particular. */
  constructor(lines: readonly CostLine[]) {
    for (const line of lines) {
      const key = keyOf(line.typeId, line.componentDefId);
      const some = this.#byPart.get(key);
      if (some) some.push(line);
      else this.#byPart.set(key, [line]);
    }
  }

  /** Returns the costs that the most specific lines state for a component; `defId` null is the whole unit. */
  of(typeId: string, defId: string | null, place: Place): StatedCosts {
    const lines = this.#byPart.get(keyOf(typeId, defId));
    if (!lines) return NOTHING_STATED;
    const here = lines.filter(({ state }) => state === null || state === place.state);
    return {
      planned: mostParticular(here, "plannedCents", place),
      failed: mostParticular(here, "failedCents", place),
    };
  }
}

const keyOf = (typeId: string, defId: string | null) => `${typeId} ${defId ?? ""}`;

function mostParticular(
  lines: readonly CostLine[],
  column: "plannedCents" | "failedCents",
  { size, exponent }: Place,
): StatedCost | null {
  let best: CostLine | null = null;
  for (const line of lines)
    if (line[column] !== null && (best === null || !isBefore(best, line, size))) best = line;
  if (best === null) return null;
  const bySize = best.size === null || size === null ? 1 : (size / best.size) ** exponent;
  const cents = Math.min(Math.round(best[column]! * bySize), MOST_CENTS);
  return { cents, source: best.source, lineSize: best.size, bySize };
}

/** The most that a stated cost comes to once it is brought to a size, $1 billion, so that sums of money stay exact. */
const MOST_CENTS = 100_000_000_000;

/** Returns whether `line` applies rather than `later`, which follows it in the book. */
function isBefore(line: CostLine, later: CostLine, size: number | null): boolean {
  if (line.source !== later.source) return line.source === "own";
  if ((line.state === null) !== (later.state === null)) return line.state !== null;
  const distance = sizeDistance(line, size) - sizeDistance(later, size);
  if (distance !== 0) return distance < 0;
  return line.asOf > later.asOf;
}

/** The line of the nearest size is the most specific; where the size is unknown, a line for any size is. */
function sizeDistance(line: CostLine, size: number | null): number {
  if (line.size === null) return size === null ? 0 : Number.MAX_VALUE;
  return size === null ? 1 : Math.abs(Math.log(size / line.size));
}
