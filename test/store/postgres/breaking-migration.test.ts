import { expect, test } from "bun:test";
import { MIGRATIONS, type Migration } from "../../../src/store/postgres/migrations.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { usePostgres } from "../../support/postgres.ts";

const postgres = usePostgres();
const world = {
  clock: Date.now,
  random: (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
};
const SERVER = { id: "a", address: "http://10.0.0.1:8080", version: "0.1.0", schemaVersion: 1, model: "2" };

test("a migration that older servers can't live with waits until none of them is alive; others do not", async () => {
  const url = await postgres.newDatabase();
  const older = await openPostgresStore(url, world);
  await older.write((tx) => tx.servers.beat({ ...SERVER, clockOffMs: 0 }));

  const number = MIGRATIONS.length + 1;
  const additive: Migration = { number, name: "more", sql: "CREATE TABLE more (id BIGINT PRIMARY KEY)" };
  const breaking: Migration = {
    ...{ number: number + 1, name: "less", sql: "DROP TABLE more" },
    breaksOlder: true,
  };
  const open = (migrations: readonly Migration[]) => openPostgresStore(url, { ...world, migrations });
  await (await open([...MIGRATIONS, additive])).close();
  await expect(open([...MIGRATIONS, additive, breaking])).rejects.toThrow(
    /can't live with migration \d+ \(less\): http:\/\/10\.0\.0\.1:8080 \(0\.1\.0\)/,
  );
  await older.write((tx) => tx.servers.leave(SERVER.id));
  const newer = await open([...MIGRATIONS, additive, breaking]);
  expect(newer.applied.map(({ name }) => name)).toEqual(["less"]);
  await Promise.all([older.close(), newer.close()]);
}, 60_000);
