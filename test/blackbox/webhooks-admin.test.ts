import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance, PROPERTY } from "../support/portfolio.ts";
import { type Receiver, type ReceiverOptions, startReceiver, verifySignatures } from "../support/receiver.ts";

const { folder, install, serve } = useMainstay();
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const fixture = (name: string) => join(import.meta.dir, "../fixtures/tls", name);
const receivers: Receiver[] = [];
let server: Installation;
let admin: Administrator;
beforeAll(async () => {
  server = await serve();
  admin = await createAdministrator(server);
});
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

async function listen(options: ReceiverOptions = {}): Promise<Receiver> {
  const receiver = await startReceiver(options);
  receivers.push(receiver);
  return receiver;
}

/** A partner whose webhooks go to a receiver of its own. */
async function listening(options: ReceiverOptions = {}, at = server) {
  const receiver = await listen(options);
  const partner =
    at === server
      ? await createPartnerBy(admin, { name: "Acme", webhook_url: receiver.url })
      : await at.createPartner("Acme", "--webhook-url", receiver.url);
  return { partner, receiver, client: at.as(partner), path: `/admin/partners/${partner.partner_id}` };
}

/** The partner's deliveries as soon as all of them are in that state. */
const settled = (
  { partner_id }: Partner,
  count: number,
  status = "delivered",
  by = admin.client,
): Promise<Json[]> =>
  eventually(async () => {
    const { body } = await by.get("/admin/webhook-deliveries", { partner_id });
    expect(body.deliveries.map((one: Json) => one.status)).toEqual(Array(count).fill(status));
    return body.deliveries;
  });

const testWebhook = (path: string, status = 202, body?: object) =>
  admin.client.post(`${path}/webhook-test`, body, status);

describe.concurrent("the delivery log", () => {
  // Rule: list-deliveries
  test("lists deliveries with every attempt, newest first, by any of its filters", async () => {
    const { partner, client } = await listening({ behave: () => ({ status: 204 }) });
    const before = new Date(Date.now() - 1000).toISOString();
    await addProperty(client);
    await addProperty(client);
    const [newest, oldest] = await settled(partner, 2);
    expect(newest).toEqual({
      id: expect.stringMatching(/^WH_\d+_[0-9a-z]{5}$/),
      partner_id: partner.partner_id,
      partner_name: "Acme",
      event: "property.created",
      subject: PROPERTY.address,
      request_id: expect.stringMatching(/^[\w-]{16}$/),
      status: "delivered",
      created_at: expect.stringMatching(ISO),
      next_attempt_at: null,
      finished_at: expect.stringMatching(ISO),
      attempt_count: 1,
      attempts: [
        {
          attempt: 1,
          started_at: expect.stringMatching(ISO),
          finished_at: expect.stringMatching(ISO),
          duration_ms: expect.any(Number),
          status_code: 204,
          error: null,
          address: "127.0.0.1",
          response_head: "",
        },
      ],
    });
    expect(newest.id > oldest.id).toBe(true);
    const { partner_id } = partner;
    const total = async (query: Record<string, string | number>) =>
      (await admin.client.get("/admin/webhook-deliveries", { partner_id, ...query })).body;
    expect(await total({ limit: 1, offset: 1 })).toMatchObject({ total: 2, page: 2, pages: 2, limit: 1 });
    expect((await total({ limit: 1, offset: 1 })).deliveries[0].id).toBe(oldest.id);
    expect((await total({ status: "delivered", event: "property.created", since: before })).total).toBe(2);
    expect((await total({ status: "failed" })).total).toBe(0);
    expect((await total({ event: "component.critical" })).total).toBe(0);
    expect((await total({ since: new Date(Date.now() + 60_000).toISOString() })).total).toBe(0);
  });

  test("has the ID of the request that caused a delivery in its attempts, if there was one", async () => {
    const { partner, client } = await listening({
      behave: ({ event }, nth) => ({ status: event === "property.created" && nth === 1 ? 500 : 200 }),
    });
    const address = { address: "1 Elm St", state: "NY" };
    await client.post("/v1/properties", { name: "Elm", ...address }, 201, { "x-request-id": "call-4711" });
    const once = { "x-request-id": "call-4712", "idempotency-key": "once" };
    const elm = (await client.post("/v1/properties", { name: "Oak", ...address }, 201, once)).body;
    await client.post("/v1/properties", { name: "Oak", ...address }, 201, {
      ...once,
      "x-request-id": "late",
    });
    await addWornAppliance(client, elm.id);
    const { body: test } = await admin.client.post(
      `/admin/partners/${partner.partner_id}/webhook-test`,
      undefined,
      202,
      { "x-request-id": "night shift 1" },
    );
    await server.json("snapshot");
    const logged = await eventually(async () => {
      const { body } = await admin.client.get("/admin/webhook-deliveries", {
        partner_id: partner.partner_id,
        limit: 200,
      });
      expect(body.deliveries.filter(({ status }: Json) => status !== "delivered")).toEqual([]);
      return body.deliveries as Json[];
    });
    const idsOf = (event: string) => logged.filter((one) => one.event === event).map((one) => one.request_id);
    expect(idsOf("property.created").sort()).toEqual(["call-4711", "call-4712"]);
    expect(idsOf("webhook.test")).toEqual(["night shift 1"]);
    const announced = idsOf("component.critical");
    expect(announced.length).toBeGreaterThan(0);
    expect(new Set(announced)).toEqual(new Set([null]));
    const first = logged.find((one) => one.request_id === "call-4711")!;
    await eventually(() => {
      const attempts = server.log.filter(
        ({ msg, request_id }) => msg === "webhook attempt" && request_id === "call-4711",
      );
      expect(attempts).toMatchObject([
        { delivery_id: first.id, attempt: 1, outcome: "retry", status_code: 500 },
      ]);
    });
    expect((await server.run("deliveries", "show", first.id)).stdout).toMatch(/^Request +call-4711$/m);
    expect(await server.json("deliveries", "show", test.id)).toMatchObject({ request_id: "night shift 1" });
  });

  // Rule: list-deliveries
  test("rejects filters that nothing can match", async () => {
    const refused: Record<string, string | number>[] = [
      { status: "lost" },
      { event: "component.exploded" },
      { since: "yesterday" },
      { limit: 0 },
    ];
    for (const query of refused) await admin.client.get("/admin/webhook-deliveries", query, 400);
  });

  test("shows one delivery with its body, both to administrators and on the command line", async () => {
    const { partner, client, receiver } = await listening();
    await addProperty(client);
    const [{ id }] = (await settled(partner, 1)) as [Json];
    const { body } = await admin.client.get(`/admin/webhook-deliveries/${id}`);
    expect(body.payload).toEqual(JSON.parse(receiver.received[0]!.body.toString()));
    expect(await server.json("deliveries", "show", id)).toEqual(body);
    await admin.client.get("/admin/webhook-deliveries/WH_1_aaaaa", {}, 404);
  });
});

describe.concurrent("resending", () => {
  // Rule: resend
  test("sends the same ID and bytes again, and adds an attempt", async () => {
    const { partner, client, receiver } = await listening();
    await addProperty(client);
    const [{ id }] = (await settled(partner, 1)) as [Json];
    const { body } = await admin.client.post(`/admin/webhook-deliveries/${id}/resend`, undefined, 202);
    expect(body).toEqual({ id, status: "pending", attempts: 1, partner_id: partner.partner_id });
    const [first, second] = await receiver.waitFor((received) => received.length === 2);
    expect(second).toMatchObject({ id, body: first!.body });
    const [again] = await settled(partner, 1);
    expect(again).toMatchObject({ attempt_count: 2, attempts: [{ attempt: 1 }, { attempt: 2 }] });
    expect(await server.json("deliveries", "resend", id)).toMatchObject({ id, attempts: 2 });
    await receiver.waitFor((received) => received.length === 3);
  });

  // Rule: resend-refused
  test("is rejected while the delivery is pending, and for an unknown delivery", async () => {
    const { partner, client } = await listening({ behave: () => "hang" });
    await addProperty(client);
    const [{ id }] = (await settled(partner, 1, "pending")) as [Json];
    await admin.client.post(`/admin/webhook-deliveries/${id}/resend`, undefined, 409);
    await admin.client.post("/admin/webhook-deliveries/WH_1_aaaaa/resend", undefined, 404);
    const { code, stderr } = await server.run("deliveries", "resend", id);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "mainstay: Delivery is still in progress\n" });
  });

  test("is rejected for a partner whose endpoint was removed", async () => {
    const { partner, client, path } = await listening();
    await addProperty(client);
    const [{ id }] = (await settled(partner, 1)) as [Json];
    await admin.client.put(path, { webhook_url: null });
    await admin.client.post(`/admin/webhook-deliveries/${id}/resend`, undefined, 409);
  });

  test("of a partner's failed deliveries in a time window counts them first, then sends them in order", async () => {
    const { partner, client, receiver } = await listening();
    for (let i = 0; i < 3; i++) await addProperty(client);
    const ids = (await settled(partner, 3)).map(({ id }) => id).reverse();
    const failed = async () => (await admin.client.get("/admin/overview")).body.deliveries_failed_24h;
    const failedBefore = await failed();
    await markFailed(partner);
    expect(await failed()).toBe(failedBefore + 3);
    const window = { partner_id: partner.partner_id, from: "2020-01-01", to: "2100-01-01T00:00:00Z" };
    const dry = await admin.client.post(
      "/admin/webhook-deliveries/resend",
      { ...window, dry_run: true },
      200,
    );
    expect(dry.body).toEqual({
      partner_id: partner.partner_id,
      from: "2020-01-01T00:00:00.000Z",
      to: "2100-01-01T00:00:00.000Z",
      status: "failed",
      error: null,
      matched: 3,
      resent: 0,
      dry_run: true,
    });
    // All three had no error before they were marked.
    const { groups } = (await admin.client.get("/admin/webhook-failures", { partner_id: partner.partner_id }))
      .body;
    expect(groups).toMatchObject([{ partner_id: partner.partner_id, error: "", failed: 3 }]);
    const listed = await server.json("deliveries", "failures", "--partner", partner.partner_id);
    expect(listed).toEqual({ groups });
    const other = { ...window, error: "HTTP 500" };
    expect((await admin.client.post("/admin/webhook-deliveries/resend", other, 202)).body).toMatchObject({
      error: "HTTP 500",
      matched: 0,
      resent: 0,
    });
    const past = { ...window, to: "2020-01-02" };
    expect((await admin.client.post("/admin/webhook-deliveries/resend", past, 202)).body.resent).toBe(0);
    const inverted = { ...window, to: "2019-12-31" };
    expect((await admin.client.post("/admin/webhook-deliveries/resend", inverted, 400)).body.error).toBe(
      "to must be after from",
    );
    const { body } = await admin.client.post("/admin/webhook-deliveries/resend", window, 202);
    expect(body).toMatchObject({ matched: 3, resent: 3, dry_run: false });
    const again = await admin.client.post("/admin/webhook-deliveries/resend", window, 202);
    expect(again.body).toMatchObject({ matched: 0, resent: 0 });
    const audit = (
      await admin.client.get("/admin/audit", {
        action: "delivery.resend_failed",
        partner_id: partner.partner_id,
        actor: admin.id,
      })
    ).body;
    expect((audit.entries as Json[]).map(({ sentence }) => sentence)).toEqual([
      "resent 3 failed deliveries of Acme",
    ]);
    await settled(partner, 3);
    expect(
      receiver.received
        .slice(3)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids);

    await markFailed(partner);
    const flags = ["--partner", partner.partner_id, "--from", "2020-01-01", "--to", "2100-01-01"];
    expect(await server.json("deliveries", "resend", ...flags, "--dry-run")).toMatchObject({
      matched: 3,
      resent: 0,
    });
    expect(await server.json("deliveries", "resend", ...flags)).toMatchObject({ matched: 3, resent: 3 });
    await receiver.waitFor((received) => received.length === 9);
  });

  test("of a time window is rejected without its bounds and for an unknown partner", async () => {
    const { partner_id } = await createPartnerBy(admin, { name: "Acme" });
    const path = "/admin/webhook-deliveries/resend";
    const refusal = await admin.client.post(path, { partner_id }, 400);
    expect(refusal.body.error).toBe("partner_id, from, to required");
    const window = { partner_id, from: "2020-01-01", to: "2021-01-01" };
    await admin.client.post(path, { ...window, from: "soon" }, 400);
    await admin.client.post(path, { ...window, status: "delivered" }, 400);
    await admin.client.post(path, { ...window, partner_id: "PARTNER_x" }, 404);
    await admin.client.post(path, window, 409);
    expect((await server.run("deliveries", "resend", "--partner", partner_id)).code).toBe(2);
  });
});

describe.concurrent("a test of the webhook endpoint", () => {
  // Rule: send-test-event, webhook-test
  test("is sent regardless of the partner's events, and names the requester", async () => {
    const { path, partner, receiver } = await listening();
    await admin.client.put(path, { webhook_events: ["component.critical"] });
    const { body } = await testWebhook(path, 202, { message: "Are you there?" });
    expect(body).toMatchObject({ event: "webhook.test", status: "pending", partner_id: partner.partner_id });
    const [received] = await receiver.waitFor((all) => all.length === 1);
    expect(received!.id).toBe(body.id);
    expect(JSON.parse(received!.body.toString())).toMatchObject({
      event: "webhook.test",
      version: "v1",
      data: { message: "Are you there?", requested_by: admin.name },
    });
    const { delivery_id } = await server.json("partner", "webhook-test", partner.partner_id);
    await receiver.waitFor((all) => all.some(({ id }) => id === delivery_id));
  });

  test("is rejected for a partner without a webhook endpoint, and for a disabled one", async () => {
    const { partner_id } = await createPartnerBy(admin, { name: "Deaf" });
    await testWebhook(`/admin/partners/${partner_id}`, 409);
    const { path } = await listening();
    await admin.client.post(`${path}/disable`, undefined, 200);
    await testWebhook(path, 409);
  });
});

describe.concurrent("a partner's webhook endpoint", () => {
  // Rule: endpoint-settings
  test("gets the events that an administrator selects, and later all of them again", async () => {
    const { client, path, receiver } = await listening();
    await admin.client.put(path, { webhook_events: ["appliance.created"] });
    await addProperty(client);
    await admin.client.put(path, { webhook_events: [] });
    const { id } = await addProperty(client);
    const received = await receiver.waitFor((all) => all.length === 1);
    expect(JSON.parse(received[0]!.body.toString()).data.property_id).toBe(id);
  });

  test("waits while the partner is disabled, and gets everything when it is enabled", async () => {
    const { client, partner, path, receiver } = await listening({ behave: () => ({ status: 500 }) });
    await addProperty(client);
    await receiver.waitFor((all) => all.length === 1);
    await server.json("partner", "disable", partner.partner_id);
    receiver.behave(undefined);
    const [{ id }] = (await settled(partner, 1, "pending")) as [Json];
    expect((await admin.client.get(path)).body).toMatchObject({ enabled: false, deliveries_pending: 1 });
    await server.json("partner", "enable", partner.partner_id);
    await settled(partner, 1);
    // More than twice where it took longer than the first pause to disable the partner.
    expect(receiver.received.length).toBeGreaterThan(1);
    expect(new Set(receiver.received.map((one) => one.id))).toEqual(new Set([id]));
  });

  test("gets as many concurrent deliveries as an administrator allows", async () => {
    let underWay = 0;
    let most = 0;
    const { client, partner, path } = await listening({
      behave: () => {
        most = Math.max(most, ++underWay);
        setTimeout(() => underWay--, 20);
        return { status: 200, delayMs: 20 };
      },
    });
    await admin.client.put(path, { webhook_concurrency: 1 });
    for (let i = 0; i < 6; i++) await addProperty(client);
    await settled(partner, 6);
    expect(most).toBe(1);
    expect((await admin.client.get(path)).body.webhook_concurrency).toBe(1);
  });

  test("with a new URL gets the deliveries that failed at the previous one", async () => {
    const { client, path, receiver } = await listening({ behave: () => "reset" });
    await addProperty(client);
    await receiver.waitFor((all) => all.length === 1);
    const next = await listen();
    await admin.client.put(path, { webhook_url: next.url });
    await next.waitFor((all) => all.length === 1);
    expect(next.received[0]!.id).toBe(receiver.received[0]!.id);
  });
});

describe.concurrent("the rotation of a webhook secret", () => {
  // Rule: secret-overlap
  test("with an overlap signs with both secrets, and afterward only with the new one", async () => {
    const { partner, path, receiver } = await listening();
    const { partner_id, webhook_secret: old } = partner;
    const rotated = await server.json("partner", "rotate-webhook-secret", partner_id, "--overlap", "24h");
    const next: string = rotated.webhook_secret;
    await testWebhook(path);
    const [during] = await receiver.waitFor((all) => all.length === 1);
    expect(await verifySignatures(during!, old, next)).toEqual({
      service: true,
      webhook: true,
      standard: true,
      next: true,
    });
    await server.sql(`UPDATE webhook_receivers SET rotates_at = 1 WHERE partner_id = '${partner_id}'`);
    const { body } = await testWebhook(path);
    const received = await receiver.waitFor((all) => all.some(({ id }) => id === body.id));
    const last = received.find(({ id }) => id === body.id)!;
    expect(await verifySignatures(last, next)).toMatchObject({ service: true, standard: true, next: null });
  });

  // Rule: secret-overlap
  test("without an overlap applies at once", async () => {
    const { path, receiver } = await listening();
    const { body } = await admin.client.post(`${path}/rotate-webhook-secret`, undefined, 200);
    await testWebhook(path);
    const [received] = await receiver.waitFor((all) => all.length === 1);
    expect(await verifySignatures(received!, body.webhook_secret)).toMatchObject({
      service: true,
      next: null,
    });
  });

  test("survives a restart during the overlap", async () => {
    const own = await serve();
    const { partner, client, receiver } = await listening({}, own);
    const { webhook_secret: next } = await own.json(
      "partner",
      "rotate-webhook-secret",
      partner.partner_id,
      "--overlap",
      "24h",
    );
    await own.stop();
    await own.start();
    await addProperty(client);
    const [received] = await receiver.waitFor((all) => all.length === 1);
    expect(await verifySignatures(received!, partner.webhook_secret, next)).toMatchObject({
      service: true,
      next: true,
    });
  });
});

describe.concurrent("network rules", () => {
  test("block deliveries to denied networks, which is logged", async () => {
    const own = await serve({ webhooks: { deny_networks: ["127.0.0.0/8"] } });
    const { client } = await createAdministrator(own);
    const { partner, client: acme, receiver } = await listening({}, own);
    await addProperty(acme);
    await eventually(async () => {
      const { body } = await client.get("/admin/webhook-deliveries", { partner_id: partner.partner_id });
      expect(body.deliveries[0].attempts[0]).toMatchObject({
        status_code: null,
        error: "127.0.0.1 is in the denied network 127.0.0.0/8",
      });
    });
    const { receivers: probed } = await own.json("partner", "probe-webhook", partner.partner_id);
    expect(probed).toMatchObject([{ verdict: "unreachable", error: expect.stringContaining("denied") }]);
    expect(receiver.received).toEqual([]);
  });

  test("include the authorities of webhooks.ca_file", async () => {
    const own = await serve({ webhooks: { ca_file: fixture("authority.crt") } });
    const tls = {
      key: readFileSync(fixture("receiver.key"), "utf8"),
      cert: readFileSync(fixture("receiver.crt"), "utf8"),
    };
    const { client, receiver } = await listening({ tls }, own);
    await addProperty(client);
    await receiver.waitFor((all) => all.length === 1);
  });

  test("verify certificates even if the environment disables verification", async () => {
    const own = install();
    own.expectFault(/NODE_TLS_REJECT_UNAUTHORIZED|--trace-warnings/); // the runtime warns of it
    await own.start({ env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } });
    const { client: administrator } = await createAdministrator(own);
    const tls = {
      key: readFileSync(fixture("receiver.key"), "utf8"),
      cert: readFileSync(fixture("receiver.crt"), "utf8"),
    };
    const { partner, client, receiver } = await listening({ tls }, own);
    await addProperty(client);
    await eventually(async () => {
      const query = { partner_id: partner.partner_id };
      const { body } = await administrator.get("/admin/webhook-deliveries", query);
      expect(body.deliveries[0].attempts[0].error).toBe("certificate not signed by a trusted authority");
    });
    expect(receiver.received).toEqual([]);
  });

  test.each([
    ["that is missing", undefined, /file not found/],
    ["without a certificate", "nothing\n", /does not contain a PEM certificate/],
  ])("prevent the start with a ca_file %s, with its path in the error", async (_what, content, words) => {
    const file = join(folder(), "authorities.pem");
    if (content !== undefined) writeFileSync(file, content);
    const { code, stderr } = await install({ webhooks: { ca_file: file } }).run("serve", "--port", "0");
    expect(code).toBe(1);
    expect(stderr).toContain("webhooks.ca_file: ");
    expect(stderr).toMatch(words);
  });
});

/** Marks the partner's successful deliveries as failed, as if the receiver had been away for a day. */
async function markFailed({ partner_id }: Partner): Promise<void> {
  await server.sql(`UPDATE webhook_deliveries SET status = 'failed' WHERE partner_id = '${partner_id}'`);
}
