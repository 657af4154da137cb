import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addProperty, THIS_YEAR } from "../support/portfolio.ts";

const { serve } = useMainstay();
const PATH = "/v1/appliances/bulk";
let client: ApiClient;
let other: ApiClient;
let property: Json;
beforeAll(async () => {
  const server = await serve();
  client = server.as(await server.createPartner("Acme"));
  other = server.as(await server.createPartner("Other"));
  property = await addProperty(client, { unit_count: 1 });
});

const boiler = (fields: object = {}) => ({
  property_id: property.id,
  type_id: "boiler",
  install_year: THIS_YEAR - 40,
  ...fields,
});
const totals = async () => (await client.get("/v1/portfolio/summary")).body.totals;

describe("creating appliances in bulk", () => {
  // Rule: bulk-appliances
  test("returns each record with its scored components", async () => {
    const { body } = await client.post(PATH, { appliances: [boiler({ serial: "B-1" }), boiler()] });
    expect(body).toEqual({
      created: 2,
      errors: 0,
      events: [expect.any(Object), expect.any(Object)],
      error_details: [],
      partner: "Acme",
    });
    const [first, second] = body.events;
    expect(first.id < second.id).toBe(true);
    const {
      components,
      partner: _,
      action,
      reason,
      ...read
    } = (await client.get(`/v1/appliances/${first.id}`)).body;
    expect([action, reason]).toEqual([expect.any(String), expect.any(String)]);
    expect(first).toMatchObject({ ...read, serial: "B-1", brand_tier: "standard", usage_intensity: 1 });
    expect(first.components).toEqual(
      components.map(({ id, component_def_id, component_name }: Json) => ({
        id,
        component_def_id,
        component_name,
      })),
    );
    expect(components.map((one: Json) => one.risk_tier)).toContain("CRITICAL");
  });

  // Rule: bulk-appliances, bulk-partial
  test("saves valid items even if others fail, and lists the errors by position", async () => {
    const before = await totals();
    const theirs = await addProperty(other);
    const { body } = await client.post(PATH, {
      appliances: [
        {},
        boiler({ serial: "kept" }),
        boiler({ type_id: "teleporter" }),
        boiler({ property_id: theirs.id }),
        boiler({ unit_id: "U_1" }),
        boiler({ usage_intensity: 0.4 }),
        null,
        boiler({ serial: "kept too" }),
      ],
    });
    expect(body).toMatchObject({ created: 2, errors: 6 });
    expect(body.events.map((one: Json) => one.serial)).toEqual(["kept", "kept too"]);
    expect(body.error_details).toEqual([
      { index: 0, error: "property_id, type_id, install_year required" },
      { index: 2, error: "Unknown type_id: teleporter" },
      { index: 3, error: "Property not found" },
      { index: 4, error: "Unit not found" },
      { index: 5, error: "usage_intensity must be a number from 0.5 to 2.0" },
      { index: 6, error: "property_id, type_id, install_year required" },
    ]);
    const after = await totals();
    expect([after.appliances - before.appliances, after.components - before.components]).toEqual([2, 12]);
  });

  // Rule: bulk-appliances
  test("returns 201 even if no item is valid or the list is empty", async () => {
    expect((await client.post(PATH, { appliances: [{}] })).body).toMatchObject({ created: 0, errors: 1 });
    expect((await client.post(PATH, { appliances: [] })).body).toMatchObject({ created: 0, errors: 0 });
  });

  // Rule: bulk-size
  test("accepts 1,000 items, and rejects 1,001 without saving any", async () => {
    const many = Array.from({ length: 1000 }, () => boiler({ type_id: "elevator" }));
    expect((await client.post(PATH, { appliances: many })).body.created).toBe(1000);
    const before = await totals();
    const { body } = await client.post(PATH, { appliances: [...many, boiler()] }, 400);
    expect(body.error).toBe("At most 1000 items per request");
    expect(await totals()).toEqual(before);
  });

  test.each([
    [{}, "appliances required"],
    [{ appliances: null }, "appliances required"],
    [{ appliances: {} }, "appliances must be an array"],
  ])("rejects a body of %o", async (body, error) => {
    expect((await client.post(PATH, body, 400)).body.error).toBe(error);
  });
});
