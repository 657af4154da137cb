import { and, asc, count, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { CLOCK_TOLERANCE_MS } from "../../cluster/cluster-server.ts";
import type { TrendRow } from "../../domain/rules/score-trend-rule.ts";
import { type Day, dayOf, type Instant, MS_PER_DAY } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import type { Tables } from "../store-schema.ts";
import type { StoredRowRange } from "../stored-row-range.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** The time after which a snapshot is late: a day and two hours. */
export const SNAPSHOT_LATE_MS = MS_PER_DAY + 2 * 3_600_000;

/**
 * Returns the last day of which a snapshot may exist, by the clock of any server. One of a later day was taken by a clock
 * that was ahead.
 */
export const storedSnapshotDayLimit = (now: Instant): Day => dayOf(now + CLOCK_TOLERANCE_MS);

/** The run of a day, finished or in progress. */
export type SnapshotRun = Tables["snapshotRuns"]["$inferSelect"];

/** The counts of a run. */
const COUNTS = [
  "components",
  "changed",
  "critical",
  "warning",
  "announced",
  "queued",
  "suppressed",
] as const satisfies (keyof SnapshotRun)[];

/** Reads and writes the runs of daily snapshots and the trend points. */
export function snapshotStore(engine: Engine) {
  const { db } = engine;
  const { components, propertyTotals, riskSnapshots, snapshotRuns } = engine.tables;
  const run = engine.prepared(() =>
    db
      .select()
      .from(snapshotRuns)
      .where(eq(snapshotRuns.day, placeholder("day"))),
  );
  const latest = engine.prepared(() =>
    db
      .select()
      .from(snapshotRuns)
      .where(isNotNull(snapshotRuns.finishedAt))
      .orderBy(desc(snapshotRuns.day))
      .limit(1),
  );
  const latestStart = engine.read<{ startedAt: Instant }>(() =>
    db
      .select(aliasedSqlColumns({ startedAt: snapshotRuns.startedAt }))
      .from(snapshotRuns)
      .where(isNotNull(snapshotRuns.finishedAt))
      .orderBy(desc(snapshotRuns.day))
      .limit(1),
  );
  const later = engine.prepared(() =>
    db
      .select({ day: snapshotRuns.day })
      .from(snapshotRuns)
      .where(gt(snapshotRuns.day, placeholder("day")))
      .orderBy(desc(snapshotRuns.day))
      .limit(1),
  );
  const insert = engine.insertRow(riskSnapshots, "all", {
    orSet: { keys: ["componentId", "day"], columns: ["riskScore"] },
  });
  const advance = engine.setRow(snapshotRuns, "day", ["cursor", ...COUNTS]);
  const prune = engine.write(() =>
    db.delete(riskSnapshots).where(
      and(
        engine.isAmong(riskSnapshots.componentId, "componentIds"),
        // Redundant, but it avoids the subquery for each row of a component.
        lt(riskSnapshots.day, placeholder("cutoff")),
        sql`${riskSnapshots.day} < (select max(kept.day) from ${riskSnapshots} kept where kept.component_id = risk_snapshots.component_id and kept.day <= ${placeholder("cutoff")})`,
      ),
    ),
  );
  const trend = engine.prepared(() =>
    db
      .select({ day: riskSnapshots.day, riskScore: riskSnapshots.riskScore })
      .from(riskSnapshots)
      .where(eq(riskSnapshots.componentId, placeholder("componentId")))
      .orderBy(asc(riskSnapshots.day)),
  );
  const days = engine.prepared(() =>
    db
      .select({ day: snapshotRuns.day })
      .from(snapshotRuns)
      .where(and(gte(snapshotRuns.day, placeholder("from")), isNotNull(snapshotRuns.finishedAt)))
      .orderBy(asc(snapshotRuns.day)),
  );
  const owners = engine.prepared(() =>
    db
      .select({ id: components.id, partnerId: components.partnerId })
      .from(components)
      .where(gt(components.id, placeholder("after")))
      .orderBy(asc(components.id))
      .limit(placeholder("limit")),
  );
  const isLater = and(
    engine.isAmong(riskSnapshots.componentId, "componentIds"),
    gt(riskSnapshots.day, placeholder("day")),
  );
  const laterPoints = engine.prepared(() =>
    db.selectDistinct({ id: riskSnapshots.componentId }).from(riskSnapshots).where(isLater),
  );
  const dropLater = engine.prepared(() => db.delete(riskSnapshots).where(isLater));
  const goBack = engine.prepared(() =>
    db
      .update(components)
      .set({
        trendScore: sql`(select kept.risk_score from ${riskSnapshots} kept
          where kept.component_id = components.id and kept.day <= ${placeholder("day")} order by kept.day desc limit 1)`,
      })
      .where(engine.isAmong(components.id, "componentIds")),
  );
  const markUnseen = engine.prepared(() => {
    const unseen = db
      .select({ id: components.propertyId })
      .from(components)
      .where(and(engine.isAmong(components.id, "componentIds"), isNull(components.trendScore)));
    return db
      .update(propertyTotals)
      .set({ hasUnseen: true })
      .where(inArray(propertyTotals.propertyId, unseen));
  });

  return {
    async run(day: Day): Promise<SnapshotRun | undefined> {
      return (await run().execute({ day }))[0];
    },
    async latestFinished(): Promise<SnapshotRun | undefined> {
      return (await latest().execute({}))[0];
    },
    /** Ordered by day, the newest first, with the total count. */
    async page({ limit, offset }: StoredRowRange): Promise<{ runs: SnapshotRun[]; total: number }> {
      const newest = db.select().from(snapshotRuns).orderBy(desc(snapshotRuns.day));
      const [counted] = await db.select({ n: count() }).from(snapshotRuns);
      return { runs: await newest.limit(limit).offset(offset), total: counted!.n };
    },
    /** Returns the start of the latest finished run: the scoring of all components without a later one. */
    async latestSnapshotAt(): Promise<Instant | null> {
      return (await latestStart({}))[0]?.startedAt ?? null;
    },
    /** Returns the newest day after `day` with a run, finished or not, as when the clock was set back. */
    async laterThan(day: Day): Promise<Day | undefined> {
      return (await later().execute({ day }))[0]?.day;
    },
    /**
     * Reads components with ids after `after`: returns the last one, undefined if there are none, and those whose trends
     * have points of days after `day`.
     */
    async scoredAfter(day: Day, after: string, limit: number) {
      const page = await owners().execute({ after, limit });
      const componentIds = engine.list(page.map(({ id }) => id));
      const found = page.length === 0 ? [] : await laterPoints().execute({ componentIds, day });
      const later = new Set(found.map(({ id }) => id));
      return { last: page.at(-1)?.id, scored: page.filter(({ id }) => later.has(id)) };
    },
    /** Deletes the points of days after `day` from the trends of components. */
    async takeBack(componentIds: readonly string[], day: Day): Promise<void> {
      const ids = { componentIds: engine.list(componentIds), day };
      await goBack().execute(ids);
      await markUnseen().execute(ids);
      await dropLater().execute(ids);
    },
    /** Returns the runs of days after `day`, in order. */
    async after(day: Day): Promise<SnapshotRun[]> {
      return await db
        .select()
        .from(snapshotRuns)
        .where(gt(snapshotRuns.day, day))
        .orderBy(asc(snapshotRuns.day));
    },
    /** Deletes the runs of days after `day`, whose points are deleted from the trends; returns their number. */
    async forgetAfter(day: Day): Promise<number> {
      const runs = await db
        .delete(snapshotRuns)
        .where(gt(snapshotRuns.day, day))
        .returning({ day: snapshotRuns.day });
      return runs.length;
    },
    /** Returns an unfinished run of this or an earlier day. */
    async unfinished(): Promise<SnapshotRun | undefined> {
      const rows = await db
        .select()
        .from(snapshotRuns)
        .where(isNull(snapshotRuns.finishedAt))
        .orderBy(asc(snapshotRuns.day))
        .limit(1);
      return rows[0];
    },
    /** Inserts the run of a day, if there is none. */
    async start(day: Day, startedAt: Instant, modelVersion: string): Promise<void> {
      await db.insert(snapshotRuns).values({ day, startedAt, modelVersion }).onConflictDoNothing();
    },
    /** Locks and returns the run of a day. */
    async lockRun(day: Day): Promise<SnapshotRun | undefined> {
      const held = await db.update(snapshotRuns).set({ day }).where(eq(snapshotRuns.day, day)).returning();
      return held[0];
    },
    async update(day: Day, change: Partial<Omit<SnapshotRun, "day">>): Promise<void> {
      await db.update(snapshotRuns).set(change).where(eq(snapshotRuns.day, day));
    },
    /** Stores the counts of a run and the last property that it has scored. */
    async advance(day: Day, run: Pick<SnapshotRun, (typeof COUNTS)[number]>, cursor: string): Promise<void> {
      return advance({ ...run, day, cursor });
    },
    /** Stores the point of a day, in place of one that the day had. */
    async insertTrendRow(componentId: string, day: Day, riskScore: number): Promise<void> {
      return insert({ componentId, day, riskScore });
    },
    /** Deletes the components' rows that no day from `cutoff` needs. */
    async pruneTrends(componentIds: readonly string[], cutoff: Day): Promise<void> {
      return prune({ componentIds: engine.list(componentIds), cutoff });
    },
    async pruneRuns(cutoff: Day): Promise<void> {
      await db
        .delete(snapshotRuns)
        .where(and(lt(snapshotRuns.day, cutoff), isNotNull(snapshotRuns.finishedAt)));
    },
    async trendRows(componentId: string): Promise<TrendRow[]> {
      return await trend().execute({ componentId });
    },
    /** Returns the days from `from` with a snapshot, in order. */
    async days(from: Day): Promise<Day[]> {
      return (await days().execute({ from })).map((row) => row.day);
    },
  };
}
