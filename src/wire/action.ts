import { wholeMoney } from "../domain/display.ts";
import {
  ACTIONS,
  type Action,
  type ActionName,
  type Because,
  type UrgentPart,
} from "../domain/planning/action.ts";
import { enumOf, text } from "./schema/fields.ts";

/* The action for an appliance or a component, with its reason in one sentence, equal in every response. */

/** The fields of an action. */
export const actionFields = {
  action: enumOf<ActionName>(
    ACTIONS,
    "What to do: remove an immediate hazard, replace now, inspect before deciding, replace by the due date, monitor, or " +
      "run to failure",
    "replace_by",
  ),
  reason: text("Why, in a sentence", "Replacement at 8.1 years costs least in the long run."),
};

export const actionView = ({ name, because }: Action) => ({ action: name, reason: reasonOf(because) });

/** The fields of an action of what may be retired, and then has none. */
export const actionOrNullFields = {
  action: actionFields.action.orNull(),
  reason: actionFields.reason.describedAs("Why, in a sentence; null without an action").orNull(),
};

export const actionOrNullView = (action: Action | undefined) =>
  action ? actionView(action) : { action: null, reason: null };

/** Adds to the records of components what to do with each. Leaves out those that were purged since they were read. */
export const addActionsToComponents = <R extends { component_id: string }>(
  records: readonly R[],
  actions: ReadonlyMap<string, Action>,
) => {
  const listed: (R & ReturnType<typeof actionView>)[] = [];
  for (const one of records) {
    const action = actions.get(one.component_id);
    // A copy of each record takes longer than finding its action.
    if (action) listed.push(Object.assign(one, actionView(action)));
  }
  return listed;
};

const money = (cents: number) => wholeMoney(Math.round(cents / 100));
const years = (count: number) => `${count.toFixed(1).replace(/\.0$/, "")} years`;
const chance = (probability: number) => {
  const percent = Math.round(100 * probability);
  return percent < 1 ? "below 1%" : percent > 99 ? "above 99%" : `${percent}%`;
};

/** Waiting that costs less than this share of the long-run yearly cost hardly matters. */
const HARDLY_MATTERS = 0.05;

/** Returns the end of a sentence about a unit, which names the part of it that cannot wait. */
function withUrgentPart({ urgentPart }: { urgentPart: UrgentPart | null }): string {
  if (urgentPart === null) return ".";
  return urgentPart.kind === "safety_life_past"
    ? `; a part that protects people is past its life (${urgentPart.name}).`
    : `; the part whose failure ends it (${urgentPart.name}) has a chance of failure within 12 months of ${chance(urgentPart.failureProbability)}.`;
}

/** Returns the reason of an action as a sentence. */
function reasonOf(because: Because): string {
  switch (because.kind) {
    case "hazard":
      return `Known hazard: ${because.hazard.label} (${because.hazard.authority}).`;
    case "unit_due":
      return (
        (because.waitingCents < HARDLY_MATTERS * because.yearlyCents
          ? "The unit has reached the age at which replacement costs least; a year more or less hardly matters"
          : `Keeping the unit another year costs ${money(because.waitingCents)} more than replacing it, failures and repairs included`) +
        withUrgentPart(because)
      );
    case "unit_life_past":
      return `The unit is past the life after which its kind is replaced${withUrgentPart(because)}`;
    case "with_unit_due":
      return "It goes with its unit, which is due now.";
    case "fixed_life_past":
      return `It is past its certified life of ${years(because.lifeYears)}.`;
    case "fixed_life_unknown":
      return `Its certified life is ${years(because.lifeYears)}, and its age is unknown: read the label.`;
    case "safety_life_past":
      return "It protects people and is past its expected life.";
    case "safety_risk_raised":
      return `It protects people, and its raised risk of failure brings its replacement forward from its expected life of ${years(because.lifeYears)}.`;
    case "cost_due":
      return (
        `${because.isSafetyPastLife ? "It protects people and is past its expected life; a" : "A"} failure costs ${money(because.failureCents)} instead of ${money(because.plannedCents)}, and its chance within ` +
        `12 months is ${chance(because.failureProbability)}: replacing it now costs less.`
      );
    case "risk_to_safety":
      return `It protects people, and its chance of failure within 12 months is ${chance(because.failureProbability)}.`;
    case "risk_of_damage":
      return `Its failure may damage the building, with a chance of ${chance(because.failureProbability)} within 12 months.`;
    case "risk_unknown":
      return `Its chance of failure within 12 months is ${chance(because.failureProbability)}, but little is known of its condition.`;
    case "unit_planned":
      return `Replacing the unit at ${years(because.ageYears)} costs least in the long run, repairs included.`;
    case "with_unit_planned":
      return "It goes with its unit.";
    case "planned":
      return because.basis === "fixed_life"
        ? `Its certified life is ${years(because.ageYears)}.`
        : because.basis === "safety"
          ? `It protects people, so it is replaced at its expected life of ${years(because.ageYears)}.`
          : `Replacement at ${years(because.ageYears)} costs least in the long run.`;
    case "elevated":
      return `Its chance of failure within 12 months is ${chance(because.failureProbability)}, but early replacement would not save enough.`;
    case "unit_until_failure":
      return "Replacing the unit before it fails would not save anything.";
    case "with_unit_until_failure":
      return "It is the part whose failure ends the unit, and early replacement would not save anything.";
    case "not_worth_planning":
      return `Early replacement would save less than 5% of ${money(because.yearlyCents)} a year.`;
  }
}
