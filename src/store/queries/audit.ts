import { and, count, desc, eq, gte, lt } from "drizzle-orm";
import type { AuditEntry, AuditFilter } from "../../administration/audit-entry.ts";
import type { AuditAction } from "../../domain/audit-actions.ts";
import { isId } from "../../domain/ids.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";
import type { RowRange } from "../row-range.ts";

type NewEntry = { at: Instant; actor: string; action: AuditAction; subject: string };

/** The highest count of entries; counting stops there. */
const MOST_COUNTED = 100_000;

/**
 * The changes by operators and administrators. The database refuses to change or delete its rows; the values of a partner's
 * corrected records are apart, and are deleted with the partner.
 */
export function auditStore(engine: Engine) {
  const { db } = engine;
  const { auditLog, correctionValues } = engine.tables;
  const matching = ({ subject, actor, action, partnerId, since, until }: AuditFilter) =>
    and(
      subject === undefined ? undefined : eq(auditLog.subject, subject),
      actor === undefined ? undefined : eq(auditLog.actor, actor),
      action === undefined ? undefined : eq(auditLog.action, action),
      partnerId === undefined ? undefined : eq(auditLog.partnerId, partnerId),
      since === undefined ? undefined : gte(auditLog.at, since),
      until === undefined ? undefined : lt(auditLog.at, until),
    );
  return {
    /** Adds an entry. `actor` is `cli:<user>(<user id>)`, or an administrator's or partner's id; `detail` never contains a secret. */
    async record(entry: NewEntry & { detail: Record<string, unknown> }): Promise<void> {
      await db.insert(auditLog).values({ ...entry, partnerId: partnerOf(entry) });
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
        .values({ ...entry, partnerId, detail: { fields: Object.keys(after) } })
        .returning({ seq: auditLog.seq });
      await db.insert(correctionValues).values({ seq: row!.seq, partnerId, detail: { before, after } });
    },
    /** Ordered from the newest. The values of corrected records are in the detail until their partner is purged. */
    async page(slice: RowRange, filter: AuditFilter = {}): Promise<AuditEntry[]> {
      const rows = await db
        .select({ entry: auditLog, values: correctionValues.detail })
        .from(auditLog)
        .leftJoin(correctionValues, eq(correctionValues.seq, auditLog.seq))
        .where(matching(filter))
        .orderBy(desc(auditLog.at), desc(auditLog.seq))
        .limit(slice.limit)
        .offset(slice.offset);
      return rows.map(({ entry, values }) => ({ ...entry, detail: values ?? entry.detail }));
    },
    /** Counts at most 100,000. */
    async count(filter: AuditFilter = {}): Promise<number> {
      const matches = db
        .select({ seq: auditLog.seq })
        .from(auditLog)
        .where(matching(filter))
        .limit(MOST_COUNTED)
        .as("matches");
      return (await db.select({ n: count() }).from(matches))[0]!.n;
    },
  };
}

function partnerOf({ subject, detail }: { subject: string; detail: Record<string, unknown> }): string | null {
  if (typeof detail.partner_id === "string") return detail.partner_id;
  return isId("partner", subject) ? subject : null;
}
