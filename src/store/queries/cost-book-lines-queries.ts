import { asc, eq, sql } from "drizzle-orm";
import type { StoredCostLine } from "../../domain/costs/cost-book-lines.ts";
import type { Engine } from "../store-engine.ts";

const { placeholder } = sql;

/** Lines that one statement inserts. */
const ROWS_PER_INSERT = 200;

const digestOf = (lines: readonly StoredCostLine[]) =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(lines)).digest("base64url");

/** Reads and writes the lines of partners' cost books, with costs in cents. */
export function costLineStore(engine: Engine) {
  const { db } = engine;
  const { costLines: t, partners } = engine.tables;
  const fields = {
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
  };
  const book = engine.prepared(() =>
    db
      .select(fields)
      .from(t)
      .where(eq(t.partnerId, placeholder("partnerId")))
      .orderBy(asc(t.position)),
  );
  const bookWithDigest = engine.prepared(() =>
    db
      .select({ line: fields, costBook: partners.costBook })
      .from(t)
      .innerJoin(partners, eq(partners.id, t.partnerId))
      .where(eq(t.partnerId, placeholder("partnerId")))
      .orderBy(asc(t.position)),
  );
  return {
    /** Returns a partner's cost book, in its order. */
    async ofPartner(partnerId: string): Promise<StoredCostLine[]> {
      return await book().execute({ partnerId });
    },
    /** Returns a partner's cost book with its digest, read in one statement; the digest is null for an empty one. */
    async withDigest(partnerId: string): Promise<{ costBook: string | null; lines: StoredCostLine[] }> {
      const rows = await bookWithDigest().execute({ partnerId });
      return { costBook: rows[0]?.costBook ?? null, lines: rows.map(({ line }) => line) };
    },
    /** Replaces a partner's cost book, and the digest of it that caches of prices are keyed by. */
    async replace(partnerId: string, lines: readonly StoredCostLine[]): Promise<void> {
      const costBook = lines.length === 0 ? null : digestOf(lines);
      await db.update(partners).set({ costBook }).where(eq(partners.id, partnerId));
      await db.delete(t).where(eq(t.partnerId, partnerId));
      const rows = lines.map((line, position) => ({ ...line, partnerId, position }));
      for (let at = 0; at < rows.length; at += ROWS_PER_INSERT)
        await db.insert(t).values(rows.slice(at, at + ROWS_PER_INSERT));
    },
  };
}
