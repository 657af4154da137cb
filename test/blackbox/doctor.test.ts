import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";
import { onPostgres, testOnSqlite } from "../support/postgres.ts";
import { startReceiver } from "../support/receiver.ts";

const { serve, install } = useMainstay();
const TLS = join(import.meta.dir, "../fixtures/tls");

/** Returns the doctor's checks by name, and verifies its exit code. */
async function diagnose(one: Installation, ...options: string[]): Promise<Record<string, Json>> {
  const { code, stdout } = await one.run("doctor", "--json", ...options);
  const { ok, failed, warned, checks } = JSON.parse(stdout);
  const count = (status: string) => checks.filter((check: Json) => check.status === status).length;
  expect({ ok, failed, warned, code }).toEqual({
    ok: failed === 0,
    failed: count("fail"),
    warned: count("warn"),
    code: failed === 0 ? 0 : 1,
  });
  for (const { name, status, detail, remedy } of checks) {
    expect(detail, name).not.toBe("");
    if (status === "ok") expect(remedy, name).toBeNull();
    else expect(remedy, name).toMatch(/./);
  }
  return Object.fromEntries(checks.map((check: Json) => [check.name, check]));
}

const statuses = (checks: Record<string, Json>) =>
  Object.fromEntries(Object.entries(checks).map(([name, { status }]) => [name, status]));

/** Returns every file of the data folder with its content. */
const filesOf = ({ dataDir }: Installation) =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name)).toString("base64"),
    ])
    .toSorted();

/** Returns the files, and every row of a PostgreSQL database. */
async function contents(one: Installation) {
  if (!onPostgres) return filesOf(one);
  const tables = await one.tablesWith("partner_id");
  return [
    ...filesOf(one),
    ...(await Promise.all(
      [...tables, "partners", "leases", "servers", "write_groups"].map(async (table) => [
        table,
        await one.sql(`SELECT * FROM ${table}`),
      ]),
    )),
  ];
}

async function alone(): Promise<Installation> {
  const one = install();
  await one.createPartner("Acme");
  return one;
}

describe("mainstay doctor", () => {
  const OF_STORAGE = onPostgres
    ? {
        encryption: "ok",
        privileges: "ok",
        time_zone: "ok",
        database_clock: "ok",
        connections: "ok",
        // The tests' PostgreSQL runs with fsync off.
        durability: "warn",
        replication: "ok",
        last_backup: "ok",
      }
    : { wal: "ok", last_backup: "warn" };
  const HEALTHY = {
    ...OF_STORAGE,
    configuration: "ok",
    data_folder: "ok",
    disk_space: "ok",
    tls_certificate: "ok",
    database: "ok",
    schema: "ok",
    key: "ok",
    uploads: "ok",
    model: "ok",
    clock: "ok",
    snapshot: "ok",
    outbox: "ok",
  };

  // Rule: doctor
  test("passes for a new installation, with and without a running server", async () => {
    const server = await serve();
    await server.createPartner("Acme");
    expect(statuses(await diagnose(server))).toEqual(HEALTHY);
    expect(statuses(await diagnose(server, "--full"))).toEqual({ ...HEALTHY, derived_data: "ok" });
    await server.stop();
    expect(statuses(await diagnose(server))).toEqual(HEALTHY);
  });

  test("passes after a crash", async () => {
    const server = await serve();
    await server.createPartner("Acme");
    await server.kill();
    expect(statuses(await diagnose(server))).toEqual(HEALTHY);
  });

  test("changes nothing", async () => {
    const one = await alone();
    const before = await contents(one);
    await diagnose(one, "--full");
    expect(await contents(one)).toEqual(before);
  });

  // Rule: doctor
  test("finds wrong sums, counters and copied columns, and corrects them beside a running server", async () => {
    const server = await serve();
    const partner = await server.createPartner("Acme");
    const client = server.as(partner);
    const { id } = await addProperty(client);
    await addWornAppliance(client, id);
    const alerts = () => client.get("/v1/alerts", { state: "NY" });
    const summary = () => client.get("/v1/portfolio/summary");
    const [right, total] = [(await summary()).body, (await alerts()).body.total];
    expect(total).toBeGreaterThan(0);
    await server.sql("UPDATE components SET system = '', state = ''");
    await server.sql("UPDATE property_totals SET critical = critical + 5");
    await server.sql("UPDATE partner_totals SET critical = critical + 5");
    await server.sql("DELETE FROM component_counters");
    const found = await server.run("doctor", "--full", "--json");
    expect(found.code).toBe(1);
    const { checks, wrong_rows } = JSON.parse(found.stdout);
    expect(wrong_rows).toMatchObject({ "components.risk_tier": 0, property_totals: 1, partner_totals: 1 });
    expect(wrong_rows["components.state"]).toBe(wrong_rows["components.system"]);
    const check = (all: Json[]) => all.find(({ name }) => name === "derived_data");
    expect(check(checks)).toMatchObject({
      status: "fail",
      detail: expect.stringMatching(
        /^wrong rows: components\.system \d+, components\.state \d+, property_totals 1, /,
      ),
      remedy: expect.stringContaining("mainstay doctor --full --repair"),
    });
    // Until a change of costs has reached all sums, they are not wrong.
    const { partner_id } = partner;
    const request = `INSERT INTO recalculations (partner_id, requests, done_seq, requested_at) VALUES ('${partner_id}', 1, 0, 0)`;
    await server.stop();
    await server.sql(request);
    const meanwhile = await server.json("doctor", "--full");
    expect(check(meanwhile.checks)).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("sums are being recalculated after a change of costs"),
    });
    await server.sql("DELETE FROM recalculations");
    await server.start();
    const repaired = await server.run("doctor", "--full", "--repair", "--json");
    expect(repaired.code).toBe(0);
    expect(check(JSON.parse(repaired.stdout).checks)).toMatchObject({
      status: "ok",
      detail: expect.stringMatching(/^wrong rows corrected: components\.system \d+/),
    });
    expect((await summary()).body).toEqual(right);
    expect((await alerts()).body.total).toBe(total);
    expect((await server.run("doctor", "--full")).code).toBe(0);
    const { code, stderr } = await server.run("doctor", "--repair");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--repair requires --full")]);
  });

  test("prints each check with its remedy", async () => {
    const { stdout } = await (await alone()).run("doctor");
    expect(stdout).toContain("OK       Database: ");
    expect(stdout).toMatch(
      onPostgres
        ? /Warning {2}Durability: .* are off: .*\n {9}\w/
        : /Warning {2}Last backup: no backups are scheduled\n {9}Set backup\.schedule/,
    );
  });

  // Rule: doctor
  test("connects to webhook endpoints without sending anything", async () => {
    const receiver = await startReceiver();
    const one = install({ webhooks: { deny_networks: ["127.0.0.2"] } });
    const url = new URL(receiver.url);
    const { partner_id: reached } = await one.createPartner("Reached", "--webhook-url", receiver.url);
    url.hostname = "127.0.0.2";
    const { partner_id: denied } = await one.createPartner("Denied", "--webhook-url", url.href);
    const { partner_id: closed } = await one.createPartner("Closed", "--webhook-url", "http://127.0.0.1:1/");
    const checks = await diagnose(one);
    expect(checks[`webhook_receiver:${reached}`].status).toBe("ok");
    expect(checks[`webhook_receiver:${denied}`].detail).toContain("is in the denied network");
    expect(checks[`webhook_receiver:${closed}`].detail).toContain("connection refused");
    const behind = install({ webhooks: { proxy: "http://127.0.0.1:1" } });
    const { partner_id } = await behind.createPartner("Behind", "--webhook-url", receiver.url);
    const { remedy } = (await diagnose(behind))[`webhook_receiver:${partner_id}`];
    expect(remedy).toBe("Check webhooks.proxy, and whether the proxy is up.");
    expect(receiver.received).toEqual([]);
    expect(receiver.connections()).toBe(1);
    await receiver.close();
  });
});

describe("mainstay doctor reports", () => {
  testOnSqlite("a damaged database", async () => {
    const one = await alone();
    const file = join(one.dataDir, "mainstay.db");
    writeFileSync(file, readFileSync(file).fill(0x55, 4 * 4096, 24 * 4096));
    expect((await diagnose(one)).database).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("is damaged"),
    });
  });

  testOnSqlite.each([
    [
      "a file that is not a database",
      (file: string) => writeFileSync(file, "dear all, this is a letter ".repeat(200)),
    ],
    ["an empty file in its place", (file: string) => writeFileSync(file, "")],
    ["no database", (file: string) => rmSync(file)],
  ])("%s", async (_, damage) => {
    const one = await alone();
    damage(join(one.dataDir, "mainstay.db"));
    const checks = await diagnose(one);
    expect([checks.database.status, checks.schema?.status]).toContain("fail");
    expect(checks.disk_space.status).toBe("ok");
  });

  test("a key that is missing, wrong, or readable by others", async () => {
    const one = await alone();
    const key = join(one.dataDir, "mainstay.key");
    chmodSync(key, 0o644);
    expect((await diagnose(one)).key).toMatchObject({ status: "fail", remedy: `Run: chmod 600 ${key}` });
    const stranger = await alone();
    chmodSync(key, 0o600);
    writeFileSync(key, readFileSync(join(stranger.dataDir, "mainstay.key")));
    expect((await diagnose(one)).key.detail).toContain("cannot be decrypted with this key");
    rmSync(key);
    expect((await diagnose(one)).key.detail).toContain("key file not found");
  });

  test("a missing data folder, and creates none", async () => {
    const one = install();
    const checks = await diagnose(one);
    expect(checks.data_folder.status).toBe("fail");
    expect(existsSync(one.dataDir)).toBe(false);
  });

  test("a data folder that others can access", async () => {
    const one = await alone();
    chmodSync(one.dataDir, 0o755);
    expect((await diagnose(one)).data_folder).toMatchObject({
      status: "warn",
      remedy: `Run: chmod 700 ${one.dataDir}`,
    });
  });

  // Rule: health-clock
  test("a clock that is behind the newest record", async () => {
    const one = await alone();
    const inDays = (days: number) =>
      one.sql(`UPDATE clock SET last_instant = ${Date.now() + days * 86_400_000}`);
    await inDays(0.04);
    expect((await diagnose(one)).clock.status).toBe("ok");
    await inDays(365);
    expect((await diagnose(one)).clock).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("365 days behind"),
      remedy: expect.stringContaining("If it is right, it was ahead when that record was written"),
    });
  });

  test("an expired certificate, and one with a wrong key", async () => {
    const key = join(TLS, "receiver.key");
    const one = install({ server: { tls_cert: join(TLS, "expired.crt"), tls_key: key } });
    expect((await diagnose(one)).tls_certificate.detail).toContain("expired");
    one.configure({ server: { tls_cert: join(TLS, "authority.crt"), tls_key: key } });
    expect((await diagnose(one)).tls_certificate.detail).toContain("does not belong to the certificate");
    one.configure({ server: { tls_cert: join(TLS, "absent.crt"), tls_key: key } });
    expect((await diagnose(one)).tls_certificate.status).toBe("fail");
  });

  test("invalid settings only", async () => {
    const one = install({ server: { prot: 1 } });
    expect(statuses(await diagnose(one))).toEqual({ configuration: "fail" });
  });

  testOnSqlite("a scheduled backup that failed", async () => {
    const one = await alone();
    const last = {
      drill_ok: null,
      file: "/b/x.backup",
      bytes: null,
      duration_ms: 1,
      error: "the disk is full",
    };
    const at = new Date().toISOString();
    writeFileSync(join(one.dataDir, "last-backup.json"), JSON.stringify({ at, ok: false, ...last }));
    expect((await diagnose(one)).last_backup).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("the disk is full"),
    });
  });
});
