import { and, count, desc, eq, gte, lt } from "drizzle-orm";
import type { AuditEntry, AuditFilter } from "../../domain/audit-entry.ts";
import { isId } from "../../domain/ids/record-ids.ts";
import type { Instant } from "../../domain/time.ts";
import type { AuditAction } from "../../domain/wording/audit-action-wording.ts";
import type { Engine } from "../store-engine.ts";
import type { StoredRowRange } from "../stored-row-range.ts";

type NewEntry = { at: Instant; actor: string; action: AuditAction; subject: string };

/** The highest count of entries; counting stops there. */
const MOST_COUNTED = 100_000;

/**
 * The changes by operators, administrators and partners. The database refuses to change or delete its rows; a partner's own
 * values are apart, and are deleted with the partner.
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
    /** Adds an entry. `actor` is `cli:<user>(<user id>)`, or an administrator's or partner's id; `detail` never contains a secret, nor a value that its partner owns. */
    async record(entry: NewEntry & { detail: Record<string, unknown> }): Promise<void> {
      await db.insert(auditLog).values({ ...entry, partnerId: partnerOf(entry) });
    },
    /** Adds an entry with texts or amounts of a partner in `values`; `kept` is its detail after the partner's purge. */
    async recordOfPartner({
      partnerId,
      kept,
      values,
      ...entry
    }: NewEntry & {
      partnerId: string;
      kept: Record<string, unknown>;
      values: Record<string, unknown>;
    }): Promise<void> {
      const [row] = await db
        .insert(auditLog)
        .values({ ...entry, partnerId, detail: kept })
        .returning({ seq: auditLog.seq });
      await db.insert(correctionValues).values({ seq: row!.seq, partnerId, detail: values });
    },
    /** Ordered from the newest. The values of partners are in the detail until their purge. */
    async page(slice: StoredRowRange, filter: AuditFilter = {}): Promise<AuditEntry[]> {
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
