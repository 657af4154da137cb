import { constants, Database, type SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import { StorageError, UnreadableStorageError } from "../../domain/errors.ts";
import { pendingSqliteMigrations } from "./migrate-sqlite.ts";
import { explainSqliteError } from "./sqlite-errors.ts";
import { SQLITE_MIGRATIONS, type SqliteMigration } from "./sqlite-migrations.ts";
import { quotedSqliteName } from "./sqlite-schema-repair.ts";

/*
 * Reads a database of any schema version, which a server may be using, for copies, backups and `mainstay doctor`. Nothing
 * here changes a database.
 */

/** The number of rows by table. */
type RowCounts = Readonly<Record<string, number>>;

/** Opens a database for reading while another process may write to it. */
export function openSqliteForReading(file: string): Database {
  const db = new Database(file, { readonly: true });
  // Set before the first query, since another process may be recovering from a crash.
  db.run("PRAGMA busy_timeout = 10000");
  return isReadable(db, file) ? db : openSqliteWithoutWalFiles(file);
}

/**
 * Returns false in a read-only folder, where SQLite can't create the `-shm` file that even a reader in WAL mode needs.
 */
function isReadable(db: Database, file: string): boolean {
  try {
    db.query("SELECT 1 FROM sqlite_schema").get();
    return true;
  } catch (error) {
    if ((error as SQLiteError).code !== "SQLITE_CANTOPEN" || existsSync(`${file}-wal`)) return true;
    db.close();
    return false;
  }
}

/**
 * Opens a database for reading without creating the `-wal` and `-shm` files of WAL mode. Without a `-wal` file, no
 * process has the database open, and it consists of the database file alone.
 */
export function openSqliteWithoutWalFiles(file: string): Database {
  if (existsSync(`${file}-wal`)) return openSqliteForReading(file);
  const path = encodeURI(file).replaceAll("?", "%3f").replaceAll("#", "%23");
  return new Database(`file:${path}?immutable=1`, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}

/**
 * Copies the current state of the database to a new, compact file in rollback journal mode. Blocks this thread until it
 * is done; other processes can write meanwhile.
 */
export function copySqliteDatabase(db: Database, target: string): void {
  try {
    db.run("VACUUM INTO ?", [target]);
  } catch (error) {
    const isWriting = /^SQLITE_(FULL|IOERR|CANTOPEN)/.test((error as SQLiteError).code ?? "");
    throw explainSqliteError(error, isWriting ? target : db.filename);
  }
}

/**
 * Returns the problems of the database's pages and rows, at most 20 lines; none if it is intact. `quick` does not compare
 * index entries with rows, which takes ten times as long as all other checks. Throws a StorageError if the disk cannot be read.
 */
export function findSqliteIntegrityProblems(db: Database, depth: "quick" | "full"): string[] {
  const check = depth === "quick" ? "quick_check" : "integrity_check";
  // A row may hold many lines, the first of them a heading.
  const lines = db
    .query(`PRAGMA ${check}(20)`)
    .values()
    .flatMap(([text]) => String(text).split("\n"))
    .filter((line) => line !== "ok" && !line.startsWith("***"));
  requireReadPages(db.filename, lines);
  return lines.slice(0, 20);
}

const IOERR = 10;

/** Throws if a line of SQLite's check names a page that the disk could not return, rather than one that is damaged. */
function requireReadPages(file: string, lines: readonly string[]): void {
  const unread = lines.find((line) => {
    const code = /unable to get the page\. error code=(\d+)/.exec(line)?.[1];
    return code !== undefined && (Number(code) & 0xff) === IOERR;
  });
  if (unread !== undefined)
    throw new StorageError(
      `${file} cannot be read (${unread})`,
      "Look for errors of the disk in the system's log (`journalctl -k`).",
    );
}

/**
 * Returns the problems of the database's pages, at most five lines for each table; none if they are intact. Checks one
 * table at a time, so that no read blocks a checkpoint for long, and yields to the event loop between tables. Throws a
 * StorageError if the disk cannot be read.
 */
export async function findSqlitePageProblems(
  file: string,
  yieldToEventLoop: () => Promise<void>,
): Promise<string[]> {
  try {
    const db = openSqliteForReading(file);
    try {
      const problems: string[] = [];
      for (const { name } of tablesOf(db)) {
        const lines = db
          .query(`PRAGMA quick_check(${quotedSqliteName(name)})`)
          .values()
          .map(([line]) => String(line));
        requireReadPages(file, lines);
        problems.push(...lines.filter((line) => line !== "ok").slice(0, 5));
        await yieldToEventLoop();
      }
      return problems;
    } finally {
      db.close();
    }
  } catch (error) {
    const reported = explainSqliteError(error, file);
    if (reported instanceof UnreadableStorageError) return [reported.message];
    if (reported === error || reported instanceof StorageError) throw error;
    return [(reported as Error).message];
  }
}

function tablesOf(db: Database): { name: string }[] {
  return db
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all();
}

/** Returns the number of rows of each table. */
export function countSqliteRowsByTable(db: Database): RowCounts {
  const count = (table: string) =>
    db.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${quotedSqliteName(table)}`).get()!.rows;
  return Object.fromEntries(tablesOf(db).map(({ name }) => [name, count(name)]));
}

/** Returns the number of the newest migration of the database; 0 for an empty one. */
export function sqliteSchemaVersion(db: Database): number {
  if (!hasTable(db, "schema_migrations")) return 0;
  const row = db
    .query<{ version: number | null }, []>("SELECT max(number) AS version FROM schema_migrations")
    .get();
  return row?.version ?? 0;
}

/** Returns the pending migrations. Throws an OperatorError for a database of a newer version or another program. */
export function missingSqliteMigrations(db: Database, file: string): readonly SqliteMigration[] {
  return pendingSqliteMigrations(db, file, SQLITE_MIGRATIONS);
}

/** Returns an encrypted secret to test a key with; undefined if there is none. */
export function anyEncryptedSecretInSqlite(db: Database): string | undefined {
  if (!hasTable(db, "webhook_receivers")) return undefined;
  const row = db.query<{ secret: string }, []>("SELECT secret FROM webhook_receivers LIMIT 1").get();
  return row?.secret;
}

/** Returns the names of the uploaded files that the database refers to. */
export function photoFileNamesInSqlite(db: Database): string[] {
  return db
    .query("SELECT filename FROM photos ORDER BY filename")
    .values()
    .map(([name]) => String(name));
}

function hasTable(db: Database, name: string): boolean {
  return db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== null;
}
