import {
  ACTIONS,
  type Action,
  type ActionName,
  type ActionReason,
  type UrgentPart,
} from "../domain/planning/action.ts";
import type { DueNow } from "../domain/planning/planned-appliance.ts";
import type { AgeBasis } from "../domain/planning/replacement-policy.ts";
import { wholeMoney } from "../domain/wording/currency-and-unit-wording.ts";
import { probabilityText } from "../domain/wording/us-english-wording.ts";
import { enumSchema, textSchema } from "./definition/schema-field-types.ts";

/* The action for an appliance or a component, with its reason, equal in every response. */

/** The fields of an action. */
export const actionFields = {
  action: enumSchema<ActionName>(
    ACTIONS,
    "What to do: remove an immediate hazard, replace now, inspect before deciding, replace by the due date, monitor, or " +
      "run to failure",
    "replace_by",
  ),
  reason: textSchema("Why, in one or two sentences", "Replacement at 8.1 years costs least in the long run."),
};

/** How long what is due now can wait, in plans and in lists of actions. */
export const dueNow = enumSchema<DueNow>(
  ["immediate", "short_term"],
  "Whether what is due now can wait for a short time; null unless it is due now",
  "short_term",
).orNull();

export const serializeAction = ({ name, because }: Action) => ({ action: name, reason: reasonOf(because) });

/** The fields of an action of what may be retired, and then has none. */
export const actionOrNullFields = {
  action: actionFields.action.orNull(),
  reason: actionFields.reason.describedAs("Why, in one or two sentences; null without an action").orNull(),
};

export const serializeActionOrNull = (action: Action | undefined) =>
  action ? serializeAction(action) : { action: null, reason: null };

/** Adds to the records of components what to do with each. Leaves out those without an action, which were purged since. */
export const addActionsToComponentsJson = <R extends object>(
  records: readonly R[],
  actions: readonly (Action | undefined)[],
) => {
  const listed: (R & ReturnType<typeof serializeAction>)[] = [];
  for (let index = 0; index < records.length; index++) {
    const action = actions[index];
    if (!action) continue;
    const { name, because } = action;
    // A copy of each record takes longer than finding its action.
    const one = records[index] as R & ReturnType<typeof serializeAction>;
    one.action = name;
    one.reason = reasonOf(because);
    listed.push(one);
  }
  return listed;
};

const money = (cents: number) => wholeMoney(Math.round(cents / 100));

/** Keeps the texts of years, which are months of policies and certified lives: some hundreds, that recur in all lists. */
function textOfYears(write: (years: number) => string): (years: number) => string {
  const texts = new Map<number, string>();
  return (years) => {
    const known = texts.get(years);
    if (known !== undefined) return known;
    const text = write(years);
    texts.set(years, text);
    return text;
  };
}

const years = textOfYears((count) => `${count.toFixed(1).replace(/\.0$/, "")} years`);

/** The reasons for an age of replacement, the most frequent of all with a number. */
const PLANNED: { readonly [Basis in AgeBasis]: (years: number) => string } = {
  cost: textOfYears((age) => `Replacement at ${years(age)} costs least in the long run.`),
  fixed_life: textOfYears((age) => `Its certified life is ${years(age)}.`),
  safety: textOfYears((age) => `It is a safety component, replaced at its expected life of ${years(age)}.`),
};

/** Written without an article, which would depend on the number. */
const likely = (probability: number) => `${probabilityText(probability)} likely`;

/** Waiting that costs less than this share of the long-run yearly cost hardly matters. */
const HARDLY_MATTERS = 0.05;

/** Returns the sentence after that about a unit, which names the component in it that cannot wait. */
function urgentPartText({ urgentPart }: { urgentPart: UrgentPart | null }): string {
  if (urgentPart === null) return "";
  return urgentPart.kind === "safety_life_past"
    ? ` A safety component is past its expected life: ${urgentPart.name}.`
    : ` The component whose failure ends its life (${urgentPart.name}) is ${likely(urgentPart.failureProbability)} to fail within 12 months.`;
}

type ReasonOf<K> = ActionReason extends infer Reason
  ? Reason extends { kind: infer Kinds }
    ? K extends Kinds
      ? Reason
      : never
    : never
  : never;

/** The reason of an action in a sentence or two, by its kind. Most rows of lists have one of those without numbers. */
const REASONS: {
  readonly [K in ActionReason["kind"]]: string | ((because: ReasonOf<K>) => string);
} = {
  hazard: ({ hazard }) => `Known hazard: ${hazard.label} (${hazard.authority}).`,
  unit_due: (because) =>
    (because.waitingCents < HARDLY_MATTERS * because.yearlyCents
      ? "The unit is at the age at which replacing it costs least. A year's delay changes the cost little."
      : `A year's delay is expected to cost ${money(because.waitingCents)} more than replacing the unit now, including failures and repairs.`) +
    urgentPartText(because),
  unit_life_past: (because) =>
    `The unit is past the life at which its type is replaced.${urgentPartText(because)}`,
  with_unit_due: "Replaced together with its unit, which is due now.",
  fixed_life_past: ({ lifeYears }) => `It is past its certified life of ${years(lifeYears)}.`,
  fixed_life_unknown: ({ lifeYears }) =>
    `Its certified life is ${years(lifeYears)}, and its age is unknown: check the label.`,
  safety_life_past: "It is a safety component past its expected life.",
  safety_risk_raised: ({ lifeYears }) =>
    `It is a safety component with a raised risk of failure, so it is due before its expected life of ${years(lifeYears)}.`,
  cost_due: (because) =>
    `${because.isSafetyPastLife ? "It is a safety component past its expected life. " : ""}Replacing it now costs less: a failure within 12 months is ${likely(because.failureProbability)}, ` +
    `and would cost ${money(because.failureCents)} instead of ${money(because.plannedCents)}.`,
  risk_to_safety: ({ failureProbability }) =>
    `It is a safety component, and ${likely(failureProbability)} to fail within 12 months.`,
  risk_of_damage: ({ failureProbability }) =>
    `Its failure may damage the building, and is ${likely(failureProbability)} within 12 months.`,
  risk_unknown: ({ failureProbability }) =>
    `It is ${likely(failureProbability)} to fail within 12 months, but has few records of its condition.`,
  unit_planned: ({ ageYears }) =>
    `Replacing the unit at ${years(ageYears)} costs least in the long run, including repairs.`,
  with_unit_planned: "Replaced together with its unit.",
  planned: ({ basis, ageYears }) => PLANNED[basis](ageYears),
  elevated: ({ failureProbability }) =>
    `It is ${likely(failureProbability)} to fail within 12 months, but replacing it early would not save enough.`,
  unit_until_failure: "Replacing the unit before it fails would not save money.",
  with_unit_until_failure:
    "Its failure ends the life of the unit, and replacing it early would not save money.",
  not_worth_planning: ({ yearlyCents }) =>
    `Replacing it early would save less than 5% of its yearly cost of ${money(yearlyCents)}.`,
};

function reasonOf(because: ActionReason): string {
  const reason = REASONS[because.kind] as string | ((because: ActionReason) => string);
  return typeof reason === "string" ? reason : reason(because);
}
