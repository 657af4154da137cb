import { and, asc, count, desc, eq, gt, sql } from "drizzle-orm";
import type { Unit } from "../../domain/property.ts";
import type { Engine } from "../store-engine.ts";
import type { StoredRowRange } from "../stored-row-range.ts";

const { placeholder } = sql;

/** Reads and writes the units of properties, numbered from 1. */
export function unitStore(engine: Engine) {
  const { db } = engine;
  const { appliances, units } = engine.tables;
  const byId = engine.prepared(() =>
    db
      .select()
      .from(units)
      .where(eq(units.id, placeholder("id"))),
  );
  const page = engine.prepared(() =>
    db
      .select()
      .from(units)
      .where(and(eq(units.propertyId, placeholder("propertyId")), gt(units.number, placeholder("offset"))))
      .orderBy(asc(units.number))
      .limit(placeholder("limit")),
  );
  const ofIds = engine.prepared(() => db.select().from(units).where(engine.isAmong(units.id, "ids")));
  const highestOfProperties = engine.prepared(() =>
    db
      .select({ propertyId: units.propertyId, highest: sql<number>`max(${units.number})`.mapWith(Number) })
      .from(units)
      .where(engine.isAmong(units.propertyId, "ids"))
      .groupBy(units.propertyId),
  );
  const insert = engine.insertRow(units, "all");
  return {
    async find(id: string): Promise<Unit | undefined> {
      return (await byId().execute({ id }))[0];
    },
    /** Returns the units with these ids, in no order. */
    async ofIds(ids: readonly string[]): Promise<Unit[]> {
      return ids.length === 0 ? [] : await ofIds().execute({ ids: engine.list(ids) });
    },
    /** Returns a page of units. They are numbered from 1 without gaps, so the offset is the number to start after. */
    async page(propertyId: string, slice: StoredRowRange): Promise<Unit[]> {
      return await page().execute({ propertyId, ...slice });
    },
    async insert(rows: Unit[]): Promise<void> {
      for (const row of rows) await insert({ ...row });
    },
    /** Returns the units with a number above `number` that have an appliance. */
    async inUseAbove(propertyId: string, number: number): Promise<Unit[]> {
      return await db
        .selectDistinct({
          id: units.id,
          propertyId: units.propertyId,
          number: units.number,
          createdAt: units.createdAt,
        })
        .from(units)
        .innerJoin(appliances, eq(appliances.unitId, units.id))
        .where(and(eq(units.propertyId, propertyId), gt(units.number, number)))
        .orderBy(asc(units.number));
    },
    async deleteAbove(propertyId: string, number: number): Promise<void> {
      await db.delete(units).where(and(eq(units.propertyId, propertyId), gt(units.number, number)));
    },
    async highest(propertyId: string): Promise<number> {
      const rows = await db
        .select({ number: units.number })
        .from(units)
        .where(eq(units.propertyId, propertyId))
        .orderBy(desc(units.number))
        .limit(1);
      return rows[0]?.number ?? 0;
    },
    /** Returns the highest number of a unit of each of the properties that have one. */
    async highestOfProperties(ids: readonly string[]): Promise<{ propertyId: string; highest: number }[]> {
      return await highestOfProperties().execute({ ids: engine.list(ids) });
    },
    async count(propertyId: string): Promise<number> {
      const rows = await db.select({ n: count() }).from(units).where(eq(units.propertyId, propertyId));
      return rows[0]!.n;
    },
  };
}
