import { and, asc, eq, gte, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Engine, Query } from "../store-engine.ts";
import {
  LAST_CHARACTER,
  lowerCaseSql,
  streetWithoutNumberSql,
  textInSearchedSqlForm,
} from "./searched-text-sql.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

type FoundProperty = { id: string; partnerId: string; name: string; address: string; state: string };
type FoundAppliance = {
  id: string;
  partnerId: string;
  typeId: string;
  serial: string;
  propertyId: string;
  propertyName: string;
};
export type FoundClaim = {
  id: string;
  partnerId: string;
  claimNumber: string | null;
  dateOfLoss: string;
  propertyId: string;
  propertyName: string;
};

/** The partner whose records are searched; undefined for all partners. */
type Owner = string | undefined;
/** A read of one partner's rows in their order, and one of all partners' rows, a partner after another. */
type OwnedRead<T> = (owner: Owner, values: Record<string, unknown>) => T[] | Promise<T[]>;

/** Finds records by how a text begins, each from an index in its order. Retired ones are not found. */
export function searchStore(engine: Engine) {
  const { db } = engine;
  const { appliances, claims, partners, properties } = engine.tables;
  /** The rows of all partners are searched by the same indexes: a seek for each partner, until the limit. */
  const ownedRead = <T>(
    make: (isOwned: (column: AnySQLiteColumn) => SQL, order: (...by: SQL[]) => SQL[]) => Query,
  ): OwnedRead<T> => {
    const ofOne = engine.read<T>(() =>
      make(
        (column) => eq(column, placeholder("partnerId")),
        (...by) => by,
      ),
    );
    const ofAll = engine.read<T>(() =>
      make(
        (column) => engine.isAmongSelected(column, db.select({ id: partners.id }).from(partners)),
        () => [],
      ),
    );
    return (partnerId, values) => (partnerId === undefined ? ofAll(values) : ofOne({ ...values, partnerId }));
  };
  const begins = (text: SQL, ...more: SQL[]) =>
    and(gte(text, placeholder("from")), lt(text, placeholder("to")), ...more);
  const propertyColumns = () =>
    aliasedSqlColumns({
      id: properties.id,
      partnerId: properties.partnerId,
      name: properties.name,
      address: properties.address,
      state: properties.state,
    });
  const propertiesBy = (text: SQL) =>
    ownedRead<FoundProperty>((isOwned, order) =>
      db
        .select(propertyColumns())
        .from(properties)
        .where(and(isOwned(properties.partnerId), begins(text, sql`${properties.seq} > 0`)))
        .orderBy(...order(asc(text), asc(properties.seq)))
        .limit(placeholder("limit")),
    );
  const byName = propertiesBy(lowerCaseSql(properties.name));
  const byAddress = propertiesBy(lowerCaseSql(properties.address));
  const byStreet = propertiesBy(streetWithoutNumberSql(properties.address));
  const byReference = ownedRead<FoundProperty>((isOwned) =>
    db
      .select(propertyColumns())
      .from(properties)
      .where(and(isOwned(properties.partnerId), eq(properties.partnerPropertyId, placeholder("reference"))))
      .limit(placeholder("limit")),
  );
  const serial = lowerCaseSql(appliances.serial);
  const bySerial = ownedRead<FoundAppliance>((isOwned, order) =>
    db
      .select(
        aliasedSqlColumns({
          id: appliances.id,
          partnerId: appliances.partnerId,
          typeId: appliances.typeId,
          serial: appliances.serial,
          propertyId: appliances.propertyId,
          propertyName: properties.name,
        }),
      )
      .from(appliances)
      .innerJoin(properties, eq(properties.id, appliances.propertyId))
      .where(
        and(
          isOwned(appliances.partnerId),
          begins(serial, sql`${appliances.serial} is not null and ${appliances.seq} > 0`),
        ),
      )
      .orderBy(...order(asc(serial), asc(appliances.seq)))
      .limit(placeholder("limit")),
  );
  const number = lowerCaseSql(claims.claimNumber);
  const claimRows = () =>
    db
      .select(
        aliasedSqlColumns({
          id: claims.id,
          partnerId: claims.partnerId,
          claimNumber: claims.claimNumber,
          dateOfLoss: claims.dateOfLoss,
          propertyId: claims.propertyId,
          propertyName: properties.name,
        }),
      )
      .from(claims)
      .innerJoin(properties, eq(properties.id, claims.propertyId));
  const claimById = engine.read<FoundClaim>(() =>
    claimRows().where(and(eq(claims.id, placeholder("id")), isNull(claims.voidedAt))),
  );
  const byNumber = ownedRead<FoundClaim>((isOwned, order) =>
    claimRows()
      .where(
        and(
          isOwned(claims.partnerId),
          begins(number, sql`${claims.claimNumber} is not null`),
          isNull(claims.voidedAt),
        ),
      )
      .orderBy(...order(asc(number), asc(claims.id)))
      .limit(placeholder("limit")),
  );
  const bounds = (text: string, limit: number) => {
    const from = textInSearchedSqlForm(text);
    return { from, to: from + LAST_CHARACTER, limit };
  };

  return {
    /** Returns properties whose name, address or street begins with the text, those by name first. */
    async properties(partnerId: Owner, text: string, limit: number): Promise<FoundProperty[]> {
      const bound = bounds(text, limit);
      const found = new Map<string, FoundProperty>();
      for (const read of [byName, byAddress, byStreet])
        for (const property of await read(partnerId, bound)) found.set(property.id, property);
      return [...found.values()].slice(0, limit);
    },
    /** Returns properties with the partner's own reference, retired ones too. */
    async propertiesOfReference(
      partnerId: Owner,
      reference: string,
      limit: number,
    ): Promise<FoundProperty[]> {
      return await byReference(partnerId, { reference, limit });
    },
    async appliances(partnerId: Owner, text: string, limit: number): Promise<FoundAppliance[]> {
      return await bySerial(partnerId, bounds(text, limit));
    },
    async claim(partnerId: Owner, id: string): Promise<FoundClaim | undefined> {
      const claim = (await claimById({ id }))[0];
      return partnerId === undefined || claim?.partnerId === partnerId ? claim : undefined;
    },
    async claims(partnerId: Owner, text: string, limit: number): Promise<FoundClaim[]> {
      return await byNumber(partnerId, bounds(text, limit));
    },
  };
}
