import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { directTo, rowsOf, usePostgres } from "../support/postgres.ts";

const { install } = useMainstay({ inFolder: true });
const { newDatabase, ask } = usePostgres();

async function served() {
  const url = await newDatabase();
  const server = install({ storage: { url } });
  await server.createPartner();
  return { server, url };
}
const named = (checks: Json[], name: string) => checks.find((check) => check.name === name);

test("all checks of a valid database pass", async () => {
  const { server } = await served();
  const { failed, checks } = await server.json("doctor");
  expect(failed).toBe(0);
  expect(named(checks, "database").detail).toMatch(/PostgreSQL \d+.*, UTF8, /);
  expect(named(checks, "schema")).toMatchObject({ status: "ok" });
  expect(named(checks, "encryption").detail).toContain("local to this machine");
  expect(named(checks, "privileges")).toMatchObject({ status: "ok" });
  expect(named(checks, "time_zone").detail).toStartWith("UTC; ");
  expect(named(checks, "database_clock").detail).toMatch(/agree to \d+ ms/);
  expect(named(checks, "connections").detail).toMatch(/\d+ of \d+ connections in use/);
  // The tests' PostgreSQL runs with fsync off.
  expect(named(checks, "durability")).toMatchObject({
    status: "warn",
    detail: expect.stringContaining("fsync and full_page_writes are off"),
  });
  expect(named(checks, "replication").detail).toBe("no standby is connected");
  expect(named(checks, "key").detail).toContain("the key decrypts stored secrets");
  expect(named(checks, "wal")).toBeUndefined();
});

test("reports a server with another key", async () => {
  const { url } = await served();
  const { stdout } = await install({ storage: { url } }).run("doctor", "--json");
  expect(named(JSON.parse(stdout).checks, "key")).toMatchObject({
    status: "fail",
    detail: expect.stringContaining("key file not found"),
  });
});

test("warns about a user that cannot create tables, and fails for one that cannot write", async () => {
  const { server, url } = await served();
  const name = `clerk_${new URL(url).pathname.slice(1)}`;
  await rowsOf(
    url,
    `CREATE ROLE ${name} LOGIN PASSWORD 'secret-of-the-clerk' CONNECTION LIMIT 10;
     REVOKE CREATE ON SCHEMA public FROM PUBLIC;
     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${name};
     GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${name}`,
  );
  const address = new URL(directTo(url));
  Object.assign(address, { username: name, password: "secret-of-the-clerk" });
  server.configure({ storage: { url: address.href } });
  const { checks } = await server.json("doctor");
  expect(named(checks, "privileges")).toMatchObject({
    status: "warn",
    detail: "the user can read and write every table but cannot create tables",
  });
  expect(named(checks, "connections")).toMatchObject({ status: "warn" });
  await server.start();
  await server.stop();
  await rowsOf(url, `REVOKE INSERT ON properties FROM ${name}`);
  const refused = await server.run("doctor", "--json");
  expect(refused.code).toBe(1);
  expect(named(JSON.parse(refused.stdout).checks, "privileges").detail).toContain("properties");
  await rowsOf(url, `DROP OWNED BY ${name}`);
  await ask(`DROP ROLE ${name}`);
});

test("fails for an incomplete schema, which would stop every server", async () => {
  const { server, url } = await served();
  await rowsOf(url, "DROP TABLE claims CASCADE");
  const { code, stdout } = await server.run("doctor", "--json");
  expect(code).toBe(1);
  expect(named(JSON.parse(stdout).checks, "schema")).toMatchObject({
    status: "fail",
    detail: "the schema is incomplete: claims is missing",
    remedy: expect.stringContaining("Restore the whole"),
  });
});

test("compares the relevant connections with the lowest limit", async () => {
  const { server, url } = await served();
  const name = `limited_${new URL(url).pathname.slice(1)}`;
  await rowsOf(
    url,
    `CREATE ROLE ${name} LOGIN PASSWORD 'secret-of-the-clerk' CONNECTION LIMIT 25;
     GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name}`,
  );
  const address = new URL(directTo(url));
  Object.assign(address, { username: name, password: "secret-of-the-clerk" });
  server.configure({ storage: { url: address.href } });
  const { stdout } = await server.run("doctor", "--json");
  expect(named(JSON.parse(stdout).checks, "connections")).toMatchObject({
    status: "ok",
    detail: expect.stringContaining("1 of 25 connections in use"),
  });
  await rowsOf(url, `DROP OWNED BY ${name}`);
  await ask(`DROP ROLE ${name}`);
});

test("fails for an unreachable database with a remedy, and runs the other checks", async () => {
  const server = install({ storage: { url: "postgres://mainstay:wrong@127.0.0.1:1/mainstay" } });
  const { code, stdout } = await server.run("doctor", "--json");
  expect(code).toBe(1);
  const { checks } = JSON.parse(stdout);
  expect(named(checks, "database")).toMatchObject({
    status: "fail",
    detail: expect.stringContaining("does not answer at 127.0.0.1:1"),
    remedy: expect.stringContaining("Check that it runs"),
  });
  expect(named(checks, "configuration")).toMatchObject({ status: "ok" });
});

test("backup points to PostgreSQL's own tools", async () => {
  const { server } = await served();
  const { code, stderr } = await server.run("backup", join(server.folder, "b.backup"));
  expect([code, stderr]).toEqual([1, expect.stringMatching(/pg_dump.*pg_basebackup/s)]);
});
