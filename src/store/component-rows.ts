import { eq, getTableColumns } from "drizzle-orm";
import { named } from "./hot.ts";
import { appliances, components, properties } from "./schema.ts";
import type { Db } from "./sqlite.ts";

const row = {
  ...getTableColumns(components),
  typeId: appliances.typeId,
  brand: appliances.brand,
  brandTier: appliances.brandTier,
  unitId: appliances.unitId,
  propertyName: properties.name,
  propertyAddress: properties.address,
};

export const componentRows = (db: Db) =>
  db
    .select(named(row))
    .from(components)
    .innerJoin(appliances, eq(appliances.id, components.applianceId))
    .innerJoin(properties, eq(properties.id, components.propertyId))
    .$dynamic();
