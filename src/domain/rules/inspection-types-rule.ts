import type { Knowledge } from "../domain-knowledge.ts";
import { invalid } from "../errors.ts";
import type { ServiceEvent } from "../service-event.ts";

/**
 * Returns the inspection types, each once, in the order of the knowledge base. Throws invalid_request for one that neither
 * the appliance type needs nor the event `had` when its appliance was of another type.
 */
export function checkInspectionTypesRule(
  knowledge: Knowledge,
  typeId: string,
  given: ServiceEvent["inspectionTypes"] | undefined,
  had: ServiceEvent["inspectionTypes"] = null,
): ServiceEvent["inspectionTypes"] {
  if (!given || given.length === 0) return null;
  const allowed = knowledge.regimes(typeId).map(({ inspectionType }) => inspectionType);
  const possible = new Set([...allowed, ...(had ?? [])]);
  if (given.every((type) => possible.has(type))) return [...possible].filter((type) => given.includes(type));
  const message =
    allowed.length === 0
      ? `must be empty: type ${typeId} needs no inspection`
      : `must be among those of type ${typeId}: ${allowed.join(", ")}`;
  throw invalid(`inspection_types ${message}`, [{ field: "inspection_types", message }]);
}
