import { Database, SQLiteError } from "bun:sqlite";
import { accessSync, constants, existsSync, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { OperatorError, StorageError } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import { fileStorageError } from "../../files/durable-files.ts";
import { olderSchemaError } from "../older-schema-error.ts";
import type { Engine } from "../store-engine.ts";
import { removeLeftoverSqliteNames } from "./leftover-sqlite-files.ts";
import { applySqliteMigrations, pendingSqliteMigrations } from "./migrate-sqlite.ts";
import { overwriteFreeSqlitePages } from "./overwrite-free-sqlite-pages.ts";
import { sqliteEngine } from "./sqlite-engine.ts";
import { explainSqliteError, notASqliteDatabaseError } from "./sqlite-errors.ts";
import {
  CHECKPOINT_AT_COMMIT,
  checkpointLongSqliteTransactions,
  LARGE_CACHE,
} from "./sqlite-long-transactions.ts";
import { SQLITE_MIGRATIONS, type SqliteMigration } from "./sqlite-migrations.ts";
import { guardOpenSqliteFiles } from "./sqlite-open-files.ts";
import type { SqliteWriterConnection } from "./sqlite-write-queue.ts";

type SqliteFile = {
  /** Reads committed data, and refuses to write. */
  reader: Engine;
  writer: Engine;
  /** Opens a connection that sees the data that is committed now until it is closed. */
  openReadSnapshot(): { engine: Engine; close(): void };
  connection: SqliteWriterConnection;
  /** Called before `close`: resolves when no work runs on another thread, and starts none later. */
  settled(): Promise<void>;
  /** Returns a number that changes whenever another process has committed. */
  dataVersion(): number;
  /** Returns the number of rows that the writer has changed so far, those that were rolled back included. */
  changes(): number;
  /** Returns the size of the database in bytes. */
  sizeBytes(): number;
  /** Overwrites free pages, as `overwriteFreeSqlitePages` does. */
  overwriteFreePages(write: <T>(run: () => T) => Promise<T>, yieldNow: () => Promise<void>): Promise<void>;
  applied: readonly SqliteMigration[];
  close(): void;
};

/** Options for opening a database file. */
export type SqliteOptions = {
  /** True if reads use a memory mapping of the file; true by default. */
  mapsFile?: boolean;
  now: Instant;
  /** Called with the pending migrations before a database with data is migrated, to back it up. */
  beforeUpgrade?: (db: Database, pending: readonly SqliteMigration[]) => void;
  migrations?: readonly SqliteMigration[];
  /** Refuses a database with an older schema, instead of migrating it. */
  requiresCurrentSchema?: boolean | undefined;
  /**
   * For a connection that only purges: deleted data is overwritten with zeros, so that the file no longer contains it.
   * Foreign keys are not checked, which would scan whole tables for each row; the order of deletion preserves them.
   */
  purging?: boolean | undefined;
  /** True if this thread also serves requests, so that commits of large transactions must be short. */
  isServing?: boolean | undefined;
};

/**
 * Opens the database file with one connection that writes and one that reads; creates it when missing, and migrates its
 * schema. Throws an OperatorError, with the file unchanged, for a file of another program or a newer version, and with
 * `requiresCurrentSchema` also for one of an older version.
 */
export function openSqlite(file: string, options: SqliteOptions): SqliteFile {
  const migrations = options.migrations ?? SQLITE_MIGRATIONS;
  requireSingleName(file);
  const existed = existsSync(file);
  if (existed) requireWritable(file);
  const pending = existed ? readPending(file, migrations) : migrations;
  if (options.requiresCurrentSchema && pending.length > 0) throw olderSchemaError(file, pending, migrations);
  const writer = open(file);
  let reader: Database | undefined;
  try {
    // Set before the journal mode, since that change needs the lock too.
    writer.run("PRAGMA busy_timeout = 10000");
    // A savepoint would otherwise fail if the disk of TMPDIR is full. In memory, each statement would take time in proportion to
    // all pages that its transaction has changed.
    writer.run(`PRAGMA temp_store_directory = '${dirname(file).replaceAll("'", "''")}'`);
    writer.run("PRAGMA journal_mode = WAL");
    if (existed && pending.length > 0 && pending.length < migrations.length)
      options.beforeUpgrade?.(writer, pending);
    const applied = applySqliteMigrations(writer, file, migrations, options.now);
    writer.run("PRAGMA foreign_keys = ON");
    writer.run("PRAGMA synchronous = FULL");
    // Overwrites what is deleted in pages that are written anyway.
    writer.run("PRAGMA secure_delete = FAST");
    if (options.purging) {
      writer.run("PRAGMA secure_delete = ON");
      writer.run("PRAGMA foreign_keys = OFF");
    }
    writer.run(LARGE_CACHE);
    writer.run(CHECKPOINT_AT_COMMIT);
    // The write queue waits for other processes, without blocking the event loop.
    writer.run("PRAGMA busy_timeout = 0");
    reader = open(file);
    reader.run("PRAGMA busy_timeout = 1000");
    reader.run("PRAGMA query_only = ON");
    reader.run(LARGE_CACHE);
    const mapping = mappingOf(options);
    reader.run(mapping);
    return assemble(writer, reader, applied, { isServing: options.isServing === true, mapping });
  } catch (error) {
    reader?.close();
    writer.close();
    throw explainSqliteError(error, file);
  }
}

/**
 * Throws an OperatorError for a file with several names. Servers lock the folder, so two folders with one file would have two
 * servers; with a hard link each of them has a write-ahead log of its own, and destroys what the other commits.
 */
function requireSingleName(file: string): void {
  removeLeftoverSqliteNames(file);
  const status = lstatSync(file, { throwIfNoEntry: false });
  if (status?.isSymbolicLink())
    throw new OperatorError(
      `${file} is a symbolic link, so that a server in the folder of the database could open it too; nothing was written`,
      "Set storage.data_dir to a folder on the other disk that has all files of this one, or stop all servers and move the database here.",
    );
  if (status && status.nlink > 1)
    throw new OperatorError(
      `${file} has ${status.nlink} names (hard links), so that a server in another folder could write to it; nothing was written`,
      `Find the others with \`find / -xdev -samefile ${file}\`, and remove them, or replace each by a copy.`,
    );
}

/** Throws if the file is not writable. SQLite would open it for reading, and fail only at the first write. */
function requireWritable(file: string): void {
  try {
    accessSync(file, constants.W_OK);
  } catch (error) {
    throw fileStorageError(error, file);
  }
}

function assemble(
  writer: Database,
  reader: Database,
  applied: readonly SqliteMigration[],
  { isServing, mapping }: { isServing: boolean; mapping: string },
): SqliteFile {
  const dataVersion = writer.prepare<{ data_version: number }, []>("PRAGMA data_version");
  const changes = writer.prepare<{ changes: number }, []>("SELECT total_changes() AS changes");
  const size = reader.prepare<{ bytes: number }, []>(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
  );
  return {
    reader: sqliteEngine(reader),
    writer: sqliteEngine(writer),
    openReadSnapshot: () => openReadSnapshot(writer.filename, mapping),
    ...writerConnection(writer, reader, isServing),
    dataVersion: () => dataVersion.get()!.data_version,
    changes: () => changes.get()!.changes,
    sizeBytes: () => size.get()!.bytes,
    overwriteFreePages: (write, yieldNow) => overwriteFreeSqlitePages(writer, write, yieldNow),
    applied,
    close: () => {
      reader.close();
      try {
        writer.run("PRAGMA wal_checkpoint(TRUNCATE)");
      } catch (error) {
        // On a full disk the log stays beside the database, and the next start reads both.
        if (!(explainSqliteError(error, writer.filename) instanceof StorageError)) throw error;
      }
      writer.close();
    },
  };
}

/** Returns the pragma that maps the file, or not in processes that read it once: mapped pages count as their memory. */
const mappingOf = ({ mapsFile }: Pick<SqliteOptions, "mapsFile">) =>
  `PRAGMA mmap_size = ${mapsFile === false ? 0 : 1_073_741_824}`;

function openReadSnapshot(file: string, mapping: string) {
  const db = open(file);
  try {
    db.run("PRAGMA busy_timeout = 1000");
    db.run("PRAGMA query_only = ON");
    db.run(mapping);
    db.run("BEGIN");
  } catch (error) {
    db.close();
    throw error;
  }
  return {
    engine: sqliteEngine(db),
    close: () => {
      // The connection stays open until the garbage collector finalizes its statements, and would keep its snapshot.
      if (db.inTransaction) db.run("ROLLBACK");
      db.close();
    },
  };
}

function writerConnection(
  db: Database,
  reader: Database,
  isServing: boolean,
): Pick<SqliteFile, "connection" | "settled"> {
  const statement = (sql: string) => {
    const prepared = db.prepare(sql);
    return () => void prepared.run();
  };
  const commit = statement("COMMIT");
  const requireSameFiles = guardOpenSqliteFiles(db.filename);
  const long = checkpointLongSqliteTransactions(db, reader);
  let durable = true;
  return {
    settled: long.close,
    connection: {
      begin: statement("BEGIN IMMEDIATE"),
      markLong: isServing ? long.begin : () => {},
      commit: () => {
        requireSameFiles();
        commit();
        long.end();
      },
      // SQLite rolls back when the disk is full; a second rollback would fail and hide that error.
      rollback: () => {
        if (db.inTransaction) db.run("ROLLBACK");
        long.end();
      },
      savepoint: statement("SAVEPOINT job"),
      release: statement("RELEASE job"),
      rollbackToSavepoint: statement("ROLLBACK TO job"),
      inTransaction: () => db.inTransaction,
      isBusy: (error) => error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY") === true,
      setDurable: (wanted) => {
        if (wanted === durable) return;
        db.run(`PRAGMA synchronous = ${wanted ? "FULL" : "NORMAL"}`);
        durable = wanted;
      },
    },
  };
}

const HEADER_BYTES = 100;

/**
 * Returns the pending migrations of an existing file, without writing to it. Throws if it is not a database of this or
 * an older version.
 */
function readPending(file: string, migrations: readonly SqliteMigration[]): readonly SqliteMigration[] {
  // SQLite treats a file that is shorter than its header as an empty database, and would overwrite it.
  const { size } = statSync(file);
  if (size > 0 && size < HEADER_BYTES) throw notASqliteDatabaseError(file);
  const db = open(file);
  try {
    db.run("PRAGMA busy_timeout = 10000");
    return pendingSqliteMigrations(db, file, migrations);
  } catch (error) {
    throw explainSqliteError(error, file);
  } finally {
    db.close();
  }
}

function open(file: string): Database {
  try {
    return new Database(file, { create: true, readwrite: true, strict: true });
  } catch (error) {
    throw explainSqliteError(error, file);
  }
}

/** Sets the server's journal mode in a database file that no process has open. */
export function switchSqliteToWal(file: string): void {
  const db = open(file);
  try {
    db.run("PRAGMA journal_mode = WAL");
  } finally {
    db.close();
  }
}
