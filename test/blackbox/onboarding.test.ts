import { beforeAll, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance, PROPERTY } from "../support/portfolio.ts";

const { serve } = useMainstay();
let acme: ApiClient;
let other: ApiClient;
let demo: Json;
beforeAll(async () => {
  const server = await serve();
  acme = server.as(await server.createPartner("Acme"));
  other = server.as(await server.createPartner("Other"));
  await addProperty(acme);
  demo = (await acme.post("/onboarding/demo-property", {})).body;
});

// Rule: property-source, demo-property
test("a partner gets a complete demo property", async () => {
  expect(demo).toMatchObject({ is_demo: true, source: "demo", unit_count: 24, partner: "Acme" });
  expect(demo.appliances).toBeGreaterThanOrEqual(12);
  const { counts, risk } = (await acme.get(`/v1/property/${demo.id}/summary`)).body;
  expect(counts).toMatchObject({ appliances: demo.appliances, components: demo.components });
  expect(counts.service_events).toBeGreaterThan(100);
  expect(Math.min(risk.critical, risk.warning, risk.good)).toBeGreaterThan(0);
});

// Rule: sandbox-filter
test("sandbox=true lists it alone, and the full list includes it", async () => {
  const listed = async (query: Record<string, string>) => {
    const { properties } = (await acme.get("/v1/properties", query)).body;
    return properties.map(({ id }: Json) => id);
  };
  expect(await listed({ sandbox: "true" })).toEqual([demo.id]);
  expect(await listed({})).toHaveLength(2);
});

// Rule: sandbox-filter
test("sandbox=true filters every list that supports it, with matching sums", async () => {
  const live = await addProperty(acme, { name: "Live" });
  await addWornAppliance(acme, live.id);
  const sandbox = async (list: string, query = {}): Promise<Json> =>
    (await acme.get(`/v1/${list}`, { ...query, sandbox: "true", limit: 200 })).body;
  const { risk, financials } = (await acme.get(`/v1/property/${demo.id}/summary`)).body;
  const { overall_rating: _, ...tiers } = risk;

  const { portfolio, totals, total } = await sandbox("portfolio/summary");
  expect(portfolio.map((row: Json) => row.property_id)).toEqual([demo.id]);
  expect(total).toBe(1);
  expect(totals).toEqual({
    properties: 1,
    appliances: demo.appliances,
    components: demo.components,
    ...tiers,
    total_deferred: financials.total_deferred_maintenance,
    total_reactive: financials.total_reactive_exposure,
  });

  const owners = (rows: Json[]) => [...new Set(rows.map((row) => row.property_id))];
  const { components, total: all } = await sandbox("components");
  expect([all, components.length, owners(components)]).toEqual([demo.components, demo.components, [demo.id]]);
  const critical = await sandbox("components", { tier: "CRITICAL" });
  expect([critical.total, owners(critical.components)]).toEqual([risk.critical, [demo.id]]);
  expect(await sandbox("components", { property_id: live.id })).toMatchObject({ components: [], total: 0 });

  const alerts = await sandbox("alerts");
  expect(alerts).toMatchObject({
    total: risk.critical + risk.warning,
    critical_count: risk.critical,
    warning_count: risk.warning,
  });
  expect([alerts.alerts.length, owners(alerts.alerts)]).toEqual([alerts.total, [demo.id]]);
  expect(await sandbox("alerts", { property_id: live.id })).toMatchObject({ alerts: [], total: 0 });
});

// Rule: sandbox-on-writes
test("sandbox=true has no effect on writes", async () => {
  const { body } = await acme.ask("POST", "/v1/properties?sandbox=true", 201, { body: PROPERTY });
  expect(body).toMatchObject({ is_demo: false, source: "api" });
  const listed = (await acme.get("/v1/properties", { sandbox: "true" })).body.properties;
  expect(listed.map(({ id }: Json) => id)).toEqual([demo.id]);
});

// Rule: demo-once
test("a second demo property is a conflict, but other partners can have their own", async () => {
  const { body } = await acme.post("/onboarding/demo-property", {}, 409);
  expect(body).toMatchObject({ error: "Demo property already exists", code: "conflict" });
  const { body: theirs } = await other.post("/onboarding/demo-property", {});
  expect(theirs.components).toBe(demo.components);
});
