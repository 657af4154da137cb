import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";

const { serve } = useMainstay();
let client: ApiClient;
const PLACES = [
  { name: "Elm Court", address: "1 Elm St", city: "Albany", state: "NY", zip: "12207" },
  { name: "Oak Hall", address: "22 Harbor St", city: "albany", state: "NY", zip: "12207-1234" },
  { name: "Café Lofts", address: "3 Elm St", city: "Burlington", state: "VT", zip: "05401" },
  { name: "Elm Tower", address: "4 Pine St", city: null, state: "VT", zip: null },
  { name: "Yew House", address: "5 Fir St", city: "Toronto", country: "CA", state: "ON", zip: "M4K 1N2" },
  { name: "Gum House", address: "6 Fir St", city: "Perth", country: "AU", state: "WA", zip: "6000" },
];
beforeAll(async () => {
  const server = await serve();
  client = server.as(await server.createPartner("Acme"));
  for (const place of PLACES) {
    const { id } = await addProperty(client, place);
    await addWornAppliance(client, id);
  }
  await client.post("/v1/onboarding/demo-property", {});
});

const FILTERS: [Record<string, string>, string[]][] = [
  [{ state: "ny" }, ["Elm Court", "Oak Hall"]],
  [{ state: "VT", q: "elm" }, ["Café Lofts", "Elm Tower"]],
  [{ city: "ALBANY" }, ["Elm Court", "Oak Hall"]],
  [{ zip: "12207" }, ["Elm Court", "Oak Hall"]],
  [{ zip: "12207-1234" }, ["Oak Hall"]],
  [{ zip: "12207", state: "NY", city: "Albany", q: "harbor" }, ["Oak Hall"]],
  [{ q: "cafe" }, ["Café Lofts"]],
  [{ q: "st elm" }, ["Elm Court", "Café Lofts", "Elm Tower"]],
  [{ q: "st elm", limit: "1", offset: "1" }, ["Café Lofts"]],
  [{ state: "WY" }, []],
  [{ state: "WA" }, []],
  [{ country: "ca" }, ["Yew House"]],
  [{ country: "US", q: "elm" }, ["Elm Court", "Café Lofts", "Elm Tower"]],
  [{ country: "AU", state: "wa" }, ["Gum House"]],
  [{ state: "AU-WA" }, ["Gum House"]],
  [{ country: "CA", zip: "m4k 1n2" }, ["Yew House"]],
  [{ state: "CA-ON", zip: "M4K 1N2" }, ["Yew House"]],
];

const sum = (rows: Json[], field: string) => rows.reduce((total, row) => total + row[field], 0);

describe("filters of properties", () => {
  // Rule: property-filters
  test.each(FILTERS)("%j", async (query, names) => {
    const list = (await client.get("/v1/properties", query)).body;
    expect(list.properties.map(({ name }: Json) => name)).toEqual(names);
    const page = (await client.get("/v1/portfolio/summary", query)).body;
    expect(page.portfolio.map(({ name }: Json) => name)).toEqual(names);
    expect(page.total).toBe(list.total);
    const { limit, offset, ...filter } = query;
    const whole = (await client.get("/v1/portfolio/summary", filter)).body;
    expect(page.totals).toEqual(whole.totals);
    expect(whole.totals).toMatchObject({
      properties: whole.portfolio.length,
      components: sum(whole.portfolio, "components"),
      critical: sum(whole.portfolio, "critical"),
      warning: sum(whole.portfolio, "warning"),
    });
    expect(whole.totals.total_deferred).toBeCloseTo(sum(whole.portfolio, "total_deferred_maintenance"), 2);
  });

  // Rule: property-filters, sandbox-filter
  test("apply to the demo properties too", async () => {
    const [demo] = (await client.get("/v1/properties", { sandbox: "true" })).body.properties;
    for (const [state, total] of [
      [demo.state, 1],
      ["WY", 0],
    ]) {
      const query = { sandbox: "true", state };
      expect((await client.get("/v1/properties", query)).body.total).toBe(total);
      expect((await client.get("/v1/portfolio/summary", query)).body.totals.properties).toBe(total);
    }
  });

  // Rule: property-filters
  test.each([
    ["state", "Narnia"],
    ["state", ""],
    ["state", "XX-ON"],
    ["country", ""],
    ["country", "PR"],
    ["zip", "M4K 1N2"],
    ["zip", "1220"],
    ["zip", "12207-"],
    ["zip", ""],
    ["city", " "],
    ["q", ""],
    ["q", "x".repeat(101)],
  ])("reject %s=%s", async (field, value) => {
    for (const path of ["/v1/properties", "/v1/portfolio/summary"]) {
      const { body } = await client.ask("GET", `${path}?${field}=${encodeURIComponent(value)}`, 400);
      expect(body).toMatchObject({ code: "invalid_request", details: [{ field }] });
    }
  });
});
