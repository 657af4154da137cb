import type { CostLine } from "../costs/cost-line.ts";
import type { ApplianceType, Knowledge } from "../domain-knowledge.ts";
import { invalid } from "../errors.ts";
import type { Day } from "../time.ts";
import { exactMoney } from "../wording/currency-and-unit-wording.ts";
import { checkPastDayRule } from "./past-day-rule.ts";

/** A cost this many times above or below the reference is probably an error of typing. */
const UNUSUAL_FACTOR = 20;

/** Throws invalid_request for a line of a kind that does not exist, without a cost, or of a future day. */
export function checkCostLineRule(knowledge: Knowledge, line: CostLine, today: Day): void {
  const type = knowledge.types.get(line.typeId);
  if (!type) throw refused("type_id", "must be an appliance type; GET /v1/appliance-types lists them");
  if (line.componentDefId !== null && !type.components.some(({ id }) => id === line.componentDefId))
    throw refused("component_def_id", `must be a component of ${type.id}, or empty for the whole unit`);
  if (line.plannedCents === null && line.failedCents === null)
    throw refused("proactive_cost", "or reactive_cost is required");
  if (line.size !== null && !type.size)
    throw refused("size", `must be empty: costs of ${type.id} do not follow a size`);
  checkPastDayRule("as_of", line.asOf, today);
}

const refused = (field: string, message: string) => invalid(`${field} ${message}`, [{ field, message }]);

/** Returns what is unusual about a line, for its author; it is used as it is. */
export function costLineRuleWarnings(knowledge: Knowledge, line: CostLine): string[] {
  const { plannedCents, failedCents } = line;
  const doubts = costsRuleWarnings(line);
  const type = knowledge.types.get(line.typeId)!;
  if (line.componentDefId === null && type.whole === null)
    doubts.push(
      `${type.id} is replaced component by component, so the line changes its replacement cost value and what follows from that, but ` +
        "no plan, forecast or component; to change those, add lines of its components",
    );
  const reference = referenceCents(type, line);
  const factor = (plannedCents ?? failedCents!) / reference;
  if (factor > UNUSUAL_FACTOR)
    doubts.push(`the cost is more than 20 times the reference cost of ${usd(reference)}`);
  if (factor < 1 / UNUSUAL_FACTOR)
    doubts.push(`the cost is less than a twentieth of the reference cost of ${usd(reference)}`);
  return doubts;
}

/** Returns what is unusual about stated costs; null for one that is not stated. */
export const costsRuleWarnings = ({
  plannedCents,
  failedCents,
}: Pick<CostLine, "plannedCents" | "failedCents">): string[] =>
  plannedCents !== null && failedCents !== null && failedCents < plannedCents
    ? ["reactive_cost is below proactive_cost, so waiting for the failure will seem to pay"]
    : [];

const usd = (cents: number) => exactMoney(cents / 100);

/** Returns the planned cost of the knowledge base, scaled to the size of the line. */
function referenceCents(type: ApplianceType, { componentDefId, size }: CostLine): number {
  const component = type.components.find(({ id }) => id === componentDefId);
  const cents = component?.proactiveCents ?? type.replacementCents;
  const scale = size === null || !type.size ? 1 : (size / type.size.reference) ** type.size.exponent;
  return Math.round(cents * scale);
}
