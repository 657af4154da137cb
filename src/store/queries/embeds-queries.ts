import { and, asc, count, desc, eq, getTableColumns, gt, isNull, sql } from "drizzle-orm";
import { type Embed, type EmbedView, type ListedEmbed, MAX_EMBED_VIEWS } from "../../domain/embed.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import type { StoredRowRange } from "../stored-row-range.ts";

const { placeholder } = sql;

/** The views of an embed that are not stored yet: their number, and the latest, newest first, at least one. */
export type UnstoredViews = { embedId: string; views: number; latest: EmbedView[] };

/** A filter: one property, one partner, or all. */
type EmbedFilter = { propertyId?: string | undefined; partnerId?: string | undefined };

/** Reads and writes embeds with their views. */
export function embedStore(engine: Engine) {
  const { db } = engine;
  const { embeds, partners, properties } = engine.tables;
  const { tokenHash: _secret, recentViews: _long, ...columns } = getTableColumns(embeds);
  const byToken = engine.prepared(() =>
    db
      .select(columns)
      .from(embeds)
      // A disabled partner's embeds are not shown.
      .innerJoin(partners, and(eq(partners.id, embeds.partnerId), engine.isTrue(partners.enabled)))
      .where(eq(embeds.tokenHash, placeholder("tokenHash"))),
  );
  const matching = ({ propertyId, partnerId }: EmbedFilter) =>
    and(
      propertyId === undefined ? undefined : eq(embeds.propertyId, propertyId),
      partnerId === undefined ? undefined : eq(embeds.partnerId, partnerId),
    );
  return {
    /**
     * Returns the embed whose token has the hash, revoked and expired ones too; undefined if its partner is disabled.
     */
    async findByToken(tokenHash: string): Promise<Embed | undefined> {
      return (await byToken().execute({ tokenHash }))[0];
    },
    async find(id: string): Promise<Embed | undefined> {
      return (await db.select(columns).from(embeds).where(eq(embeds.id, id)))[0];
    },
    /** Ordered from the newest. */
    async page(slice: StoredRowRange, filter: EmbedFilter = {}): Promise<ListedEmbed[]> {
      return await db
        .select({ ...columns, propertyName: properties.name })
        .from(embeds)
        .innerJoin(properties, eq(properties.id, embeds.propertyId))
        .where(matching(filter))
        .orderBy(desc(embeds.id))
        .limit(slice.limit)
        .offset(slice.offset);
    },
    /** Returns a partner's embeds after an id, by their ids, with their latest views, newest first. */
    async ofPartnerAfter(
      partnerId: string,
      after: string,
      limit: number,
    ): Promise<(ListedEmbed & { recentViews: EmbedView[] })[]> {
      const rows = await db
        .select({ ...columns, propertyName: properties.name, recentViews: embeds.recentViews })
        .from(embeds)
        .innerJoin(properties, eq(properties.id, embeds.propertyId))
        .where(and(eq(embeds.partnerId, partnerId), gt(embeds.id, after)))
        .orderBy(asc(embeds.id))
        .limit(limit);
      return rows.map(({ recentViews, ...embed }) => ({ ...embed, recentViews: recentViews ?? [] }));
    },
    async count(filter: EmbedFilter = {}): Promise<number> {
      return (await db.select({ n: count() }).from(embeds).where(matching(filter)))[0]!.n;
    },
    async insert(embed: Embed & { tokenHash: string }): Promise<void> {
      await db.insert(embeds).values(embed);
    },
    async update(
      id: string,
      change: Partial<Pick<Embed, "label" | "recipient" | "passcodeHash">>,
    ): Promise<void> {
      await db.update(embeds).set(change).where(eq(embeds.id, id));
    },
    /** Returns false if there is no such embed to revoke. */
    async revoke(id: string, revokedAt: Instant): Promise<boolean> {
      const ended = await db
        .update(embeds)
        .set({ revokedAt })
        .where(and(eq(embeds.id, id), isNull(embeds.revokedAt)))
        .returning({ id: embeds.id });
      return ended.length > 0;
    },
    /** Makes the embeds of a property show another one. */
    async moveOfProperty(from: string, to: string): Promise<void> {
      await db.update(embeds).set({ propertyId: to }).where(eq(embeds.propertyId, from));
    },
    async addViews({ embedId, views, latest }: UnstoredViews): Promise<void> {
      const lastViewedAt = Math.max(...latest.map(({ viewedAt }) => viewedAt));
      const isOne = eq(embeds.id, embedId);
      // Locks the row, so that the views that other servers store at the same time are kept.
      await db
        .update(embeds)
        .set({
          views: sql`${embeds.views} + ${views}`,
          lastViewedAt: sql`case when ${embeds.lastViewedAt} > ${lastViewedAt} then ${embeds.lastViewedAt} else ${lastViewedAt} end`,
        })
        .where(isOne);
      const recentViews = [...latest, ...(await this.recentViews(embedId))]
        .sort((one, other) => other.viewedAt - one.viewedAt)
        .slice(0, MAX_EMBED_VIEWS);
      await db.update(embeds).set({ recentViews }).where(isOne);
    },
    /** Returns the latest views of an embed, newest first. */
    async recentViews(id: string): Promise<EmbedView[]> {
      const [row] = await db.select({ views: embeds.recentViews }).from(embeds).where(eq(embeds.id, id));
      return row?.views ?? [];
    },
  };
}
