/** The sentence that goes with every list of inspections. */
export const INSPECTION_NOTICE =
  "Local law decides which inspections are mandatory and how often. This list follows model codes and common practice.";
