/** A ratio that fades linearly to 1 as `age` approaches `span`, both in the same unit. */
export function faded(ratio: number, age: number, span: number): number {
  return 1 + (ratio - 1) * Math.max(0, 1 - age / span);
}

export function clamp(value: number, lowest: number, highest: number): number {
  return Math.min(highest, Math.max(lowest, value));
}

/** Bayes' rule on the odds: prior odds times the likelihood ratio, as a probability. */
export function posterior(prior: number, likelihoodRatio: number): number {
  // The odds of a prior of 1 are infinite; this form of the same rule is not.
  return (prior * likelihoodRatio) / (1 - prior + prior * likelihoodRatio);
}
