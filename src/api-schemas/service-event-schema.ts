import { centsFromUsd } from "../domain/costs/usd-cents.ts";
import { invalid } from "../domain/errors.ts";
import { conditionByScoreRule, conditionScoreRuleIssue } from "../domain/rules/condition-score-rule.ts";
import {
  CONDITIONS,
  type Condition,
  type ConditionScore,
  EVENT_TYPES,
  type EventType,
  type NewServiceEvent,
  type ServiceEvent,
  type ServiceEventChange,
} from "../domain/service-event.ts";
import { isoTextOfInstant } from "../domain/time.ts";
import { bulkResultSchema } from "./bulk-schema.ts";
import * as constraint from "./definition/api-schema-constraints.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import {
  bodySchema,
  documentedSchema,
  type InputOf,
  inputSchema,
  itemsFieldSchema,
  nullableSchema,
  optionalSchema,
  requiredSchema,
  schemaTextOrNull,
} from "./definition/input-schema.ts";
import { jsonUsdFromCentsOrNull } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  enumSchema,
  idSchema,
  instantSchema,
  numberListSchema,
  numberSchema,
  recordSchema,
  textListSchema,
  textSchema,
  usdSchema,
} from "./definition/schema-field-types.ts";
import { schemaWithPartner } from "./paging-schema.ts";
import {
  type ChangeOrVoid,
  parseVoidRequestJson,
  serializeVoiding,
  voidFields,
  voidInput,
} from "./voiding-schema.ts";

const conditionScale = numberListSchema("The worst and the best score that the inspector could give", [1, 5]);

/** A service event of an appliance or of one of its components. */
export const serviceEvent = recordSchema("ServiceEvent", {
  id: idSchema("SE", "The service event's ID"),
  appliance_id: idSchema("A", "The appliance"),
  component_id: idSchema("C", "The component; null if the event concerns the whole appliance").orNull(),
  event_type: enumSchema(EVENT_TYPES, "Type of service", "Inspection"),
  date: daySchema("Date of the service in UTC"),
  parts_cost: usdSchema("Cost of parts", 240).orNull(),
  labor_cost: usdSchema("Cost of labor", 180).orNull(),
  total_cost: usdSchema("Total cost: parts and labor, unless specified", 420).orNull(),
  technician: textSchema("Name of the technician", "J. Ortiz").orNull(),
  notes: textSchema("Free text", "Anode replaced").orNull(),
  condition_after: enumSchema<Condition>(
    [...CONDITIONS],
    "Condition found after the service",
    "good",
  ).orNull(),
  condition_score: numberSchema(
    "The condition as the inspector gave it, a number on `condition_scale`",
    4,
  ).orNull(),
  condition_scale: conditionScale.orNull(),
  inspection_types: textListSchema(
    "The inspections that it was, of those that the appliance's type needs (`inspections` of GET /v1/appliance-types)",
    ["sprinkler_annual_inspection"],
  ),
  ...voidFields,
  created_at: instantSchema("When the record was created"),
});

const serializeConditionScore = (given: ConditionScore | null) => ({
  condition_score: given?.score ?? null,
  condition_scale: given?.scale ?? null,
});

export const serializeServiceEvent = serviceEvent.serializer((event: ServiceEvent) => ({
  id: event.id,
  appliance_id: event.applianceId,
  component_id: event.componentId,
  event_type: event.eventType,
  date: event.date,
  parts_cost: jsonUsdFromCentsOrNull(event.partsCostCents),
  labor_cost: jsonUsdFromCentsOrNull(event.laborCostCents),
  total_cost: jsonUsdFromCentsOrNull(event.totalCostCents),
  technician: event.technician,
  notes: event.notes,
  condition_after: event.conditionAfter,
  ...serializeConditionScore(event.conditionScore),
  inspection_types: event.inspectionTypes ?? [],
  ...serializeVoiding(event),
  created_at: isoTextOfInstant(event.createdAt),
}));

const out = serviceEvent.fields;

/** A service event in a component's history. */
export const historyEvent = recordSchema("HistoryEvent", {
  id: out.id,
  event_type: out.event_type,
  date: out.date,
  technician: out.technician,
  total_cost: out.total_cost,
  notes: out.notes,
  condition_after: out.condition_after,
  condition_score: out.condition_score,
  condition_scale: out.condition_scale,
  inspection_types: out.inspection_types,
});
export type HistoryEventJson = JsonOf<typeof historyEvent>;

export const serializeHistoryEvent = historyEvent.serializer((event: ServiceEvent) => ({
  id: event.id,
  event_type: event.eventType,
  date: event.date,
  technician: event.technician,
  total_cost: jsonUsdFromCentsOrNull(event.totalCostCents),
  notes: event.notes,
  condition_after: event.conditionAfter,
  ...serializeConditionScore(event.conditionScore),
  inspection_types: event.inspectionTypes ?? [],
}));

const optionalFields = {
  component_id: nullableSchema(constraint.idText, out.component_id),
  parts_cost: nullableSchema(constraint.usd, out.parts_cost),
  labor_cost: nullableSchema(constraint.usd, out.labor_cost),
  total_cost: nullableSchema(
    constraint.usd,
    out.total_cost.describedAs("Total cost, in USD; defaults to parts and labor"),
  ),
  technician: nullableSchema(constraint.line, out.technician),
  notes: nullableSchema(
    constraint.longText,
    out.notes.describedAs("Free text; searched for signs of wear and damage, and for inspections"),
  ),
  condition_after: nullableSchema(
    constraint.condition,
    out.condition_after.describedAs(
      "Condition found after the service; without it, the third of `condition_scale` that `condition_score` is in",
    ),
  ),
  condition_score: nullableSchema(
    constraint.reading,
    out.condition_score.describedAs("The condition as a number on `condition_scale`, which must come along"),
  ),
  condition_scale: nullableSchema(constraint.conditionScale, out.condition_scale),
  inspection_types: nullableSchema(
    constraint.inspectionTypes,
    out.inspection_types.describedAs(
      "The inspections that it was, of those that the appliance's type needs. Without any, those that the notes " +
        "report count; else the one with the shortest interval of those that the event type can be, unless the notes deny it or it has a condition score",
    ),
  ),
} as const;

/** Validated less strictly than documented, so that the error message of a rejected event names the problem. */
export const newServiceEvent = inputSchema("NewServiceEvent", {
  event_type: documentedSchema(requiredSchema(constraint.requiredLine, out.event_type), {
    type: "string",
    enum: EVENT_TYPES,
  }),
  date: requiredSchema(constraint.day, out.date),
  appliance_id: documentedSchema(nullableSchema(constraint.idText, out.appliance_id), "required"),
  ...optionalFields,
});

/** Any subset of an event's fields; null clears an optional one. */
export const serviceEventChange = inputSchema("ServiceEventChange", {
  event_type: optionalSchema(constraint.eventType, out.event_type),
  date: optionalSchema(constraint.day, out.date),
  appliance_id: optionalSchema(constraint.idText, out.appliance_id),
  ...optionalFields,
  ...voidInput,
});

export const newServiceEvents = bodySchema({
  events: itemsFieldSchema("The service events to create", newServiceEvent),
});
export const serviceEventReply = schemaWithPartner(serviceEvent);
export const serviceEventsBulkReply = bulkResultSchema("The created service events", serviceEvent);

/** Reads a new service event from a request. Throws invalid_request. */
export function parseNewServiceEventJson(given: unknown): NewServiceEvent {
  const json = newServiceEvent.parse(given);
  const applianceId = schemaTextOrNull(json.appliance_id);
  if (applianceId === null)
    throw invalid("appliance_id required", [{ field: "appliance_id", message: "is required" }]);
  const stated = { ...NOTHING_GIVEN, ...readOptional(json) };
  return {
    ...stated,
    conditionAfter:
      stated.conditionAfter ?? (stated.conditionScore && conditionByScoreRule(stated.conditionScore)),
    applianceId,
    eventType: readEventType(json.event_type),
    date: json.date,
  };
}

export type ServiceEventRequest = ChangeOrVoid<ServiceEventChange>;

/** Reads a change, which has only the fields of the request, or a request to void the event. Throws invalid_request. */
export function parseServiceEventChangeJson(given: unknown): ServiceEventRequest {
  const { voided, reason, ...json } = serviceEventChange.parse(given);
  const fields = Object.keys(serviceEventChange.fields).filter((name) => Object.hasOwn(json, name));
  const voiding = parseVoidRequestJson({ voided, reason }, fields);
  if (voiding) return { void: voiding };
  const change: ServiceEventChange = readOptional(json);
  if (json.event_type !== undefined) change.eventType = json.event_type;
  if (json.date !== undefined) change.date = json.date;
  if (json.appliance_id !== undefined) change.applianceId = json.appliance_id.trim();
  return { change };
}

const NOTHING_GIVEN = {
  componentId: null,
  partsCostCents: null,
  laborCostCents: null,
  totalCostCents: null,
  technician: null,
  notes: null,
  conditionAfter: null,
  conditionScore: null,
  inspectionTypes: null,
} as const;

/** Reads the optional fields that are in the request. */
function readOptional(
  json: Partial<InputOf<typeof optionalFields>>,
): Omit<ServiceEventChange, "eventType" | "date" | "applianceId"> {
  const read: ReturnType<typeof readOptional> = {};
  if (json.component_id !== undefined) read.componentId = schemaTextOrNull(json.component_id);
  if (json.parts_cost !== undefined) read.partsCostCents = cents(json.parts_cost);
  if (json.labor_cost !== undefined) read.laborCostCents = cents(json.labor_cost);
  if (json.total_cost !== undefined) read.totalCostCents = cents(json.total_cost);
  if (json.technician !== undefined) read.technician = schemaTextOrNull(json.technician);
  if (json.notes !== undefined) read.notes = schemaTextOrNull(json.notes);
  if (json.condition_after !== undefined) read.conditionAfter = json.condition_after;
  if (json.condition_score !== undefined || json.condition_scale !== undefined)
    read.conditionScore = readConditionScore(json);
  if (json.inspection_types !== undefined)
    read.inspectionTypes = json.inspection_types?.length ? json.inspection_types : null;
  return read;
}

function readConditionScore(json: Partial<InputOf<typeof optionalFields>>): ConditionScore | null {
  const { condition_score: score = null, condition_scale: given = null } = json;
  if (score === null && given === null) return null;
  if (score === null) throw invalidScore("condition_score", "is required with condition_scale");
  if (given === null)
    throw invalidScore("condition_scale", "is required with condition_score, such as [1, 5]");
  const condition: ConditionScore = { score, scale: [given[0]!, given[1]!] };
  const issue = conditionScoreRuleIssue(condition);
  if (issue) throw invalidScore("condition_score", issue);
  return condition;
}

const invalidScore = (field: string, message: string) => invalid(`${field} ${message}`, [{ field, message }]);

function readEventType(text: string): EventType {
  const name = text.trim();
  const found = EVENT_TYPES.find((known) => known === name);
  if (found) return found;
  throw invalid(`Unknown event_type: ${name.slice(0, 64)}`, [
    { field: "event_type", message: `must be one of ${EVENT_TYPES.join(", ")}` },
  ]);
}

const cents = (amount: number | null) => (amount === null ? null : centsFromUsd(amount));
