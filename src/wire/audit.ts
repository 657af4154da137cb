import type { AuditEntry } from "../administration/audit-entry.ts";
import { toIso } from "../domain/time.ts";
import { operatorsPage } from "./paging.ts";
import { anyObject, instant, object, text, whole } from "./schema/fields.ts";
import type { WireOf } from "./schema/wire-type.ts";

const entry = object({
  seq: whole("Number of the entry", 41),
  actor: text("Who changed it: `cli:<user>(<user id>)` or an administrator's id", "cli:mainstay(998)"),
  action: text("What was done", "partner.set_budget"),
  subject: text("What was changed, mostly a partner's id", "PARTNER_01m7xtb1x0e2mav3k9q8w7r6t5"),
  detail: anyObject("How it was changed; never a secret"),
  at: instant("When"),
});
export type AuditEntryJson = WireOf<typeof entry>;

export const auditRecord = entry.serializer((entry: AuditEntry) => ({
  seq: entry.seq,
  actor: entry.actor,
  action: entry.action,
  subject: entry.subject,
  detail: entry.detail,
  at: toIso(entry.at),
}));
export const auditPage = operatorsPage("entries", entry);
export type AuditPageJson = WireOf<typeof auditPage>;
