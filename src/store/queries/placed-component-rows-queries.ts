import { eq, getTableColumns, sql } from "drizzle-orm";
import { type Component, type PlacedComponent, tierOfHundredths } from "../../domain/component.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import { keepEventLoopFromLastCompilerTier } from "../../event-loop/event-loop-compiler-tier.ts";
import type { Engine, Query } from "../store-engine.ts";
import type { RowValues } from "../store-row-writes.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** The columns of an appliance that lists of components show. */
const ofAppliance = ({ appliances }: Engine["tables"]) => ({
  typeId: appliances.typeId,
  brand: appliances.brand,
  brandTier: appliances.brandTier,
  unitId: appliances.unitId,
  size: appliances.size,
  flags: appliances.flags,
  deficiencies: appliances.deficiencies,
  unitTiming: appliances.unitTiming,
  installYearBasis: appliances.installYearBasis,
});

/** The columns of a property that lists of components show. */
const ofProperty = ({ properties }: Engine["tables"]) => ({
  state: properties.state,
  unitCount: properties.unitCount,
  grossAreaSqft: properties.grossAreaSqft,
  stories: properties.stories,
  propertyName: properties.name,
  propertyAddress: properties.address,
  recordsSince: properties.recordsSince,
});

/** The columns of a component without those that only filters and indexes read. */
function ofComponent({ components }: Engine["tables"]) {
  const { system, state, ...columns } = getTableColumns(components);
  return columns;
}

/** Components with the columns of their appliance and property that lists show. */
export function placedComponentsQuery({ db, tables }: Pick<Engine, "db" | "tables">) {
  const { appliances, components, properties } = tables;
  return db
    .select(aliasedSqlColumns({ ...ofComponent(tables), ...ofAppliance(tables), ...ofProperty(tables) }))
    .from(components)
    .innerJoin(appliances, eq(appliances.id, components.applianceId))
    .innerJoin(properties, eq(properties.id, components.propertyId))
    .$dynamic();
}

type Rows = ReturnType<typeof placedComponentsQuery>;

/**
 * Makes a read of a page of such rows. Many of them share an appliance or property, whose texts take longer to read than the
 * numbers of the component. SQLite, which needs no round trip, therefore reads those of each appliance once, with the IDs of
 * the property and the partner.
 */
export function queryPlacedComponentPage(
  engine: Engine,
  make: (rows: Rows) => Query,
): (values: RowValues) => PlacedComponent[] | Promise<PlacedComponent[]> {
  if (engine.dialect !== "sqlite")
    return engine.read<PlacedComponent>(() => make(placedComponentsQuery(engine)));
  const { db, tables, list } = engine;
  const { appliances, components, properties } = tables;
  const { propertyId, partnerId, riskTier, announcedTier, ...columns } = ofComponent(tables);
  // A text takes longer to read than a number or null: the tier follows from the score, and mostly is announced.
  const read = {
    ...aliasedSqlColumns(columns),
    announcedTier: sql`nullif(${announcedTier}, ${riskTier})`.as("announcedTier"),
  };
  const own = engine.read<OwnColumns>(() =>
    make(db.select(read).from(components).$dynamic() as unknown as Rows),
  );
  const placesOf = engine.read<Place>(() =>
    db
      .select(
        aliasedSqlColumns({
          applianceId: appliances.id,
          propertyId: appliances.propertyId,
          partnerId: properties.partnerId,
          ...ofAppliance(tables),
          ...ofProperty(tables),
        }),
      )
      // `isAmong` would sort the list first, which takes half as long as the look-ups.
      .from(sql`(select value as listed from json_each(${placeholder("ids")})) cross join ${appliances}`)
      .innerJoin(properties, eq(properties.id, appliances.propertyId))
      .where(eq(appliances.id, sql`listed`)),
  );
  const page = (values: RowValues) => {
    const rows = atOnce(own(values));
    const places = new Map<string, Place | undefined>();
    for (const { applianceId } of rows) places.set(applianceId, undefined);
    for (const place of atOnce(placesOf({ ids: list([...places.keys()]) })))
      places.set(place.applianceId, place);
    const placed: PlacedComponent[] = [];
    for (const row of rows) {
      const place = places.get(row.applianceId);
      // Another process may purge it between the statements.
      if (!place) continue;
      const one = Object.assign(row as PlacedComponent, place);
      one.riskTier = tierOfHundredths(row.riskScore);
      one.announcedTier ??= one.riskTier;
      placed.push(one);
    }
    return placed;
  };
  keepEventLoopFromLastCompilerTier([{ page }]);
  return page;
}

/** The columns that are read for each component: the tier last announced only if it is another one than its tier. */
type OwnColumns = Omit<Component, "propertyId" | "partnerId" | "riskTier" | "announcedTier"> & {
  announcedTier: RiskTier | null;
};

/** The place of a component: the columns of its appliance and property. */
type Place = Omit<PlacedComponent, Exclude<keyof Component, "applianceId" | "propertyId" | "partnerId">>;

/** Returns the rows of a read on SQLite, which are there at once: no write of this process comes between two such reads. */
const atOnce = <T>(rows: T[] | Promise<T[]>): T[] => rows as T[];
