import type { AuditEntry } from "../administration/audit-entry.ts";
import { toIso } from "../domain/time.ts";
import { unscopedPage } from "./paging.ts";
import { anyObject, instant, object, text, whole } from "./schema/fields.ts";
import type { WireOf } from "./schema/wire-type.ts";

const entry = object({
  seq: whole("Sequence number of the entry", 41),
  actor: text("Who made the change: `cli:<user>(<user ID>)` or an administrator's ID", "cli:mainstay(998)"),
  action: text("The action", "partner.set_budget"),
  subject: text("ID of the changed resource, usually a partner", "PARTNER_01m7xtb1x0e2mav3k9q8w7r6t5"),
  detail: anyObject("Details of the change; never contains secrets"),
  at: instant("When the change was made"),
});
export type AuditEntryJson = WireOf<typeof entry>;

export const auditView = entry.serializer((entry: AuditEntry) => ({
  seq: entry.seq,
  actor: entry.actor,
  action: entry.action,
  subject: entry.subject,
  detail: entry.detail,
  at: toIso(entry.at),
}));
export const auditPage = unscopedPage("entries", entry);
export type AuditPageJson = WireOf<typeof auditPage>;
