import type { QueryWithTypings, SQL } from "drizzle-orm";
import { getTableName } from "drizzle-orm";
import { PgDialect, type PgTable } from "drizzle-orm/pg-core";
import { LRUCache } from "lru-cache";
import { tables } from "./postgres-tables.ts";

const TABLE_NAMES: ReadonlySet<string> = new Set(
  Object.values(tables as unknown as Record<string, PgTable>).map((table) => getTableName(table)),
);
/** More texts than the queries of all stores have; only lists of different lengths make further ones. */
const MOST_TEXTS = 2_000;

/**
 * Builds the text of queries as Drizzle does, and records the tables that each text names. Queries refer to tables by
 * their objects and not in literal SQL, so that none is missed.
 */
export class PostgresTableNamingDialect extends PgDialect {
  readonly #tables = new LRUCache<string, ReadonlySet<string>>({ max: MOST_TEXTS });

  /** The tables that a statement reads or changes, by its text; undefined when they are not known. */
  tablesOf(text: string): ReadonlySet<string> | undefined {
    return this.#tables.get(text);
  }

  override sqlToQuery(query: SQL, invokeSource?: "indexes"): QueryWithTypings {
    const named = new Set<string>();
    const escapeName = (name: string) => {
      if (TABLE_NAMES.has(name)) named.add(name);
      return this.escapeName(name);
    };
    const recording = Object.create(this, { escapeName: { value: escapeName } }) as PgDialect;
    const built = super.sqlToQuery.call(recording, query, invokeSource);
    this.#tables.set(built.sql, named);
    return built;
  }
}
