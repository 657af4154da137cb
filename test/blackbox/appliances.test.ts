import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import {
  addAppliance,
  addProperty,
  addWornAppliance,
  dateDaysFromToday,
  logEvents,
  THIS_YEAR,
} from "../support/portfolio.ts";

const { serve } = useMainstay();
let server: Awaited<ReturnType<typeof serve>>;
let client: ApiClient;
let property: Json;
beforeAll(async () => {
  server = await serve();
  client = server.as(await server.createPartner("Acme"));
  property = await addProperty(client, { unit_count: 2 });
});

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The component counts in the specification. */
const COMPONENT_COUNTS = {
  hvac_central: 8,
  hvac_heat_pump: 7,
  hvac_mini_split: 6,
  water_heater_gas: 6,
  water_heater_electric: 7,
  water_heater_tankless: 6,
  refrigerator: 8,
  washer: 6,
  dryer_electric: 6,
  dryer_gas: 7,
  dishwasher: 6,
  range_gas: 6,
  range_electric: 6,
  electrical_panel: 5,
  boiler: 6,
  roof: 6,
  pool_equipment: 6,
  elevator: 5,
  fire_suppression: 5,
};

describe("appliance types", () => {
  // Rule: appliance-types
  test("are 30 with 169 components, with the counts of the specification", async () => {
    const { body } = await client.get("/v1/appliance-types", { limit: 200 });
    const counts = Object.fromEntries(
      body.appliance_types.map((type: Json) => [type.type_id, type.components.length]),
    );
    expect(counts).toMatchObject(COMPONENT_COUNTS);
    expect(body.total).toBe(30);
    expect(Object.values<number>(counts).reduce((a, b) => a + b)).toBe(169);
  });

  // Rule: weights-withheld, component-definitions
  test("have names, IDs and sizes, but no parameters of the scoring model", async () => {
    const { body } = await client.get("/v1/appliance-types", { limit: 200 });
    const heater = body.appliance_types.find((type: Json) => type.type_id === "water_heater_gas");
    expect(Object.keys(heater).sort()).toEqual([
      "components",
      "hazards",
      "inspections",
      "name",
      "size",
      "system",
      "type_id",
    ]);
    expect(heater.components).toContainEqual({
      component_def_id: "wh_gas_anode",
      component_name: "Sacrificial anode rod",
    });
    expect(Object.keys(heater.components[0]).sort()).toEqual(["component_def_id", "component_name"]);
    const panel = body.appliance_types.find((type: Json) => type.type_id === "electrical_panel");
    expect(panel.hazards).toContainEqual({ code: "zinsco", label: "Zinsco or GTE-Sylvania panel" });
  });
});

describe("creating an appliance", () => {
  // Rule: ids, instants-and-nulls, create-appliance, usage-default, appliance-record
  test("returns the full record and the components of its type", async () => {
    const body = await addAppliance(client, property.id, { type_id: "elevator" });
    const { components, ...record } = body;
    expect(record).toEqual({
      id: expect.stringMatching(/^A_[0-9a-hjkmnp-tv-z]{26}$/),
      property_id: property.id,
      unit_id: null,
      type_id: "elevator",
      brand: null,
      model: null,
      serial: null,
      brand_tier: "standard",
      install_year: THIS_YEAR,
      install_year_basis: "given",
      usage_intensity: 1,
      size: null,
      warranty_expiry: null,
      flags: [],
      flags_set: [],
      flags_cleared: [],
      retired_at: null,
      retired_reason: null,
      is_retired: false,
      created_at: expect.stringMatching(INSTANT),
      updated_at: expect.stringMatching(INSTANT),
      warnings: [],
      components_created: 5,
      partner: "Acme",
    });
    expect(components).toHaveLength(5);
    for (const component of components)
      expect(component).toEqual({
        id: expect.stringMatching(/^C_[0-9a-hjkmnp-tv-z]{26}$/),
        component_def_id: expect.any(String),
        component_name: expect.any(String),
      });
  });

  // Rule: create-appliance, get-appliance
  test("accepts every field", async () => {
    const { units } = (await client.get(`/v1/property/${property.id}/units`)).body;
    const fields = {
      unit_id: units[0].id,
      brand: "Otis",
      model: "Gen2",
      serial: "S-1",
      brand_tier: "premium",
      usage_intensity: 1.5,
      warranty_expiry: "2031-02-28",
      install_year: 2011,
    };
    const body = await addAppliance(client, property.id, fields);
    expect((await client.get(`/v1/appliances/${body.id}`)).body).toMatchObject(fields);
  });

  // Rule: brand-tier
  test("uses the given brand tier, the known tier of the brand, or standard", async () => {
    const tierOf = async (fields: object) =>
      (await addAppliance(client, property.id, { type_id: "hvac_central", ...fields })).brand_tier;
    expect(await tierOf({ brand: "Trane" })).toBe("premium");
    expect(await tierOf({ brand: "Nobody's" })).toBe("standard");
    expect(await tierOf({ brand: "Trane", brand_tier: "budget" })).toBe("budget");
  });

  // Rule: use-and-tier-order
  test("gives heavier use and a cheaper brand equal or higher scores", async () => {
    const scoresOf = async (fields: object): Promise<number[]> => {
      const washer = { type_id: "washer", install_year: THIS_YEAR - 8, ...fields };
      const { id } = await addAppliance(client, property.id, washer);
      const { components } = (await client.get(`/v1/appliances/${id}`)).body;
      return components.map((one: Json) => one.risk_score);
    };
    for (const [less, more] of [
      [{ usage_intensity: 0.5 }, { usage_intensity: 2 }],
      [{ brand_tier: "premium" }, { brand_tier: "standard" }],
      [{ brand_tier: "standard" }, { brand_tier: "budget" }],
    ] as const) {
      const [before, after] = [await scoresOf(less), await scoresOf(more)];
      for (const [at, score] of before.entries()) expect(after[at]).toBeGreaterThanOrEqual(score);
      expect(after.some((score, at) => score > before[at]!)).toBe(true);
    }
  });

  // Rule: appliance-bounds-accepted
  test.each([
    ["usage_intensity", 0.5],
    ["usage_intensity", 2],
    ["install_year", 1800],
    ["install_year", THIS_YEAR + 1],
  ])("accepts the limit of %s, %d", async (field, value) => {
    expect(await addAppliance(client, property.id, { [field]: value })).toMatchObject({ [field]: value });
  });

  // Rule: components-scored, get-appliance, components-created
  test.each(Object.entries(COMPONENT_COUNTS))(
    "of type %s makes %i scored components",
    async (type_id, count) => {
      const appliance = await addAppliance(client, property.id, { type_id, install_year: THIS_YEAR - 15 });
      const { components } = (await client.get(`/v1/appliances/${appliance.id}`)).body;
      expect(components).toHaveLength(count);
      expect(components.some((component: Json) => component.risk_score > 0)).toBe(true);
    },
  );

  const valid = () => ({ property_id: property.id, type_id: "roof", install_year: 2000 });

  // Rule: appliance-bounds, appliance-refusals, missing-fields, claim-limits
  test.each([
    ["nothing", () => ({}), 400, "property_id, type_id, install_year required"],
    [
      "no type",
      () => ({ ...valid(), type_id: undefined }),
      400,
      "property_id, type_id, install_year required",
    ],
    ["an unknown type", () => ({ ...valid(), type_id: "teleporter" }), 400, "Unknown type_id: teleporter"],
    ["an unknown property", () => ({ ...valid(), property_id: "P_1" }), 404, "Property not found"],
    ["an unknown unit", () => ({ ...valid(), unit_id: "U_1" }), 404, "Unit not found"],
    [
      "a use beyond heavy",
      () => ({ ...valid(), usage_intensity: 2.1 }),
      400,
      "usage_intensity must be a number from 0.5 to 2.0",
    ],
    [
      "a use below light",
      () => ({ ...valid(), usage_intensity: 0.4 }),
      400,
      "usage_intensity must be a number from 0.5 to 2.0",
    ],
    [
      "a year after the next",
      () => ({ ...valid(), install_year: THIS_YEAR + 2 }),
      400,
      `install_year must be a whole number from 1800 to ${THIS_YEAR + 1}`,
    ],
    [
      "an unknown tier",
      () => ({ ...valid(), brand_tier: "deluxe" }),
      400,
      "brand_tier must be premium, standard or budget",
    ],
    [
      "a day that the calendar lacks",
      () => ({ ...valid(), warranty_expiry: "2024-02-30" }),
      400,
      "warranty_expiry must be a valid date in the format YYYY-MM-DD",
    ],
    [
      "a year long ago",
      () => ({ ...valid(), install_year: 1799 }),
      400,
      "install_year must be a whole number from 1800 to next year",
    ],
  ] as const)("rejects %s", async (_, body, status, error) => {
    expect((await client.post("/v1/appliances", body(), status)).body.error).toBe(error);
  });

  // Rule: appliance-refusals
  test("rejects a unit of another property", async () => {
    const other = await addProperty(client, { unit_count: 1 });
    const { units } = (await client.get(`/v1/property/${other.id}/units`)).body;
    await client.post("/v1/appliances", { ...valid(), unit_id: units[0].id }, 404);
  });
});

describe("updating an appliance", () => {
  // Rule: change-appliance, score-with-write
  test("changes the given fields, clears those that are null, and rescores the appliance", async () => {
    const before = await addWornAppliance(client, property.id, { brand: "Rheem", serial: "1" });
    const change = { install_year: THIS_YEAR, serial: null, usage_intensity: 0.5 };
    const { body } = await client.put(`/v1/appliances/${before.id}`, change);
    expect(body).toMatchObject({ ...change, brand: "Rheem", partner: "Acme", created_at: before.created_at });
    expect(body.updated_at > before.updated_at).toBe(true);
    const { components, action, reason } = (await client.get(`/v1/appliances/${before.id}`)).body;
    for (const component of components)
      expect(component).toMatchObject({ install_year: THIS_YEAR, risk_tier: "GOOD" });
    const todo = ({ id, action, reason }: Json) => ({ id, action, reason });
    expect(body).toMatchObject({ action, reason, components: components.map(todo) });
    expect(action).not.toBeNull();
    const retired = await client.put(`/v1/appliances/${before.id}`, { retired_at: dateDaysFromToday(0) });
    expect(retired.body).toMatchObject({
      action: null,
      components: [{ action: null }, ...components.slice(1).map(() => ({ reason: null }))],
    });
  });

  // Rule: install-year-moves
  test("changes the year of the components that had it, except replaced ones", async () => {
    const { id, components } = await addWornAppliance(client, property.id);
    const [replaced, ...others] = components;
    const date = `${THIS_YEAR - 1}-03-01`;
    const event = { appliance_id: id, component_id: replaced.id, event_type: "Replacement", date };
    await logEvents(client, event);
    await client.put(`/v1/appliances/${id}`, { install_year: THIS_YEAR - 30 });
    const now = (await client.get(`/v1/appliances/${id}`)).body.components;
    expect(now.map((one: Json) => [one.id, one.install_year, one.last_replaced])).toEqual([
      [replaced.id, THIS_YEAR - 1, date],
      ...others.map((one: Json) => [one.id, THIS_YEAR - 30, null]),
    ]);
  });

  // Rule: change-appliance
  test("accepts the unchanged record", async () => {
    const { id } = await addAppliance(client, property.id);
    const { components, partner, action, reason, ...record } = (await client.get(`/v1/appliances/${id}`))
      .body;
    expect((await client.put(`/v1/appliances/${id}`, { ...record, action, reason })).body).toMatchObject({
      ...record,
      updated_at: expect.stringMatching(INSTANT),
    });
  });

  // Rule: appliance-move
  test("moves it to another property and type, with its history", async () => {
    const made = await addAppliance(client, property.id, { size: 40 });
    const other = await addProperty(client, { unit_count: 2, state: "VT" });
    const visit = { appliance_id: made.id, event_type: "Replacement", date: "2024-05-01" };
    await client.post("/v1/service-events/bulk", { events: [visit] });
    const place = { property_id: other.id, type_id: "roof" };
    const moved = (await client.put(`/v1/appliances/${made.id}`, place)).body;
    expect(moved).toMatchObject({ ...place, unit_id: null, size: null });
    const kinds = moved.components.map((one: Json) => one.component_def_id);
    const { appliance_types } = (await client.get("/v1/appliance-types", { limit: 200 })).body;
    const roof = appliance_types.find((one: Json) => one.type_id === "roof");
    expect(kinds).toEqual(roof.components.map((one: Json) => one.component_def_id));
    const listed = async (id: string) => (await client.get("/v1/components", { property_id: id })).body;
    const { components } = await listed(other.id);
    expect(components.map((one: Json) => one.component_def_id)).toEqual(kinds);
    for (const component of components) expect(component.last_replaced).toBe("2024-05-01");
    const former = `/v1/components/${made.components[0].id}`;
    expect((await client.get(former)).body).toMatchObject({ component_id: made.components[0].id });
    await client.get(`${former}/history`);
    const refused = (await client.put(former, { override_lifespan: 9 }, 409)).body;
    expect(refused.error).toContain(`bring back appliance ${made.id}`);
    const explained = server.run("explain", made.components[0].id);
    expect((await explained).stderr).toContain("is retired");
    const back = (await client.put(`/v1/appliances/${made.id}`, { type_id: made.type_id })).body;
    expect(back.components.map((one: Json) => one.id)).toEqual(made.components.map((one: Json) => one.id));
    const unit = (await client.get(`/v1/property/${other.id}/units`)).body.units[1];
    expect((await client.put(`/v1/appliances/${made.id}`, { unit_id: unit.id })).body.unit_id).toBe(unit.id);
    await client.put(`/v1/appliances/${made.id}`, { property_id: property.id, unit_id: unit.id }, 404);
  });

  // Rule: appliance-move-refusals
  test("rejects an unknown type, property or unit, and a retired property", async () => {
    const { id } = await addAppliance(client, property.id);
    const retired = await addProperty(client);
    await client.put(`/v1/properties/${retired.id}`, { retired_at: "2024-01-01" });
    const type = await client.put(`/v1/appliances/${id}`, { type_id: "rooof" }, 400);
    expect(type.body.details[0].field).toBe("type_id");
    expect((await client.put(`/v1/appliances/${id}`, { property_id: "P_1" }, 404)).body.error).toBe(
      "Property not found",
    );
    await client.put(`/v1/appliances/${id}`, { property_id: retired.id }, 409);
    await client.put(`/v1/appliances/${id}`, { unit_id: "U_1" }, 404);
    expect((await client.get(`/v1/appliances/${id}`)).body).toMatchObject({ property_id: property.id });
  });
});

// Rule: list-appliances
test("appliances are listed oldest first, for all properties or one", async () => {
  const { id } = await addProperty(client);
  const made = [await addAppliance(client, id), await addAppliance(client, id, { type_id: "roof" })];
  const { body } = await client.get("/v1/appliances", { property_id: id });
  expect(body.appliances.map((one: Json) => one.id)).toEqual(made.map((one) => one.id));
  expect(body).toMatchObject({ total: 2, limit: 50, offset: 0, page: 1, pages: 1, partner: "Acme" });
  const all = (await client.get("/v1/appliances", { limit: 200 })).body;
  expect(all.total).toBe(all.appliances.length);
  expect(all.appliances.slice(-2)).toEqual(body.appliances);
});
