import type { ComponentJson } from "../../api-schemas/component-schema.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import { forEachInSteps, type Steps, sortInSteps } from "../../domain/steps/computation-steps.ts";
import type { Day } from "../../domain/time.ts";
import { isWorkDeferred } from "../../domain/work-mark.ts";
import { TIERS } from "./page-code-labels.ts";
import { groupPageRows, sumPageItems } from "./page-grouping.ts";
import { type PlanLine, pagePlanLineKindKey } from "./page-plan-lines.ts";

/** Identical lines of a plan with the same action for the same kind of reason, as one row; the costliest to delay first. */
export type ActionRow = {
  lines: readonly PlanLine[];
  action: PlanLine["action"];
  /** The worst tier of the components. */
  tier: RiskTier;
  /** The probabilities of failing within 12 months; of a unit, that any of its components does. */
  chances: readonly number[];
  /** The earliest day; null without one. */
  due: string | null;
  /** By when it has to be done if it is due now; null otherwise. */
  dueNow: PlanLine["due_now"];
  costUsd: number;
  failedUsd: number;
  delayUsd: number;
  /** True if the work is deferred until a later day than that of the plan. */
  isDeferred: boolean;
};

/** The actions, the most urgent first. */
const URGENCY: readonly PlanLine["action"][] = [
  "immediate_hazard",
  "replace_now",
  "inspect",
  "replace_by",
  "monitor",
  "run_to_failure",
];

/** The order of dates: work that cannot wait comes first. */
const DUE_NOW: readonly PlanLine["due_now"][] = ["immediate", "short_term", null];

/** The numbers of a reason, which differ between identical components. */
const NUMBERS = /[\d.,]+/g;

/** Returns whether somebody has to do something about a line. */
const isToDo = ({ action }: Pick<PlanLine, "action">) => action !== "monitor" && action !== "run_to_failure";

/**
 * Groups the lines of a plan that need somebody to act: the most urgent action first, then what cannot wait, then the earliest day where the action
 * waits for one, then the highest cost of waiting; deferred work last. Components that are replaced with their unit are part
 * of its line. `today` is the day of the plan.
 */
export function* pageActionRows(
  lines: readonly PlanLine[],
  components: readonly ComponentJson[],
  today: Day,
): Steps<ActionRow[]> {
  const risks = yield* unitRisksInSteps(components);
  const counted: PlanLine[] = [];
  const withUnit: PlanLine[] = [];
  yield* forEachInSteps(lines, (line) => {
    if (!isToDo(line)) return;
    if (line.policy === "with_unit" && !line.isUnit) withUnit.push(line);
    else counted.push(line);
  });
  const units = new Set(counted.filter(({ isUnit }) => isUnit).map(({ id }) => id));
  // A part can need an inspection or be a hazard while its unit stays.
  const alone = withUnit.filter(({ appliance_id }) => !units.has(appliance_id));
  const riskOf = (line: PlanLine) =>
    (line.isUnit ? risks.units.get(line.id) : risks.components.get(line.id)) ?? { tier: "GOOD", survives: 1 };
  const keyOf = (line: PlanLine) =>
    [
      ...[
        pagePlanLineKindKey(line),
        line.action,
        line.due_now,
        riskOf(line).tier,
        line.reason.replaceAll(NUMBERS, "#"),
      ],
      ...[line.work_state, line.work_until, line.work_by, line.work_reason],
    ].join(" ");
  const groups = yield* groupPageRows([...counted, ...alone], keyOf);
  yield;
  const rows = groups.map((group): ActionRow => {
    const [first] = group as [PlanLine];
    const days = group.flatMap(({ replace_on }) => replace_on ?? []).sort();
    return {
      lines: group,
      action: first.action,
      tier: riskOf(first).tier,
      chances: group.map((line) => 1 - riskOf(line).survives),
      due: days[0] ?? null,
      dueNow: first.due_now,
      costUsd: sumPageItems(group, ({ cost }) => cost),
      failedUsd: sumPageItems(group, ({ failedCost }) => failedCost),
      delayUsd: sumPageItems(group, (line) => line.cost_of_waiting_a_year),
      isDeferred: isWorkDeferred({ until: first.work_until }, today),
    };
  });
  return yield* sortInSteps(rows, compareByUrgency);
}

function compareByUrgency(a: ActionRow, b: ActionRow): number {
  if (a.isDeferred !== b.isDeferred) return a.isDeferred ? 1 : -1;
  const byAction = URGENCY.indexOf(a.action) - URGENCY.indexOf(b.action);
  if (byAction !== 0) return byAction;
  if (a.dueNow !== b.dueNow) return DUE_NOW.indexOf(a.dueNow) - DUE_NOW.indexOf(b.dueNow);
  const [dayA, dayB] = [a.due ?? "9999", b.due ?? "9999"];
  if (a.action === "replace_by" && dayA !== dayB) return dayA < dayB ? -1 : 1;
  return b.delayUsd - a.delayUsd;
}

type Risk = { tier: RiskTier; survives: number };

/** Returns the tier and the probability of lasting 12 months, of components and of the units that they are parts of. */
function* unitRisksInSteps(components: readonly ComponentJson[]) {
  const byComponent = new Map<string, Risk>();
  const units = new Map<string, Risk>();
  yield* forEachInSteps(components, (one) => {
    const survives = 1 - one.failure_probability_12m;
    const tier = one.risk_tier;
    byComponent.set(one.component_id, { tier, survives });
    const unit = units.get(one.appliance_id);
    if (!unit) units.set(one.appliance_id, { tier, survives });
    else {
      unit.survives *= survives;
      if (TIERS.indexOf(tier) < TIERS.indexOf(unit.tier)) unit.tier = tier;
    }
  });
  return { units, components: byComponent };
}
