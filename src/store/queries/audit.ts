import { count, desc, eq } from "drizzle-orm";
import type { AuditEntry } from "../../administration/audit-entry.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";
import type { Slice } from "../slice.ts";

/** The changes by operators and administrators. The database refuses to change or delete its rows. */
export function auditStore(engine: Engine) {
  const { db } = engine;
  const { auditLog } = engine.tables;
  return {
    /** Adds an entry. `actor` is `cli:<user>(<user id>)`, or an administrator's or partner's id; `detail` never contains a secret. */
    async record(entry: {
      at: Instant;
      actor: string;
      action: string;
      subject: string;
      detail: Record<string, unknown>;
    }): Promise<void> {
      await db.insert(auditLog).values(entry);
    },
    /** Ordered from the newest. */
    async page(slice: Slice, subject?: string): Promise<AuditEntry[]> {
      return await db
        .select()
        .from(auditLog)
        .where(subject === undefined ? undefined : eq(auditLog.subject, subject))
        .orderBy(desc(auditLog.seq))
        .limit(slice.limit)
        .offset(slice.offset);
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
