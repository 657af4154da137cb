import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAdministrator, createPartnerBy } from "../support/administrator.ts";
import type { ApiClient, Asking, Credential } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { everythingOf, goodBody, JSON_BODIES, kindIn, pathOf, prefixOf } from "../support/json-bodies.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { addRecords, photoForm, type RecordIds } from "../support/records.ts";
import type { Reply } from "../support/reply.ts";
import { shapeOf } from "../support/reply-shape.ts";
import { PARTNER_OPERATIONS, unknownIds } from "../support/routes.ts";

/*
 * Sends the IDs of another partner's records to every operation, in every place that takes one. The response has the
 * same bytes as for an ID that does not exist. test/blackbox/bad-input.test.ts does the same for fields of JSON bodies.
 */

const { serve } = useMainstay();
let server: Installation;
let receiver: Receiver;
let client: ApiClient;
let other: ApiClient;
let own: RecordIds;
let foreign: RecordIds;
let embed: string;

beforeAll(async () => {
  server = await serve();
  receiver = await startReceiver();
  const admin = await createAdministrator(server);
  client = server.as(await createPartnerBy(admin, { name: "Acme" }));
  other = server.as(await createPartnerBy(admin, { name: "Other", webhook_url: receiver.url }));
  own = await addRecords(client);
  await addRecords(other);
  foreign = await eventually(async () => {
    const records = await addRecords(other);
    await other.post(`/v1/webhook-deliveries/${records.WH_}/resend`, undefined, 202);
    return records;
  });
  embed = (await admin.client.post("/admin/embeds", { property_id: own.P_ })).body.token;
});
afterAll(() => receiver.close());

/** Returns the shape of a response without the ID that was requested. */
const shapeFor = (reply: Reply, ids: RecordIds): string => {
  let shape = shapeOf(reply);
  for (const [kind, id] of Object.entries(ids)) shape = shape.replaceAll(id, `(the ${kind})`);
  return shape.replace(/"content-length":"\d+"/, "");
};

describe.each(
  PARTNER_OPERATIONS.filter(({ path }) => kindIn(path) !== undefined).map(
    (at) => [`${at.method} ${at.path}`, at] as const,
  ),
)("%s", (_, { method, path, operation }) => {
  const askings = (): Asking[] => {
    const body = JSON_BODIES.find((one) => one.path === path && one.method === method);
    if (body) return [{ body: goodBody(body, own) }];
    if (operation.requestBody) return [{ raw: photoForm() }];
    const headers: Credential[] = [
      {},
      { accept: "text/csv" },
      { "if-none-match": "*" },
      { range: "bytes=0-" },
    ];
    return headers.map((given) => ({ headers: given }));
  };

  // Rule: own-data, unknown-is-404, own-resend
  test("responds to another partner's ID as to one that does not exist", async () => {
    const before = await everythingOf(other, foreign);
    for (const asking of askings())
      for (const verb of method === "GET" ? (["GET", "HEAD"] as const) : [method]) {
        const unknown = unknownIds(foreign);
        const theirs = await client.send(verb, pathOf(path, foreign), asking);
        const nothing = await client.send(verb, pathOf(path, unknown), asking);
        expect([theirs.status, JSON.stringify(asking)]).toEqual([404, JSON.stringify(asking)]);
        expect(shapeFor(theirs, foreign)).toBe(shapeFor(nothing, unknown));
        if (verb !== "HEAD")
          expect(theirs.body.error).toMatch(
            /^(Property|Appliance|Component|Service event|Claim|Photo|Delivery) not found$/,
          );
      }
    expect(await everythingOf(other, foreign)).toEqual(before);
  });

  test("responds to the partner's own ID", async () => {
    if (method !== "GET") return;
    await client.get(pathOf(path, own));
  });
});

describe("every filter by an ID", () => {
  const filters = PARTNER_OPERATIONS.flatMap(({ method, path, operation }) =>
    (operation.parameters ?? [])
      .filter((one) => one.in === "query" && prefixOf(one.example) !== undefined)
      .map(({ name, example }) => [`${method} ${path}?${name}`, path, name, prefixOf(example)!] as const),
  );

  // Rule: component-filters, own-data
  test.each(filters)(
    "%s responds to another partner's ID as to an unknown one",
    async (_, path, name, kind) => {
      const unknown = unknownIds(foreign);
      const ask = (ids: RecordIds) => client.ask("GET", path, 404, { query: { [name]: ids[kind]! } });
      expect(shapeFor(await ask(foreign), foreign)).toBe(shapeFor(await ask(unknown), unknown));
      await client.get(path, { [name]: own[kind]! });
    },
  );

  test("is one of several", () => expect(filters.length).toBeGreaterThan(3));
});

// Rule: own-data
test("lists and the event stream have no record of another partner", async () => {
  const lists = PARTNER_OPERATIONS.filter(({ method, path }) => method === "GET" && !path.includes("{"));
  expect(lists.length).toBeGreaterThan(8);
  const queries: Record<string, Record<string, string>> = {
    "/v1/events": { since: "2020-01-01" },
    // The beginning of a name that both have.
    "/v1/search": { q: "Elm" },
  };
  for (const { path } of lists) {
    const { text } = await client.get(path, queries[path] ?? {});
    for (const [kind, id] of Object.entries(foreign))
      expect(text.includes(id), `${path} has the other partner's ${kind}`).toBe(false);
  }
});

// Rule: own-data
test("a search finds nothing by the ID of another partner's record, as by an unknown one", async () => {
  const unknown = unknownIds(foreign);
  for (const kind of ["P_", "A_", "C_", "CLM_"]) {
    const found = async (ids: RecordIds) =>
      shapeFor(await client.ask("GET", "/v1/search", 200, { query: { q: ids[kind]! } }), ids);
    expect(await found(foreign)).toBe(await found(unknown));
    expect(await found(own)).not.toBe(await found(unknown));
  }
});

// Rule: own-data
test("a photo cannot be attached to another partner's service event", async () => {
  const attach = async (id: string) => {
    const form = photoForm();
    form.set("service_event_id", id);
    return await client.ask("POST", `/v1/appliances/${own.A_}/photos`, 404, { raw: form });
  };
  const unknown = unknownIds(foreign);
  const theirs = shapeFor(await attach(foreign.SE_!), foreign);
  expect(theirs).toBe(shapeFor(await attach(unknown.SE_!), unknown));
  expect((await other.get(`/v1/appliances/${foreign.A_}/photos`)).body.service_event_photos).toEqual([]);
});

// Rule: embed
test("an embed shows no component of another property", async () => {
  const unknown = unknownIds(foreign).C_!;
  for (const page of ["", "/components", "/schedule", "/trend.csv"]) {
    const read = async (component: string) =>
      (await server.anonymous.get(`/embed/property/${embed}${page}`, { component })).text.replaceAll(
        /datetime="[^"]+"/g,
        "",
      );
    const theirs = await read(foreign.C_!);
    expect(theirs.includes(foreign.C_!)).toBe(false);
    expect(theirs).toBe((await read(unknown)).replaceAll(unknown, foreign.C_!));
  }
});

// Rule: key-scope
test("an Idempotency-Key of another partner has no effect", async () => {
  const property = { name: "Once", address: "1 Elm St", state: "NY" };
  const headers = { "idempotency-key": "shared" };
  const [mine, theirs] = [
    await client.post("/v1/properties", property, 201, headers),
    await other.post("/v1/properties", property, 201, headers),
  ];
  expect(theirs.body.id).not.toBe(mine.body.id);
  expect(theirs.headers.has("idempotency-replayed")).toBe(false);
});

test("an ETag of another partner has no effect", async () => {
  const { headers } = await other.get("/v1/properties");
  const etag = headers.get("etag")!;
  await other.ask("GET", "/v1/properties", 304, { headers: { "if-none-match": etag } });
  await client.ask("GET", "/v1/properties", 200, { headers: { "if-none-match": etag } });
});
