import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, dateDaysFromToday, logEvents, THIS_YEAR } from "../support/portfolio.ts";

const { serve } = useMainstay();
let server: Installation;
let partner: Json;
let client: ApiClient;
beforeAll(async () => {
  server = await serve();
  partner = await server.createPartner("Acme");
  client = server.as(partner);
});

const TODAY = dateDaysFromToday(0);
const unsaid = (fields: object = {}) => addProperty(client, { ...fields, records_since: undefined });
const sinceOf = async (id: string) => (await client.get(`/v1/properties/${id}`)).body.records_since;
const boiler = (propertyId: string) =>
  addAppliance(client, propertyId, { type_id: "boiler", install_year: THIS_YEAR - 30 });
/** Returns the 12-month probabilities of an appliance's components, by type. */
async function risksOf(applianceId: string): Promise<Record<string, number>> {
  const { components } = (await client.get(`/v1/appliances/${applianceId}`)).body;
  return Object.fromEntries(
    components.map((one: Json) => [one.component_def_id, one.failure_probability_12m]),
  );
}

describe("the date since which the service history is complete", () => {
  // Rule: records-since
  test("is the given date, on creation and update", async () => {
    const { id, records_since } = await addProperty(client, { records_since: "2019-05-01" });
    expect(records_since).toBe("2019-05-01");
    expect((await client.put(`/v1/properties/${id}`, { records_since: "2021-02-03" })).body).toMatchObject({
      records_since: "2021-02-03",
    });
    const { id: appliance } = await boiler(id);
    await logEvents(client, { appliance_id: appliance, event_type: "Inspection", date: "2020-01-01" });
    expect(await sinceOf(id)).toBe("2021-02-03");
  });

  // Rule: records-since, record-begins
  test("is derived from the creation date and the events by default", async () => {
    const { id, records_since } = await unsaid();
    expect(records_since).toBe(TODAY);
    const { id: appliance } = await boiler(id);
    const visits = (...daysAgo: number[]) =>
      logEvents(
        client,
        ...daysAgo.map((ago) => ({
          appliance_id: appliance,
          event_type: "Inspection",
          date: dateDaysFromToday(-ago),
        })),
      );
    await visits(9000, 2000);
    expect(await sinceOf(id)).toBe(TODAY);
    await visits(10);
    expect(await sinceOf(id)).toBe(dateDaysFromToday(-10));
    await visits(1100);
    expect(await sinceOf(id)).toBe(dateDaysFromToday(-2000));
    await client.put(`/v1/properties/${id}`, { records_since: "2024-01-01" });
    await client.put(`/v1/properties/${id}`, { records_since: null });
    expect(await sinceOf(id)).toBe(dateDaysFromToday(-2000));
  });

  test.each(["2019-02-30", "1 May 2019", 2019, "", dateDaysFromToday(2), "2999-01-01", "1899-12-31"])(
    "is refused when it is %p",
    async (records_since) => {
      const property = { name: "Elm Court", address: "1 Elm St", state: "NY", records_since };
      const { body } = await client.post("/v1/properties", property, 400);
      expect(body.details).toEqual([expect.objectContaining({ field: "records_since" })]);
    },
  );

  // Rule: records-since
  test("can be imported from a file", async () => {
    const file = join(server.folder, "properties.csv");
    const header = "partner_property_id,name,address,state,records_since\n";
    await Bun.write(file, `${header}R1,One,1 Elm St,NY,2018-03-04\nR2,Two,2 Elm St,NY,\n`);
    await server.json("import", "--partner", partner.partner_id, "--properties", file);
    const { properties } = (await client.get("/v1/properties", { limit: 200 })).body;
    const idOf = (name: string) => properties.find((one: Json) => one.name === name).id;
    expect(await sinceOf(idOf("One"))).toBe("2018-03-04");
    expect(await sinceOf(idOf("Two"))).toBe(TODAY);
  });
});

describe("the unknown history before it", () => {
  // Rule: unknown-past
  test("lowers the risk of a component that may have been replaced", async () => {
    const { id } = await addProperty(client);
    const { id: appliance } = await boiler(id);
    const known = await risksOf(appliance);
    await client.put(`/v1/properties/${id}`, { records_since: TODAY });
    const unknown = await risksOf(appliance);
    expect(unknown.boiler_burner).toBeLessThan(known.boiler_burner!);
    // The components that affect it by cascade are also less likely to be worn.
    expect(unknown.boiler_heat_exchanger).toBeLessThanOrEqual(known.boiler_heat_exchanger!);
    await client.put(`/v1/properties/${id}`, { records_since: "1950-01-01" });
    expect(await risksOf(appliance)).toEqual(known);
  });

  test("becomes known with old events, which update the scores of all appliances", async () => {
    const { id } = await unsaid();
    const [visited, sibling] = [await boiler(id), await boiler(id)];
    const before = await risksOf(sibling.id);
    await logEvents(client, {
      appliance_id: visited.id,
      event_type: "Other",
      date: dateDaysFromToday(-1000),
    });
    const after = await risksOf(sibling.id);
    expect(after.boiler_burner).not.toBe(before.boiler_burner!);
    const given = (await addProperty(client, { records_since: dateDaysFromToday(-1000) })).id;
    expect(await risksOf((await boiler(given)).id)).toEqual(after);
  });
});
