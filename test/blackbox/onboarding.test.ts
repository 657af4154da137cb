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
    flags: expect.any(Array),
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

// Rule: demo-excluded
test("sums leave the demo property out, unless it is asked for", async () => {
  const read = async (path: string, query = {}): Promise<Json> => (await acme.get(path, query)).body;
  const own = (await read("/v1/properties", { limit: 200 })).properties.filter(
    ({ id }: Json) => id !== demo.id,
  );
  const { risk, financials } = await read(`/v1/property/${demo.id}/summary`);

  const summary = await read("/v1/portfolio/summary", { limit: 200 });
  const all = await read("/v1/portfolio/summary", { limit: 1, include_demo: "true" });
  expect(summary.total).toBe(own.length + 1);
  expect(summary.portfolio.filter((row: Json) => row.is_demo)).toMatchObject([{ property_id: demo.id }]);
  expect(summary.totals.properties).toBe(own.length);
  expect(all.totals.properties).toBe(own.length + 1);
  expect(all.totals.components - summary.totals.components).toBe(demo.components);
  expect(all.totals.critical - summary.totals.critical).toBe(risk.critical);
  expect(all.totals.total_deferred - summary.totals.total_deferred).toBeCloseTo(
    financials.total_deferred_maintenance,
    2,
  );
  const query = { state: summary.portfolio.find((row: Json) => row.is_demo).state };
  const ofState = (more = {}) => read("/v1/portfolio/summary", { ...query, ...more });
  expect((await ofState({ include_demo: "true" })).totals.properties).toBe(
    (await ofState()).totals.properties + 1,
  );

  for (const filter of [{}, { tier: "CRITICAL" }, { system: "plumbing" }, query]) {
    const counts = async (more: Record<string, string>): Promise<Json> =>
      read("/v1/alerts", { ...filter, ...more });
    const [without, including, alone] = [
      await counts({}),
      await counts({ include_demo: "true" }),
      await counts({ sandbox: "true" }),
    ];
    expect(without.total).toBe(including.total);
    expect(including.critical_count + including.warning_count).toBe(including.total);
    for (const count of ["critical_count", "warning_count"])
      expect(without[count] + alone[count]).toBe(including[count]);
  }
  expect(await read("/v1/alerts", { property_id: demo.id })).toMatchObject({ critical_count: risk.critical });

  const budget = { budget: 10_000_000 };
  const plan = await read("/v1/portfolio/plan", { ...budget, limit: 200 });
  const withDemo = await read("/v1/portfolio/plan", { ...budget, limit: 200, include_demo: "true" });
  const demoPlan = await read(`/v1/property/${demo.id}/plan`, budget);
  expect(plan.total).toBe(own.length);
  expect(plan.portfolio.map((row: Json) => row.property_id)).toEqual(own.map(({ id }: Json) => id));
  expect(withDemo.total).toBe(own.length + 1);
  for (const field of ["component_count", "cost"])
    expect(withDemo.due_now[field] - plan.due_now[field]).toBeCloseTo(demoPlan.due_now[field], 2);
  expect(withDemo.budget.chosen_count - plan.budget.chosen_count).toBe(demoPlan.budget.chosen.length);
  const pages: Json[] = [];
  for (let offset = 0; offset < own.length; offset++)
    pages.push(...(await read("/v1/portfolio/plan", { limit: 1, offset })).portfolio);
  expect(pages.map((row) => row.property_id)).toEqual(own.map(({ id }: Json) => id));
});

// Rule: demo-excluded
test.each(["/v1/portfolio/summary", "/v1/portfolio/plan", "/v1/alerts"])(
  "%s rejects another value of include_demo",
  async (path) => {
    const { body } = await acme.ask("GET", `${path}?include_demo=yes`, 400);
    expect(body.details).toMatchObject([{ field: "include_demo" }]);
  },
);

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
