import { and, asc, count, eq, gt, gte, lte, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { PlacedComponent } from "../../domain/component.ts";
import type { Property } from "../../domain/property.ts";
import { type PropertyTotals, TOTALS, type Totals } from "../../domain/totals.ts";
import { WHOLE_BUCKET } from "../component-counters.ts";
import { isElevated } from "../elevated-components.ts";
import type { Engine } from "../engine.ts";
import { componentRows } from "./component-rows.ts";
import type { CodeCount } from "./flags.ts";
import { aliased } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** A partner of the book, with the revision of its data and the lengths of its lists. */
export type BookMember = {
  id: string;
  name: string;
  revision: number;
  /** Properties in lists, and the number of the latest one, retired or not. */
  properties: number;
  latestProperty: number;
  /** CRITICAL and WARNING components. */
  alerts: number;
};

/** The alerts of a partner with one score, in hundredths. */
export type AlertCell = { partnerId: string; score: number; count: number };

export type BookAlertFilter = { system?: string | undefined; state?: string | undefined };

/**
 * Reads over the records of several partners. Each statement reads the stored sums of all of them, or one page: 1,000 partners
 * with a million components took 0.3 ms for their sums, 2 ms for their flags and 11 ms for their alerts by all scores.
 */
export function bookStore(engine: Engine) {
  const { db } = engine;
  const { componentCounters, components, flagCounts, partners, partnerTotals, properties, propertyTotals } =
    engine.tables;
  const members = engine.read<BookMember>(() =>
    db
      .select({
        ...aliased({ id: partners.id, name: partners.name, revision: partners.revision }),
        properties: sql`${partnerTotals.properties} - ${partnerTotals.retiredProperties}`.as("properties"),
        latestProperty: sql`${partnerTotals.properties}`.as("latestProperty"),
        alerts: sql`${partnerTotals.critical} + ${partnerTotals.warning}`.as("alerts"),
      })
      .from(partners)
      .innerJoin(partnerTotals, eq(partnerTotals.partnerId, partners.id))
      .orderBy(asc(partners.id)),
  );
  const revision = engine.read<{ revision: number }>(() =>
    db
      .select({ revision: sql`coalesce(sum(${partners.revision}), 0) + ${count()}`.as("revision") })
      .from(partners),
  );
  const isOfPartners = engine.isAmong(partnerTotals.partnerId, "partnerIds");
  const sum = (of: SQL | AnySQLiteColumn) => sql`coalesce(sum(${of}), 0)`;
  const sums = engine.read<BookSums>(() => {
    const { properties, retiredProperties, appliances, retiredAppliances, retiredComponents } = partnerTotals;
    return db
      .select({
        ...Object.fromEntries(TOTALS.map((name) => [name, sum(partnerTotals[name]).as(name)])),
        properties: sum(sql`${properties} - ${retiredProperties}`).as("properties"),
        appliances: sum(sql`${appliances} - ${retiredAppliances}`).as("appliances"),
        components: sum(sql`${partnerTotals.components} - ${retiredComponents}`).as("components"),
      } as Record<keyof BookSums, SQL.Aliased>)
      .from(partnerTotals)
      .where(isOfPartners);
  });
  const isDemoOfPartners = and(
    engine.isAmong(properties.partnerId, "partnerIds"),
    engine.isTrue(properties.isDemo),
    gt(properties.seq, 0),
  );
  const demoSums = engine.read<BookSums>(() =>
    db
      .select({
        ...Object.fromEntries(TOTALS.map((name) => [name, sum(propertyTotals[name]).as(name)])),
        properties: count().as("properties"),
      } as Record<keyof BookSums, SQL.Aliased>)
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(isDemoOfPartners),
  );
  const flagSums = {
    code: sql`${flagCounts.code}`.as("code"),
    known: sum(flagCounts.known).as("known"),
    suspected: sum(flagCounts.suspected).as("suspected"),
    properties: sum(flagCounts.properties).as("properties"),
  };
  const flags = engine.read<CodeCount>(() =>
    db
      .select(flagSums)
      .from(flagCounts)
      .where(and(engine.isAmong(flagCounts.partnerId, "partnerIds"), eq(flagCounts.propertyId, sql`''`)))
      .groupBy(flagCounts.code),
  );
  const demoFlags = engine.read<CodeCount>(() =>
    db
      .select(flagSums)
      .from(flagCounts)
      .where(
        sql`(${flagCounts.partnerId}, ${flagCounts.propertyId}) in ${db
          .select({ partnerId: properties.partnerId, id: properties.id })
          .from(properties)
          .where(isDemoOfPartners)}`,
      )
      .groupBy(flagCounts.code),
  );
  const ofPartners = engine.prepared(() =>
    db
      .select({ property: properties, totals: propertyTotals })
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(and(engine.isAmong(properties.partnerId, "partnerIds"), gt(properties.seq, 0))),
  );

  const withinScores = (score: AnySQLiteColumn) => [
    gte(score, placeholder("from")),
    lte(score, placeholder("to")),
  ];
  const alerts = (...more: SQL[]) => {
    const isListed = and(
      engine.isAmong(components.partnerId, "partnerIds"),
      // A literal condition, so that SQLite uses the partial indexes.
      isElevated(components.riskScore),
      gt(components.seq, 0),
      ...more,
    );
    const { partnerId, riskScore } = components;
    const within = and(isListed, ...withinScores(riskScore));
    const score = sql`${riskScore}`.as("score");
    return {
      scores: engine.read<ScoreCount>(() =>
        db
          .select({ score, count: count().as("count") })
          .from(components)
          .where(within)
          .groupBy(riskScore),
      ),
      cells: engine.read<AlertCell>(() =>
        db
          .select({ ...aliased({ partnerId }), score, count: count().as("count") })
          .from(components)
          .where(within)
          .groupBy(partnerId, riskScore),
      ),
      rows: engine.read<PlacedComponent>(() =>
        componentRows(engine).where(and(isListed, eq(riskScore, placeholder("score")))),
      ),
    };
  };
  const ofSystem = eq(components.system, placeholder("system"));
  const ofState = eq(components.state, placeholder("state"));
  const [all, bySystem, byState, byBoth] = [
    alerts(),
    alerts(ofSystem),
    alerts(ofState),
    alerts(ofState, ofSystem),
  ];
  const readsFor = ({ system, state }: BookAlertFilter) =>
    state === undefined ? (system === undefined ? all : bySystem) : system === undefined ? byState : byBoth;
  /** Buckets of scores are their hundredths. */
  const { partnerId, bucket, block, count: inBucket } = componentCounters;
  const isWholeScore = and(
    engine.isAmong(partnerId, "partnerIds"),
    ...withinScores(bucket),
    eq(block, WHOLE_BUCKET),
    gt(inBucket, 0),
  );
  const scoreCounters = engine.read<ScoreCount>(() =>
    db
      .select({ score: sql`${bucket}`.as("score"), count: sum(inBucket).as("count") })
      .from(componentCounters)
      .where(isWholeScore)
      .groupBy(bucket),
  );
  const cellCounters = engine.read<AlertCell>(() =>
    db
      .select(aliased({ partnerId, score: bucket, count: inBucket }))
      .from(componentCounters)
      .where(isWholeScore),
  );
  const isWhole = ({ system, state }: BookAlertFilter) => system === undefined && state === undefined;

  return {
    /** Returns all partners, by their IDs. */
    async members(): Promise<BookMember[]> {
      return members({});
    },
    /** Returns a number that each change of a partner's data changes. */
    async revision(): Promise<number> {
      return (await revision({}))[0]!.revision;
    },
    /** Sums the portfolios of partners. */
    async sums(partnerIds: readonly string[]): Promise<BookSums> {
      return (await sums({ partnerIds: engine.list(partnerIds) }))[0]!;
    },
    /** Sums the demo properties of partners. */
    async demoSums(partnerIds: readonly string[]): Promise<BookSums> {
      return (await demoSums({ partnerIds: engine.list(partnerIds) }))[0]!;
    },
    /** Sums the counts of flags over the portfolios of partners. */
    async flags(partnerIds: readonly string[]): Promise<CodeCount[]> {
      return flags({ partnerIds: engine.list(partnerIds) });
    },
    async demoFlags(partnerIds: readonly string[]): Promise<CodeCount[]> {
      return demoFlags({ partnerIds: engine.list(partnerIds) });
    },
    /** Returns all listed properties of partners, in no order. */
    async properties(
      partnerIds: readonly string[],
    ): Promise<{ property: Property; totals: PropertyTotals }[]> {
      return await ofPartners().execute({ partnerIds: engine.list(partnerIds) });
    },
    /** Counts the alerts of partners by score, in hundredths, in no order. */
    async alertScores(
      partnerIds: readonly string[],
      filter: BookAlertFilter,
      scores: ScoreRange,
    ): Promise<ScoreCount[]> {
      const values = { ...filter, ...scores, partnerIds: engine.list(partnerIds) };
      return isWhole(filter) ? scoreCounters(values) : readsFor(filter).scores(values);
    },
    /** Counts the alerts of each partner with scores from `from` to `to`, in no order. */
    async alertCells(
      partnerIds: readonly string[],
      filter: BookAlertFilter,
      scores: ScoreRange,
    ): Promise<AlertCell[]> {
      const values = { ...filter, ...scores, partnerIds: engine.list(partnerIds) };
      return isWhole(filter) ? cellCounters(values) : readsFor(filter).cells(values);
    },
    /** Returns all alerts of partners with a score, in no order. */
    async alertsOf(
      partnerIds: readonly string[],
      filter: BookAlertFilter,
      score: number,
    ): Promise<PlacedComponent[]> {
      return readsFor(filter).rows({ ...filter, score, partnerIds: engine.list(partnerIds) });
    },
  };
}

type ScoreRange = { from: number; to: number };
export type ScoreCount = { score: number; count: number };
/** Sums over portfolios. */
type BookSums = Totals & { properties: number };
