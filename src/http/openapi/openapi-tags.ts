/** The groups of operations, with their descriptions. */
export const TAGS = {
  Administration: "Requires an administrator's key.",
  Appliances: "Appliances and their photos.",
  Authentication: "Credentials and tokens.",
  Claims: "Insurance claims and their effect on scores.",
  Components: "Components with their scores, history and trend. Alerts.",
  Costs: "What you pay for replacements and failures.",
  Events: "The event stream, and the deliveries to your webhook endpoint.",
  Figures: "Reports, forecasts, reserves, condition, replacement cost and compliance of a property.",
  Onboarding: "A demo property for testing.",
  Properties: "Properties, their units, and the portfolio.",
  Sensors: "Meter readings and smart sensor events.",
  "Service events": "Maintenance, repairs and replacements of appliances.",
  System: "Health and this document.",
} as const;

export type Tag = keyof typeof TAGS;
