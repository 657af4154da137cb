import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance, dateDaysFromToday, PROPERTY } from "../support/portfolio.ts";

const { serve } = useMainstay();
let server: Installation;
let client: ApiClient;
let property: Json;
let appliance: Json;
beforeAll(async () => {
  server = await serve();
  client = server.as(await server.createPartner("Acme"));
  property = await addProperty(client);
  appliance = await addWornAppliance(client, property.id);
});

/** Every write with Idempotency-Key, with its body and the list that counts its records. */
const WRITES: readonly [path: string, body: (nth?: number) => object, count: () => Promise<number>][] = [
  ["/v1/properties", () => PROPERTY, async () => (await client.get("/v1/properties")).body.total],
  [
    "/v1/appliances",
    () => ({ property_id: property.id, type_id: "roof", install_year: 2001 }),
    async () => (await client.get("/v1/appliances")).body.total,
  ],
  [
    "/v1/service-events/bulk",
    () => ({ events: [{ appliance_id: appliance.id, event_type: "Repair", date: "2026-01-01" }, {}] }),
    async () => (await client.get(`/v1/components/${appliance.components[0].id}/history`)).body.total_events,
  ],
  [
    "/v1/work-marks/bulk",
    // Work that is done again on the same day is logged once.
    (nth = 0) => ({
      work: [
        {
          component_id: appliance.components[0].id,
          state: "done",
          event_type: "Repair",
          by: "J. Ito",
          date: dateDaysFromToday(-10 * tests - nth),
        },
        {},
      ],
    }),
    async () => (await client.get(`/v1/components/${appliance.components[0].id}/history`)).body.total_events,
  ],
  [
    "/v1/appliances/bulk",
    () => ({ appliances: [{ property_id: property.id, type_id: "roof", install_year: 2001 }, {}] }),
    async () => (await client.get("/v1/appliances")).body.total,
  ],
  [
    "/v1/property/{property}/claims",
    () => ({ claims: [{ claim_type: "hail", date_of_loss: "2026-01-01", amount: 9 }, {}] }),
    async () => (await client.get(`/v1/property/${property.id}/claims`)).body.total,
  ],
];

let tests = 0;
beforeEach(() => {
  tests++;
});
let keys = 0;
const newKey = () => ({ "idempotency-key": `key ${++keys}` });

describe.each(WRITES)("POST %s with an Idempotency-Key", (template, body, count) => {
  let path: string;
  beforeAll(() => {
    path = template.replace("{property}", property.id);
  });

  // Rule: key-replay
  test("is done once and replayed byte for byte", async () => {
    const key = newKey();
    const before = await count();
    const first = await client.post(path, body(), 201, key);
    const second = await client.post(path, body(), 201, key);
    expect(second.text).toBe(first.text);
    expect([first, second].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"]);
    expect(await count()).toBe(before + 1);
  });

  // Rule: key-other-body
  test("is a conflict with another body", async () => {
    const key = newKey();
    await client.post(path, body(), 201, key);
    const { body: refused } = await client.post(path, { ...body(), more: 1 }, 409, key);
    expect(refused).toMatchObject({ error: "Idempotency-Key was used with another body", code: "conflict" });
  });

  // Rule: key-running
  test("sent concurrently is done once; the others get its response or a 409", async () => {
    const key = newKey();
    const before = await count();
    const asking = { body: body(), headers: key };
    const replies = await Promise.all(Array.from({ length: 20 }, () => client.send("POST", path, asking)));
    const fresh = replies.filter(
      ({ status, headers }) => status === 201 && !headers.has("idempotency-replayed"),
    );
    expect(fresh).toHaveLength(1);
    for (const { status, text } of replies)
      if (status === 201) expect(text).toBe(fresh[0]!.text);
      else expect([status, text]).toEqual([409, expect.stringContaining("is still running")]);
    expect(await count()).toBe(before + 1);
  });

  // Rule: key-scope
  test("without one is done each time", async () => {
    const before = await count();
    await client.post(path, body());
    await client.post(path, body(1));
    expect(await count()).toBe(before + 2);
  });
});

// Rule: key-scope
test("a key belongs to one partner and path", async () => {
  const key = newKey();
  const other = server.as(await server.createPartner("Other"));
  const [mine, theirs] = [
    await client.post("/v1/properties", PROPERTY, 201, key),
    await other.post("/v1/properties", PROPERTY, 201, key),
  ];
  expect(mine.body.id).not.toBe(theirs.body.id);
  const { headers } = await client.post("/v1/appliances", WRITES[1]![1](), 201, key);
  expect(headers.has("idempotency-replayed")).toBe(false);
  const second = await addProperty(client);
  const claim = { claim_type: "hail", date_of_loss: "2026-01-01", amount: 9 };
  for (const { id } of [property, second]) {
    const { body } = await client.post(`/v1/property/${id}/claims`, claim, 201, key);
    expect(body.property_id).toBe(id);
  }
});

// Rule: key-refused
test("a failed request does not use its key", async () => {
  const key = newKey();
  await client.post("/v1/properties", { name: "N" }, 400, key);
  await client.post("/v1/appliances", { property_id: "P_1", type_id: "roof", install_year: 2000 }, 404, key);
  await client.post("/v1/properties", PROPERTY, 201, key);
});

// Rule: key-kept
test("a stored response survives a restart and kill -9", async () => {
  const key = newKey();
  const first = await client.post("/v1/properties", PROPERTY, 201, key);
  await server.stop();
  await server.start();
  expect((await client.post("/v1/properties", PROPERTY, 201, key)).text).toBe(first.text);
  const second = await client.post("/v1/properties", PROPERTY, 201, newKey());
  await server.kill();
  await server.start();
  expect(
    (await client.post("/v1/properties", PROPERTY, 201, { "idempotency-key": `key ${keys}` })).text,
  ).toBe(second.text);
});

// Rule: key-form
test.each([
  ["empty", ""],
  ["of 256 characters", "x".repeat(256)],
  ["not printable", "a\tb"],
])("a key that is %s is rejected", async (_, key) => {
  const { body } = await client.post("/v1/properties", PROPERTY, 400, { "idempotency-key": key });
  expect(body.details[0].field).toBe("Idempotency-Key");
});

// Rule: key-form
test("a key of 255 characters is accepted", async () => {
  await client.post("/v1/properties", PROPERTY, 201, { "idempotency-key": "x".repeat(255) });
});
