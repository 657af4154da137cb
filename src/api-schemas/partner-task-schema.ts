import { PARTNER_TASKS, type PartnerTask } from "../domain/partner-task.ts";
import { isoTextOfInstant } from "../domain/time.ts";
import { reportedBy } from "./cluster-server-schema.ts";
import * as constraint from "./definition/api-schema-constraints.ts";
import { defineSchemaConstraint } from "./definition/api-schema-field-constraint.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { bodySchema, optionalSchema, requiredSchema } from "./definition/input-schema.ts";
import { jsonInstantOrNull } from "./definition/json-unit-conversion.ts";
import {
  enumSchema,
  idSchema,
  instantSchema,
  mapSchema,
  objectSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";

const task = objectSchema({
  kind: enumSchema(PARTNER_TASKS, "The task"),
  status: enumSchema<PartnerTask["status"]>(["running", "done", "failed"], "State of the task", "done"),
  started_at: instantSchema("When the task was requested"),
  finished_at: instantSchema("When the task ended").orNull(),
  error: textSchema("Why the task failed; completed steps are not undone").orNull(),
  counts: mapSchema(
    "Results: deliveries queued, or rows and files deleted",
    wholeNumberSchema("Count", 42),
  ).orNull(),
});
export type PartnerTaskJson = JsonOf<typeof task>;

export const partnerTask = objectSchema({
  partner_id: idSchema("PARTNER", "The partner"),
  server: reportedBy,
  held_by: textSchema(
    "The server or command that runs a task on the partner now, of all on the database",
    "the server at http://10.0.0.1:8080, since 2026-03-10T12:00:00.000Z",
  ).orNull(),
  task: task.describedAs("The latest task of this server since its start").orNull(),
});

export const serializePartnerTask = partnerTask.serializer(
  (partnerId: string, server: string, heldBy: string | undefined, latest: PartnerTask | undefined) => ({
    partner_id: partnerId,
    server,
    held_by: heldBy ?? null,
    task: latest
      ? {
          kind: latest.kind,
          status: latest.status,
          started_at: isoTextOfInstant(latest.startedAt),
          finished_at: jsonInstantOrNull(latest.finishedAt),
          error: latest.error,
          counts: latest.counts as Record<string, number> | null,
        }
      : null,
  }),
);

export const announceRequest = bodySchema({
  dry_run: optionalSchema(constraint.flag, "Only count the deliveries", false),
});

export const purgeRequest = bodySchema({
  confirm: requiredSchema(
    defineSchemaConstraint((type) => type("string <= 500").describe("a text of at most 500 characters")),
    "The partner's full name",
    "Acme Insurance",
  ),
});
