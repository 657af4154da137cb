import type { PlacedComponent } from "../domain/component.ts";
import { describePriceBasis } from "../domain/costs/price-basis.ts";
import { likelyFailuresOf } from "../domain/planning/likely-failures.ts";
import { reserveShareByCostBasis } from "../domain/planning/plan-sums.ts";
import {
  type PlanSummary,
  type PropertyPlan,
  reserveFundingOf,
} from "../domain/planning/property-plan-summary.ts";
import {
  priceListMoneyWording,
  todaysMoneyWithPlainQuotes,
} from "../domain/wording/currency-and-unit-wording.ts";
import { wordingOfFirstYearReserve } from "../domain/wording/first-year-reserve-wording.ts";
import { likelyFailuresWording } from "../domain/wording/likely-failures-wording.ts";
import { assumptionSharesOf, uncertaintySentences } from "../domain/wording/uncertainty-wording.ts";
import { usDateWording } from "../domain/wording/us-english-wording.ts";
import { NO_GUARANTEE } from "./assumptions-schema.ts";

/** The column of a table of figures that says in its first row what they rest on. */
export const PLAN_ASSUMPTIONS_COLUMN = "assumptions";

const percent = (share: number) => `${Math.round(share * 100)}%`;
const day = usDateWording({ dateStyle: "medium" });

/** Returns the assumptions and exclusions of a property's plan, with those that follow from its components. */
export function serializePropertyPlanAssumptions(
  plan: PropertyPlan<Pick<PlacedComponent, "overrideLifespan">>,
): string[] {
  const { appliances } = plan;
  let overridden = 0;
  for (const { components } of appliances)
    for (const { component } of components) if (component.overrideLifespan !== null) overridden++;
  const { count, plannedCents } = likelyFailuresOf(appliances);
  const likely = likelyFailuresWording({ count, cost: plannedCents / 100 });
  const sentences = serializePlanAssumptions(plan, appliances.length === 0, overridden);
  return likely === undefined ? sentences : [...sentences, likely];
}

/**
 * Returns the assumptions and exclusions of a plan, in sentences for its reader. `overridden` is the number of components with
 * their own lifespan.
 */
export function serializePlanAssumptions(
  {
    terms,
    asOf,
    modelVersion,
    counted,
    sums,
    capital,
  }: Pick<PlanSummary, "terms" | "asOf" | "modelVersion" | "counted" | "sums" | "capital">,
  isEmpty = false,
  overridden = 0,
): string[] {
  const { inflationPct } = terms;
  const needs = capital.balances.map(({ needCents }) => needCents);
  const started = wordingOfFirstYearReserve(needs, reserveFundingOf(terms));
  const shares = reserveShareByCostBasis(sums, terms.years);
  return [
    ...(isEmpty ? ["The property has no components, so every amount is 0."] : []),
    `Ages, lifetimes and risks use scoring model ${modelVersion}, ${modelVersion.includes("+") ? "calibrated" : "not calibrated"}, as of ${day(asOf)}. Year 1 starts on that date. ${NO_GUARANTEE}`,
    inflationPct === 0
      ? "Costs are not inflated."
      : `Inflated costs rise by ${inflationPct}% a year from year 2; year 1 is in ${todaysMoneyWithPlainQuotes()}.`,
    "Costs are your own where your cost book or a component has them, otherwise reference estimates per component type, " +
      `checked against published price guides, scaled to size as far as it is known, and ${describePriceBasis(counted)}. ` +
      `The cost basis of each says which. They are in ${priceListMoneyWording()}, and are not site-specific quotes.`,
    ...(shares === null
      ? []
      : [
          `Of what the reserve pays, ${percent(shares.own + shares.own_history)} is at your own costs, ` +
            `${percent(shares.scaled)} at reference costs scaled to size, ${percent(shares.reference)} at reference costs.`,
        ]),
    ...uncertaintySentences(assumptionSharesOf(counted)),
    "A replaced component starts new, with no inherited risk factors. Until then, its current risk factors apply.",
    "Appliances that are usually replaced as a whole are planned as a whole: their minor parts are repaired until they go, " +
      "and a new unit has new parts.",
    "Other components are replaced at a planned age if their long-run cost is then below 95% of their run-to-failure cost, " +
      "and at their expected or certified life if they protect people. All others run to failure.",
    "The reserve pays planned replacements and failures. What is due now is paid at the start or from an escrow, and repairs " +
      "are operating costs. A deposit's confidence is that of each single year.",
    ...(started === undefined ? [] : [started]),
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
