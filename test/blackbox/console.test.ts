import { beforeAll, describe, expect, test } from "bun:test";
import { type Administrator, createAdministrator } from "../support/administrator.ts";
import { makeCertificate } from "../support/certificates.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";
import { onPostgres } from "../support/postgres.ts";

/* The requests of the console's pages. test/blackbox/forged-changes.test.ts sends those that an attacker might forge. */

const { serve, folder } = useMainstay();
let server: Installation;
let admin: Administrator;
beforeAll(async () => {
  server = await serve({ rm: { token: "secret-rm-token" } });
  admin = await createAdministrator(server, "Jane");
});

type Sent = { method?: string; body?: unknown; headers?: Record<string, string> };

async function request(
  path: string,
  { method = "GET", body, headers = {} }: Sent = {},
  base = server.adminUrl,
) {
  const json: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(base + path, {
    method,
    headers: { ...json, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    tls: { rejectUnauthorized: false },
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? {} : (JSON.parse(text) as Json),
  };
}

/** Opens a session. Returns the headers of its reads and of its changes. */
async function signIn(key = admin.key, base = server.adminUrl, path = "/console/session") {
  const { status, headers, body } = await request(path, { method: "POST", body: { admin_key: key } }, base);
  const set = headers.get("set-cookie") ?? "";
  const reads = { cookie: set.split(";")[0]! };
  return { status, set, body, reads, changes: { ...reads, "x-csrf-token": String(body.csrf_token) } };
}

describe("a session", () => {
  // Rule: console-session
  test("starts with an administrator key and sets an HttpOnly cookie for the console's path", async () => {
    const { status, set, body, reads } = await signIn();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      signed_in: true,
      admin_id: admin.id,
      name: "Jane",
      shows_credentials: true,
    });
    expect(set).toMatch(
      /^mainstay_console=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    expect((await request("/console/session", { headers: reads })).body).toEqual(body);
    const { set: below } = await signIn(admin.key, server.adminUrl, "/api/console/session");
    expect(below).toContain("Path=/api/console;");
  });

  // Rule: console-session
  test("has a Secure cookie under TLS, including TLS that a proxy terminates", async () => {
    const tls = await makeCertificate(folder(), "localhost");
    const secure = await serve({
      admin: { listen: "0.0.0.0:0" },
      server: { tls_cert: tls.cert, tls_key: tls.key },
    });
    const { key } = await createAdministrator(secure);
    const base = secure.adminUrl.replace("0.0.0.0", "127.0.0.1");
    expect(base).toStartWith("https:");
    expect((await signIn(key, base)).set).toContain("; Secure");
    const { headers } = await request("/console/session", {
      method: "POST",
      body: { admin_key: admin.key },
      headers: { origin: server.adminUrl.replace("http:", "https:") },
    });
    expect(headers.get("set-cookie")).toContain("; Secure");
  });

  // Rule: console-session
  test("does not start with any other key", async () => {
    const partner = await server.createPartner("Acme");
    for (const key of [`${admin.key.slice(0, -1)}x`, partner.api_key, "x"]) {
      const { status, set } = await signIn(key);
      expect([status, set]).toEqual([401, ""]);
    }
    for (const body of [{}, { admin_key: "" }, { admin_key: 1 }, { admin_key: "x".repeat(201) }])
      expect((await request("/console/session", { method: "POST", body })).status).toBe(400);
  });

  // Rule: console-session
  test("authenticates the admin API only below /console, where a key does not", async () => {
    const { reads } = await signIn();
    expect((await request("/console/admin/partners", { headers: reads })).status).toBe(200);
    expect((await request("/admin/partners", { headers: reads })).status).toBe(401);
    expect((await request("/console/admin/partners", { headers: { "x-api-key": admin.key } })).status).toBe(
      401,
    );
    expect(
      (await request("/console/admin/partners", { headers: { cookie: "mainstay_console=x" } })).status,
    ).toBe(401);
  });

  // Rule: console-session
  test("ends with signing out, with revoking its key and with a restart of the server", async () => {
    const { reads, changes } = await signIn();
    const out = await request("/console/session/end", { method: "POST", headers: changes });
    expect(out.body.signed_in).toBe(false);
    expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await request("/console/admin/overview", { headers: reads })).status).toBe(401);

    const other = await createAdministrator(server, "Jack");
    const jack = await signIn(other.key);
    expect((await request("/console/admin/overview", { headers: jack.reads })).status).toBe(200);
    await server.json("admin", "revoke", other.id);
    expect((await request("/console/admin/overview", { headers: jack.reads })).status).toBe(401);

    const own = await serve();
    const { key } = await createAdministrator(own);
    const session = await signIn(key, own.adminUrl);
    await own.stop();
    await own.start();
    // Sessions in a shared database survive a restart.
    expect((await request("/console/session", { headers: session.reads }, own.adminUrl)).body.signed_in).toBe(
      onPostgres,
    );
  });
});

// Rule: root-to-console
test("the root of the administrator listener redirects to the console, that of the partners' to the reference", async () => {
  const { headers, status } = await fetch(`${server.adminUrl}/`, { redirect: "manual" });
  expect([status, headers.get("location")]).toEqual([302, "console"]);
  expect(await (await fetch(`${server.adminUrl}/`)).text()).toContain("Mainstay console");
  const own = await fetch(`${server.url}/`, { redirect: "manual" });
  expect(own.headers.get("location")).toBe("docs");
});

// Rule: console-changes
test("changes are audited in the administrator's name", async () => {
  const { changes, reads } = await signIn();
  const body = { name: "Acme Mutual", daily_budget: 7, webhook_url: "https://receiver.example/hooks" };
  const created = await request("/console/admin/partners", { method: "POST", body, headers: changes });
  expect(created.status).toBe(201);
  expect(created.headers.get("cache-control")).toBe("no-store");
  const { partner_id, api_key } = created.body;
  expect(await server.as({ api_key }).get("/v1/ping")).toMatchObject({ body: { partner: "Acme Mutual" } });
  const rotated = await request(`/console/admin/partners/${partner_id}/rotate-key`, {
    method: "POST",
    headers: changes,
  });
  await server.as({ api_key }).get("/v1/ping", {}, 401);
  await server.as({ api_key: String(rotated.body.api_key) }).get("/v1/ping");
  const { entries } = (await request(`/console/admin/audit?subject=${partner_id}`, { headers: reads }))
    .body as {
    entries: Json[];
  };
  expect(entries.map(({ actor, action }) => [actor, action])).toEqual([
    [admin.id, "partner.rotate_key"],
    [admin.id, "partner.create"],
  ]);
  const refused = await request("/console/admin/partners", {
    method: "POST",
    body: { name: "" },
    headers: changes,
  });
  expect(refused.status).toBe(400);
});

// Rule: credentials-issued
test("no credentials are created on a listener that partners can reach", async () => {
  const shared = await serve({ admin: { listen: "main" } });
  const { key } = await createAdministrator(shared);
  const { body, changes } = await signIn(key, shared.url);
  expect(body.shows_credentials).toBe(false);
  const make = { method: "POST", body: { name: "Acme" }, headers: changes };
  expect((await request("/console/admin/partners", make, shared.url)).status).toBe(405);
});

describe("the data of the console", () => {
  // Rule: overview
  test("the overview has a remedy for every check that is not OK", async () => {
    const { body } = await admin.client.get("/admin/overview");
    const checks = body.checks as Json[];
    expect(checks.map(({ name }) => name)).toEqual([
      ...["database", "snapshot", "last_backup", "outbox", "receivers", "budgets", "disk_space"],
      ...(onPostgres ? [] : ["wal"]),
      ...["tls_certificate", "model"],
    ]);
    for (const { status, remedy } of checks) expect(remedy === null).toBe(status === "ok");
    // PostgreSQL's own tools take its backups.
    const status = onPostgres ? "ok" : "warn";
    expect(checks.find(({ name }) => name === "last_backup")).toMatchObject({ status });
    if (!onPostgres) expect(body.status).not.toBe("ok");
  });

  // Rule: overview
  test("the overview warns of a partner close to its daily call limit", async () => {
    const spender = await server.createPartner("Spender", "--daily-budget", "20");
    for (let call = 0; call < 19; call++) await server.as(spender).get("/v1/ping");
    const checks = (await admin.client.get("/admin/overview")).body.checks as Json[];
    expect(checks.find(({ name }) => name === "budgets")).toMatchObject({
      status: "warn",
      detail: "Spender has 1 of 20 calls left today",
    });
  });

  // Rule: jobs
  test("a job can be run, and is audited in the administrator's name", async () => {
    const jobs = (await admin.client.get("/admin/jobs")).body.jobs as Json[];
    expect(jobs.find(({ name }) => name === "prune-idempotency-keys")).toMatchObject({
      pattern: "0 17 * * * *",
      running: false,
    });
    await admin.client.post("/admin/jobs/prune-idempotency-keys/run", undefined, 202);
    const after = (await admin.client.get("/admin/jobs")).body.jobs as Json[];
    expect(after.find(({ name }) => name === "prune-idempotency-keys")?.started_at).toBeString();
    await admin.client.post("/admin/jobs/nothing/run", undefined, 404);
    const { entries } = (await admin.client.get("/admin/audit?subject=prune-idempotency-keys")).body;
    expect((entries as Json[])[0]).toMatchObject({ actor: admin.id, action: "job.run" });
  });

  // Rule: settings
  test("the settings have their sources and no secrets", async () => {
    const { body } = await admin.client.get("/admin/settings");
    const of = (key: string) => (body.settings as Json[]).find((one) => one.key === key);
    expect(body.file).toBe(server.configFile);
    expect(of("limits.bulk_items")).toMatchObject({ value: "1000", origin: "default" });
    expect(of("limits.bulk_items")).toMatchObject({
      description: expect.stringMatching(/^Maximum number of items in a bulk request\./),
      accepts: "a whole number from 1 to 100000",
      default_value: "1000",
    });
    expect(of("rm.token").default_value).toBeNull();
    expect(of("server.port")).toMatchObject({ value: "0", origin: "--port" });
    expect(of("snapshot.enabled")?.origin).toMatch(/mainstay\.toml:\d+$/);
    expect(of("rm.token")).toMatchObject({ value: null, is_secret: true, is_set: true });
    expect(JSON.stringify(body)).not.toContain("secret-rm-token");
  });

  // Rule: console-search
  test("a search finds records of all partners, endpoints and settings by a text, and each by its ID", async () => {
    const hook = "https://hooks.search.example/in";
    const partner = await server.createPartner("Zephyr Mutual", "--webhook-url", hook);
    await server.createPartner("Another");
    const client = server.as(partner);
    const input = { name: "Quince Hall", address: "77 Zinnia Way", partner_property_id: "ref-77" };
    const property = await addProperty(client, input);
    const appliance = await addWornAppliance(client, property.id, { serial: "ZX-4711" });
    const found = async (q: string) => {
      const { body } = await admin.client.get("/admin/search", { q });
      return (body.results as Json[]).map(({ kind, id, property_id }) => ({ kind, id, property_id }));
    };
    const own = { kind: "property", id: property.id, property_id: property.id };
    for (const text of ["quince", "77 zin", "ZINNIA", "ref-77", property.id])
      expect({ text, found: await found(text) }).toEqual({ text, found: expect.arrayContaining([own]) });
    expect(await found("zx-47")).toEqual([{ kind: "appliance", id: appliance.id, property_id: property.id }]);
    expect(await found("ephyr")).toEqual([{ kind: "partner", id: partner.partner_id, property_id: null }]);
    expect(await found("hooks.search")).toEqual([
      { kind: "endpoint", id: partner.partner_id, property_id: null },
    ]);
    expect(await found("bulk_items")).toEqual([
      { kind: "setting", id: "limits.bulk_items", property_id: null },
    ]);
    expect(await found(partner.partner_id)).toEqual([
      { kind: "audit", id: partner.partner_id, property_id: null },
      { kind: "partner", id: partner.partner_id, property_id: null },
    ]);
    const { id: delivery } = (
      await admin.client.post(`/admin/partners/${partner.partner_id}/webhook-test`, undefined, 202)
    ).body;
    expect(await found(delivery)).toEqual([{ kind: "delivery", id: delivery, property_id: null }]);
    const component = (await client.get("/v1/components", { property_id: property.id })).body.components[0];
    expect(await found(component.id)).toEqual([
      { kind: "component", id: component.id, property_id: property.id },
    ]);
    expect(await found("nothing begins so")).toEqual([]);
    await admin.client.get("/admin/search", {}, 400);
  });
});
