import type { Knowledge } from "../domain-knowledge.ts";
import { usDateWording } from "../wording/us-english-wording.ts";

/** The prices of the knowledge base's costs, which count wherever costs are not the owner's own. */
export type PriceBasis = {
  /** Today's prices ÷ those of `priceMonth`, which the knowledge base's costs are of. */
  priceLevel: number;
  priceMonth: string;
  /** True if costs of the knowledge base follow the state of the property. */
  priceFollowsState: boolean;
};

export const priceBasisOf = ({ priceTerms, costs }: Knowledge): PriceBasis => ({
  priceLevel: priceTerms.priceLevel,
  priceMonth: costs.ofMonth,
  priceFollowsState: priceTerms.locationFactors !== null,
});

const month = usDateWording({ month: "long", year: "numeric" });

/** Returns the prices in words, such as `at the prices of January 2026, times 1.1, of the property's US state, elsewhere averaged over the US`. */
export function describePriceBasis({ priceLevel, priceMonth, priceFollowsState }: PriceBasis): string {
  const level = priceLevel === 1 ? "" : `, times ${priceLevel}`;
  const place = priceFollowsState
    ? "of the property's US state, elsewhere averaged over the US"
    : "averaged over the US";
  return `at the prices of ${month(`${priceMonth}-01`)}${level}, ${place}`;
}
