/** The part of what is due now that cannot wait, in words for people. */
export const IMMEDIATE_WORK =
  "known hazards, what is due of an appliance with an open inspection deficiency, safety items past their life and units that " +
  "contain one, and what is at least as likely as not to fail within the year";
