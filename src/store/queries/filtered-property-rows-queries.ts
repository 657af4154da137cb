import { and, asc, eq, gt, lte, type SQL, sql } from "drizzle-orm";
import { PROPERTY_TOTALS, type PropertyTotals, type Totals } from "../../domain/figures/property-totals.ts";
import type { Property } from "../../domain/property.ts";
import type { FilteredProperty, PropertyFilter } from "../../domain/rules/property-filter-rule.ts";
import type { Engine } from "../store-engine.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** A property with its number in the partner's list, and with what filters read. */
export type FilteredRow = FilteredProperty & { id: string; partnerId: string; seq: number };
/** The filters that the database applies. */
type ColumnFilter = Pick<PropertyFilter, "state" | "zip" | "flag">;

/**
 * Reads for filtered lists of properties. A list is read in ranges of its numbers, so that no statement reads more rows
 * than the range has, however few of them match.
 */
export function propertyFilterStore(engine: Engine) {
  const { db } = engine;
  const { flagCounts, properties, propertyTotals } = engine.tables;
  const isZip = sql`(${properties.zip} = ${placeholder("zip")} or substr(${properties.zip}, 1, 5) = ${placeholder("zip")})`;
  const matching = (more: readonly SQL[]) => {
    const { id, partnerId, seq, name, address, city, state } = properties;
    const rows = () =>
      db.select(aliasedSqlColumns({ id, partnerId, seq, name, address, city, state })).from(properties);
    const inRange = [gt(seq, placeholder("after")), lte(seq, placeholder("last"))];
    return {
      inRange: engine.read<FilteredRow>(() =>
        rows()
          .where(and(eq(partnerId, placeholder("partnerId")), ...inRange, ...more))
          .orderBy(asc(seq)),
      ),
      ofPartners: engine.read<FilteredRow>(() =>
        rows().where(and(engine.isAmong(partnerId, "partnerIds"), ...inRange, ...more)),
      ),
    };
  };
  const conditions = {
    state: eq(properties.state, placeholder("state")),
    zip: isZip,
    flag: sql`exists (select 1 from ${flagCounts} where ${flagCounts.partnerId} = ${properties.partnerId}
      and ${flagCounts.propertyId} = ${properties.id} and ${flagCounts.code} = ${placeholder("flag")}
      and ${flagCounts.known} + ${flagCounts.suspected} > 0)`,
  };
  const columns = Object.keys(conditions) as (keyof typeof conditions)[];
  /** The reads for each set of filters, by their names. */
  const reads = new Map<string, ReturnType<typeof matching>>();
  const readsFor = (filter: ColumnFilter) => {
    const used = columns.filter((column) => filter[column] !== undefined);
    const known = reads.get(used.join()) ?? matching(used.map((column) => conditions[column]));
    reads.set(used.join(), known);
    return known;
  };
  const ofIds = engine.prepared(() =>
    db
      .select({ property: properties, totals: propertyTotals })
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(engine.isAmong(properties.id, "ids")),
  );
  const sums = engine.read<Totals>(() =>
    db
      .select(
        Object.fromEntries(
          PROPERTY_TOTALS.map((name) => [name, sql`coalesce(sum(${propertyTotals[name]}), 0)`.as(name)]),
        ) as Record<string, SQL.Aliased>,
      )
      .from(propertyTotals)
      .where(engine.isAmong(propertyTotals.propertyId, "ids")),
  );

  return {
    /** Returns the partner's properties of a state, ZIP code and flag, numbered from after `after` to `last`, in order. */
    async inRange(
      partnerId: string,
      { state, zip, flag }: ColumnFilter,
      after: number,
      last: number,
    ): Promise<FilteredRow[]> {
      return readsFor({ state, zip, flag }).inRange({ partnerId, state, zip, flag, after, last });
    },
    /** Returns the same of several partners, in no order. */
    async inRangeOfPartners(
      partnerIds: readonly string[],
      { state, zip, flag }: ColumnFilter,
      after: number,
      last: number,
    ): Promise<FilteredRow[]> {
      const values = { partnerIds: engine.list(partnerIds), state, zip, flag, after, last };
      return readsFor({ state, zip, flag }).ofPartners(values);
    },
    /** Returns properties, in no order. */
    async ofIds(ids: readonly string[]): Promise<{ property: Property; totals: PropertyTotals }[]> {
      if (ids.length === 0) return [];
      return await ofIds().execute({ ids: engine.list(ids) });
    },
    /** Sums the totals of properties. */
    async sumOf(ids: readonly string[]): Promise<Totals> {
      return (await sums({ ids: engine.list(ids) }))[0]!;
    },
  };
}
