import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Administrator, createAdministrator } from "../support/administrator.ts";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import {
  addAppliance,
  addProperty,
  addWornAppliance,
  dateDaysFromToday,
  logEvents,
  THIS_YEAR,
} from "../support/portfolio.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

const { serve } = useMainstay();
let server: Installation;
let admin: Administrator;
const receivers: Receiver[] = [];
beforeAll(async () => {
  server = await serve();
  admin = await createAdministrator(server);
});
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

async function listen(at = server): Promise<{ partner: Partner; client: ApiClient; receiver: Receiver }> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const partner = await at.createPartner("Acme", "--webhook-url", receiver.url);
  return { partner, client: at.as(partner), receiver };
}

const eventsIn = ({ received }: Receiver): Json[] => received.map(({ body }) => JSON.parse(body.toString()));
const ofComponent = (receiver: Receiver, id: string) =>
  eventsIn(receiver).filter(({ data }) => data.component_id === id);
const totalOf = async ({ partner_id }: Partner, event: string, by = admin): Promise<number> =>
  (await by.client.get("/admin/webhook-deliveries", { partner_id, event })).body.total;

/** Gas water heaters of every age from new to 25 years, with their tanks. */
async function tanksOfEveryAge(client: ApiClient, property: Json): Promise<Json[]> {
  const appliances = Array.from({ length: 26 }, (_, age) => ({
    property_id: property.id,
    type_id: "water_heater_gas",
    install_year: THIS_YEAR - age,
  }));
  await client.post("/v1/appliances/bulk", { appliances });
  const query = { property_id: property.id, limit: 200 };
  const { components } = (await client.get("/v1/components", query)).body;
  return components.filter((one: Json) => one.component_def_id === "wh_gas_tank");
}

describe("a tank that crosses every tier", () => {
  let property: Json;
  let tank: Json;
  let reported: Json[];
  /** Ages into WARNING, leaks into CRITICAL, dries up, and is replaced. */
  beforeAll(async () => {
    const { client, receiver } = await listen();
    property = await addProperty(client);
    const tanks = await tanksOfEveryAge(client, property);
    await server.json("snapshot");
    // The oldest that is no more than WARNING by its age alone.
    tank = tanks.findLast((one) => one.risk_tier === "WARNING")!;
    const smart = async (fields: object): Promise<Json> =>
      (
        await client.post("/v1/meter-event/smart/v2", {
          sensor_id: "pan-1",
          component_id: tank.id,
          appliance: { appliance_id: tank.appliance_id },
          ...fields,
        })
      ).body.affected_components[0];
    const leaking = await smart({ event_type: "water_leak", severity: "critical" });
    expect(leaking.risk_tier).toBe("CRITICAL");
    expect((await smart({ event_type: "normal" })).risk_tier).toBe("WARNING");
    const event = { appliance_id: tank.appliance_id, component_id: tank.id, date: dateDaysFromToday(0) };
    await logEvents(client, { ...event, event_type: "Replacement" });
    await receiver.waitFor(() => ofComponent(receiver, tank.id).length === 4);
    reported = ofComponent(receiver, tank.id);
  });

  const dataOf = (event: string, previous: string): Json =>
    reported.find((one) => one.event === event && one.data.previous_tier === previous)?.data;
  const everyField = (fields: object) => ({
    component_id: tank.id,
    component_name: "Glass-lined tank",
    component_def_id: "wh_gas_tank",
    appliance_id: tank.appliance_id,
    appliance_type: "water_heater_gas",
    property_id: property.id,
    property_name: property.name,
    confidence: expect.stringMatching(/^(HIGH|MEDIUM|LOW)$/),
    proactive_cost: tank.proactive_cost,
    cost_basis: tank.cost_basis,
    reactive_cost: tank.reactive_cost,
    projected_failure_year: expect.any(Number),
    action: expect.any(String),
    reason: expect.stringMatching(/\.$/),
    ...fields,
  });

  // Rule: tier-changes
  test("sends an event for each change, in order", () => {
    expect(reported.map(({ event, data }) => [event, data.previous_tier, data.risk_tier])).toEqual([
      ["component.warning", "GOOD", "WARNING"],
      ["component.critical", "WARNING", "CRITICAL"],
      ["component.warning", "CRITICAL", "WARNING"],
      ["component.recovered", "WARNING", "GOOD"],
    ]);
  });

  // Rule: component-warning
  test("is reported with every field when it becomes WARNING", () => {
    expect(dataOf("component.warning", "GOOD")).toEqual(
      everyField({ risk_score: tank.risk_score, risk_tier: "WARNING", previous_tier: "GOOD" }),
    );
  });

  // Rule: component-critical
  test("is reported with every field when it becomes CRITICAL", () => {
    const data = dataOf("component.critical", "WARNING");
    expect(data).toEqual(
      everyField({ risk_score: expect.any(Number), risk_tier: "CRITICAL", previous_tier: "WARNING" }),
    );
    expect(data.risk_score).toBeWithin(0.78, 1);
  });

  // Rule: component-recovered
  test("is reported with every field when it is GOOD again", () => {
    const data = dataOf("component.recovered", "WARNING");
    expect(data).toEqual(
      everyField({ risk_score: expect.any(Number), risk_tier: "GOOD", previous_tier: "WARNING" }),
    );
    expect(data.risk_score).toBeLessThan(0.03);
  });
});

// Rule: smart-event-sends
test("a normal sensor event sends component.recovered at once", async () => {
  const { client, receiver } = await listen();
  const tanks = await tanksOfEveryAge(client, await addProperty(client));
  const tank = tanks.findLast((one) => one.risk_tier === "GOOD")!;
  const event = { sensor_id: "pan-2", appliance: { appliance_id: tank.appliance_id }, component_id: tank.id };
  const tierAfter = async (fields: object) =>
    (await client.post("/v1/meter-event/smart/v2", { ...event, ...fields })).body.affected_components[0]
      .risk_tier;
  const raised = await tierAfter({ event_type: "water_leak", severity: "critical" });
  expect(raised).not.toBe("GOOD");
  expect(await tierAfter({ event_type: "normal" })).toBe("GOOD");
  await receiver.waitFor(() => ofComponent(receiver, tank.id).length === 2);
  expect(ofComponent(receiver, tank.id).map(({ event, data }) => [event, data.previous_tier])).toEqual([
    [`component.${raised.toLowerCase()}`, "GOOD"],
    ["component.recovered", raised],
  ]);
});

// Rule: replacement-sends
test("a replacement sends component.recovered, and the other service events of its request send no tier change", async () => {
  const own = await serve();
  const by = await createAdministrator(own);
  const { client, partner, receiver } = await listen(own);
  const tanks = await tanksOfEveryAge(client, await addProperty(client));
  await own.json("snapshot");
  const replaced = tanks.findLast((one) => one.risk_tier === "CRITICAL")!;
  const inspected = tanks.find((one) => one.risk_tier === "WARNING" && one.risk_score < 0.6)!;
  const today = dateDaysFromToday(0);
  const eventOn = ({ id, appliance_id }: Json, event_type: string) => ({
    appliance_id,
    component_id: id,
    event_type,
    date: today,
    condition_after: "good",
  });
  await logEvents(client, eventOn(inspected, "Inspection"), eventOn(replaced, "Replacement"));
  const { components } = (await client.get("/v1/components", { tier: "GOOD", limit: 200 })).body;
  const good = components.map(({ id }: Json) => id);
  expect(good).toEqual(expect.arrayContaining([replaced.id, inspected.id]));
  expect(await totalOf(partner, "component.recovered", by)).toBe(1);
  const all: Json[] = (await client.get("/v1/components", { limit: 200 })).body.components;
  const count = (tier: string) => all.filter((one) => one.risk_tier === tier).length;
  expect((await client.get("/v1/portfolio/summary")).body.totals).toMatchObject({
    components: all.length,
    critical: count("CRITICAL"),
    warning: count("WARNING"),
    good: count("GOOD"),
  });
  await receiver.waitFor(() => ofComponent(receiver, replaced.id).length === 2);
});

// Rule: silent-writes
test("only a snapshot, a smart event and a replacement send tier changes", async () => {
  const own = await serve();
  const by = await createAdministrator(own);
  const { client, partner } = await listen(own);
  const property = await addProperty(client);
  const worn = await addWornAppliance(client, property.id);
  const aged = await addAppliance(client, property.id, { type_id: "roof" });
  await client.put(`/v1/appliances/${aged.id}`, { install_year: THIS_YEAR - 60 });
  const event = { appliance_id: worn.id, date: dateDaysFromToday(0) };
  const types = ["Emergency Repair", "Repair", "Inspection", "Preventive Maintenance", "Warranty Claim"];
  await logEvents(client, ...types.map((event_type) => ({ ...event, event_type, condition_after: "poor" })));
  const claim = { claim_type: "water_damage", date_of_loss: dateDaysFromToday(0), amount: 5000 };
  await client.post(`/v1/property/${property.id}/claims`, claim);
  await client.post("/v1/meter-event", { appliance_id: worn.id, metric: "temperature_f", value: 180 });
  const announced = async () => ({
    critical: await totalOf(partner, "component.critical", by),
    warning: await totalOf(partner, "component.warning", by),
    recovered: await totalOf(partner, "component.recovered", by),
  });
  expect(await announced()).toEqual({ critical: 0, warning: 0, recovered: 0 });
  expect((await client.get("/v1/alerts")).body.critical_count).toBeGreaterThan(6);
  // A smart event speaks of its own appliance: the roof stays unannounced until the snapshot.
  const smart = { event_type: "error_code", appliance: { appliance_id: worn.id } };
  await client.post("/v1/meter-event/smart/v2", smart);
  expect(await announced()).toEqual({ critical: 6, warning: 0, recovered: 0 });
  await own.json("snapshot");
  const { critical_count: critical, warning_count: warning } = (await client.get("/v1/alerts")).body;
  expect(await announced()).toEqual({ critical, warning, recovered: 0 });
});

// Rule: demo-property, property-created
test("a demo property sends the events of all its records", async () => {
  const { client, partner, receiver } = await listen();
  const demo = (await client.post("/onboarding/demo-property", {})).body;
  await receiver.waitFor(() => eventsIn(receiver).some(({ event }) => event === "property.created"));
  const { address, city, state, country } = demo;
  expect(eventsIn(receiver).find(({ event }) => event === "property.created")!.data).toEqual({
    property_id: demo.id,
    address,
    city,
    state,
    country,
    source: "demo",
  });
  expect(await totalOf(partner, "appliance.created")).toBe(demo.appliances);
});
