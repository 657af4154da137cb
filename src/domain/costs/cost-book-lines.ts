import { invalid } from "../errors.ts";
import type { ApplianceType, Knowledge } from "../knowledge.ts";
import { checkAllowedPastDay } from "../past-day-rule.ts";
import type { Day, Instant } from "../time.ts";
import { exactMoney } from "../wording/currency-and-unit-wording.ts";
import type { CostLine } from "./cost-line.ts";

/** A line as it is stored. */
export type StoredCostLine = CostLine & { id: string; createdAt: Instant };

/** The most lines of a cost book: far more than the kinds of components and appliances, in a few states each. */
export const MOST_COST_LINES = 2_000;

/** A cost this many times above or below the reference is probably an error of typing. */
const UNUSUAL_FACTOR = 20;

type Scope = Pick<CostLine, "typeId" | "componentDefId" | "state" | "size" | "source">;

/** Returns a key of what a line applies to. Two lines with the same one overlap. */
const scopeKey = ({ typeId, componentDefId, state, size, source }: Scope): string =>
  [typeId, componentDefId ?? "", state ?? "", size ?? "", source].join(" ");

/** Returns what a line applies to, for people. */
function scopeText({ typeId, componentDefId, state, size }: Omit<Scope, "source">): string {
  const kind = componentDefId === null ? typeId : `${typeId} ${componentDefId}`;
  return `${kind}${size === null ? "" : ` of size ${size}`}${state === null ? "" : ` in ${state}`}`;
}

/** Throws invalid_request for a line of a kind that does not exist, without a cost, or of a future day. */
export function checkCostLine(knowledge: Knowledge, line: CostLine, today: Day): void {
  const type = knowledge.types.get(line.typeId);
  if (!type) throw refused("type_id", "must be an appliance type; GET /v1/appliance-types lists them");
  if (line.componentDefId !== null && !type.components.some(({ id }) => id === line.componentDefId))
    throw refused("component_def_id", `must be a component of ${type.id}, or empty for the whole unit`);
  if (line.plannedCents === null && line.failedCents === null)
    throw refused("proactive_cost", "or reactive_cost is required");
  if (line.size !== null && !type.size)
    throw refused("size", `must be empty: costs of ${type.id} do not follow a size`);
  checkAllowedPastDay("as_of", line.asOf, today);
}

const refused = (field: string, message: string) => invalid(`${field} ${message}`, [{ field, message }]);

/** Returns what is unusual about a line, for its author; it is used as it is. */
export function costLineWarnings(knowledge: Knowledge, line: CostLine): string[] {
  const { plannedCents, failedCents } = line;
  const doubts: string[] = [];
  const type = knowledge.types.get(line.typeId)!;
  if (line.componentDefId === null && type.whole === null)
    doubts.push(
      `${type.id} is replaced part by part, so the line changes its replacement cost value and what follows from that, but ` +
        "no plan, forecast or component; to change those, add lines of its components",
    );
  if (plannedCents !== null && failedCents !== null && failedCents < plannedCents)
    doubts.push("reactive_cost is below proactive_cost, so waiting for the failure will seem to pay");
  const reference = referenceCents(type, line);
  const factor = (plannedCents ?? failedCents!) / reference;
  if (factor > UNUSUAL_FACTOR)
    doubts.push(`the cost is more than 20 times the reference cost of ${usd(reference)}`);
  if (factor < 1 / UNUSUAL_FACTOR)
    doubts.push(`the cost is less than a twentieth of the reference cost of ${usd(reference)}`);
  return doubts;
}

const usd = (cents: number) => exactMoney(cents / 100);

/** Returns the planned cost of the knowledge base, scaled to the size of the line. */
function referenceCents(type: ApplianceType, { componentDefId, size }: CostLine): number {
  const component = type.components.find(({ id }) => id === componentDefId);
  const cents = component?.proactiveCents ?? type.replacementCents;
  const scale = size === null || !type.size ? 1 : (size / type.size.reference) ** type.size.exponent;
  return Math.round(cents * scale);
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
    const key = scopeKey(numberedLine.line);
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
  const merged = new Map([...book, ...added].map((line) => [scopeKey(line), line]));
  return [...merged.values()];
}

/** Returns the lines with ids: a line for the same as one of the book before keeps its id. */
export function costLinesWithIds(
  before: readonly StoredCostLine[],
  lines: readonly CostLine[],
  newLine: () => { id: string; createdAt: Instant },
): StoredCostLine[] {
  const known = new Map(before.map((line) => [scopeKey(line), line]));
  return lines.map((line) => {
    const { id, createdAt } = known.get(scopeKey(line)) ?? newLine();
    const { typeId, componentDefId, state, plannedCents, failedCents, size, asOf, source } = line;
    return { id, typeId, componentDefId, state, plannedCents, failedCents, size, asOf, source, createdAt };
  });
}

/** A difference between two books: `before` is null for a new line, `after` for one that is gone. */
export type CostLineChange = { before: StoredCostLine | null; after: StoredCostLine | null };

/** Returns the differences between two books, in the order of the later one; lines that only moved are none. */
export function costLineDifferences(
  before: readonly StoredCostLine[],
  after: readonly StoredCostLine[],
): CostLineChange[] {
  const earlier = new Map(before.map((line) => [line.id, line]));
  const changes: CostLineChange[] = [];
  for (const line of after) {
    const was = earlier.get(line.id) ?? null;
    earlier.delete(line.id);
    if (!was || !isSame(was, line)) changes.push({ before: was, after: line });
  }
  return [...changes, ...[...earlier.values()].map((line) => ({ before: line, after: null }))];
}

/** Returns whether two lines for the same state the same. */
const isSame = (one: CostLine, other: CostLine) =>
  one.plannedCents === other.plannedCents && one.failedCents === other.failedCents && one.asOf === other.asOf;
