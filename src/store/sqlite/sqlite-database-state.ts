import type { Database } from "bun:sqlite";
import { calibratedModelVersion } from "../../domain/calibration/model-version.ts";

/** The state of the rows, for `mainstay doctor`. Instants are epoch milliseconds. */
export type DatabaseState = {
  /** The latest instant of any record. */
  lastInstant: number;
  /** The newest finished snapshot. */
  snapshot: { day: string; finishedAt: number } | undefined;
  /** The day of the newest snapshot, finished or not; null before the first. */
  newestSnapshotDay: string | null;
  /** The number of pending deliveries, and the creation of the oldest. */
  outbox: { waiting: number; oldestAt: number | null };
  /** The webhook endpoints of enabled partners. */
  endpoints: {
    partnerId: string;
    partner: string;
    url: string;
    pausedAt: number | null;
    /** The first failure since the last success; null if the last delivery succeeded. */
    failingSince: number | null;
    lastError: string | null;
  }[];
};

/** The model in use. Versions are `3` or `3+local.3`. */
export type ModelState = {
  /** The version that the newest finished snapshot scored with; undefined before the first. */
  scoredBy: string | undefined;
  /** The active calibration, and the model that it corrects; undefined without firstRow. */
  fit: { version: string; base: string } | undefined;
};

/** Reads the model from a database of any schema version. The first schema has no versions, and belongs to model 1. */
export function readSqliteModelInUse(db: Database): ModelState {
  const has = (column: string, table: string) =>
    db.query("SELECT 1 FROM pragma_table_info(?) WHERE name = ?").get(table, column) !== null;
  const version = has("model_version", "snapshot_runs") ? "model_version" : "'1'";
  const run = db
    .query<{ version: string }, []>(
      `SELECT ${version} AS version FROM snapshot_runs WHERE finished_at IS NOT NULL ORDER BY day DESC LIMIT 1`,
    )
    .get();
  const fit = has("number", "model_in_use")
    ? db
        .query<{ base: string; number: number }, []>(
          "SELECT v.base, v.number FROM model_in_use u JOIN model_versions v ON v.number = u.number",
        )
        .get()
    : null;
  return {
    scoredBy: run?.version,
    fit: fit ? { base: fit.base, version: calibratedModelVersion(fit.base, fit.number) } : undefined,
  };
}

/** The queries of the state, for both engines. */
export const DATABASE_STATE = {
  clock: "SELECT last_instant AS at FROM clock",
  snapshot:
    'SELECT day, finished_at AS "finishedAt" FROM snapshot_runs WHERE finished_at IS NOT NULL ORDER BY day DESC LIMIT 1',
  newestSnapshot: "SELECT max(day) AS day FROM snapshot_runs",
  outbox:
    "SELECT count(*) AS waiting, min(created_at) AS \"oldestAt\" FROM webhook_deliveries WHERE status = 'pending'",
  endpoints: `SELECT p.id AS "partnerId", p.name AS partner, r.url, r.paused_at AS "pausedAt",
      r.failing_since AS "failingSince", r.last_error AS "lastError"
    FROM webhook_receivers r JOIN partners p ON p.id = r.partner_id
    WHERE r.url IS NOT NULL AND p.enabled ORDER BY p.id`,
};

/** Reads the state that the metrics and `doctor` report. */
export function readSqliteDatabaseState(db: Database): DatabaseState {
  const firstRow = <Row>(sql: string) => db.query<Row, []>(sql).get() ?? undefined;
  return {
    lastInstant: firstRow<{ at: number }>(DATABASE_STATE.clock)?.at ?? 0,
    snapshot: firstRow(DATABASE_STATE.snapshot),
    newestSnapshotDay: firstRow<{ day: string | null }>(DATABASE_STATE.newestSnapshot)!.day,
    outbox: firstRow(DATABASE_STATE.outbox)!,
    endpoints: db.query<DatabaseState["endpoints"][number], []>(DATABASE_STATE.endpoints).all(),
  };
}
