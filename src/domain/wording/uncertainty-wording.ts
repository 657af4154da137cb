import { COST_BASES, type CostBasis } from "../costs/component-costs.ts";
import { describePriceBasis, type PriceBasis } from "../costs/price-basis.ts";
import type { AssumptionCounts } from "../figures/assumptions.ts";
import { type Confidence, SCORE_CONFIDENCES } from "../scoring/scoring-types.ts";
import { priceListMoneyWording } from "./currency-and-unit-wording.ts";

/** The basis of figures with shares from 0 to 1 instead of sums; all 0 without components. */
type AssumptionShares = Omit<AssumptionCounts, "confidence" | "costCents"> & {
  costShares: Record<CostBasis, number>;
  confidenceShares: Record<Confidence, number>;
};

/**
 * Returns the shares of planned costs by their basis, and of components by their confidence, from 0 to 1; all 0 without
 * any.
 */
export function assumptionSharesOf({ confidence, costCents, ...counts }: AssumptionCounts): AssumptionShares {
  const cents = COST_BASES.reduce((sum, basis) => sum + costCents[basis], 0);
  const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  return {
    ...counts,
    costShares: mapped(COST_BASES, (basis) => share(costCents[basis], cents)),
    confidenceShares: mapped(SCORE_CONFIDENCES, (level) => share(confidence[level], counts.components)),
  };
}

const mapped = <Name extends string>(names: readonly Name[], value: (name: Name) => number) =>
  Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, number>;

const percent = (share: number) => `${Math.round(share * 100)}%`;
const counted = (value: number) =>
  `${value.toLocaleString("en-US")} ${value === 1 ? "component" : "components"}`;

/** Returns where costs come from, in sentences for their reader. */
export function costBasisSentences(
  made: PriceBasis & Pick<AssumptionShares, "components" | "costShares">,
): string[] {
  const { components, costShares: costs } = made;
  return [
    `Costs are in ${priceListMoneyWording()} ${describePriceBasis(made)} unless they are the owner's own.`,
    ...(components === 0
      ? []
      : [
          `Planned costs: ${percent(costs.own + costs.own_history)} the owner's own, ${percent(costs.scaled)} reference ` +
            `costs scaled to the size, ${percent(costs.reference)} reference costs.`,
        ]),
  ];
}

/** Returns how sure scores are, and of how many components something is unknown, in sentences; none without components. */
export function uncertaintySentences(made: Omit<AssumptionShares, "costShares">): string[] {
  const { components, confidenceShares: confidence, buildingYears, unknownPasts, unknownPlaces } = made;
  return [
    ...(components > 0
      ? [
          `Scores of ${counted(components)}: ${percent(confidence.HIGH)} with high confidence, ` +
            `${percent(confidence.MEDIUM)} medium, ${percent(confidence.LOW)} low.`,
        ]
      : []),
    ...(buildingYears > 0
      ? [`Without an install year of their own: ${counted(buildingYears)}, which have the building's year.`]
      : []),
    ...(unknownPasts > 0
      ? [
          `Older than the service record: ${counted(unknownPasts)}, which may have been replaced before it began.`,
        ]
      : []),
    ...(unknownPlaces > 0
      ? [
          `Outside the US states: ${counted(unknownPlaces)}, scored at a mean climate and ` +
            `priced at US averages unless costs are the owner's own.`,
        ]
      : []),
  ];
}
