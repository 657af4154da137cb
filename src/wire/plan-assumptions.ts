import type { PlanSummary } from "../domain/planning/property-plan.ts";

/** What a plan rests on, and what is not in it, as sentences for its reader. */
export function assumptionsOf(
  { terms, asOf, modelVersion }: Pick<PlanSummary, "terms" | "asOf" | "modelVersion">,
  plans: readonly { component: { overrideLifespan: number | null } }[] | undefined,
): string[] {
  const { inflationPct } = terms;
  const overridden = plans?.filter(({ component }) => component.overrideLifespan !== null).length ?? 0;
  return [
    ...(plans?.length === 0
      ? ["The property has no components: there is nothing to plan, and every amount is 0."]
      : []),
    `Ages, lives and risks are those of scoring model ${modelVersion} as of ${asOf}; a year is one from that day.`,
    inflationPct === 0
      ? "Costs of later years are today's: no inflation was asked for."
      : `Costs of year y are today's times (1 + ${inflationPct} %) to the power y − 1: the first year is in today's money.`,
    "Costs are those of the knowledge base for each kind of component, in US dollars: estimates for a usual size, " +
      "cross-checked against published price guides, not quotes for this site.",
    "A component that fails or is replaced is followed by a new one of its kind, without what spoke for or against " +
      "the old one; until then it keeps the evidence that it has today.",
    "A component is replaced by age where that costs less than 95 % of running it to failure in the long run; the " +
      "others are run to failure.",
    "Acute hazards that sensors report and shared causes, such as storms, floods or a failure that damages other " +
      "components, are not in the schedule nor in the deposits; failures count as independent of each other.",
    ...(overridden > 0
      ? [
          `${overridden} ${overridden === 1 ? "component has a lifespan of its own" : "components have lifespans of their own"} ` +
            "(`override_lifespan`) in place of the knowledge base's.",
        ]
      : []),
  ];
}
