import { eq, getTableColumns } from "drizzle-orm";
import type { Component } from "../domain/component.ts";
import type { BrandTier } from "../domain/scoring/types.ts";
import { named } from "./hot.ts";
import { appliances, components, properties } from "./schema.ts";
import type { Db } from "./sqlite.ts";

/** A component with what its views show of its appliance and property. */
export type ComponentRow = Component & {
  typeId: string;
  brand: string | null;
  brandTier: BrandTier;
  unitId: string | null;
  propertyName: string;
  propertyAddress: string;
};

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
