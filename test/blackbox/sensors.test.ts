import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, THIS_YEAR } from "../support/portfolio.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

const { serve } = useMainstay();
let server: Installation;
let receiver: Receiver;
let client: ApiClient;
let property: Json;
let heater: Json;
beforeAll(async () => {
  receiver = await startReceiver();
  server = await serve();
  client = server.as(await server.createPartner("Acme", "--webhook-url", receiver.url));
  property = await addProperty(client, { partner_property_id: "EC-1", unit_count: 2 });
  heater = await addAppliance(client, property.id, {
    type_id: "water_heater_gas",
    install_year: THIS_YEAR - 9,
    serial: "M-1",
  });
});
afterAll(() => receiver.close());

const METER = "/v1/meter-event";
const SMART = "/v1/meter-event/smart/v2";
const FLAT = "/v1/meter-event/smart";

/** Returns the data of the first webhook delivery of `event` with this value of `field`. */
async function reported(event: string, field: string, value: string): Promise<Json> {
  const dataOf = () =>
    receiver.received
      .filter((one) => one.event === event)
      .map((one) => JSON.parse(one.body.toString()).data)
      .find((data) => data[field] === value);
  await receiver.waitFor(() => dataOf() !== undefined);
  return dataOf();
}

describe("a meter reading", () => {
  const reading = () => ({ appliance_id: heater.id, metric: "temperature_f", value: 148.2 });

  // Rule: ids, meter-event, sensor-received
  test("is stored and forwarded with every field, without an effect on scores", async () => {
    const scores = async () =>
      (await client.get("/v1/components", { appliance_id: heater.id })).body.components;
    const before = await scores();
    const more = { unit: "F", sensor_id: "t-17", recorded_at: "2026-01-31T15:04:05Z" };
    const component_id = heater.components[0].id;
    const { body } = await client.post(METER, { ...reading(), ...more, component_id });
    expect(body).toEqual({
      event_id: body.event_id,
      received: true,
      property_id: property.id,
      appliance_id: heater.id,
      partner: "Acme",
    });
    expect(body.event_id).toMatch(/^PE_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(await reported("sensor.received", "event_id", body.event_id)).toEqual({
      event_id: body.event_id,
      property_id: property.id,
      ...reading(),
      ...more,
      component_id,
      recorded_at: "2026-01-31T15:04:05.000Z",
    });
    expect(await scores()).toEqual(before);
  });

  // Rule: meter-event
  test.each([
    ["without what it needs", {}, 400, "appliance_id, metric, value required"],
    [
      "of an unknown appliance",
      { appliance_id: "A_1", metric: "m", value: 1 },
      404,
      "Appliance not found: A_1",
    ],
  ] as const)("%s is rejected", async (_, body, status, error) => {
    expect((await client.post(METER, body, status)).body.error).toBe(error);
  });

  // Rule: meter-event
  test("with a value that is not a number, or with a future time, is rejected", async () => {
    for (const change of [
      { value: "148" },
      { recorded_at: "2999-01-01T00:00:00Z" },
      { recorded_at: "today" },
    ])
      await client.post(METER, { ...reading(), ...change }, 400);
  });
});

describe("a smart sensor event", () => {
  // Rule: score-with-write, smart-event, sensor-smart
  test("rescores its appliance immediately and returns the result", async () => {
    const scoreOf = async (id: string) =>
      (await client.get("/v1/components", { appliance_id: heater.id })).body.components.find(
        (one: Json) => one.id === id,
      ).risk_score;
    const tank = heater.components.find((one: Json) => one.component_def_id === "wh_gas_tank");
    const before = await scoreOf(tank.id);
    const { body } = await client.post(SMART, {
      event_type: "water_leak",
      severity: "critical",
      appliance: { appliance_id: heater.id },
    });
    expect(body).toMatchObject({
      event_type: "water_leak",
      property_id: property.id,
      appliance_id: heater.id,
      property_created: false,
      appliance_created: false,
      risk_summary: { components_scored: heater.components.length },
      warnings: [],
      partner: "Acme",
    });
    const affected = body.affected_components.find((one: Json) => one.id === tank.id);
    expect(affected.risk_score).toBeGreaterThan(before);
    expect(await scoreOf(tank.id)).toBe(affected.risk_score);
    expect(await reported("sensor.smart", "event_id", body.event_id)).toEqual({
      event_id: body.event_id,
      event_type: "water_leak",
      property_id: property.id,
      appliance_id: heater.id,
      risk_summary: body.risk_summary,
    });
  });

  // Rule: smart-event-sends
  test("sends tier changes immediately, with the previous tier", async () => {
    const aged = await addAppliance(client, property.id, {
      type_id: "water_heater_gas",
      install_year: THIS_YEAR - 40,
    });
    const event = { event_type: "water_leak", severity: "critical", appliance: { appliance_id: aged.id } };
    const { body } = await client.post(SMART, event);
    expect(body.risk_summary.critical_count).toBeGreaterThan(0);
    const critical = await reported("component.critical", "appliance_id", aged.id);
    expect(critical).toMatchObject({
      risk_tier: "CRITICAL",
      previous_tier: "GOOD",
      property_id: property.id,
    });
  });

  // Rule: property-source, smart-registers, property-created, appliance-created
  test("creates a missing property and appliance, and sends events for both", async () => {
    const event = {
      event_type: "abnormal_noise",
      property: { name: "Oak Court", address: "7 Oak St", state: "vt", unit_count: 3 },
      appliance: { type_id: "washer", install_year: 2015, serial: "W-7", brand: "Speed Queen" },
    };
    const { body } = await client.post(SMART, event);
    expect(body).toMatchObject({ property_created: true, appliance_created: true });
    const created = (await client.get(`/v1/properties/${body.property_id}`)).body;
    expect(created).toMatchObject({ name: "Oak Court", state: "VT", unit_count: 3, source: "sensor_event" });
    expect(await reported("property.created", "property_id", body.property_id)).toMatchObject({
      source: "sensor_event",
      state: "VT",
    });
    expect(await reported("appliance.created", "appliance_id", body.appliance_id)).toEqual({
      appliance_id: body.appliance_id,
      type_id: "washer",
      property_id: body.property_id,
    });
    const again = (await client.post(SMART, event)).body;
    expect(again).toMatchObject({
      property_id: body.property_id,
      appliance_id: body.appliance_id,
      property_created: false,
      appliance_created: false,
    });
  });

  // Rule: smart-finds
  test("finds a property by the partner's reference, and an appliance by its serial number", async () => {
    const { body } = await client.post(SMART, {
      event_type: "normal",
      property: { partner_property_id: "EC-1" },
      appliance: { serial: "M-1" },
    });
    expect(body).toMatchObject({ property_id: property.id, appliance_id: heater.id });
  });

  // Rule: smart-missing-fields
  test("without the fields for a creation is rejected with all missing fields", async () => {
    const total = async () => (await client.get("/v1/properties")).body.total;
    const before = await total();
    const { body } = await client.post(SMART, { event_type: "smoke", property: { name: "No more" } }, 400);
    expect(body.error).toBe(
      "address, state, type_id, install_year are required to create a new property and appliance",
    );
    expect(body.details.map((one: Json) => one.field)).toEqual([
      "address",
      "state",
      "type_id",
      "install_year",
    ]);
    expect(await total()).toBe(before);
  });

  // Rule: smart-missing-fields
  test("creates no property if its appliance is rejected", async () => {
    const total = async () => (await client.get("/v1/properties")).body.total;
    const before = await total();
    const event = {
      event_type: "smoke",
      property: { name: "Half", address: "1 Half St", state: "NY" },
      appliance: { type_id: "spaceship", install_year: 2015 },
    };
    expect((await client.post(SMART, event, 400)).body.error).toBe("Unknown type_id: spaceship");
    expect(await total()).toBe(before);
  });

  // Rule: smart-unknown-type
  test("of an unknown type is stored, has no effect on scores, and causes a warning", async () => {
    const event = { event_type: "sun_spots", appliance: { appliance_id: heater.id } };
    const { body } = await client.post(SMART, event);
    expect(body.warnings).toEqual([expect.stringContaining("sun_spots")]);
    expect(body.affected_components).toEqual([]);
    expect(await reported("sensor.smart", "event_id", body.event_id)).toMatchObject({
      event_type: "sun_spots",
    });
  });

  // Rule: smart-finds, severity
  test.each([
    ["no event_type", {}, 400],
    ["an event_type that is no name", { event_type: "Water Leak!" }, 400],
    ["a severity that does not exist", { event_type: "smoke", severity: "apocalyptic" }, 400],
    ["an unknown property", { event_type: "smoke", property: { property_id: "P_1" } }, 404],
    ["an unknown appliance", { event_type: "smoke", appliance: { appliance_id: "A_1" } }, 404],
    ["an appliance that is no object", { event_type: "smoke", appliance: "A_1" }, 400],
    ["an appliance that is a list", { event_type: "smoke", appliance: [] }, 400],
    ["a property that is a list", { event_type: "smoke", property: [], appliance: { serial: "M-1" } }, 400],
  ])("with %s is rejected", async (_, body, status) => {
    await client.post(SMART, body, status);
  });

  // Rule: smart-flat, sensor-smart-processed
  test("in the legacy format has the same result, under its legacy name", async () => {
    const { body } = await client.post(FLAT, {
      event_type: "high_temperature",
      appliance_id: heater.id,
      property_id: property.id,
    });
    expect(body).toMatchObject({ event_type: "high_temperature", appliance_id: heater.id });
    expect(await reported("sensor.smart.processed", "event_id", body.event_id)).toEqual({
      event_id: body.event_id,
      event_type: "high_temperature",
      property_id: property.id,
      appliance_id: heater.id,
      risk_summary: body.risk_summary,
    });
  });
});

// Rule: key-replay
test.each([METER, SMART, FLAT])("POST %s repeated with an Idempotency-Key is stored once", async (path) => {
  const body = {
    appliance_id: heater.id,
    metric: "m",
    value: 1,
    event_type: "normal",
    appliance: { serial: "M-1" },
  };
  const key = { "idempotency-key": `once ${path}` };
  const first = await client.post(path, body, 201, key);
  const second = await client.post(path, body, 201, key);
  expect(second.text).toBe(first.text);
  expect(second.headers.get("idempotency-replayed")).toBe("true");
});

// Rule: unknown-is-404
test("another partner's property and appliance are not found", async () => {
  const other = server.as(await server.createPartner("Other"));
  await other.post(METER, { appliance_id: heater.id, metric: "m", value: 1 }, 404);
  await other.post(SMART, { event_type: "smoke", appliance: { appliance_id: heater.id } }, 404);
  await other.post(FLAT, { event_type: "smoke", property_id: property.id }, 404);
});
