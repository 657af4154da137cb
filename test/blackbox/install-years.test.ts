import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, dateDaysFromToday } from "../support/portfolio.ts";

const { serve } = useMainstay();
let server: Installation;
let partner: Partner;
let client: ApiClient;
beforeAll(async () => {
  server = await serve();
  partner = await server.createPartner("Acme");
  client = server.as(partner);
});

const newHeater = (property_id: string, fields: object = {}) => ({
  property_id,
  type_id: "water_heater_gas",
  ...fields,
});
const post = (body: object, status = 201) => client.post("/v1/appliances", body, status);
const componentOf = async (applianceId: string, defId: string): Promise<Json> => {
  const { components } = (await client.get(`/v1/appliances/${applianceId}`)).body;
  return components.find((one: Json) => one.component_def_id === defId);
};

describe("an appliance without an install year", () => {
  // Rule: install-year-of-the-building
  test("takes its building's, and says so", async () => {
    const { id } = await addProperty(client, { year_built: 1962 });
    for (const fields of [{}, { install_year: null }]) {
      const { status, body } = await post(newHeater(id, fields));
      expect(status).toBe(201);
      expect(body).toMatchObject({ install_year: 1962, install_year_basis: "year_built" });
    }
    const { body } = await post(newHeater(id, { install_year: 1962 }));
    expect(body).toMatchObject({ install_year: 1962, install_year_basis: "given" });
  });

  // Rule: install-year-of-the-building, component-year
  test("has an unknown past in all of its parts without a year of their own", async () => {
    const { id } = await addProperty(client, { year_built: 1962, records_since: dateDaysFromToday(0) });
    const unknown = (await post(newHeater(id))).body;
    const original = (await post(newHeater(id, { install_year: 1962 }))).body;
    const [tank, oldTank] = [
      await componentOf(unknown.id, "wh_gas_tank"),
      await componentOf(original.id, "wh_gas_tank"),
    ];
    expect(tank.age_years).toBe(oldTank.age_years);
    expect([tank.install_year_basis, oldTank.install_year_basis]).toEqual(["year_built", "appliance"]);
    expect(tank.failure_probability_12m).toBeLessThan(oldTank.failure_probability_12m / 2);
    // A tank is as old as its water heater, unless it has a year of its own.
    const stated: number[] = [];
    for (const { id } of [tank, oldTank])
      stated.push(
        (await client.put(`/v1/components/${id}`, { install_year: 2009 })).body.failure_probability_12m,
      );
    expect(stated[0]).toBe(stated[1]!);
  });

  // Rule: install-year-of-the-building
  test("follows its building's year, and an own one given later", async () => {
    const { id } = await addProperty(client, { year_built: 1962 });
    const { body: heater } = await post(newHeater(id));
    const { body: other } = await post(newHeater(id, { install_year: 2001 }));
    await client.put(`/v1/properties/${id}`, { year_built: 2011 });
    const yearOf = async (one: Json) => (await client.get(`/v1/appliances/${one.id}`)).body;
    expect(await yearOf(heater)).toMatchObject({ install_year: 2011, install_year_basis: "year_built" });
    expect((await componentOf(heater.id, "wh_gas_anode")).install_year).toBe(2011);
    expect(await yearOf(other)).toMatchObject({ install_year: 2001, install_year_basis: "given" });

    const given = await client.put(`/v1/appliances/${heater.id}`, { install_year: 2015 });
    expect(given.body).toMatchObject({ install_year: 2015, install_year_basis: "given" });
    const cleared = await client.put(`/v1/appliances/${heater.id}`, { install_year: null });
    expect(cleared.body).toMatchObject({ install_year: 2011, install_year_basis: "year_built" });
  });

  // Rule: install-year-of-the-building
  test("is refused in a building without a year, and keeps the building's year from being cleared", async () => {
    const { id } = await addProperty(client, { year_built: null });
    const refused = await post(newHeater(id), 400);
    const message =
      "property_id, type_id, install_year required: the property has no year_built to take install_year from";
    expect(refused.body.error).toBe(message);
    const { body } = await client.post("/v1/appliances/bulk", { appliances: [newHeater(id)] });
    expect(body.error_details).toEqual([{ index: 0, error: message }]);
    await client.put(`/v1/properties/${id}`, { year_built: 1980 });
    const { body: heater } = await post(newHeater(id));
    const kept = await client.put(`/v1/properties/${id}`, { year_built: null }, 409);
    expect(kept.body.error).toBe(
      `year_built cannot be cleared: appliance ${heater.id} has no install_year of its own. Set it first`,
    );
    expect((await client.get(`/v1/properties/${id}`)).body.year_built).toBe(1980);
  });

  // Rule: install-year-of-the-building
  test("keeps its year while it is retired, and comes back with its building's, or with one of its own", async () => {
    const { id } = await addProperty(client, { year_built: 1962 });
    const { body: heater } = await post(newHeater(id));
    const change = (body: object, status = 200) => client.put(`/v1/appliances/${heater.id}`, body, status);
    await change({ retired_at: "2010-05-01" });
    await client.put(`/v1/properties/${id}`, { year_built: 2011 });
    expect((await client.get(`/v1/appliances/${heater.id}`)).body.install_year).toBe(1962);
    const back = { install_year: 2011, install_year_basis: "year_built", warnings: [] };
    expect((await change({ retired_at: null })).body).toMatchObject(back);
    expect((await componentOf(heater.id, "wh_gas_anode")).install_year).toBe(2011);

    await change({ retired_at: dateDaysFromToday(0) });
    await client.put(`/v1/properties/${id}`, { year_built: null });
    for (const fields of [{}, { property_id: id }, { install_year: null }])
      expect((await change({ retired_at: null, ...fields }, 400)).body.error).toBe(
        "install_year is required where the property has no year_built",
      );
    const given = { install_year: 2005, install_year_basis: "given", retired_at: null };
    expect((await change({ retired_at: null, install_year: 2005 })).body).toMatchObject(given);
  });
});

// Rule: eras
test("a building's year changes the scores of its original parts", async () => {
  const { id } = await addProperty(client, { year_built: 1955, records_since: "1955-01-01" });
  const { id: pipes } = await addAppliance(client, id, { type_id: "plumbing_supply", install_year: 1955 });
  const galvanized = await componentOf(pipes, "plumb_supply_piping");
  await client.put(`/v1/properties/${id}`, { year_built: 1954 });
  const later = await componentOf(pipes, "plumb_supply_piping");
  expect(galvanized.failure_probability_12m).toBeGreaterThan(later.failure_probability_12m * 1.3);
});

// Rule: install-year-before-the-building
test("an install year before the building's is taken, with a warning", async () => {
  const { id } = await addProperty(client, { year_built: 1987, address: "87 Year St" });
  const warning = "install_year 1950 is before year_built 1987 of the property";
  const { body } = await post(newHeater(id, { install_year: 1950 }));
  expect(body).toMatchObject({ install_year: 1950, warnings: [warning] });
  const bulk = await client.post(
    "/v1/appliances/bulk",
    { appliances: [newHeater(id, { install_year: 1950 })] },
    201,
  );
  expect(bulk.body.events[0].warnings).toEqual([warning]);
  const put = async (install_year: number) =>
    (await client.put(`/v1/appliances/${body.id}`, { install_year })).body.warnings;
  expect(await put(1987)).toEqual([]);
  expect(await put(1950)).toEqual([warning]);
  const rebuilt = async (year_built: number) =>
    (await client.put(`/v1/properties/${id}`, { year_built })).body.warnings;
  expect(await rebuilt(1949)).toEqual([]);
  expect(await rebuilt(1987)).toEqual([
    `install_year 1950 of appliance ${body.id}, and of 1 more is before year_built 1987 of the property`,
  ]);
  const file = join(server.folder, "early.csv");
  const row = (year: number, serial: string) => `${id},water_heater_gas,${year},${serial}`;
  const columns = "property_id,type_id,install_year,serial";
  writeFileSync(file, `${columns}\n${row(1951, "S1")}\n${row(1988, "S2")}`);
  const run = (...options: string[]) =>
    server.json("import", "--partner", partner.partner_id, "--appliances", file, ...options);
  expect((await run()).install_years_before_year_built).toBe(1);
  writeFileSync(file, `${columns}\n${row(1951, "S1")}\n${row(1952, "S2")}`);
  expect(await run("--update")).toMatchObject({
    appliances: { updated: 1, unchanged: 1 },
    install_years_before_year_built: 1,
  });
  const part = body.components[0].id;
  const { warnings } = (await client.put(`/v1/components/${part}`, { install_year: 1940 })).body;
  expect(warnings).toEqual([
    "install_year 1940 is before install_year 1950 of the appliance",
    "install_year 1940 is before year_built 1987 of the property",
  ]);
  expect((await client.put(`/v1/components/${part}`, { install_year: 1990 })).body.warnings).toEqual([]);
});
