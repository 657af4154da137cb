import { type } from "arktype";
import { invalid } from "../domain/errors.ts";
import { centsFromUsd } from "../domain/money.ts";
import type { EventType } from "../domain/service-event.ts";
import { EVENT_TYPES, type NewServiceEvent } from "../domain/service-event.ts";
import { check, shape, textOrNull } from "./check.ts";
import { condition, day, idText, line, longText, requiredLine, usd } from "./fields.ts";

export const newServiceEventShape = shape(
  type({
    event_type: requiredLine,
    date: day,
    "appliance_id?": idText.or("null"),
    "component_id?": idText.or("null"),
    "parts_cost?": usd.or("null"),
    "labor_cost?": usd.or("null"),
    "total_cost?": usd.or("null"),
    "technician?": line.or("null"),
    "notes?": longText.or("null"),
    "condition_after?": condition.or("null"),
  }),
  ["event_type", "date"],
);

/** A new service event from what came in. Throws invalid_request. */
export function readNewServiceEvent(input: unknown): NewServiceEvent {
  const wire = check(newServiceEventShape, input);
  const applianceId = textOrNull(wire.appliance_id);
  if (applianceId === null)
    throw invalid("appliance_id required", [{ field: "appliance_id", message: "is required" }]);
  return {
    applianceId,
    componentId: textOrNull(wire.component_id),
    eventType: readEventType(wire.event_type),
    date: wire.date,
    partsCostCents: cents(wire.parts_cost),
    laborCostCents: cents(wire.labor_cost),
    totalCostCents: cents(wire.total_cost),
    technician: textOrNull(wire.technician),
    notes: textOrNull(wire.notes),
    conditionAfter: wire.condition_after ?? null,
  };
}

function readEventType(text: string): EventType {
  const name = text.trim();
  const found = EVENT_TYPES.find((known) => known === name);
  if (found) return found;
  throw invalid(`Unknown event_type: ${name.slice(0, 64)}`, [
    { field: "event_type", message: `must be one of ${EVENT_TYPES.join(", ")}` },
  ]);
}

const cents = (amount: number | null | undefined) => (amount == null ? null : centsFromUsd(amount));
