/** Returns a ratio that fades linearly to 1 as `age` approaches `span`, both in one unit. */
export function fadedRatio(ratio: number, age: number, span: number): number {
  return 1 + (ratio - 1) * Math.max(0, 1 - age / span);
}

/** Returns the value within limits. */
export function clamp(value: number, lowest: number, highest: number): number {
  return Math.min(highest, Math.max(lowest, value));
}
