import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";

const { serve } = useMainstay();
const UNKNOWN_PROPERTY = "/v1/properties/P_01m7xtfcg7e14a5g7edqadn8kz";
const WITHOUT_STATE = { name: "Harbor View Apartments", address: "120 Harbor St" };

let server: Installation;
let client: ApiClient;
let responses: Record<string, { content: Record<string, { example?: Json; examples?: Json }> }>;

beforeAll(async () => {
  server = await serve();
  client = server.as(await server.createPartner("Acme", "--daily-budget", "1000"));
  responses = (await server.anonymous.get("/v1/openapi.json")).body.components.responses;
});

function example(status: number, name?: string): Json {
  const { example, examples } = responses[`Error${status}`]!.content["application/json"]!;
  return name === undefined ? example : examples[name].value;
}

const withoutRequestId = ({ request_id: _, ...body }: Json) => body;

// Rule: error-examples
describe("the server answers as in the document's example", () => {
  const cases: [number, string, () => Promise<{ body: Json }>][] = [
    [400, "a missing field", () => client.post("/v1/properties", WITHOUT_STATE, 400)],
    [
      401,
      "an invalid API key",
      () => server.anonymous.ask("GET", "/v1/ping", 401, { headers: { "x-api-key": "svc_live_wrong" } }),
    ],
    [404, "an unknown property", () => client.ask("GET", UNKNOWN_PROPERTY, 404)],
    [
      413,
      "a large body",
      () =>
        client.ask("POST", "/v1/properties", 413, {
          raw: new Uint8Array(5_242_881),
          headers: { "content-type": "application/json" },
        }),
    ],
    [
      415,
      "a body that is not JSON",
      () =>
        client.ask("POST", "/v1/properties", 415, { raw: "{}", headers: { "content-type": "text/plain" } }),
    ],
  ];
  test.each(cases)("%i, to %s", async (status, _, ask) => {
    expect(withoutRequestId((await ask()).body)).toEqual(withoutRequestId(example(status)));
  });

  test("409, to a second demo property", async () => {
    await client.ask("POST", "/onboarding/demo-property", 201);
    const { body } = await client.ask("POST", "/onboarding/demo-property", 409);
    expect(withoutRequestId(body)).toEqual(withoutRequestId(example(409)));
  });

  test("429, to the call after the last one of the minute", async () => {
    const limited = await serve({ limits: { per_partner_per_minute: 60 } });
    const caller = limited.as(await limited.createPartner());
    for (let i = 0; i < 60; i++) await caller.ask("GET", "/v1/ping", 200);
    const { body } = await caller.ask("GET", "/v1/ping", 429);
    expect(withoutRequestId(body)).toEqual(withoutRequestId(example(429, "rate_limit")));
  });

  test("429, to the call after the last one of the day", async () => {
    const caller = server.as(await server.createPartner("Daily", "--daily-budget", "1000"));
    const ping = () => caller.send("GET", "/v1/ping");
    for (let i = 0; i < 100; i++) await Promise.all(Array.from({ length: 10 }, ping));
    const { body } = await caller.ask("GET", "/v1/ping", 429);
    expect(withoutRequestId(body)).toEqual(withoutRequestId(example(429, "daily_limit")));
  });
});
