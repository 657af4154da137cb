/** A kind of part in its place: its life there and its costs. Decides the policy of new parts. */
export type PartKind = {
  /** Weibull shape β. */
  shape: number;
  /** s = η/r: Weibull scale in calendar years, at the rate of aging of its place. */
  scaleYears: number;
  /** c_p: cost of planned replacement. */
  plannedCents: number;
  /** c_f: cost of replacement after a failure, probable damage included. */
  failureCents: number;
  /** The certified or insurer's life, at which it is replaced whatever it costs; null without one. */
  fixedLifeYears: number | null;
  /** True for a part that must not be run to failure. */
  safety: boolean;
};

/** Returns L, the median life in calendar years. */
export const lifespanYearsOf = ({ shape, scaleYears }: Pick<PartKind, "shape" | "scaleYears">) =>
  scaleYears * Math.LN2 ** (1 / shape);

/** The age of a part in place, as its remaining life depends on it. */
export type PartAge = {
  /** u = V* / r: effective age in calendar years. */
  ageYears: number;
  /** θ: factor on the hazard for as long as the part stays. */
  hazardRatio: number;
};

/** A part in place (docs/model/planning.md#part-in-place). */
export type PartInPlace = PartKind &
  PartAge & {
    /** The age by which a fixed life is counted: since its installation; the effective age if that is unknown, or without one. */
    labelAgeYears: number;
    /** q₁: probability of failing within 365.25 days, given that it works today. */
    failureProbability: number;
  };

/** The life of a part: all that its survival depends on. */
type Life = Pick<PartKind, "shape" | "scaleYears">;

/** Returns whether people depend on a part in place that has reached its fixed life, or its median life without one. */
export function isSafetyPastLife(part: PartInPlace): boolean {
  if (!part.safety) return false;
  return part.fixedLifeYears === null
    ? 12 * part.ageYears >= Math.round(12 * lifespanYearsOf(part))
    : 12 * part.labelAgeYears >= Math.round(12 * part.fixedLifeYears);
}

/** Returns S_k, the probability that a new part works at the end of each month up to `months`. */
export function newPartSurvival({ shape, scaleYears }: Life, months: number): Float64Array {
  const survival = new Float64Array(months + 1);
  survival[0] = 1;
  const step = 1 / 12 / scaleYears;
  for (let month = 1; month <= months && survival[month - 1]! > 0; month++)
    survival[month] = Math.exp(-fastPower(month * step, shape));
  return survival;
}

/** Returns S¹_k, the probability that a part in place still works at the end of each month up to `months`. */
export function survivalOfPartInPlace(
  { shape, scaleYears, ageYears, hazardRatio }: Life & PartAge,
  months: number,
): Float64Array {
  const survival = new Float64Array(months + 1);
  survival[0] = 1;
  const age = ageYears / scaleYears;
  const passed = fastPower(age, shape);
  const step = 1 / 12 / scaleYears;
  // Once survival is 0, all later entries are 0.
  for (let month = 1; month <= months && survival[month - 1]! > 0; month++)
    survival[month] = Math.exp(-hazardRatio * (fastPower(age + month * step, shape) - passed));
  return survival;
}

/** The survival of a part in place, in months that are asked for one by one. */
export class PartSurvival {
  readonly #shape: number;
  readonly #scaleYears: number;
  readonly #hazardRatio: number;
  readonly #age: number;
  readonly #passed: number;

  constructor({ shape, scaleYears, ageYears, hazardRatio }: Life & PartAge) {
    this.#shape = shape;
    this.#scaleYears = scaleYears;
    this.#hazardRatio = hazardRatio;
    this.#age = ageYears / scaleYears;
    this.#passed = fastPower(this.#age, shape);
  }

  /** Returns the probability that the part works at the end of a month. */
  at(month: number): number {
    const age = this.#age + month / 12 / this.#scaleYears;
    return Math.exp(-this.#hazardRatio * (fastPower(age, this.#shape) - this.#passed));
  }
}

/** Returns the probability that a part works at the end of a month. */
export const survivalProbabilityAt = (part: Life & PartAge, month: number): number =>
  new PartSurvival(part).at(month);

/** Returns the probability of failing in each month, given the survival at its ends; index 0 is 0. */
export function monthlyFailureProbabilities(survival: Float64Array): Float64Array {
  const shares = new Float64Array(survival.length);
  for (let month = 1; month < survival.length; month++)
    shares[month] = survival[month - 1]! - survival[month]!;
  return shares;
}

/** Returns `base ** shape`. Most shapes are multiples of a half: a root and products take a third of the time of a power. */
export function fastPower(base: number, shape: number): number {
  const whole = Math.floor(shape);
  // Remainders take as long as the rest.
  if (shape !== whole && shape !== whole + 0.5) return base ** shape;
  let product = shape === whole ? 1 : Math.sqrt(base);
  for (let n = 1; n <= whole; n++) product *= base;
  return product;
}
