import { expect, test } from "bun:test";
import {
  POSTGRES_MIGRATIONS,
  type PostgresMigration,
} from "../../../src/store/postgres/postgres-migrations.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { rowsOf, tableLockAwaited, usePostgres } from "../../support/postgres.ts";

const postgres = usePostgres();
const deps = {
  clock: Date.now,
  random: (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
};
const SERVER = { id: "a", address: "http://10.0.0.1:8080", version: "0.1.0", schemaVersion: 1, model: "2" };

const number = POSTGRES_MIGRATIONS.length + 1;
const additive: PostgresMigration = {
  number,
  name: "more",
  sql: "CREATE TABLE more (id BIGINT PRIMARY KEY)",
};
const breaking: PostgresMigration = {
  number: number + 1,
  name: "less",
  sql: "DROP TABLE more",
  breaksOlder: true,
};

test("a migration that is incompatible with older servers is applied only while none is running; others always", async () => {
  const url = await postgres.newDatabase();
  const older = await openPostgresStore(url, deps);
  await older.write((tx) => tx.servers.join({ ...SERVER, clockOffMs: 0 }));

  const open = (migrations: readonly PostgresMigration[]) => openPostgresStore(url, { ...deps, migrations });
  await (await open([...POSTGRES_MIGRATIONS, additive])).close();
  await expect(open([...POSTGRES_MIGRATIONS, additive, breaking])).rejects.toThrow(
    /are incompatible with migration \d+ \(less\): http:\/\/10\.0\.0\.1:8080 \(0\.1\.0\)/,
  );
  await older.write((tx) => tx.servers.leave(SERVER.id));
  const newer = await open([...POSTGRES_MIGRATIONS, additive, breaking]);
  expect(newer.applied.map(({ name }) => name)).toEqual(["less"]);
  await Promise.all([older.close(), newer.close()]);
});

test("a server that registers at that moment is waited for, and the row of a suspended one is deleted", async () => {
  const url = await postgres.newDatabase();
  const older = await openPostgresStore(url, deps);
  const server = { ...SERVER, clockOffMs: 0 };
  const open = () =>
    openPostgresStore(url, { ...deps, migrations: [...POSTGRES_MIGRATIONS, additive, breaking] });
  let refused: Promise<unknown> | undefined;
  await older.write(async (tx) => {
    await tx.servers.join(server);
    refused ??= open().then(
      () => "it was applied",
      (error: Error) => error.message,
    );
    await tableLockAwaited(url, "servers");
  });
  expect(await refused).toContain("in use by servers that are incompatible with migration");

  await rowsOf(url, "UPDATE servers SET seen_at = seen_at - 60000");
  const newer = await open();
  expect(newer.applied.map(({ name }) => name)).toEqual(["more", "less"]);
  expect(await older.write((tx) => tx.servers.touch(server))).toBeUndefined();
  expect(await older.read.installation.stepAfter(number)).toEqual({ number: number + 1, name: "less" });
  await Promise.all([older.close(), newer.close()]);
});

test("such a migration waits for commands that hold a lock, and a suspended command loses its lock", async () => {
  const url = await postgres.newDatabase();
  const older = await openPostgresStore(url, deps);
  const lock = { name: "import:PARTNER_1", id: "lock", owner: "cli:ana on host-1", acquiredAt: Date.now() };
  expect(await older.write((tx) => tx.locks.acquire(lock, 15_000))).toBe(true);
  const open = (migrations: readonly PostgresMigration[]) => openPostgresStore(url, { ...deps, migrations });
  await (await open([...POSTGRES_MIGRATIONS, additive])).close();
  await expect(open([...POSTGRES_MIGRATIONS, additive, breaking])).rejects.toThrow(
    /by commands that are incompatible with migration \d+ \(less\): cli:ana on host-1 \(import:PARTNER_1\)/,
  );

  await rowsOf(url, "UPDATE locks SET expires_at = expires_at - 60000");
  const newer = await open([...POSTGRES_MIGRATIONS, additive, breaking]);
  expect(newer.applied.map(({ name }) => name)).toEqual(["less"]);
  expect(await older.write((tx) => tx.locks.renew(lock.id, 15_000))).toBe(false);
  await Promise.all([older.close(), newer.close()]);
});
