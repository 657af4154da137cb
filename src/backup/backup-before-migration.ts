import type { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../domain/errors.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { moveIntoPlace, requireFreeFileSpace } from "../files/durable-files.ts";
import {
  copySqliteDatabase,
  findSqliteIntegrityProblems,
  openSqliteForReading,
  sqliteSchemaVersion,
} from "../store/sqlite/inspect-sqlite-database.ts";

/**
 * Copies the database to the backup folder before its schema is migrated, and checks the copy. Returns the file, a plain
 * database with which an older executable can replace the migrated one.
 * @throws OperatorError if the copy fails, so that no migration runs without it.
 */
export function backUpBeforeMigration(db: Database, dir: string, now: Instant): string {
  const name = `before-upgrade-${sqliteSchemaVersion(db)}-${isoTextOfInstant(now).slice(0, 23).replace(/[-:.]/g, "")}Z.db`;
  let scratch: string | undefined;
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    requireFreeFileSpace(dir, statSync(db.filename).size, "the copy of the database before the upgrade");
    // SQLite follows links, which nobody can plant in a new folder.
    scratch = mkdtempSync(join(dir, `.${name}.partial-`));
    const partial = join(scratch, name);
    copySqliteDatabase(db, partial);
    const problems = checked(partial);
    if (problems.length > 0) throw new OperatorError(`the database is damaged: ${problems[0]}`);
    moveIntoPlace(partial, join(dir, name));
    return join(dir, name);
  } catch (error) {
    throw new OperatorError(
      `cannot back up the database before its upgrade: ${(error as Error).message}`,
      `Nothing was changed. Make sure that ${dir} (backup.dir) is writable and has free space, then start again.`,
    );
  } finally {
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
  }
}

function checked(file: string): string[] {
  const db = openSqliteForReading(file);
  try {
    return findSqliteIntegrityProblems(db, "quick");
  } finally {
    db.close();
  }
}
