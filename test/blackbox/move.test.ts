import { beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import { CAN_MOUNT, useDisks } from "../support/disk.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addProperty } from "../support/portfolio.ts";
import { connectTo, rowsOf, tableLockAwaited, usePostgres } from "../support/postgres.ts";
import { startReceiver } from "../support/receiver.ts";
import { addRecords } from "../support/records.ts";

const { install } = useMainstay({ inFolder: true });
const diskOf = useDisks();
const { newDatabase } = usePostgres();

/** Returns everything that a partner can read, without values that depend on the current time. */
async function answers(client: ApiClient): Promise<Record<string, string>> {
  const reported: Record<string, string> = {};
  const get = async (path: string) => {
    const { text } = await client.get(path);
    reported[path] = text.replaceAll(/"(generated|assessed)_at":"[^"]+"/g, "");
    return JSON.parse(text);
  };
  const { properties } = await get("/v1/properties?limit=200");
  const { components } = await get("/v1/components?limit=200");
  await get("/v1/appliances?limit=200");
  await get("/v1/alerts?limit=200");
  await get("/v1/portfolio/summary?limit=200");
  await get("/v1/portfolio/plan?limit=200");
  await get("/v1/events?since=2000-01-01T00:00:00Z&limit=200");
  await get("/v1/webhook-deliveries?limit=200");
  for (const { id } of properties)
    for (const part of ["", "/units", "/report", "/forecast", "/plan", "/claims", "/compliance"])
      await get(part === "" ? `/v1/properties/${id}` : `/v1/property/${id}${part}`);
  for (const { id } of components.slice(0, 40)) {
    await get(`/v1/components/${id}/history`);
    await get(`/v1/components/${id}/trend`);
  }
  return reported;
}

/** Creates a demo property with a history of ten years, and a record of every kind. */
async function withHistory(server: Installation): Promise<{ partner: Partner; photo: string }> {
  const receiver = await startReceiver();
  const partner = await server.createPartner("Acme", "--webhook-url", receiver.url);
  await server.start();
  const client = server.as(partner);
  await client.post("/onboarding/demo-property", {});
  const { photo } = await addRecords(client);
  await server.json("snapshot");
  await receiver.waitFor((received) => received.length > 5);
  await server.json("partner", "set-webhook", partner.partner_id, "--off");
  await server.stop();
  await receiver.close();
  return { partner, photo: photo! };
}

const onDatabase = (url: string) => ({ storage: { url } });
function copyKey(from: Installation, to: Installation): void {
  mkdirSync(to.dataDir, { recursive: true, mode: 0o700 });
  copyFileSync(join(from.dataDir, "mainstay.key"), join(to.dataDir, "mainstay.key"));
}

describe("a data folder that is moved to PostgreSQL, and back", () => {
  let source: Installation;
  let partner: Partner;
  let photo: string;
  let before: Record<string, string>;
  let url: string;
  beforeAll(async () => {
    source = install();
    ({ partner, photo } = await withHistory(source));
    await source.start();
    before = await answers(source.as(partner));
    await source.stop();
    url = await newDatabase();
  });

  test("returns the same bytes for every read, in both directions, and accepts writes", async () => {
    writeFileSync(join(source.folder, "storage-url"), `${url}\n`, { mode: 0o600 });
    const there = await source.json("move", "--to-file", "storage-url");
    expect(there).toMatchObject({ photos: 1, to: expect.not.stringContaining("secret") });
    expect(there.tables.properties).toBe(2);
    expect(there.rows).toBeGreaterThan(500);

    const shared = install(onDatabase(url));
    copyKey(source, shared);
    await shared.start();
    const client = shared.as(partner);
    expect(await answers(client)).toEqual(before);
    expect((await client.get(`/uploads/${photo}`)).headers.get("content-type")).toBe("image/jpeg");
    const { id } = await addProperty(client, { name: "Built on PostgreSQL" });
    const { properties } = (await client.get("/v1/properties")).body;
    expect(properties.at(-1).id).toBe(id);
    const after = await answers(client);
    await shared.stop();

    if (CAN_MOUNT) {
      // Room for the schema, but not for all rows.
      const full = await shared.run("move", "--to", join(diskOf(2).path, "full"));
      expect([full.code, full.stderr]).toEqual([1, expect.stringContaining("the disk is full")]);
    }
    const folder = join(shared.folder, "again");
    const back = await shared.json("move", "--to", folder);
    expect(back.tables.properties).toBe(3);
    expect(readdirSync(folder).sort()).toEqual(["mainstay.db", "mainstay.key", "uploads"]);
    const again = install({ storage: { data_dir: folder } });
    Object.assign(again, { dataDir: folder });
    await again.start();
    expect(await answers(again.as(partner))).toEqual(after);
    expect((await again.as(partner).get(`/uploads/${photo}`)).headers.get("content-type")).toBe("image/jpeg");
    await addProperty(again.as(partner));
    await again.stop();
    expect((await again.json("doctor")).failed).toBe(0);
  });
});

describe("move is rejected", () => {
  test("while a server runs, and if there is nothing to move", async () => {
    const source = install();
    await source.createPartner();
    await source.start();
    const { code, stderr } = await source.run("move", "--to", await newDatabase());
    expect([code, stderr]).toEqual([1, expect.stringContaining("already running on the data folder")]);
    await source.stop();
    const nowhere = await install().run("move", "--to", await newDatabase());
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining("no installation in")]);
    const here = await source.run("move", "--to", join(source.folder, "other"));
    expect([here.code, here.stderr]).toEqual([1, expect.stringContaining("both are data folders")]);
    expect(existsSync(join(source.folder, "other"))).toBe(false);
    writeFileSync(join(source.folder, "target"), "other\n");
    const noAddress = await source.run("move", "--to-file", "target");
    expect([noAddress.code, noAddress.stderr]).toEqual([
      1,
      expect.stringContaining("does not contain a PostgreSQL URL"),
    ]);
    const both = await source.run("move", "--to", "other", "--to-file", "target");
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("Remove one of them")]);
  });

  test("while servers run on the source database", async () => {
    const url = await newDatabase();
    const shared = install(onDatabase(url));
    await shared.createPartner();
    await shared.start();
    const folder = join(shared.folder, "back");
    const { code, stderr } = await shared.run("move", "--to", folder);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is in use by servers: \S+ \(.+\).*Stop all/s)]);
    expect(existsSync(folder)).toBe(false);
    // A stopped server has deregistered.
    await shared.stop();
    expect((await shared.json("move", "--to", folder)).tables.partners).toBe(1);
  });

  test("into a database with an installation or tables of another program", async () => {
    const source = install();
    await source.createPartner();
    const url = await newDatabase();
    await source.json("move", "--to", url);
    const twice = await source.run("move", "--to", url);
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining("is not empty: ")]);
    const theirs = await newDatabase();
    await rowsOf(theirs, "CREATE TABLE invoices (id int)");
    const other = await source.run("move", "--to", theirs, "--again");
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("belongs to another program")]);
    expect(await rowsOf(theirs, "SELECT * FROM invoices")).toEqual([]);
  });

  test("into a folder that is not empty", async () => {
    const source = install();
    await source.createPartner();
    const url = await newDatabase();
    await source.json("move", "--to", url);
    const shared = install(onDatabase(url));
    copyKey(source, shared);
    const taken = join(shared.folder, "taken");
    mkdirSync(taken);
    writeFileSync(join(taken, "letter.txt"), "Dear Sir");
    const { code, stderr } = await shared.run("move", "--to", taken);
    expect([code, stderr]).toEqual([1, expect.stringContaining("is not empty: there is letter.txt")]);
    expect(readdirSync(taken)).toEqual(["letter.txt"]);
  });
});

describe("an interrupted move", () => {
  /** Starts a move, and kills it while it waits for a table that is locked in that mode. */
  async function killMidway(
    url: string,
    mode: "SHARE" | "ACCESS EXCLUSIVE",
    start: () => Bun.Subprocess,
  ): Promise<void> {
    const lock = await connectTo(url);
    await lock.query(`BEGIN; LOCK TABLE audit_log IN ${mode} MODE`);
    const moving = start();
    await tableLockAwaited(url, "audit_log");
    moving.kill("SIGKILL");
    await moving.exited;
    await lock.end();
  }

  test("leaves a database that no server uses, and --again clears it", async () => {
    const source = install();
    await source.createPartner();
    const url = await newDatabase();
    const shared = install(onDatabase(url));
    copyKey(source, shared);
    await shared.json("migrate");
    await killMidway(url, "SHARE", () => source.spawn("move", "--to", url));
    expect(await rowsOf(url, "SELECT id FROM partners")).toHaveLength(1);
    const refused = await shared.run("partner", "list");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("an interrupted move")]);
    const again = await source.run("move", "--to", url);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("--again")]);
    expect((await source.json("move", "--to", url, "--again")).tables.partners).toBe(1);
    expect((await shared.json("partner", "list")).partners).toHaveLength(1);
  });

  test("that has not created the schema yet leaves such a database, too", async () => {
    const source = install();
    await source.createPartner();
    const url = await newDatabase();
    const shared = install(onDatabase(url));
    copyKey(source, shared);
    const lock = await connectTo(url);
    // As a start that was interrupted before leaves it: an empty record of migrations, which the move locks next.
    await lock.query(
      "CREATE TABLE schema_migrations (number bigint PRIMARY KEY, name text, sha256 text, applied_at bigint)",
    );
    await lock.query("BEGIN; LOCK TABLE schema_migrations IN SHARE MODE");
    const moving = source.spawn("move", "--to", url);
    await tableLockAwaited(url, "schema_migrations");
    moving.kill("SIGKILL");
    await moving.exited;
    await lock.end();
    const refused = await shared.run("migrate");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("an interrupted move")]);
    expect((await source.json("move", "--to", url, "--again")).tables.partners).toBe(1);
  });

  test("fails with the reason and remedy, and without values, if PostgreSQL ends its connection", async () => {
    const source = install();
    const { partner_id: id } = await source.createPartner();
    const url = await newDatabase();
    const shared = install(onDatabase(url));
    copyKey(source, shared);
    await shared.json("migrate");
    const lock = await connectTo(url);
    await lock.query("BEGIN; LOCK TABLE audit_log IN SHARE MODE");
    const moving = source.run("move", "--to", url);
    await tableLockAwaited(url, "audit_log");
    await lock.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    const { code, stderr } = await moving;
    await lock.end();
    expect([code, stderr]).toEqual([1, expect.stringContaining("PostgreSQL does not answer")]);
    expect(stderr).not.toContain(id);
  });

  test("leaves a folder that no server uses, and --again clears it", async () => {
    const source = install();
    await source.createPartner();
    const url = await newDatabase();
    await source.json("move", "--to", url);
    const shared = install(onDatabase(url));
    copyKey(source, shared);
    const folder = join(shared.folder, "back");
    await killMidway(url, "ACCESS EXCLUSIVE", () => shared.spawn("move", "--to", folder));
    expect(readdirSync(folder)).toContain("mainstay.db.unfinished");
    const back = install();
    Object.assign(back, { dataDir: folder });
    const refused = await back.run("serve");
    expect([refused.code, refused.stderr + refused.stdout]).toEqual([
      1,
      expect.stringContaining("an interrupted move"),
    ]);
    const again = await shared.run("move", "--to", folder);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("--again")]);
    expect((await shared.json("move", "--to", folder, "--again")).tables.partners).toBe(1);
    expect((await back.json("partner", "list")).partners).toHaveLength(1);
    // A move that ended after it had given the database its name has been completed.
    linkSync(join(folder, "mainstay.db"), join(folder, "mainstay.db.unfinished"));
    const complete = await shared.run("move", "--to", folder, "--again");
    expect([complete.code, complete.stderr]).toEqual([1, expect.stringContaining("is not empty")]);
    expect(readdirSync(folder)).toContain("mainstay.key");
    expect((await back.json("partner", "list")).partners).toHaveLength(1);
  });
});
