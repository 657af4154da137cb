import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Administrator, createAdministrator } from "../support/administrator.ts";
import type { ApiClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, PROPERTY } from "../support/portfolio.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

const { serve } = useMainstay();
let server: Installation;
let admin: Administrator;
let receiver: Receiver;
let partner: Partner;
let client: ApiClient;
let other: ApiClient;
let all: Json[];

const listed = async (query: Record<string, string> = {}, by = client): Promise<Json> =>
  (await by.get("/v1/webhook-deliveries", query)).body;
const idsOf = ({ deliveries }: Json): string[] => deliveries.map(({ id }: Json) => id);

beforeAll(async () => {
  server = await serve();
  admin = await createAdministrator(server);
  receiver = await startReceiver();
  partner = await server.createPartner("Acme", "--webhook-url", receiver.url);
  client = server.as(partner);
  other = server.as(await server.createPartner("Other", "--webhook-url", receiver.url));
  const { id } = await addProperty(client);
  await addAppliance(client, id);
  await addProperty(client);
  await addProperty(other);
  all = await eventually(async () => {
    const { deliveries } = await listed();
    expect(deliveries.map(({ status }: Json) => status)).toEqual(Array(3).fill("delivered"));
    return deliveries;
  });
  await eventually(async () => {
    const { deliveries } = await listed({}, other);
    expect(deliveries.map(({ status }: Json) => status)).toEqual(["delivered"]);
  });
});
afterAll(() => receiver.close());

// Rule: own-endpoint, test-own-endpoint
test("a partner reads its endpoint without the secret, and sends a test event to it", async () => {
  const { body, text } = await client.get("/v1/webhook-endpoint");
  const healthy = { failing_since: null, paused_at: null, last_error: null };
  expect(body).toEqual({ url: receiver.url, events: null, ...healthy, partner: "Acme" });
  expect(text).not.toContain("whsec_");
  const none = server.as(await server.createPartner("Without"));
  expect((await none.get("/v1/webhook-endpoint")).body.url).toBeNull();
  await none.post("/v1/webhook-endpoint/test", undefined, 409);
  const tested = server.as(await server.createPartner("Tested", "--webhook-url", receiver.url));
  const { id } = (await tested.post("/v1/webhook-endpoint/test", undefined, 202)).body;
  await eventually(async () => {
    const [delivery] = (await listed({}, tested)).deliveries;
    expect(delivery).toMatchObject({ id, event: "webhook.test", status: "delivered" });
  });
  // The audit log is never trimmed.
  expect((await admin.client.get("/admin/audit", { action: "partner.webhook_test" })).body.entries).toEqual(
    [],
  );
});

describe("a partner's own deliveries", () => {
  // Rule: own-deliveries
  test("are listed with their attempts, newest first, as for administrators", async () => {
    expect(all.map(({ event }) => event)).toEqual([
      "property.created",
      "appliance.created",
      "property.created",
    ]);
    expect(all.map(({ subject }) => subject)).toEqual([PROPERTY.address, "refrigerator", PROPERTY.address]);
    const { body } = await admin.client.get("/admin/webhook-deliveries", { partner_id: partner.partner_id });
    // For administrators, each also has its partner.
    expect(all.map((one) => ({ ...one, partner_name: partner.name }))).toEqual(body.deliveries);
    expect(all[0]!.attempts).toMatchObject([{ attempt: 1, status_code: 200, response_head: "ok" }]);
    expect(await listed()).toMatchObject({
      total: 3,
      limit: 50,
      offset: 0,
      page: 1,
      pages: 1,
      partner: "Acme",
    });
  });

  // Rule: own-deliveries
  test("are paged, and filtered by status, event and time, also combined", async () => {
    const ids = all.map(({ id }) => id);
    const [newest, middle] = all as [Json, Json];
    expect(idsOf(await listed({ event: "appliance.created" }))).toEqual([middle.id]);
    expect(idsOf(await listed({ event: "webhook.test" }))).toEqual([]);
    expect(idsOf(await listed({ status: "delivered" }))).toEqual(ids);
    expect(await listed({ status: "failed" })).toMatchObject({ total: 0, deliveries: [] });
    expect(await listed({ status: "delivered", event: "property.created" })).toMatchObject({ total: 2 });
    expect(idsOf(await listed({ since: newest.created_at }))).toEqual([newest.id]);
    expect(idsOf(await listed({ until: newest.created_at }))).toEqual(ids.slice(1));
    expect(idsOf(await listed({ since: middle.created_at, until: newest.created_at }))).toEqual([middle.id]);
    expect(await listed({ since: "2999-01-01T00:00:00Z" })).toMatchObject({ total: 0 });
    expect(await listed({ until: "2999-01-01T00:00:00Z" })).toMatchObject({ total: 3 });
    expect(idsOf(await listed({ limit: "1", offset: "1" }))).toEqual([middle.id]);
    expect(idsOf(await listed({ limit: "1", offset: "9" }))).toEqual([]);
  });

  // Rule: own-deliveries, own-data
  test("are not visible to other partners", async () => {
    const theirs = await listed({}, other);
    expect(theirs.total).toBe(1);
    expect(all.map(({ id }) => id)).not.toContain(theirs.deliveries[0].id);
  });
});

describe("a delivery that the partner resends", () => {
  // Rule: own-resend
  test("is delivered with the same ID and bytes, is in the audit log, and counts as one call", async () => {
    const { id } = all[1]!;
    const before = receiver.received.find((one) => one.id === id)!;
    const { headers: first } = await client.get("/v1/ping");
    const { body, headers } = await client.post(`/v1/webhook-deliveries/${id}/resend`, undefined, 202);
    expect(body).toEqual({
      id,
      status: "pending",
      attempts: 1,
      partner_id: partner.partner_id,
      partner: "Acme",
    });
    const left = (of: Headers) => Number(of.get("x-ratelimit-remaining"));
    expect(left(headers)).toBe(left(first) - 1);
    const received = await receiver.waitFor((got) => got.filter((one) => one.id === id).length === 2);
    expect(received.filter((one) => one.id === id).at(-1)!.body).toEqual(before.body);
    const { body: log } = await admin.client.get("/admin/audit", { subject: id });
    expect(log.entries).toMatchObject([
      { actor: partner.partner_id, action: "delivery.resend", detail: { status: "delivered" } },
    ]);
    await eventually(async () => {
      const [found] = (await listed({ event: "appliance.created" })).deliveries;
      expect(found).toMatchObject({ status: "delivered", attempt_count: 2 });
    });
  });

  // Rule: own-resend
  test("is not found if it is unknown or another partner's, and nothing is sent", async () => {
    const [theirs] = (await listed({}, other)).deliveries;
    const sent = receiver.received.length;
    for (const id of [theirs.id, "WH_1795230000000_k3v9x"]) {
      const { body } = await client.post(`/v1/webhook-deliveries/${id}/resend`, undefined, 404);
      expect(body.error).toBe("Delivery not found");
    }
    expect((await listed({}, other)).deliveries[0]).toMatchObject({ status: "delivered", attempt_count: 1 });
    expect(receiver.received.length).toBe(sent);
  });

  // Rule: own-resend
  test("is a conflict while it is in progress", async () => {
    receiver.behave(() => ({ status: 500 }));
    await addProperty(client);
    const { deliveries } = await listed({ status: "pending" });
    expect(deliveries).toHaveLength(1);
    const { body } = await client.post(`/v1/webhook-deliveries/${deliveries[0].id}/resend`, undefined, 409);
    expect(body).toMatchObject({ error: "Delivery is still in progress", code: "conflict" });
    receiver.behave(undefined);
  });
});
