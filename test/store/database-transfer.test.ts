import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OnRows, transferDatabase } from "../../src/store/database-transfer.ts";
import { openSqliteStoreForTransfer } from "../../src/store/sqlite/sqlite-transfer-endpoint.ts";
import { RELEASED_DATABASES } from "../support/released-database.ts";

const NOW = Date.UTC(2026, 10, 22);
const folder = mkdtempSync(join(tmpdir(), "mainstay-transfer-"));
const source = join(folder, "source.db");
beforeAll(() => {
  const packed = readFileSync(join(RELEASED_DATABASES, "schema-1.db.gz"));
  writeFileSync(source, Bun.gunzipSync(packed));
  openSqliteStoreForTransfer(source, NOW).close();
  // Adds rows to tables that the release did not have.
  const db = new Database(source);
  db.run(`INSERT INTO saved_filters (partner_id, name, query, saved_at)
          SELECT id, 'New York', 'state=NY', ${NOW} FROM partners`);
  db.run(`INSERT INTO work_states (subject_id, partner_id, property_id, appliance_id, state, marked_by, marked_at)
          SELECT id, partner_id, property_id, id, 'ordered', 'J. Ito', ${NOW} FROM appliances`);
  db.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The tables of running servers, and pictures, which are moved separately. */
const LEFT_OUT = ["servers", "leases", "locks", "uploads"];

type SqliteSide = ReturnType<typeof openSqliteStoreForTransfer>;
let files = 0;
async function copy(options: { onRows?: OnRows; from?: string; file?: string } = {}) {
  const target = options.file ?? join(folder, `target-${++files}.db`);
  const sides = [options.from ?? source, target].map((file) => openSqliteStoreForTransfer(file, NOW)) as [
    SqliteSide,
    SqliteSide,
  ];
  try {
    return { target, moved: await transferDatabase(...sides, options.onRows ?? (() => {})) };
  } finally {
    for (const side of sides) side.close();
  }
}

/** Returns every row of every table except the record of migrations, whose times differ. */
function contents(file: string) {
  const db = new Database(file, { readonly: true });
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = tables.map(({ name }) => name).filter((name) => !/^sqlite_|^schema_migrations$/.test(name));
  try {
    return Object.fromEntries(
      names.toSorted().map((name) => [name, db.query(`SELECT * FROM "${name}"`).values().sort()]),
    );
  } finally {
    db.close();
  }
}

test("every row of every table is copied, and nothing else", async () => {
  const { target, moved } = await copy();
  const rows = contents(source);
  expect(contents(target)).toEqual(rows);
  const counts = Object.entries(rows).map(([name, { length }]) => [name, length] as const);
  expect(moved).toEqual(Object.fromEntries(counts.filter(([name]) => !LEFT_OUT.includes(name))));
  for (const table of ["properties", "saved_filters", "work_states"])
    expect(moved[table], table).toBeGreaterThan(0);
});

test("an integer that exceeds 2^53 is rounded, and the copy is complete", async () => {
  const file = join(folder, "large.db");
  copyFileSync(source, file);
  const write = new Database(file);
  write.run(`INSERT INTO condition_trends (partner_id, property_id, day, value_cents)
             SELECT id, '', '2026-01-01', 9007199254740993 FROM partners LIMIT 1`);
  write.close();
  const { target } = await copy({ from: file });
  const copied = new Database(target, { readonly: true });
  const row = copied.query("SELECT value_cents = 9007199254740992 AS isRounded FROM condition_trends").get();
  copied.close();
  expect(row).toEqual({ isRounded: 1 });
});

test("reports the progress of copying and comparing, to the last row", async () => {
  const reported: Parameters<OnRows>[] = [];
  const { moved } = await copy({ onRows: (...step) => reported.push(step) });
  const total = Object.values(moved).reduce((sum, count) => sum + count, 0);
  for (const step of ["copying", "comparing"] as const) {
    const done = reported.filter(([name]) => name === step);
    expect(done.at(-1)).toEqual([step, total, total]);
    expect(done.map(([, count]) => count)).toEqual(done.map(([, count]) => count).toSorted((a, b) => a - b));
  }
});

describe("a copy that differs from the original is rejected", () => {
  const changes = [
    [
      "a row too few",
      "DELETE FROM claims WHERE id = (SELECT min(id) FROM claims)",
      /^.*claims has \d+ in .*, and \d+ in/,
    ],
    [
      "another amount",
      "UPDATE claims SET amount_cents = amount_cents + 1",
      /the sum of claims\.amount_cents is \d+ in/,
    ],
    [
      "another letter",
      "UPDATE properties SET name = 'X' || substr(name, 2)",
      /the rows of properties differ/,
    ],
  ] as const;
  test.each(changes)("with %s", async (_, change, message) => {
    const file = join(folder, `changed-${++files}.db`);
    const meddle: OnRows = (step, done, total) => {
      if (step !== "copying" || done < total) return;
      const db = new Database(file);
      db.run("PRAGMA busy_timeout = 1000");
      db.run(change);
      db.close();
    };
    await expect(copy({ file, onRows: meddle })).rejects.toThrow(message);
  });
});
