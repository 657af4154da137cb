import type { PlanSummary } from "../domain/planning/property-plan.ts";

const day = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" });

/** The assumptions and exclusions of a plan, in sentences for its reader. */
export function assumptionsOf(
  { terms, asOf, modelVersion }: Pick<PlanSummary, "terms" | "asOf" | "modelVersion">,
  plans: readonly { component: { overrideLifespan: number | null } }[] | undefined,
): string[] {
  const { inflationPct } = terms;
  const overridden = plans?.filter(({ component }) => component.overrideLifespan !== null).length ?? 0;
  return [
    ...(plans?.length === 0 ? ["The property has no components, so every amount is 0."] : []),
    `Ages, lifetimes and risks use scoring model ${modelVersion} as of ${day.format(new Date(asOf))}. Year 1 starts on that date.`,
    inflationPct === 0
      ? "Costs are not inflated."
      : `Inflated costs rise by ${inflationPct}% a year from year 2; year 1 is in today's dollars.`,
    "Costs are reference estimates per component type for a typical size, in US dollars, checked against published " +
      "price guides. They are not site-specific quotes.",
    "A replaced component starts new, with no inherited risk factors. Until then, its current risk factors apply.",
    "A component is replaced at a planned age if its long-run cost is then below 95% of its run-to-failure cost. All " +
      "others run to failure.",
    "Sensor alarms and common-cause events (storms, floods, damage from other failures) are excluded. Failures are " +
      "assumed to be independent.",
    ...(overridden > 0
      ? [
          `${overridden} ${overridden === 1 ? "component uses its own lifespan" : "components use their own lifespans"} ` +
            "(`override_lifespan`) instead of the reference lifespan.",
        ]
      : []),
  ];
}
