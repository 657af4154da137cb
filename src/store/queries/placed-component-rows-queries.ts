import { eq, getTableColumns, sql } from "drizzle-orm";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Component, PlacedComponent } from "../../domain/component.ts";
import type { Engine, Query } from "../engine.ts";
import type { RowValues } from "../row-writes.ts";
import { aliased } from "./sql-column-aliases.ts";

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
export function selectPlacedComponents({ db, tables }: Pick<Engine, "db" | "tables">) {
  const { appliances, components, properties } = tables;
  return db
    .select(aliased({ ...ofComponent(tables), ...ofAppliance(tables), ...ofProperty(tables) }))
    .from(components)
    .innerJoin(appliances, eq(appliances.id, components.applianceId))
    .innerJoin(properties, eq(properties.id, components.propertyId))
    .$dynamic();
}

type Rows = ReturnType<typeof selectPlacedComponents>;

/**
 * Makes a read of a page of such rows. Many of them share an appliance or property, whose texts take longer to read than the
 * numbers of the component. SQLite, which needs no round trip, therefore reads each of these once, with the IDs of the
 * property and the partner.
 */
export function placedComponentPage(
  engine: Engine,
  make: (rows: Rows) => Query,
): (values: RowValues) => PlacedComponent[] | Promise<PlacedComponent[]> {
  if (engine.dialect !== "sqlite")
    return engine.read<PlacedComponent>(() => make(selectPlacedComponents(engine)));
  const { db, tables, list } = engine;
  const { appliances, components, properties } = tables;
  const { propertyId, partnerId, ...columns } = ofComponent(tables);
  const own = engine.read<Component>(() =>
    make(db.select(aliased(columns)).from(components).$dynamic() as unknown as Rows),
  );
  const appliancesOf = engine.read<Pick<Component, "applianceId" | "propertyId">>(() =>
    db
      .select(
        aliased({
          applianceId: appliances.id,
          propertyId: appliances.propertyId,
          ...ofAppliance(tables),
        }),
      )
      .from(listedIds(appliances))
      .where(isListedId(appliances.id)),
  );
  const propertiesOf = engine.read<Pick<Component, "propertyId" | "partnerId">>(() =>
    db
      .select(aliased({ propertyId: properties.id, partnerId: properties.partnerId, ...ofProperty(tables) }))
      .from(listedIds(properties))
      .where(isListedId(properties.id)),
  );
  return (values) => {
    const rows = atOnce(own(values));
    const applianceIds = [...new Set(rows.map(({ applianceId }) => applianceId))];
    const itsAppliances = byKey(atOnce(appliancesOf({ ids: list(applianceIds) })), "applianceId");
    const propertyIds = new Set([...itsAppliances.values()].map(({ propertyId }) => propertyId));
    const itsProperties = byKey(atOnce(propertiesOf({ ids: list([...propertyIds]) })), "propertyId");
    const placed: PlacedComponent[] = [];
    for (const row of rows) {
      const appliance = itsAppliances.get(row.applianceId);
      const property = appliance && itsProperties.get(appliance.propertyId);
      // Another process may purge them between the statements.
      if (appliance && property) placed.push(Object.assign(row as PlacedComponent, appliance, property));
    }
    return placed;
  };
}

/** Joins a table with the list `ids`. `isAmong` would sort the list first, which takes half as long as the look-ups. */
const listedIds = (table: SQLiteTable) =>
  sql`(select value as listed from json_each(${placeholder("ids")})) cross join ${table}`;
const isListedId = (id: AnySQLiteColumn) => eq(id, sql`listed`);

function byKey<Row, Key extends keyof Row>(rows: readonly Row[], key: Key): Map<Row[Key], Row> {
  const map = new Map<Row[Key], Row>();
  for (const row of rows) map.set(row[key], row);
  return map;
}

/** Returns the rows of a read on SQLite, which are there at once: no write of this process comes between two such reads. */
const atOnce = <T>(rows: T[] | Promise<T[]>): T[] => rows as T[];
