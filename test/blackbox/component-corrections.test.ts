import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, logEvents } from "../support/portfolio.ts";

const { serve } = useMainstay();
let server: Installation;
let partnerId: string;
let client: ApiClient;
let property: Json;

beforeAll(async () => {
  server = await serve();
  const partner = await server.createPartner("Acme");
  partnerId = partner.partner_id;
  client = server.as(partner);
  property = await addProperty(client, { partner_property_id: "EC-1" });
});

const heater = async (fields = {}) =>
  await addAppliance(client, property.id, { type_id: "water_heater_gas", install_year: 2004, ...fields });
const read = async (id: string) => (await client.get(`/v1/components/${id}`)).body;
const kindOf = (appliance: Json, defId: string): string =>
  appliance.components.find((one: Json) => one.component_def_id === defId).id;

describe("a component", () => {
  // Rule: get-component, update-component
  test("is read and corrected, and what follows from it is corrected with it", async () => {
    const { id, components } = await heater();
    const { why, ...before } = await read(components[1].id);
    expect(why.length).toBeGreaterThan(0);
    expect(before).toMatchObject({ id: components[1].id, original: false, past: null, partner: "Acme" });
    const change = { override_lifespan: 60, proactive_cost: 4321, reactive_cost: 9876.5, original: true };
    const changed = (await client.put(`/v1/components/${before.id}`, change)).body;
    expect(changed).toMatchObject({ ...change, cost_basis: "own", past: null });
    expect(changed.risk_score).toBeLessThan(before.risk_score);
    const { warnings, ...stored } = changed;
    expect(warnings).toEqual([]);
    expect(await read(before.id)).toEqual({ ...stored, why: expect.any(Array) });
    const listed = (await client.get("/v1/components", { appliance_id: id })).body.components;
    expect(listed.find((one: Json) => one.id === before.id)).toMatchObject(change);
    expect((await client.put(`/v1/components/${before.id}`, changed)).body).toEqual(changed);
    const cleared = { override_lifespan: null, proactive_cost: null, reactive_cost: null, original: null };
    expect((await client.put(`/v1/components/${before.id}`, cleared)).body).toEqual({
      ...before,
      last_scored: expect.any(String),
      warnings: [],
    });
    const { entries } = await server.json("audit", "--subject", before.id);
    expect(entries.map((one: Json) => [one.action, one.actor, Object.keys(one.detail.after)])).toEqual(
      Array(2).fill(["component.update", partnerId, Object.keys(change)]),
    );
  });

  // Rule: update-component, component-past, replacement-renews
  test("has an installation and a past that follow a Replacement on record", async () => {
    const appliance = await heater();
    const anode = kindOf(appliance, "wh_gas_anode");
    const put = async (body: object, status = 200) =>
      (await client.ask("PUT", `/v1/components/${anode}`, status, { body })).body;
    expect(await put({ install_year: 2015, past: "unknown" })).toMatchObject({
      install_year: 2015,
      past: "unknown",
      original: false,
    });
    const event = { appliance_id: appliance.id, component_id: anode, event_type: "Replacement" };
    const [made] = (await logEvents(client, { ...event, date: "2020-05-01" })).events;
    for (const body of [{ install_year: 2016 }, { original: true }])
      expect((await put(body, 409)).error).toBe(
        `Component ${anode} was replaced on 2020-05-01, so that its age is on record: correct or void that service event instead`,
      );
    expect(await put({ install_year: 2020 })).toMatchObject({ install_year: 2020, past: "unknown" });
    expect(await put({ install_year: null })).toMatchObject({ install_year: 2020, past: "unknown" });
    await client.put(`/v1/service-events/${made.id}`, { voided: true });
    expect(await put({ past: null })).toMatchObject({ install_year: 2015, past: null });
  });

  // Rule: update-component, component-year
  test("keeps an own install year whatever its appliance's is, until the own one is cleared", async () => {
    const appliance = await heater();
    const [anode, burner] = [kindOf(appliance, "wh_gas_anode"), kindOf(appliance, "wh_gas_burner_assembly")];
    const basis = async (id: string) => (await read(id)).install_year_basis;
    const years = async () => [(await read(anode)).install_year, (await read(burner)).install_year];
    const install = (install_year: number) => client.put(`/v1/appliances/${appliance.id}`, { install_year });
    await client.put(`/v1/components/${anode}`, { install_year: 2012 });
    for (const year of [2012, 2004]) await install(year);
    expect(await years()).toEqual([2012, 2004]);
    expect([await basis(anode), await basis(burner)]).toEqual(["given", "appliance"]);
    expect((await client.put(`/v1/components/${anode}`, { install_year: null })).body.install_year).toBe(
      2004,
    );
    await install(2008);
    expect(await years()).toEqual([2008, 2008]);
    await client.put(`/v1/components/${burner}`, { install_year: 2012 });
    await install(2012);
    await client.put(`/v1/components/${burner}`, { install_year: null });
    const { entries } = await server.json("audit", "--subject", burner);
    expect(entries[0].detail).toEqual({
      before: { install_year_basis: "given" },
      after: { install_year_basis: "appliance" },
    });
    const event = { appliance_id: appliance.id, component_id: burner, event_type: "Replacement" };
    await logEvents(client, { ...event, date: "2020-05-01" });
    expect([await basis(anode), await basis(burner)]).toEqual(["appliance", "replacement"]);
  });

  // Rule: update-component
  test.each([
    [{ override_lifespan: 0 }, "override_lifespan must be a whole number from 1 to 200"],
    [{ override_lifespan: 201 }, "override_lifespan must be a whole number from 1 to 200"],
    [{ override_lifespan: 1.5 }, "override_lifespan must be a whole number from 1 to 200"],
    [{ install_year: 2999 }, /^install_year must be a whole number from 1800 to 20\d\d$/],
    [{ proactive_cost: 0 }, "proactive_cost must be an amount in USD from 1 to 100000000"],
    [{ reactive_cost: "9" }, "reactive_cost must be an amount in USD from 1 to 100000000"],
    [{ original: "true" }, "original must be true or false"],
    [{ past: "original" }, "past must be unknown"],
    [{ original: true, past: "unknown" }, /^original and past contradict each other/],
  ])("is not changed by %p", async (body, message) => {
    const [{ id }] = (await client.get("/v1/components", { limit: 1 })).body.components;
    const before = await read(id);
    const { status, body: answer } = await client.send("PUT", `/v1/components/${id}`, { body });
    expect([status, answer.error]).toEqual([400, expect.stringMatching(message)]);
    expect(await read(id)).toEqual(before);
  });

  // Rule: update-component, retire-conflict
  test("of a retired appliance is not changed", async () => {
    const { id, components } = await heater();
    await client.put(`/v1/appliances/${id}`, { retired_at: "2026-01-01" });
    const { body } = await client.ask("PUT", `/v1/components/${components[0].id}`, 409, {
      body: { override_lifespan: 9 },
    });
    expect(body.error).toStartWith(`Appliance ${id} is retired since 2026-01-01.`);
  });
});

describe("mainstay component", () => {
  // Rule: update-component
  test("prints a component and corrects it, in the audit log", async () => {
    const { components } = await heater();
    const { id } = components[0];
    const { partner: _, why: _reasons, ...record } = await read(id);
    expect(await server.json("component", "show", id)).toEqual(record);
    const set = ["--set", "override_lifespan=30", "--set", "original=true", "--set", "proactive_cost=77.5"];
    expect(await server.json("component", "update", id, ...set)).toMatchObject({
      override_lifespan: 30,
      original: true,
      proactive_cost: 77.5,
    });
    const clear = ["--clear", "override_lifespan", "--clear", "original", "--clear", "proactive_cost"];
    expect(await server.json("component", "update", id, ...clear)).toEqual({
      ...record,
      last_scored: expect.any(String),
      warnings: [],
    });
    const { entries } = await server.json("audit", "--subject", id);
    expect(entries.map((one: Json) => one.actor)).toEqual(Array(2).fill(expect.stringMatching(/^cli:/)));
    const unknown = await server.run("component", "update", "C_x", "--set", "original=true");
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("Component not found: C_x")]);
    const wrong = await server.run("component", "update", id, "--set", "risk_score=0");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('unknown field "risk_score"')]);
  });
});

describe("mainstay import --components", () => {
  // Rule: import-components
  test("corrects components with --update, by their IDs or by appliance and kind", async () => {
    const appliance = await heater({ serial: "H-7" });
    const [anode, burner] = [kindOf(appliance, "wh_gas_anode"), kindOf(appliance, "wh_gas_burner_assembly")];
    const file = join(server.folder, "components.csv");
    writeFileSync(
      file,
      [
        "component_id,serial,partner_property_id,component_def_id,override_lifespan,install_year,proactive_cost,reactive_cost,original,past",
        `,H-7,EC-1,wh_gas_anode,12,2010,250,900.25,TRUE,`,
        `${burner},,,,,,,,,unknown`,
        ",H-7,EC-1,elev_door_operator,12,,,,,",
        "C_none,,,,12,,,,,",
        ",H-7,EC-1,wh_gas_anode,0,,,,,",
        ",H-7,,wh_gas_anode,12,,,,,",
      ].join("\n"),
    );
    const run = async (...options: string[]) =>
      await server.json("import", "--partner", partnerId, "--components", file, ...options);
    const plain = await run();
    expect(plain.components).toEqual({ read: 6, created: 0, updated: 0, unchanged: 2 });
    expect(plain.rejected).toBe(4);
    expect(await read(anode)).toMatchObject({ override_lifespan: null, install_year: 2004 });
    const updated = await run("--update");
    expect(updated.components).toMatchObject({ updated: 2, unchanged: 0 });
    expect(updated.changes.map(({ field, from, to }: Json) => [field, from, to])).toEqual([
      ["override_lifespan", null, 12],
      ["install_year", 2004, 2010],
      ["proactive_cost", expect.any(Number), 250],
      ["reactive_cost", expect.any(Number), 900.25],
      ["original", false, true],
      ["past", null, "unknown"],
    ]);
    expect(await read(anode)).toMatchObject({
      override_lifespan: 12,
      install_year: 2010,
      proactive_cost: 250,
      reactive_cost: 900.25,
      cost_basis: "own",
      original: true,
    });
    expect(await read(burner)).toMatchObject({ past: "unknown" });
    expect((await run("--update")).components).toMatchObject({ updated: 0, unchanged: 2 });
    await client.put(`/v1/appliances/${appliance.id}`, { retired_at: "2026-01-01" });
    writeFileSync(
      file,
      "serial,partner_property_id,component_def_id,override_lifespan\nH-7,EC-1,wh_gas_anode,9",
    );
    const refused = await server.run("import", "--partner", partnerId, "--components", file, "--json");
    expect(JSON.parse(refused.stdout).rejects[0].reasons[0].error).toStartWith(
      `Appliance ${appliance.id} is retired since 2026-01-01. Bring it back first`,
    );
    await client.put(`/v1/appliances/${appliance.id}`, { retired_at: null });
    const text = await server.run("import", "--partner", partnerId, "--components", file);
    expect(text.stdout).toMatch(/^components +1 read +0 created +1 unchanged$/m);
  });
});
