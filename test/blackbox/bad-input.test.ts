import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { operationsOf, readApiDocument } from "../support/api-document.ts";
import { BAD_VALUES, bodyWith, bodyWithTwice, isId, type Place, placesOf } from "../support/bad-values.ts";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import {
  asJson,
  everythingOf,
  goodBody,
  JSON_BODIES,
  type JsonBody,
  pathOf,
  prefixOf,
} from "../support/json-bodies.ts";
import { expectNoLeak } from "../support/leaks.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addProperty } from "../support/portfolio.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { addRecords, type RecordIds } from "../support/records.ts";
import type { Reply } from "../support/reply.ts";

/*
 * Sends every request body of the API with each of its fields invalid in each way, and with invalid keys beside
 * them. An error names the field, writes nothing, and discloses no internals of the server.
 */

const { serve } = useMainstay();
const document = readApiDocument();
let server: Installation;
let receiver: Receiver;
let partner: Partner;
let client: ApiClient;
let other: ApiClient;
let own: RecordIds;
let foreign: RecordIds;

beforeAll(async () => {
  server = await serve();
  receiver = await startReceiver();
  partner = await server.createPartner("Acme", "--webhook-url", receiver.url);
  client = server.as(partner);
  own = await addRecords(client);
  other = server.as(await server.createPartner("Other"));
  foreign = await addRecords(other);
});
afterAll(() => receiver.close());

const operations = operationsOf(document);
const named = JSON_BODIES.map(
  (body) => [`${body.method} ${body.path}${"claims" in body.example ? " with a list" : ""}`, body] as const,
);

test("every operation with a body is tested", () => {
  const bodies = operations
    .filter(({ operation }) => operation.requestBody)
    .map(({ method, path }) => `${method} ${path}`);
  const others = ["POST /v1/oauth/token", "POST /v1/appliances/{id}/photos"];
  expect([...new Set(JSON_BODIES.map(({ method, path }) => `${method} ${path}`)), ...others].sort()).toEqual(
    bodies.sort(),
  );
});

describe.each(named)("%s", (_, body) => {
  const places = placesOf(document, body.schema);
  let before: Json[];
  beforeAll(async () => {
    before = await everythingOf(client, own);
  });

  test("accepts the example of the document", async () => {
    const things = await addRecords(other);
    const path = pathOf(body.path, things);
    const good = goodBody(body, things);
    const isMerge = body.path.endsWith("/merge");
    if (isMerge) good.from = (await addProperty(other)).id;
    const status = body.method === "PUT" || isMerge ? 200 : 201;
    const { body: answer } = await other.ask(body.method, path, status, asJson(JSON.stringify(good)));
    expect(answer.errors ?? 0).toBe(0);
  });

  // Rule: wrong-field-named
  test.each(Object.entries(BAD_VALUES))("rejects %s in every field", async (_, badValues) => {
    for (const place of places)
      for (const raw of badValues(place))
        expectRefused(place, raw, await sendTo(body, bodyWith(good(body), place.path, raw)));
  });

  test("rejects another partner's ID and an unknown ID with the same message", async () => {
    for (const place of places.filter(isId)) {
      const prefix = prefixOf(place.schema.example)!;
      const unknown = prefix + "0".repeat(26);
      const messages: string[] = [];
      for (const id of [foreign[prefix]!, unknown]) {
        const reply = await sendTo(body, bodyWith(good(body), place.path, JSON.stringify(id)));
        expectRefused(place, id, reply);
        messages.push(messageOf(reply).replaceAll(id, "it"));
      }
      expect(messages[0], place.path.join(".")).toBe(messages[1]!);
    }
  });

  // Rule: missing-fields
  test("rejects a missing, null or empty required field", async () => {
    for (const place of places.filter(({ required }) => required))
      for (const raw of [undefined, "null", ...(place.schema.type === "string" ? ['""', '" \\t"'] : [])])
        expectRefused(place, String(raw), await sendTo(body, bodyWith(good(body), place.path, raw)));
  });

  test("does not read required fields from __proto__ or constructor", async () => {
    if (!places.some(({ required }) => required)) return;
    for (const name of ["__proto__", "constructor", "prototype"]) {
      const reply = await sendTo(body, `{"${name}":${JSON.stringify(good(body))}}`);
      expect([reply.status, reply.body.code], name).toEqual([400, "invalid_request"]);
      expect(reply.body.error).toMatch(/required/);
    }
  });

  test("rejects any duplicate field", async () => {
    for (const { path } of places) {
      const { status, body: answer } = await sendTo(body, bodyWithTwice(good(body), path));
      expect([status, answer.error]).toEqual([400, "Duplicate field in body"]);
      expect(answer.details).toEqual([{ field: String(path.at(-1)), message: "is a duplicate field" }]);
    }
  });

  const list = places.find(({ path, schema }) => path.length === 1 && schema.type === "array");
  const [item] = (list && body.example[list.path[0]!]) ?? [];
  if (list && typeof item === "object") {
    const isCostBook = list.path[0] === "lines";
    const most = isCostBook ? 2000 : 1000;
    const message = isCostBook
      ? "A cost book has at most 2000 lines, and this one has 2001"
      : "At most 1000 items per request";
    test(`rejects ${most + 1} items and saves none`, async () => {
      const items = Array.from({ length: most + 1 }, () => good(body)[list.path[0]!][0]);
      const reply = await sendTo(body, JSON.stringify({ [list.path[0]!]: items }));
      expect([reply.status, reply.body.error]).toEqual([400, message]);
    });
  }

  const { operation } = operations.find(({ method, path }) => method === body.method && path === body.path)!;
  if (operation.parameters?.some(({ name }) => name === "Idempotency-Key"))
    test("rejects an Idempotency-Key that is too long, empty or not printable", async () => {
      for (const key of ["x".repeat(256), "x".repeat(10_000), "", "a\tb", "caf\u00e9"]) {
        const reply = await sendTo(body, JSON.stringify(good(body)), { "idempotency-key": key });
        expect([reply.status, reply.body.details?.[0].field]).toEqual([400, "Idempotency-Key"]);
        expectNoLeak(reply.text);
      }
    });

  // Rule: rejected-write-unchanged
  test("saves nothing of all these requests", async () => {
    expect(await everythingOf(client, own)).toEqual(before);
  });
});

describe("a token request", () => {
  const FIELDS = ["grant_type", "client_id", "client_secret"];
  const asked = () => ({
    grant_type: "client_credentials",
    client_id: partner.client_id,
    client_secret: partner.client_secret,
  });
  const BAD = [
    ...[
      "7",
      "true",
      "null",
      "{}",
      "[]",
      '""',
      '"__proto__"',
      '"constructor"',
      '"\\ud800"',
      '"a\\u0000b"',
      '"1e999"',
    ],
    ...[`"${"x".repeat(501)}"`, `"${"x".repeat(10_000)}"`, "[".repeat(10_000), `{"toString":"x"}`],
  ];

  test.each(FIELDS)(
    "with an invalid %s is rejected with a code of RFC 6749, without its value",
    async (field) => {
      for (const raw of [undefined, ...BAD]) {
        const reply = await server.anonymous.send(
          "POST",
          "/oauth/token",
          asJson(bodyWith(asked(), [field], raw)),
        );
        const { status, body, text } = reply;
        expect([400, 401, 413], `${raw?.slice(0, 40)}: ${text}`).toContain(status);
        if (status !== 413)
          expect(body.error).toMatch(/^(invalid_request|invalid_client|unsupported_grant_type)$/);
        expectNoLeak(text, Object.values(asked()).slice(1));
      }
    },
  );

  test("with a duplicate field, or with fields in __proto__, is rejected", async () => {
    const whole = JSON.stringify(asked());
    const bodies = [
      ...FIELDS.map((field) => bodyWithTwice(asked(), [field])),
      ...["__proto__", "constructor", "prototype"].map((name) => `{"${name}":${whole}}`),
    ];
    for (const raw of bodies) {
      const { body } = await server.anonymous.ask("POST", "/oauth/token", 400, asJson(raw));
      expect(body.error).toBe("invalid_request");
    }
    await server.anonymous.ask("POST", "/oauth/token", 200, asJson(whole));
  });
});

// Rule: wrong-field-named
test("an invalid value is never repeated, in any field", async () => {
  for (const body of JSON_BODIES)
    for (const place of placesOf(document, body.schema)) {
      const secret = "4111-1111-1111-1111";
      const raw = JSON.stringify(place.schema.type === "string" ? { secret } : secret);
      const { text } = await sendTo(body, bodyWith(good(body), place.path, raw));
      expect(text, place.path.join(".")).not.toContain("4111");
    }
});

// Rule: rejected-write-unchanged
test("rejected requests cause no webhook deliveries", async () => {
  const { id } = await addProperty(client, { name: "The last one" });
  const received = await receiver.waitFor((every) => every.some(({ body }) => body.includes(id)));
  const events = received.map(({ headers }) => headers["x-service-event"]!);
  const made = ["appliance.created", "property.created", "property.created", "service_event.created"];
  expect(events.sort()).toEqual(made);
});

test.each([
  ["/v1/property/{id}/claims", { claim_type: "constructor", date_of_loss: "2026-01-01", amount: 1 }],
  ["/v1/meter-event/smart/v2", { event_type: "constructor", appliance: { appliance_id: "A" } }],
  ["/v1/meter-event/smart", { event_type: "constructor", appliance_id: "A" }],
])("POST %s treats a property name of every object as an unknown type", async (path, body) => {
  const before = await scores();
  const raw = JSON.stringify(body).replace('"A"', JSON.stringify(own.A_));
  const { body: answer } = await client.ask("POST", path.replace("{id}", own.P_!), 201, asJson(raw));
  expect(answer.warnings).toEqual([expect.stringContaining("constructor")]);
  expect(await scores()).toEqual(before);
});

const good = (body: JsonBody): Json => goodBody(body, own);

async function sendTo(
  { method, path }: JsonBody,
  raw: string,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const asking = asJson(raw);
  return await client.send(method, pathOf(path, own), {
    ...asking,
    headers: { ...asking.headers, ...headers },
  });
}

const messageOf = ({ body }: Reply): string => body.error ?? body.error_details?.[0]?.error;

/** Returns the expected error: with the name of the field, and for an item of a list with its position. */
function expectRefused(place: Place, raw: string, reply: Reply): void {
  const what = `${place.path.join(".")}: ${raw.slice(0, 40)}: ${reply.text.slice(0, 300)}`;
  expectNoLeak(reply.text, [partner.api_key, partner.client_secret, partner.webhook_secret]);
  const field = String(place.path.at(-1));
  const isWhole = /^Body |required/.test(messageOf(reply));
  if (place.path.includes(0) && reply.status === 201) {
    expect(reply.body, what).toMatchObject({
      created: 0,
      errors: 1,
      events: [],
      error_details: [{ index: 0 }],
    });
  } else {
    const code = /not found/.test(messageOf(reply)) ? "not_found" : "invalid_request";
    expect([reply.status, reply.body.code], what).toEqual([code === "not_found" ? 404 : 400, code]);
  }
  const named = new RegExp(`\\b${field}\\b|not found|^Unknown `);
  if (!isWhole) expect(messageOf(reply), what).toMatch(named);
}

const scores = async () =>
  (await client.get("/v1/components")).body.components.map((one: Json) => one.risk_score);
