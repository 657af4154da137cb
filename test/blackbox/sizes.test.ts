import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty } from "../support/portfolio.ts";

const { serve, folder } = useMainstay();

let server: Installation;
let acme: Partner;
let client: ApiClient;
beforeAll(async () => {
  server = await serve();
  acme = await server.createPartner("Acme");
  client = server.as(acme);
});

const BUILDING = {
  gross_area_sqft: 60_000.5,
  stories: 3,
  unit_label: "suite",
  replacement_value: 9_200_000.5,
};
const CLEARED = { gross_area_sqft: null, stories: null, unit_label: null, replacement_value: null };

describe("the size of a building and of its appliances", () => {
  // Rule: sizes
  test("is part of the records, changed by PUT and cleared by null", async () => {
    const property = await addProperty(client, BUILDING);
    expect(property).toMatchObject(BUILDING);
    const path = `/v1/properties/${property.id}`;
    expect((await client.put(path, { stories: 5 })).body).toMatchObject({ ...BUILDING, stories: 5 });
    expect((await client.put(path, CLEARED)).body).toMatchObject(CLEARED);
    const heater = await addAppliance(client, property.id, { type_id: "water_heater_gas", size: 75.5 });
    expect(heater.size).toBe(75.5);
    const change = async (size: number | null) =>
      (await client.put(`/v1/appliances/${heater.id}`, { size })).body.size;
    expect([await change(50_000_000), await change(null), await change(0.5)]).toEqual([
      50_000_000,
      null,
      0.5,
    ]);
    expect((await client.get(`/v1/appliances/${heater.id}`)).body.size).toBe(0.5);
  });

  // Rule: unit-words
  test("is named beside the figures per unit", async () => {
    const { id } = await addProperty(client, { unit_label: "suite", unit_count: 6 });
    const read = async (figure: string) => (await client.get(`/v1/property/${id}/${figure}`)).body;
    expect((await read("summary")).property.unit_label).toBe("suite");
    for (const figure of ["reserve", "rcv", "plan"])
      expect(await read(figure)).toMatchObject({ unit_count: 6, unit_label: "suite" });
  });

  // Rule: sizes
  test("is taken with a warning where it has no effect, or is probably in another unit", async () => {
    const { id: property_id } = await addProperty(client);
    const create = async (type_id: string, size: number) =>
      (await client.post("/v1/appliances", { property_id, type_id, install_year: 2020, size }, 201)).body;
    expect((await create("refrigerator", 20)).warnings).toEqual([
      "size 20 has no effect: costs of refrigerator do not follow a size",
    ]);
    const boiler = await create("boiler", 400_000);
    expect(boiler.warnings).toEqual([
      "size 400000 is unusual for boiler, whose costs are those of 400 kBtu/h: check its unit",
    ]);
    const change = async (body: object) =>
      (await client.put(`/v1/appliances/${boiler.id}`, body)).body.warnings;
    expect(await change({ size: 4000 })).toEqual([]);
    expect(await change({ size: 3.9 })).toHaveLength(1);
    expect(await change({ type_id: "furnace_gas" })).toEqual([
      "size 3.9 was that of a boiler and is dropped: state the size of the furnace_gas",
    ]);
  });

  // Rule: sizes
  test("is taken by bulk creation", async () => {
    const { id } = await addProperty(client);
    const appliances = [null, 40, undefined].map((size) => ({
      property_id: id,
      type_id: "water_heater_gas",
      install_year: 2020,
      size,
    }));
    const { body } = await client.post("/v1/appliances/bulk", { appliances });
    expect(body.events.map(({ size }: Json) => size)).toEqual([null, 40, null]);
  });

  // Rule: sizes, import-unusual
  test("is imported, updated by a later file, and exported", async () => {
    const [properties, appliances] = [join(folder(), "properties.csv"), join(folder(), "appliances.csv")];
    const importing = async (area: string, size: string) => {
      writeFileSync(
        properties,
        `partner_property_id,name,address,state,gross_area_sqft,stories,unit_label,replacement_value\nS1,S,1 Elm,NY,${area},2,key,5000000\n`,
      );
      writeFileSync(
        appliances,
        `partner_property_id,type_id,install_year,serial,size\nS1,boiler,2015,B1,${size}\n`,
      );
      const files = ["--properties", properties, "--appliances", appliances];
      return await server.json("import", "--partner", acme.partner_id, "--update", ...files);
    };
    await importing("20000", "400");
    expect(await importing("24000", "600")).toMatchObject({
      properties: { updated: 1 },
      appliances: { updated: 1 },
      unusual_sizes: 0,
    });
    expect(await importing("24000", "600000")).toMatchObject({ unusual_sizes: 1 });
    expect(await importing("24000", "600000"), "of unchanged rows").toMatchObject({ unusual_sizes: 0 });
    await importing("24000", "600");
    await expect(importing("0", "-1")).rejects.toThrow("every row was rejected");
    const { stdout } = await server.run("export", "--partner", acme.partner_id, "--format", "ndjson");
    const lines: Json[] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.find((line) => line.partner_property_id === "S1")).toMatchObject({
      gross_area_sqft: 24_000,
      stories: 2,
      unit_label: "key",
      replacement_value: 5_000_000,
    });
    expect(lines.find((line) => line.serial === "B1")).toMatchObject({ size: 600 });
  });

  // Rule: size-bounds
  test.each([
    ["gross_area_sqft", 0],
    ["gross_area_sqft", 0.99],
    ["gross_area_sqft", -1],
    ["gross_area_sqft", 50_000_001],
    ["gross_area_sqft", "60000"],
    ["stories", 0],
    ["stories", 2.5],
    ["stories", 201],
    ["unit_label", "room"],
    ["replacement_value", 0],
    ["replacement_value", -5],
  ])("is refused as %s %p of a property", async (field, value) => {
    const { id } = await addProperty(client);
    for (const { body } of [
      await client.put(`/v1/properties/${id}`, { [field]: value }, 400),
      await client.post("/v1/properties", { name: "S", address: "1 Elm", state: "NY", [field]: value }, 400),
    ])
      expect(body.details[0].field).toBe(field);
  });

  // Rule: size-bounds
  test.each([0, 0.009, -40, 50_000_001, "40", true])(
    "is refused as size %p of an appliance",
    async (size) => {
      const { id } = await addProperty(client);
      const heater = { property_id: id, type_id: "water_heater_gas", install_year: 2020, size };
      const { body } = await client.post("/v1/appliances", heater, 400);
      expect(body.details[0].field).toBe("size");
      const bulk = await client.post("/v1/appliances/bulk", { appliances: [heater] });
      expect(bulk.body.errors).toBe(1);
    },
  );
});

// Rule: appliance-type-size
test("appliance types name the unit of their size, and what stands in for it", async () => {
  const { appliance_types } = (await client.get("/v1/appliance-types", { limit: 200 })).body;
  const sizeOf = (id: string) => appliance_types.find((type: Json) => type.type_id === id).size;
  expect(sizeOf("boiler")).toEqual({ unit: "kBtu/h", reference: 400, exponent: 0.6, defaults_to: null });
  expect(sizeOf("roof")).toEqual({
    unit: "sq ft",
    reference: 10_000,
    exponent: 0.95,
    defaults_to: "footprint",
  });
  expect(sizeOf("refrigerator")).toBeNull();
});

describe("costs", () => {
  const anodeOf = async (applianceId: string) =>
    (await client.get(`/v1/appliances/${applianceId}`)).body.components.find(
      (one: Json) => one.component_def_id === "wh_gas_anode",
    );

  // Rule: cost-basis, cost-location
  test("follow the size and the state, and say so", async () => {
    const { id } = await addProperty(client, { state: "TX" });
    const unknown = await addAppliance(client, id, { type_id: "water_heater_gas" });
    expect(await anodeOf(unknown.id)).toMatchObject({
      proactive_cost: 158.4,
      reactive_cost: 281.6, // 180 and 320, 0.88 times in Texas
      cost_basis: "reference",
      size: null,
      cost_factor: 0.88,
    });
    const large = await addAppliance(client, id, { type_id: "water_heater_gas", size: 90 });
    const factor = 0.88 * 2 ** 0.6;
    expect(await anodeOf(large.id)).toMatchObject({
      proactive_cost: Math.round(180 * factor * 100) / 100,
      cost_basis: "scaled",
      size: 90,
      cost_factor: Math.round(factor * 1e6) / 1e6,
    });
  });

  // Rule: cost-basis
  test("are the same in lists, plans, their explanation and losses", async () => {
    const { id } = await addProperty(client, { state: "TX" });
    const heater = await addAppliance(client, id, {
      type_id: "water_heater_gas",
      size: 40,
      install_year: 2015,
    });
    const answers = async () => {
      const [{ body: plan }, { body: losses }, { body: figure }] = await Promise.all([
        client.get(`/v1/property/${id}/plan`),
        client.get(`/v1/property/${id}/losses`),
        client.get(`/v1/property/${id}/reserve`),
      ]);
      const { components } = (await client.get(`/v1/appliances/${heater.id}`)).body;
      return { plan, losses, shares: figure.assumptions.cost_shares, components };
    };
    const priceOf = (one: Json) => [one.proactive_cost, one.reactive_cost, one.cost_basis];
    const repairsOf = ({ losses }: Json) =>
      losses.drivers.find((one: Json) => one.by === "peril" && one.key === "repair").expected;
    const before = await answers();
    await client.put(`/v1/appliances/${heater.id}`, { size: 80 });
    const after = await answers();
    expect(after.shares).toEqual({ own: 0, own_history: 0, scaled: 1, reference: 0 });
    expect(repairsOf(after) / repairsOf(before)).toBeCloseTo(2 ** 0.6, 4);
    for (const component of after.components) {
      const planned = after.plan.components.find((one: Json) => one.component_id === component.id);
      expect(priceOf(planned)).toEqual(priceOf(component));
      expect(component.cost_basis).toBe("scaled");
    }
    const tank = after.components.find((one: Json) => one.component_def_id === "wh_gas_tank");
    const [unit] = after.plan.units;
    expect([unit.price, unit.failed_price, unit.cost_basis]).toEqual(priceOf(tank));
    const explained = await server.json("explain", tank.id);
    expect(explained.decision.unit).toMatchObject({ price: unit.price, failed_price: unit.failed_price });
  });

  // Rule: sums-follow-prices
  test("of a building follow its area and units in every sum, in the same transaction", async () => {
    const property = await addProperty(client, { state: "MI", unit_count: 12 });
    await addAppliance(client, property.id, { type_id: "plumbing_supply", install_year: 1900 });
    await addAppliance(client, property.id, { type_id: "roof", install_year: 1900 });
    const deferred = async () =>
      (await client.get(`/v1/property/${property.id}/summary`)).body.financials.total_deferred_maintenance;
    const reported = async () =>
      (await client.get(`/v1/property/${property.id}/report`)).body.financials.total_deferred;
    const change = async (fields: object) => {
      await client.put(`/v1/properties/${property.id}`, fields);
      expect(await deferred()).toBe(await reported());
      return await deferred();
    };
    const first = await deferred();
    const large = await change({ gross_area_sqft: 60_000, stories: 3 });
    expect(large).toBeGreaterThan(first);
    expect(await change({ stories: 1 })).toBeGreaterThan(large);
    expect(await change({ unit_count: 24 })).toBeGreaterThan(large);
    expect(await change({ gross_area_sqft: null, stories: null, unit_count: 12 })).toBe(first);
    expect(await change({ state: "CA" })).toBeGreaterThan(first);
    expect((await server.run("doctor", "--full")).code).toBe(0);
  });

  // Rule: cost-location
  test("leave the location out, and follow the price level, as the settings say; scores stay", async () => {
    const scores = async () => {
      const args = ["scores", "--partner", acme.partner_id, "--format", "ndjson"];
      const { code, stdout } = await server.run(...args);
      expect(code).toBe(0);
      const lines = stdout.trimEnd().split("\n");
      return lines.map((one) => JSON.parse(one)).filter((one) => one.component_def_id === "wh_gas_anode");
    };
    const here = await scores();
    const expected = async () => (await server.json("losses", "--partner", acme.partner_id)).total.expected;
    const shown = async () => (await server.json("component", "show", here[0].component_id)).proactive_cost;
    server.configure({ costs: { location: "none", price_level: 1 } });
    const [loss, cost] = [await expected(), await shown()];
    server.configure({ costs: { location: "none", price_level: 2 } });
    const there = await scores();
    // All commands apply the settings.
    expect(await shown()).toBe(2 * cost);
    expect((await expected()) / loss).toBeCloseTo(2, 3);
    server.configure({});
    expect(there.map((one) => one.risk_score)).toEqual(here.map((one) => one.risk_score));
    const unsized = there.filter((one) => one.size === null);
    expect(unsized.length).toBeGreaterThan(0);
    for (const one of unsized) expect([one.cost_factor, one.proactive_cost]).toEqual([2, 360]);
  });
});
