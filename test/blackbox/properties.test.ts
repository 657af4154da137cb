import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, addWornAppliance, PROPERTY } from "../support/portfolio.ts";

const { serve } = useMainstay();
let client: ApiClient;
beforeAll(async () => {
  const server = await serve();
  client = server.as(await server.createPartner("Acme"));
});

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("creating a property", () => {
  // Rule: ids, instants-and-nulls, create-property, get-property, units-created, property-record
  // Rule: property-source
  test("returns the full record, with absent values as null", async () => {
    const body = await addProperty(client);
    expect(body).toEqual({
      ...PROPERTY,
      country: "US",
      id: expect.stringMatching(/^P_[0-9a-hjkmnp-tv-z]{26}$/),
      unit_count: 0,
      year_built: null,
      estimated_value: null,
      gross_area_sqft: null,
      stories: null,
      unit_label: null,
      replacement_value: null,
      is_demo: false,
      partner_property_id: null,
      notes: null,
      source: "api",
      retired_at: null,
      retired_reason: null,
      merged_into: null,
      warnings: [],
      created_at: expect.stringMatching(INSTANT),
      updated_at: expect.stringMatching(INSTANT),
      partner: "Acme",
    });
    const { warnings: _, ...record } = body;
    expect((await client.get(`/v1/properties/${body.id}`)).body).toEqual(record);
  });

  // Rule: state-codes, text-bounds
  test("accepts every field, trims text, and stores the state in upper case", async () => {
    const body = await addProperty(client, {
      name: "  Oak Hall ",
      state: " nj ",
      zip: "07030-1234",
      unit_count: 2,
      year_built: 1800,
      estimated_value: 1234567.89,
      partner_property_id: "ref-1",
      notes: "two\nlines",
      color: "unknown fields are ignored",
    });
    expect(body).toMatchObject({
      name: "Oak Hall",
      state: "NJ",
      zip: "07030-1234",
      unit_count: 2,
      year_built: 1800,
      estimated_value: 1234567.89,
      partner_property_id: "ref-1",
      notes: "two\nlines",
    });
    expect(body).not.toHaveProperty("color");
  });

  // Rule: countries
  test("takes a subdivision and a postal code in another country, and changes them as stated", async () => {
    const placed = { country: "ca", state: " on ", zip: "m4k 1n2" };
    const { id, ...body } = await addProperty(client, placed);
    expect(body).toMatchObject({ country: "CA", state: "ON", zip: "M4K 1N2" });
    const change = async (fields: Json, status = 200) =>
      (await client.put(`/v1/properties/${id}`, fields, status)).body;
    expect(await change({ state: "qc" })).toMatchObject({ country: "CA", state: "QC", zip: "M4K 1N2" });
    const wrongZip = await change({ country: "US", state: "VT" }, 400);
    expect(wrongZip.details).toEqual([{ field: "zip", message: expect.stringContaining("5+4") }]);
    expect((await change({ country: "US" }, 400)).details[0].field).toBe("state");
    expect((await change({ zip: "M4K#" }, 400)).details[0].field).toBe("zip");
    expect((await client.get(`/v1/properties/${id}`)).body).toMatchObject({ country: "CA", state: "QC" });
    const moved = await change({ country: "US", state: "vt", zip: null });
    expect(moved).toMatchObject({ country: "US", state: "VT", zip: null });
  });

  // Rule: ids, units-created, list-units
  test("creates its units, numbered from 1", async () => {
    const { id } = await addProperty(client, { unit_count: 12 });
    const { body } = await client.get(`/v1/property/${id}/units`, { limit: 5, offset: 9 });
    expect(body.units).toEqual(
      ["10", "11", "12"].map((label) => ({
        id: expect.stringMatching(/^U_[0-9a-hjkmnp-tv-z]{26}$/),
        property_id: id,
        label,
        created_at: expect.stringMatching(INSTANT),
      })),
    );
    expect(body).toMatchObject({ total: 12, limit: 5, offset: 9, page: 2, pages: 3 });
  });

  // Rule: state-codes, property-bounds, create-property, missing-fields
  test.each([
    [{}, "name, address, state required"],
    [{ name: "N" }, "name, address, state required"],
    [{ ...PROPERTY, name: "  " }, "name, address, state required"],
    [{ ...PROPERTY, state: null }, "name, address, state required"],
    [
      { ...PROPERTY, state: "XX" },
      "state must be the abbreviation of a US state, DC, PR, GU, VI, AS or MP; for another country, set country",
    ],
    [
      { ...PROPERTY, zip: "1234" },
      "zip must be a ZIP code with 5 or 5+4 digits; for another country, set country",
    ],
    [{ ...PROPERTY, country: "CAN" }, "country must be a country's two-letter code (ISO 3166-1), such as CA"],
    [{ ...PROPERTY, country: "PR" }, "country must be US for PR, which is a state here"],
    [{ ...PROPERTY, country: null }, "country must be a country's two-letter code (ISO 3166-1), such as CA"],
    [
      { ...PROPERTY, country: "CA", state: "12345678901" },
      "state must be a state, province or region of 1 to 10 characters",
    ],
    [
      { ...PROPERTY, country: "CA", state: "ON", zip: "M4K_1" },
      "zip must be a ZIP code with 5 or 5+4 digits, or the postal code of another country",
    ],
    [{ ...PROPERTY, unit_count: 10_001 }, "unit_count must be a whole number from 0 to 10000"],
    [{ ...PROPERTY, unit_count: 1.5 }, "unit_count must be a whole number from 0 to 10000"],
    [{ ...PROPERTY, year_built: 1799 }, "year_built must be a whole number from 1800 to next year"],
    [{ ...PROPERTY, name: "n".repeat(501) }, "name must be one line of text of 1 to 500 characters"],
  ])("rejects %o", async (body, error) => {
    const refused = await client.post("/v1/properties", body, 400);
    expect(refused.body).toMatchObject({ error, code: "invalid_request" });
  });

  // Rule: error-details
  test("lists every invalid field", async () => {
    const { body } = await client.post("/v1/properties", { ...PROPERTY, unit_count: "3", notes: 7 }, 400);
    expect(body.details.map((detail: { field: string }) => detail.field).sort()).toEqual([
      "notes",
      "unit_count",
    ]);
  });

  // Rule: text-bounds
  test.each([
    ["name", 500],
    ["address", 500],
    ["city", 500],
    ["partner_property_id", 500],
    ["notes", 10_000],
  ])("accepts %s of up to %i characters", async (field, most) => {
    const text = "n".repeat(most);
    expect((await addProperty(client, { [field]: ` ${text} ` }))[field]).toBe(text);
    const { body } = await client.post("/v1/properties", { ...PROPERTY, [field]: `${text}n` }, 400);
    expect(body.details[0].field).toBe(field);
  });

  // Rule: state-codes
  test("accepts the 50 states, DC and the five territories, and no other two letters", async () => {
    const states =
      "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK " +
      "OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR GU VI AS MP";
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
    const { id } = await addProperty(client);
    const taken = [];
    for (const state of letters.flatMap((first) => letters.map((second) => first + second)))
      if ((await client.send("PUT", `/v1/properties/${id}`, { body: { state } })).status === 200)
        taken.push(state);
    expect(taken).toEqual(states.split(" ").sort());
  });

  // Rule: property-bounds
  test("accepts the maximum number of units", async () => {
    const { id, unit_count } = await addProperty(client, { unit_count: 10_000 });
    expect(unit_count).toBe(10_000);
    const { body } = await client.get(`/v1/property/${id}/units`, { offset: 9999 });
    expect(body.units.map(({ label }: { label: string }) => label)).toEqual(["10000"]);
  });

  // Rule: property-bounds
  test("rejects a year after next year", async () => {
    const year = new Date().getUTCFullYear();
    await addProperty(client, { year_built: year + 1 });
    const { body } = await client.post("/v1/properties", { ...PROPERTY, year_built: year + 2 }, 400);
    expect(body.details[0].field).toBe("year_built");
  });

  // Rule: property-reference-unique
  test("rejects a partner_property_id that is already in use", async () => {
    await addProperty(client, { partner_property_id: "taken" });
    const { body } = await client.post("/v1/properties", { ...PROPERTY, partner_property_id: "taken" }, 409);
    expect(body).toMatchObject({ code: "conflict" });
  });
});

describe("updating a property", () => {
  // Rule: change-property
  test("changes the given fields, clears those that are null, and keeps the rest", async () => {
    const before = await addProperty(client, { year_built: 1990, notes: "old" });
    const { body } = await client.put(`/v1/properties/${before.id}`, { estimated_value: 5e6, notes: null });
    expect(body).toEqual({
      ...before,
      estimated_value: 5_000_000,
      notes: null,
      updated_at: expect.stringMatching(INSTANT),
    });
    expect(body.updated_at > before.updated_at).toBe(true);
    const { body: read } = await client.get(`/v1/properties/${before.id}`);
    expect({ ...read, warnings: body.warnings }).toEqual(body);
  });

  // Rule: score-with-write
  test("moves its components to the new state, and shows the new name in every list", async () => {
    const [moved, there] = [await addProperty(client), await addProperty(client, { state: "AZ" })];
    const roof = { type_id: "roof", install_year: new Date().getUTCFullYear() - 15 };
    for (const { id } of [moved, there]) await addAppliance(client, id, roof);
    const componentsOf = async (property_id: string) =>
      (await client.get("/v1/components", { property_id })).body.components as Record<string, unknown>[];
    const scoresOf = async (id: string) => (await componentsOf(id)).map((one) => one.risk_score);
    expect(await scoresOf(moved.id)).not.toEqual(await scoresOf(there.id));
    await client.put(`/v1/properties/${moved.id}`, { state: "az", name: "Moved", address: "2 Elm St" });
    expect(await scoresOf(moved.id)).toEqual(await scoresOf(there.id));
    for (const one of await componentsOf(moved.id)) expect(one.property_name).toBe("Moved");
    const { alerts } = (await client.get("/v1/alerts", { property_id: moved.id })).body;
    expect(alerts.length).toBeGreaterThan(0);
    for (const alert of alerts)
      expect(alert).toMatchObject({ property_name: "Moved", property_address: "2 Elm St" });
  });

  // Rule: server-set-fields
  test("ignores read-only fields", async () => {
    const before = await addProperty(client);
    const change = { id: "P_1", is_demo: true, source: "demo", created_at: "2020-01-01T00:00:00.000Z" };
    const { body } = await client.put(`/v1/properties/${before.id}`, change);
    expect(body).toEqual({ ...before, updated_at: expect.stringMatching(INSTANT) });
  });

  // Rule: change-unit-count
  test("adds and removes units at the end", async () => {
    const { id } = await addProperty(client, { unit_count: 3 });
    const labels = async () =>
      (await client.get(`/v1/property/${id}/units`)).body.units.map((unit: { label: string }) => unit.label);
    await client.put(`/v1/properties/${id}`, { unit_count: 5 });
    expect(await labels()).toEqual(["1", "2", "3", "4", "5"]);
    await client.put(`/v1/properties/${id}`, { unit_count: 2 });
    expect(await labels()).toEqual(["1", "2"]);
  });

  // Rule: unit-in-use
  test("rejects the removal of a unit with an appliance, and names the unit", async () => {
    const { id } = await addProperty(client, { unit_count: 3 });
    const { units } = (await client.get(`/v1/property/${id}/units`)).body;
    await addAppliance(client, id, { unit_id: units[2].id });
    const { body } = await client.put(`/v1/properties/${id}`, { unit_count: 1 }, 409);
    expect(body.error).toContain(`3 (${units[2].id})`);
    expect((await client.get(`/v1/property/${id}/units`)).body.total).toBe(3);
  });

  // Rule: property-reference-unique
  test("rejects the reference of another property, and accepts its own", async () => {
    await addProperty(client, { partner_property_id: "one" });
    const { id } = await addProperty(client, { partner_property_id: "two" });
    await client.put(`/v1/properties/${id}`, { partner_property_id: "two" });
    await client.put(`/v1/properties/${id}`, { partner_property_id: "one" }, 409);
  });

  // Rule: property-required-fields
  test("rejects null for required fields", async () => {
    const { id } = await addProperty(client);
    for (const field of ["name", "address", "state", "unit_count"])
      expect((await client.put(`/v1/properties/${id}`, { [field]: null }, 400)).body.details[0].field).toBe(
        field,
      );
  });
});

describe("summaries", () => {
  // Rule: property-summary, one-unit-one-price
  test("of a property have counts and costs", async () => {
    const property = await addProperty(client, { unit_count: 4 });
    await addWornAppliance(client, property.id);
    await addAppliance(client, property.id);
    const { body } = await client.get(`/v1/property/${property.id}/summary`);
    const { name, address, city, state } = PROPERTY;
    const country = "US";
    expect(body).toEqual({
      property: { id: property.id, name, address, city, country, state, unit_count: 4, unit_label: null },
      counts: { appliances: 2, components: 14, service_events: 0 },
      risk: { critical: 6, warning: 0, good: 8, overall_rating: expect.any(String) },
      financials: {
        total_deferred_maintenance: expect.any(Number),
        total_reactive_exposure: expect.any(Number),
        deferred_per_door: expect.any(Number),
        recommended_monthly_reserve_per_unit: expect.any(Number),
      },
      flags: [],
      assumptions: expect.objectContaining({ model_version: "3", components: 14 }),
      assessed_at: expect.stringMatching(INSTANT),
      partner: "Acme",
    });
    const { components } = (
      await client.get("/v1/components", { property_id: property.id, tier: "critical" })
    ).body;
    // Among them are the tank and other parts of one water heater, which count what the unit costs.
    const tank = components.find((row: Json) => row.component_def_id === "wh_gas_tank");
    expect(components.length).toBeGreaterThan(1);
    expect(body.financials.total_deferred_maintenance).toBe(tank.proactive_cost);
    expect(body.financials.total_reactive_exposure).toBe(tank.reactive_cost);
    expect(body.financials.deferred_per_door).toBe(tank.proactive_cost / 4);
  });

  // Rule: property-summary
  test("of an empty property are all zero", async () => {
    const property = await addProperty(client);
    const { counts, risk, financials } = (await client.get(`/v1/property/${property.id}/summary`)).body;
    expect(counts).toEqual({ appliances: 0, components: 0, service_events: 0 });
    expect(risk).toMatchObject({ critical: 0, warning: 0, good: 0 });
    expect(Object.values(financials)).toEqual([0, 0, 0, 0]);
  });

  // Rule: portfolio-summary
  test("of the portfolio match those of its properties", async () => {
    const { body } = await client.get("/v1/portfolio/summary", { limit: 200 });
    const { portfolio, totals } = body;
    const sum = (name: string) =>
      portfolio.reduce((total: number, row: Record<string, number>) => total + row[name]!, 0);
    expect(totals).toEqual({
      properties: portfolio.length,
      appliances: sum("appliances"),
      components: sum("components"),
      critical: sum("critical"),
      warning: sum("warning"),
      good: sum("good"),
      total_deferred: sum("total_deferred_maintenance"),
      total_reactive: sum("total_reactive_exposure"),
      flags: [],
    });
    expect(body).toMatchObject({
      total: portfolio.length,
      limit: 200,
      offset: 0,
      page: 1,
      pages: 1,
      partner: "Acme",
    });
    const row = portfolio.find((one: { critical: number }) => one.critical > 0);
    const { property, counts, risk, financials } = (
      await client.get(`/v1/property/${row.property_id}/summary`)
    ).body;
    const { recommended_monthly_reserve_per_unit, ...money } = financials;
    const { id: property_id, unit_label, ...named } = property;
    const { service_events, ...owned } = counts;
    const hazards = { hazard_flags: 0, suspected_hazards: 0 };
    expect(row).toEqual({ property_id, ...named, ...owned, ...risk, ...money, ...hazards, is_demo: false });
  });
});

// Rule: search
describe("searching everything", () => {
  const found = async (q: string): Promise<Json[]> => (await client.get("/v1/search", { q })).body.results;
  const ids = async (q: string) => (await found(q)).map(({ id }) => id);

  test("finds records by how their names, addresses, streets and numbers begin, and by their IDs", async () => {
    const place = { name: "Quince Yard", address: "77-12 Zephyr St", partner_property_id: "REF-9" };
    const property = await addProperty(client, place);
    const appliance = await addWornAppliance(client, property.id, { serial: "SN-Qx4477" });
    const claim = { claim_type: "hail", date_of_loss: "2026-01-01", amount: 9, claim_number: "CL-Zz81" };
    const { id: claimId } = (await client.post(`/v1/property/${property.id}/claims`, claim)).body;
    for (const q of ["quince", "QUINCE Y", "77-12 z", "zephyr", "REF-9", property.id])
      expect(await ids(q)).toEqual([property.id]);
    expect(await found("sn-qX4")).toEqual([
      {
        kind: "appliance",
        id: appliance.id,
        title: expect.any(String),
        detail: "SN-Qx4477, Quince Yard",
        property_id: property.id,
      },
    ]);
    expect(await found("cl-zz")).toMatchObject([{ kind: "claim", id: claimId, title: "Claim CL-Zz81" }]);
    const component = appliance.components[0].id;
    for (const id of [appliance.id, component, claimId]) expect(await ids(id)).toEqual([id]);
    for (const q of ["yard", "ephyr", "REF-", "%", "_", "\u{10FFFF}"]) expect(await ids(q)).toEqual([]);
    for (let nth = 0; nth < 9; nth++)
      await addProperty(client, { name: `Quince ${nth}`, address: `${nth} Far Rd` });
    expect(await found("quince")).toHaveLength(8);
    await client.put(`/v1/properties/${property.id}`, { retired_at: "2026-01-01" });
    expect(await ids("zephyr")).toEqual([]);
    const wrong = [undefined, "", " ", "x".repeat(101)];
    for (const q of wrong)
      expect((await client.get("/v1/search", q === undefined ? {} : { q }, 400)).body.error).toContain("q ");
  });
});
