import { type CostBasis, exactFailedCents, type PartCosts } from "./component-costs.ts";
import type { StatedCost, StatedCosts } from "./cost-line.ts";
import type { ScaledCosts } from "./cost-scaling.ts";

/** A component's own numbers, in whole cents; null or absent where it has none. */
export type OwnCosts = { ownPlannedCents?: number | null; ownFailedCents?: number | null };

export const hasOwnCosts = ({ ownPlannedCents, ownFailedCents }: OwnCosts) =>
  ownPlannedCents != null || ownFailedCents != null;

/** Returns the component's own numbers before those that lines state. */
export function ownCostsBeforeCostLines(
  { ownPlannedCents, ownFailedCents }: OwnCosts,
  lines: StatedCosts,
): StatedCosts {
  return statedCostsOrElse({ planned: ownCost(ownPlannedCents), failed: ownCost(ownFailedCents) }, lines);
}

const ownCost = (cents: number | null | undefined): StatedCost | null =>
  cents == null ? null : { cents, source: "own", lineSize: null, bySize: 1 };

/** Returns the first costs, and the second where the first state none. */
export function statedCostsOrElse(first: StatedCosts, second: StatedCosts): StatedCosts {
  return { planned: first.planned ?? second.planned, failed: first.failed ?? second.failed };
}

/**
 * Returns the costs that the partner states, else those of the book (docs/model/costs.md). If only one of the two is stated,
 * the other keeps its proportion to it.
 */
export function applyStatedCosts(book: ScaledCosts, { planned, failed }: StatedCosts): PartCosts {
  const stated = planned ?? failed;
  const plannedCents = Math.round(planned?.cents ?? book.planned * (failed ? shareOf(book, failed) : 1));
  const { emergencyCents, damage } = failed
    ? failureOf(book, failed)
    : { emergencyCents: book.emergency * (planned ? planned.cents / book.planned : 1), damage: book.damage };
  return {
    plannedCents,
    emergencyCents,
    damage,
    failedCents: Math.round(exactFailedCents({ emergencyCents, damage })),
    basis: stated ? BASIS[stated.source] : book.scaling.size === null ? "reference" : "scaled",
    scaling: stated
      ? {
          ...book.scaling,
          referenceSize: stated.lineSize,
          bySize: stated.bySize,
          byLocation: 1,
          byPriceLevel: 1,
        }
      : book.scaling,
  };
}

const BASIS = { own: "own", history: "own_history" } as const satisfies Record<
  StatedCost["source"],
  CostBasis
>;

/** Returns the stated cost of a failure ÷ the book's. */
function shareOf(book: ScaledCosts, { cents, source }: StatedCost): number {
  return (
    cents /
    (source === "history"
      ? book.emergency
      : exactFailedCents({ emergencyCents: book.emergency, damage: book.damage }))
  );
}

/** A bill in the history is that of the replacement alone; an own number includes damages in their proportion. */
function failureOf(book: ScaledCosts, failed: StatedCost): Pick<PartCosts, "emergencyCents" | "damage"> {
  if (failed.source === "history") return { emergencyCents: failed.cents, damage: book.damage };
  const share = shareOf(book, failed);
  const damage = book.damage && { ...book.damage, cents: book.damage.cents * share };
  return { emergencyCents: book.emergency * share, damage };
}
