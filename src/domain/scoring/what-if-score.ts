import type { Knowledge } from "../domain-knowledge.ts";
import type { Day } from "../time.ts";
import { scoreProperty } from "./score.ts";
import type { ModelCorrections } from "./score-model-corrections.ts";
import type { EventEvidence, PropertyHistory, Score } from "./scoring-types.ts";

/** Events that would change a component's score if they happened today. */
export const CHANGES = {
  replacement: { eventType: "Replacement", conditionAfter: null },
  preventive_visit: { eventType: "Preventive Maintenance", conditionAfter: null },
  inspection_good: { eventType: "Inspection", conditionAfter: "good" },
  inspection_poor: { eventType: "Inspection", conditionAfter: "poor" },
} as const satisfies Record<string, Pick<EventEvidence, "eventType" | "conditionAfter">>;
export type ChangeName = keyof typeof CHANGES;

/** A component and its appliance. */
export type WhatIfTarget = { applianceId: string; componentId: string };

/** Returns the score that the component would have after the change, with everything else unchanged. */
export function whatIfScore(
  knowledge: Knowledge,
  history: PropertyHistory,
  { applianceId, componentId }: WhatIfTarget,
  change: ChangeName,
  asOf: Day,
  corrections: ModelCorrections,
): Score {
  const event: EventEvidence = { componentId, date: asOf, note: null, ...CHANGES[change] };
  const appliances = history.appliances.map((appliance) =>
    appliance.id === applianceId ? { ...appliance, events: [...appliance.events, event] } : appliance,
  );
  const only = new Set([applianceId]);
  return scoreProperty(knowledge, { ...history, appliances }, asOf, { only, corrections }).get(componentId)!;
}
