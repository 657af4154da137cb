import { and, asc, desc, eq, gt, gte, lt, lte, type SQL, sql } from "drizzle-orm";
import { postalAddressKeysOfStreet } from "../../domain/places/postal-address.ts";
import type { Property, PropertyChange, RecordsSince, ScoredProperty } from "../../domain/property.ts";
import type { Day } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import type { StoredRowRange } from "../stored-row-range.ts";
import {
  isInStoredSequenceRange,
  listPageStartsStore,
  sortRowsBySequence,
  storedSequenceRange,
} from "./list-page-starts-queries.ts";
import { propertiesWithSumsStore } from "./properties-with-sums-queries.ts";
import { lowerCaseSql, textInSearchedSqlForm } from "./searched-text-sql.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";
import { RETIRED_COUNTER } from "./stored-counter-buckets.ts";

const { placeholder } = sql;

/** The fields that lists show. */
type PropertyRow = Pick<
  Property,
  "id" | "name" | "address" | "city" | "state" | "zip" | "unitCount" | "createdAt" | "retiredAt"
>;
/** The columns of a property that a snapshot reads, with the number of its components. */
type SnapshotProperty = ScoredProperty & { partnerId: string; isDemo: boolean; components: number };
/** A property that a row of a file may mean. */
export type MatchedProperty = Pick<
  Property,
  "id" | "name" | "partnerPropertyId" | "unitCount" | "city" | "state" | "zip"
>;

/** Reads and writes properties. Lists are in the order of `seq`; an ID of another partner is not found. */
export function propertyStore(engine: Engine) {
  const { db } = engine;
  const { partnerTotals, properties, propertyTotals } = engine.tables;
  const byId = engine.prepared(() =>
    db
      .select()
      .from(properties)
      .where(and(eq(properties.id, placeholder("id")), eq(properties.partnerId, placeholder("partnerId")))),
  );
  const ownerOf = engine.prepared(() =>
    db
      .select({ partnerId: properties.partnerId })
      .from(properties)
      .where(eq(properties.id, placeholder("id"))),
  );
  const byReference = engine.prepared(() =>
    db
      .select()
      .from(properties)
      .where(
        and(
          eq(properties.partnerId, placeholder("partnerId")),
          eq(properties.partnerPropertyId, placeholder("reference")),
        ),
      ),
  );
  const ofReferences = engine.prepared(() =>
    db
      .select()
      .from(properties)
      .where(
        and(
          eq(properties.partnerId, placeholder("partnerId")),
          engine.isAmong(properties.partnerPropertyId, "references"),
        ),
      ),
  );
  const ofIds = engine.prepared(() =>
    db.select().from(properties).where(engine.isAmong(properties.id, "ids")),
  );
  const saveRecord = engine.setRow(properties, "id", ["recordsSince"]);
  const ofAddress = (side: SQL | undefined, order: SQL) =>
    engine.prepared(() =>
      db
        .select()
        .from(properties)
        .where(
          and(
            eq(properties.partnerId, placeholder("partnerId")),
            eq(properties.address, placeholder("address")),
            eq(properties.name, placeholder("name")),
            side,
          ),
        )
        .orderBy(order)
        .limit(placeholder("limit")),
    );
  const listedOfAddress = ofAddress(gt(properties.seq, placeholder("after")), asc(properties.seq));
  const retiredOfAddress = ofAddress(lt(properties.seq, placeholder("after")), desc(properties.seq));
  const shown = aliasedSqlColumns({
    id: properties.id,
    name: properties.name,
    address: properties.address,
    city: properties.city,
    state: properties.state,
    zip: properties.zip,
    unitCount: properties.unitCount,
    createdAt: properties.createdAt,
    retiredAt: properties.retiredAt,
  });
  const page = engine.read<PropertyRow>(() =>
    db
      .select(shown)
      .from(properties)
      .where(
        and(eq(properties.partnerId, placeholder("partnerId")), gt(properties.seq, placeholder("offset"))),
      )
      .orderBy(asc(properties.seq))
      .limit(placeholder("limit")),
  );
  const ofTotals = eq(partnerTotals.partnerId, placeholder("partnerId"));
  const countedPage = engine.read<PropertyRow & { total: number; retired: number }>(() =>
    db
      .select({
        ...shown,
        total:
          sql`(select ${partnerTotals.properties} - ${partnerTotals.retiredProperties} from ${partnerTotals} where ${ofTotals})`.as(
            "total",
          ),
        retired: sql`(select ${partnerTotals.retiredProperties} from ${partnerTotals} where ${ofTotals})`.as(
          "retired",
        ),
      })
      .from(properties)
      .where(
        and(eq(properties.partnerId, placeholder("partnerId")), gt(properties.seq, placeholder("offset"))),
      )
      .orderBy(asc(properties.seq))
      .limit(placeholder("limit")),
  );
  const totals = engine.read<{ total: number }>(() =>
    db
      .select({
        total: sql`${partnerTotals.properties} - ${partnerTotals.retiredProperties}`.as("total"),
      })
      .from(partnerTotals)
      .where(ofTotals),
  );
  const places = listPageStartsStore(engine, properties, RETIRED_COUNTER.properties);
  const numbered = engine.prepared(() =>
    db
      .select()
      .from(properties)
      .where(
        and(eq(properties.partnerId, placeholder("partnerId")), isInStoredSequenceRange(properties.seq)),
      ),
  );
  const retiring = engine.prepared(() =>
    db
      .select({ id: properties.id, partnerId: properties.partnerId })
      .from(properties)
      .where(
        and(
          lte(properties.retiredAt, placeholder("day")),
          sql`${properties.retiredAt} is not null and ${properties.seq} > 0`,
        ),
      )
      .limit(placeholder("limit")),
  );
  const ofAddressKey = engine.read<{ id: string; name: string }>(() =>
    db
      .select(aliasedSqlColumns({ id: properties.id, name: properties.name }))
      .from(properties)
      .where(
        and(
          eq(properties.partnerId, placeholder("partnerId")),
          eq(properties.addressKey, placeholder("addressKey")),
          sql`${properties.addressKey} is not null`,
          gt(properties.seq, 0),
        ),
      )
      .orderBy(asc(properties.seq))
      .limit(1),
  );
  const { id, name, partnerPropertyId, unitCount, city, state, zip } = properties;
  const matched = aliasedSqlColumns({ id, name, partnerPropertyId, unitCount, city, state, zip });
  const onStreet = engine.read<MatchedProperty>(() =>
    db
      .select(matched)
      .from(properties)
      .where(
        and(
          eq(properties.partnerId, placeholder("partnerId")),
          gte(properties.addressKey, placeholder("from")),
          lt(properties.addressKey, placeholder("to")),
          sql`${properties.addressKey} is not null`,
          gt(properties.seq, 0),
        ),
      )
      .orderBy(asc(properties.addressKey), asc(properties.seq))
      .limit(placeholder("limit")),
  );
  const lowerName = lowerCaseSql(properties.name);
  const ofName = engine.read<MatchedProperty>(() =>
    db
      .select(matched)
      .from(properties)
      .where(
        and(
          eq(properties.partnerId, placeholder("partnerId")),
          sql`${lowerName} in (${placeholder("lower")}, ${placeholder("upper")}, ${placeholder("given")})`,
          sql`${properties.seq} > 0`,
        ),
      )
      .limit(placeholder("limit")),
  );
  const insert = engine.insertRow(properties, "all");
  const forSnapshotColumns = {
    id: properties.id,
    partnerId: properties.partnerId,
    state: properties.state,
    unitCount: properties.unitCount,
    grossAreaSqft: properties.grossAreaSqft,
    stories: properties.stories,
    yearBuilt: properties.yearBuilt,
    recordsSince: properties.recordsSince,
    isDemo: properties.isDemo,
    components: propertyTotals.components,
  };
  const forSnapshot = engine.read<SnapshotProperty>(() =>
    db
      .select(aliasedSqlColumns(forSnapshotColumns))
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(and(gt(properties.id, placeholder("after")), gt(properties.seq, 0)))
      .orderBy(asc(properties.id))
      .limit(placeholder("limit")),
  );
  const forCalibration = engine.prepared(() =>
    db
      .select({ ...forSnapshotColumns, retiredAt: properties.retiredAt, seq: properties.seq })
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(gt(properties.id, placeholder("after")))
      .orderBy(asc(properties.id))
      .limit(placeholder("limit")),
  );
  const ofPartnerForSnapshot = engine.prepared(() =>
    db
      .select({ ...forSnapshotColumns, seq: properties.seq })
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(
        and(eq(properties.partnerId, placeholder("partnerId")), gt(properties.seq, placeholder("afterSeq"))),
      )
      .orderBy(asc(properties.seq))
      .limit(placeholder("limit")),
  );
  const ofPartnersForSnapshot = engine.prepared(() =>
    db
      .select(forSnapshotColumns)
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(and(engine.isAmong(properties.partnerId, "partnerIds"), gt(properties.seq, sql`0`)))
      .orderBy(asc(properties.partnerId), asc(properties.seq)),
  );
  const unseen = engine.prepared(() =>
    db
      .select(forSnapshotColumns)
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(
        and(
          engine.isTrue(propertyTotals.hasUnseen),
          gt(propertyTotals.propertyId, placeholder("after")),
          gt(properties.seq, 0),
        ),
      )
      .orderBy(asc(propertyTotals.propertyId))
      .limit(placeholder("limit")),
  );

  return {
    async find(partnerId: string, id: string): Promise<Property | undefined> {
      return (await byId().execute({ partnerId, id }))[0];
    },
    /** Returns the partner's id; undefined for an unknown property. */
    async ownerOf(id: string): Promise<string | undefined> {
      return (await ownerOf().execute({ id }))[0]?.partnerId;
    },
    async findByReference(partnerId: string, reference: string): Promise<Property | undefined> {
      return (await byReference().execute({ partnerId, reference }))[0];
    },
    /** Returns the partner's properties with these partner references, in no order. */
    async ofReferences(partnerId: string, references: readonly string[]): Promise<Property[]> {
      if (references.length === 0) return [];
      return await ofReferences().execute({ partnerId, references: engine.list(references) });
    },
    /** Returns the partner's rows with these ids, in no order. */
    async ofIds(partnerId: string, ids: readonly string[]): Promise<Property[]> {
      if (ids.length === 0) return [];
      // Selected by id alone: SQLite would otherwise scan all rows of the partner.
      const found = await ofIds().execute({ ids: engine.list(ids) });
      return found.filter((one) => one.partnerId === partnerId);
    },
    /** Returns the first day of the complete service record. */
    async saveRecord(id: string, recordsSince: Day): Promise<void> {
      return saveRecord({ id, recordsSince });
    },
    /** Returns properties with the name and address in any city and a `seq` after `after`, in order; 0 returns the first. */
    async ofAddressAfter(
      partnerId: string,
      { name, address }: Pick<Property, "name" | "address">,
      after: number,
      limit: number,
    ): Promise<Property[]> {
      return await listedOfAddress().execute({ partnerId, name, address, after, limit });
    },
    /** Returns the retired ones, whose `seq` is below `after`, in the order of creation; 0 returns the first. */
    async retiredOfAddressAfter(
      partnerId: string,
      { name, address }: Pick<Property, "name" | "address">,
      after: number,
      limit: number,
    ): Promise<Property[]> {
      return await retiredOfAddress().execute({ partnerId, name, address, after, limit });
    },
    /** Returns the first property with the normalized address that is not retired. */
    async firstOfAddress(
      partnerId: string,
      addressKey: string,
    ): Promise<{ id: string; name: string } | undefined> {
      return (await ofAddressKey({ partnerId, addressKey }))[0];
    },
    /** Returns properties with a street address, as `normalizedPostalStreet` writes it, in any place. */
    async onStreet(partnerId: string, street: string, limit: number): Promise<MatchedProperty[]> {
      return await onStreet({ partnerId, ...postalAddressKeysOfStreet(street), limit });
    },
    /** Returns properties with the name, whatever its case. Databases ignore the case of ASCII letters alone. */
    async ofName(partnerId: string, given: string, limit: number): Promise<MatchedProperty[]> {
      const [lower, upper] = [given.toLowerCase(), given.toUpperCase()].map(textInSearchedSqlForm);
      return await ofName({ partnerId, lower, upper, given: textInSearchedSqlForm(given), limit });
    },
    async page(partnerId: string, { limit, offset }: StoredRowRange): Promise<PropertyRow[]> {
      return page({ partnerId, limit, offset: await places.before(partnerId, offset) });
    },
    /** Returns the properties numbered from after `after` to `last`, retired ones included, in the order of creation. */
    async numbered(partnerId: string, after: number, last: number): Promise<Property[]> {
      return sortRowsBySequence(await numbered().execute({ partnerId, ...storedSequenceRange(after, last) }));
    },
    /** Returns some properties of any partner that are to be retired by the day and are not yet. */
    async retiring(day: Day, limit: number): Promise<{ id: string; partnerId: string }[]> {
      return await retiring().execute({ day, limit });
    },
    /** Takes a property out of all lists, or puts it back, by the sign of its number. */
    async negateNumber(id: string): Promise<void> {
      await db
        .update(properties)
        .set({ seq: sql`-${properties.seq}` })
        .where(eq(properties.id, id));
    },
    /** Returns a page with the total count, from one statement. */
    async countedPage(
      partnerId: string,
      slice: StoredRowRange,
    ): Promise<{ rows: PropertyRow[]; total: number }> {
      const rows = await countedPage({ partnerId, ...slice });
      const total = rows[0]?.total ?? (await totals({ partnerId }))[0]!.total;
      // With gaps before the offset, the page begins later.
      if (slice.offset > 0 && rows[0] && rows[0].retired > 0)
        return { rows: await this.page(partnerId, slice), total };
      return { rows, total };
    },
    ...propertiesWithSumsStore(engine, places),
    async insert(property: Property): Promise<void> {
      return insert({
        ...property,
        isDemo: engine.bound(property.isDemo),
        recordsSinceGiven: engine.bound(property.recordsSinceGiven),
      });
    },
    async update(
      id: string,
      change: Omit<PropertyChange, "recordsSince"> &
        Partial<RecordsSince & Pick<Property, "addressKey" | "mergedInto" | "updatedAt">>,
    ): Promise<void> {
      await db.update(properties).set(change).where(eq(properties.id, id));
    },
    /** Properties of all partners by id, from just after `after` ("" for the first), with about `components` in all. */
    async forSnapshot(after: string, components: number): Promise<SnapshotProperty[]> {
      return upTo<SnapshotProperty>(components, async (last, limit) => {
        const rows = await forSnapshot({ after: last?.id ?? after, limit });
        return rows.map((row) => ({ ...row, isDemo: Boolean(row.isDemo) }));
      });
    },
    /** Does the same with retired properties. */
    async forCalibration(
      after: string,
      components: number,
    ): Promise<(SnapshotProperty & { retiredAt: Day | null; seq: number })[]> {
      return upTo<SnapshotProperty & { retiredAt: Day | null; seq: number }>(components, (last, limit) =>
        forCalibration().execute({ after: last?.id ?? after, limit }),
      );
    },
    /** Returns one partner's properties after a number in its list, with about `components` components in all. */
    async ofPartnerForSnapshot(
      partnerId: string,
      afterSeq: number,
      components: number,
    ): Promise<(SnapshotProperty & { seq: number })[]> {
      return upTo<SnapshotProperty & { seq: number }>(components, (last, limit) =>
        ofPartnerForSnapshot().execute({ partnerId, afterSeq: last?.seq ?? afterSeq, limit }),
      );
    },
    /** Returns all properties of partners that have few. */
    async ofPartnersForSnapshot(partnerIds: readonly string[]): Promise<SnapshotProperty[]> {
      return await ofPartnersForSnapshot().execute({ partnerIds: engine.list(partnerIds) });
    },
    /** Returns properties with components without a snapshot, with about `components` components in all. */
    async withUnseen(components: number): Promise<SnapshotProperty[]> {
      return upTo<SnapshotProperty>(components, (last, limit) =>
        unseen().execute({ after: last?.id ?? "", limit }),
      );
    },
  };
}

/**
 * The size of the first page; each further page doubles the rows. Rows beyond the limit are read again by the next
 * step.
 */
const FIRST_READ = 16;

/** Returns the first rows with about so many components in all, at least one; `read` reads those after the last. */
async function upTo<Row extends { components: number }>(
  components: number,
  read: (last: Row | undefined, limit: number) => PromiseLike<Row[]>,
): Promise<Row[]> {
  const most = Math.ceil(components / 4);
  const found: Row[] = [];
  for (let sum = 0; found.length < most; ) {
    const limit = Math.min(Math.max(found.length, FIRST_READ), most - found.length);
    const rows = await read(found.at(-1), limit);
    for (const row of rows) {
      found.push(row);
      sum += row.components + 1;
      if (sum >= components) return found;
    }
    if (rows.length < limit) break;
  }
  return found;
}
