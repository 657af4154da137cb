import { and, asc, eq, gte, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Engine } from "../engine.ts";
import { asSearched, LAST_CHARACTER, lowered, streetOf } from "../searched-texts.ts";
import { aliased } from "./sql-column-aliases.ts";

const { placeholder } = sql;

type FoundProperty = { id: string; name: string; address: string; state: string };
type FoundAppliance = {
  id: string;
  typeId: string;
  serial: string;
  propertyId: string;
  propertyName: string;
};
export type FoundClaim = {
  id: string;
  claimNumber: string | null;
  dateOfLoss: string;
  propertyId: string;
  propertyName: string;
};

/** Finds records of a partner by how a text begins, each from an index in its order. Retired ones are not found. */
export function searchStore(engine: Engine) {
  const { db } = engine;
  const { appliances, claims, properties } = engine.tables;
  const begins = (text: SQL, owner: SQLWrapper, ...more: SQL[]) =>
    and(
      eq(owner, placeholder("partnerId")),
      gte(text, placeholder("from")),
      lt(text, placeholder("to")),
      ...more,
    );
  const propertiesBy = (text: SQL) =>
    engine.read<FoundProperty>(() =>
      db
        .select(
          aliased({
            id: properties.id,
            name: properties.name,
            address: properties.address,
            state: properties.state,
          }),
        )
        .from(properties)
        .where(begins(text, properties.partnerId, sql`${properties.seq} > 0`))
        .orderBy(asc(text), asc(properties.seq))
        .limit(placeholder("limit")),
    );
  const byName = propertiesBy(lowered(properties.name));
  const byAddress = propertiesBy(lowered(properties.address));
  const byStreet = propertiesBy(streetOf(properties.address));
  const serial = lowered(appliances.serial);
  const bySerial = engine.read<FoundAppliance>(() =>
    db
      .select(
        aliased({
          id: appliances.id,
          typeId: appliances.typeId,
          serial: appliances.serial,
          propertyId: appliances.propertyId,
          propertyName: properties.name,
        }),
      )
      .from(appliances)
      .innerJoin(properties, eq(properties.id, appliances.propertyId))
      .where(
        begins(serial, appliances.partnerId, sql`${appliances.serial} is not null and ${appliances.seq} > 0`),
      )
      .orderBy(asc(serial), asc(appliances.seq))
      .limit(placeholder("limit")),
  );
  const number = lowered(claims.claimNumber);
  const claimRows = () =>
    db
      .select(
        aliased({
          id: claims.id,
          claimNumber: claims.claimNumber,
          dateOfLoss: claims.dateOfLoss,
          propertyId: claims.propertyId,
          propertyName: properties.name,
        }),
      )
      .from(claims)
      .innerJoin(properties, eq(properties.id, claims.propertyId));
  const claimById = engine.read<FoundClaim>(() =>
    claimRows().where(and(eq(claims.id, placeholder("id")), eq(claims.partnerId, placeholder("partnerId")))),
  );
  const byNumber = engine.read<FoundClaim>(() =>
    claimRows()
      .where(begins(number, claims.partnerId, sql`${claims.claimNumber} is not null`))
      .orderBy(asc(number), asc(claims.id))
      .limit(placeholder("limit")),
  );
  const bounds = (partnerId: string, text: string, limit: number) => {
    const from = asSearched(text);
    return { partnerId, from, to: from + LAST_CHARACTER, limit };
  };

  return {
    /** Returns properties whose name, address or street begins with the text, those by name first. */
    async properties(partnerId: string, text: string, limit: number): Promise<FoundProperty[]> {
      const bound = bounds(partnerId, text, limit);
      const found = new Map<string, FoundProperty>();
      for (const read of [byName, byAddress, byStreet])
        for (const property of await read(bound)) found.set(property.id, property);
      return [...found.values()].slice(0, limit);
    },
    async appliances(partnerId: string, text: string, limit: number): Promise<FoundAppliance[]> {
      return await bySerial(bounds(partnerId, text, limit));
    },
    async claim(partnerId: string, id: string): Promise<FoundClaim | undefined> {
      return (await claimById({ partnerId, id }))[0];
    },
    async claims(partnerId: string, text: string, limit: number): Promise<FoundClaim[]> {
      return await byNumber(bounds(partnerId, text, limit));
    },
  };
}
