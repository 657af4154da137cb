import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, addWornAppliance, dateDaysFromToday } from "../support/portfolio.ts";

const { serve } = useMainstay();
let client: ApiClient;
let property: Json;
let component: Json;
beforeAll(async () => {
  const server = await serve();
  client = server.as(await server.createPartner("Acme"));
  property = await addProperty(client, { unit_count: 7 });
  for (let i = 0; i < 6; i++) await addProperty(client, { name: `Property ${i}` });
  component = (await addWornAppliance(client, property.id)).components[0];
  await addAppliance(client, property.id);
  const claim = { claim_type: "water_damage", amount: 900 };
  const claims = [1, 2, 3, 4].map((i) => ({ ...claim, date_of_loss: dateDaysFromToday(-i) }));
  await client.post(`/v1/property/${property.id}/claims`, { claims });
  await server.json("snapshot");
});

/** Every paged list: its path, its array, and whether it supports `sandbox`. */
const LISTS: [string, string, boolean][] = [
  ["/v1/properties", "properties", true],
  ["/v1/portfolio/summary", "portfolio", true],
  ["/v1/components", "components", true],
  ["/v1/components?tier=GOOD", "components", true],
  ["/v1/components?property_id={property}", "components", true],
  ["/v1/alerts", "alerts", true],
  ["/v1/alerts?property_id={property}", "alerts", true],
  ["/v1/appliances", "appliances", false],
  ["/v1/appliances?property_id={property}", "appliances", false],
  ["/v1/appliance-types", "appliance_types", false],
  ["/v1/property/{property}/units", "units", false],
  ["/v1/components/{component}/trend", "trend", false],
  ["/v1/property/{property}/claims", "claims", false],
  ["/v1/events?since=2026-01-01", "events", false],
];

/** Requests the list with more query parameters. */
function list(template: string, more: string, status = 200) {
  const path = template.replace("{property}", property.id).replace("{component}", component.id);
  return client.ask("GET", `${path}${path.includes("?") ? "&" : "?"}${more}`, status);
}

describe.each(LISTS)("%s", (template, name) => {
  // Rule: page-envelope, partner-name, list-properties
  test("has the envelope of every list", async () => {
    const { body } = await list(template, "");
    expect(body.total).toBe(body[name].length);
    expect(body).toMatchObject({ limit: 50, offset: 0, page: 1, pages: 1, partner: "Acme" });
  });

  // Rule: pages-complete
  test("is complete when its pages are combined", async () => {
    const whole = (await list(template, "limit=200")).body;
    const collected: Json[] = [];
    for (let offset = 0; offset < whole.total; offset += 3) {
      const { body } = await list(template, `limit=3&offset=${offset}`);
      const [page, pages] = [offset / 3 + 1, Math.ceil(whole.total / 3)];
      expect(body).toMatchObject({ total: whole.total, limit: 3, offset, page, pages });
      collected.push(...body[name]);
    }
    expect(collected).toEqual(whole[name]);
  });

  // Rule: offset-beyond
  test("is empty beyond its end, with the correct total", async () => {
    const { total } = (await list(template, "")).body;
    for (const offset of [total, total + 1, 999_999_999_999_999]) {
      const { body } = await list(template, `limit=2&offset=${offset}`);
      expect(body[name]).toEqual([]);
      expect(body).toMatchObject({ total, pages: Math.ceil(total / 2), offset });
    }
  });

  // Rule: limit-capped
  test("caps limits above 200", async () => {
    expect((await list(template, "limit=201")).body.limit).toBe(200);
    expect((await list(template, "limit=999999999999999")).body.limit).toBe(200);
  });

  // Rule: bad-paging
  test.each([
    "limit=0",
    "limit=-1",
    "limit=1.5",
    "limit=ten",
    "limit=",
    "limit=1e3",
    "limit=1e9",
    "limit=9999999999999999",
    "offset=-1",
    "offset=x",
  ])("rejects %s", async (query) => {
    const field = query.split("=")[0]!;
    const { body } = await list(template, query, 400);
    expect(body).toMatchObject({ code: "invalid_request", details: [{ field }] });
  });

  test.each(["limit=1&limit=2", "limit=%zz", "limit=%00"])("rejects the query string %s", (query) =>
    list(template, query, 400),
  );

  // Rule: unknown-parameters
  test("rejects an unknown parameter with the known ones", async () => {
    const { body } = await list(template, "color=red", 400);
    expect(body.error).toMatch(/^Unknown query parameter: color; this request takes .*\blimit\b/);
    expect(body).toMatchObject({ code: "invalid_request", details: [{ field: "color" }] });
    for (const query of ["Limit=1", "limit%20=1", "state[]=NY", "%ff=1", "=1", `${"x".repeat(5000)}=1`])
      await list(template, query, 400);
  });

  test("ignores parameters that begin with an underscore", async () => {
    expect((await list(template, "_=1&_t=2")).body.total).toBeGreaterThan(0);
  });
});

describe.each(LISTS.filter(([, , hasSandbox]) => hasSandbox))("%s with sandbox", (template, name) => {
  // Rule: sandbox-filter
  test("is empty for a partner without a demo property, and only filtered by true", async () => {
    const whole = (await list(template, "")).body;
    expect((await list(template, "sandbox=true")).body).toMatchObject({ [name]: [], total: 0, pages: 0 });
    for (const value of ["false", "TRUE", "1", ""])
      expect((await list(template, `sandbox=${value}`)).body.total).toBe(whole.total);
  });
});

// Rule: cache-current
test("the sums on a page are those after the last write, also if another page stated them before it", async () => {
  const pageOf = async (path: string, offset: number) =>
    (await client.ask("GET", `${path}?limit=1&offset=${offset}`, 200)).body;
  const summary = await pageOf("/v1/portfolio/summary", 0);
  const alerts = await pageOf("/v1/alerts", 0);
  expect((await pageOf("/v1/portfolio/summary", 1)).totals).toEqual(summary.totals);
  await addWornAppliance(client, property.id);
  const { totals } = await pageOf("/v1/portfolio/summary", 2);
  expect(totals.appliances).toBe(summary.totals.appliances + 1);
  expect(totals.critical).toBeGreaterThan(summary.totals.critical);
  const after = await pageOf("/v1/alerts", 1);
  expect(after.total).toBeGreaterThan(alerts.total);
  expect([after.critical_count, after.warning_count]).toEqual([totals.critical, totals.warning]);
  expect((await pageOf("/v1/alerts", after.total - 1)).alerts).toHaveLength(1);
});
