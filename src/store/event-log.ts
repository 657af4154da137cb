import { and, asc, eq, gt, gte, sql } from "drizzle-orm";
import type { Instant } from "../domain/time.ts";
import { lazy } from "./kit.ts";
import type { Slice } from "./properties.ts";
import { eventLog } from "./schema.ts";
import type { Db } from "./sqlite.ts";

const ph = sql.placeholder;

export type LogEntry = typeof eventLog.$inferSelect;

export function eventLogStore(db: Db) {
  const insert = lazy(() =>
    db
      .insert(eventLog)
      .values({
        partnerId: ph("partnerId"),
        seq: ph("seq"),
        createdAt: ph("createdAt"),
        kind: ph("kind"),
        subjectId: ph("subjectId"),
      })
      .prepare(),
  );
  const first = lazy(() =>
    db
      .select({ seq: eventLog.seq })
      .from(eventLog)
      .where(and(eq(eventLog.partnerId, ph("partnerId")), gt(eventLog.createdAt, ph("since"))))
      .orderBy(asc(eventLog.createdAt))
      .limit(1)
      .prepare(),
  );
  const page = lazy(() =>
    db
      .select()
      .from(eventLog)
      .where(and(eq(eventLog.partnerId, ph("partnerId")), gte(eventLog.seq, ph("from"))))
      .orderBy(asc(eventLog.seq))
      .limit(ph("limit"))
      .prepare(),
  );
  return {
    async insert(entry: LogEntry): Promise<void> {
      await insert().execute({ ...entry });
    },
    /** The number of the first entry after `since`; undefined when there is none. */
    async firstSince(partnerId: string, since: Instant): Promise<number | undefined> {
      return (await first().execute({ partnerId, since }))[0]?.seq;
    },
    /** Entries from the one numbered `from` on. */
    async page(partnerId: string, from: number, limit: Slice["limit"]): Promise<LogEntry[]> {
      return await page().execute({ partnerId, from, limit });
    },
  };
}
