import { Database, SQLiteError } from "bun:sqlite";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { StorageError } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import { toStorageError } from "../../files.ts";
import type { Engine } from "../engine.ts";
import { sqliteEngine } from "./engine.ts";
import { explainError, notADatabase } from "./errors.ts";
import { CHECKPOINT_AT_COMMIT, LARGE_CACHE, longTransactions } from "./long-transactions.ts";
import { applyMigrations, pendingMigrations } from "./migrate.ts";
import { MIGRATIONS, type Migration } from "./migrations.ts";
import type { WriterConnection } from "./write-queue.ts";

export type SqliteFile = {
  /** Sees what is committed; refuses to write. */
  reader: Engine;
  writer: Engine;
  /** A connection that sees what is committed now until it is closed, whatever is written meanwhile. */
  openReadSnapshot(): { engine: Engine; close(): void };
  connection: WriterConnection;
  /** Before it is closed: resolves once nothing of it is under way on another thread, nor begins any more. */
  settled(): Promise<void>;
  /** Changes whenever another process has committed. */
  dataVersion(): number;
  /** Pages of the file times their size. */
  sizeBytes(): number;
  applied: readonly Migration[];
  close(): void;
};

export type SqliteOptions = {
  /** Whether reads go through a mapping of the file; on when not given. */
  mapsFile?: boolean;
  now: Instant;
  /** Makes a copy of a database that holds data before it is changed; gets the pending steps. */
  beforeUpgrade?: (db: Database, pending: readonly Migration[]) => void;
  migrations?: readonly Migration[];
  /**
   * For a connection that only purges: what is deleted is overwritten with zeros, so that the file does not hold it any
   * more, and references are not looked for, which would go through whole tables for every row; the order sees to them.
   */
  purging?: boolean | undefined;
  /** Whether this thread answers others meanwhile, so that the commit of a large transaction is to be short. */
  isServing?: boolean | undefined;
};

/**
 * Opens the database file, made when missing, with its schema brought up to date: one connection that writes and one
 * that reads. Throws an OperatorError, with the file untouched, when it is none of ours or from a newer version.
 */
export function openSqlite(file: string, options: SqliteOptions): SqliteFile {
  const migrations = options.migrations ?? MIGRATIONS;
  const existed = existsSync(file);
  if (existed) requireWritable(file);
  const pending = existed ? inspect(file, migrations) : migrations;
  const writer = open(file);
  let reader: Database | undefined;
  try {
    // Before the journal mode, since switching that takes the lock too.
    writer.run("PRAGMA busy_timeout = 10000");
    writer.run("PRAGMA journal_mode = WAL");
    if (existed && pending.length > 0 && pending.length < migrations.length)
      options.beforeUpgrade?.(writer, pending);
    const applied = applyMigrations(writer, file, migrations, options.now);
    writer.run("PRAGMA foreign_keys = ON");
    writer.run("PRAGMA synchronous = FULL");
    if (options.purging) {
      writer.run("PRAGMA secure_delete = ON");
      writer.run("PRAGMA foreign_keys = OFF");
    }
    writer.run(LARGE_CACHE);
    writer.run(CHECKPOINT_AT_COMMIT);
    // Waiting for another process is the write queue's part: it does not block the event loop.
    writer.run("PRAGMA busy_timeout = 0");
    reader = open(file);
    reader.run("PRAGMA busy_timeout = 1000");
    reader.run("PRAGMA query_only = ON");
    reader.run(LARGE_CACHE);
    // Off for who reads all of it once: what is mapped counts as the process's own memory.
    reader.run(`PRAGMA mmap_size = ${options.mapsFile === false ? 0 : 1_073_741_824}`);
    return assemble(writer, reader, applied, options.isServing === true);
  } catch (error) {
    reader?.close();
    writer.close();
    throw explainError(error, file);
  }
}

/** SQLite opens a file that it may not write for reading alone, and says so at the first write. */
function requireWritable(file: string): void {
  try {
    accessSync(file, constants.W_OK);
  } catch (error) {
    throw toStorageError(error, file);
  }
}

function assemble(
  writer: Database,
  reader: Database,
  applied: readonly Migration[],
  isServing: boolean,
): SqliteFile {
  const dataVersion = writer.prepare<{ data_version: number }, []>("PRAGMA data_version");
  const size = reader.prepare<{ bytes: number }, []>(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
  );
  return {
    reader: sqliteEngine(reader),
    writer: sqliteEngine(writer),
    openReadSnapshot: () => openReadSnapshot(writer.filename),
    ...writerConnection(writer, reader, isServing),
    dataVersion: () => dataVersion.get()!.data_version,
    sizeBytes: () => size.get()!.bytes,
    applied,
    close: () => {
      reader.close();
      try {
        writer.run("PRAGMA wal_checkpoint(TRUNCATE)");
      } catch (error) {
        // On a full disk the log stays beside the database, and the next start goes on with both.
        if (!(explainError(error, writer.filename) instanceof StorageError)) throw error;
      }
      writer.close();
    },
  };
}

function openReadSnapshot(file: string) {
  const db = open(file);
  try {
    db.run("PRAGMA busy_timeout = 1000");
    db.run("PRAGMA query_only = ON");
    db.run("PRAGMA mmap_size = 1073741824");
    db.run("BEGIN");
  } catch (error) {
    db.close();
    throw error;
  }
  return {
    engine: sqliteEngine(db),
    close: () => {
      // Its statements are the garbage collector's to end, and until then it is not quite closed: it would keep its moment.
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
  const long = longTransactions(db, reader);
  let durable = true;
  return {
    settled: long.close,
    connection: {
      begin: statement("BEGIN IMMEDIATE"),
      lengthen: isServing ? long.begin : () => {},
      commit: () => {
        commit();
        long.end();
      },
      // A full disk makes SQLite roll back by itself, and a second rollback would hide that error behind its own.
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

/** Looks at an existing file without writing to it: is it a database, ours, and no newer than we are? */
function inspect(file: string, migrations: readonly Migration[]): readonly Migration[] {
  // SQLite takes a file too short for its header for an empty database, and would write over it.
  const { size } = statSync(file);
  if (size > 0 && size < HEADER_BYTES) throw notADatabase(file);
  const db = open(file);
  try {
    db.run("PRAGMA busy_timeout = 10000");
    return pendingMigrations(db, file, migrations);
  } catch (error) {
    throw explainError(error, file);
  } finally {
    db.close();
  }
}

function open(file: string): Database {
  try {
    return new Database(file, { create: true, readwrite: true, strict: true });
  } catch (error) {
    throw explainError(error, file);
  }
}

/** Puts a database file that nobody has open into the journal mode that the server runs on, durably. */
export function switchToWal(file: string): void {
  const db = open(file);
  try {
    db.run("PRAGMA journal_mode = WAL");
  } finally {
    db.close();
  }
}
