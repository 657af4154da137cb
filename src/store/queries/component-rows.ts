import { eq, getTableColumns } from "drizzle-orm";
import type { Engine } from "../engine.ts";
import { aliased } from "./sql-column-aliases.ts";

/** Components with the columns of their appliance and property that lists show. */
export function componentRows({ db, tables }: Pick<Engine, "db" | "tables">) {
  const { appliances, components, properties } = tables;
  const row = {
    ...getTableColumns(components),
    typeId: appliances.typeId,
    brand: appliances.brand,
    brandTier: appliances.brandTier,
    unitId: appliances.unitId,
    size: appliances.size,
    state: properties.state,
    unitCount: properties.unitCount,
    grossAreaSqft: properties.grossAreaSqft,
    stories: properties.stories,
    flags: appliances.flags,
    deficiencies: appliances.deficiencies,
    unitTiming: appliances.unitTiming,
    installYearBasis: appliances.installYearBasis,
    propertyName: properties.name,
    propertyAddress: properties.address,
    recordsSince: properties.recordsSince,
  };
  return db
    .select(aliased(row))
    .from(components)
    .innerJoin(appliances, eq(appliances.id, components.applianceId))
    .innerJoin(properties, eq(properties.id, components.propertyId))
    .$dynamic();
}
