import { eq, getTableColumns } from "drizzle-orm";
import type { Component, PlacedComponent } from "../../domain/component.ts";
import type { Engine, Query } from "../engine.ts";
import type { RowValues } from "../row-writes.ts";
import { aliased } from "./sql-column-aliases.ts";

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

/** Components with the columns of their appliance and property that lists show. */
export function selectPlacedComponents({ db, tables }: Pick<Engine, "db" | "tables">) {
  const { appliances, components, properties } = tables;
  return db
    .select(aliased({ ...getTableColumns(components), ...ofAppliance(tables), ...ofProperty(tables) }))
    .from(components)
    .innerJoin(appliances, eq(appliances.id, components.applianceId))
    .innerJoin(properties, eq(properties.id, components.propertyId))
    .$dynamic();
}

type Rows = ReturnType<typeof selectPlacedComponents>;

/**
 * Makes a read of a page of such rows. Many of them share an appliance or property, whose texts take longer to read than the
 * numbers of the component. SQLite, which needs no round trip, therefore reads each of these once.
 */
export function placedComponentPage(
  engine: Engine,
  make: (rows: Rows) => Query,
): (values: RowValues) => PlacedComponent[] | Promise<PlacedComponent[]> {
  if (engine.dialect !== "sqlite")
    return engine.read<PlacedComponent>(() => make(selectPlacedComponents(engine)));
  const { db, tables, isAmong, list } = engine;
  const { appliances, components, properties } = tables;
  const { state, ...columns } = getTableColumns(components);
  const own = engine.read<Component>(() =>
    make(db.select(aliased(columns)).from(components).$dynamic() as unknown as Rows),
  );
  const appliancesOf = engine.read<Pick<Component, "applianceId">>(() =>
    db
      .select(aliased({ applianceId: appliances.id, ...ofAppliance(tables) }))
      .from(appliances)
      .where(isAmong(appliances.id, "ids")),
  );
  const propertiesOf = engine.read<Pick<Component, "propertyId">>(() =>
    db
      .select(aliased({ propertyId: properties.id, ...ofProperty(tables) }))
      .from(properties)
      .where(isAmong(properties.id, "ids")),
  );
  return (values) => {
    const rows = atOnce(own(values));
    const ids = (of: (row: Component) => string) => ({ ids: list([...new Set(rows.map(of))]) });
    const itsAppliances = new Map<string, object>();
    for (const row of atOnce(appliancesOf(ids(({ applianceId }) => applianceId))))
      itsAppliances.set(row.applianceId, row);
    const itsProperties = new Map<string, object>();
    for (const row of atOnce(propertiesOf(ids(({ propertyId }) => propertyId))))
      itsProperties.set(row.propertyId, row);
    const placed: PlacedComponent[] = [];
    for (const row of rows) {
      const appliance = itsAppliances.get(row.applianceId);
      const property = itsProperties.get(row.propertyId);
      // Another process may purge them between the statements.
      if (appliance && property) placed.push(Object.assign(row as PlacedComponent, appliance, property));
    }
    return placed;
  };
}

/** Returns the rows of a read on SQLite, which are there at once: no write of this process comes between two such reads. */
const atOnce = <T>(rows: T[] | Promise<T[]>): T[] => rows as T[];
