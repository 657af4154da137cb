import { eq, getTableColumns } from "drizzle-orm";
import type { Db } from "../engine.ts";
import { appliances, components, properties } from "../sqlite/schema.ts";
import { named } from "./named.ts";

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
