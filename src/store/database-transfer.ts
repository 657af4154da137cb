import { and, type Column, DrizzleQueryError, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { OperatorError } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import { sqliteColumnTypes } from "./sqlite/sqlite-column-types.ts";
import type { Engine } from "./store-engine.ts";
import { defineStoreTables, type Tables } from "./store-schema.ts";

/** One of the two databases of a transfer. Nothing else writes to it meanwhile. */
export type TransferEndpoint = {
  /** The name for people: a file, or an address without its password. */
  name: string;
  engine: Engine;
  transaction<T>(run: () => Promise<T>): Promise<T>;
  /** Resolves with an instant that is not before that of any row. */
  lastInstant(): Promise<Instant>;
  /** Makes later rows get instants after this one, and unused numbers. */
  advancePast(instant: Instant): Promise<void>;
};

type TransferStep = "copying" | "comparing";
/** A function that is called after each batch, with the rows done and the total. */
export type OnRows = (step: TransferStep, done: number, total: number) => void;
/** The number of rows by table. */
export type TransferredRows = Readonly<Record<string, number>>;

type Name = keyof Tables;
type Row = Record<string, unknown>;

/** The names and columns of the tables, which are the same on every engine. */
const known: Tables = defineStoreTables(sqliteColumnTypes);
const NAMES = Object.keys(known) as Name[];

/**
 * State of running servers, of which there are none during a move, and pictures, which an endpoint may keep as files.
 */
const EXCLUDED: readonly Name[] = ["servers", "leases", "locks", "uploads"];

/** The most rows and values in one statement; SQLite accepts 32,766 values. */
const BATCH_ROWS = 1_000;
const MOST_VALUES = 30_000;

/**
 * Copies all rows of one database to another that has the schema and no rows, and compares the two: the number of rows
 * of each table, the sum of each column, and each row as it is read back. Throws an OperatorError that names the
 * difference.
 */
export async function transferDatabase(
  from: TransferEndpoint,
  to: TransferEndpoint,
  onRows: OnRows,
): Promise<TransferredRows> {
  const names = tablesInOrder().filter((name) => !EXCLUDED.includes(name));
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (await measure(from.engine, name)).get("rows") as number;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const digests = new Map<Name, bigint>();
  let done = 0;
  for (const name of names) {
    await clear(to, name);
    let digest = 0n;
    for await (const rows of batches(from.engine, name)) {
      await to.transaction(async () => {
        await to.engine.db.insert(to.engine.tables[name]).values(rows as never);
      });
      digest += digestOf(rows);
      done += rows.length;
      onRows("copying", done, total);
    }
    digests.set(name, digest);
  }
  done = 0;
  for (const name of names) {
    await compareSums(from, to, name);
    let digest = 0n;
    for await (const rows of batches(to.engine, name)) {
      digest += digestOf(rows);
      done += rows.length;
      onRows("comparing", done, total);
    }
    if (digest !== digests.get(name))
      throw differs(`the rows of ${tableName(name)} differ between ${from.name} and ${to.name}`);
  }
  await to.advancePast(await from.lastInstant());
  return Object.fromEntries(names.map((name) => [tableName(name), counts[name]!]));
}

/** Returns the error of a transfer without that of the query builder, which has the values of the rows. */
export const transferErrorOf = (error: unknown): unknown =>
  error instanceof DrizzleQueryError && error.cause ? error.cause : error;

const tableName = (name: Name) => getTableConfig(known[name]).name;
const columnsOf = (name: Name): [key: string, column: Column][] =>
  Object.entries(getTableColumns(known[name]));

/** Returns the tables, each after those that it references. */
function tablesInOrder(): Name[] {
  const left = new Set(NAMES);
  const ordered: Name[] = [];
  const nameOf = (table: unknown) => NAMES.find((name) => known[name] === table);
  while (left.size > 0) {
    const ready = [...left].filter((name) =>
      getTableConfig(known[name] as SQLiteTable).foreignKeys.every((key) => {
        const target = nameOf(key.reference().foreignTable);
        return target === name || target === undefined || !left.has(target);
      }),
    );
    if (ready.length === 0)
      throw new Error(`tables reference each other in a circle: ${[...left].join(", ")}`);
    for (const name of ready) left.delete(name);
    ordered.push(...ready);
  }
  return ordered;
}

/** Deletes the rows that a new schema has, such as that of the clock. */
async function clear(to: TransferEndpoint, name: Name): Promise<void> {
  if ((await measure(to.engine, name)).get("rows") === 0) return;
  await to.transaction(async () => {
    await to.engine.db.delete(to.engine.tables[name]);
  });
}

/** The tables that a change of a portfolio never reads: credentials, deliveries, stored responses and history. */
const UNRELATED_TO_PORTFOLIO: readonly Name[] = [
  ...[
    "servers",
    "leases",
    "locks",
    "uploads",
    "installation",
    "administrators",
    "consoleSessions",
    "auditLog",
    "correctionValues",
  ],
  ...[
    "credentials",
    "embeds",
    "partnerBrands",
    "savedFilters",
    "propertyStandings",
    "photos",
    "idempotencyKeys",
    "dailyBudgets",
    "rateWindows",
    "feedCursors",
  ],
  ...[
    "webhookDeliveries",
    "webhookAttempts",
    "eventLog",
    "riskSnapshots",
    "conditionTrends",
    "snapshotShares",
  ],
  ...["modelProposals", "latestCalibration", "modelChecks"],
] as Name[];

/**
 * Copies a partner's portfolio, and the model that scores it, to a database that has the schema and no rows, to try a
 * change there. `from` reads from one snapshot.
 */
export async function copyStoredPortfolioRows(
  from: Pick<TransferEndpoint, "engine" | "lastInstant">,
  to: TransferEndpoint,
  partnerId: string,
): Promise<void> {
  for (const name of tablesInOrder().filter((name) => !UNRELATED_TO_PORTFOLIO.includes(name))) {
    await clear(to, name);
    for await (const rows of batches(from.engine, name, ownedBy(from.engine, name, partnerId))) {
      await to.transaction(async () => {
        await to.engine.db.insert(to.engine.tables[name]).values(rows as never);
      });
    }
  }
  await to.advancePast(await from.lastInstant());
}

/** Returns the condition for a partner's rows of a table; undefined if the table has no partner. */
function ownedBy({ tables }: Engine, name: Name, partnerId: string): SQL | undefined {
  const { partners, properties, appliances, units, modelFrailties } = tables;
  const idsIn = (table: typeof properties | typeof appliances) =>
    sql`(select ${table.id} from ${table} where ${eq(table.partnerId, partnerId)})`;
  if (name === "partners") return eq(partners.id, partnerId);
  if (name === "units") return sql`${units.propertyId} in ${idsIn(properties)}`;
  if (name === "modelFrailties") return sql`${modelFrailties.applianceId} in ${idsIn(appliances)}`;
  const { partnerId: owner } = getTableColumns(tables[name] as unknown as SQLiteTable) as Record<
    string,
    Column
  >;
  return owner && eq(owner, partnerId);
}

/** Reads the rows of a table, or those that match, in the order of the primary key. */
async function* batches({ db, tables }: Engine, name: Name, which?: SQL): AsyncGenerator<Row[]> {
  const table = tables[name] as unknown as SQLiteTable;
  const columns = getTableColumns(table) as Record<string, Column>;
  const key = keyOf(name);
  const keyed = sql.join(
    key.map((column) => sql`${columns[column]}`),
    sql`, `,
  );
  const limit = Math.min(BATCH_ROWS, Math.floor(MOST_VALUES / Object.keys(columns).length));
  for (let last: Row | undefined; ; ) {
    const after =
      last &&
      sql.join(
        key.map((column) => sql`${last![column]}`),
        sql`, `,
      );
    const query = db
      .select()
      .from(table)
      .where(and(which, after && sql`(${keyed}) > (${after})`));
    const rows: Row[] = await query.orderBy(sql`${keyed}`).limit(limit);
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    last = rows.at(-1);
  }
}

/** Returns the names of the primary key's columns. */
function keyOf(name: Name): string[] {
  const { primaryKeys } = getTableConfig(known[name] as SQLiteTable);
  const columns =
    primaryKeys[0]?.columns ?? columnsOf(name).flatMap(([, column]) => (column.primary ? [column] : []));
  if (columns.length === 0) throw new Error(`${name} has no primary key`);
  return columns.map((column) => columnsOf(name).find(([, one]) => one.name === column.name)![0]);
}

/** Returns a digest of rows that does not depend on their order. */
function digestOf(rows: readonly Row[]): bigint {
  return rows.reduce((sum, row) => (sum + Bun.hash.wyhash(JSON.stringify(row, bytesAsText))) & MASK, 0n);
}
const MASK = 0xffff_ffff_ffff_ffffn;
const bytesAsText = (_: string, value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;

async function compareSums(from: TransferEndpoint, to: TransferEndpoint, name: Name): Promise<void> {
  const [there, here] = [await measure(from.engine, name), await measure(to.engine, name)];
  for (const [what, expected] of there) {
    const found = here.get(what);
    if (equalSums(expected, found)) continue;
    const of = what === "rows" ? `${tableName(name)} has` : `the sum of ${tableName(name)}.${what} is`;
    throw differs(`${of} ${expected} in ${from.name}, and ${found} in ${to.name}`);
  }
}

/** Compares two sums; the last digits of a sum of fractions depend on the order of the additions. */
function equalSums(one: unknown, other: unknown): boolean {
  if (typeof one !== "number" || typeof other !== "number") return one === other;
  return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one));
}

const differs = (what: string) =>
  new OperatorError(
    `the copy differs from the source: ${what}`,
    "The source was not changed. Report this as a bug.",
  );

/** Returns the number of rows of a table, and the sum of each column; for text, the sum of the lengths. */
async function measure({ db, tables }: Engine, name: Name): Promise<Map<string, unknown>> {
  const columns = getTableColumns(tables[name] as unknown as SQLiteTable) as Record<string, Column>;
  const sums = columnsOf(name).map(([key, column]) => [column.name, sumOf(column, columns[key]!)] as const);
  const [found] = (await db
    .select({ rows: sql<number>`count(*)`, ...Object.fromEntries(sums) })
    .from(tables[name] as unknown as SQLiteTable)) as Row[];
  return new Map(Object.entries(found!));
}

/**
 * Adds up remainders, so that the sum of many large numbers does not overflow, and as text, which is exact on both
 * engines. An integer beyond 2^53, such as an old sum of replacement values, is rounded as it is when it is copied.
 */
const sumOf = ({ dataType, columnType }: Column, column: Column) => {
  if (dataType === "boolean")
    return sql`cast(coalesce(sum(case when ${column} then 1 else 0 end), 0) as text)`.as(column.name);
  if (columnType === "SQLiteReal") return sql<number>`coalesce(sum(${column}), 0.0)`.as(column.name);
  if (dataType === "number")
    return sql`cast(coalesce(sum(cast(cast(${column} as double precision) as bigint) % 1000000007), 0) as text)`.as(
      column.name,
    );
  return sql`cast(coalesce(sum(length(${column})), 0) as text)`.as(column.name);
};

/** Makes the queries of the pictures that a database stores. */
export function storedPhotoQueries({ db, tables: { uploads } }: Engine) {
  return {
    async names(): Promise<string[]> {
      const rows = await db.select({ filename: uploads.filename }).from(uploads).orderBy(uploads.filename);
      return rows.map(({ filename }) => filename);
    },
    async read(filename: string): Promise<{ bytes: Uint8Array; writtenAt: Instant }> {
      const [row] = await db.select().from(uploads).where(eq(uploads.filename, filename));
      if (!row) throw new Error(`picture not found in the database: ${filename}`);
      return row;
    },
    async write(filename: string, bytes: Uint8Array, writtenAt: Instant): Promise<void> {
      await db.insert(uploads).values({ filename, bytes: Buffer.from(bytes), writtenAt });
    },
  };
}
