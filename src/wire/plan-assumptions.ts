import type { PlanSummary } from "../domain/planning/property-plan.ts";
import { NO_GUARANTEE } from "./assumptions.ts";

const day = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" });

/**
 * Returns the assumptions and exclusions of a plan, in sentences for its reader. `overridden` is the number of components with
 * their own lifespan.
 */
export function planAssumptionsOf(
  { terms, asOf, modelVersion }: Pick<PlanSummary, "terms" | "asOf" | "modelVersion">,
  isEmpty = false,
  overridden = 0,
): string[] {
  const { inflationPct } = terms;
  return [
    ...(isEmpty ? ["The property has no components, so every amount is 0."] : []),
    `Ages, lifetimes and risks use scoring model ${modelVersion}, ${modelVersion.includes("+") ? "calibrated" : "not calibrated"}, as of ${day.format(new Date(asOf))}. Year 1 starts on that date. ${NO_GUARANTEE}`,
    inflationPct === 0
      ? "Costs are not inflated."
      : `Inflated costs rise by ${inflationPct}% a year from year 2; year 1 is in today's dollars.`,
    "Costs are your own where your cost book or a component has them, otherwise reference estimates per component type, " +
      "checked against published price guides and brought to size, state and price level as far as these are known. " +
      "The cost basis of each says which. They are in US dollars, and are not site-specific quotes.",
    "A replaced component starts new, with no inherited risk factors. Until then, its current risk factors apply.",
    "Appliances that are usually replaced as a whole are planned as a whole: their minor parts are repaired until they go, " +
      "and a new unit has new parts.",
    "Other components are replaced at a planned age if their long-run cost is then below 95% of their run-to-failure cost, " +
      "and at their expected or certified life if they protect people. All others run to failure.",
    "The reserve pays planned replacements and failures. What is due now is paid at the start or from an escrow, and repairs " +
      "are operating costs.",
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
