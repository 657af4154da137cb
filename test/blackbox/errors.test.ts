import { beforeAll, describe, expect, test } from "bun:test";
import { createAdministrator } from "../support/administrator.ts";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty } from "../support/portfolio.ts";

const { serve } = useMainstay();
let server: Installation;
let client: ApiClient;
let property: Json;
let appliance: Json;
beforeAll(async () => {
  server = await serve();
  client = server.as(await server.createPartner("Acme"));
  property = await addProperty(client);
  appliance = await addAppliance(client, property.id);
});

const JSON_TYPE = { "content-type": "application/json" };
const MEGABYTE = 1024 * 1024;

/** Every route with a body, and a valid body. */
const WRITES = [
  ["POST", "/v1/properties", () => ({ name: "N", address: "A", state: "NY" })],
  ["PUT", "/v1/properties/{property}", () => ({ notes: "n" })],
  ["POST", "/v1/appliances", () => ({ property_id: property.id, type_id: "roof", install_year: 2000 })],
  ["PUT", "/v1/appliances/{appliance}", () => ({ brand: "b" })],
  [
    "POST",
    "/v1/service-events/bulk",
    () => ({ events: [{ appliance_id: appliance.id, event_type: "Repair", date: "2026-01-01" }] }),
  ],
] as const;

const pathOf = (template: string) =>
  template.replace("{property}", property.id).replace("{appliance}", appliance.id);

describe.each(WRITES)("%s %s", (method, template, good) => {
  const send = (raw: BodyInit, status: number, headers: Record<string, string> = JSON_TYPE) =>
    client.ask(method, pathOf(template), status, { raw, headers });

  test("accepts JSON, also with a charset or a vendor media type", async () => {
    const done = method === "POST" ? 201 : 200;
    await send(JSON.stringify(good()), done, { "content-type": "application/json; charset=utf-8" });
    await send(JSON.stringify(good()), done, { "content-type": "application/vnd.acme+json" });
  });

  // Rule: bad-json
  test.each([
    ["not JSON", "{name: 1}", "Body is not valid JSON"],
    ["incomplete", '{"name":', "Body is not valid JSON"],
    ["empty", "", "Body is empty. A JSON object is required."],
    ["an array", "[]", "Body must be a JSON object"],
    ["a text", '"name"', "Body must be a JSON object"],
    ["null", "null", "Body must be a JSON object"],
    ["NaN", '{"name": NaN}', "Body is not valid JSON"],
    ["has a duplicate field", '{"name":"a","n\\u0061me":"b"}', "Duplicate field in body"],
    [
      "nested 33 levels deep",
      `{"a":${"[".repeat(32)}${"]".repeat(32)}}`,
      "Body is nested deeper than 32 levels",
    ],
    ["nested very deeply", "[".repeat(100_000), "Body is nested deeper than 32 levels"],
    [
      "made of a million values",
      `{"a":[${"{},".repeat(1_000_000)}{}]}`,
      "Body contains more than 31000 values. Send fewer items per request.",
    ],
    ["not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "Body is not valid UTF-8"],
  ])("rejects a body that is %s", async (_, raw, error) => {
    expect((await send(raw, 400)).body).toMatchObject({ error, code: "invalid_request" });
  });

  // Rule: content-type
  test("rejects a body with another content type", async () => {
    for (const type of [
      "text/plain",
      "application/xml",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "",
    ])
      expect((await send(JSON.stringify(good()), 415, { "content-type": type })).body.code).toBe(
        "unsupported_media_type",
      );
  });

  // Rule: compressed-body
  test("rejects a compressed body, and accepts Content-Encoding: identity", async () => {
    const compressed = Bun.gzipSync(JSON.stringify(good()));
    const refused = await send(compressed, 415, { ...JSON_TYPE, "content-encoding": "gzip" });
    expect(refused.body).toMatchObject({
      error: "Content-Encoding is not supported. Send the body uncompressed.",
      code: "unsupported_media_type",
    });
    const done = method === "POST" ? 201 : 200;
    await send(JSON.stringify(good()), done, { ...JSON_TYPE, "content-encoding": "Identity" });
  });

  // Rule: body-too-large
  test("rejects a body of 6 MB by its declared length", async () => {
    const { body } = await send(`{"notes":"${"x".repeat(6 * MEGABYTE)}"}`, 413);
    expect(body).toMatchObject({ error: "Body is larger than 5242880 bytes", code: "payload_too_large" });
  });

  // Rule: body-too-large
  test("rejects a chunked body of 6 MB without a declared length", async () => {
    let sent = 0;
    const chunks = new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.alloc(64 * 1024, " "));
        sent += 64 * 1024;
        if (sent >= 6 * MEGABYTE) controller.close();
      },
    });
    expect((await send(chunks, 413)).body.code).toBe("payload_too_large");
  });

  // Rule: body-too-large
  test("accepts a body just below the limit", async () => {
    const body = JSON.stringify({ ...good(), padding: "" });
    const padding = "x".repeat(5 * MEGABYTE - body.length);
    await send(JSON.stringify({ ...good(), padding }), method === "POST" ? 201 : 200);
  });
});

/** Values by type, each invalid for fields of other types. */
const STRAYS = {
  number: 7,
  text: "text",
  true: true,
  object: {},
  array: [],
  huge: "1e999",
  text_long: "x".repeat(10_001),
};
type Kind = "line" | "long" | "whole" | "amount" | "enum" | "day" | "id";

/** The values that a field of a type accepts. */
const TAKES: Record<Kind, (keyof typeof STRAYS)[]> = {
  line: ["text"],
  long: ["text"],
  whole: [],
  amount: ["number"],
  enum: [],
  day: [],
  id: [],
};

const PROPERTY_FIELDS: Record<string, Kind> = {
  name: "line",
  address: "line",
  state: "enum",
  city: "line",
  zip: "enum",
  unit_count: "amount",
  year_built: "whole",
  estimated_value: "amount",
  notes: "long",
  partner_property_id: "line",
};
const APPLIANCE_FIELDS: Record<string, Kind> = {
  install_year: "whole",
  unit_id: "id",
  brand: "line",
  model: "line",
  serial: "line",
  brand_tier: "enum",
  usage_intensity: "whole",
  warranty_expiry: "day",
};
const EVENT_FIELDS: Record<string, Kind> = {
  appliance_id: "id",
  component_id: "id",
  event_type: "enum",
  date: "day",
  parts_cost: "amount",
  labor_cost: "amount",
  total_cost: "amount",
  technician: "line",
  notes: "long",
  condition_after: "enum",
};

const strayTexts = (kind: Kind) =>
  Object.entries(STRAYS)
    .filter(([name]) => !TAKES[kind].includes(name as keyof typeof STRAYS))
    .map(([name, value]) => (name === "huge" ? "1e999" : JSON.stringify(value)));

describe("a value of the wrong type", () => {
  const cases = [
    ["POST", "/v1/properties", { ...PROPERTY_FIELDS }],
    ["PUT", "/v1/properties/{property}", { ...PROPERTY_FIELDS }],
    ["POST", "/v1/appliances", { ...APPLIANCE_FIELDS, property_id: "id", type_id: "enum" }],
    ["PUT", "/v1/appliances/{appliance}", { ...APPLIANCE_FIELDS }],
  ] as const;

  // Rule: wrong-field-named, text-bounds
  test.each(
    cases.flatMap(([method, path, fields]) =>
      Object.entries<Kind>(fields).map(([field, kind]) => [method, path, field, kind] as const),
    ),
  )("is rejected by %s %s in %s, with the name of the field", async (method, path, field, kind) => {
    const [, , good] = WRITES.find(([m, p]) => m === method && p === path)!;
    const { [field]: _, ...others } = good() as Record<string, unknown>;
    for (const stray of strayTexts(kind)) {
      const raw = `${JSON.stringify(others).slice(0, -1)}${Object.keys(others).length > 0 ? "," : ""}"${field}":${stray}}`;
      const reply = await client.send(method, pathOf(path), { raw, headers: JSON_TYPE });
      // A well-formed ID may be unknown.
      const isUnknownId = reply.status === 404 && kind === "id" && stray === '"text"';
      expect(isUnknownId ? 400 : reply.status, `${field}: ${stray.slice(0, 20)}`).toBe(400);
      if (!isUnknownId) expect(reply.body.error, `${field}: ${stray.slice(0, 20)}`).toContain(field);
    }
  });

  // Rule: condition-values
  test.each(Object.entries(EVENT_FIELDS))(
    "is rejected in %s of a service event, with its position",
    async (field, kind) => {
      const strays = strayTexts(kind);
      const others = { appliance_id: appliance.id, event_type: "Repair", date: "2026-01-01" } as Record<
        string,
        unknown
      >;
      delete others[field];
      const items = strays.map((stray) => `${JSON.stringify(others).slice(0, -1)},"${field}":${stray}}`);
      const raw = `{"events":[${items.join(",")}]}`;
      const { body } = await client.ask("POST", "/v1/service-events/bulk", 201, { raw, headers: JSON_TYPE });
      expect(body).toMatchObject({ created: 0, errors: strays.length });
      const what = new RegExp(
        field === "appliance_id" || field === "component_id" ? `${field}|not found` : field,
      );
      for (const { error } of body.error_details) expect(error).toMatch(what);
    },
  );

  // Rule: wrong-field-named
  test("is never repeated in the response", async () => {
    const secret = "4111-1111-1111-1111";
    const { text } = await client.post(
      "/v1/properties",
      { name: { secret }, address: "A", state: secret },
      400,
    );
    expect(text).not.toContain("4111");
  });

  // Rule: text-bounds
  test("with control characters or lone surrogates is rejected", async () => {
    const body = { name: "N", address: "A", state: "NY" };
    for (const name of ["a\u0000b", "a\nb", "a\u001bb", "\ud800"])
      await client.post("/v1/properties", { ...body, name }, 400);
    await client.post("/v1/properties", { ...body, name: "Größe 家 🏠" });
    const table = { file: "a.csv", columns: ["Address", "State"], rows: [["1 Elm St", "NY"]], dry_run: true };
    for (const wrong of [
      { rows: [["\ud800", "NY"]] },
      { columns: ["Address", "\ud800"] },
      { file: "\ud800" },
    ])
      await client.post("/v1/import-rows", { ...table, ...wrong }, 400);
    const { mapping } = (await client.post("/v1/import-rows", table, 201)).body;
    const constants = { city: "\ud800" };
    await client.post("/v1/import-rows", { ...table, mapping: { ...mapping, constants } }, 400);
  });
});

// Rule: unknown-fields
test("unknown fields, also __proto__, are ignored", async () => {
  const raw = `{"name":"N","address":"A","state":"NY","__proto__":{"is_demo":true},"constructor":1,"id":"P_mine"}`;
  const { body } = await client.ask("POST", "/v1/properties", 201, { raw, headers: JSON_TYPE });
  expect(body).toMatchObject({ name: "N", is_demo: false, id: expect.stringMatching(/^P_[0-9a-z]{26}$/) });
});

// Rule: rejected-write-unchanged
test("a rejected write leaves no data", async () => {
  const other = server.as(await server.createPartner("Careful"));
  await other.post("/v1/properties", { name: "N", address: "A", state: "NY", year_built: 3000 }, 400);
  await other.post("/v1/appliances", { property_id: "P_1", type_id: "roof", install_year: 2000 }, 404);
  expect((await other.get("/v1/portfolio/summary")).body.totals).toMatchObject({
    properties: 0,
    appliances: 0,
  });
});

// Rule: internal-error, recent-errors
test("an unexpected error is a 500 without its text, and its log entry has no values of the query", async () => {
  const broken = await serve();
  broken.expectFault(/request failed/);
  const caller = broken.as(await broken.createPartner());
  const { client: administrator } = await createAdministrator(broken);
  expect((await administrator.get("/admin/errors")).body).toEqual({
    server: expect.stringMatching(/^http/),
    errors: [],
  });
  const { id } = await addProperty(caller, { partner_property_id: "ELM-4711" });
  await caller.get(`/v1/property/${id}/units`);
  // Changes the database directly, so that the cached response stays valid.
  await broken.sql("ALTER TABLE units RENAME COLUMN number TO other");
  const { body } = await caller.ask("GET", `/v1/property/${id}/units?limit=7`, 500);
  expect(body).toEqual({
    error: "Internal server error",
    code: "internal",
    request_id: expect.any(String),
  });
  const line = await broken.logged(({ msg }) => msg === "request failed");
  expect(line).toMatchObject({
    level: "error",
    request_id: body.request_id,
    route: "/v1/property/{id}/units",
  });
  expect(line.err.message).toMatch(/no such column|does not exist/);
  expect(JSON.stringify(line)).not.toContain(id);
  expect((await administrator.get("/admin/errors")).body.errors).toEqual([
    { at: line.time, message: "request failed", reason: line.err.message, request_id: body.request_id },
  ]);
});
