import { afterAll, expect, spyOn, test } from "bun:test";
import pg from "pg";
import type { Statement } from "../../../src/store/postgres/postgres-statement.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { postgresSchemaTablesAndColumns } from "../../../src/store/postgres/postgres-tables.ts";
import type { Store } from "../../../src/store/store.ts";
import { usePostgres } from "../../support/postgres.ts";
import { storeConformance } from "./suite.ts";
import { random } from "./test-store.ts";

const query = spyOn(pg.Client.prototype, "query");
const opened = new Set<Store>();
// Closes the stores before their server stops.
afterAll(async () => {
  await Promise.all([...opened].map((store) => store.close()));
  query.mockRestore();
});
const { newInstallation } = usePostgres();

storeConformance("PostgreSQL", async () => {
  const url = await newInstallation();
  return {
    async open(options = {}) {
      const store = await openPostgresStore(url, { clock: Date.now, random, ...options });
      const close = async () => {
        opened.delete(closing);
        await store.close();
      };
      const closing = { ...store, close };
      opened.add(closing);
      return closing;
    },
  };
});

test("every query on PostgreSQL names the tables that it reads or changes", () => {
  const known = new Set(postgresSchemaTablesAndColumns().map(({ table }) => table));
  const sent = query.mock.calls.map(([statement]) => statement as unknown as Statement);
  const naming = new Map(sent.flatMap(({ text, tables }) => (tables ? [[text, tables]] : [])));
  expect(naming.size).toBeGreaterThan(100);
  for (const [text, tables] of naming) {
    const inText = [...text.matchAll(/\b(?:from|join|into|update) "?([a-z_]+)"?/gi)].map(([, name]) => name!);
    for (const name of inText.filter((name) => known.has(name))) expect([...tables], text).toContain(name);
  }
});
