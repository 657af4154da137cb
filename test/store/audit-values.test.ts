import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { openSqlite } from "../../src/store/sqlite/open-sqlite.ts";
import { SQLITE_MIGRATIONS } from "../../src/store/sqlite/sqlite-migrations.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { rowsOf, usePostgres } from "../support/postgres.ts";

/* Earlier versions wrote the values of partners into the audit log itself, where a purge could not delete them. */

const folder = mkdtempSync(join(tmpdir(), "mainstay-audit-"));
afterAll(() => rmSync(folder, { recursive: true }));
const postgres = usePostgres();
const options = {
  clock: () => 1_700_000_000_000,
  random: (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
};

const SECRET = "Villa \\u0000 Unutterable";
const line = { type_id: "boiler", note: SECRET };
const files = ["properties", "appliances"].map((kind, nth) => ({ kind, file: SECRET, rows: nth }));
/** The details of earlier versions, and what is kept of them. */
const ENTRIES: [
  action: string,
  detail: (partnerId: string) => object,
  kept: (partnerId: string) => object,
][] = [
  [
    "cost_book.change",
    () => ({ first: 1, changes_in_all: 2, changes: [{ before: null, after: line }] }),
    () => ({ first: 1, changes_in_all: 2 }),
  ],
  ["portfolio.import", () => ({ files }), () => ({ files: files.map(({ kind, rows }) => ({ kind, rows })) })],
  ["portfolio.import", () => ({ files: [] }), () => ({ files: [] })],
  ...(["property.retired", "appliance.retired"] as const).map((action): (typeof ENTRIES)[number] => [
    action,
    (partner_id) => ({ partner_id, retired_at: "2026-01-01", retired_reason: SECRET }),
    (partner_id) => ({ partner_id }),
  ]),
  ["partner.rename", () => ({ name: "Acme" }), () => ({ name: "Acme" })],
];
const PARTNERS = ["PARTNER_present", "PARTNER_purged"];
const statements = [
  `INSERT INTO partners (id, name, enabled, daily_budget, credential_generation, created_at)
   SELECT '${PARTNERS[0]}', 'Acme', 1 = 1, 1, 1, 0`,
  ...PARTNERS.flatMap((partner) =>
    ENTRIES.map(
      ([action, detail], at) =>
        `INSERT INTO audit_log (at, actor, action, subject, partner_id, detail)
         VALUES (${at}, 'ADM_1', '${action}', 'X', '${partner}', '${JSON.stringify(detail(partner))}')`,
    ),
  ),
];

const OPENED: [engine: string, () => Promise<{ store: Store; sql: (text: string) => Promise<unknown[]> }>][] =
  [
    [
      "SQLite",
      async () => {
        const file = join(folder, "mainstay.db");
        const older = SQLITE_MIGRATIONS.filter(({ name }) => name !== "audit_values");
        openSqlite(file, { now: 0, migrations: older }).close();
        const db = new Database(file);
        for (const text of statements) db.run(text);
        const store = openSqliteStore(file, options);
        return { store, sql: async (text) => db.query(text).all() };
      },
    ],
    [
      "PostgreSQL",
      async () => {
        const url = await postgres.newInstallation();
        await (await openPostgresStore(url, options)).close();
        await rowsOf(url, "DELETE FROM schema_migrations WHERE name = 'audit_values'");
        for (const text of statements) await rowsOf(url, text);
        return { store: await openPostgresStore(url, options), sql: (text) => rowsOf(url, text) };
      },
    ],
  ];

// Rule: partner-purge
describe.each(OPENED)("the audit log of an earlier version on %s", (_, open) => {
  test("shows the values of partners that are there, and keeps none of a purged one", async () => {
    const { store, sql } = await open();
    const [present, purged] = PARTNERS as [string, string];
    const slice = { limit: 50, offset: 0 };
    const detailsOf = async (partnerId: string) =>
      (await store.read.audit.page(slice, { partnerId })).map(({ detail }) => detail).toReversed();
    expect(await detailsOf(present)).toEqual(ENTRIES.map(([, detail]) => detail(present)) as never);
    expect(await detailsOf(purged)).toEqual(ENTRIES.map(([, , kept]) => kept(purged)) as never);
    const kept = (await sql("SELECT detail FROM audit_log")) as { detail: string }[];
    expect(kept.filter(({ detail }) => detail.includes("Unutterable"))).toEqual([]);
    await expect(sql("UPDATE audit_log SET actor = 'me'")).rejects.toThrow("append-only");
    await store.close();
  });
});
