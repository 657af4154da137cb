import type { NamedAuditEntry } from "../domain/audit-entry.ts";
import { isoText } from "../domain/time.ts";
import { anyObject, id, instant, object, text, whole } from "./definition/schema-field-types.ts";
import type { JsonOf } from "./definition/schema-type.ts";
import { unscopedPage } from "./paging-schema.ts";

/** An entry in a table, which has no details. */
export const auditRow = object({
  seq: whole("Sequence number of the entry", 41),
  at: instant("When the change was made"),
  actor: text(
    "Who made the change: `cli:<user>(<user ID>)`, or an administrator's or partner's ID",
    "cli:mainstay(998)",
  ),
  actor_name: text("The actor's name", "Anna"),
  action: text("The action", "partner.rotate_key"),
  subject: text("ID of the changed resource, usually a partner", "PARTNER_01m7xtb1x0e2mav3k9q8w7r6t5"),
  partner_id: id("PARTNER", "The partner that the entry names").orNull(),
  partner_name: text("The partner's name", "Acme Insurance").orNull(),
  sentence: text("What the actor did", "replaced the API key of Acme Insurance"),
});
const entry = auditRow.and({
  detail: anyObject("Details of the change; never contains secrets"),
});
export type AuditEntryJson = JsonOf<typeof entry>;

export const serializeAuditLog = entry.serializer((entry: NamedAuditEntry) => ({
  seq: entry.seq,
  at: isoText(entry.at),
  actor: entry.actor,
  actor_name: entry.actorName,
  action: entry.action,
  subject: entry.subject,
  partner_id: entry.partnerId,
  partner_name: entry.partnerName,
  sentence: entry.sentence,
  detail: entry.detail,
}));
export const auditPage = unscopedPage("entries", entry);
export type AuditPageJson = JsonOf<typeof auditPage>;
