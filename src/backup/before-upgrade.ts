import type { Database } from "bun:sqlite";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../domain/errors.ts";
import { type Instant, toIso } from "../domain/time.ts";
import { placeFile, requireRoom } from "../files.ts";
import { copyDatabase, integrityProblems, openForReading, schemaVersion } from "../store/sqlite/inspect.ts";

/**
 * Copies the database to a file of its own in the backups' folder before its schema is changed, and checks the copy.
 * Returns the file: a plain database, which an older executable serves again in the place of the upgraded one. Throws
 * when it cannot be made, so that nothing is changed without it.
 */
export function backUpBeforeUpgrade(db: Database, dir: string, now: Instant): string {
  const name = `before-upgrade-${schemaVersion(db)}-${toIso(now).slice(0, 23).replace(/[-:.]/g, "")}Z.db`;
  const partial = join(dir, `.${name}.partial`);
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    requireRoom(dir, statSync(db.filename).size, "the copy of the database before its upgrade");
    copyDatabase(db, partial);
    const problems = checked(partial);
    if (problems.length > 0) throw new OperatorError(`the database is damaged: ${problems[0]}`);
    placeFile(partial, join(dir, name));
    return join(dir, name);
  } catch (error) {
    throw new OperatorError(
      `the database has to be upgraded, and could not be backed up before: ${(error as Error).message}`,
      `Nothing was changed. See to it that ${dir} (backup.dir) can be written and has room, then start again.`,
    );
  } finally {
    if (existsSync(partial)) rmSync(partial);
  }
}

function checked(file: string): string[] {
  const db = openForReading(file);
  try {
    return integrityProblems(db, "quick");
  } finally {
    db.close();
  }
}
