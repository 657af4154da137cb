import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance, dateDaysFromToday } from "../support/portfolio.ts";

const mainstay = useMainstay();
let server: Awaited<ReturnType<typeof mainstay.serve>>;
let partner: Awaited<ReturnType<typeof server.createPartner>>;
let client: ApiClient;
let kept: Json;
let sold: Json;
let old: Json;
beforeAll(async () => {
  server = await mainstay.serve();
  partner = await server.createPartner("Acme");
  client = server.as(partner);
  kept = await addProperty(client, { name: "Kept", unit_count: 3 });
  sold = await addProperty(client, { name: "Sold", unit_count: 5, partner_property_id: "SOLD" });
  old = await addWornAppliance(client, kept.id);
  await addWornAppliance(client, kept.id);
  await addWornAppliance(client, sold.id);
  const loss = { claim_type: "water_damage", date_of_loss: dateDaysFromToday(-30), amount: 5000 };
  await client.post(`/v1/property/${sold.id}/claims`, loss, 201);
  await server.json("snapshot");
});

const get = async (path: string, query = {}): Promise<Json> => (await client.get(path, query)).body;
const TODAY = dateDaysFromToday(0);

/** Returns what the lists and sums say of the portfolio. */
async function shown() {
  const summary = await get("/v1/portfolio/summary");
  return {
    properties: (await get("/v1/properties")).properties.map(({ id }: Json) => id),
    appliances: (await get("/v1/appliances")).appliances.map(({ id }: Json) => id),
    components: (await get("/v1/components", { limit: 200 })).components.map(({ id }: Json) => id),
    alerts: (await get("/v1/alerts", { limit: 200 })).alerts.map(({ id }: Json) => id),
    totals: summary.totals,
    plan: (await get("/v1/portfolio/plan")).due_now,
    planned: (await get("/v1/portfolio/plan", { sort: "waiting" })).portfolio.map(
      ({ property_id }: Json) => property_id,
    ),
  };
}

describe("a retired property", () => {
  // Rule: retire
  test("leaves every list and sum at once, and comes back as it was", async () => {
    const before = await shown();
    const retired = (
      await client.put(`/v1/properties/${sold.id}`, { retired_at: TODAY, retired_reason: "Sold" })
    ).body;
    expect(retired).toMatchObject({ retired_at: TODAY, retired_reason: "Sold" });
    const after = await shown();
    expect(after.properties).toEqual([kept.id]);
    expect(after.planned).toEqual([kept.id]);
    expect(after.appliances).toEqual(before.appliances.slice(0, 2));
    expect(after.alerts.length).toBeLessThan(before.alerts.length);
    expect(after.totals.properties).toBe(1);
    expect(after.totals.total_deferred).toBeLessThan(before.totals.total_deferred);
    expect(after.plan.cost).toBeLessThan(before.plan.cost);
    expect((await get(`/v1/properties/${sold.id}`)).retired_at).toBe(TODAY);
    expect((await get(`/v1/property/${sold.id}/report`)).total_components ?? 0).toBe(0);
    expect(await get(`/v1/property/${sold.id}/condition-score`)).toMatchObject({
      retired_at: TODAY,
      components_assessed: 0,
    });
    expect(await get(`/v1/property/${sold.id}/claims/impact`)).toMatchObject({
      total_claims: 1,
      active_claims: 0,
      claims: [{ status: "expired_no_impact", reason: "property_retired", scored: false }],
    });
    const { partners } = await server.json("partner", "usage", partner.partner_id);
    expect(partners).toMatchObject([{ billable_units: 3 }]);

    for (const path of ["/v1/properties", "/v1/portfolio/summary"]) {
      const [all, alone] = [
        await get(path, { include_retired: "true" }),
        await get(path, { retired: "true" }),
      ];
      expect([all.total, alone.total]).toEqual([2, 1]);
    }
    expect((await get("/v1/portfolio/summary", { include_retired: "true" })).totals).toEqual(after.totals);
    const appliances = await get("/v1/appliances", { retired: "true" });
    expect(appliances).toMatchObject({ total: 1, appliances: [{ property_id: sold.id, is_retired: true }] });
    expect((await get("/v1/appliances", { include_retired: "true" })).total).toBe(3);

    const back = (await client.put(`/v1/properties/${sold.id}`, { retired_at: null })).body;
    expect(back).toMatchObject({ retired_at: null, retired_reason: null });
    expect((await get(`/v1/property/${sold.id}/condition-score`)).retired_at).toBeNull();
    expect((await get(`/v1/property/${sold.id}/claims/impact`)).active_claims).toBe(1);
    expect(await shown()).toEqual(before);
  });

  // Rule: retire-conflict
  test("rejects writes with 409 and the remedy", async () => {
    const appliance = (await get("/v1/appliances", { property_id: sold.id })).appliances[0];
    await client.put(`/v1/properties/${sold.id}`, { retired_at: "2020-01-01" });
    const writes: ["PUT" | "POST", string, Json][] = [
      ["PUT", `/v1/properties/${sold.id}`, { name: "New" }],
      ["PUT", `/v1/appliances/${appliance.id}`, { brand: "X" }],
      ["POST", "/v1/appliances", { property_id: sold.id, type_id: "roof", install_year: 2000 }],
      ["POST", `/v1/property/${sold.id}/claims`, { claim_type: "fire", date_of_loss: TODAY, amount: 5 }],
    ];
    for (const [method, path, body] of writes) {
      const { body: reply } = await client.ask(method, path, 409, { body });
      expect(reply).toMatchObject({ code: "conflict", error: expect.stringContaining("retired_at: null") });
    }
    const visit = { appliance_id: appliance.id, event_type: "Repair", date: TODAY };
    const bulk = (await client.post("/v1/service-events/bulk", { events: [visit] })).body;
    expect(bulk.error_details).toMatchObject([{ error: expect.stringContaining("retired_at: null") }]);
    await client.put(`/v1/properties/${sold.id}`, { retired_at: null });
  });

  test.each([
    [{ retired_at: "2026-02-30" }, "retired_at"],
    [{ retired_at: 5 }, "retired_at"],
    [{ retired_reason: "Sold" }, "retired_reason"],
    [{ retired_at: TODAY, retired_reason: "x".repeat(501) }, "retired_reason"],
  ])("is not made by %j", async (body, field) => {
    for (const path of [`/v1/properties/${kept.id}`, `/v1/appliances/${old.id}`]) {
      const { body: reply } = await client.ask("PUT", path, 400, { body });
      expect(reply.details[0].field).toBe(field);
    }
  });
});

describe("a retired appliance", () => {
  // Rule: retire
  test("is refused a day in a year before its installation", async () => {
    const put = (retired_at: string, status: number) =>
      client.ask("PUT", `/v1/appliances/${old.id}`, status, { body: { retired_at } });
    const { body } = await put("1800-01-01", 400);
    expect(body.details).toEqual([
      { field: "retired_at", message: `must not be before install_year, ${old.install_year}` },
    ]);
    expect((await get(`/v1/appliances/${old.id}`)).retired_at).toBeNull();
  });

  // Rule: retire
  test("is left out with its components, which its own record still shows", async () => {
    const before = await shown();
    await client.put(`/v1/appliances/${old.id}`, { retired_at: TODAY, retired_reason: "Removed" });
    const after = await shown();
    expect(after.appliances).not.toContain(old.id);
    expect(after.components).toHaveLength(before.components.length - old.components.length);
    const record = await get(`/v1/appliances/${old.id}`);
    expect(record).toMatchObject({ retired_at: TODAY, retired_reason: "Removed", is_retired: true });
    expect(record.components).toHaveLength(old.components.length);
    const listed = await get("/v1/appliances", { property_id: kept.id, include_retired: "true" });
    expect(listed.appliances.map(({ id }: Json) => id)).toContain(old.id);
    await server.json("doctor", "--full");
    await client.put(`/v1/appliances/${old.id}`, { retired_at: null });
    expect(await shown()).toEqual(before);
  });
});

describe("mainstay retire", () => {
  // Rule: retire
  test("retires and restores, and is audited", async () => {
    const before = await shown();
    const future = await server.json("retire", sold.id, "--on", dateDaysFromToday(9), "--reason", "Sale");
    expect(future).toMatchObject({ id: sold.id, retired_at: dateDaysFromToday(9), is_retired: false });
    expect(await shown()).toEqual(before);
    expect(await server.json("retire", sold.id)).toMatchObject({ is_retired: true, retired_reason: null });
    expect((await shown()).properties).toEqual([kept.id]);
    expect(await server.json("retire", old.id, "--restore")).toMatchObject({ is_retired: false });
    expect(await server.json("retire", sold.id, "--restore")).toMatchObject({ retired_at: null });
    expect(await shown()).toEqual(before);
    const { entries } = await server.json("audit");
    expect(entries.filter(({ subject }: Json) => subject === sold.id).slice(0, 2)).toMatchObject([
      { action: "property.restore" },
      { action: "property.retire", detail: { after: { retired_at: TODAY } } },
    ]);
  });
});
