/** What decides how a new part is best kept up: its life where it stands, and its costs. */
export type Kind = {
  /** Weibull shape β. */
  shape: number;
  /** s = η/r: Weibull scale in calendar years, at the rate of ageing that it has where it stands. */
  scaleYears: number;
  /** c_p: replacing it as planned work. */
  plannedCents: number;
  /** c_f: replacing it once it has failed. */
  failureCents: number;
};

/** L: median life in calendar years. */
export const lifespanYearsOf = ({ shape, scaleYears }: Kind) => scaleYears * Math.LN2 ** (1 / shape);

/** A part in place. */
export type Part = Kind & {
  /** u = V* / r: effective age in calendar years. */
  ageYears: number;
  /** θ: multiplies its hazard for as long as it stays. */
  hazardRatio: number;
  /** q₁: the probability that it fails within 365.25 days, given that it works today. */
  failureProbability: number;
};
