import { and, asc, eq } from "drizzle-orm";
import type { SavedFilter } from "../../domain/saved-filter.ts";
import type { Engine } from "../store-engine.ts";

/** Reads and writes the filters that partners have saved under names. */
export function savedFilterStore(engine: Engine) {
  const { db } = engine;
  const { savedFilters: t } = engine.tables;
  return {
    /** Returns a partner's filters, ordered by their names. */
    async ofPartner(partnerId: string): Promise<SavedFilter[]> {
      return await db
        .select({ name: t.name, query: t.query, savedAt: t.savedAt })
        .from(t)
        .where(eq(t.partnerId, partnerId))
        .orderBy(asc(t.name));
    },
    /** Saves a filter, in place of one of the same name. */
    async save(partnerId: string, { name, query, savedAt }: SavedFilter): Promise<void> {
      await db
        .insert(t)
        .values({ partnerId, name, query, savedAt })
        .onConflictDoUpdate({ target: [t.partnerId, t.name], set: { query, savedAt } });
    },
    async remove(partnerId: string, name: string): Promise<void> {
      await db.delete(t).where(and(eq(t.partnerId, partnerId), eq(t.name, name)));
    },
  };
}
