import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, dateDaysFromToday, THIS_YEAR } from "../support/portfolio.ts";

const { serve } = useMainstay();
const SMART = "/v1/meter-event/smart/v2";
let client: ApiClient;
let property: Json;
beforeAll(async () => {
  const server = await serve();
  client = server.as(await server.createPartner("Acme"));
  property = await addProperty(client);
});

const heater = () =>
  addAppliance(client, property.id, { type_id: "water_heater_gas", install_year: THIS_YEAR - 9 });
const send = async (event: object): Promise<Json> => (await client.post(SMART, event)).body;
const tankOf = (components: Json[]): Json => components.find((one) => one.component_def_id === "wh_gas_tank");

const KNOWN = [
  ...["water_leak", "high_moisture", "freeze_risk", "overheating", "high_temperature", "low_temperature"],
  ...["abnormal_vibration", "abnormal_noise", "high_pressure", "low_pressure", "low_flow", "high_flow"],
  ...["short_cycling", "excessive_runtime", "power_surge", "power_loss", "high_current", "low_voltage"],
  ...["gas_leak", "carbon_monoxide", "smoke", "filter_clogged", "refrigerant_low", "door_fault"],
  ...["error_code", "end_of_life_warning", "normal"],
];

// Rule: smart-types
test.each(KNOWN)("%s is known", async (event_type) => {
  const { id } = await heater();
  expect(await send({ event_type, appliance: { appliance_id: id } })).toMatchObject({
    event_type,
    warnings: [],
  });
});

// Rule: severity
test("the severity defaults to medium, and higher severities have more effect", async () => {
  const scoreAfter = async (severity?: string) => {
    const { id } = await heater();
    const event = {
      event_type: "high_moisture",
      component_def_id: "wh_gas_tank",
      appliance: { appliance_id: id },
    };
    return tankOf((await send({ ...event, severity })).affected_components).risk_score;
  };
  const [untold, medium] = [await scoreAfter(), await scoreAfter("medium")];
  expect(untold).toBe(medium);
  const [low, high, critical] = [
    await scoreAfter("low"),
    await scoreAfter("high"),
    await scoreAfter("critical"),
  ];
  expect(low).toBeLessThan(medium);
  expect(medium).toBeLessThan(high);
  expect(high).toBeLessThan(critical);
});

describe("an event with a component", () => {
  // Rule: smart-one-component
  test("by ID or definition affects only that component", async () => {
    for (const naming of [
      (tank: Json) => ({ component_id: tank.id }),
      () => ({ component_def_id: "wh_gas_tank" }),
    ]) {
      const { id, components } = await heater();
      const before: Json[] = (await client.get(`/v1/appliances/${id}`)).body.components;
      const tank = tankOf(components);
      const event = { event_type: "water_leak", severity: "high", appliance: { appliance_id: id } };
      const { affected_components } = await send({ ...event, ...naming(tank) });
      expect(affected_components.map((one: Json) => one.id)).toEqual([tank.id]);
      expect(affected_components[0].risk_score).toBeGreaterThan(tankOf(before).risk_score);
    }
  });

  // Rule: smart-one-component
  test("of another appliance, or without the definition, is rejected", async () => {
    const [one, other] = [await heater(), await heater()];
    const event = { event_type: "water_leak", appliance: { appliance_id: one.id } };
    const foreign = other.components[0].id;
    const { body } = await client.post(SMART, { ...event, component_id: foreign }, 404);
    expect(body.error).toBe(`Component not found: ${foreign}`);
    await client.post(SMART, { ...event, component_def_id: "elev_ropes" }, 404);
  });
});

// Rule: smart-flat
test("the legacy format creates a property and an appliance from top-level fields", async () => {
  const { body } = await client.post("/v1/meter-event/smart", {
    event_type: "low_flow",
    partner_property_id: "FLAT-1",
    name: "Flat Court",
    address: "9 Flat St",
    city: "Troy",
    state: "ny",
    type_id: "boiler",
    install_year: 2012,
    brand: "Weil-McLain",
    model: "CGa",
    serial: "F-1",
  });
  expect(body).toMatchObject({ property_created: true, appliance_created: true, warnings: [] });
  expect((await client.get(`/v1/properties/${body.property_id}`)).body).toMatchObject({
    name: "Flat Court",
    city: "Troy",
    state: "NY",
    partner_property_id: "FLAT-1",
    source: "sensor_event",
  });
  expect((await client.get(`/v1/appliances/${body.appliance_id}`)).body).toMatchObject({
    type_id: "boiler",
    install_year: 2012,
    brand: "Weil-McLain",
    model: "CGa",
    serial: "F-1",
  });
});

// Rule: smart-registers
test("an appliance is created in its unit, and a unit of another property is rejected", async () => {
  const home = await addProperty(client, { unit_count: 1 });
  const [unit] = (await client.get(`/v1/property/${home.id}/units`)).body.units;
  const event = {
    event_type: "smoke",
    appliance: { type_id: "range_gas", install_year: 2015, serial: "R-1", unit_id: unit.id },
  };
  const { appliance_id } = await send({ ...event, property: { property_id: home.id } });
  expect((await client.get(`/v1/appliances/${appliance_id}`)).body.unit_id).toBe(unit.id);
  await client.post(SMART, { ...event, property: { property_id: property.id } }, 404);
});

describe("matching", () => {
  const at = (fields: object) => ({
    event_type: "smoke",
    property: { name: "Main Street Lofts", address: "1 Main St", ...fields },
    appliance: { type_id: "range_gas", install_year: 2015 },
  });

  // Rule: smart-by-address
  test("by name and address finds only the property in that city and state", async () => {
    const here = await send(at({ city: "Troy", state: "NY" }));
    expect(here.property_created).toBe(true);
    for (const fields of [{ state: "ny" }, { city: "TROY", state: "NY" }, { state: "NY", zip: "12180" }, {}])
      expect(await send(at(fields))).toMatchObject({
        property_id: here.property_id,
        property_created: false,
      });
    const elsewhere: Json[] = [];
    for (const fields of [
      { city: "Troy", state: "MI" },
      { city: "Troy", country: "CA", state: "ON", zip: "n0r 1a0" },
      { city: "Utica", state: "NY" },
    ])
      elsewhere.push(await send(at(fields)));
    expect(elsewhere.map((one) => one.property_created)).toEqual([true, true, true]);
    expect(new Set([here, ...elsewhere].map((one) => one.property_id)).size).toBe(4);
    const abroad = { city: "Troy", country: "ca", state: "on" };
    expect((await send(at(abroad))).property_id).toBe(elsewhere[1]!.property_id);
  });

  // Rule: smart-by-address
  test("finds one among more than a query returns, and a retired one only if there is no other", async () => {
    const [name, address] = ["Twin House", "3 Twin St"];
    const columns = ["partner_property_id", "name", "address", "state", "zip"];
    const row = (nth: number) => [`TWIN-${nth}`, name, address, "NY", nth === 500 ? "10002" : "10001"];
    const all = Array.from({ length: 501 }, (_, nth) => row(nth));
    for (let from = 0; from < all.length; from += 200) {
      const rows = all.slice(from, from + 200);
      const { body } = await client.post("/v1/import-rows", { file: "twins.csv", columns, rows }, 201);
      expect(body.rejected).toEqual([]);
    }
    const event = (zip: string) => ({ ...at({ name, address, state: "NY", zip }) });
    const last = await send(event("10002"));
    expect(last.property_created).toBe(false);
    const found = (await client.get(`/v1/properties/${last.property_id}`)).body;
    expect(found.partner_property_id).toBe("TWIN-500");
    await client.put(`/v1/properties/${last.property_id}`, { retired_at: dateDaysFromToday(0) });
    await client.post(SMART, event("10002"), 409);
    const again = await addProperty(client, { name, address, state: "NY", zip: "10002" });
    expect((await send(event("10002"))).property_id).toBe(again.id);
  });

  // Rule: smart-ambiguous
  test("by an ambiguous serial number is rejected, unless the property makes it unique", async () => {
    const homes = [await addProperty(client), await addProperty(client)];
    const made = [];
    for (const { id } of homes) made.push(await addAppliance(client, id, { serial: "TWIN" }));
    const event = { event_type: "door_fault", appliance: { serial: "TWIN" } };
    const { body } = await client.post(SMART, event, 400);
    expect(body.error).toBe(
      "serial belongs to several appliances: specify the property, or send appliance_id instead",
    );
    expect(body.details[0].field).toBe("serial");
    for (const [nth, { id }] of homes.entries())
      expect((await send({ ...event, property: { property_id: id } })).appliance_id).toBe(made[nth].id);
  });
});
