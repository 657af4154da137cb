/* The terms of pages, each defined once: beside the figure, and in a list for print. */

export const DEFINITIONS = {
  replacementsDue: {
    name: "Replacements due",
    text: "Appliances and components past the age at which replacing them costs least in the long run, at the end of a fixed life, or with a hazard that must be removed at once. Immediate are hazards, safety items past their life, and what will more likely than not fail within a year; the rest is to be replaced within the year. The sum is the planned cost at today's prices; an appliance that is replaced as a whole counts once.",
  },
  costOfWaiting: {
    name: "Cost of waiting a year",
    text: "Expected failures and repairs of the next 12 months of the replacements that are due, less what deferring the replacement for a year saves. It is a mean over many buildings, not a bill.",
  },
  yearlyReserve: {
    name: "Yearly reserve",
    text: "The level deposit that pays the planned replacements and expected failures of the plan's years from a reserve, without the replacements that are due now and without repairs. It covers each single year with a probability of about 50%, and all years with less; the plan shows the deposits for 80% and 95%.",
  },
  tier: {
    name: "Tier",
    text: "How likely failure is: Critical, Warning or Good, from the risk score. The action follows from the tier, the costs and the consequences together, so a Good component can be due and a Critical one can run to failure.",
  },
  chance: {
    name: "Chance in 12 months",
    text: "The probability of failing within 12 months, from age, use, condition and service history; of a whole appliance, that any of its components fails.",
  },
  plannedCost: {
    name: "Planned cost",
    text: "The cost of replacing it before it fails, at today's prices. It is a reference cost unless the owner's own costs are on record.",
  },
  failedCost: {
    name: "Cost after failure",
    text: "The cost of an emergency replacement, with the damage that a failure causes on average.",
  },
  confidence: {
    name: "Data confidence",
    text: "High, medium or low, by how much service history and inspection there is for a component. Low confidence means that an inspection is worth more than a calculation.",
  },
} as const satisfies Record<string, { name: string; text: string }>;

/** The terms of losses, which plans do not use. */
export const LOSS_DEFINITIONS = {
  expectedLosses: {
    name: "Expected losses",
    text: "What the failures of the coming 12 months cost on average: each component's probability of failing, times its emergency repair and the damage that its failure causes on average. Storms, floods and earthquakes are excluded.",
  },
  expectedDamage: {
    name: "Expected damage",
    text: "The part of the expected losses that is damage to the property by water, sewer backup and fire. Most failures cause none.",
  },
  insured: {
    name: "Insured",
    text: "Of each damage, what exceeds the deductible, up to the limit above it.",
  },
  exceededOnce: {
    name: "Exceeded once in 100 years",
    text: "In one of 100 years the failures of the whole year cost more than this. From 20,000 simulated years, in which cold winters and the like make components fail together. With model error, the forecast may also be wrong for all components at once.",
  },
  percentile: {
    name: "Percentile",
    text: "How many of 100 other properties have lower expected losses per unit, by the scores of the day's snapshot. Demo properties are not counted.",
  },
  variance: {
    name: "Share of variance",
    text: "How much of what makes years differ is due to it: its covariance with all losses, divided by their variance. The shares add up to 100%.",
  },
  lossControl: {
    name: "Damage saved",
    text: "The expected damage of the coming year that replacing a component now saves: a new one fails less often. The cost is that of planned replacement.",
  },
} as const satisfies Record<string, { name: string; text: string }>;

export type DefinedTerm = keyof typeof DEFINITIONS | keyof typeof LOSS_DEFINITIONS;
