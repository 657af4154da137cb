/** A kind of part in its place: its life there and its costs. Decides the policy of new parts. */
export type Kind = {
  /** Weibull shape β. */
  shape: number;
  /** s = η/r: Weibull scale in calendar years, at the rate of aging of its place. */
  scaleYears: number;
  /** c_p: cost of planned replacement. */
  plannedCents: number;
  /** c_f: cost of replacement after a failure. */
  failureCents: number;
};

/** Returns L, the median life in calendar years. */
export const lifespanYearsOf = ({ shape, scaleYears }: Kind) => scaleYears * Math.LN2 ** (1 / shape);

/** A part in place (docs/model/planning.md#part-in-place). */
export type Part = Kind & {
  /** u = V* / r: effective age in calendar years. */
  ageYears: number;
  /** θ: factor on the hazard for as long as the part stays. */
  hazardRatio: number;
  /** q₁: probability of failing within 365.25 days, given that it works today. */
  failureProbability: number;
};
