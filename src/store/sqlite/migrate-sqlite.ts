import type { Database } from "bun:sqlite";
import { OperatorError } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import type { SqliteMigration } from "./sqlite-migrations.ts";

const LEDGER = `CREATE TABLE IF NOT EXISTS schema_migrations (
  number INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT`;

type LedgerRow = { number: number; name: string; sha256: string };

/**
 * Returns the migrations that the database lacks. Throws an OperatorError for a database of another program or a newer
 * version.
 */
export function pendingSqliteMigrations(
  db: Database,
  file: string,
  migrations: readonly SqliteMigration[],
): readonly SqliteMigration[] {
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  if (tables.length === 0) return migrations;
  if (!tables.some((table) => table.name === "schema_migrations"))
    throw new OperatorError(
      `${file} is a SQLite database of another program: it has tables, and no record of Mainstay's migrations`,
      "Specify another data folder, or move that file away.",
    );
  const applied = db
    .query<LedgerRow, []>("SELECT number, name, sha256 FROM schema_migrations ORDER BY number")
    .all();
  for (const row of applied) {
    const known = migrations.find((migration) => migration.number === row.number);
    if (!known)
      throw new OperatorError(
        `${file} was written by a newer version of Mainstay: it has migration ${row.number} (${row.name}), this version knows ${migrations.length}`,
        "Run the newer executable, or restore a backup made before the upgrade.",
      );
    if (checksum(known) !== row.sha256)
      throw new OperatorError(
        `${file} was created with a different text of migration ${row.number} (${row.name}) than this executable has`,
        "Run the release that created it; a migration is never edited after its release.",
      );
  }
  return migrations.filter((migration) => !applied.some((row) => row.number === migration.number));
}

/**
 * Applies the pending migrations, each in a transaction that also records it, and returns those applied. Foreign keys
 * are off during a migration, since rebuilding a table would otherwise delete rows by cascade, and are checked before
 * the commit.
 */
export function applySqliteMigrations(
  db: Database,
  file: string,
  migrations: readonly SqliteMigration[],
  now: Instant,
): SqliteMigration[] {
  const done: SqliteMigration[] = [];
  for (const migration of pendingSqliteMigrations(db, file, migrations)) {
    db.run("PRAGMA foreign_keys = OFF");
    db.run("BEGIN IMMEDIATE");
    try {
      // Another process may have applied it while this one waited for the lock.
      if (pendingSqliteMigrations(db, file, migrations).includes(migration)) {
        db.run(LEDGER);
        db.run(migration.sql);
        const violations = db.query("PRAGMA foreign_key_check").all();
        if (violations.length > 0)
          throw new OperatorError(
            `migration ${migration.number} (${migration.name}) would leave ${violations.length} rows without the row that they refer to; nothing was changed`,
            "Report this with the output of `mainstay doctor`.",
          );
        db.prepare(
          "INSERT INTO schema_migrations (number, name, sha256, applied_at) VALUES (?, ?, ?, ?)",
        ).run(migration.number, migration.name, checksum(migration), now);
        done.push(migration);
      }
      db.run("COMMIT");
    } catch (error) {
      // SQLite rolls back when the disk is full.
      if (db.inTransaction) db.run("ROLLBACK");
      throw error;
    } finally {
      db.run("PRAGMA foreign_keys = ON");
    }
  }
  return done;
}

function checksum(migration: SqliteMigration): string {
  return new Bun.CryptoHasher("sha256").update(migration.sql).digest("hex");
}
