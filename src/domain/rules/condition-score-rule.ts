import type { Condition, ConditionScore } from "../service-event.ts";

/**
 * Returns the condition that a score means, by thirds of its scale.
 * @example
 * conditionByScoreRule({ score: 3, scale: [1, 5] }) // "fair"
 */
export function conditionByScoreRule({ score, scale: [worst, best] }: ConditionScore): Condition {
  // Compared without division, so that a score on the border of two thirds has the better condition.
  const [above, whole] = [3 * Math.abs(score - worst), Math.abs(best - worst)];
  return above < whole ? "poor" : above < 2 * whole ? "fair" : "good";
}

/** Returns what is wrong about a score; undefined if nothing is. */
export function conditionScoreRuleIssue({ score, scale }: ConditionScore): string | undefined {
  const [least, most] = [Math.min(...scale), Math.max(...scale)];
  if (score >= least && score <= most) return undefined;
  return `must be on its scale, from ${least} to ${most}`;
}
