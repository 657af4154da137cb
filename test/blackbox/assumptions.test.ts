import { beforeAll, describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, dateDaysFromToday, logEvents } from "../support/portfolio.ts";

const FIGURES = ["report", "condition-score", "rcv", "reserve", "forecast", "summary"];
const { serve } = useMainstay();
let client: ApiClient;
let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  server = await serve();
  client = server.as(await server.createPartner("Acme"));
});
const assumptionsOf = async (id: string, figure: string): Promise<Json> =>
  (await client.get(`/v1/property/${id}/${figure}`)).body.assumptions;

// Rule: assumptions
describe("the assumptions of a property's figures", () => {
  test("are the same on each of them, and count its components", async () => {
    const { id } = await addProperty(client, { year_built: 1980, records_since: dateDaysFromToday(-400) });
    await addAppliance(client, id, { type_id: "refrigerator", install_year: 2024 });
    const washer = (await client.post("/v1/appliances", { property_id: id, type_id: "washer" }, 201)).body;
    const [own, renewed] = washer.components;
    await client.put(`/v1/components/${own.id}`, { install_year: 2019 });
    const replacement = { appliance_id: washer.id, component_id: renewed.id, event_type: "Replacement" };
    await logEvents(client, { ...replacement, date: dateDaysFromToday(-90) });
    const components = (await client.get("/v1/components", { property_id: id, limit: 200 })).body.components;
    const shareOf = (level: string) =>
      Math.round(
        (components.filter(({ confidence }: Json) => confidence === level).length / components.length) *
          10_000,
      ) / 10_000;
    const [first, ...others] = await Promise.all(FIGURES.map((figure) => assumptionsOf(id, figure)));
    expect(first).toMatchObject({
      model_version: "3",
      calibrated: false,
      price_month: "2026-01",
      price_location: "state",
      components: components.length,
      confidence_shares: { HIGH: shareOf("HIGH"), MEDIUM: shareOf("MEDIUM"), LOW: shareOf("LOW") },
      // Not those of an own year or with a replacement on record.
      install_year_of_building: washer.components.length - 2,
      statement: expect.stringContaining("no guarantee"),
    });
    const shares: Record<string, number> = first!.cost_shares;
    expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 3);
    for (const other of others) expect(other).toEqual(first);
    const plan = (await client.get(`/v1/property/${id}/plan`)).body;
    expect(plan.counted_assumptions).toEqual(first);
    expect(plan.assumptions[0]).toContain("no guarantee");
  });

  test("of all properties stand beside the plan of the portfolio, and follow each of them", async () => {
    const own = server.as(await server.createPartner("Beta"));
    const plan = async (query = {}): Promise<Json> => (await own.get("/v1/portfolio/plan", query)).body;
    /** Those of the plan, which the summary has before the plan is asked for, and after. */
    const counted = async (query = {}): Promise<Json> => {
      const ofSummary = async () => (await own.get("/v1/portfolio/summary", query)).body.assumptions;
      const before = await ofSummary();
      const { counted_assumptions } = await plan(query);
      expect(before).toEqual(counted_assumptions);
      expect(await ofSummary()).toEqual(counted_assumptions);
      return counted_assumptions;
    };
    expect(await counted()).toMatchObject({ components: 0, cost_shares: { own: 0, reference: 0 } });
    const [first, second] = [
      await addProperty(own, { year_built: 1980, records_since: dateDaysFromToday(-400) }),
      await addProperty(own, { country: "CA", state: "ON" }),
    ];
    await own.post("/v1/appliances", { property_id: first.id, type_id: "washer" }, 201);
    const fridge = await addAppliance(own, second.id, { type_id: "refrigerator", install_year: 2024 });
    const of = async (id: string): Promise<Json> =>
      (await own.get(`/v1/property/${id}/reserve`)).body.assumptions;
    const [a, b] = [await of(first.id), await of(second.id)];
    const sum = await counted();
    for (const field of ["components", "install_year_of_building", "unknown_past", "unknown_places"])
      expect(sum[field], field).toBe(a[field] + b[field]);
    expect(sum.unknown_places).toBe(b.components);
    expect(sum.install_year_of_building).toBe(a.components);
    const low = a.confidence_shares.LOW * a.components + b.confidence_shares.LOW * b.components;
    expect(sum.confidence_shares.LOW).toBeCloseTo(low / sum.components, 3);
    await own.post("/onboarding/demo-property", undefined, 201);
    expect(await counted()).toEqual(sum);
    expect((await counted({ include_demo: "true" })).components).toBeGreaterThan(sum.components);
    await own.put(`/v1/components/${fridge.components[0].id}`, { proactive_cost: 9000, reactive_cost: 9500 });
    expect((await counted()).cost_shares.own).toBeGreaterThan(0.1);
    for (const [query, property] of [
      [{ state: "CA-ON" }, second],
      [{ country: "CA" }, second],
      [{ q: first.name, state: first.state }, first],
    ] as const) {
      const { assumptions } = (await own.get("/v1/portfolio/summary", query)).body;
      expect(assumptions, JSON.stringify(query)).toEqual(await of(property.id));
    }
    const rows: Json[] = parse((await own.get("/v1/portfolio/summary", { format: "csv" })).text, {
      columns: true,
    });
    expect(rows.map(({ assumptions }) => assumptions !== "")).toEqual([
      true,
      ...rows.slice(1).map(() => false),
    ]);
    expect(rows[0]!.assumptions).toContain(`Scores of ${sum.components} components: `);
    await own.put(`/v1/properties/${second.id}`, { retired_at: dateDaysFromToday(0) });
    expect(await counted()).toEqual(a);
    expect((await plan()).assumptions.join(" ")).toContain(`Scores of ${a.components} components: `);
  });

  test("count the parts that are older than the record, until they are replaced", async () => {
    const { id } = await addProperty(client, { records_since: dateDaysFromToday(-10) });
    const washer = await addAppliance(client, id, { type_id: "washer", install_year: 2010 });
    const before = (await assumptionsOf(id, "reserve")).unknown_past;
    expect(before).toBeGreaterThan(0);
    const event = { appliance_id: washer.id, event_type: "Replacement", date: dateDaysFromToday(-5) };
    await client.post("/v1/service-events/bulk", { events: [event] }, 201);
    expect((await assumptionsOf(id, "reserve")).unknown_past).toBe(0);
  });

  // Rule: countries
  test("count the components in places of unknown climate", async () => {
    const { id } = await addProperty(client, { country: "CA", state: "ON" });
    await addAppliance(client, id, { type_id: "refrigerator", install_year: 2024 });
    const { components, unknown_places } = await assumptionsOf(id, "reserve");
    expect(unknown_places).toBe(components);
    await client.put(`/v1/properties/${id}`, { country: "US", state: "VT" });
    expect((await assumptionsOf(id, "reserve")).unknown_places).toBe(0);
  });

  test("are zeros without components", async () => {
    const { id } = await addProperty(client);
    expect(await assumptionsOf(id, "condition-score")).toMatchObject({
      components: 0,
      cost_shares: { own: 0, own_history: 0, scaled: 0, reference: 0 },
      confidence_shares: { HIGH: 0, MEDIUM: 0, LOW: 0 },
      install_year_of_building: 0,
      unknown_past: 0,
      unknown_places: 0,
    });
  });
});
