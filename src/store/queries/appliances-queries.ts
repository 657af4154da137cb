import { and, asc, count, desc, eq, getTableColumns, gt, inArray, lt, lte, sql } from "drizzle-orm";
import type { Appliance, ListedAppliance } from "../../domain/appliance.ts";
import type { StoredDue } from "../../domain/planning/planned-appliance.ts";
import type { Day } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import type { StoredRowRange } from "../stored-row-range.ts";
import {
  isInStoredSequenceRange,
  listPageStartsStore,
  sortRowsBySequence,
  storedSequenceRange,
} from "./list-page-starts-queries.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";
import { RETIRED_COUNTER } from "./stored-counter-buckets.ts";

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
  | "deficiencies"
  | "dueCents"
  | "unitTiming"
  | "dueHoldsUntil"
>;

/** The rows of a list by their retirement. */
export type RetirementFilter = "active" | "retired" | "all";

/** Reads and writes appliances. Lists are in the order of `seq`; an ID of another partner is not found. */
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
    deficiencies: appliances.deficiencies,
    dueCents: appliances.dueCents,
    unitTiming: appliances.unitTiming,
    dueHoldsUntil: appliances.dueHoldsUntil,
  };
  const byId = engine.prepared(() =>
    db
      .select()
      .from(appliances)
      .where(and(eq(appliances.id, placeholder("id")), eq(appliances.partnerId, placeholder("partnerId")))),
  );
  const serialRows = (retired: boolean) =>
    engine.prepared(() =>
      db
        .select()
        .from(appliances)
        .where(
          and(
            eq(appliances.propertyId, placeholder("propertyId")),
            eq(appliances.serial, placeholder("serial")),
            retired ? lt(appliances.seq, 0) : gt(appliances.seq, 0),
          ),
        )
        .orderBy(retired ? desc(appliances.seq) : asc(appliances.seq))
        .limit(2),
    );
  const bySerial = { active: serialRows(false), retired: serialRows(true) };
  const serialRowsAnywhere = (retired: boolean) =>
    engine.prepared(() =>
      db
        .select()
        .from(appliances)
        .where(
          and(
            eq(appliances.partnerId, placeholder("partnerId")),
            eq(appliances.serial, placeholder("serial")),
            retired ? lt(appliances.seq, 0) : gt(appliances.seq, 0),
          ),
        )
        .orderBy(retired ? desc(appliances.seq) : asc(appliances.seq))
        .limit(2),
    );
  const bySerialAnywhere = { active: serialRowsAnywhere(false), retired: serialRowsAnywhere(true) };
  const ofProperty = engine.prepared(() =>
    db
      .select()
      .from(appliances)
      .where(and(eq(appliances.propertyId, placeholder("propertyId")), gt(appliances.seq, 0)))
      .orderBy(asc(appliances.seq)),
  );
  const ofProperties = engine.prepared(() =>
    db
      .select()
      .from(appliances)
      .where(isAmong(appliances.propertyId, "propertyIds"))
      .limit(placeholder("limit")),
  );
  const ofIds = engine.read<Appliance>(() =>
    db
      .select(aliasedSqlColumns(getTableColumns(appliances)))
      .from(appliances)
      .where(isAmong(appliances.id, "ids")),
  );
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
  const { partnerId, brandTierGiven, deficiencies, dueCents, unitTiming, dueHoldsUntil, ...listed } =
    getTableColumns(appliances);
  const page = engine.read<ListedAppliance>(() =>
    db
      .select(aliasedSqlColumns(listed))
      .from(appliances)
      .where(
        and(eq(appliances.partnerId, placeholder("partnerId")), gt(appliances.seq, placeholder("offset"))),
      )
      .orderBy(asc(appliances.seq))
      .limit(placeholder("limit")),
  );
  const insert = engine.insertRow(appliances, "all");
  const saveFlags = engine.setRow(appliances, "id", ["flags"]);
  const saveDeficiencies = engine.setRow(appliances, "id", ["deficiencies"]);
  const saveDue = engine.setRow(appliances, "id", ["dueCents", "unitTiming", "dueHoldsUntil"]);
  const forScoring = engine.read<ScoredAppliance>(() =>
    db
      .select(aliasedSqlColumns(scored))
      .from(appliances)
      .where(and(isAmong(appliances.propertyId, "propertyIds"), gt(appliances.seq, 0)))
      .orderBy(asc(appliances.propertyId), asc(appliances.seq)),
  );
  const retiredForScoringAfter = engine.read<ScoredAppliance & { seq: number; retiredAt: Day | null }>(() =>
    db
      .select(aliasedSqlColumns({ ...scored, seq: appliances.seq, retiredAt: appliances.retiredAt }))
      .from(appliances)
      .where(
        and(eq(appliances.propertyId, placeholder("propertyId")), lt(appliances.seq, placeholder("after"))),
      )
      .orderBy(desc(appliances.seq))
      .limit(placeholder("limit")),
  );
  const places = listPageStartsStore(engine, appliances, RETIRED_COUNTER.appliances);
  const numbered = engine.prepared(() =>
    db
      .select()
      .from(appliances)
      .where(
        and(eq(appliances.partnerId, placeholder("partnerId")), isInStoredSequenceRange(appliances.seq)),
      ),
  );
  const retiredOfPropertyAfter = engine.prepared(() =>
    db
      .select()
      .from(appliances)
      .where(
        and(eq(appliances.propertyId, placeholder("propertyId")), lt(appliances.seq, placeholder("after"))),
      )
      .orderBy(desc(appliances.seq))
      .limit(placeholder("limit")),
  );
  const retiring = engine.prepared(() =>
    db
      .select({ id: appliances.id, partnerId: appliances.partnerId })
      .from(appliances)
      .where(
        and(
          lte(appliances.retiredAt, placeholder("day")),
          sql`${appliances.retiredAt} is not null and ${appliances.seq} > 0`,
        ),
      )
      .limit(placeholder("limit")),
  );
  const ofListed = (which: RetirementFilter) =>
    which === "all" ? undefined : which === "retired" ? lt(appliances.seq, 0) : gt(appliances.seq, 0);
  /** Retired rows have the negative of their numbers. */
  const byCreation = {
    active: [asc(appliances.seq)],
    retired: [desc(appliances.seq)],
    all: [asc(sql`abs(${appliances.seq})`)],
  };
  const forScoringAfter = engine.read<ScoredAppliance & { seq: number }>(() =>
    db
      .select(aliasedSqlColumns({ ...scored, seq: appliances.seq }))
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
     * Retired ones are returned only if there are no others.
     */
    async withSerial(propertyId: string, serial: string): Promise<Appliance[]> {
      const found = await bySerial.active().execute({ propertyId, serial });
      return found.length > 0 ? found : await bySerial.retired().execute({ propertyId, serial });
    },
    /** Returns at most two of a partner's appliances with the serial, over all properties. */
    async withSerialOfPartner(partnerId: string, serial: string): Promise<Appliance[]> {
      const found = await bySerialAnywhere.active().execute({ partnerId, serial });
      return found.length > 0 ? found : await bySerialAnywhere.retired().execute({ partnerId, serial });
    },
    async ofProperty(propertyId: string): Promise<Appliance[]> {
      return await ofProperty().execute({ propertyId });
    },
    /** Returns the appliances of several properties in no order, retired ones included; undefined if there are more than `most`. */
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
      const found = await ofIds({ ids: engine.list(ids) });
      const own = found.filter((appliance) => appliance.partnerId === partnerId);
      // SQLite has no booleans.
      for (const appliance of own) appliance.brandTierGiven = Boolean(appliance.brandTierGiven);
      return own;
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
    async page(partnerId: string, { limit, offset }: StoredRowRange): Promise<ListedAppliance[]> {
      return await page({ partnerId, limit, offset: await places.before(partnerId, offset) });
    },
    /** Returns the appliances numbered from after `after` to `last`, retired ones included, in the order of creation. */
    async numbered(partnerId: string, after: number, last: number): Promise<Appliance[]> {
      return sortRowsBySequence(await numbered().execute({ partnerId, ...storedSequenceRange(after, last) }));
    },
    async pageOfRetired(partnerId: string, { limit, offset }: StoredRowRange): Promise<Appliance[]> {
      return await db
        .select()
        .from(appliances)
        .where(and(eq(appliances.partnerId, partnerId), lt(appliances.seq, 0)))
        .orderBy(desc(appliances.seq))
        .limit(limit)
        .offset(offset);
    },
    /** Returns some appliances of any partner that are to be retired by the day and are not yet. */
    async retiring(day: Day, limit: number): Promise<{ id: string; partnerId: string }[]> {
      return await retiring().execute({ day, limit });
    },
    /** Returns retired rows of a property with a `seq` below `after`, newest number last; 0 returns all. */
    async retiredOfPropertyAfter(propertyId: string, after: number, limit: number): Promise<Appliance[]> {
      return await retiredOfPropertyAfter().execute({ propertyId, after, limit });
    },
    /** Returns the columns for scoring of retired rows in the same way, with the day of their own retirement. */
    async retiredForScoringAfter(
      propertyId: string,
      after: number,
      limit: number,
    ): Promise<(ScoredAppliance & { seq: number; retiredAt: Day | null })[]> {
      return retiredForScoringAfter({ propertyId, after, limit });
    },
    /** Takes appliances out of all lists, or puts them back, by the sign of their numbers. */
    async negateNumbers(ids: readonly string[]): Promise<void> {
      await db
        .update(appliances)
        .set({ seq: sql`-${appliances.seq}` })
        .where(inArray(appliances.id, [...ids]));
    },
    /** Returns a page of a property's appliances by creation: those that are not retired, the retired, or all. */
    async pageOfProperty(
      propertyId: string,
      slice: StoredRowRange,
      which: RetirementFilter = "active",
    ): Promise<Appliance[]> {
      // Sorts and skips numbers alone, which are in the index, and not rows.
      const numbers = db
        .select({ seq: appliances.seq })
        .from(appliances)
        .where(and(eq(appliances.propertyId, propertyId), ofListed(which)))
        .orderBy(...byCreation[which])
        .limit(slice.limit)
        .offset(slice.offset);
      return await db
        .select()
        .from(appliances)
        .where(and(eq(appliances.propertyId, propertyId), inArray(appliances.seq, numbers)))
        .orderBy(...byCreation[which]);
    },
    async countOfProperty(propertyId: string, which: RetirementFilter = "active"): Promise<number> {
      const rows = await db
        .select({ n: count() })
        .from(appliances)
        .where(and(eq(appliances.propertyId, propertyId), ofListed(which)));
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
    async saveDeficiencies(id: string, deficiencies: number): Promise<void> {
      return saveDeficiencies({ id, deficiencies });
    },
    async saveDue(id: string, { dueCents, unitTiming, dueHoldsUntil }: StoredDue): Promise<void> {
      return saveDue({ id, dueCents, unitTiming, dueHoldsUntil });
    },
    async update(id: string, change: Partial<Omit<Appliance, "id">>): Promise<void> {
      await db.update(appliances).set(change).where(eq(appliances.id, id));
    },
  };
}
