/** The months that decisions look ahead. */
export const LOOKAHEAD_MONTHS = 480;
/** The length of the longest plan. */
export const MAX_PLAN_YEARS = 30;
export const MAX_PLAN_MONTHS = 12 * MAX_PLAN_YEARS;
