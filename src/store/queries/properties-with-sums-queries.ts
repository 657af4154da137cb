import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { PropertyTotals } from "../../domain/figures/property-totals.ts";
import type { Property, SummarizedProperty } from "../../domain/property.ts";
import type { Engine } from "../store-engine.ts";
import type { StoredRowRange } from "../stored-row-range.ts";
import type { listPageStartsStore } from "./list-page-starts-queries.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";
import { queryDemoPropertiesOfPartner, sqlPropertyTotalsColumns } from "./totals-queries.ts";

const { placeholder } = sql;

type PortfolioRow = { property: Property; totals: PropertyTotals };
/** The columns of a property that a portfolio's summary shows, with its sums. */
type SummaryRow = SummarizedProperty & PropertyTotals;

/** Reads a partner's properties with their sums. */
export function propertiesWithSumsStore(engine: Engine, places: ReturnType<typeof listPageStartsStore>) {
  const { db } = engine;
  const { properties, propertyTotals } = engine.tables;
  const portfolio = engine.prepared(() =>
    db
      .select({ property: properties, totals: propertyTotals })
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(
        and(eq(properties.partnerId, placeholder("partnerId")), gt(properties.seq, placeholder("offset"))),
      )
      .orderBy(asc(properties.seq))
      .limit(placeholder("limit")),
  );
  const summaries = engine.read<SummaryRow>(() =>
    db
      .select(
        aliasedSqlColumns({
          id: properties.id,
          name: properties.name,
          address: properties.address,
          city: properties.city,
          state: properties.state,
          unitCount: properties.unitCount,
          grossAreaSqft: properties.grossAreaSqft,
          replacementValueCents: properties.replacementValueCents,
          isDemo: properties.isDemo,
          ...sqlPropertyTotalsColumns(engine),
        }),
      )
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(
        and(eq(properties.partnerId, placeholder("partnerId")), gt(properties.seq, placeholder("offset"))),
      )
      .orderBy(asc(properties.seq))
      .limit(placeholder("limit")),
  );
  const demoIds = engine.read<{ id: string }>(() =>
    db
      .select(aliasedSqlColumns({ id: properties.id }))
      .from(properties)
      .where(queryDemoPropertiesOfPartner(engine))
      .orderBy(asc(properties.seq)),
  );
  const demo = engine.prepared(() =>
    db
      .select({ property: properties, totals: propertyTotals })
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(queryDemoPropertiesOfPartner(engine))
      .orderBy(asc(properties.seq)),
  );
  return {
    async portfolioPage(partnerId: string, { limit, offset }: StoredRowRange): Promise<PortfolioRow[]> {
      return await portfolio().execute({
        partnerId,
        limit,
        offset: await places.before(partnerId, offset),
      });
    },
    /** Does the same with the columns of a summary, prepared without conversions. */
    async summaryPage(partnerId: string, { limit, offset }: StoredRowRange): Promise<SummaryRow[]> {
      const rows = await summaries({ partnerId, limit, offset: await places.before(partnerId, offset) });
      // SQLite has numbers for it.
      for (const row of rows) row.isDemo = Boolean(row.isDemo);
      return rows;
    },
    /** Returns the ids of the partner's demo properties. */
    async demoIds(partnerId: string): Promise<string[]> {
      return (await demoIds({ partnerId })).map(({ id }) => id);
    },
    /** Returns the partner's demo properties, of which onboarding creates one. */
    async demo(partnerId: string): Promise<PortfolioRow[]> {
      return await demo().execute({ partnerId });
    },
  };
}
