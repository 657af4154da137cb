import { invalid } from "../domain/errors.ts";
import { centsFromUsd } from "../domain/money.ts";
import {
  type Condition,
  EVENT_TYPES,
  type EventType,
  type NewServiceEvent,
  type ServiceEvent,
} from "../domain/service-event.ts";
import { toIso } from "../domain/time.ts";
import { bulkReply } from "./bulk.ts";
import * as constraint from "./schema/constraints.ts";
import { day, enumOf, id, instant, record, text, textList, usd } from "./schema/fields.ts";
import { body, documentedAs, input, items, nullable, required, textOrNull } from "./schema/input.ts";
import { usdOrNull } from "./schema/units.ts";
import type { WireOf } from "./schema/wire-type.ts";

/** A service event of an appliance or of one of its components. */
export const serviceEvent = record("ServiceEvent", {
  id: id("SE", "The service event's ID"),
  appliance_id: id("A", "The appliance"),
  component_id: id("C", "The component; null if the event concerns the whole appliance").orNull(),
  event_type: enumOf(EVENT_TYPES, "Type of service", "Inspection"),
  date: day("Date of the service in UTC"),
  parts_cost: usd("Cost of parts", 240).orNull(),
  labor_cost: usd("Cost of labor", 180).orNull(),
  total_cost: usd("Total cost: parts and labor, unless specified", 420).orNull(),
  technician: text("Name of the technician", "J. Ortiz").orNull(),
  notes: text("Free text", "Anode replaced").orNull(),
  condition_after: enumOf<Condition>(
    ["good", "fair", "poor"],
    "Condition found after the service",
    "good",
  ).orNull(),
  inspection_types: textList(
    "The inspections that it was, of those that the appliance's type needs (`inspections` of GET /v1/appliance-types)",
    ["sprinkler_annual_inspection"],
  ),
  created_at: instant("When the record was created"),
});

export const serviceEventView = serviceEvent.serializer((event: ServiceEvent) => ({
  id: event.id,
  appliance_id: event.applianceId,
  component_id: event.componentId,
  event_type: event.eventType,
  date: event.date,
  parts_cost: usdOrNull(event.partsCostCents),
  labor_cost: usdOrNull(event.laborCostCents),
  total_cost: usdOrNull(event.totalCostCents),
  technician: event.technician,
  notes: event.notes,
  condition_after: event.conditionAfter,
  inspection_types: event.inspectionTypes ?? [],
  created_at: toIso(event.createdAt),
}));

const out = serviceEvent.fields;

/** A service event in a component's history. */
export const historyEvent = record("HistoryEvent", {
  id: out.id,
  event_type: out.event_type,
  date: out.date,
  technician: out.technician,
  total_cost: out.total_cost,
  notes: out.notes,
  condition_after: out.condition_after,
  inspection_types: out.inspection_types,
});
export type HistoryEventJson = WireOf<typeof historyEvent>;

export const historyEventView = historyEvent.serializer((event: ServiceEvent) => ({
  id: event.id,
  event_type: event.eventType,
  date: event.date,
  technician: event.technician,
  total_cost: usdOrNull(event.totalCostCents),
  notes: event.notes,
  condition_after: event.conditionAfter,
  inspection_types: event.inspectionTypes ?? [],
}));

/** Validated less strictly than documented, so that the error message of a rejected event names the problem. */
export const newServiceEvent = input("NewServiceEvent", {
  event_type: documentedAs(required(constraint.requiredLine, out.event_type), {
    type: "string",
    enum: EVENT_TYPES,
  }),
  date: required(constraint.day, out.date),
  appliance_id: documentedAs(nullable(constraint.idText, out.appliance_id), "required"),
  component_id: nullable(constraint.idText, out.component_id),
  parts_cost: nullable(constraint.usd, out.parts_cost),
  labor_cost: nullable(constraint.usd, out.labor_cost),
  total_cost: nullable(
    constraint.usd,
    out.total_cost.describedAs("Total cost, in USD; defaults to parts and labor"),
  ),
  technician: nullable(constraint.line, out.technician),
  notes: nullable(
    constraint.longText,
    out.notes.describedAs("Free text; searched for signs of wear and damage"),
  ),
  condition_after: nullable(constraint.condition, out.condition_after),
  inspection_types: nullable(
    constraint.inspectionTypes,
    out.inspection_types.describedAs(
      "The inspections that it was, of those that the appliance's type needs. Without any, those that the notes name " +
        "count; else the one with the shortest interval of those that the event type can be",
    ),
  ),
});

export const newServiceEvents = body({ events: items("The service events to create", newServiceEvent) });
export const serviceEventsBulkReply = bulkReply("The created service events", serviceEvent);

/** Reads a new service event from a request. Throws invalid_request. */
export function readNewServiceEvent(given: unknown): NewServiceEvent {
  const wire = newServiceEvent.parse(given);
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
    inspectionTypes: wire.inspection_types?.length ? wire.inspection_types : null,
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
