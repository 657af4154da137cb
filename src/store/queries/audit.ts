import { count, desc, eq } from "drizzle-orm";
import type { AuditEntry } from "../../administration/audit-entry.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";
import type { Slice } from "../slice.ts";

type NewEntry = { at: Instant; actor: string; action: string; subject: string };

/**
 * The changes by operators and administrators. The database refuses to change or delete its rows; the values of a partner's
 * corrected records are apart, and are deleted with the partner.
 */
export function auditStore(engine: Engine) {
  const { db } = engine;
  const { auditLog, correctionValues } = engine.tables;
  return {
    /** Adds an entry. `actor` is `cli:<user>(<user id>)`, or an administrator's or partner's id; `detail` never contains a secret. */
    async record(entry: NewEntry & { detail: Record<string, unknown> }): Promise<void> {
      await db.insert(auditLog).values(entry);
    },
    /** Adds an entry about a partner's record, with the fields that changed and their values before and after. */
    async recordCorrection({
      partnerId,
      before,
      after,
      ...entry
    }: NewEntry & {
      partnerId: string;
      before: Record<string, unknown>;
      after: Record<string, unknown>;
    }): Promise<void> {
      const [row] = await db
        .insert(auditLog)
        .values({ ...entry, detail: { fields: Object.keys(after) } })
        .returning({ seq: auditLog.seq });
      await db.insert(correctionValues).values({ seq: row!.seq, partnerId, detail: { before, after } });
    },
    /** Ordered from the newest. The values of corrected records are in the detail until their partner is purged. */
    async page(slice: Slice, subject?: string): Promise<AuditEntry[]> {
      const rows = await db
        .select({ entry: auditLog, values: correctionValues.detail })
        .from(auditLog)
        .leftJoin(correctionValues, eq(correctionValues.seq, auditLog.seq))
        .where(subject === undefined ? undefined : eq(auditLog.subject, subject))
        .orderBy(desc(auditLog.seq))
        .limit(slice.limit)
        .offset(slice.offset);
      return rows.map(({ entry, values }) => ({ ...entry, detail: values ?? entry.detail }));
    },
    async count(subject?: string): Promise<number> {
      const rows = await db
        .select({ n: count() })
        .from(auditLog)
        .where(subject === undefined ? undefined : eq(auditLog.subject, subject));
      return rows[0]!.n;
    },
  };
}
