import { and, asc, desc, eq, gt, inArray, lt } from "drizzle-orm";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";

/** A walk through the event stream as it is kept: `walk` is its owner's text. */
export type KeptWalk = { id: string; walk: string };

export function eventCursorStore(engine: Engine) {
  const { db } = engine;
  const { eventWalks: walks } = engine.tables;
  const ofClient = (partnerId: string, client: string) =>
    and(eq(walks.partnerId, partnerId), eq(walks.client, client));
  return {
    /** A client's walks that were touched after then, in the order in which they began. */
    async ofClient(partnerId: string, client: string, touchedAfter: Instant): Promise<KeptWalk[]> {
      return await db
        .select({ id: walks.id, walk: walks.walk })
        .from(walks)
        .where(and(ofClient(partnerId, client), gt(walks.touchedAt, touchedAfter)))
        .orderBy(asc(walks.id));
    },
    /** Keeps a new one, beside at most `others` of the same client. Ids sort by the beginning. */
    async begin(
      walk: KeptWalk & { partnerId: string; client: string; touchedAt: Instant },
      others: number,
    ): Promise<void> {
      const alike = ofClient(walk.partnerId, walk.client);
      const known = await db
        .select({ id: walks.id })
        .from(walks)
        .where(alike)
        .orderBy(desc(walks.id))
        .limit(1000)
        .offset(others);
      if (known.length > 0)
        await db.delete(walks).where(
          inArray(
            walks.id,
            known.map(({ id }) => id),
          ),
        );
      await db.insert(walks).values(walk);
    },
    /** Puts another text in the place of the one that was read; nothing where that is there no more. */
    async move(read: KeptWalk, walk: string, touchedAt: Instant): Promise<void> {
      const asRead = and(eq(walks.id, read.id), eq(walks.walk, read.walk));
      await db.update(walks).set({ walk, touchedAt }).where(asRead);
    },
    /** Forgets those that nobody has touched since. */
    async forget(before: Instant): Promise<void> {
      await db.delete(walks).where(lt(walks.touchedAt, before));
    },
  };
}
