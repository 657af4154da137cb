import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Storage } from "../servers/storage.ts";

/*
 * The clock of a run. The executable has no setting for the time, so that the records move instead: a day passes when all
 * that was recorded becomes a day older. The next snapshot is then the first of its day, and retention applies.
 */

const DAY_MS = 86_400_000;

const dayBefore = {
  sqlite: "date(substr(day, 2), '-1 day')",
  postgres: "(substr(day, 2)::date - 1)::text",
};

/**
 * The statements of each transaction: several short ones, so that no server waits for rows. Two steps for tables with days
 * in their key: a moved day may not meet one that has not moved yet.
 */
const aging = (engine: keyof typeof dayBefore) => [
  ...["snapshot_runs", "risk_snapshots"].map((table) => [
    // A purge finds rows by their days: without the lock it would miss those that change meanwhile, and fail.
    ...(engine === "postgres" ? [`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`] : []),
    `UPDATE ${table} SET day = '-' || day`,
    `UPDATE ${table} SET day = ${dayBefore[engine]}`,
  ]),
  [`UPDATE webhook_deliveries SET finished_at = finished_at - ${DAY_MS} WHERE finished_at IS NOT NULL`],
  [`UPDATE idempotency_keys SET created_at = created_at - ${DAY_MS}`],
];

/** The tables that grow with the changes and days of a run, by design: of them only the entries are judged. */
const KEPT = ["audit_log", "risk_snapshots"].map((name) => `'${name}'`).join(", ");

export type Calendar = {
  /** Makes all records a day older. */
  nextDay(): Promise<void>;
  /** Makes the space of deleted rows available, so that the size of the database is in use from the start. */
  reclaim(): Promise<void>;
  /** The size of the database without what is kept by design, in bytes. */
  databaseBytes(): Promise<number>;
  auditEntries(): Promise<number>;
};

export function calendarOf(storage: Storage): Calendar {
  const { database } = storage;
  if (database)
    return {
      async nextDay() {
        for (const statements of aging("postgres"))
          await database.ask(`BEGIN; ${statements.join("; ")}; COMMIT`);
      },
      async reclaim() {
        await database.ask("VACUUM ANALYZE");
      },
      databaseBytes: async () => {
        const kept = `SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relname IN (${KEPT})`;
        const [row] = await database.ask(
          `SELECT (pg_database_size(current_database()) - (${kept}))::float8 AS bytes`,
        );
        return Number(row!.bytes);
      },
      auditEntries: async () => {
        const [row] = await database.ask("SELECT count(*)::float8 AS entries FROM audit_log");
        return Number(row!.entries);
      },
    };
  const file = join(storage.dataDir(0), "mainstay.db");
  const ask = (sql: string) => {
    const db = new Database(file, { readonly: true });
    try {
      return db.query<{ value: number }, []>(sql).get()!.value;
    } finally {
      db.close();
    }
  };
  return {
    async nextDay() {
      const db = new Database(file);
      try {
        db.run("PRAGMA busy_timeout = 10000");
        for (const statements of aging("sqlite"))
          db.transaction(() => {
            for (const sql of statements) db.run(sql);
          }).immediate();
      } finally {
        db.close();
      }
    },
    // SQLite uses free pages again by itself.
    reclaim: async () => {},
    databaseBytes: async () => {
      const ofKept = `SELECT name FROM sqlite_schema WHERE tbl_name IN (${KEPT})`;
      return statSync(file).size - ask(`SELECT sum(pgsize) AS value FROM dbstat WHERE name IN (${ofKept})`);
    },
    auditEntries: async () => ask("SELECT count(*) AS value FROM audit_log"),
  };
}
