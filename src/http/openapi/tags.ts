/** The families of operations, with what each is about. */
export const TAGS = {
  Administration: "For the holders of an administrator's key.",
  Appliances: "Appliances and their photos.",
  Authentication: "Credentials and tokens.",
  Claims: "Insurance claims and what they do to scores.",
  Components: "Components with their scores, history and trend; alerts.",
  Events: "What happened: the stream to poll, and what was sent to your webhook receiver.",
  Figures: "Reports, forecasts, reserves, condition, replacement cost and compliance of a property.",
  Onboarding: "A property to try things out on.",
  Properties: "Properties, their units, and the portfolio.",
  Sensors: "Meter readings and smart events.",
  "Service events": "What was done to appliances.",
  System: "Health and this document.",
} as const;

export type Tag = keyof typeof TAGS;
