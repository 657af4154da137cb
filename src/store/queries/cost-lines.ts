import { asc, eq, sql } from "drizzle-orm";
import type { StoredCostLine } from "../../domain/costs/cost-book.ts";
import type { Engine } from "../engine.ts";

const { placeholder } = sql;

/** Lines that one statement inserts. */
const ROWS_PER_INSERT = 200;

export function costLineStore(engine: Engine) {
  const { db } = engine;
  const { costLines: t } = engine.tables;
  const book = engine.prepared(() =>
    db
      .select({
        id: t.id,
        typeId: t.typeId,
        componentDefId: t.componentDefId,
        state: t.state,
        plannedCents: t.plannedCents,
        failedCents: t.failedCents,
        size: t.size,
        asOf: t.asOf,
        source: t.source,
        createdAt: t.createdAt,
      })
      .from(t)
      .where(eq(t.partnerId, placeholder("partnerId")))
      .orderBy(asc(t.position)),
  );
  return {
    /** Returns a partner's cost book, in its order. */
    async ofPartner(partnerId: string): Promise<StoredCostLine[]> {
      return await book().execute({ partnerId });
    },
    /** Replaces a partner's cost book. */
    async replace(partnerId: string, lines: readonly StoredCostLine[]): Promise<void> {
      await db.delete(t).where(eq(t.partnerId, partnerId));
      const rows = lines.map((line, position) => ({ ...line, partnerId, position }));
      for (let at = 0; at < rows.length; at += ROWS_PER_INSERT)
        await db.insert(t).values(rows.slice(at, at + ROWS_PER_INSERT));
    },
  };
}
