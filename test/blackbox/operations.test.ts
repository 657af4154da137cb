import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { operationsOf, readApiDocument } from "../support/api-document.ts";
import type { ApiClient, Asking } from "../support/client.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty } from "../support/portfolio.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

const { serve } = useMainstay();
let server: Installation;
let byKey: ApiClient;
let byToken: ApiClient;
/** The records of another partner. */
let theirs: { property: string; appliance: string; component: string; photo: string; delivery: string };
let receiver: Receiver;
afterAll(() => receiver.close());
beforeAll(async () => {
  receiver = await startReceiver();
  server = await serve();
  const partner = await server.createPartner("Acme");
  byKey = server.as(partner);
  byToken = await server.withToken(partner);
  const other = server.as(await server.createPartner("Other", "--webhook-url", receiver.url));
  const property = (await addProperty(other)).id;
  const { id: appliance, components } = await addAppliance(other, property);
  const uploaded = await other.ask("POST", `/v1/appliances/${appliance}/photos`, 201, { raw: photo() });
  const [{ id: delivery }] = (await other.get("/v1/webhook-deliveries")).body.deliveries;
  theirs = { property, appliance, component: components[0].id, photo: uploaded.body.filename, delivery };
});

const secured = operationsOf(readApiDocument()).filter(({ operation }) => operation.security?.length !== 0);
const named = secured.map(({ method, path, operation }) => [method, path, operation] as const);
/** A well-formed, unknown ID. */
const filled = (path: string) =>
  path.replace("{id}", "X_00000000000000000000000000").replace("{filename}", `${"0".repeat(32)}.jpg`);
const ofOther = (path: string) => {
  const { property, appliance, component, photo, delivery } = theirs;
  const kind = path.split("/")[2]!;
  const id = {
    properties: property,
    property,
    appliances: appliance,
    components: component,
    "webhook-deliveries": delivery,
  }[kind];
  return path.replace("{id}", id!).replace("{filename}", photo);
};
const MEGABYTE = 1024 * 1024;

describe.each(named)("%s %s", (method, path, { parameters = [], requestBody }) => {
  const query: Asking["query"] = parameters.some(({ name }) => name === "since")
    ? { since: "2026-01-01" }
    : {};
  const asking: Asking = { query, ...(requestBody && { body: {} }) };

  // Rule: credential-needed
  test("requires credentials, and accepts a key and a token equally", async () => {
    const { body, headers } = await server.anonymous.ask(method, filled(path), 401, asking);
    expect(body.error).toBe("API key required. Pass it in the X-Api-Key header.");
    expect(headers.get("www-authenticate")).toMatch(/^(ApiKey|Bearer)/);
    // A second demo property is a conflict; all other operations have the same result twice.
    const [first, second] = [
      await byKey.send(method, filled(path), asking),
      await byToken.send(method, filled(path), asking),
    ];
    for (const reply of [first, second]) expect([401, 403]).not.toContain(reply.status);
    if (path !== "/v1/onboarding/demo-property") expect(second.status).toBe(first.status);
  });

  // Rule: limit-headers
  test("returns the calls remaining today, until midnight", async () => {
    const before = Date.now();
    const { headers } = await byKey.send(method, filled(path), asking);
    expect(headers.get("x-ratelimit-limit")).toBe("1000000");
    expect(Number(headers.get("x-ratelimit-remaining"))).toBeLessThan(1_000_000);
    const midnights = [before, Date.now()].map((now) => (Math.floor(now / 86_400_000) + 1) * 86_400_000);
    expect(midnights.map((at) => new Date(at).toISOString())).toContain(headers.get("x-ratelimit-reset")!);
  });

  if (path.includes("{"))
    // Rule: unknown-is-404, own-data
    test("has the same error for unknown records and another partner's", async () => {
      const bodies: Record<string, Asking> = {
        "/v1/property/{id}/claims": {
          body: { claim_type: "hail", date_of_loss: "2026-01-01", amount: 1 },
        },
        "/v1/appliances/{id}/photos": { raw: photo() },
      };
      const given = method === "POST" ? (bodies[path] ?? {}) : asking;
      const reply = await byKey.ask(method, filled(path), 404, given);
      expect(reply.body.error).toMatch(/^(Property|Appliance|Component|Photo|Delivery) not found$/);
      const raw = given.raw && { raw: photo() };
      const foreign = await byKey.ask(method, ofOther(path), 404, { ...given, ...raw });
      const { request_id: _, ...said } = foreign.body;
      expect(reply.body).toMatchObject(said);
    });

  if (requestBody?.content["application/json"])
    // Rule: credential-first
    test("checks credentials first, then the size of the body, then its content", async () => {
      const raw = `{${"x".repeat(6 * MEGABYTE)}`;
      const headers = { "content-type": "application/json" };
      await server.anonymous.ask(method, filled(path), 401, { raw, headers });
      await byKey.ask(method, filled(path), 413, { raw, headers });
    });
});

function photo(): FormData {
  const form = new FormData();
  form.set("file", new File([new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16])], "tank.jpg"));
  return form;
}
