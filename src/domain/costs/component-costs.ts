import type { Peril } from "../domain-knowledge.ts";

/**
 * Where a cost comes from: the partner's own numbers, the bills in its history, the knowledge base's cost scaled to the
 * size, or that cost at its reference size. Location and price level apply to the last two.
 */
export const COST_BASES = ["own", "own_history", "scaled", "reference"] as const;
export type CostBasis = (typeof COST_BASES)[number];

/** The damages that a failure does to the property. */
export type DamageCosts = {
  peril: Peril;
  /** κ: the expected number of damages of a failure; their probability if one does one at most. */
  expected: number;
  /** The mean cost of a damage; not rounded. */
  cents: number;
  /** True for a type that is a part of the building: a failure of it does a Poisson number of damages. */
  isPoisson: boolean;
};

/** How the knowledge base's cost was brought to a place. For own costs, only the size applies. */
export type Scaling = {
  /** In the unit of the type; null if it is unknown, or if costs of the type do not depend on it. */
  size: number | null;
  /** The size that the costs are for before scaling; null if they have none. */
  referenceSize: number | null;
  /** (size ÷ reference size)^exponent; 1 for an unknown size. */
  bySize: number;
  byLocation: number;
  byPriceLevel: number;
};

/** The costs of a part in its place (docs/model/costs.md). */
export type PartCosts = {
  /** c_p: a planned replacement; whole cents. */
  plannedCents: number;
  /** A replacement after a failure, damage aside; not rounded. */
  emergencyCents: number;
  /** Null for a part whose failure damages nothing else. */
  damage: DamageCosts | null;
  /** c_f: a failure, emergencyCents + κ · damage; whole cents. */
  failedCents: number;
  basis: CostBasis;
  scaling: Scaling;
};

/** The costs of a component. Those of a principal part are the costs of its unit. */
export type ComponentCosts = PartCosts & {
  /** True for the principal part of a type that is replaced as a whole. */
  isPrincipal: boolean;
};

/** The costs of a whole unit: U planned, U_f after its failure. */
export type UnitCosts = PartCosts & {
  /**
   * Replacement cost value, in whole cents: the smaller of U and the sum of the components' planned costs, the principal part's
   * own cost among them. A stated U is the value.
   */
  rcvCents: number;
  /** `rcvCents` by the basis of its costs. */
  rcvByBasis: Readonly<Record<CostBasis, number>>;
};

/** Returns an amount of 0 for each basis. */
export const zeroCentsByBasis = (): Record<CostBasis, number> => ({
  own: 0,
  own_history: 0,
  scaled: 0,
  reference: 0,
});

/** Returns c_f in cents, not rounded. */
export const exactFailedCents = ({ emergencyCents, damage }: Pick<PartCosts, "emergencyCents" | "damage">) =>
  emergencyCents + (damage ? damage.expected * damage.cents : 0);
