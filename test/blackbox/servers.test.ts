import { beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Administrator, adminClient, createAdministrator } from "../support/administrator.ts";
import type { ApiClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty } from "../support/portfolio.ts";
import { rowsOf, usePostgres } from "../support/postgres.ts";
import { KEY_FILE, serverStarter } from "../support/several-servers.ts";

const { install, serve } = useMainstay({ inFolder: true });
const serverOn = serverStarter(install);
const postgres = usePostgres();

const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 1, 2, 3]);

describe("two servers on one database", () => {
  const LIMIT = 40;
  let url: string;
  let a: Installation;
  let b: Installation;
  let partner: Partner;
  let admin: Administrator;
  let atA: ApiClient;
  let atB: ApiClient;
  beforeAll(async () => {
    url = await postgres.newInstallation();
    a = await serverOn(url);
    b = await serverOn(url, a);
    partner = await a.json("partner", "create", "Acme");
    admin = await createAdministrator(a);
    atA = a.as(partner);
    atB = b.as(partner);
  });

  test("list both servers as alive, with their versions", async () => {
    const { body } = await adminClient(b, { "x-api-key": admin.key }).get("/admin/servers");
    expect(body.shared).toBe(true);
    expect(body.servers.map(({ address }: Json) => address).toSorted()).toEqual([a.url, b.url].toSorted());
    for (const server of body.servers) expect(server).toMatchObject({ alive: true, clock_off_s: 0 });
    const listed = await a.json("servers");
    expect(listed.servers.map(({ id }: Json) => id)).toEqual(body.servers.map(({ id }: Json) => id));
    const metrics = await (await fetch(`${b.adminUrl}/metrics`)).text();
    expect(metrics).toContain("mainstay_servers_alive 2");
  });

  test("are listed by host name if they listen on all addresses", async () => {
    const everywhere = await serverOn(url, a, { server: { host: "0.0.0.0" } });
    const { port } = new URL(everywhere.url);
    const { servers } = await a.json("servers");
    expect(servers.map(({ address }: Json) => address)).toContain(`http://${hostname()}:${port}`);
    await everywhere.stop();
  });

  test("report per-server figures and running jobs with the name of the server", async () => {
    for (const server of [a, b]) {
      const client = adminClient(server, { "x-api-key": admin.key });
      for (const path of ["/admin/jobs", "/admin/errors", "/admin/settings"])
        expect((await client.get(path)).body.server).toBe(server.url);
      const { body } = await client.get(`/admin/partners/${partner.partner_id}/task`);
      expect(body.server).toBe(server.url);
    }
    const run = (status: number) => admin.client.post("/admin/jobs/prune-deliveries/run", undefined, status);
    const lease = (until: string) =>
      rowsOf(
        url,
        `INSERT INTO leases (name, holder, epoch, expires_at) VALUES ('job:prune-deliveries', 'another server', 1, ${until})
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at`,
      );
    await eventually(() => run(202));
    await eventually(async () => {
      const { jobs } = (await admin.client.get("/admin/jobs")).body;
      expect(jobs.find(({ name }: Json) => name === "prune-deliveries").running).toBe(false);
    });
    await lease("(extract(epoch from clock_timestamp()) * 1000)::bigint + 60000");
    expect((await run(409)).body.error).toContain("is already running on another server");
    await lease("0");
    await run(202);
  });

  test("reject an operation on a partner or a calibration that the other server is running, and name that server", async () => {
    const other = await a.json("partner", "create", "Other", "--webhook-url", "https://hooks.example.com/");
    const id = other.partner_id;
    const held = (name: string, until = "(extract(epoch from clock_timestamp()) * 1000)::bigint + 60000") =>
      rowsOf(
        url,
        `INSERT INTO locks (name, id, owner, acquired_at, expires_at) VALUES ('${name}', 'LOCK_${name}', 'cli:night on db1', 1, ${until})
         ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at`,
      );
    const refusals = async (...paths: [path: string, body?: Json][]) => {
      for (const server of [a, b])
        for (const [path, body] of paths) {
          const answer = await adminClient(server, { "x-api-key": admin.key }).post(path, body, 409);
          expect(answer.body.error).toContain("by cli:night on db1, since ");
        }
    };
    const refused = async (...command: string[]) => {
      const { code, stderr } = await b.run(...command);
      expect([code, stderr]).toEqual([1, expect.stringContaining("already, by cli:night on db1")]);
    };
    await held(`partner:${id}`);
    await refusals(
      [`/admin/partners/${id}/announce`, {}],
      [`/admin/partners/${id}/purge`, { confirm: "Other" }],
    );
    await refused("partner", "announce", id);
    await refused("partner", "purge", id, "--confirm", "Other");
    // A dry run only counts, so it runs in parallel.
    expect((await b.run("partner", "announce", id, "--dry-run")).code).toBe(0);
    await held(`partner:${id}`, "0");
    await admin.client.post(`/admin/partners/${id}/announce`, {}, 202);
    await eventually(async () => {
      const { body } = await admin.client.get(`/admin/partners/${id}/task`);
      expect(body.task.status).toBe("done");
    });
    await eventually(async () =>
      expect(await rowsOf(url, "SELECT * FROM locks WHERE name LIKE 'partner:%'")).toEqual([]),
    );
    await held("fit");
    await refusals(["/admin/model/proposal"]);
    await refused("calibrate", "--apply");
    await held("fit", "0");
  });

  test("create one resource for an Idempotency-Key used on both concurrently, and return equal responses", async () => {
    for (let nth = 0; nth < 10; nth++) {
      const body = { name: `Elm Court ${nth}`, address: "1 Elm St", city: "Albany", state: "NY" };
      const headers = { "idempotency-key": `once ${nth}` };
      const replies = await Promise.all(
        [atA, atB, atA, atB].map((client) => client.send("POST", "/v1/properties", { body, headers })),
      );
      const made = replies.filter(({ status }) => status === 201);
      for (const { status } of replies) expect([201, 409]).toContain(status);
      expect(new Set(made.map(({ text }) => text)).size).toBe(1);
      expect((await atB.get("/v1/properties", { limit: 1 })).body.total).toBe(nth + 1);
    }
  });

  test("each return what the other has stored: records, photos, pages of the event stream, sessions", async () => {
    const property = await addProperty(atA);
    const appliance = await addAppliance(atB, property.id, { install_year: 1980 });
    const form = new FormData();
    form.append("file", new Blob([JPEG]), "tank.jpg");
    const { body: photo } = await atA.ask("POST", `/v1/appliances/${appliance.id}/photos`, 201, {
      raw: form,
    });
    const shown = await fetch(new URL(photo.url, b.url), { headers: { "x-api-key": partner.api_key } });
    expect(Buffer.compare(new Uint8Array(await shown.arrayBuffer()), JPEG)).toBe(0);
    await atB.ask("DELETE", `/v1/appliances/${appliance.id}/photos/${photo.id}`, 200);
    await atA.get(photo.url, {}, 404);
    expect((await atA.get(`/v1/appliances/${appliance.id}/photos`)).body.total).toBe(0);

    const seen: string[] = [];
    for (let offset = 0, total = 1; offset < total; offset += 3) {
      const client = offset % 2 === 0 ? atA : atB;
      const { body } = await client.get("/v1/events", { since: "2020-01-01", limit: 3, offset });
      seen.push(...body.events.map(({ type, data }: Json) => `${type} ${data.id}`));
      total = body.total;
      await addProperty(offset % 2 === 0 ? atB : atA);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((entry) => entry.startsWith("component."))).toHaveLength(
      (await atA.get("/v1/alerts", { limit: 1 })).body.total,
    );

    const signedIn = await fetch(`${a.adminUrl}/console/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ admin_key: admin.key }),
    });
    const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
    const session = await fetch(`${b.adminUrl}/console/admin/servers`, { headers: { cookie } });
    expect(session.status).toBe(200);
  });

  test("reject a rotated key and a revoked token immediately, on whichever server it was changed", async () => {
    const token = await b.withToken(partner);
    await Promise.all([atA.get("/v1/ping"), atB.get("/v1/ping"), token.get("/v1/ping")]);
    const { api_key } = await a.json("partner", "rotate-key", partner.partner_id);
    await atB.get("/v1/ping", {}, 401);
    await a.json("partner", "revoke-tokens", partner.partner_id);
    await token.get("/v1/ping", {}, 401);
    partner = { ...partner, api_key };
    await b.as(partner).get("/v1/ping");
  });

  test("together admit no more calls than the limits per minute and per day", async () => {
    const limits = { limits: { per_partner_per_minute: LIMIT } };
    const [c, d] = [await serverOn(url, a, limits), await serverOn(url, a, limits)];
    const both = (one: Partner) => [c.as(one), d.as(one)];
    const admittedOf = async (one: Partner, calls: number) => {
      const replies = await Promise.all(
        Array.from({ length: calls }, (_, nth) => both(one)[nth % 2]!.send("GET", "/v1/ping")),
      );
      return replies.filter(({ status }) => status === 200).length;
    };
    const limited = await c.json("partner", "create", "Limited");
    const first = await admittedOf(limited, 3 * LIMIT);
    expect(first).toBeWithin(LIMIT, 1.2 * LIMIT + 1);
    // The other servers keep the counts of a server that dies.
    await d.kill();
    await d.start();
    expect(first + (await admittedOf(limited, LIMIT))).toBeLessThanOrEqual(1.2 * LIMIT);
    // Below the limit, none is refused, however unevenly the servers are asked.
    const below = await c.json("partner", "create", "Below");
    for (let nth = 0; nth < LIMIT; nth++) await both(below)[nth % 7 === 0 ? 1 : 0]!.get("/v1/ping");
    const budgeted = await c.json("partner", "create", "Budgeted", "--daily-budget", "20");
    expect(await admittedOf(budgeted, 30)).toBeLessThanOrEqual(20);
    const stopped = c.url;
    await Promise.all([c.stop(), d.stop()]);
    const { body } = await admin.client.get("/admin/servers");
    expect(body.servers.map(({ address }: Json) => address)).not.toContain(stopped);
  });

  test("together admit no more calls per minute from one address than the limit, although a server joins meanwhile", async () => {
    const limits = { limits: { per_ip_per_minute: LIMIT } };
    const admittedBy = async (server: Installation, calls: number) => {
      const replies = await Promise.all(
        Array.from({ length: calls }, () => fetch(new URL("/v1/ping", server.url))),
      );
      for (const reply of replies) await reply.arrayBuffer();
      // Without a credential: it is counted before anything is asked.
      return replies.filter(({ status }) => status === 401).length;
    };
    const c = await serverOn(url, a, limits);
    // A burst of one address is no flood of many.
    expect(await admittedBy(c, 3 * LIMIT)).toBe(LIMIT);
    const d = await serverOn(url, a, limits);
    expect(await admittedBy(d, LIMIT)).toBe(0);
    // Health is asked of each server alone, by the proxy before all of them.
    for (let nth = 0; nth < 5; nth++) expect((await fetch(new URL("/health", d.url))).status).not.toBe(429);
    await Promise.all([c.stop(), d.stop()]);
  });

  // Rule: embed-passcode
  test("together admit no more attempts at a passcode than the limit, and accept each other's cookies", async () => {
    // The calls of the other one are used up.
    const property = await addProperty(a.as(await a.json("partner", "create", "Bolt")));
    const create = async () => {
      const body = { property_id: property.id, passcode: "cedar-8361" };
      return (await admin.client.post("/admin/embeds", body)).body.token as string;
    };
    const enter = (server: Installation, token: string, passcode: string) =>
      fetch(`${server.url}/embed/property/${token}`, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams({ passcode }),
      });
    const entered = await create();
    const cookie = (await enter(a, entered, "cedar-8361")).headers.get("set-cookie")!.split(";")[0]!;
    const page = `${b.url}/embed/property/${entered}`;
    expect((await fetch(page)).status).toBe(403);
    expect((await fetch(page, { headers: { cookie } })).status).toBe(200);
    const guessed = await create();
    const statuses: number[] = [];
    for (let nth = 0; nth < 10; nth++)
      statuses.push((await enter([a, b][nth % 2]!, guessed, "wrong")).status);
    // One more than the limit of 5 may be admitted, as of any limit that servers share.
    expect(statuses.filter((status) => status === 403).length).toBeWithin(5, 7);
    expect(statuses.at(-1)).toBe(429);
  });

  test("take a day's snapshot once", async () => {
    const snapshot = { snapshot: { enabled: true, at: "00:00" } };
    const servers = [await serverOn(url, a, snapshot), await serverOn(url, a, snapshot)];
    const taken = await eventually(async () => {
      const { body } = await admin.client.get("/admin/snapshots");
      expect(body.snapshots[0].finished_at).toBeString();
      return body;
    });
    expect(taken.total).toBe(1);
    for (const server of servers) await server.stop();
    const lines = servers.flatMap(({ log }) => log.filter(({ msg }) => msg === "snapshot taken"));
    expect(lines).toHaveLength(1);
  });

  // Rule: prices-recalculated
  test("say that sums are being recalculated as soon as one with other prices starts, although a killed one has the job", async () => {
    await rowsOf(
      url,
      `INSERT INTO leases (name, holder, epoch, expires_at)
       VALUES ('job:recalculate-sums', 'a killed server', 1, (extract(epoch from clock_timestamp()) * 1000)::bigint + 600000)
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at`,
    );
    const dearer = await serverOn(url, a, { costs: { price_level: 2 } });
    for (const server of [dearer, b])
      expect((await server.as(partner).get("/v1/portfolio/summary")).body.recalculating).toBe(true);
    await dearer.stop();
  });
});

test("a server with another key than those on its database is rejected, with a remedy", async () => {
  const url = await postgres.newInstallation();
  await serverOn(url);
  const [other, elsewhere] = [install({ storage: { url } }), install()];
  await elsewhere.init();
  mkdirSync(other.dataDir, { recursive: true, mode: 0o700 });
  copyFileSync(join(elsewhere.dataDir, KEY_FILE), join(other.dataDir, KEY_FILE));
  const { code, stderr } = await other.run("serve", "--port", "0");
  expect(code).toBe(1);
  expect(stderr).toContain("this server's key differs from the key of the other servers on this database");
  expect(stderr).toContain("Copy the key file");
});

test("a server with its own data folder reports that it is the only one", async () => {
  const server = await serve();
  const { client } = await createAdministrator(server);
  expect((await client.get("/admin/servers")).body).toEqual({ shared: false, servers: [] });
  const { stdout } = await server.run("servers");
  expect(stdout).toBe("Single-server mode (SQLite).\n");
});
