import type { NamedAuditEntry } from "../domain/audit-entry.ts";
import { isoTextOfInstant } from "../domain/time.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import {
  anyObjectSchema,
  idSchema,
  instantSchema,
  objectSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { unscopedPageSchema } from "./paging-schema.ts";

/** An entry in a table, which has no details. */
export const auditRow = objectSchema({
  seq: wholeNumberSchema("Sequence number of the entry", 41),
  at: instantSchema("When the change was made"),
  actor: textSchema(
    "Who made the change: `cli:<user>(<user ID>)`, or an administrator's or partner's ID",
    "cli:mainstay(998)",
  ),
  actor_name: textSchema("The actor's name", "Anna"),
  action: textSchema("The action", "partner.rotate_key"),
  subject: textSchema("ID of the changed resource, usually a partner", "PARTNER_01m7xtb1x0e2mav3k9q8w7r6t5"),
  partner_id: idSchema("PARTNER", "The partner that the entry names").orNull(),
  partner_name: textSchema("The partner's name", "Acme Insurance").orNull(),
  sentence: textSchema("What the actor did", "replaced the API key of Acme Insurance"),
});
const entry = auditRow.and({
  detail: anyObjectSchema("Details of the change; never contains secrets"),
});
export type AuditEntryJson = JsonOf<typeof entry>;

export const serializeAuditLog = entry.serializer((entry: NamedAuditEntry) => ({
  seq: entry.seq,
  at: isoTextOfInstant(entry.at),
  actor: entry.actor,
  actor_name: entry.actorName,
  action: entry.action,
  subject: entry.subject,
  partner_id: entry.partnerId,
  partner_name: entry.partnerName,
  sentence: entry.sentence,
  detail: entry.detail,
}));
export const auditPage = unscopedPageSchema("entries", entry);
export type AuditPageJson = JsonOf<typeof auditPage>;
