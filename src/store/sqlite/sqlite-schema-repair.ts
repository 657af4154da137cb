import { Database, SQLiteError } from "bun:sqlite";
import { OperatorError } from "../../domain/errors.ts";
import { applySqliteMigrations } from "./migrate-sqlite.ts";
import { explainSqliteError } from "./sqlite-errors.ts";
import { SQLITE_MIGRATIONS } from "./sqlite-migrations.ts";

/** A definition that holds no data, so that a repair can remove and create it. */
type Definition = { type: "index" | "trigger" | "view"; name: string; sql: string };
/** A column, such as `partners.name`, with its type, default value and place in the primary key, and whether it can be null. */
type Column = { place: string; is: string };
const MOST_NAMED = 4;
const UNDO = "Undo the change with the `sqlite3` program, or use a backup from before it.";

/**
 * Throws an OperatorError for a database that lacks columns of the tables that its migrations create, or has them with
 * another type. It may have further ones. Constraints (`CHECK`, `UNIQUE`, `COLLATE`, foreign keys) are not compared: only
 * the text of a table has all of them, which a further column changes.
 */
export function requireSqliteTablesAndColumns(db: Database, file: string): void {
  const expected = createExpectedSchema(db);
  let wrong: string[];
  try {
    const found = new Map(columnsOf(db).map(({ place, is }) => [place, is]));
    wrong = columnsOf(expected).flatMap(({ place, is }) => (found.get(place) === is ? [] : [place]));
  } finally {
    expected.close();
  }
  if (wrong.length === 0) return;
  const more = wrong.length > MOST_NAMED ? ` and ${wrong.length - MOST_NAMED} more` : "";
  throw new OperatorError(
    `the tables of ${file} were changed: wrong or missing columns: ${wrong.slice(0, MOST_NAMED).join(", ")}${more}`,
    UNDO,
  );
}

/**
 * Gives a database the indexes, triggers and views that its migrations create, and no others. A trigger would change what is
 * written, and a unique index would refuse it. Returns what was removed and created, for people.
 */
export function repairSqliteDefinitions(path: string, file: string): string[] {
  return changeDefinitions(path, file, "COMMIT");
}

/** Throws an OperatorError for a database for which `repairSqliteDefinitions` would throw one. Does not change it. */
export function requireRepairableSqliteDefinitions(path: string, file: string): void {
  changeDefinitions(path, file, "ROLLBACK");
}

/**
 * Returns the indexes, triggers and views that a database lacks or has beside those of its migrations, for people. Writes
 * nothing: whether a unique index could be created is not tried.
 */
export function alteredSqliteDefinitions(db: Database): string[] {
  const expected = createExpectedSchema(db);
  try {
    const { removed, created } = differingDefinitions(db, expected);
    return [
      ...created.map(({ type, name }) => `the ${type} ${name} is missing or altered`),
      ...removed
        .filter((one) => !created.some(({ name }) => name === one.name))
        .map(({ type, name }) => `the ${type} ${name} was added`),
    ];
  } finally {
    expected.close();
  }
}

/** Returns the definitions that a database has otherwise than the expected one, and those that it lacks. */
function differingDefinitions(db: Database, expected: Database) {
  const wanted = definitionsOf(expected);
  const found = definitionsOf(db);
  const isIn = (list: readonly Definition[], { type, name, sql }: Definition) =>
    list.some((other) => other.type === type && other.name === name && other.sql === sql);
  return {
    removed: found.filter((one) => !isIn(wanted, one)),
    created: wanted.filter((one) => !isIn(found, one)),
  };
}

function changeDefinitions(path: string, file: string, end: "COMMIT" | "ROLLBACK"): string[] {
  const db = new Database(path, { readwrite: true });
  const expected = createExpectedSchema(db);
  try {
    const { removed, created } = differingDefinitions(db, expected);
    if (removed.length === 0 && created.length === 0) return [];
    db.run("BEGIN IMMEDIATE");
    // A view that was removed took its triggers with it.
    for (const { type, name } of removed) db.run(`DROP ${type} IF EXISTS ${quotedSqliteName(name)}`);
    for (const definition of created) create(db, file, definition);
    db.run(end);
    return [
      ...removed.map(({ type, name }) => `removed the ${type} ${name}`),
      ...created.map(({ type, name }) => `created the ${type} ${name}`),
    ];
  } catch (error) {
    throw explainSqliteError(error, path);
  } finally {
    expected.close();
    db.close();
  }
}

function create(db: Database, file: string, { type, name, sql }: Definition): void {
  try {
    db.run(sql);
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    const { code = "", message } = error;
    const isDuplicate = code.startsWith("SQLITE_CONSTRAINT");
    // A table of the same name, for example.
    if (!isDuplicate && code !== "SQLITE_ERROR") throw error;
    throw new OperatorError(
      `the ${type} ${name} cannot be created in ${file}: ${message}`,
      isDuplicate
        ? "Delete the duplicate rows with the `sqlite3` program, or use a backup from before they were added."
        : UNDO,
    );
  }
}

/** Returns a name as an identifier in SQL. */
export const quotedSqliteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Creates an empty database in memory with the migrations that another one has on record. */
function createExpectedSchema(db: Database): Database {
  const applied = new Set(
    db
      .query("SELECT number FROM schema_migrations")
      .values()
      .map(([number]) => number),
  );
  const expected = new Database(":memory:");
  const migrations = SQLITE_MIGRATIONS.filter(({ number }) => applied.has(number));
  applySqliteMigrations(expected, "the schema", migrations, 0);
  return expected;
}

const definitionsOf = (db: Database): Definition[] =>
  db
    .query<Definition, []>(
      "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger', 'view') AND sql IS NOT NULL",
    )
    .all();

const columnsOf = (db: Database): Column[] =>
  db
    .query<Column, []>(
      `SELECT t.name || '.' || c.name AS place, json_array(t.type, t.wr, t.strict, c.type, c."notnull", c.dflt_value, c.pk, c.hidden) AS "is"
       FROM pragma_table_list AS t, pragma_table_xinfo(t.name) AS c
       WHERE t.schema = 'main' AND t.type <> 'view' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY t.name, c.cid`,
    )
    .all();
