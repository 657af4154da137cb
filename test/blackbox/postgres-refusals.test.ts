import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { FIXTURE_TLS } from "../support/certificates.ts";
import { useMainstay } from "../support/mainstay.ts";
import { rowsOf, usePostgres, withDefaultTimeout } from "../support/postgres.ts";
import { PostgresServer } from "../support/postgres-server.ts";

const { install } = useMainstay({ inFolder: true });
const { newDatabase, ask } = usePostgres();

/** The time that an unavailable database gets to return: longer than any other error takes on a busy machine. */
const CONNECT_TIMEOUT_S = 60;
/** For a database that is unavailable, which an error reports only after that time. */
const SHORT_TIMEOUT_S = 2;

/** Returns the error of a server and a command, which both reject the address within the time to return. */
async function refusal(
  address: string,
  timeoutS = CONNECT_TIMEOUT_S,
): Promise<{ error: string; hint: string }> {
  const url = new URL(address);
  url.searchParams.set("connect_timeout", String(timeoutS));
  const installation = install({ storage: { url: url.href } });
  const startedAt = performance.now();
  const { code, stdout, stderr } = await installation.run("serve", "--port", "0");
  expect(performance.now() - startedAt).toBeLessThan(CONNECT_TIMEOUT_S * 1000);
  expect(code).toBe(1);
  const command = await installation.run("partner", "list", "--json");
  const reported = JSON.parse(command.stderr) as { error: string; hint: string };
  expect(command.code).toBe(1);
  // Both report the sentence, and never the password.
  expect(stdout + stderr).toContain(reported.error);
  expect(stdout + stderr + command.stderr).not.toContain("pass-word-of-ours");
  expect(reported.hint).toMatch(/\w{3}/);
  return reported;
}

const withPart = (url: string, parts: Partial<URL>) => Object.assign(new URL(url), parts).href;

// The server's own tables end as one does whose process PostgreSQL has ended, each time that they are read.
test("a database that is lost while a server starts, or a command runs, is reported as unavailable", async () => {
  // Uses the default timeout of a server.
  const url = withDefaultTimeout(await newDatabase());
  const installation = install({ storage: { url } });
  await installation.createPartner();
  for (const [table, id] of [
    ["clock", "id"],
    ["partners", "id"],
  ])
    await rowsOf(
      url,
      `ALTER TABLE ${table} RENAME TO gone_${table};
       CREATE OR REPLACE FUNCTION goes() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
       BEGIN RAISE EXCEPTION 'terminating connection' USING ERRCODE = '57P01'; END $$;
       CREATE VIEW ${table} AS SELECT * FROM gone_${table} WHERE ${id} IS NULL OR goes()`,
    );
  for (const command of [
    ["serve", "--port", "0"],
    ["partner", "list"],
  ]) {
    const { code, stdout, stderr } = await installation.run(...command);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("PostgreSQL does not answer");
    expect(stdout + stderr).not.toMatch(/bug in Mainstay|Failed query/);
  }
});

describe("an empty database", () => {
  const tablesOf = (url: string) =>
    rowsOf(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'");

  // Rule: installation-creation
  test("is rejected by every command that creates none, with a remedy and without changes", async () => {
    const url = await newDatabase();
    const installation = install({ storage: { url } });
    for (const command of [
      ["partner", "list"],
      ["partner", "create", "Acme"],
      ["snapshot"],
      ["servers"],
      ["move", "--to", join(installation.folder, "made")],
    ]) {
      const { code, stdout, stderr } = await installation.run(...command);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("no installation found in postgres://");
      expect(stderr).toMatch(/storage\.url/);
    }
    expect((await installation.run("partner", "list")).stderr).toContain("mainstay migrate");
    const doctor = await installation.run("doctor");
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining("the database is empty")]);
    expect(await tablesOf(url)).toEqual([]);
    expect(existsSync(installation.dataDir)).toBe(false);
  });

  test("gets its schema from migrate, which needs no key, and then accepts the first server's key", async () => {
    const url = await newDatabase();
    const installation = install({ storage: { url } });
    expect((await installation.json("migrate")).applied).toContain("initial");
    expect((await installation.json("migrate")).applied).toEqual([]);
    expect(existsSync(installation.dataDir)).toBe(false);
    expect(await rowsOf(url, "SELECT * FROM installation")).toEqual([]);
    await installation.json("partner", "create", "Acme");
    expect(existsSync(join(installation.dataDir, "mainstay.key"))).toBe(true);
  });

  test("gets its schema from init where the environment names it, and from a server", async () => {
    const [byInit, byServer] = [await newDatabase(), await newDatabase()];
    const made = install({ storage: { url: byInit } });
    await made.init();
    expect((await made.json("partner", "list")).partners).toEqual([]);
    const served = install({ storage: { url: byServer } });
    await served.start();
    expect((await served.json("partner", "list")).partners).toEqual([]);
  });
});

describe("an address that cannot be right is rejected within seconds, with a remedy", () => {
  test("the wrong password", async () => {
    const { error, hint } = await refusal(withPart(await newDatabase(), { password: "pass-word-of-ours" }));
    expect(error).toContain("PostgreSQL rejects the user mainstay");
    expect(hint).toContain("pg_hba.conf");
  });

  test("an unknown host", async () => {
    const { error } = await refusal(
      "postgres://mainstay:pass-word-of-ours@no-such-host.invalid/mainstay",
      SHORT_TIMEOUT_S,
    );
    expect(error).toContain("the host name no-such-host.invalid cannot be resolved");
  });

  test("a host without a listener", async () => {
    const { error } = await refusal(
      "postgres://mainstay:pass-word-of-ours@127.0.0.1:1/mainstay",
      SHORT_TIMEOUT_S,
    );
    expect(error).toContain("does not answer at 127.0.0.1:1");
  });

  test("a missing database", async () => {
    const { error, hint } = await refusal(withPart(await newDatabase(), { pathname: "/absent" }));
    expect(error).toContain('the database "absent" does not exist');
    expect(hint).toContain("CREATE DATABASE absent");
  });

  test("another program's database, which stays unchanged", async () => {
    const url = await newDatabase();
    await rowsOf(url, "CREATE TABLE invoices (id int); INSERT INTO invoices VALUES (1)");
    const { error, hint } = await refusal(url);
    expect(error).toContain("belongs to another program: it has tables (invoices)");
    expect(hint).toContain("empty database");
    const tables = await rowsOf(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    expect(tables).toEqual([{ tablename: "invoices" }]);
  });

  test("a read-only database", async () => {
    const url = await newDatabase();
    const name = new URL(url).pathname.slice(1);
    await ask(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    expect((await refusal(url)).error).toMatch(/takes no writes|read-only/);
  });

  test("a database of another encoding", async () => {
    const { error, hint } = await refusal(
      await newDatabase("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"),
    );
    expect(error).toContain("has the encoding LATIN1");
    expect(hint).toContain("ENCODING 'UTF8'");
  });

  test("a database that was restored in part", async () => {
    const url = await newDatabase();
    await install({ storage: { url } }).createPartner();
    await rowsOf(url, "DROP TABLE claims CASCADE");
    const { error, hint } = await refusal(url);
    expect(error).toContain("has only a part of Mainstay's schema: claims");
    expect(hint).toContain("Restore it completely");
  });

  test("a database whose servers have another key", async () => {
    const url = await newDatabase();
    const first = install({ storage: { url } });
    await first.createPartner();
    await first.start();
    await first.stop();
    const second = install({ storage: { url } });
    const other = install();
    await other.init();
    mkdirSync(second.dataDir, { recursive: true, mode: 0o700 });
    copyFileSync(join(other.dataDir, "mainstay.key"), join(second.dataDir, "mainstay.key"));
    const { code, stdout, stderr } = await second.run("serve", "--port", "0");
    expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(/key/)]);
  });

  test("a database of a newer version", async () => {
    const url = await newDatabase();
    await install({ storage: { url } }).createPartner();
    await rowsOf(url, "INSERT INTO schema_migrations VALUES (9999, 'from the future', 'x', 0)");
    expect((await refusal(url)).error).toContain("was written by a newer version of Mainstay");
  });
});

describe("a certificate is verified by authority and name", () => {
  let encrypting: PostgresServer;
  beforeAll(async () => {
    encrypting = await PostgresServer.start({ tls: { cert: FIXTURE_TLS.cert, key: FIXTURE_TLS.key } });
  });
  afterAll(() => encrypting.end());
  const address = (host: string, parameters: string) =>
    `${withPart(encrypting.url(), { hostname: host })}?${parameters}`;

  test("and accepted where both are right", async () => {
    const url = address("127.0.0.1", `sslmode=verify-full&sslrootcert=${FIXTURE_TLS.authority}`);
    const installation = install({ storage: { url } });
    await installation.createPartner();
    const { checks } = await installation.json("doctor");
    const encryption = checks.find(({ name }: { name: string }) => name === "encryption");
    expect(encryption.detail).toBe("the connection is encrypted");
  });

  test("and rejected with a wrong name, or an unknown authority", async () => {
    const name = await refusal(
      address("localhost", `sslmode=verify-full&sslrootcert=${FIXTURE_TLS.authority}`),
    );
    expect(name.error).toContain("the server's certificate is not for the name localhost");
    const authority = await refusal(address("127.0.0.1", "sslmode=verify-full"));
    expect(authority.error).toContain("the server's certificate is not trusted");
    expect(authority.hint).toContain("sslrootcert");
  });
});
