import {
  and,
  asc,
  eq,
  exists,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  lte,
  max,
  min,
  ne,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Appliance } from "../../domain/appliance.ts";
import type { Component } from "../../domain/component.ts";
import type { PricedComponent } from "../../domain/costs/price-list.ts";
import type { System } from "../../domain/domain-knowledge.ts";
import { PROPERTY_TOTALS, type PropertyTotals } from "../../domain/figures/property-totals.ts";
import type { DueComponent } from "../../domain/planning/component-plan.ts";
import type { StoredDue } from "../../domain/planning/planned-appliance.ts";
import type { StoredOutlook } from "../../domain/scoring/score-projections.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import type { Engine } from "../store-engine.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";
import { BLOCK_SIZE, RETIRED_COUNTER, WHOLE_BUCKET } from "./stored-counter-buckets.ts";
import { PROPERTY_SUMS, type StoredTotals } from "./totals-queries.ts";

const { placeholder } = sql;

/** The columns of a numbered list. */
type NumberedColumns = { partnerId: AnySQLiteColumn; seq: AnySQLiteColumn };

/** A component with what its costs depend on, and the copies that it has of other data. */
export type PricedRow = PricedComponent &
  StoredOutlook &
  DueComponent &
  Pick<Component, "id" | "propertyId" | "riskScore" | "riskTier" | "expectedCostCents" | "seq"> &
  Pick<Appliance, "flags" | keyof StoredDue> & {
    /** The component's own copies of the system of its kind and the state of its property. */
    copiedSystem: string;
    copiedState: string;
    /** Null for a component that no snapshot has scored. */
    trendScore: number | null;
  };

/** An appliance that has deficiencies, or had some. */
export type InspectedAppliance = Pick<Appliance, "id" | "propertyId" | "typeId" | "deficiencies">;

/** A counter as stored, or as recounted. */
export type Counter = { bucket: number; count: number };

/** Recounts what is stored as copies, sums and counters, a few properties or a block of components at a time. */
export function recountStore(engine: Engine) {
  const { db } = engine;
  const { appliances, componentCounters, components, eventLog, partnerTotals, properties } = engine.tables;
  const { photos, propertyTotals, serviceEvents } = engine.tables;
  const count = () => sql<number>`count(*)`.mapWith(Number);
  const sum = (of: AnySQLiteColumn | SQL) => sql<number>`coalesce(sum(${of}), 0)`.mapWith(Number);
  const latest = async (seq: AnySQLiteColumn, partner: AnySQLiteColumn, partnerId: string) => {
    // Each in a statement of its own, so that it is the end of an index.
    const end = async (of: typeof max | typeof min) => {
      const [row] = await db
        .select({ seq: of(seq) })
        .from(seq.table)
        .where(eq(partner, partnerId));
      return Math.abs(Number(row!.seq ?? 0));
    };
    return Math.max(await end(max), await end(min));
  };
  /** Counts the retired rows of a list, of one block of numbers or of all. */
  const retired = async ({ partnerId, seq }: NumberedColumns, ofPartner: string, block?: number) => {
    const inBlock =
      block === undefined
        ? undefined
        : and(gt(seq, -(block + 1) * BLOCK_SIZE), lte(seq, -block * BLOCK_SIZE));
    const [row] = await db
      .select({ n: count() })
      .from(seq.table)
      .where(and(eq(partnerId, ofPartner), lt(seq, 0), inBlock));
    return row!.n;
  };
  const pricedRows = () =>
    db
      .select(
        aliasedSqlColumns({
          id: components.id,
          seq: components.seq,
          propertyId: components.propertyId,
          applianceId: components.applianceId,
          expectedCostCents: components.expectedCostCents,
          lifeFactor: components.lifeFactor,
          effectiveAgeYears: components.effectiveAgeYears,
          rate: components.rate,
          hazardRatio: components.hazardRatio,
          acuteHazard: components.acuteHazard,
          overrideLifespan: components.overrideLifespan,
          installYear: components.installYear,
          installYearGiven: components.installYearGiven,
          lastReplaced: components.lastReplaced,
          past: components.past,
          scoredOn: components.scoredOn,
          brandTier: appliances.brandTier,
          installYearBasis: appliances.installYearBasis,
          flags: appliances.flags,
          dueCents: appliances.dueCents,
          unitTiming: appliances.unitTiming,
          dueHoldsUntil: appliances.dueHoldsUntil,
          recordsSince: properties.recordsSince,
          defId: components.defId,
          riskScore: components.riskScore,
          riskTier: components.riskTier,
          copiedSystem: components.system,
          copiedState: components.state,
          trendScore: components.trendScore,
          ownPlannedCents: components.ownPlannedCents,
          ownFailedCents: components.ownFailedCents,
          typeId: appliances.typeId,
          size: appliances.size,
          unitId: appliances.unitId,
          state: properties.state,
          unitCount: properties.unitCount,
          grossAreaSqft: properties.grossAreaSqft,
          stories: properties.stories,
        }),
      )
      .from(components)
      .innerJoin(appliances, eq(appliances.id, components.applianceId))
      .innerJoin(properties, eq(properties.id, components.propertyId))
      .orderBy(asc(components.seq));
  const priced = engine.read<PricedRow>(() =>
    pricedRows()
      .where(
        and(eq(components.propertyId, placeholder("propertyId")), gt(components.seq, placeholder("after"))),
      )
      .limit(placeholder("limit")),
  );
  const pricedOfProperties = engine.read<PricedRow>(() =>
    pricedRows().where(and(engine.isAmong(components.propertyId, "propertyIds"), gt(components.seq, sql`0`))),
  );
  const poor = db
    .select({ found: sql`1` })
    .from(serviceEvents)
    .where(
      and(
        eq(serviceEvents.applianceId, appliances.id),
        eq(serviceEvents.conditionAfter, sql`'poor'`),
        isNull(serviceEvents.voidedAt),
      ),
    );
  const withDeficiencies = engine.read<InspectedAppliance>(() =>
    db
      .select(
        aliasedSqlColumns({
          id: appliances.id,
          propertyId: appliances.propertyId,
          typeId: appliances.typeId,
          deficiencies: appliances.deficiencies,
        }),
      )
      .from(appliances)
      .where(
        and(
          engine.isAmong(appliances.propertyId, "propertyIds"),
          gt(appliances.seq, sql`0`),
          or(ne(appliances.deficiencies, sql`0`), exists(poor)),
        ),
      ),
  );
  const events = engine.read<{ count: number; last: number | null }>(() => {
    const next = db
      .select({ id: appliances.id, seq: appliances.seq })
      .from(appliances)
      .where(
        and(eq(appliances.propertyId, placeholder("propertyId")), gt(appliances.seq, placeholder("after"))),
      )
      .orderBy(asc(appliances.seq))
      .limit(placeholder("limit"))
      .as("next_appliances");
    // By appliance, which has an index.
    const ofAppliance = and(eq(serviceEvents.applianceId, next.id), isNull(serviceEvents.voidedAt));
    return db
      .select({ count: sql`count(${serviceEvents.id})`.as("count"), last: sql`max(${next.seq})`.as("last") })
      .from(next)
      .leftJoin(serviceEvents, ofAppliance);
  });
  const eventsOfProperties = engine.read<{ propertyId: string; count: number }>(() =>
    db
      .select({
        ...aliasedSqlColumns({ propertyId: appliances.propertyId }),
        count: sql`count(*)`.as("count"),
      })
      .from(appliances)
      .innerJoin(
        serviceEvents,
        and(eq(serviceEvents.applianceId, appliances.id), isNull(serviceEvents.voidedAt)),
      )
      .where(and(engine.isAmong(appliances.propertyId, "propertyIds"), gt(appliances.seq, sql`0`)))
      .groupBy(appliances.propertyId),
  );
  const setProperty = engine.setRow(propertyTotals, "propertyId", [...PROPERTY_SUMS, "hasUnseen"]);
  return {
    /** Returns the appliances of properties with deficiencies, or with an event that found something in a poor condition. */
    async withDeficiencies(propertyIds: readonly string[]): Promise<InspectedAppliance[]> {
      return await withDeficiencies({ propertyIds: engine.list(propertyIds) });
    },
    /** Returns components of a property with what their costs depend on, after a `seq`; 0 for the first. */
    async priced(propertyId: string, after: number, limit: number): Promise<PricedRow[]> {
      return await priced({ propertyId, after, limit });
    },
    /** Returns all components of properties with what their costs depend on, those of a property in order. */
    async pricedOfProperties(propertyIds: readonly string[]): Promise<PricedRow[]> {
      return await pricedOfProperties({ propertyIds: engine.list(propertyIds) });
    },
    /** Counts the appliances of each property that has some. */
    async appliances(propertyIds: readonly string[]): Promise<{ propertyId: string; count: number }[]> {
      const { propertyId } = appliances;
      return await db
        .select({ propertyId, count: count() })
        .from(appliances)
        .where(and(inArray(propertyId, [...propertyIds]), gt(appliances.seq, 0)))
        .groupBy(propertyId);
    },
    /**
     * Counts the events of a property's next appliances after a `seq`, 0 for the first, and returns the last one's; undefined
     * if there are none.
     */
    async serviceEvents(
      propertyId: string,
      after: number,
      limit: number,
    ): Promise<{ count: number; last: number | undefined }> {
      const [counted] = await events({ propertyId, after, limit });
      return { count: Number(counted!.count), last: counted!.last ?? undefined };
    },
    /** Returns the number of events of each property that has some. */
    async serviceEventsOfProperties(propertyIds: readonly string[]): Promise<Map<string, number>> {
      const rows = await eventsOfProperties({ propertyIds: engine.list(propertyIds) });
      return new Map(rows.map(({ propertyId, count }) => [propertyId, Number(count)]));
    },
    async ofProperties(
      propertyIds: readonly string[],
    ): Promise<(PropertyTotals & { propertyId: string; hasUnseen: boolean })[]> {
      return await db
        .select()
        .from(propertyTotals)
        .where(inArray(propertyTotals.propertyId, [...propertyIds]));
    },
    /** Returns a partner's totals by its properties' totals, and by the numbers of its lists. */
    async ofPartner(partnerId: string): Promise<StoredTotals> {
      const sums = Object.fromEntries(PROPERTY_TOTALS.map((name) => [name, sum(propertyTotals[name])]));
      const [row] = await db.select(sums).from(propertyTotals).where(eq(propertyTotals.partnerId, partnerId));
      // By appliance, which has an index.
      const [stored] = await db
        .select({ bytes: sum(photos.bytes) })
        .from(appliances)
        .innerJoin(photos, eq(photos.applianceId, appliances.id))
        .where(eq(appliances.partnerId, partnerId));
      return {
        ...(row as Record<(typeof PROPERTY_TOTALS)[number], number>),
        properties: await latest(properties.seq, properties.partnerId, partnerId),
        appliances: await latest(appliances.seq, appliances.partnerId, partnerId),
        components: await latest(components.seq, components.partnerId, partnerId),
        events: await latest(eventLog.seq, eventLog.partnerId, partnerId),
        photoBytes: stored!.bytes,
        retiredProperties: await retired(properties, partnerId),
        retiredAppliances: await retired(appliances, partnerId),
        retiredComponents: await retired(components, partnerId),
      };
    },
    /** Returns the scores of a block of a partner's components, with the number that the latest snapshot scored. */
    async scores(
      partnerId: string,
      block: number,
    ): Promise<{ riskScore: number; count: number; settled: number }[]> {
      const { riskScore, rescoredAt, seq } = components;
      return await db
        .select({
          riskScore,
          count: count(),
          settled: sum(sql`case when ${rescoredAt} is null then 1 else 0 end`),
        })
        .from(components)
        .where(
          and(
            eq(components.partnerId, partnerId),
            gte(seq, block * BLOCK_SIZE),
            lt(seq, (block + 1) * BLOCK_SIZE),
          ),
        )
        .groupBy(riskScore);
    },
    /** Returns how many rows of each list are retired in a block of numbers. */
    async retired(partnerId: string, block: number): Promise<Counter[]> {
      return [
        { bucket: RETIRED_COUNTER.components, count: await retired(components, partnerId, block) },
        { bucket: RETIRED_COUNTER.appliances, count: await retired(appliances, partnerId, block) },
        { bucket: RETIRED_COUNTER.properties, count: await retired(properties, partnerId, block) },
      ];
    },
    async counters(partnerId: string, block: number): Promise<Counter[]> {
      const { bucket } = componentCounters;
      return await db
        .select({ bucket, count: componentCounters.count })
        .from(componentCounters)
        .where(and(eq(componentCounters.partnerId, partnerId), eq(componentCounters.block, block)))
        .orderBy(asc(bucket));
    },
    /** Returns the blocks that a partner has counters of. */
    async blocks(partnerId: string): Promise<number[]> {
      const { block } = componentCounters;
      const rows = await db
        .selectDistinct({ block })
        .from(componentCounters)
        .where(and(eq(componentCounters.partnerId, partnerId), ne(block, WHOLE_BUCKET)));
      return rows.map((row) => row.block);
    },
    /** Sums a partner's counters over all blocks. */
    async sumOfBlocks(partnerId: string): Promise<Counter[]> {
      const { bucket, block } = componentCounters;
      return await db
        .select({ bucket, count: sum(componentCounters.count) })
        .from(componentCounters)
        .where(and(eq(componentCounters.partnerId, partnerId), ne(block, WHOLE_BUCKET)))
        .groupBy(bucket);
    },
    /** Sets the copied columns of the property's components of a kind. */
    async setCopies(propertyId: string, defId: string, system: System, state: string): Promise<void> {
      await db
        .update(components)
        .set({ system, state })
        .where(
          and(
            eq(components.propertyId, propertyId),
            eq(components.defId, defId),
            or(ne(components.system, system), ne(components.state, state)),
          ),
        );
    },
    /** Sets the tier of the property's components with a score. */
    async setTier(propertyId: string, riskScore: number, riskTier: RiskTier): Promise<void> {
      await db
        .update(components)
        .set({ riskTier })
        .where(
          and(
            eq(components.propertyId, propertyId),
            eq(components.riskScore, riskScore),
            ne(components.riskTier, riskTier),
          ),
        );
    },
    async setProperty(propertyId: string, totals: PropertyTotals & { hasUnseen: boolean }): Promise<void> {
      await setProperty({ ...totals, propertyId, hasUnseen: engine.bound(totals.hasUnseen) });
    },
    async setPartner(partnerId: string, totals: StoredTotals): Promise<void> {
      await db.update(partnerTotals).set(totals).where(eq(partnerTotals.partnerId, partnerId));
    },
    async setCounter(partnerId: string, block: number, { bucket, count: right }: Counter): Promise<void> {
      const { partnerId: partner, bucket: ofBucket, block: ofBlock } = componentCounters;
      await db
        .insert(componentCounters)
        .values({ partnerId, bucket, block, count: right })
        .onConflictDoUpdate({ target: [partner, ofBucket, ofBlock], set: { count: right } });
    },
  };
}
