import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { LatestCalibration } from "../../src/store/queries/models-queries.ts";
import { openSqlite } from "../../src/store/sqlite/open-sqlite.ts";
import { SQLITE_MIGRATIONS } from "../../src/store/sqlite/sqlite-migrations.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { rowsOf, usePostgres } from "../support/postgres.ts";
import { RELEASED_DATABASES } from "../support/released-database.ts";

/*
 * The state of the latest calibration was once put together from the audit log. The migration that gives it a row finds
 * the same state there.
 */

const folder = mkdtempSync(join(tmpdir(), "mainstay-calibration-"));
afterAll(() => rmSync(folder, { recursive: true }));
const postgres = usePostgres();
const options = {
  clock: () => 1_700_000_000_000,
  random: (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
};

type Entry = [at: number, action: string, detail: Record<string, unknown>];
const begin = (at: number, by: string): Entry => [at, "fit.begin", { by }];
const finish = (at: number, by: string, proposal: string | null, version: string): Entry => [
  at,
  "fit.finish",
  { by, proposal_id: proposal, model_version: version },
];
const fail = (at: number, by: string, error: string): Entry => [at, "fit.fail", { by, error }];
const apply = (at: number, version: string): Entry => [at, "fit.apply", { model_version: version }];

const NOTHING: LatestCalibration = {
  status: "applied",
  requestedBy: null,
  actor: null,
  startedAt: null,
  finishedAt: null,
  error: null,
  proposalId: null,
  modelVersion: null,
  activatedVersion: null,
};
const requested = (by: string, startedAt: number) => ({
  ...NOTHING,
  requestedBy: by,
  actor: "ADM_1",
  startedAt,
});
const STATES: [state: string, entries: Entry[], expected: LatestCalibration | undefined][] = [
  ["nothing was requested", [], undefined],
  ["it runs", [begin(1, "a")], { ...requested("a", 1), status: "running" }],
  [
    "it has stored a proposal",
    [begin(1, "a"), finish(2, "a", "1-2", "3+local.1")],
    { ...requested("a", 1), status: "ready", finishedAt: 2, proposalId: "1-2", modelVersion: "3+local.1" },
  ],
  [
    "it was activated at once",
    [begin(1, "a"), finish(2, "a", null, "3+local.1")],
    { ...requested("a", 1), finishedAt: 2, modelVersion: "3+local.1", activatedVersion: "3+local.1" },
  ],
  [
    "its proposal was activated",
    [begin(1, "a"), finish(2, "a", "1-2", "3+local.1"), apply(3, "3+local.1")],
    {
      ...requested("a", 1),
      finishedAt: 2,
      proposalId: "1-2",
      modelVersion: "3+local.1",
      activatedVersion: "3+local.1",
    },
  ],
  [
    "it failed after another had stored a proposal",
    [begin(1, "a"), finish(2, "a", "1-2", "3+local.1"), begin(3, "b"), fail(4, "b", "no outcomes")],
    { ...requested("b", 3), status: "failed", finishedAt: 4, error: "no outcomes" },
  ],
  [
    "it failed, and the proposal before it was activated",
    [
      begin(1, "a"),
      finish(2, "a", "1-2", "3+local.1"),
      begin(3, "b"),
      fail(4, "b", "no"),
      apply(5, "3+local.1"),
    ],
    { ...requested("b", 3), finishedAt: 4, error: "no", activatedVersion: "3+local.1" },
  ],
  [
    "a proposal was activated that is older than the audit of calibrations",
    [apply(1, "3+local.1")],
    { ...NOTHING, activatedVersion: "3+local.1" },
  ],
];

const inserted = (entries: readonly Entry[]) =>
  entries.map(
    ([at, action, detail]) =>
      `INSERT INTO audit_log (at, actor, action, subject, detail)
       VALUES (${at}, 'ADM_1', '${action}', 'fit', '${JSON.stringify(detail)}')`,
  );

/** Opens a database of the previous release with these entries in this version. */
const OPENED: [engine: string, (entries: readonly Entry[]) => Promise<Store>][] = [
  [
    "SQLite",
    async (entries) => {
      const file = join(mkdtempSync(join(folder, "db-")), "mainstay.db");
      await Bun.write(file, Bun.gunzipSync(readFileSync(join(RELEASED_DATABASES, "schema-1.db.gz"))));
      const older = SQLITE_MIGRATIONS.filter(({ name }) => name !== "latest_calibration");
      openSqlite(file, { now: 0, migrations: older }).close();
      const db = new Database(file);
      for (const sql of inserted(entries)) db.run(sql);
      db.close();
      return openSqliteStore(file, options);
    },
  ],
  [
    "PostgreSQL",
    async (entries) => {
      const url = await postgres.newInstallation();
      await (await openPostgresStore(url, options)).close();
      await rowsOf(
        url,
        "DROP TABLE latest_calibration; DELETE FROM schema_migrations WHERE name = 'latest_calibration'",
      );
      for (const sql of inserted(entries)) await rowsOf(url, sql);
      return await openPostgresStore(url, options);
    },
  ],
];

describe.each(OPENED)("a database on %s from before the latest calibration had a record", (_, open) => {
  test.each(STATES)("keeps its state where %s", async (_, entries, expected) => {
    const store = await open(entries);
    expect(store.applied.map(({ name }) => name)).toContain("latest_calibration");
    expect(await store.read.models.latestCalibration()).toEqual(expected as LatestCalibration);
    await store.close();
  });
});
