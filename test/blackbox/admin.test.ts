import { beforeAll, describe, expect, test } from "bun:test";
import { type Administrator, adminClient, createAdministrator } from "../support/administrator.ts";
import { requestToken } from "../support/client.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addProperty } from "../support/portfolio.ts";

const { serve } = useMainstay();
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
let server: Installation;
let admin: Administrator;
beforeAll(async () => {
  server = await serve();
  admin = await createAdministrator(server);
});

describe("the administrator listener", () => {
  test("serves its health without a key, and no partner routes", async () => {
    const anonymous = adminClient(server, {});
    expect((await anonymous.get("/health")).body).toMatchObject({ status: "ok" });
    // Without the client, which checks partner routes against the API document.
    const { status } = await fetch(`${server.adminUrl}/v1/ping`, { headers: { "x-api-key": admin.key } });
    expect(status).toBe(404);
  });

  // Rule: base-path
  test("serves routes with and without the base path", async () => {
    await admin.client.get("/api/admin/partners");
    await admin.client.get("/admin/partners");
  });

  // Rule: admin-keys-only
  test("is the only one that serves /admin", async () => {
    await server.client({ "x-api-key": admin.key }).get("/admin/partners", {}, 404);
    await server.client({ "x-api-key": admin.key }).get("/api/admin/partners", {}, 404);
  });

  // Rule: admin-keys-only, admin-key
  test("rejects a request without an administrator key", async () => {
    const partner = await server.createPartner("Acme");
    const bearer = await requestToken(server.url, partner);
    for (const credential of [
      {},
      { "x-api-key": partner.api_key },
      { "x-api-key": `${admin.key.slice(0, -1)}x` },
      { authorization: `Bearer ${bearer}` },
    ] as Record<string, string>[]) {
      const client = adminClient(server, credential);
      await client.get("/admin/partners", {}, 401);
      await client.post(`/admin/partners/${partner.partner_id}/disable`, undefined, 401);
      await client.ask("POST", "/admin/webhook-deliveries/resend", 401, { raw: "{" });
    }
  });

  test("rejects methods that a route does not support", async () => {
    const { headers } = await admin.client.ask("PUT", "/admin/partners", 405);
    expect(headers.get("allow")).toContain("GET");
  });

  test("applies the limit per IP address only", async () => {
    const limited = await serve({
      limits: { per_ip_per_minute: 3, per_partner_per_minute: 1, daily_budget: 1 },
    });
    const { client } = await createAdministrator(limited);
    for (let i = 0; i < 3; i++) {
      const { headers } = await client.get("/admin/partners");
      expect(headers.has("x-ratelimit-limit")).toBe(false);
    }
    const { headers } = await client.get("/admin/partners", {}, 429);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  });

  // Rule: credentials-issued, admin-listener
  test("is the partner listener with admin.listen = main, and then returns no credentials", async () => {
    const shared = await serve({ admin: { listen: "main" } });
    expect(shared.adminUrl).toBe(shared.url);
    const { client } = await createAdministrator(shared);
    const partner = await shared.createPartner("Acme");
    expect((await client.get("/admin/partners")).body.total).toBe(1);
    await shared.as(partner).get("/admin/partners", {}, 401);
    await shared.as(partner).get("/v1/ping");
    for (const action of ["rotate-webhook-secret", "rotate-secret"])
      await client.post(`/admin/partners/${partner.partner_id}/${action}`, undefined, 404);
  });
});

describe("an administrator key", () => {
  // Rule: admin-photo-ids, admin-key
  test("is svc_admin_ and 48 hex digits, of an administrator with an ID", () => {
    expect(admin.key).toMatch(/^svc_admin_[0-9a-f]{48}$/);
    expect(admin.id).toMatch(/^ADM_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  test("is rejected on partner routes", async () => {
    await server.client({ "x-api-key": admin.key }).get("/v1/ping", {}, 401);
  });

  test("stops working immediately when it is revoked", async () => {
    const other = await createAdministrator(server, "Leaving");
    await other.client.get("/admin/audit");
    expect(await server.json("admin", "revoke", other.id)).toEqual({ admin_id: other.id, revoked: true });
    await other.client.get("/admin/audit", {}, 401);
    const { administrators } = await server.json("admin", "list");
    expect(administrators).toContainEqual({
      admin_id: other.id,
      name: "Leaving",
      created_at: expect.stringMatching(ISO),
      revoked_at: expect.stringMatching(ISO),
    });
    expect((await server.run("admin", "revoke", other.id)).code).toBe(1);
  });
});

describe("partners", () => {
  test("are listed in pages and returned one by one", async () => {
    const { partner_id } = await server.createPartner("Listed", "--webhook-url", "https://hooks.example/");
    const { body } = await admin.client.get("/admin/partners", { limit: 1 });
    expect(body).toMatchObject({ limit: 1, offset: 0, page: 1, pages: body.total });
    expect(body.partners).toHaveLength(1);
    expect((await admin.client.get(`/admin/partners/${partner_id}`)).body).toMatchObject({
      partner_id,
      name: "Listed",
      enabled: true,
      daily_budget: 1_000_000,
      webhook_url: "https://hooks.example/",
      webhook_events: null,
      webhook_concurrency: null,
      webhook_paused_at: null,
      client_id: expect.stringMatching(/^svc_client_/),
      properties: 0,
      deliveries_pending: 0,
      deliveries_failed: 0,
    });
  });

  // Rule: daily-limit-changed
  test("get another daily call limit, which applies from the next call", async () => {
    const partner = await server.createPartner("Budgeted");
    const client = server.as(partner);
    await client.get("/v1/ping");
    const path = `/admin/partners/${partner.partner_id}`;
    expect((await admin.client.put(path, { daily_budget: 1 })).body.daily_budget).toBe(1);
    const { headers } = await client.get("/v1/ping", {}, 429);
    expect(headers.get("x-ratelimit-limit")).toBe("1");
    await admin.client.put(path, { daily_budget: 5000 });
    await client.get("/v1/ping");
  });

  // Rule: partner-name
  test("are renamed, in cached responses too", async () => {
    const partner = await server.createPartner("Acme Proprety");
    const client = server.as(partner);
    const path = `/admin/partners/${partner.partner_id}`;
    const nameAfter = async (change: () => Promise<unknown>) => {
      const { etag } = Object.fromEntries((await client.get("/v1/properties")).headers);
      await change();
      const listed = await client.ask("GET", "/v1/properties", 200, { headers: { "if-none-match": etag! } });
      expect((await client.get("/v1/ping")).body.partner).toBe(listed.body.partner);
      return listed.body.partner;
    };
    expect(await nameAfter(() => admin.client.put(path, { name: " Acme Property " }))).toBe("Acme Property");
    const renamed = () => server.json("partner", "rename", partner.partner_id, "Acme Homes");
    expect(await nameAfter(renamed)).toBe("Acme Homes");
    await admin.client.put(path, { name: "Acme Homes" });
    const { body } = await admin.client.get("/admin/audit", { subject: partner.partner_id });
    expect(body.entries).toMatchObject([
      { action: "partner.rename", detail: { from: "Acme Property", to: "Acme Homes" } },
      { action: "partner.rename", actor: admin.id, detail: { from: "Acme Proprety", to: "Acme Property" } },
      { action: "partner.create" },
    ]);
  });

  // Rule: tokens-revoked
  test("are disabled and enabled: keys and tokens stop working immediately, and tokens stay revoked", async () => {
    const partner = await server.createPartner("Switched");
    const byKey = server.as(partner);
    const byToken = await server.withToken(partner);
    await byKey.get("/v1/ping");
    await byToken.get("/v1/ping");
    const path = `/admin/partners/${partner.partner_id}`;
    expect((await admin.client.post(`${path}/disable`, undefined, 200)).body.enabled).toBe(false);
    await byKey.get("/v1/ping", {}, 401);
    await byToken.get("/v1/ping", {}, 401);
    const { client_id, client_secret } = partner;
    const asked = { grant_type: "client_credentials", client_id, client_secret };
    await server.anonymous.ask("POST", "/oauth/token", 401, { body: asked });
    expect((await admin.client.post(`${path}/enable`, {}, 200)).body.enabled).toBe(true);
    await byKey.get("/v1/ping");
    await byToken.get("/v1/ping", {}, 401);
    await (await server.withToken(partner)).get("/v1/ping");
  });

  test("lose their tokens and keep their key", async () => {
    const partner = await server.createPartner("Revoked");
    const byToken = await server.withToken(partner);
    await byToken.get("/v1/ping");
    await admin.client.post(`/admin/partners/${partner.partner_id}/revoke-tokens`, undefined, 200);
    await byToken.get("/v1/ping", {}, 401);
    await server.as(partner).get("/v1/ping");
  });

  // Rule: demo-not-billed
  test("have calls counted by day, and units without those of demo properties", async () => {
    const partner = await server.createPartner("Counted");
    const client = server.as(partner);
    await addProperty(client, { unit_count: 12 });
    await client.post("/onboarding/demo-property", undefined);
    const path = `/admin/partners/${partner.partner_id}/usage`;
    const month = new Date().toISOString().slice(0, 7);
    const { body } = await admin.client.get(path);
    expect(body).toMatchObject({
      partner_id: partner.partner_id,
      name: "Counted",
      month,
      billable_units: 12,
    });
    expect(body.calls).toBeGreaterThanOrEqual(2);
    expect(body.calls).toBeLessThanOrEqual(12);
    expect(body.days.map(({ calls }: { calls: number }) => calls)).toEqual([body.calls]);
    expect((await admin.client.get(path, { month: "2020-02" })).body).toMatchObject({ calls: 0, days: [] });
  });

  test("reject invalid input without a change", async () => {
    const { partner_id } = await server.createPartner("Unharmed");
    const path = `/admin/partners/${partner_id}`;
    const before = (await admin.client.get(path)).body;
    for (const body of [
      { name: " " },
      { name: "Two\nlines" },
      { daily_budget: -1 },
      { daily_budget: "many" },
      { webhook_url: "ftp://hooks.example/" },
      { webhook_url: "https://user:password@hooks.example/" },
      { webhook_url: "https://hooks.example/\0" },
      { webhook_url: "https://hooks.example/\ud800" },
      { webhook_url: "http://169.254.169.254/latest" },
      { webhook_url: "https://[64:ff9b::a9fe:1]/" },
      { webhook_events: ["component.exploded"] },
      { webhook_concurrency: 0 },
    ]) {
      const refusal = await admin.client.put(path, body, 400);
      expect(refusal.body.details[0].field).toStartWith(Object.keys(body)[0]!);
    }
    const reachingItself = { name: "Late", webhook_url: "http://0.0.0.0/hooks" };
    expect((await admin.client.post("/admin/partners", reachingItself, 400)).body.error).toBe(
      "webhook_url: 0.0.0.0 is an unspecified address, which is always refused",
    );
    await admin.client.get(`${path}/usage`, { month: "2026-13" }, 400);
    await admin.client.post(`${path}/rotate-webhook-secret`, { overlap_hours: -1 }, 400);
    expect((await admin.client.get(path)).body).toEqual(before);
  });

  test("are not found if they do not exist", async () => {
    const path = "/admin/partners/PARTNER_00000000000000000000000000";
    expect((await admin.client.get(path, {}, 404)).body.error).toBe("Partner not found");
    await admin.client.get(`${path}/usage`, {}, 404);
    await admin.client.put(path, { daily_budget: 1 }, 404);
    for (const action of [
      "enable",
      "disable",
      "revoke-tokens",
      "rotate-webhook-secret",
      "rotate-secret",
      "webhook-test",
    ])
      await admin.client.post(`${path}/${action}`, undefined, 404);
  });
});

describe("the audit log", () => {
  test("names the actor of every change, by API or command line, and contains no secrets", async () => {
    const partner = await server.createPartner("Audited");
    const { partner_id } = partner;
    await server.json("partner", "set-budget", partner_id, "70");
    await admin.client.put(`/admin/partners/${partner_id}`, { daily_budget: 80 });
    const rotated = await admin.client.post(`/admin/partners/${partner_id}/rotate-webhook-secret`, {}, 200);
    expect(rotated.headers.get("cache-control")).toBe("no-store");
    expect(rotated.body.webhook_secret).toStartWith("whsec_");
    const renewed = await admin.client.post(`/admin/partners/${partner_id}/rotate-secret`, {}, 200);
    expect(renewed.headers.get("cache-control")).toBe("no-store");
    await server.withToken({ ...partner, client_secret: renewed.body.client_secret });
    const { body, text } = await admin.client.get("/admin/audit", { subject: partner_id });
    expect(body.total).toBe(5);
    expect(body.entries).toMatchObject([
      { actor: admin.id, action: "partner.rotate_secret", detail: { client_id: partner.client_id } },
      { actor: admin.id, action: "partner.rotate_webhook_secret", subject: partner_id },
      { actor: admin.id, action: "partner.set_budget", detail: { from: 70, to: 80 } },
      { actor: expect.stringMatching(/^cli:/), action: "partner.set_budget", detail: { to: 70 } },
      { actor: expect.stringMatching(/^cli:/), action: "partner.create", at: expect.stringMatching(ISO) },
    ]);
    const secrets = [partner.api_key, partner.client_secret, partner.webhook_secret];
    for (const secret of [...secrets, rotated.body.webhook_secret, renewed.body.client_secret])
      expect(text).not.toContain(secret);
    const printed = await server.json("audit", "--subject", partner_id, "--limit", "2");
    expect(printed).toEqual({ entries: body.entries.slice(0, 2), total: 5 });
  });
});
