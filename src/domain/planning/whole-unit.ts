import type { PartAge, PartInPlace, PartKind } from "./part-in-place.ts";

/** A kind of appliance that is replaced as a whole, in its place. Decides the policy of new units. */
export type WholeUnitKind = {
  /** U: cost of planned replacement. */
  priceCents: number;
  /** U_f: cost of replacement after a failure, probable damage included. */
  failedPriceCents: number;
  /** The life of the principal part, whose failure is the unit's; null without one. */
  principal: Pick<PartKind, "shape" | "scaleYears"> | null;
  /** The latest age at which it is replaced, in months; null without a limit. */
  capMonths: number | null;
  /** The parts that are repaired until the unit goes. */
  minors: readonly PartKind[];
};

/** A unit in place. */
export type UnitInPlace = Omit<WholeUnitKind, "minors"> & {
  /** The age of the principal part; null without one. */
  principalAge: PartAge | null;
  /** The effective age of the principal part in calendar years, or without one the unit's calendar age. */
  ageYears: number;
  /** The parts in place, in the order of the kind. */
  minors: readonly PartInPlace[];
};
