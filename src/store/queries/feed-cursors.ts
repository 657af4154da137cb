import { and, asc, desc, eq, gt, inArray, lt } from "drizzle-orm";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";

/** A stored position of a client in the event stream. `state` is JSON that only the caller reads. */
export type StoredCursor = { id: string; state: string };

export function feedCursorStore(engine: Engine) {
  const { db } = engine;
  const { feedCursors } = engine.tables;
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
    async begin(
      cursor: StoredCursor & { partnerId: string; client: string; touchedAt: Instant },
      others: number,
    ): Promise<void> {
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
    /** Replaces the state if it is still the one that was read; does nothing otherwise. */
    async replace(read: StoredCursor, state: string, touchedAt: Instant): Promise<void> {
      const asRead = and(eq(feedCursors.id, read.id), eq(feedCursors.state, read.state));
      await db.update(feedCursors).set({ state, touchedAt }).where(asRead);
    },
    /** Deletes the cursors last touched before the instant. */
    async prune(before: Instant): Promise<void> {
      await db.delete(feedCursors).where(lt(feedCursors.touchedAt, before));
    },
  };
}
