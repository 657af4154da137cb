import { and, asc, eq, gt, lte, type SQL, sql } from "drizzle-orm";
import type { Property } from "../../domain/property.ts";
import type { FilteredProperty, PropertyFilter } from "../../domain/property-filter.ts";
import type { PropertyTotals, Totals } from "../../domain/totals.ts";
import type { Engine } from "../engine.ts";
import { aliased } from "./aliased-columns.ts";

const { placeholder } = sql;

/** A property by its number in the partner's list, with what filters read. */
type FilteredRow = FilteredProperty & { seq: number };

const SUMS = [
  "appliances",
  "components",
  "serviceEvents",
  "critical",
  "warning",
  "criticalProactiveCents",
  "warningProactiveCents",
  "criticalReactiveCents",
  "warningReactiveCents",
] as const satisfies readonly (keyof Totals)[];

/**
 * Reads for filtered lists of properties. A list is read in ranges of its numbers, so that no statement reads more rows
 * than the range has, however few of them match.
 */
export function propertyFilterStore(engine: Engine) {
  const { db } = engine;
  const { flagCounts, properties, propertyTotals } = engine.tables;
  const mine = eq(properties.partnerId, placeholder("partnerId"));
  const isZip = sql`(${properties.zip} = ${placeholder("zip")} or substr(${properties.zip}, 1, 5) = ${placeholder("zip")})`;
  const inRange = (...more: (SQL | undefined)[]) =>
    engine.read<FilteredRow>(() =>
      db
        .select(
          aliased({
            seq: properties.seq,
            name: properties.name,
            address: properties.address,
            city: properties.city,
            state: properties.state,
          }),
        )
        .from(properties)
        .where(
          and(
            mine,
            gt(properties.seq, placeholder("after")),
            lte(properties.seq, placeholder("last")),
            ...more,
          ),
        )
        .orderBy(asc(properties.seq)),
    );
  const conditions = {
    state: eq(properties.state, placeholder("state")),
    zip: isZip,
    flag: sql`exists (select 1 from ${flagCounts} where ${flagCounts.partnerId} = ${properties.partnerId}
      and ${flagCounts.propertyId} = ${properties.id} and ${flagCounts.code} = ${placeholder("flag")}
      and ${flagCounts.known} + ${flagCounts.suspected} > 0)`,
  };
  const columns = Object.keys(conditions) as (keyof typeof conditions)[];
  /** The read for each set of filters, by their names. */
  const ranges = new Map<string, ReturnType<typeof inRange>>();
  const ofSeqs = engine.prepared(() =>
    db
      .select({ property: properties, totals: propertyTotals })
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(and(mine, engine.isAmong(properties.seq, "seqs")))
      .orderBy(asc(properties.seq)),
  );
  const sums = engine.read<Record<string, number | string>>(() =>
    db
      .select(
        Object.fromEntries(
          SUMS.map((name) => [name, sql`coalesce(sum(${propertyTotals[name]}), 0)`.as(name)]),
        ) as Record<string, SQL.Aliased>,
      )
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(and(mine, engine.isAmong(properties.seq, "seqs"))),
  );

  return {
    /** Returns the partner's properties of a state, ZIP code and flag, numbered from after `after` to `last`, in order. */
    async inRange(
      partnerId: string,
      filter: Pick<PropertyFilter, "state" | "zip" | "flag">,
      after: number,
      last: number,
    ): Promise<FilteredRow[]> {
      const used = columns.filter((column) => filter[column] !== undefined);
      let read = ranges.get(used.join());
      if (!read) {
        read = inRange(...used.map((column) => conditions[column]));
        ranges.set(used.join(), read);
      }
      const { state, zip, flag } = filter;
      return read({ partnerId, state, zip, flag, after, last });
    },
    /** Returns the partner's properties with these numbers, in order. */
    async ofSeqs(
      partnerId: string,
      seqs: readonly number[],
    ): Promise<{ property: Property; totals: PropertyTotals }[]> {
      if (seqs.length === 0) return [];
      return await ofSeqs().execute({ partnerId, seqs: engine.list(seqs) });
    },
    /** Sums the totals of the partner's properties with these numbers. */
    async sumOf(partnerId: string, seqs: readonly number[]): Promise<Totals> {
      const [row] = await sums({ partnerId, seqs: engine.list(seqs) });
      return Object.fromEntries(SUMS.map((name) => [name, Number(row![name])])) as Totals;
    },
  };
}
