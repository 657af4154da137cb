import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { operationsOf, readApiDocument } from "../support/api-document.ts";
import { BAD_VALUES, bodyWith, bodyWithTwice, isId, type Place, placesOf } from "../support/bad-values.ts";
import type { ApiClient, Reply } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { expectNoLeak } from "../support/leaks.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

/*
 * Everything that the API takes, sent wrong in every place: each field of each body, each parameter, each key. What is
 * refused says which field it is, writes nothing, and tells nothing of the server's insides.
 */

const { serve } = useMainstay();
const document = readApiDocument();
let server: Installation;
let receiver: Receiver;
let partner: Partner;
let client: ApiClient;
let other: ApiClient;
let own: Record<string, string>;
let foreign: Record<string, string>;

beforeAll(async () => {
  server = await serve();
  receiver = await startReceiver();
  partner = await server.createPartner("Acme", "--webhook-url", receiver.url);
  client = server.as(partner);
  own = await thingsOf(client);
  other = server.as(await server.createPartner("Other"));
  foreign = await thingsOf(other);
});
afterAll(() => receiver.close());

const all = operationsOf(document);
const operationAt = (asked: string) =>
  all.find(({ method, path }) => `${method} ${path}` === asked)!.operation;

/** Every body of JSON that a partner sends, by its operation; a list of claims is a body of its own. */
const BODIES = all
  .filter(({ operation }) => operation.security?.length !== 0)
  .flatMap(({ method, path, operation }) => {
    const content = operation.requestBody?.content["application/json"];
    if (!content) return [];
    const body = { method, path, schema: content.schema, example: content.example as object };
    const list = content.schema.anyOf?.[1];
    return list ? [body, { ...body, schema: list, example: { claims: [body.example] } }] : [body];
  });
type Body = (typeof BODIES)[number];

const named = BODIES.map(
  (body) => [`${body.method} ${body.path}${"claims" in body.example ? " with a list" : ""}`, body] as const,
);

test("every operation with a body is among them", () => {
  const bodies = all
    .filter(({ operation }) => operation.requestBody)
    .map(({ method, path }) => `${method} ${path}`);
  const others = ["POST /oauth/token", "POST /v1/appliances/{id}/photos"];
  expect([...new Set(BODIES.map(({ method, path }) => `${method} ${path}`)), ...others].sort()).toEqual(
    bodies.sort(),
  );
});

describe.each(named)("%s", (_, body) => {
  const places = placesOf(document, body.schema);

  test("takes the document's own example", async () => {
    const things = await thingsOf(other);
    const path = withIds(body.path, things);
    const raw = withIds(JSON.stringify(body.example), things);
    const { body: answer } = await other.ask(body.method, path, body.method === "PUT" ? 200 : 201, json(raw));
    expect(answer.errors ?? 0).toBe(0);
  });

  test.each(Object.entries(BAD_VALUES))("refuses %s in every field", async (_, badValues) => {
    await nothingChanges(async () => {
      for (const place of places)
        for (const raw of badValues(place))
          expectRefused(place, raw, await sendTo(body, bodyWith(good(body), place.path, raw)));
    });
  });

  test("refuses another partner's id, and one that nothing has, in the same words", async () => {
    await nothingChanges(async () => {
      for (const place of places.filter(isId)) {
        const prefix = String(place.schema.example).split("_")[0]!;
        const unknown = `${prefix}_${"0".repeat(26)}`;
        const said: string[] = [];
        for (const id of [foreign[prefix]!, unknown]) {
          const reply = await sendTo(body, bodyWith(good(body), place.path, JSON.stringify(id)));
          expectRefused(place, id, reply);
          said.push(messageOf(reply).replaceAll(id, "it"));
        }
        expect(said[0], place.path.join(".")).toBe(said[1]!);
      }
    });
  });

  test("refuses a body without a field that it needs, or with null or nothing in its place", async () => {
    await nothingChanges(async () => {
      for (const place of places.filter(({ required }) => required))
        for (const raw of [undefined, "null", ...(place.schema.type === "string" ? ['""', '" \\t"'] : [])])
          expectRefused(place, String(raw), await sendTo(body, bodyWith(good(body), place.path, raw)));
    });
  });

  test("does not find what it needs inside of __proto__ or constructor", async () => {
    if (!places.some(({ required }) => required)) return;
    await nothingChanges(async () => {
      for (const name of ["__proto__", "constructor", "prototype"]) {
        const reply = await sendTo(body, `{"${name}":${JSON.stringify(good(body))}}`);
        expect([reply.status, reply.body.code], name).toEqual([400, "invalid_request"]);
        expect(reply.body.error).toMatch(/required/);
      }
    });
  });

  test("refuses a field that is given twice, whichever it is", async () => {
    await nothingChanges(async () => {
      for (const { path } of places) {
        const { status, body: answer } = await sendTo(body, bodyWithTwice(good(body), path));
        expect([status, answer.error]).toEqual([400, "Body names a field twice"]);
        expect(answer.details).toEqual([{ field: String(path.at(-1)), message: "is given twice" }]);
      }
    });
  });

  const list = places.find(({ schema }) => schema.type === "array");
  if (list)
    test("refuses 1,001 items, and keeps none", async () => {
      await nothingChanges(async () => {
        const [item] = good(body)[list.path[0]!];
        const items = Array.from({ length: 1001 }, () => item);
        const reply = await sendTo(body, JSON.stringify({ [list.path[0]!]: items }));
        expect([reply.status, reply.body.error]).toEqual([400, "At most 1000 items per request"]);
      });
    });

  if (operationAt(`${body.method} ${body.path}`).parameters?.some(({ name }) => name === "Idempotency-Key"))
    test("refuses an Idempotency-Key that is too long, empty, or not printable", async () => {
      await nothingChanges(async () => {
        for (const key of ["x".repeat(256), "x".repeat(10_000), "", "a\tb", "caf\u00e9"]) {
          const reply = await sendTo(body, JSON.stringify(good(body)), { "idempotency-key": key });
          expect([reply.status, reply.body.details?.[0].field]).toEqual([400, "Idempotency-Key"]);
          expectNoLeak(reply.text);
        }
      });
    });
});

describe("a parameter", () => {
  const BAD_QUERIES: Record<string, readonly string[]> = {
    limit: ["0", "-1", "1e9", "x", "", "1.5", "0x10", "99999999999999999999", "__proto__", "%00", "%zz"],
    offset: ["-1", "x", "", "1e9", "99999999999999999999", "%ed%a0%80"],
    since: ["", "x", "2026-02-30", "275760-09-13T00:00:00Z", "%2B275760-09-13T00:00:00Z", "0", "constructor"],
    tier: ["", "BAD", "__proto__", "constructor", "toString", "%00"],
    property_id: ["%00", "%zz", "%ff"],
    appliance_id: ["%00", "%zz", "%ff"],
  };
  const reads = all.filter(({ method, operation }) => method === "GET" && operation.security?.length !== 0);
  const inQuery = reads.flatMap(({ path, operation: { parameters = [] } }) =>
    parameters.filter((one) => one.in === "query").map(({ name }) => [path, name] as const),
  );

  test("of every kind is tried", () => {
    expect([...new Set(inQuery.map(([, name]) => name))].sort()).toEqual(
      [...Object.keys(BAD_QUERIES), "sandbox"].sort(),
    );
  });

  test.each(inQuery.filter(([, name]) => name !== "sandbox"))(
    "of GET %s is refused by name: %s",
    async (path, name) => {
      const since = name !== "since" && path.endsWith("/events") ? "since=2026-01-01&" : "";
      for (const value of BAD_QUERIES[name]!) {
        const reply = await client.send("GET", `${withIds(path, own)}?${since}${name}=${value}`);
        expect([reply.status, reply.body.code], value).toEqual([400, "invalid_request"]);
        expect(reply.body.error).toMatch(/^%(?!2B)/.test(value) ? /escape/ : new RegExp(`^${name} `));
        expectNoLeak(reply.text);
      }
    },
  );

  test.each(inQuery.filter(([, name]) => name.endsWith("_id")))(
    "of GET %s is not found when it is another's or nobody's: %s",
    async (path, name) => {
      const prefix = name === "property_id" ? "P" : "A";
      const ids = [
        foreign[prefix]!,
        `${prefix}_1`,
        "__proto__",
        "constructor",
        "x".repeat(5000),
        "%07",
        "'--",
      ];
      const said = new Set<string>();
      for (const id of ids) {
        const reply = await client.ask("GET", `${path}?${name}=${id}`, 404);
        said.add(reply.body.error);
        expectNoLeak(reply.text);
      }
      expect(said.size).toBe(1);
    },
  );

  test.each(all.filter(({ path }) => path.includes("{")).map(({ method, path }) => [method, path] as const))(
    "of the path of %s %s is not found when it is another's, nobody's, or no id at all",
    async (method, path) => {
      const isPhoto = path.endsWith("/photos") && method === "POST";
      const body = BODIES.find((one) => one.method === method && one.path === path);
      const raw = body ? json(JSON.stringify(good(body))) : isPhoto ? { raw: photo() } : {};
      const prefix = /P_|A_|C_/.exec(exampleOf(path))?.[0].slice(0, 1) ?? "photo";
      const odd = [
        "__proto__",
        "constructor",
        "x".repeat(5000),
        "%07",
        "%00",
        "%ed%a0%80",
        "%zz",
        "%2e%2e%2f",
        "'--",
      ];
      const said = new Set<string>();
      await nothingChanges(async () => {
        for (const id of [foreign[prefix]!, `${prefix}_${"0".repeat(26)}`, ...odd]) {
          const reply = await client.ask(
            method,
            path.replace(/\{\w+\}/, () => id),
            404,
            raw,
          );
          said.add(reply.body.error);
          expectNoLeak(reply.text, [foreign[prefix]!]);
        }
      });
      expect(said.size).toBe(1);
    },
  );
});

test("a value that is refused is never repeated, whatever the field", async () => {
  for (const body of BODIES)
    for (const place of placesOf(document, body.schema)) {
      const secret = "4111-1111-1111-1111";
      const raw = JSON.stringify(place.schema.type === "string" ? { secret } : secret);
      const { text } = await sendTo(body, bodyWith(good(body), place.path, raw));
      expect(text, place.path.join(".")).not.toContain("4111");
    }
});

test("nothing of all that was refused was announced", async () => {
  const { id } = await addProperty(client, { name: "The last one" });
  const received = await receiver.waitFor((every) => every.some(({ body }) => body.includes(id)));
  const events = received.map(({ headers }) => headers["x-service-event"]!);
  expect(events.sort()).toEqual(["appliance.created", "property.created", "property.created"]);
});

test.each([
  ["/v1/property/{id}/claims", { claim_type: "constructor", date_of_loss: "2026-01-01", amount: 1 }],
  ["/v1/meter-event/smart/v2", { event_type: "constructor", appliance: { appliance_id: "A" } }],
  ["/v1/meter-event/smart", { event_type: "constructor", appliance_id: "A" }],
])("POST %s takes the name of what every object has for a kind that it does not know", async (path, body) => {
  const before = await scores();
  const raw = JSON.stringify(body).replace('"A"', JSON.stringify(own.A));
  const { body: answer } = await client.ask("POST", path.replace("{id}", own.P!), 201, json(raw));
  expect(answer.warnings).toEqual([expect.stringContaining("constructor")]);
  expect(await scores()).toEqual(before);
});

const json = (raw: string) => ({ raw, headers: { "content-type": "application/json" } });

/** The text with the document's ids replaced by those, by prefix. */
function withIds(text: string, ids: Record<string, string>): string {
  const inText = text.replaceAll(/"([A-Z]+)_[0-9a-z]{26}"/g, (_, prefix) => `"${ids[prefix]}"`);
  return inText.includes("{id}") ? inText.replace("{id}", ids[exampleOf(text).split("_")[0]!]!) : inText;
}

/** The document's example of the path's id. */
const exampleOf = (path: string) =>
  String(
    all.find((one) => one.path === path)!.operation.parameters!.find((one) => one.in === "path")!.example,
  );

const good = (body: Body): Json => JSON.parse(withIds(JSON.stringify(body.example), own));

async function sendTo(
  { method, path }: Body,
  raw: string,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const asking = json(raw);
  return await client.send(method, withIds(path, own), {
    ...asking,
    headers: { ...asking.headers, ...headers },
  });
}

const messageOf = ({ body }: Reply): string => body.error ?? body.error_details?.[0]?.error;

/** The documented refusal: by the field's name, and for an item of a list at its position. */
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

/** Everything that a partner can read of what it wrote is the same after as before. */
async function nothingChanges(run: () => Promise<unknown>): Promise<void> {
  const before = await everything();
  await run();
  expect(await everything()).toEqual(before);
}

const scores = async () =>
  (await client.get("/v1/components")).body.components.map((one: Json) => one.risk_score);

async function everything(): Promise<Json[]> {
  const paths = [
    "/v1/portfolio/summary",
    "/v1/properties/{P}",
    "/v1/property/{P}/units",
    "/v1/property/{P}/claims",
    "/v1/appliances/{A}",
    "/v1/appliances/{A}/photos",
    "/v1/components",
    "/v1/components/{C}/history",
    "/v1/events?since=2020-01-01",
  ];
  const asked = paths.map((path) => client.get(path.replace(/\{(\w)\}/, (_, prefix) => own[prefix]!)));
  return (await Promise.all(asked)).map(({ body }) => body);
}

/** One of each kind of thing, by the prefix of its id. */
async function thingsOf(by: ApiClient): Promise<Record<string, string>> {
  const property = await addProperty(by, { unit_count: 1 });
  const appliance = await addWornAppliance(by, property.id);
  const [unit] = (await by.get(`/v1/property/${property.id}/units`)).body.units;
  const sent = await by.ask("POST", `/v1/appliances/${appliance.id}/photos`, 201, { raw: photo() });
  return {
    ...{ P: property.id, A: appliance.id, U: unit.id, C: appliance.components[0].id },
    photo: sent.body.filename,
  };
}

function photo(): FormData {
  const form = new FormData();
  form.set("file", new File([new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16])], "tank.jpg"));
  return form;
}
