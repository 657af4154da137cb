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

export type Calendar = {
  /** Makes all records a day older. */
  nextDay(): Promise<void>;
  /** Makes the space of deleted rows available, so that the size of the database is in use from the start. */
  reclaim(): Promise<void>;
  /** The size of the database, in bytes. */
  databaseBytes(): Promise<number>;
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
        const [row] = await database.ask("SELECT pg_database_size(current_database())::float8 AS bytes");
        return Number(row!.bytes);
      },
    };
  const file = join(storage.dataDir(0), "mainstay.db");
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
    databaseBytes: async () => statSync(file).size,
  };
}
