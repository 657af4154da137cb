import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createAdministrator } from "../support/administrator.ts";
import { requiredQuery } from "../support/api-document.ts";
import type { ApiClient } from "../support/client.ts";
import { BOUND_BY_RIGHTS, CAN_MOUNT, type Disk, useDisks } from "../support/disk.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { pathOf } from "../support/json-bodies.ts";
import { type Installation, runMainstay, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, PROPERTY } from "../support/portfolio.ts";
import { startReceiver } from "../support/receiver.ts";
import { addRecords } from "../support/records.ts";
import { ADMIN_ROUTES, adminPath, adminQuery, EMBED_PATHS, PARTNER_OPERATIONS } from "../support/routes.ts";

const disk = useDisks();
const { folder, install } = useMainstay();
const REFUSED = /no storage|cannot record webhook attempts|job failed/;
const PNG = Buffer.from("89504e470d0a1a0a0000000d", "hex");
const SAMPLES = join(import.meta.dir, "../../samples/nyc-elevators");

/** An installation whose data folder is a disk of its own. */
function installOn(place: Disk, settings = {}): Installation {
  // These disks are smaller than the space that uploads leave by default.
  const installation = install({ storage: { min_free_bytes: 0 }, ...settings });
  mkdirSync(join(place.path, "data"), { mode: 0o700 });
  symlinkSync(join(place.path, "data"), installation.dataDir);
  installation.expectFault(REFUSED);
  return installation;
}

async function serveOn(place: Disk): Promise<Installation> {
  const server = installOn(place);
  await server.start();
  return server;
}

const upload = (client: ApiClient, applianceId: string, status: number, bytes = 40_000) => {
  const form = new FormData();
  form.append("file", new File([PNG, randomBytes(bytes)], "leak.png", { type: "image/png" }));
  return client.ask("POST", `/v1/appliances/${applianceId}/photos`, status, { raw: form });
};

/** Checks that the database is intact and holds everything that was acknowledged. */
async function expectWhole(server: Installation, client: ApiClient, acknowledged: readonly string[]) {
  const found: string[] = [];
  for (let total = 1; found.length < total; ) {
    const { body } = await client.get("/v1/properties", { limit: 200, offset: found.length });
    found.push(...body.properties.map(({ id }: Json) => id));
    total = body.total;
  }
  expect(found).toEqual(expect.arrayContaining([...acknowledged]));
  const { stdout } = await server.run("doctor", "--full", "--json");
  const { checks } = JSON.parse(stdout);
  expect(checks.find(({ name }: Json) => name === "database")).toMatchObject({ status: "ok" });
}

/** Writes from many clients while there is room, none, some again and none at last; then a kill and a start. */
async function loseNothing(server: Installation, scarcity: { begin(): void; end(): void }): Promise<void> {
  const client = server.as(await server.createPartner());
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  let isWriting = true;
  const writers = Array.from({ length: 8 }, async () => {
    while (isWriting) {
      const body = { ...PROPERTY, unit_count: 3 };
      const reply = await client.send("POST", "/v1/properties", { body }).catch(() => undefined);
      if (!reply) return; // the server was killed
      statuses.add(reply.status);
      if (reply.status === 201) acknowledged.push(reply.body.id);
    }
  });
  for (const isLast of [false, true]) {
    const had = acknowledged.length;
    await eventually(() => expect(acknowledged.length).toBeGreaterThan(had + 20));
    scarcity.begin();
    statuses.clear();
    await eventually(() => expect(statuses).toContain(503));
    if (!isLast) scarcity.end();
  }
  await server.kill();
  isWriting = false;
  await Promise.all(writers);
  expect([...statuses].filter((status) => status !== 201)).toEqual([503]);
  scarcity.end();
  await server.start();
  await expectWhole(server, client, acknowledged);
}

describe.skipIf(!CAN_MOUNT)("on a full disk", () => {
  // Rule: full-disk, daily-limit-survives
  test("the server starts, and counts the day's calls that an earlier one has recorded", async () => {
    const place = disk(24);
    const server = await serveOn(place);
    const partner = await server.createPartner();
    await server.run("partner", "set-budget", partner.partner_id, "50");
    await server.kill();
    const today = new Date().toISOString().slice(0, 10);
    const noted = join(server.dataDir, "budgets.ahead");
    writeFileSync(noted, `${partner.partner_id} ${today} 47\n`);
    place.fill();
    await server.start();
    const client = server.as(partner);
    const statuses: number[] = [];
    for (let nth = 0; nth < 5; nth++) statuses.push((await client.send("GET", "/v1/properties")).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    place.free();
    await server.stop();
    await server.start();
    expect((await client.send("GET", "/v1/properties")).status).toBe(429);
    expect(readFileSync(noted, "utf8")).toBe("");
  });

  // Rule: health-degraded, full-disk
  test("writes are rejected with 503, reads continue, and writes succeed again as soon as there is room", async () => {
    const place = disk(24);
    const server = await serveOn(place);
    const client = server.as(await server.createPartner());
    const { warnings: _, ...property } = await addProperty(client);
    const appliance = await addAppliance(client, property.id);
    const before = Number((await client.get("/v1/ping")).headers.get("x-ratelimit-remaining"));
    place.fill();

    const refused = await client.post("/v1/properties", PROPERTY, 503);
    expect(refused.body).toMatchObject({
      code: "unavailable",
      error: expect.stringContaining("Retry later"),
    });
    expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    for (let nth = 0; nth < 25; nth++)
      expect((await client.get(`/v1/properties/${property.id}`)).body).toEqual(property);
    await upload(client, appliance.id, 503);
    expect(readdirSync(join(server.dataDir, "uploads"))).toEqual([]);
    expect((await server.anonymous.get("/health", {}, 503)).body).toMatchObject({
      status: "degraded",
      checks: { database: "full" },
    });
    const line = await server.logged(({ msg }) => msg === "request refused: no storage");
    expect(line).toMatchObject({ level: "error", request_id: refused.body.request_id });
    expect(line.reason).toBe(`the disk is full: ${server.dataDir}/mainstay.db cannot be written`);
    expect(line.hint).toStartWith(`Free some space in ${server.dataDir}`);
    const { code, stdout } = await server.run("doctor");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Failed +Disk space: 0\.0 MB free on /m);

    place.free();
    await eventually(() => addProperty(client));
    const photo = await upload(client, appliance.id, 201);
    expect((await server.anonymous.get("/health")).body.status).toBe("ok");
    const left = Number(photo.headers.get("x-ratelimit-remaining"));
    expect(left).toBeLessThanOrEqual(before - 29);
    await server.stop();
    await server.start();
    const again = Number((await client.get("/v1/ping")).headers.get("x-ratelimit-remaining"));
    expect(again).toBe(left - 1);
    await expectWhole(server, client, [property.id]);
    await client.get(photo.body.url);
  });

  // Rule: full-disk
  test("every read of every route responds with 200, also plans that cannot be stored", async () => {
    const place = disk(24);
    const server = await serveOn(place);
    const administrator = await createAdministrator(server);
    const receiver = await startReceiver();
    const client = server.as(await server.createPartner("Acme", "--webhook-url", receiver.url));
    await addProperty(client);
    await receiver.waitFor((received) => received.length === 1);
    await eventually(async () =>
      expect((await client.get("/v1/webhook-deliveries?status=delivered")).body.total).toBe(1),
    );
    const records = await addRecords(client);
    const { body: embed } = await administrator.client.post("/admin/embeds", { property_id: records.P_ });
    const partnerId = (await administrator.client.get("/admin/partners")).body.partners[0].partner_id;
    const ids = { ...records, PARTNER_: partnerId, EMB_: embed.embed_id };
    place.fill();
    await client.post("/v1/properties", PROPERTY, 503);
    const statuses: Record<string, number> = {};
    const read = async (of: ApiClient, path: string) => {
      const { status } = await of.send("GET", path);
      statuses[path] = status;
    };
    const ofPartner = PARTNER_OPERATIONS.filter(({ method }) => method === "GET");
    for (const { path, operation } of ofPartner) {
      const filled = path.replace("{filename}", records.photo!);
      await read(client, `${pathOf(filled, ids)}?${requiredQuery(operation)}`);
    }
    for (const terms of ["?budget=100000", "?budget=100000&limit=1&format=csv"])
      await read(client, `/v1/portfolio/plan${terms}`);
    for (const { path, method } of ADMIN_ROUTES)
      if (method === "GET") await read(administrator.client, adminPath(path, ids) + adminQuery(path, ids));
    for (const path of EMBED_PATHS)
      await read(
        server.anonymous,
        path.replace("{token}", embed.token).replace("{file}", "plan.csv?years=30"),
      );
    expect(Object.keys(statuses).length).toBeGreaterThan(50);
    expect(Object.entries(statuses).filter(([, status]) => status !== 200)).toEqual([]);
    place.free();
    await receiver.close();
  });

  test("of temporary files alone, writes succeed", async () => {
    const temporary = disk(1);
    temporary.fill();
    const server = install();
    await server.start({ env: { TMPDIR: temporary.path } });
    await addProperty(server.as(await server.createPartner()));
  });

  test("no write that was acknowledged while it filled up is lost, however the server ends", async () => {
    const place = disk(24);
    await loseNothing(await serveOn(place), { begin: place.fill, end: place.free });
  });

  test("a server does not start, names the full disk, and starts when there is room", async () => {
    const place = disk(24);
    const installation = installOn(place);
    const { partner_id } = await installation.createPartner();
    place.fill();
    for (const command of [["serve", "--port", "0"], ["partner", "disable", partner_id], ["snapshot"]]) {
      const { code, stdout, stderr } = await installation.run(...command);
      expect({ command, code, stdout }).toEqual({ command, code: 1, stdout: "" });
      expect(stderr).toStartWith(`mainstay: the disk is full: ${installation.dataDir}/`);
      expect(stderr).toContain("Free some space");
    }
    const empty = install();
    const { code, stderr } = await runMainstay([
      "serve",
      ...["--port", "0", "--config", empty.configFile, "--data-dir", join(place.path, "new")],
    ]);
    expect(code).toBe(1);
    expect(stderr).toStartWith(`mainstay: the disk is full: ${place.path}`);
    place.free();
    await installation.start();
    expect((await installation.json("partner", "list")).partners).toMatchObject([{ enabled: true }]);
  });

  test("a backup is rejected or fails, and leaves nothing behind", async () => {
    const place = disk(24);
    const installation = install();
    await installation.createPartner();
    place.fill();
    const { code, stdout, stderr } = await installation.run("backup", join(place.path, "now.backup"));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toStartWith("mainstay: the backup needs ");
    expect(stderr).toContain(` in ${place.path}, which has 0.0 MB free\nFree some space`);
    expect(readdirSync(place.path)).toEqual(["ballast"]);
  });

  test("an export and a restore onto it fail with a remedy, and leave nothing behind", async () => {
    const place = disk(24);
    const installation = install();
    const { partner_id } = await installation.createPartner();
    const backup = join(folder(), "now.backup");
    expect((await installation.run("backup", backup)).code).toBe(0);
    place.fill();
    const output = join(place.path, "acme.ndjson");
    const data = join(place.path, "restored");
    for (const command of [
      ["export", "--partner", partner_id, "--output", output, "--data-dir", installation.dataDir],
      ["restore", backup, "--data-dir", data],
    ]) {
      const { code, stdout, stderr } = await runMainstay(command);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(place.path);
      expect(stderr).toContain("Free some space");
      expect(readdirSync(place.path)).toEqual(["ballast"]);
    }
  });

  test("a delivery made meanwhile is recorded when there is room, and not sent again", async () => {
    const place = disk(24);
    const server = await serveOn(place);
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    const receiver = await startReceiver({ behave: () => ({ status: 200, until }) });
    const partner = await server.createPartner("Acme", "--webhook-url", receiver.url);
    await addProperty(server.as(partner));
    await receiver.waitFor((received) => received.length === 1);
    place.fill();
    answer();
    await eventually(() =>
      expect(server.log.map(({ msg }) => msg)).toContain("cannot record webhook attempts, retrying"),
    );
    place.free();
    await eventually(async () => {
      const { deliveries } = await server.json("deliveries", "list");
      expect(deliveries).toMatchObject([{ status: "delivered", attempt_count: 1 }]);
    });
    expect(receiver.received).toHaveLength(1);
    await receiver.close();
  });

  test("an import stops with a remedy, and the same command finishes it when there is room", async () => {
    const place = disk(3);
    const small = installOn(place);
    const { partner_id } = await small.createPartner();
    const importAll = async () => {
      const files = ["properties", "appliances", "service_events"].flatMap((name) => [
        `--${name.replace("_", "-")}`,
        join(SAMPLES, `${name}.csv`),
      ]);
      return await small.run("import", "--partner", partner_id, ...files, "--json");
    };
    const { code, stdout, stderr } = await importAll();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(JSON.parse(stderr)).toEqual({
      error: `the disk is full: ${small.dataDir}/mainstay.db cannot be written`,
      hint: expect.stringContaining("Free some space"),
    });
    place.remount("size=64m");
    // The first one may not have been able to release its lock, which then lasts for 15 seconds: makes it expire.
    await small.sql("UPDATE locks SET expires_at = 0");
    const finished = await importAll();
    expect(finished).toMatchObject({ code: 0 });
    const { properties, service_events } = JSON.parse(finished.stdout);
    expect(properties.unchanged).toBeGreaterThan(0);
    expect(service_events.created).toBeGreaterThan(0);
    // As many as on a disk with room.
    expect(await small.json("partner", "show", partner_id)).toMatchObject({
      properties: 300,
      appliances: 369,
      components: 1845,
    });
  });
});

/** The size that files may have is limited: what a quota, or a disk that fails, is to a program. */
describe("where the system refuses to write", () => {
  const limit = (pid: number, bytes: number | "unlimited") => {
    const { success, stderr } = Bun.spawnSync([
      "prlimit",
      "--pid",
      String(pid),
      `--fsize=${bytes}:unlimited`,
    ]);
    if (!success) throw new Error(`prlimit: ${stderr}`);
  };

  test("writes are rejected with 503, reads continue, and writes succeed again once it is allowed", async () => {
    const server = install();
    server.expectFault(REFUSED);
    await server.start();
    const client = server.as(await server.createPartner());
    const property = await addProperty(client);
    const appliance = await addAppliance(client, property.id);
    limit(server.pid, 4096);
    await client.post("/v1/properties", PROPERTY, 503);
    await upload(client, appliance.id, 503);
    expect(readdirSync(join(server.dataDir, "uploads"))).toEqual([]);
    for (let nth = 0; nth < 25; nth++) await client.get(`/v1/properties/${property.id}`);
    const { reason, hint } = await server.logged(({ msg }) => msg === "request refused: no storage");
    expect(reason).toStartWith(`${server.dataDir}/mainstay.db cannot be read or written`);
    expect(hint).toStartWith("Check the disk");
    limit(server.pid, "unlimited");
    const { id } = await addProperty(client);
    await server.kill();
    await server.start();
    await expectWhole(server, client, [property.id, id]);
  });

  test("no acknowledged write is lost, however the server ends", async () => {
    const server = install();
    server.expectFault(REFUSED);
    await server.start();
    const { pid } = server;
    // A process that has ended has no limit to lift.
    const end = () => void (server.isRunning && server.pid === pid && limit(pid, "unlimited"));
    await loseNothing(server, { begin: () => limit(pid, 4096), end });
  });

  test("a daily call limit is no higher than with room, and used calls stay used", async () => {
    const server = install();
    server.expectFault(REFUSED);
    await server.start();
    const client = server.as(await server.createPartner("Acme", "--daily-budget", "30"));
    await client.get("/v1/ping");
    limit(server.pid, 4096);
    const statuses = [];
    for (let nth = 0; nth < 40; nth++) statuses.push((await client.send("GET", "/v1/ping")).status);
    expect(statuses).toEqual([...Array(29).fill(200), ...Array(11).fill(429)]);
    limit(server.pid, "unlimited");
    await client.get("/v1/ping", {}, 429);
    await server.stop();
    await server.start();
    await client.get("/v1/ping", {}, 429);
  });

  test("a backup fails with a remedy and leaves nothing, at any step", async () => {
    const server = install();
    await server.start();
    const client = server.as(await server.createPartner());
    const appliance = await addAppliance(client, (await addProperty(client)).id);
    await upload(client, appliance.id, 201, 3_000_000);
    await server.stop();
    const database = statSync(join(server.dataDir, "mainstay.db")).size;
    const backups = folder();
    const backUp = (bytes: number | "unlimited", ...options: string[]) =>
      runMainstay(["backup", join(backups, "now.backup"), "--data-dir", server.dataDir, ...options], {
        under: ["prlimit", `--fsize=${bytes}:unlimited`],
      });
    const withPassphrase = ["--passphrase-file", await passphraseFile(server)];
    // Within the copy of the database, and within the archive.
    for (const [bytes, options] of [
      [database - 4096, []],
      [2_000_000, []],
      [2_000_000, withPassphrase],
    ] as const) {
      const { code, stdout, stderr } = await backUp(bytes, ...options);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(backups);
      expect(stderr).toContain("Check ");
      expect(stderr).not.toContain("This is a bug in Mainstay");
      expect(readdirSync(backups)).toEqual([]);
    }
    expect(await backUp("unlimited")).toMatchObject({ code: 0, stderr: "" });
  });
});

async function passphraseFile({ folder: place }: Installation): Promise<string> {
  const file = join(place, "passphrase");
  await Bun.write(file, "correct horse battery staple\n");
  chmodSync(file, 0o600);
  return file;
}

describe("a data folder that can't be written", () => {
  /** Checks how a start, a command that writes and a command that reads report the problem. */
  async function expectRefused(installation: Installation, under: readonly string[]) {
    const file = join(installation.dataDir, "mainstay.db");
    const before = readFileSync(file);
    for (const command of [["serve", "--port", "0"], ["partner", "create", "Beta"], ["snapshot"]]) {
      const { code, stdout, stderr } = await runMainstay(
        [...command, "--config", installation.configFile, "--data-dir", installation.dataDir],
        { under },
      );
      expect({ command, code, stdout }).toEqual({ command, code: 1, stdout: "" });
      expect(stderr).toStartWith("mainstay: ");
      expect(stderr).toContain(installation.dataDir);
      expect(stderr).toMatch(
        /(owns it and that the disk|that runs Mainstay, and that the disk|user running Mainstay)/,
      );
    }
    expect(readFileSync(file).equals(before)).toBe(true);
  }

  const made = async (place?: Disk) => {
    const installation = place ? installOn(place) : install();
    await installation.createPartner();
    return installation;
  };

  test("because of its permissions: every command reports it, and nothing is changed", async () => {
    const installation = await made();
    chmodSync(installation.dataDir, 0o500);
    await expectRefused(installation, BOUND_BY_RIGHTS);
    const { code, stdout } = await runMainstay(["doctor", "--data-dir", installation.dataDir], {
      under: BOUND_BY_RIGHTS,
    });
    expect(code).toBe(1);
    expect(stdout).toContain(`Failed   Data folder: ${installation.dataDir} is not writable by this user`);
    chmodSync(installation.dataDir, 0o700);
    await installation.start();
  });

  test("because of the database's permissions alone", async () => {
    const installation = await made();
    chmodSync(join(installation.dataDir, "mainstay.db"), 0o400);
    await expectRefused(installation, BOUND_BY_RIGHTS);
    chmodSync(join(installation.dataDir, "mainstay.db"), 0o600);
    await installation.start();
  });

  test.skipIf(!CAN_MOUNT)(
    "because its disk is mounted read-only; a backup of it can still be taken",
    async () => {
      const place = disk(24);
      const installation = await made(place);
      place.remount("ro");
      await expectRefused(installation, []);
      const file = join(folder(), "rescued.backup");
      const { code, stderr } = await installation.run("backup", file);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      place.remount("rw");
      await installation.start();
    },
  );
});
