import { centsFromUsd } from "../domain/costs/usd-cents.ts";
import { invalid } from "../domain/errors.ts";
import type { Condition, EventType } from "../domain/service-event.ts";
import { type Day, isoTextOfInstant } from "../domain/time.ts";
import { WORK_STATES, type Work, type WorkState } from "../domain/work-mark.ts";
import { bulkResultSchema } from "./bulk-schema.ts";
import * as constraint from "./definition/api-schema-constraints.ts";
import { defineSchemaConstraint } from "./definition/api-schema-field-constraint.ts";
import {
  bodySchema,
  documentedSchema,
  inputSchema,
  itemsFieldSchema,
  nullableSchema,
  requiredSchema,
  schemaTextOrNull,
} from "./definition/input-schema.ts";
import {
  daySchema,
  enumSchema,
  idSchema,
  instantSchema,
  recordSchema,
  textSchema,
} from "./definition/schema-field-types.ts";
import { serviceEvent } from "./service-event-schema.ts";

/* Work as people mark it: ordered, deferred until a day, done, or open again. */

/** The states that a request can give work. */
const MARKS = ["open", ...WORK_STATES, "done"] as const;
type Mark = (typeof MARKS)[number];

const until = daySchema("Day until which it is deferred", "2027-03-01");
const by = textSchema("Name of the person who marked it", "J. Ito");
const reason = textSchema("Why", "The supplier delivers in March");

/** The mark on the work of a line of a plan, or of an action in a list. */
export const workFields = {
  work_state: enumSchema<WorkState>(
    WORK_STATES,
    "Whether the work is ordered or deferred; null for open work. Figures count it either way",
  ).orNull(),
  work_until: until.orNull(),
  work_by: by.orNull(),
  work_reason: reason.orNull(),
};

export const serializeWorkFields = (work: Work | undefined) => ({
  work_state: work?.state ?? null,
  work_until: work?.until ?? null,
  work_by: work?.by ?? null,
  work_reason: work?.reason ?? null,
});

/** The work of a component or of a whole appliance, as it is after a request. */
export type MarkedWork = {
  applianceId: string;
  componentId: string | null;
  state: Mark;
  until: Day | null;
  by: string;
  reason: string | null;
  markedAt: number;
  /** The event that was logged for work that is done. */
  serviceEventId: string | null;
};

export const markedWork = recordSchema("MarkedWork", {
  component_id: idSchema("C", "The component; null for the appliance as a whole").orNull(),
  appliance_id: idSchema("A", "The appliance"),
  state: enumSchema<Mark>(MARKS, "State of the work", "ordered"),
  until: until.orNull(),
  by,
  reason: reason.orNull(),
  marked_at: instantSchema("When it was marked"),
  service_event_id: idSchema(
    "SE",
    "The service event that was logged; null unless the work is done",
  ).orNull(),
});

/** Returns the fields of a mark that every answer has. */
export const workMarkJson = (work: Omit<MarkedWork, "serviceEventId">) => ({
  component_id: work.componentId,
  appliance_id: work.applianceId,
  state: work.state,
  until: work.until,
  by: work.by,
  reason: work.reason,
  marked_at: isoTextOfInstant(work.markedAt),
});

export const serializeMarkedWork = markedWork.serializer((work: MarkedWork) => ({
  ...workMarkJson(work),
  service_event_id: work.serviceEventId,
}));

/** The values of marked work in the audit log. */
export const serializeWorkMarkAuditDetail = (
  work: Pick<MarkedWork, "state" | "until" | "by" | "reason"> | undefined,
) =>
  work
    ? { state: work.state, until: work.until, by: work.by, reason: work.reason }
    : { state: "open", until: null, by: null, reason: null };

const mark = defineSchemaConstraint((type) =>
  type.enumerated(...MARKS).describe(`one of ${MARKS.join(", ")}`),
);

const event = serviceEvent.fields;

const newWork = inputSchema("NewWork", {
  component_id: nullableSchema(
    constraint.idText,
    "The component whose work it is; instead of `appliance_id`",
    event.component_id.annotations.example,
  ),
  appliance_id: nullableSchema(
    constraint.idText,
    "The appliance whose work as a whole it is; instead of `component_id`",
  ),
  state: documentedSchema(
    requiredSchema(
      mark,
      "`ordered`; `deferred` until a day; `done`, which logs a service event; or `open`, which removes the mark",
      "ordered",
    ),
    markedWork.fields.state,
  ),
  until: nullableSchema(
    constraint.day,
    until.describedAs("Required for `deferred`: the day until which, after today"),
  ),
  by: requiredSchema(constraint.requiredLine, by),
  reason: nullableSchema(constraint.line, reason.describedAs("Why; required for `deferred`")),
  date: nullableSchema(
    constraint.day,
    event.date.describedAs("Of `done` work: the day of the service; today by default"),
  ),
  event_type: documentedSchema(
    nullableSchema(
      constraint.eventType,
      event.event_type.describedAs("Of `done` work: the type of the service event; Replacement by default"),
    ),
    event.event_type,
  ),
  total_cost: nullableSchema(constraint.usd, event.total_cost.describedAs("Of `done` work: its total cost")),
  condition_after: nullableSchema(
    constraint.condition,
    event.condition_after.describedAs("Of `done` work: the condition found after it"),
  ),
});

export const workBody = bodySchema({ work: itemsFieldSchema("The work to mark", newWork) });
export const workReply = bulkResultSchema("The marked work", markedWork);

/** A request to mark work. */
export type WorkRequest = {
  subject: { componentId: string } | { applianceId: string };
  by: string;
  reason: string | null;
} & (
  | { state: "open" | "ordered" }
  | { state: "deferred"; until: Day }
  | {
      state: "done";
      /** Null for today. */
      date: Day | null;
      eventType: EventType;
      totalCostCents: number | null;
      conditionAfter: Condition | null;
    }
);

/** Fields that one state alone has. */
const DONE_FIELDS = ["date", "event_type", "total_cost", "condition_after"] as const;

/** Reads a request to mark work. Throws invalid_request. */
export function parseWorkMarkJson(given: unknown): WorkRequest {
  const json = newWork.parse(given);
  const [componentId, applianceId] = [
    schemaTextOrNull(json.component_id),
    schemaTextOrNull(json.appliance_id),
  ];
  if ((componentId === null) === (applianceId === null))
    throw refused("component_id", "component_id or appliance_id required, and not both");
  const common = {
    subject: componentId === null ? { applianceId: applianceId! } : { componentId },
    by: json.by.trim(),
    reason: schemaTextOrNull(json.reason),
  };
  const { state } = json;
  for (const name of DONE_FIELDS)
    if (state !== "done" && json[name] != null) throw refused(name, `${name} is only for done work`);
  if (state !== "deferred" && json.until != null) throw refused("until", "until is only for deferred work");
  if (state === "done")
    return {
      ...common,
      state,
      date: json.date ?? null,
      eventType: json.event_type ?? "Replacement",
      totalCostCents: json.total_cost == null ? null : centsFromUsd(json.total_cost),
      conditionAfter: json.condition_after ?? null,
    };
  if (state !== "deferred") return { ...common, state };
  if (json.until == null || common.reason === null)
    throw refused(json.until == null ? "until" : "reason", "until and reason required for deferred work");
  return { ...common, state, until: json.until };
}

const refused = (field: string, message: string) => invalid(message, [{ field, message }]);
