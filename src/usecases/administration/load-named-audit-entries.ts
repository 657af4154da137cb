import type { AuditEntry, NamedAuditEntry } from "../../domain/audit-entry.ts";
import { auditActionWording } from "../../domain/wording/audit-action-wording.ts";
import type { Stores } from "../../store/stores.ts";

/** Returns entries of the audit log with the names of their actors and partners, and with their sentences. */
export async function loadNamedAuditEntries(
  read: Pick<Stores, "administrators" | "partners">,
  entries: readonly AuditEntry[],
): Promise<NamedAuditEntry[]> {
  const named = [...(await read.administrators.list()), ...(await read.partners.list())];
  const names = new Map(named.map(({ id, name }) => [id, name]));
  return entries.map((entry) => {
    const { actor, subject, partnerId } = entry;
    const partnerName = partnerId === null ? null : (names.get(partnerId) ?? partnerId);
    const isOfOther = partnerName !== null && partnerId !== subject && partnerId !== actor;
    return {
      ...entry,
      actorName: names.get(actor) ?? actor,
      partnerName,
      sentence: `${auditActionWording(entry, names.get(subject) ?? subject)}${isOfOther ? ` for ${partnerName}` : ""}`,
    };
  });
}
