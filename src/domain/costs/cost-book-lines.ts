import type { Instant } from "../time.ts";
import type { CostLine } from "./cost-line.ts";

/** A line as it is stored. */
export type StoredCostLine = CostLine & { id: string; createdAt: Instant };

/** The most lines of a cost book: far more than the kinds of components and appliances, in a few states each. */
export const MOST_COST_LINES = 2_000;

type Scope = Pick<CostLine, "typeId" | "componentDefId" | "state" | "size" | "source">;

/** Returns a key of what a line applies to. Two lines with the same one overlap. */
export const costLineScopeKey = ({ typeId, componentDefId, state, size, source }: Scope): string =>
  [typeId, componentDefId ?? "", state ?? "", size ?? "", source].join(" ");

/** Returns what a line applies to, for people. */
function scopeText({ typeId, componentDefId, state, size }: Omit<Scope, "source">): string {
  const kind = componentDefId === null ? typeId : `${typeId} ${componentDefId}`;
  return `${kind}${size === null ? "" : ` of size ${size}`}${state === null ? "" : ` in ${state}`}`;
}

/** A line of a request or file, with its number for messages. */
export type NumberedLine = { line: CostLine; number: number };

/** Returns the lines without those that a later one overlaps, and warnings about these. */
export function dropOverlappingCostLines(given: readonly NumberedLine[]): {
  lines: CostLine[];
  warnings: string[];
} {
  const kept = new Map<string, NumberedLine>();
  const warnings: string[] = [];
  for (const numberedLine of given) {
    const key = costLineScopeKey(numberedLine.line);
    const earlier = kept.get(key);
    if (earlier)
      warnings.push(
        `Line ${numberedLine.number} replaces line ${earlier.number}: both are for ${scopeText(numberedLine.line)}`,
      );
    // Deleted first, so that it takes the place of the later line.
    kept.delete(key);
    kept.set(key, numberedLine);
  }
  return { lines: [...kept.values()].map(({ line }) => line), warnings };
}

/** Returns the book with the lines added; each replaces the one for the same. */
export function mergeCostLines(book: readonly CostLine[], added: readonly CostLine[]): CostLine[] {
  const merged = new Map([...book, ...added].map((line) => [costLineScopeKey(line), line]));
  return [...merged.values()];
}
