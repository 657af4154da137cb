import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import type { HazardFlagCount } from "../../domain/hazards/hazard-flag-counts.ts";
import type { Engine } from "../store-engine.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** A property's row has its id, the portfolio's an empty one. */
const PORTFOLIO = "";

const isCounted = ({ known, suspected }: HazardFlagCount) => known + suspected > 0;

/** Counts of flagged appliances, updated by each write that changes one. */
export function hazardFlagStore(engine: Engine) {
  const { db } = engine;
  const { appliances, flagCounts, properties } = engine.tables;
  const columns = {
    code: flagCounts.code,
    known: flagCounts.known,
    suspected: flagCounts.suspected,
    properties: flagCounts.properties,
  };
  const add = engine.addToRow(
    flagCounts,
    ["partnerId", "propertyId", "code"],
    ["known", "suspected", "properties"],
    { orInsert: true },
  );
  const of = engine.read<HazardFlagCount>(() =>
    db
      .select(aliasedSqlColumns(columns))
      .from(flagCounts)
      .where(
        and(
          eq(flagCounts.partnerId, placeholder("partnerId")),
          eq(flagCounts.propertyId, placeholder("propertyId")),
        ),
      )
      .orderBy(asc(flagCounts.code)),
  );
  /** The primary key begins with the partner. Joined with the properties, SQLite would read all counts of the partner. */
  const isOfProperties = sql`(${flagCounts.partnerId}, ${flagCounts.propertyId}) in ${db
    .select({ partnerId: properties.partnerId, id: properties.id })
    .from(properties)
    .where(engine.isAmong(properties.id, "propertyIds"))}`;
  const ofProperties = engine.read<HazardFlagCount & { propertyId: string }>(() =>
    db
      .select(aliasedSqlColumns({ propertyId: flagCounts.propertyId, ...columns }))
      .from(flagCounts)
      .where(isOfProperties),
  );
  const ofPropertiesOfPartner = engine.read<HazardFlagCount & { propertyId: string }>(() =>
    db
      .select(aliasedSqlColumns({ propertyId: flagCounts.propertyId, ...columns }))
      .from(flagCounts)
      .where(
        and(
          eq(flagCounts.partnerId, placeholder("partnerId")),
          engine.isAmong(flagCounts.propertyId, "propertyIds"),
        ),
      ),
  );
  const sums = engine.read<HazardFlagCount>(() =>
    db
      .select({
        code: sql`${flagCounts.code}`.as("code"),
        known: sql`sum(${flagCounts.known})`.as("known"),
        suspected: sql`sum(${flagCounts.suspected})`.as("suspected"),
        properties: sql`sum(${flagCounts.properties})`.as("properties"),
      })
      .from(flagCounts)
      .where(isOfProperties)
      .groupBy(flagCounts.code),
  );
  const countsOf = async (partnerId: string, propertyId: string): Promise<HazardFlagCount[]> =>
    (await of({ partnerId, propertyId })).filter(isCounted);

  return {
    ofProperty: countsOf,
    ofPartner: (partnerId: string) => countsOf(partnerId, PORTFOLIO),
    async add(partnerId: string, propertyId: string | null, change: HazardFlagCount): Promise<void> {
      return add({ partnerId, propertyId: propertyId ?? PORTFOLIO, ...change });
    },
    /**
     * Returns the counts of properties by code, those without flags left out. `partnerId`: of all these properties, which saves
     * looking it up for each.
     */
    async ofProperties(
      propertyIds: readonly string[],
      partnerId?: string,
    ): Promise<Map<string, HazardFlagCount[]>> {
      if (propertyIds.length === 0) return new Map();
      const ids = { propertyIds: engine.list(propertyIds) };
      const rows = await (partnerId === undefined
        ? ofProperties(ids)
        : ofPropertiesOfPartner({ ...ids, partnerId }));
      rows.sort((a, b) => (a.code < b.code ? -1 : 1));
      return Map.groupBy(rows.filter(isCounted), ({ propertyId }) => propertyId);
    },
    /** Sums the counts of properties. */
    async sumOf(propertyIds: readonly string[]): Promise<HazardFlagCount[]> {
      return propertyIds.length === 0 ? [] : sums({ propertyIds: engine.list(propertyIds) });
    },
    /** Returns the stored counts of properties; "" stands for the portfolio. */
    async stored(
      partnerId: string,
      propertyIds: readonly string[],
    ): Promise<(HazardFlagCount & { propertyId: string })[]> {
      return await db
        .select({ propertyId: flagCounts.propertyId, ...columns })
        .from(flagCounts)
        .where(and(eq(flagCounts.partnerId, partnerId), inArray(flagCounts.propertyId, [...propertyIds])));
    },
    /** Counts the properties' appliances with the same flags. */
    async recount(
      propertyIds: readonly string[],
    ): Promise<{ propertyId: string; flags: string; count: number }[]> {
      const { propertyId, flags } = appliances;
      return await db
        .select({ propertyId, flags, count: sql<number>`count(*)`.mapWith(Number) })
        .from(appliances)
        .where(and(inArray(propertyId, [...propertyIds]), gt(appliances.seq, 0), sql`${flags} <> ''`))
        .groupBy(propertyId, flags);
    },
    /** Sums a partner's counts over its properties. */
    async sumOfProperties(partnerId: string): Promise<HazardFlagCount[]> {
      const sum = (column: typeof flagCounts.known) => sql<number>`sum(${column})`.mapWith(Number);
      return await db
        .select({
          code: flagCounts.code,
          known: sum(flagCounts.known),
          suspected: sum(flagCounts.suspected),
          properties: sum(flagCounts.properties),
        })
        .from(flagCounts)
        .where(and(eq(flagCounts.partnerId, partnerId), sql`${flagCounts.propertyId} <> ''`))
        .groupBy(flagCounts.code);
    },
    async set(partnerId: string, propertyId: string | null, count: HazardFlagCount): Promise<void> {
      const { known, suspected, properties } = count;
      const row = { partnerId, propertyId: propertyId ?? PORTFOLIO, ...count };
      const target = [flagCounts.partnerId, flagCounts.propertyId, flagCounts.code];
      await db
        .insert(flagCounts)
        .values(row)
        .onConflictDoUpdate({ target, set: { known, suspected, properties } });
    },
  };
}
