import { beforeAll, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addProperty } from "../support/portfolio.ts";

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

test("a partner gets a demo property with all that belongs to it", async () => {
  expect(demo).toMatchObject({ is_demo: true, source: "demo", unit_count: 24, partner: "Acme" });
  expect(demo.appliances).toBeGreaterThanOrEqual(12);
  const { counts, risk } = (await acme.get(`/v1/property/${demo.id}/summary`)).body;
  expect(counts).toMatchObject({ appliances: demo.appliances, components: demo.components });
  expect(counts.service_events).toBeGreaterThan(100);
  expect(Math.min(risk.critical, risk.warning, risk.good)).toBeGreaterThan(0);
});

test("sandbox=true shows it alone, and it is among all the others without", async () => {
  const listed = async (query: Record<string, string>) => {
    const { properties } = (await acme.get("/v1/properties", query)).body;
    return properties.map(({ id }: Json) => id);
  };
  expect(await listed({ sandbox: "true" })).toEqual([demo.id]);
  expect(await listed({})).toHaveLength(2);
});

test("a second one is a conflict, and another partner's own is none", async () => {
  const { body } = await acme.post("/onboarding/demo-property", {}, 409);
  expect(body).toMatchObject({ error: "Demo property already exists", code: "conflict" });
  const { body: theirs } = await other.post("/onboarding/demo-property", {});
  expect(theirs.components).toBe(demo.components);
});
