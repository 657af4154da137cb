import { and, asc, eq, sql } from "drizzle-orm";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** A recalculation of a partner's stored sums that is not finished. */
type Recalculation = {
  partnerId: string;
  /** The number of requests so far. */
  requests: number;
  /** The number of the last property whose sums are recalculated; 0 at the start. */
  doneSeq: number;
};

/** The recalculations of stored sums after a change of prices. */
export function recalculationStore(engine: Engine) {
  const { db } = engine;
  const { partners, priceBasis, recalculations: t } = engine.tables;
  const columns = { partnerId: t.partnerId, requests: t.requests, doneSeq: t.doneSeq };
  const ofPartner = engine.read<Recalculation>(() =>
    db
      .select(aliasedSqlColumns(columns))
      .from(t)
      .where(eq(t.partnerId, placeholder("partnerId"))),
  );
  const fromTheStart = { requests: sql`${t.requests} + 1`, doneSeq: 0 };
  return {
    /** Returns a partner's unfinished recalculation. */
    async ofPartner(partnerId: string): Promise<Recalculation | undefined> {
      return (await ofPartner({ partnerId }))[0];
    },
    /** Returns the unfinished recalculations, in the order of the partners. */
    async all(): Promise<Recalculation[]> {
      return await db.select(columns).from(t).orderBy(asc(t.partnerId));
    },
    /** Requests a recalculation; one in progress starts again. */
    async request(partnerId: string, requestedAt: Instant): Promise<void> {
      await db
        .insert(t)
        .values({ partnerId, requests: 1, doneSeq: 0, requestedAt })
        .onConflictDoUpdate({ target: t.partnerId, set: { ...fromTheStart, requestedAt } });
    },
    /** Requests a recalculation for each partner. */
    async requestAll(requestedAt: Instant): Promise<void> {
      for (const { id } of await db.select({ id: partners.id }).from(partners).orderBy(asc(partners.id)))
        await this.request(id, requestedAt);
    },
    /** Records the progress, unless a later request has started the recalculation again. */
    async advance({ partnerId, requests, doneSeq }: Recalculation): Promise<void> {
      const isCurrent = and(eq(t.partnerId, partnerId), eq(t.requests, requests));
      await db.update(t).set({ doneSeq }).where(isCurrent);
    },
    /** Ends the recalculation; false if a later request has started it again. */
    async finish({ partnerId, requests }: Pick<Recalculation, "partnerId" | "requests">): Promise<boolean> {
      const isCurrent = and(eq(t.partnerId, partnerId), eq(t.requests, requests));
      return (await db.delete(t).where(isCurrent).returning({ id: t.partnerId })).length > 0;
    },
    /** Returns the digest that was stored last; undefined before the first. */
    async basis(): Promise<string | undefined> {
      return (await db.select({ basis: priceBasis.basis }).from(priceBasis))[0]?.basis;
    },
    async setBasis(basis: string): Promise<void> {
      await db
        .insert(priceBasis)
        .values({ id: 1, basis })
        .onConflictDoUpdate({ target: priceBasis.id, set: { basis } });
    },
  };
}
