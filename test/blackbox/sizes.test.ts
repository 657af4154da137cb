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

  // Rule: sizes
  test("is taken by bulk creation", async () => {
    const { id } = await addProperty(client);
    const appliances = [null, 40, undefined].map((size) => ({
      ...{ property_id: id, type_id: "water_heater_gas", install_year: 2020 },
      size,
    }));
    const { body } = await client.post("/v1/appliances/bulk", { appliances });
    expect(body.events.map(({ size }: Json) => size)).toEqual([null, 40, null]);
  });

  // Rule: sizes
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
    });
    await expect(importing("0", "-1")).rejects.toThrow("every row was rejected");
    const { stdout } = await server.run("export", "--partner", acme.partner_id, "--format", "ndjson");
    const lines: Json[] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.find((line) => line.partner_property_id === "S1")).toMatchObject({
      ...{ gross_area_sqft: 24_000, stories: 2, unit_label: "key", replacement_value: 5_000_000 },
    });
    expect(lines.find((line) => line.serial === "B1")).toMatchObject({ size: 600 });
  });

  // Rule: size-bounds
  test.each([
    ["gross_area_sqft", 0],
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
  test.each([0, -40, 50_000_001, "40", true])("is refused as size %p of an appliance", async (size) => {
    const { id } = await addProperty(client);
    const heater = { property_id: id, type_id: "water_heater_gas", install_year: 2020, size };
    const { body } = await client.post("/v1/appliances", heater, 400);
    expect(body.details[0].field).toBe("size");
    const bulk = await client.post("/v1/appliances/bulk", { appliances: [heater] });
    expect(bulk.body.errors).toBe(1);
  });
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
