import { and, asc, desc, eq, gt, inArray, lt } from "drizzle-orm";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";

/** A stored position of a client in the event stream. `state` is JSON that only the caller reads. */
export type StoredCursor = { id: string; state: string };

type CursorRow = StoredCursor & { partnerId: string; client: string; touchedAt: Instant };

/** Rows that one statement inserts. */
const ROWS_PER_INSERT = 200;

/** Reads and writes the cursors of clients that read the event stream page by page. */
export function feedCursorStore(engine: Engine) {
  const { db } = engine;
  const { feedCursors, partners } = engine.tables;
  const ofClient = (partnerId: string, client: string) =>
    and(eq(feedCursors.partnerId, partnerId), eq(feedCursors.client, client));
  return {
    /** Returns a client's cursors that were touched after the instant, in the order of their beginning. */
    async ofClient(partnerId: string, client: string, touchedAfter: Instant): Promise<StoredCursor[]> {
      return await db
        .select({ id: feedCursors.id, state: feedCursors.state })
        .from(feedCursors)
        .where(and(ofClient(partnerId, client), gt(feedCursors.touchedAt, touchedAfter)))
        .orderBy(asc(feedCursors.id));
    },
    /** Inserts a cursor and deletes all but the newest `others` of the same client. Ids sort by creation. */
    async begin(cursor: CursorRow, others: number): Promise<void> {
      const surplus = await db
        .select({ id: feedCursors.id })
        .from(feedCursors)
        .where(ofClient(cursor.partnerId, cursor.client))
        .orderBy(desc(feedCursors.id))
        .limit(1000)
        .offset(others);
      const ids = surplus.map(({ id }) => id);
      if (ids.length > 0) await db.delete(feedCursors).where(inArray(feedCursors.id, ids));
      await db.insert(feedCursors).values(cursor);
    },
    /** Returns all clients' cursors that were touched after the instant, in the order of their beginning. */
    async all(touchedAfter: Instant): Promise<CursorRow[]> {
      return await db
        .select()
        .from(feedCursors)
        .where(gt(feedCursors.touchedAt, touchedAfter))
        .orderBy(asc(feedCursors.id));
    },
    /** Inserts the cursors of partners that exist. */
    async insertAll(cursors: readonly CursorRow[]): Promise<void> {
      const known = new Set((await db.select({ id: partners.id }).from(partners)).map(({ id }) => id));
      const rows = cursors.filter(({ partnerId }) => known.has(partnerId));
      for (let at = 0; at < rows.length; at += ROWS_PER_INSERT)
        await db.insert(feedCursors).values(rows.slice(at, at + ROWS_PER_INSERT));
    },
    /**
     * Replaces the state if it is still the one that was read, or is the new one already. Does nothing otherwise, and
     * returns false.
     */
    async replace(read: StoredCursor, state: string, touchedAt: Instant): Promise<boolean> {
      const asRead = and(eq(feedCursors.id, read.id), inArray(feedCursors.state, [read.state, state]));
      const { id } = feedCursors;
      return (
        (await db.update(feedCursors).set({ state, touchedAt }).where(asRead).returning({ id })).length > 0
      );
    },
    /** Deletes the cursors last touched before the instant. */
    async prune(before: Instant): Promise<void> {
      await db.delete(feedCursors).where(lt(feedCursors.touchedAt, before));
    },
  };
}
