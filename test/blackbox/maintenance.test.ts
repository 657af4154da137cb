import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, runMainstay, useMainstay } from "../support/mainstay.ts";
import { operator } from "../support/operator.ts";
import { addAppliance, addProperty } from "../support/portfolio.ts";
import { describeOnSqlite, testOnSqlite } from "../support/postgres.ts";
import { startReceiver } from "../support/receiver.ts";

const { serve } = useMainstay();
const PNG = Buffer.from("89504e470d0a1a0a0000000d", "hex");

const checkOf = async (installation: Installation, name: string) => {
  const { stdout } = await installation.run("doctor", "--json");
  return JSON.parse(stdout).checks.find((check: Json) => check.name === name);
};

// Rule: orphaned-uploads
testOnSqlite(
  "files that a crash has left without their photo are counted by the doctor and removed at the start",
  async () => {
    const server = await serve();
    const client = server.as(await server.createPartner());
    const appliance = await addAppliance(client, (await addProperty(client)).id);
    const form = new FormData();
    form.append("file", new File([PNG], "leak.png", { type: "image/png" }));
    const photo = await client.ask("POST", `/v1/appliances/${appliance.id}/photos`, 201, { raw: form });
    await server.kill();
    const uploads = join(server.dataDir, "uploads");
    const [kept] = readdirSync(uploads);
    for (const name of [
      `${"a".repeat(32)}.png`,
      `.${"b".repeat(32)}.jpg.part`,
      `.${"c".repeat(32)}.jpg.${"d".repeat(32)}.part`,
      "README",
    ]) {
      writeFileSync(join(uploads, name), "left");
      utimesSync(join(uploads, name), 1, 1);
    }
    expect(await checkOf(server, "uploads")).toMatchObject({
      status: "warn",
      detail: "all 1 photos present; 3 orphaned files",
    });
    await server.start();
    await server.logged(({ msg, files }) => msg === "orphaned uploads removed" && files === 3);
    expect(readdirSync(uploads).toSorted()).toEqual([kept!, "README"].toSorted());
    expect(await checkOf(server, "uploads")).toMatchObject({ status: "ok" });
    await client.get(photo.body.url);
  },
);

// Rule: failing-endpoint-reported
test("the doctor and the partner's record report a failing webhook endpoint from its first failed attempt", async () => {
  const receiver = await startReceiver({ behave: () => ({ status: 500 }) });
  const server = await serve();
  const { partner_id } = await server.createPartner("Acme", "--webhook-url", receiver.url);
  const states = async () => {
    const { stdout } = await server.run("partner", "list");
    const { webhook_failing_since, webhook_last_error } = await server.json("partner", "show", partner_id);
    const check = await checkOf(server, `webhook_receiver:${partner_id}`);
    return {
      list: / (sent|failing|paused) /.exec(stdout)?.[1],
      webhook_failing_since,
      webhook_last_error,
      check,
    };
  };
  await server.json("partner", "webhook-test", partner_id);
  await receiver.waitFor((received) => received.length === 1);
  await eventually(async () => {
    const { list, webhook_last_error, check } = await states();
    expect({ list, webhook_last_error }).toEqual({ list: "failing", webhook_last_error: "HTTP 500" });
    expect(check).toMatchObject({ status: "warn" });
    expect(check.detail).toMatch(/has been rejecting deliveries since \d{4}-.* \(HTTP 500\)$/);
  });
  receiver.behave(() => ({ status: 200 }));
  await receiver.waitFor((received) => received.length > 1);
  await eventually(async () => {
    const { list, webhook_failing_since, check } = await states();
    expect({ list, webhook_failing_since }).toEqual({ list: "sent", webhook_failing_since: null });
    expect(check).toMatchObject({ status: "ok" });
  });
  await receiver.close();
});

// Rule: audit-user
test("the audit log names the user that ran a command, whatever the environment contains", async () => {
  const server = await serve();
  const { partner_id } = await server.createPartner();
  const env = {
    USER: "mallory",
    USERNAME: "mallory",
    LOGNAME: "mallory",
    SUDO_USER: "mallory",
    SUDO_UID: "0",
  };
  const command = [
    "partner",
    "disable",
    partner_id,
    "--config",
    server.configFile,
    "--data-dir",
    server.dataDir,
  ];
  expect((await runMainstay(command, { env })).code).toBe(0);
  const { entries } = await server.json("audit", "--limit", "1");
  expect(entries[0].actor).toBe(`${operator()} for root(0)`);
});

describeOnSqlite("the database's pages", () => {
  const pagesOf = async (server: Installation) =>
    (await server.anonymous.send("GET", "/health")).body.checks.pages;
  const metric = async (server: Installation) =>
    /^mainstay_database_integrity_ok (\d)$/m.exec(
      await (await fetch(`${server.adminUrl}/metrics`)).text(),
    )?.[1];

  /** A database with more rows than its first pages hold. */
  async function filled(properties: number) {
    const server = await serve();
    const client = server.as(await server.createPartner());
    const items = Array.from({ length: properties }, (_, i) => ({
      name: `N${i}`,
      address: `${i} Elm St`,
      state: "NY",
    }));
    let propertyId: string | undefined;
    for (const body of items)
      propertyId = (await client.post("/v1/properties", { ...body, notes: "x".repeat(9_000) }, 201)).body.id;
    await server.stop();
    return { server, client, propertyId };
  }
  const breakIn = (server: Installation) => {
    const file = join(server.dataDir, "mainstay.db");
    const bytes = readFileSync(file);
    const db = new Database(file);
    const claims = db.query("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'claims'").values();
    db.close();
    for (const [page] of claims as number[][]) bytes.fill(0x55, (page! - 1) * 4096, page! * 4096);
    // The last pages are those of rows; the first are needed to start at all.
    writeFileSync(file, bytes.fill(0x55, bytes.length - 8 * 4096));
  };

  // Rule: pages-checked
  test.each([
    ["small", 40],
    ["larger, by another process", 500],
  ])("of a %s database are checked while it serves, and damage is reported", async (_, properties) => {
    const { server, client, propertyId } = await filled(properties);
    await server.start();
    await eventually(async () => expect(await pagesOf(server)).toBe("ok"));
    expect(await metric(server)).toBe("1");
    await server.stop();
    breakIn(server);
    // Reported by the check, and by a job that may run meanwhile.
    server.expectFault(/is damaged|database disk image is malformed/);
    await server.start();
    await eventually(async () => expect(await pagesOf(server)).toBe("damaged"));
    expect((await server.anonymous.send("GET", "/health")).status).toBe(503);
    expect(await metric(server)).toBe("0");
    expect(await client.send("GET", `/v1/property/${propertyId}/claims`)).toMatchObject({
      status: 503,
      body: { error: expect.stringContaining("Retry later") },
    });
    const { problems } = await server.logged(({ msg }) => msg === "the database is damaged");
    expect(problems.length).toBeGreaterThan(0);
    const { code, stderr } = await server.run("doctor", "--pages");
    expect(code).toBe(1);
    expect(stderr).toContain("is damaged");
    const claims = await server.run("claim", "show", "CL_01m8egh4wmfaw9dt4g6g1t3zs3");
    expect([claims.code, claims.stderr]).toEqual([1, expect.stringContaining("journalctl")]);
  });
});
