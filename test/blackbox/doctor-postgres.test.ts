import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readManual } from "../docs/manual.ts";
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

describe("a role that serves beside the owner of the tables", () => {
  /** Runs the manual's statements that create it, for the database of that address; returns its own address. */
  async function serviceRole(url: string, leaveOut = /(?!)/) {
    const name = `clerk_${new URL(url).pathname.slice(1)}`;
    const [, statements] = /```sql\n(CREATE ROLE mainstay_service .*?)```/s.exec(readManual())!;
    const text = statements!
      .replaceAll("mainstay_service", name)
      .replace("'…'", "'secret-of-the-clerk'")
      .replace("DATABASE mainstay", `DATABASE "${new URL(url).pathname.slice(1)}"`)
      .split("\n")
      .filter((line) => !leaveOut.test(line));
    await rowsOf(url, text.join("\n"));
    const address = new URL(directTo(url));
    Object.assign(address, { username: name, password: "secret-of-the-clerk" });
    return {
      name,
      url: address.href,
      drop: async () => {
        await rowsOf(url, `DROP OWNED BY ${name}`);
        await ask(`DROP ROLE ${name}`);
      },
    };
  }
  /** The role that owns the databases of the tests. */
  const owner = "mainstay";

  // Rule: doctor-roles
  test("passes every check with the manual's grants, and serves", async () => {
    const { server, url } = await served();
    const before = (await server.json("doctor")).checks;
    const role = await serviceRole(url);
    server.configure({ storage: { url: role.url } });
    const { checks } = await server.json("doctor");
    expect(named(checks, "privileges")).toMatchObject({
      status: "ok",
      detail: `the user ${role.name} can read and write every table; ${owner} owns them and migrates`,
    });
    const statuses = (all: Json[]) => all.map(({ name, status }) => `${name}: ${status}`);
    expect(statuses(checks)).toEqual(statuses(before));
    await server.start();
    await server.stop();
    await role.drop();
  });

  // Rule: doctor-roles
  test("is told that the owner migrates", async () => {
    const { server, url } = await served();
    const role = await serviceRole(url);
    await rowsOf(
      url,
      "DELETE FROM schema_migrations WHERE number = (SELECT max(number) FROM schema_migrations)",
    );
    server.configure({ storage: { url: role.url } });
    expect(named((await server.json("doctor")).checks, "schema")).toMatchObject({
      status: "warn",
      remedy: expect.stringContaining(`Run \`mainstay migrate\` as ${owner}`),
    });
    await role.drop();
  });

  // Rule: doctor-roles
  test("is warned of an upgrade whose tables it could not read, and fails without a grant", async () => {
    const { server, url } = await served();
    const role = await serviceRole(url, /^ALTER DEFAULT PRIVILEGES/);
    server.configure({ storage: { url: role.url } });
    expect(named((await server.json("doctor")).checks, "privileges")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("but not those that the next upgrade creates"),
      remedy: expect.stringContaining(`As ${owner}, which owns the tables, set the default privileges`),
    });
    await rowsOf(url, `REVOKE INSERT ON properties FROM ${role.name}`);
    const refused = await server.run("doctor", "--json");
    expect(refused.code).toBe(1);
    expect(named(JSON.parse(refused.stdout).checks, "privileges").detail).toContain("properties");
    await role.drop();
  });
});

test("warns of a user whose connections may not suffice", async () => {
  const { server, url } = await served();
  const name = `few_${new URL(url).pathname.slice(1)}`;
  await rowsOf(
    url,
    `CREATE ROLE ${name} LOGIN PASSWORD 'secret-of-the-clerk' CONNECTION LIMIT 10;
     GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name}`,
  );
  const address = new URL(directTo(url));
  Object.assign(address, { username: name, password: "secret-of-the-clerk" });
  server.configure({ storage: { url: address.href } });
  const { stdout } = await server.run("doctor", "--json");
  expect(named(JSON.parse(stdout).checks, "connections")).toMatchObject({ status: "warn" });
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

test("warns of a dropped index", async () => {
  const { server, url } = await served();
  await rowsOf(url, "DROP INDEX service_events_poor");
  const { checks } = await server.json("doctor");
  expect(named(checks, "schema")).toMatchObject({
    status: "warn",
    detail: "indexes are missing or not valid: service_events_poor",
  });
});

test("fails for a sequence that was not copied with its rows, and says how to set it", async () => {
  const { server, url } = await served();
  await rowsOf(url, "ALTER SEQUENCE audit_log_seq_seq RESTART");
  const { code, stdout } = await server.run("doctor", "--json");
  expect(code).toBe(1);
  const { status, detail, remedy } = named(JSON.parse(stdout).checks, "schema");
  expect({ status, detail }).toEqual({
    status: "fail",
    detail: "the sequence of audit_log is behind its entries: corrections and changes by operators fail",
  });
  const [{ next } = {}] = await rowsOf(url, "SELECT max(seq) + 1 AS next FROM audit_log");
  await rowsOf(url, `ALTER TABLE audit_log ALTER COLUMN seq RESTART WITH ${next}`);
  expect(named((await server.json("doctor")).checks, "schema")).toMatchObject({ status: "ok" });
  await rowsOf(url, "ALTER SEQUENCE audit_log_seq_seq RESTART");
  await rowsOf(url, /SELECT setval.* FROM audit_log/.exec(remedy)![0]);
  expect(named((await server.json("doctor")).checks, "schema")).toMatchObject({ status: "ok" });
  await server.json("partner", "create", "Acme");
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
