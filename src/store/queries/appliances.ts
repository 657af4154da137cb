import { and, asc, count, eq, gt, inArray, sql } from "drizzle-orm";
import type { Appliance } from "../../domain/appliance.ts";
import type { Engine } from "../engine.ts";
import type { Slice } from "../slice.ts";
import { aliased } from "./aliased-columns.ts";

const { placeholder } = sql;

/** The columns of an appliance that scoring reads. */
export type ScoredAppliance = Pick<
  Appliance,
  | "id"
  | "propertyId"
  | "unitId"
  | "typeId"
  | "brand"
  | "model"
  | "brandTier"
  | "installYear"
  | "installYearBasis"
  | "usageIntensity"
  | "size"
  | "flags"
  | "flagsSet"
  | "flagsCleared"
>;

export function applianceStore(engine: Engine) {
  const { db, isAmong } = engine;
  const { appliances } = engine.tables;
  const scored = {
    id: appliances.id,
    propertyId: appliances.propertyId,
    unitId: appliances.unitId,
    typeId: appliances.typeId,
    brand: appliances.brand,
    model: appliances.model,
    brandTier: appliances.brandTier,
    installYear: appliances.installYear,
    installYearBasis: appliances.installYearBasis,
    usageIntensity: appliances.usageIntensity,
    size: appliances.size,
    flags: appliances.flags,
    flagsSet: appliances.flagsSet,
    flagsCleared: appliances.flagsCleared,
  };
  const byId = engine.prepared(() =>
    db
      .select()
      .from(appliances)
      .where(and(eq(appliances.id, placeholder("id")), eq(appliances.partnerId, placeholder("partnerId")))),
  );
  const bySerial = engine.prepared(() =>
    db
      .select()
      .from(appliances)
      .where(
        and(
          eq(appliances.propertyId, placeholder("propertyId")),
          eq(appliances.serial, placeholder("serial")),
        ),
      )
      .orderBy(asc(appliances.seq))
      .limit(2),
  );
  const bySerialAnywhere = engine.prepared(() =>
    db
      .select()
      .from(appliances)
      .where(
        and(eq(appliances.partnerId, placeholder("partnerId")), eq(appliances.serial, placeholder("serial"))),
      )
      .orderBy(asc(appliances.seq))
      .limit(2),
  );
  const ofProperty = engine.prepared(() =>
    db
      .select()
      .from(appliances)
      .where(eq(appliances.propertyId, placeholder("propertyId")))
      .orderBy(asc(appliances.seq)),
  );
  const ofProperties = engine.prepared(() =>
    db
      .select()
      .from(appliances)
      .where(isAmong(appliances.propertyId, "propertyIds"))
      .limit(placeholder("limit")),
  );
  const ofIds = engine.prepared(() => db.select().from(appliances).where(isAmong(appliances.id, "ids")));
  const ofPropertyAfter = engine.prepared(() =>
    db
      .select()
      .from(appliances)
      .where(
        and(eq(appliances.propertyId, placeholder("propertyId")), gt(appliances.seq, placeholder("after"))),
      )
      .orderBy(asc(appliances.seq))
      .limit(placeholder("limit")),
  );
  const page = engine.prepared(() =>
    db
      .select()
      .from(appliances)
      .where(
        and(eq(appliances.partnerId, placeholder("partnerId")), gt(appliances.seq, placeholder("offset"))),
      )
      .orderBy(asc(appliances.seq))
      .limit(placeholder("limit")),
  );
  const insert = engine.insertRow(appliances, "all");
  const saveFlags = engine.setRow(appliances, "id", ["flags"]);
  const forScoring = engine.read<ScoredAppliance>(() =>
    db
      .select(aliased(scored))
      .from(appliances)
      .where(isAmong(appliances.propertyId, "propertyIds"))
      .orderBy(asc(appliances.propertyId), asc(appliances.seq)),
  );
  const forScoringAfter = engine.read<ScoredAppliance & { seq: number }>(() =>
    db
      .select(aliased({ ...scored, seq: appliances.seq }))
      .from(appliances)
      .where(
        and(eq(appliances.propertyId, placeholder("propertyId")), gt(appliances.seq, placeholder("after"))),
      )
      .orderBy(asc(appliances.seq))
      .limit(placeholder("limit")),
  );

  return {
    async find(partnerId: string, id: string): Promise<Appliance | undefined> {
      return (await byId().execute({ partnerId, id }))[0];
    },
    /**
     * Returns at most two of a property's appliances with the serial, the oldest first: two mean that it is ambiguous.
     */
    async withSerial(propertyId: string, serial: string): Promise<Appliance[]> {
      return await bySerial().execute({ propertyId, serial });
    },
    /** Returns at most two of a partner's appliances with the serial, over all properties. */
    async withSerialOfPartner(partnerId: string, serial: string): Promise<Appliance[]> {
      return await bySerialAnywhere().execute({ partnerId, serial });
    },
    async ofProperty(propertyId: string): Promise<Appliance[]> {
      return await ofProperty().execute({ propertyId });
    },
    /** Returns the appliances of several properties in no order; undefined if there are more than `most`. */
    async ofProperties(propertyIds: readonly string[], most: number): Promise<Appliance[] | undefined> {
      if (propertyIds.length === 0) return [];
      const found = await ofProperties().execute({
        propertyIds: engine.list(propertyIds),
        limit: most + 1,
      });
      return found.length > most ? undefined : found;
    },
    /** Returns the partner's rows with these ids, in no order. */
    async ofIds(partnerId: string, ids: readonly string[]): Promise<Appliance[]> {
      if (ids.length === 0) return [];
      // Selected by id alone: SQLite would otherwise scan all rows of the partner.
      const found = await ofIds().execute({ ids: engine.list(ids) });
      return found.filter((one) => one.partnerId === partnerId);
    },
    /** Returns the rows of a property with a `seq` after `after`, in order; 0 returns all. */
    async ofPropertyAfter(propertyId: string, after: number, limit: number): Promise<Appliance[]> {
      return await ofPropertyAfter().execute({ propertyId, after, limit });
    },
    /** Returns the columns for scoring of the appliances of several properties, ordered by property and creation. */
    async forScoring(propertyIds: readonly string[]): Promise<ScoredAppliance[]> {
      return forScoring({ propertyIds: engine.list(propertyIds) });
    },
    /**
     * Returns the columns for scoring of a property's appliances with a `seq` after `after`, in order; 0 returns all.
     */
    async forScoringAfter(
      propertyId: string,
      after: number,
      limit: number,
    ): Promise<(ScoredAppliance & { seq: number })[]> {
      return forScoringAfter({ propertyId, after, limit });
    },
    async page(partnerId: string, slice: Slice): Promise<Appliance[]> {
      return await page().execute({ partnerId, ...slice });
    },
    async pageOfProperty(propertyId: string, slice: Slice): Promise<Appliance[]> {
      return await db
        .select()
        .from(appliances)
        .where(eq(appliances.propertyId, propertyId))
        .orderBy(asc(appliances.seq))
        .limit(slice.limit)
        .offset(slice.offset);
    },
    async countOfProperty(propertyId: string): Promise<number> {
      const rows = await db
        .select({ n: count() })
        .from(appliances)
        .where(eq(appliances.propertyId, propertyId));
      return rows[0]!.n;
    },
    async list(ids: readonly string[]): Promise<Appliance[]> {
      return await db
        .select()
        .from(appliances)
        .where(inArray(appliances.id, [...ids]));
    },
    async insert(appliance: Appliance): Promise<void> {
      return insert({ ...appliance, brandTierGiven: engine.bound(appliance.brandTierGiven) });
    },
    async saveFlags(id: string, flags: string): Promise<void> {
      return saveFlags({ id, flags });
    },
    async update(id: string, change: Partial<Omit<Appliance, "id">>): Promise<void> {
      await db.update(appliances).set(change).where(eq(appliances.id, id));
    },
  };
}
