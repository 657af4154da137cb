import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";

const mainstay = useMainstay();
let server: Awaited<ReturnType<typeof mainstay.serve>>;
let partner: Awaited<ReturnType<typeof server.createPartner>>;
let client: ApiClient;
beforeAll(async () => {
  server = await mainstay.serve();
  partner = await server.createPartner("Acme");
  client = server.as(partner);
});

const get = async (path: string, query = {}): Promise<Json> => (await client.get(path, query)).body;

describe("a second property with the same address", () => {
  // Rule: duplicate-address
  test("is created, and warns of the first, until it is merged or has another address", async () => {
    const address = { address: "9 West Mill Road, Suite 4", city: "Barre", state: "VT" };
    const first = await addProperty(client, { ...address, name: "Mill" });
    const second = await addProperty(client, { ...address, address: "9 W. MILL RD STE 4", name: "The mill" });
    expect(first.warnings).toEqual([]);
    expect(second.warnings).toEqual([
      `property ${first.id} ("Mill") has the same address. If it is the same building, merge this one into it: POST /v1/properties/${first.id}/merge with from: ${second.id}`,
    ]);
    const put = async (id: string, body: object) => (await client.put(`/v1/properties/${id}`, body)).body;
    expect((await put(second.id, { unit_count: 2 })).warnings).toHaveLength(1);
    expect((await put(first.id, { unit_count: 2 })).warnings).toEqual([]);
    expect((await put(second.id, { address: "10 W Mill Rd" })).warnings).toEqual([]);
  });
});

describe("a merge of two properties", () => {
  // Rule: merge-properties
  test("leaves one with the records of both, and is answered again", async () => {
    const kept = await addProperty(client, { name: "Kept", address: "1 Oak St" });
    const duplicate = await addProperty(client, { name: "Twice", address: "1 Oak Street", unit_count: 3 });
    const heater = await addWornAppliance(client, duplicate.id);
    const loss = {
      claim_type: "water_damage",
      date_of_loss: "2026-01-05",
      amount: 5000,
      claim_number: "C-9",
    };
    await client.post(`/v1/property/${duplicate.id}/claims`, loss);
    const embed = await server.json("embed", "create", duplicate.id);
    const path = `/v1/properties/${kept.id}/merge`;
    const merged = (await client.ask("POST", path, 200, { body: { from: duplicate.id } })).body;
    expect(merged).toMatchObject({ id: kept.id, name: "Kept", unit_count: 3, warnings: [] });
    expect(await get(`/v1/properties/${duplicate.id}`)).toMatchObject({
      merged_into: kept.id,
      retired_reason: `Merged into ${kept.id}`,
    });
    const { appliances } = await get("/v1/appliances", { property_id: kept.id });
    expect(appliances.map(({ id }: Json) => id)).toEqual([heater.id]);
    expect((await get("/v1/components", { property_id: kept.id })).total).toBe(heater.components.length);
    expect((await get(`/v1/property/${kept.id}/claims`)).claims).toMatchObject([{ claim_number: "C-9" }]);
    const page = await fetch(embed.url.replace(/^http:..[^/]+/, server.url));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("Kept");
    const again = (await client.ask("POST", path, 200, { body: { from: duplicate.id } })).body;
    expect(again).toEqual(merged);
    await server.json("doctor", "--full");
  });

  // Rule: merge-refusals
  test("is refused with itself, with a retired, unknown or foreign property, and without a name", async () => {
    const [kept, retired] = [await addProperty(client), await addProperty(client)];
    await client.put(`/v1/properties/${retired.id}`, { retired_at: "2024-01-01" });
    const foreign = await addProperty(server.as(await server.createPartner("Other")));
    const path = `/v1/properties/${kept.id}/merge`;
    for (const [from, status] of [
      [kept.id, 400],
      [5, 400],
      [null, 400],
      [undefined, 400],
      ["P_none", 404],
      [foreign.id, 404],
      [retired.id, 409],
    ] as const) {
      const { body } = await client.ask("POST", path, status, { body: { from } });
      if (status === 400) expect(body.details[0].field).toBe("from");
    }
    await client.ask("POST", `/v1/properties/${foreign.id}/merge`, 404, { body: { from: kept.id } });
    await client.ask("POST", `/v1/properties/${retired.id}/merge`, 409, { body: { from: kept.id } });
  });
});
