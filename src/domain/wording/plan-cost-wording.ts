/** The reason why a plan can cost more than running everything to failure, in words for people. */
export const WHY_PLAN_COSTS_MORE = "some replacements protect people, and others pay off later";
