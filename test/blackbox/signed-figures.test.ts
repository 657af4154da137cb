import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, addWornAppliance, dateDaysFromToday } from "../support/portfolio.ts";

/* Errors that an underwriter, a lender's engineer and a maintenance director found in figures stay corrected. */

const YEAR_MS = 365.25 * 86_400_000;

const { serve } = useMainstay();
let client: ApiClient;
beforeAll(async () => {
  const server = await serve();
  client = server.as(await server.createPartner("Acme"));
});

// Rule: failure-window
test("a range with a confidence: its number is a margin of error, and the window beside it holds 80 %", async () => {
  const { id } = await addProperty(client);
  await addAppliance(client, id, { type_id: "water_heater_gas", install_year: 2015 });
  const { components } = (await client.get("/v1/components", { property_id: id })).body;
  const { schemas } = (await client.get("/v1/openapi.json")).body.components;
  const { confidence_pct } = schemas.ComponentProjectedFailureRange.properties;
  expect(confidence_pct.description).toContain("Not the probability");
  for (const { projected_failure_range: years, failure_window_80: window } of components) {
    const width =
      window.latest === null ? 100 : (Date.parse(window.latest) - Date.parse(window.earliest)) / YEAR_MS;
    expect(width).toBeGreaterThan(years.latest - years.earliest);
  }
});

// Rule: expected-cost
test("an emergency cost of 30 days stands beside what its probabilities come to", async () => {
  const { id } = await addProperty(client);
  for (let nth = 0; nth < 5; nth++) await addWornAppliance(client, id);
  const { body } = await client.get(`/v1/property/${id}/forecast`);
  const window = body.forecast.window_30_days;
  const listed = window.components.reduce(
    (sum: number, one: Json) => sum + one.failure_probability * one.reactive_cost,
    0,
  );
  expect(window.emergency_cost_if_ignored).toBeGreaterThan(3 * window.expected_cost);
  expect(window.expected_cost).toBeGreaterThan(listed * 0.5);
  expect(window.expected_cost).toBeLessThan(listed * 2 + 500);
  const { low, high } = window.expected_cost_80;
  expect(low).toBeLessThanOrEqual(window.expected_cost);
  expect(high).toBeGreaterThan(window.expected_cost);
  expect(body.assumptions.statement).toContain("no guarantee");
});

// Rule: hazard-flags
test("a panel that is a known hazard is not plain GOOD", async () => {
  const { id } = await addProperty(client, { year_built: 2000 });
  const fields = { type_id: "electrical_panel", install_year: 2018, brand: "Federal Pacific" };
  const panel = await addAppliance(client, id, fields);
  const report = (await client.get(`/v1/property/${id}/report`)).body;
  expect(report.overall.components_assessed).toBe(5);
  expect(report.flags).toEqual([
    expect.objectContaining({
      appliance_id: panel.id,
      code: "federal_pacific",
      action: "immediate_hazard",
      authority: expect.stringContaining("4099.G"),
    }),
  ]);
  for (const { component_def_id, flags } of (await client.get("/v1/components", { property_id: id })).body
    .components)
    expect(flags).toEqual(
      component_def_id === "panel_bus_enclosure"
        ? [expect.objectContaining({ action: "immediate_hazard" })]
        : [],
    );
});

describe("one sprinkler visit", () => {
  // Rule: inspection-basis
  test("satisfies the inspection that it names and no other", async () => {
    const { id } = await addProperty(client);
    const system = await addAppliance(client, id, { type_id: "fire_suppression", install_year: 2000 });
    const items = async (): Promise<Json[]> =>
      (await client.get(`/v1/property/${id}/compliance`)).body.compliance_items;
    const [named, ...others] = await items();
    const event = {
      appliance_id: system.id,
      event_type: "Inspection",
      date: dateDaysFromToday(-1),
      condition_after: "good",
      inspection_types: [named!.inspection_type],
    };
    await client.post("/v1/service-events/bulk", { events: [event] }, 201);
    const satisfied = (await items()).filter(({ basis }) => basis !== "none");
    expect(satisfied.map(({ inspection_type }) => inspection_type)).toEqual([named!.inspection_type]);
    expect(others.length).toBeGreaterThan(3);
  });
});
