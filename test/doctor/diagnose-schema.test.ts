import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { diagnoseSchema } from "../../src/doctor/diagnose-database.ts";
import { applySqliteMigrations } from "../../src/store/sqlite/migrate-sqlite.ts";
import { SQLITE_MIGRATIONS } from "../../src/store/sqlite/sqlite-migrations.ts";

// Rule: doctor
test("doctor names definitions that another program has changed, and refuses a changed table", () => {
  const db = new Database(":memory:");
  applySqliteMigrations(db, "mine.db", SQLITE_MIGRATIONS, 0);
  expect(diagnoseSchema(db, "mine.db").status).toBe("ok");
  db.run("CREATE VIEW spy AS SELECT * FROM partners");
  db.run("DROP INDEX appliances_list");
  db.run("DROP INDEX service_events_poor");
  db.run("CREATE INDEX service_events_poor ON service_events (appliance_id)");
  const altered = diagnoseSchema(db, "mine.db");
  expect(altered).toMatchObject({ status: "warn", remedy: expect.stringContaining("back up, and restore") });
  for (const part of [
    "the index appliances_list is missing or altered",
    "the index service_events_poor is missing or altered",
    "the view spy was added",
  ])
    expect(altered.detail).toContain(part);
  db.run("DROP VIEW spy");
  db.run("ALTER TABLE partners RENAME COLUMN name TO title");
  expect(() => diagnoseSchema(db, "mine.db")).toThrow("partners.name");
});
