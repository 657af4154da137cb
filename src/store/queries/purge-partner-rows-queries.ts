import { and, asc, eq, gte, inArray, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn, AnySQLiteTable } from "drizzle-orm/sqlite-core";
import { PARTNER_CALLER } from "../../cluster/cluster-rate-window-permits.ts";
import type { Engine } from "../store-engine.ts";

const { placeholder } = sql;

/** The numbers in the partner's lists that a purge has reached. */
export type PurgePlace = { appliances: number; properties: number };
/** The numbers of retired rows are negative. */
const START: PurgePlace = { appliances: -2_147_483_648, properties: -2_147_483_648 };

/** The result of a step of a purge. */
type Purged = {
  rows: number;
  /** The position of the next step. */
  place: PurgePlace;
  /** The pictures of deleted photos, whose files are deleted next. */
  files: string[];
  /** Their size. */
  fileBytes: number;
  /** True if only the rows that `finish` deletes are left. */
  isEmpty: boolean;
};

/** The most rows that one statement deletes. */
const PER_STATEMENT = 200;

/** Deletes the rows of an id, and returns a key of each. */
type Deletion = () => { execute(values: { id: string }): Promise<unknown[]> };

/**
 * Deletes a partner with all of its rows, a few hundred in each step, found by indexes. Referencing rows are deleted
 * before referenced ones, since the connection for purges does not check foreign keys.
 */
export function partnerPurgeStore(engine: Engine) {
  const { db } = engine;
  const t = engine.tables;

  /** Deletes a bounded number of rows by their keys, of one table, or of one with its `components`. */
  const some = (table: AnySQLiteTable, key: AnySQLiteColumn[], condition: SQL, byComponents = false) =>
    engine.prepared(() => {
      const columns = Object.fromEntries(key.map((column, at) => [`key${at}`, column]));
      const rows = byComponents
        ? db
            .select(columns)
            .from(t.components)
            .innerJoin(table, eq(key.find(({ name }) => name === "component_id")!, t.components.id))
        : db.select(columns).from(table);
      const chosen = rows.where(condition).limit(PER_STATEMENT);
      const isChosen =
        key.length === 1 ? inArray(key[0]!, chosen) : sql`(${sql.join(key, sql`, `)}) in ${chosen}`;
      return db.delete(table).where(isChosen).returning({ key: key[0]! });
    }) as Deletion;
  /** Deletes the few rows of an id. */
  const all = (table: AnySQLiteTable, of: AnySQLiteColumn) =>
    engine.prepared(() =>
      db
        .delete(table)
        .where(eq(of, placeholder("id")))
        .returning({ key: of }),
    ) as Deletion;
  const isOf = (column: AnySQLiteColumn) => eq(column, placeholder("id"));

  /** The deletions of an appliance: referencing rows before referenced ones. */
  const ofAppliance = [
    some(
      t.riskSnapshots,
      [t.riskSnapshots.componentId, t.riskSnapshots.day],
      isOf(t.components.applianceId),
      true,
    ),
    some(
      t.outcomes,
      [t.outcomes.serviceEventId, t.outcomes.componentId],
      isOf(t.components.applianceId),
      true,
    ),
    // Each kind has its own index.
    ...["smart", "meter"].map((kind) =>
      some(
        t.sensorEvents,
        [t.sensorEvents.id],
        sql`${isOf(t.sensorEvents.applianceId)} and ${t.sensorEvents.kind} = ${sql.raw(`'${kind}'`)}`,
      ),
    ),
    some(
      t.modelFrailties,
      [t.modelFrailties.applianceId, t.modelFrailties.number],
      isOf(t.modelFrailties.applianceId),
    ),
    some(t.serviceEvents, [t.serviceEvents.id], isOf(t.serviceEvents.applianceId)),
    some(t.components, [t.components.id], isOf(t.components.applianceId)),
    all(t.appliances, t.appliances.id),
  ];
  /** The deletions of a property without appliances. */
  const ofProperty = [
    some(t.claims, [t.claims.id], isOf(t.claims.propertyId)),
    some(t.embeds, [t.embeds.id], isOf(t.embeds.propertyId)),
    some(
      t.planCandidates,
      [t.planCandidates.propertyId, t.planCandidates.componentId],
      isOf(t.planCandidates.propertyId),
    ),
    some(t.planActions, [t.planActions.propertyId, t.planActions.subjectId], isOf(t.planActions.propertyId)),
    some(t.workStates, [t.workStates.subjectId], isOf(t.workStates.propertyId)),
    some(t.units, [t.units.id], isOf(t.units.propertyId)),
    all(t.propertyPlans, t.propertyPlans.propertyId),
    all(t.propertyTotals, t.propertyTotals.propertyId),
    all(t.propertyStandings, t.propertyStandings.propertyId),
    all(t.properties, t.properties.id),
  ];
  const deliveries = t.webhookDeliveries;
  const oldest = () =>
    db
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(isOf(deliveries.partnerId))
      .orderBy(asc(deliveries.id))
      .limit(PER_STATEMENT);
  /** The deletions of a partner without properties that may have many rows. */
  const ofPartner = [
    engine.prepared(() =>
      db
        .delete(t.webhookAttempts)
        .where(inArray(t.webhookAttempts.deliveryId, oldest()))
        .returning({ key: t.webhookAttempts.deliveryId }),
    ) as Deletion,
    engine.prepared(() =>
      db.delete(deliveries).where(inArray(deliveries.id, oldest())).returning({ key: deliveries.id }),
    ) as Deletion,
    some(
      t.flagCounts,
      [t.flagCounts.partnerId, t.flagCounts.propertyId, t.flagCounts.code],
      isOf(t.flagCounts.partnerId),
    ),
    some(
      t.conditionTrends,
      [t.conditionTrends.partnerId, t.conditionTrends.propertyId, t.conditionTrends.day],
      isOf(t.conditionTrends.partnerId),
    ),
    some(t.eventLog, [t.eventLog.partnerId, t.eventLog.seq], isOf(t.eventLog.partnerId)),
    some(
      t.componentCounters,
      [t.componentCounters.partnerId, t.componentCounters.bucket, t.componentCounters.block],
      isOf(t.componentCounters.partnerId),
    ),
    some(
      t.idempotencyKeys,
      [t.idempotencyKeys.partnerId, t.idempotencyKeys.operation, t.idempotencyKeys.key],
      isOf(t.idempotencyKeys.partnerId),
    ),
    all(t.feedCursors, t.feedCursors.partnerId),
    some(t.correctionValues, [t.correctionValues.seq], isOf(t.correctionValues.partnerId)),
    some(t.costLines, [t.costLines.id], isOf(t.costLines.partnerId)),
    some(t.dailyBudgets, [t.dailyBudgets.partnerId, t.dailyBudgets.day], isOf(t.dailyBudgets.partnerId)),
  ];
  /** The deletions of one or a few rows each. */
  const last = [
    all(t.dailyBudgets, t.dailyBudgets.partnerId),
    engine.prepared(() =>
      db
        .delete(t.rateWindows)
        .where(eq(t.rateWindows.caller, sql`${sql.raw(`'${PARTNER_CALLER}'`)} || ${placeholder("id")}`))
        .returning({ key: t.rateWindows.caller }),
    ) as Deletion,
    all(t.snapshotShares, t.snapshotShares.partnerId),
    all(t.costLines, t.costLines.partnerId),
    all(t.recalculations, t.recalculations.partnerId),
    all(t.partnerPlans, t.partnerPlans.partnerId),
    all(t.partnerBrands, t.partnerBrands.partnerId),
    all(t.savedFilters, t.savedFilters.partnerId),
    all(t.credentials, t.credentials.partnerId),
    all(t.webhookEndpoints, t.webhookEndpoints.partnerId),
    all(t.partnerTotals, t.partnerTotals.partnerId),
    all(t.partners, t.partners.id),
  ];
  const firstAppliance = engine.prepared(() =>
    db
      .select({ id: t.appliances.id, seq: t.appliances.seq })
      .from(t.appliances)
      .where(and(isOf(t.appliances.partnerId), gte(t.appliances.seq, placeholder("from"))))
      .orderBy(asc(t.appliances.seq))
      .limit(1),
  );
  const firstProperty = engine.prepared(() =>
    db
      .select({ id: t.properties.id, seq: t.properties.seq })
      .from(t.properties)
      .where(and(isOf(t.properties.partnerId), gte(t.properties.seq, placeholder("from"))))
      .orderBy(asc(t.properties.seq))
      .limit(1),
  );
  const photos = engine.prepared(() => {
    const chosen = db
      .select({ id: t.photos.id })
      .from(t.photos)
      .where(isOf(t.photos.applianceId))
      .limit(PER_STATEMENT);
    return db
      .delete(t.photos)
      .where(inArray(t.photos.id, chosen))
      .returning({ filename: t.photos.filename, bytes: t.photos.bytes });
  });

  /** Runs the deletions in order, until one leaves rows for another step. */
  async function runAll(deletions: readonly Deletion[], id: string): Promise<number> {
    let rows = 0;
    for (const deletion of deletions) {
      const gone = await deletion().execute({ id });
      rows += gone.length;
      if (gone.length >= PER_STATEMENT) break;
    }
    return rows;
  }

  return {
    /**
     * Starts at a position, since PostgreSQL's index retains deleted entries for a while, and each step would scan
     * them.
     */
    async step(partnerId: string, place = START): Promise<Purged> {
      const [appliance] = await firstAppliance().execute({ id: partnerId, from: place.appliances });
      if (appliance) {
        const deleted = await photos().execute({ id: appliance.id });
        const here = {
          place: { ...place, appliances: appliance.seq },
          isEmpty: false,
          files: deleted.map(({ filename }) => filename),
          fileBytes: deleted.reduce((sum, { bytes }) => sum + bytes, 0),
        };
        if (deleted.length >= PER_STATEMENT) return { ...here, rows: deleted.length };
        return { ...here, rows: deleted.length + (await runAll(ofAppliance, appliance.id)) };
      }
      const [property] = await firstProperty().execute({ id: partnerId, from: place.properties });
      if (property) {
        const rows = await runAll(ofProperty, property.id);
        return {
          rows,
          place: { ...place, properties: property.seq },
          files: [],
          fileBytes: 0,
          isEmpty: false,
        };
      }
      const rows = await runAll(ofPartner, partnerId);
      return { rows, place, files: [], fileBytes: 0, isEmpty: rows === 0 };
    },
    /** Deletes the partner itself. Throws if a row still refers to it. */
    async finish(partnerId: string): Promise<void> {
      for (const deletion of last) await deletion().execute({ id: partnerId });
    },
  };
}
