import { and, asc, count, desc, eq, gt, gte, inArray, type SQL, sql } from "drizzle-orm";
import { type PlacedComponent, tierOfHundredths } from "../../domain/component.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import type { Engine } from "../store-engine.ts";
import type { StoredRowRange } from "../stored-row-range.ts";
import { isElevatedScoreSql } from "./elevated-score-sql.ts";
import { listPageStartsStore } from "./list-page-starts-queries.ts";
import { queryPlacedComponentPage } from "./placed-component-rows-queries.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";
import {
  BLOCK_SIZE,
  ELEVATED_SCORES,
  RETIRED_COUNTER,
  SETTLED_ELEVATED,
  TIER_BUCKETS,
  WHOLE_BUCKET,
} from "./stored-counter-buckets.ts";

const { placeholder } = sql;

/** A position in the order of last scoring. */
export type ScoringPlace = Pick<PlacedComponent, "rescoredAt" | "seq">;

/** How many components have a score, in hundredths. */
type ScoreCount = { bucket: number; count: number };

/** A block of a bucket, and the number of the bucket's rows before it. */
type BlockPlace = { block: number; before: number };

/** A filter that matches few rows. The caller has checked that its property and appliance belong to the partner. */
export type NarrowFilter = {
  propertyIds?: readonly string[];
  applianceId?: string;
  tier?: RiskTier;
  /** CRITICAL and WARNING only. */
  elevated?: boolean;
  /** Alerts by what they are expected to cost, instead of by score. */
  byCost?: boolean;
  system?: string;
  state?: string;
} & ({ propertyIds: readonly string[] } | { applianceId: string });

/*
 * The lists of a partner's components, each read from an index in its order. OFFSET would walk, and join, all that
 * it passes over: so a page first finds the `seq` that it begins at, by the counters and the index alone.
 */
export function componentListsStore(engine: Engine) {
  const { db, isAmong } = engine;
  const { components, componentCounters } = engine.tables;
  const mine = eq(components.partnerId, placeholder("partnerId"));

  const page = queryPlacedComponentPage(engine, (rows) =>
    rows
      .where(and(mine, gt(components.seq, placeholder("offset"))))
      .orderBy(asc(components.seq))
      .limit(placeholder("limit")),
  );

  const places = listPageStartsStore(engine, components, RETIRED_COUNTER.components);

  /** The rows of a bucket, by creation. */
  const bucketRows = (inBucket: SQL) => {
    const fromSeq = () => and(mine, inBucket, gte(components.seq, placeholder("from")));
    return {
      from: queryPlacedComponentPage(engine, (rows) =>
        rows.where(fromSeq()).orderBy(asc(components.seq)).limit(placeholder("limit")),
      ),
      seqAt: engine.read<{ seq: number }>(() =>
        db
          .select(aliasedSqlColumns({ seq: components.seq }))
          .from(components)
          .where(fromSeq())
          .orderBy(asc(components.seq))
          .limit(1)
          .offset(placeholder("offset")),
      ),
    };
  };
  const ofTier = bucketRows(eq(components.riskTier, placeholder("tier")));
  const ofScore = bucketRows(eq(components.riskScore, placeholder("score")));
  /** Elevated components that the latest snapshot scored, which the bucket SETTLED_ELEVATED counts. */
  const settled = bucketRows(
    sql`${isElevatedScoreSql(components.riskScore)} and ${components.rescoredAt} is null`,
  );

  // No retired component has an instant of scoring.
  const rescored = sql`${components.rescoredAt} is not null and ${isElevatedScoreSql(components.riskScore)}`;
  const byScoring = [asc(components.rescoredAt), asc(components.seq)];
  const rescoredAfter = queryPlacedComponentPage(engine, (rows) =>
    rows
      .where(
        and(
          mine,
          sql`(${components.rescoredAt}, ${components.seq}) > (${placeholder("rescoredAt")}, ${placeholder("seq")})`,
          rescored,
        ),
      )
      .orderBy(...byScoring)
      .limit(placeholder("limit")),
  );
  const rescoredAt = engine.read<{ rescoredAt: number; seq: number }>(() =>
    db
      .select(aliasedSqlColumns({ rescoredAt: components.rescoredAt, seq: components.seq }))
      .from(components)
      // A condition that is always true: without it SQLite uses the index of scores, and sorts.
      .where(and(mine, gt(components.rescoredAt, 0), rescored))
      .orderBy(...byScoring)
      .limit(1)
      .offset(placeholder("offset")),
  );

  /** Counts the rows of buckets. Each is a condition of its own, so that the blocks in between are skipped. */
  const wholeCounters = engine.read<ScoreCount>(() =>
    db
      .select(aliasedSqlColumns({ bucket: componentCounters.bucket, count: componentCounters.count }))
      .from(componentCounters)
      .where(
        and(
          eq(componentCounters.partnerId, placeholder("partnerId")),
          isAmong(componentCounters.bucket, "buckets"),
          eq(componentCounters.block, WHOLE_BUCKET),
        ),
      )
      .orderBy(desc(componentCounters.bucket)),
  );
  const blocks = and(
    eq(componentCounters.partnerId, placeholder("partnerId")),
    eq(componentCounters.bucket, placeholder("bucket")),
    gte(componentCounters.block, 0),
  );
  const blockCounts = engine.read<{ block: number; count: number }>(() =>
    db
      .select(aliasedSqlColumns({ block: componentCounters.block, count: componentCounters.count }))
      .from(componentCounters)
      .where(blocks)
      .orderBy(asc(componentCounters.block)),
  );
  const blockWith = engine.read<BlockPlace>(() => {
    const running = db
      .select({
        block: componentCounters.block,
        count: componentCounters.count,
        before:
          sql<number>`sum(${componentCounters.count}) over (order by ${componentCounters.block}) - ${componentCounters.count}`.as(
            "before",
          ),
      })
      .from(componentCounters)
      .where(blocks)
      .as("running");
    return db
      .select({ block: sql<number>`block`.as("block"), before: sql<number>`before`.as("before") })
      .from(running)
      .where(sql`before <= ${placeholder("offset")} and before + "count" > ${placeholder("offset")}`);
  });
  /** Finds the block with the row at an offset, and the number of the bucket's rows before that block. */
  async function blockAt(bucket: Bucket, offset: number): Promise<BlockPlace | undefined> {
    // SQLite adds them up in a window in five times the time in which they are read, which is a round trip of rows elsewhere.
    if (engine.dialect !== "sqlite") return (await blockWith({ ...bucket, offset }))[0];
    let before = 0;
    for (const { block, count } of await blockCounts(bucket)) {
      if (offset < before + count) return { block, before };
      before += count;
    }
    return undefined;
  }

  type Bucket = { partnerId: string; bucket: number } & Record<string, unknown>;

  /** Reads a slice of a bucket's rows; `bucket` also has the values of the condition. */
  async function bucketPage(
    list: typeof ofTier,
    bucket: Bucket,
    { limit, offset }: StoredRowRange,
  ): Promise<PlacedComponent[]> {
    if (limit <= 0) return [];
    if (offset === 0) return list.from({ ...bucket, limit, from: 0 });
    const at = await blockAt(bucket, offset);
    if (!at) return [];
    const [start] = await list.seqAt({ ...bucket, from: at.block * BLOCK_SIZE, offset: offset - at.before });
    return start ? list.from({ ...bucket, limit, from: start.seq }) : [];
  }

  async function rescoredPage(
    partnerId: string,
    { limit, offset }: StoredRowRange,
  ): Promise<PlacedComponent[]> {
    if (offset === 0) return rescoredAfter({ partnerId, limit, rescoredAt: 0, seq: 0 });
    const [last] = await rescoredAt({ partnerId, offset: offset - 1 });
    return last ? rescoredAfter({ partnerId, limit, ...last }) : [];
  }

  const elevatedBuckets = engine.list(ELEVATED_SCORES);
  /** Counts the CRITICAL and WARNING components by score, the highest first. */
  const countElevated = async (partnerId: string): Promise<ScoreCount[]> =>
    wholeCounters({ partnerId, buckets: elevatedBuckets });
  const countBucket = async (partnerId: string, bucket: number) =>
    (await wholeCounters({ partnerId, buckets: engine.list([bucket]) }))[0]?.count ?? 0;

  const settledBucket = (partnerId: string) => ({ partnerId, bucket: SETTLED_ELEVATED });

  // The partner is not part of these conditions: with it, SQLite scans the partner's rows in the requested order, and
  // expects to find the few matches early.
  const narrow = (where: NarrowFilter) =>
    and(
      gt(components.seq, 0),
      where.propertyIds && isAmong(components.propertyId, "propertyIds"),
      where.applianceId === undefined ? undefined : eq(components.applianceId, placeholder("applianceId")),
      where.tier && eq(components.riskTier, placeholder("tier")),
      where.elevated ? isElevatedScoreSql(components.riskScore) : undefined,
      where.system === undefined ? undefined : eq(components.system, placeholder("system")),
      where.state === undefined ? undefined : eq(components.state, placeholder("state")),
    );
  const narrowOrder = (where: NarrowFilter) => [
    ...(where.byCost
      ? [desc(components.expectedCostCents)]
      : where.elevated
        ? [desc(components.riskScore)]
        : []),
    asc(components.seq),
  ];
  const narrowReads = memo((where: NarrowFilter) => ({
    // Selects the rows of the page first, so that only these are joined and sorted with all columns.
    page: queryPlacedComponentPage(engine, (rows) => {
      const ids = db
        .select({ id: components.id })
        .from(components)
        .where(narrow(where))
        .orderBy(...narrowOrder(where))
        .limit(placeholder("limit"))
        .offset(placeholder("offset"));
      return rows.where(inArray(components.id, ids)).orderBy(...narrowOrder(where));
    }),
    counts: engine.read<{ tier: RiskTier; n: number }>(() =>
      db
        .select({ tier: sql`${components.riskTier}`.as("tier"), n: count().as("n") })
        .from(components)
        .where(narrow(where))
        .groupBy(components.riskTier),
    ),
  }));
  const bound = (where: NarrowFilter) => ({ ...where, propertyIds: engine.list(where.propertyIds ?? []) });

  return {
    async page(partnerId: string, { limit, offset }: StoredRowRange): Promise<PlacedComponent[]> {
      return page({ partnerId, limit, offset: await places.before(partnerId, offset) });
    },
    /** Returns components with a `seq` after `after`, in order. */
    async after(partnerId: string, after: number, limit: number): Promise<PlacedComponent[]> {
      return page({ partnerId, limit, offset: after });
    },
    /** Returns components of a tier with a `seq` after `after`, in order. */
    async tierAfter(
      partnerId: string,
      tier: RiskTier,
      after: number,
      limit: number,
    ): Promise<PlacedComponent[]> {
      return ofTier.from({ partnerId, tier, limit, from: after + 1 });
    },
    async tierPage(partnerId: string, tier: RiskTier, slice: StoredRowRange): Promise<PlacedComponent[]> {
      return bucketPage(ofTier, { partnerId, bucket: TIER_BUCKETS[tier], tier }, slice);
    },
    countElevated,
    /**
     * Returns CRITICAL and WARNING components, or those of one of the tiers, ordered by score and then by creation. A caller that
     * has their numbers passes them.
     */
    async elevatedPage(
      partnerId: string,
      slice: StoredRowRange,
      tier?: RiskTier,
      counts?: readonly ScoreCount[],
    ): Promise<PlacedComponent[]> {
      const found: PlacedComponent[] = [];
      let skip = slice.offset;
      for (const { bucket, count: inBucket } of counts ?? (await countElevated(partnerId))) {
        if (tier && tierOfHundredths(bucket) !== tier) continue;
        if (skip >= inBucket) {
          skip -= inBucket;
          continue;
        }
        const limit = slice.limit - found.length;
        found.push(
          ...(await bucketPage(ofScore, { partnerId, bucket, score: bucket }, { limit, offset: skip })),
        );
        if (found.length >= slice.limit) break;
        skip = 0;
      }
      return found;
    },
    /**
     * Returns CRITICAL and WARNING components ordered by their last scoring: first those that the latest snapshot scored,
     * by creation, then those that were scored since.
     */
    async elevatedByScoring(partnerId: string, slice: StoredRowRange): Promise<PlacedComponent[]> {
      if (slice.limit <= 0) return [];
      const count = await countBucket(partnerId, SETTLED_ELEVATED);
      const found = slice.offset < count ? await bucketPage(settled, settledBucket(partnerId), slice) : [];
      const limit = slice.limit - found.length;
      if (limit === 0) return found;
      return [
        ...found,
        ...(await rescoredPage(partnerId, { limit, offset: Math.max(0, slice.offset - count) })),
      ];
    },
    /** Returns the components after a position, in the same order. */
    async elevatedAfter(partnerId: string, after: ScoringPlace, limit: number): Promise<PlacedComponent[]> {
      if (limit <= 0) return [];
      if (after.rescoredAt !== null) return rescoredAfter({ partnerId, limit, ...after });
      const found = await settled.from({ partnerId, limit, from: after.seq + 1 });
      if (found.length === limit) return found;
      return [...found, ...(await rescoredPage(partnerId, { limit: limit - found.length, offset: 0 }))];
    },
    /** Counts the CRITICAL and WARNING components that the latest snapshot scored last. */
    async countSettledElevated(partnerId: string): Promise<number> {
      return countBucket(partnerId, SETTLED_ELEVATED);
    },
    /** Counts the components of a tier. */
    async countTier(partnerId: string, tier: RiskTier): Promise<number> {
      return countBucket(partnerId, TIER_BUCKETS[tier]);
    },
    /** Alerts are ordered by score, lists by creation. */
    async narrowPage(where: NarrowFilter, slice: StoredRowRange): Promise<PlacedComponent[]> {
      return narrowReads(where).page({ ...bound(where), ...slice });
    },
    async countNarrow(where: NarrowFilter): Promise<Record<RiskTier, number>> {
      const counts = { GOOD: 0, WARNING: 0, CRITICAL: 0 };
      for (const { tier, n } of await narrowReads(where).counts(bound(where))) counts[tier] = n;
      return counts;
    },
  };
}

/** Prepares a query once for each set of conditions, whatever their values are. */
function memo<T>(make: (where: NarrowFilter) => T): (where: NarrowFilter) => T {
  const made = new Map<string, T>();
  return (where) => {
    const conditions = [
      where.propertyIds,
      where.applianceId,
      where.tier,
      where.elevated || undefined,
      where.byCost || undefined,
      where.system,
      where.state,
    ];
    const key = conditions.map((condition) => Number(condition !== undefined)).join("");
    const value = made.get(key) ?? make(where);
    made.set(key, value);
    return value;
  };
}
