import { and, asc, count, desc, eq, getTableColumns, gt, gte, sql } from "drizzle-orm";
import type { Component } from "../domain/component.ts";
import type { BrandTier, RiskTier } from "../domain/scoring/types.ts";
import { hotRead, hotWrite, named } from "./hot.ts";
import { isAmong, lazy } from "./kit.ts";
import type { Slice } from "./properties.ts";
import { appliances, components, componentTallies, properties } from "./schema.ts";
import type { Db } from "./sqlite.ts";
import { BLOCK_SIZE, SETTLED_ELEVATED, TIER_BUCKETS, WHOLE } from "./tallies.ts";

const ph = sql.placeholder;

/** A component with what its views show of its appliance and property. */
/** A place in the order of last scoring. */
export type ScoringPlace = Pick<ComponentRow, "rescoredAt" | "seq">;

export type ComponentRow = Component & {
  typeId: string;
  brand: string | null;
  brandTier: BrandTier;
  unitId: string | null;
  propertyName: string;
  propertyAddress: string;
};

/** The columns that scoring writes. */
export type ScoreColumns = Pick<
  Component,
  | "riskScore"
  | "riskTier"
  | "confidence"
  | "probability"
  | "priorAgeYears"
  | "rate"
  | "evidenceRatio"
  | "scoredOn"
  | "rescoredAt"
  | "announcedTier"
  | "trendScore"
>;

const row = {
  ...getTableColumns(components),
  typeId: appliances.typeId,
  brand: appliances.brand,
  brandTier: appliances.brandTier,
  unitId: appliances.unitId,
  propertyName: properties.name,
  propertyAddress: properties.address,
};

export function componentStore(db: Db) {
  const rows = () =>
    db
      .select(named(row))
      .from(components)
      .innerJoin(appliances, eq(appliances.id, components.applianceId))
      .innerJoin(properties, eq(properties.id, components.propertyId))
      .$dynamic();
  const mine = eq(components.partnerId, ph("partnerId"));

  const byId = hotRead<ComponentRow>(db, () => rows().where(and(eq(components.id, ph("id")), mine)));
  const page = hotRead<ComponentRow>(db, () =>
    rows()
      .where(and(mine, gt(components.seq, ph("offset"))))
      .orderBy(asc(components.seq))
      .limit(ph("limit")),
  );
  const tierPage = hotRead<ComponentRow>(db, () =>
    rows()
      .where(and(mine, eq(components.riskTier, ph("tier")), gte(components.seq, ph("from"))))
      .orderBy(asc(components.seq))
      .limit(ph("limit"))
      .offset(ph("offset")),
  );
  const scorePage = hotRead<ComponentRow>(db, () =>
    rows()
      .where(and(mine, eq(components.riskScore, ph("score")), gte(components.seq, ph("from"))))
      .orderBy(asc(components.seq))
      .limit(ph("limit"))
      .offset(ph("offset")),
  );
  /** Elevated components that the latest snapshot scored: the rows that the bucket SETTLED_ELEVATED counts. */
  const settledPage = hotRead<ComponentRow>(db, () =>
    rows()
      .where(
        and(
          mine,
          sql`${components.riskScore} >= 52 and ${components.rescoredAt} is null`,
          gte(components.seq, ph("from")),
        ),
      )
      .orderBy(asc(components.seq))
      .limit(ph("limit"))
      .offset(ph("offset")),
  );
  const rescoredPage = hotRead<ComponentRow>(db, () =>
    rows()
      .where(
        and(
          mine,
          // A bound that holds for every moment: without it SQLite takes the index of scores, and sorts.
          gt(components.rescoredAt, 0),
          sql`${components.rescoredAt} is not null and ${components.riskScore} >= 52`,
        ),
      )
      .orderBy(asc(components.rescoredAt), asc(components.seq))
      .limit(ph("limit"))
      .offset(ph("offset")),
  );
  const rescoredAfter = hotRead<ComponentRow>(db, () =>
    rows()
      .where(
        and(
          mine,
          sql`(${components.rescoredAt}, ${components.seq}) > (${ph("rescoredAt")}, ${ph("seq")})`,
          sql`${components.rescoredAt} is not null and ${components.riskScore} >= 52`,
        ),
      )
      .orderBy(asc(components.rescoredAt), asc(components.seq))
      .limit(ph("limit")),
  );
  const wholeTallies = lazy(() =>
    db
      .select({ bucket: componentTallies.bucket, count: componentTallies.count })
      .from(componentTallies)
      .where(
        and(
          eq(componentTallies.partnerId, ph("partnerId")),
          gte(componentTallies.bucket, ph("from")),
          eq(componentTallies.block, WHOLE),
          gt(componentTallies.count, 0),
        ),
      )
      .orderBy(desc(componentTallies.bucket))
      .prepare(),
  );
  const blockTallies = lazy(() =>
    db
      .select({ block: componentTallies.block, count: componentTallies.count })
      .from(componentTallies)
      .where(
        and(
          eq(componentTallies.partnerId, ph("partnerId")),
          eq(componentTallies.bucket, ph("bucket")),
          gte(componentTallies.block, 0),
        ),
      )
      .orderBy(asc(componentTallies.block))
      .prepare(),
  );
  const insert = hotWrite(db, () =>
    db.insert(components).values({
      id: ph("id"),
      partnerId: ph("partnerId"),
      propertyId: ph("propertyId"),
      applianceId: ph("applianceId"),
      seq: ph("seq"),
      defId: ph("defId"),
      installYear: ph("installYear"),
      lastReplaced: ph("lastReplaced"),
      lastServiced: ph("lastServiced"),
      overrideLifespan: ph("overrideLifespan"),
      riskScore: ph("riskScore"),
      riskTier: ph("riskTier"),
      confidence: ph("confidence"),
      announcedTier: ph("announcedTier"),
      probability: ph("probability"),
      priorAgeYears: ph("priorAgeYears"),
      rate: ph("rate"),
      evidenceRatio: ph("evidenceRatio"),
      scoredOn: ph("scoredOn"),
      trendScore: ph("trendScore"),
      rescoredAt: ph("rescoredAt"),
      createdAt: ph("createdAt"),
    }),
  );
  // SQLite writes anew every index that a statement's columns stand in, also where their values stay as they are:
  // so there is a statement for each of how much has moved.
  const aged = {
    confidence: sql`${ph("confidence")}`,
    probability: sql`${ph("probability")}`,
    priorAgeYears: sql`${ph("priorAgeYears")}`,
    rate: sql`${ph("rate")}`,
    evidenceRatio: sql`${ph("evidenceRatio")}`,
    scoredOn: sql`${ph("scoredOn")}`,
  };
  const settled = {
    ...aged,
    announcedTier: sql`${ph("announcedTier")}`,
    trendScore: sql`${ph("trendScore")}`,
    rescoredAt: sql`${ph("rescoredAt")}`,
  };
  const moved = { ...settled, riskScore: sql`${ph("riskScore")}`, riskTier: sql`${ph("riskTier")}` };
  const update = (columns: Parameters<ReturnType<typeof db.update<typeof components>>["set"]>[0]) =>
    hotWrite(db, () =>
      db
        .update(components)
        .set(columns)
        .where(eq(components.id, ph("id"))),
    );
  const [saveAged, saveSettled, saveMoved] = [update(aged), update(settled), update(moved)];
  const saveDates = lazy(() =>
    db
      .update(components)
      .set({
        lastReplaced: sql`${ph("lastReplaced")}`,
        lastServiced: sql`${ph("lastServiced")}`,
      })
      .where(eq(components.id, ph("id")))
      .prepare(),
  );
  const ofAppliances = hotRead<Component>(db, () =>
    db
      .select(named(getTableColumns(components)))
      .from(components)
      .where(isAmong(components.applianceId, "applianceIds"))
      .orderBy(asc(components.applianceId), asc(components.seq)),
  );
  const ofProperties = hotRead<Component>(db, () =>
    db
      .select(named(getTableColumns(components)))
      .from(components)
      .where(isAmong(components.propertyId, "propertyIds"))
      .orderBy(asc(components.propertyId), asc(components.seq)),
  );

  const ofProperty = hotRead<ComponentRow>(db, () =>
    rows()
      .where(eq(components.propertyId, ph("propertyId")))
      .orderBy(asc(components.seq)),
  );

  /** Where the row at `offset` of a bucket stands: the first `seq` of its block, and how many rows to pass over from there. */
  async function locate(
    partnerId: string,
    bucket: number,
    offset: number,
  ): Promise<{ from: number; offset: number }> {
    if (offset === 0) return { from: 0, offset: 0 };
    let left = offset;
    for (const tally of await blockTallies().execute({ partnerId, bucket })) {
      if (left < tally.count) return { from: tally.block * BLOCK_SIZE, offset: left };
      left -= tally.count;
    }
    return { from: Number.MAX_SAFE_INTEGER, offset: 0 };
  }

  async function countBucket(partnerId: string, bucket: number): Promise<number> {
    const tallies = await wholeTallies().execute({ partnerId, from: bucket });
    return tallies.find((tally) => tally.bucket === bucket)?.count ?? 0;
  }

  const filter = (where: ComponentFilter) =>
    and(
      eq(components.partnerId, where.partnerId),
      where.propertyIds && sql`${components.propertyId} in ${[...where.propertyIds]}`,
      where.applianceId !== undefined ? eq(components.applianceId, where.applianceId) : undefined,
      where.tier && eq(components.riskTier, where.tier),
      where.elevated ? sql`${components.riskScore} >= 52` : undefined,
    );

  return {
    async find(partnerId: string, id: string): Promise<ComponentRow | undefined> {
      return byId({ partnerId, id })[0];
    },
    async page(partnerId: string, slice: Slice): Promise<ComponentRow[]> {
      return page({ partnerId, ...slice });
    },
    async tierPage(partnerId: string, tier: RiskTier, slice: Slice): Promise<ComponentRow[]> {
      const start = await locate(partnerId, TIER_BUCKETS[tier], slice.offset);
      return tierPage({ partnerId, tier, limit: slice.limit, ...start });
    },
    /** CRITICAL and WARNING components, the highest score first, then by creation. */
    async elevatedPage(partnerId: string, slice: Slice): Promise<ComponentRow[]> {
      const found: ComponentRow[] = [];
      let skip = slice.offset;
      for (const { bucket, count: inBucket } of await wholeTallies().execute({ partnerId, from: 52 })) {
        if (bucket > 99) continue;
        if (skip >= inBucket) {
          skip -= inBucket;
          continue;
        }
        const start: { from: number; offset: number } = await locate(partnerId, bucket, skip);
        const limit: number = slice.limit - found.length;
        found.push(...scorePage({ partnerId, score: bucket, limit, ...start }));
        if (found.length >= slice.limit) break;
        skip = 0;
      }
      return found;
    },
    /**
     * CRITICAL and WARNING components by the moment of their last scoring: first those that the latest snapshot
     * scored, by creation, then those scored by themselves since.
     */
    async elevatedByScoring(partnerId: string, slice: Slice): Promise<ComponentRow[]> {
      if (slice.limit <= 0) return [];
      const settled = await countBucket(partnerId, SETTLED_ELEVATED);
      let found: ComponentRow[] = [];
      if (slice.offset < settled) {
        const start = await locate(partnerId, SETTLED_ELEVATED, slice.offset);
        found = settledPage({ partnerId, limit: slice.limit, ...start });
      }
      const limit = slice.limit - found.length;
      if (limit === 0) return found;
      const offset = Math.max(0, slice.offset - settled);
      return [...found, ...rescoredPage({ partnerId, limit, offset })];
    },
    /** The same, from the row after a place on. */
    async elevatedAfter(partnerId: string, after: ScoringPlace, limit: number): Promise<ComponentRow[]> {
      if (limit <= 0) return [];
      if (after.rescoredAt !== null) return rescoredAfter({ partnerId, limit, ...after });
      const found = settledPage({ partnerId, limit, from: after.seq + 1, offset: 0 });
      if (found.length === limit) return found;
      return [...found, ...rescoredPage({ partnerId, limit: limit - found.length, offset: 0 })];
    },
    /** How many CRITICAL and WARNING components were not scored by themselves since the latest snapshot. */
    async countSettledElevated(partnerId: string): Promise<number> {
      return await countBucket(partnerId, SETTLED_ELEVATED);
    },
    /** How many components stand in a tier. */
    async countTier(partnerId: string, tier: RiskTier): Promise<number> {
      return await countBucket(partnerId, TIER_BUCKETS[tier]);
    },
    /** For filters that hold few rows: one property, one appliance. Alerts come by score, lists by creation. */
    async filteredPage(where: ComponentFilter, slice: Slice): Promise<ComponentRow[]> {
      const found = await rows()
        .where(filter(where))
        .orderBy(...(where.elevated ? [desc(components.riskScore)] : []), asc(components.seq))
        .limit(slice.limit)
        .offset(slice.offset);
      return found as ComponentRow[];
    },
    async countFiltered(where: ComponentFilter): Promise<Record<RiskTier, number>> {
      const found = await db
        .select({ tier: components.riskTier, n: count() })
        .from(components)
        .where(filter(where))
        .groupBy(components.riskTier);
      const counts = { GOOD: 0, WARNING: 0, CRITICAL: 0 };
      for (const { tier, n } of found) counts[tier] = n;
      return counts;
    },
    async ofAppliance(applianceId: string): Promise<Component[]> {
      return ofAppliances({ applianceIds: JSON.stringify([applianceId]) });
    },
    async ofAppliances(applianceIds: readonly string[]): Promise<Component[]> {
      return ofAppliances({ applianceIds: JSON.stringify(applianceIds) });
    },
    async ofProperties(propertyIds: readonly string[]): Promise<Component[]> {
      return ofProperties({ propertyIds: JSON.stringify(propertyIds) });
    },
    async rowsOfProperty(propertyId: string): Promise<ComponentRow[]> {
      return ofProperty({ propertyId });
    },
    async insert(component: Component): Promise<void> {
      insert({ ...component });
    },
    /**
     * Writes a score; `extent` says what of it may have changed: everything, all but the score and its tier, or only
     * what ages from day to day.
     */
    async saveScore(id: string, score: ScoreColumns, extent: "moved" | "settled" | "aged"): Promise<void> {
      const save = extent === "moved" ? saveMoved : extent === "settled" ? saveSettled : saveAged;
      save({ id, ...score });
    },
    async saveDates(
      id: string,
      { lastReplaced, lastServiced }: Pick<Component, "lastReplaced" | "lastServiced">,
    ): Promise<void> {
      await saveDates().execute({ id, lastReplaced, lastServiced });
    },
    async update(
      id: string,
      change: Partial<Pick<Component, "installYear" | "lastReplaced" | "lastServiced">>,
    ): Promise<void> {
      await db.update(components).set(change).where(eq(components.id, id));
    },
  };
}

export type ComponentFilter = {
  partnerId: string;
  propertyIds?: readonly string[];
  applianceId?: string;
  tier?: RiskTier;
  /** CRITICAL and WARNING only. */
  elevated?: boolean;
};
