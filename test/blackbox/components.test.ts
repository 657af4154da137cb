import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, logEvents, PROPERTY, THIS_YEAR } from "../support/portfolio.ts";

const { serve } = useMainstay();
let client: ApiClient;
let other: ApiClient;
let properties: Json[];
let appliances: Json[];
let all: Json[];

/** Three properties with appliances of every age, so that each tier has components. */
beforeAll(async () => {
  const server = await serve();
  client = server.as(await server.createPartner("Acme"));
  other = server.as(await server.createPartner("Other"));
  properties = [];
  appliances = [];
  for (const name of ["One", "Two", "Three"])
    properties.push(await addProperty(client, { name, unit_count: 1 }));
  for (const [at, age] of [0, 40, 9, 14, 3, 20, 12, 7, 16].entries())
    appliances.push(
      await addAppliance(client, properties[at % 3].id, {
        type_id: ["water_heater_gas", "hvac_central", "elevator", "refrigerator"][at % 4],
        install_year: THIS_YEAR - age,
        brand: at % 2 === 0 ? "Rheem" : undefined,
      }),
    );
  all = (await client.get("/v1/components", { limit: 200 })).body.components;
});

const ids = (rows: Json[]) => rows.map((row) => row.id);
const tierOf = (score: number) => (score >= 0.78 ? "CRITICAL" : score >= 0.52 ? "WARNING" : "GOOD");
const listed = async (query: Record<string, string | number>) =>
  (await client.get("/v1/components", query)).body;

// Rule: score-reasons
describe("the reasons for a score", () => {
  const whyOf = async (id: string) => (await client.get(`/v1/components/${id}`)).body.why;

  test("are up to three lines of words, the age first, without weights", async () => {
    for (const { id } of all.slice(0, 40)) {
      const why = await whyOf(id);
      expect(why.length).toBeWithin(1, 4);
      expect(why[0].text).toMatch(/^(Early in its life|In the middle of its life|Aging|Old for its type): /);
      for (const { effect, text, date } of why) {
        expect(effect).toMatch(/^(raises|lowers|neutral)$/);
        expect(text).not.toMatch(/\d\.\d|%/);
        expect(date).toBeNull();
      }
    }
  });

  test("name what was found, until it is retired", async () => {
    const { id: propertyId } = await addProperty(other);
    const { components, id } = await addAppliance(other, propertyId, { install_year: 2000 });
    const path = `/v1/components/${components[0].id}`;
    const event = { appliance_id: id, component_id: components[0].id, event_type: "Emergency Repair" };
    const date = `${THIS_YEAR - 1}-12-31`;
    await logEvents(other, { ...event, date, condition_after: "poor", notes: "Tank leaks" });
    expect((await other.get(path)).body.why.slice(1)).toEqual(
      expect.arrayContaining([{ effect: "raises", text: "In poor condition when last examined", date }]),
    );
    await other.put(`/v1/appliances/${id}`, { retired_at: date });
    expect((await other.get(path)).body.why).toEqual([]);
  });
});

describe("the list of components", () => {
  // Rule: list-components
  test("has the components of all appliances, oldest first", () => {
    expect(ids(all)).toEqual(appliances.flatMap((appliance) => ids(appliance.components)));
  });

  // Rule: list-components, component-unit
  test("has every field of both variants in the specification", () => {
    expect(all[0]).toEqual({
      id: appliances[0].components[0].id,
      component_id: appliances[0].components[0].id,
      component_name: appliances[0].components[0].component_name,
      component_def_id: appliances[0].components[0].component_def_id,
      appliance_id: appliances[0].id,
      appliance_type: "water_heater_gas",
      appliance_brand: "Rheem",
      unit: null,
      property_id: properties[0].id,
      property_name: "One",
      risk_score: expect.any(Number),
      risk_tier: "GOOD",
      confidence: expect.stringMatching(/^(HIGH|MEDIUM|LOW)$/),
      age_years: expect.any(Number),
      install_year: THIS_YEAR,
      install_year_basis: "appliance",
      last_replaced: null,
      last_serviced: null,
      override_lifespan: null,
      original: false,
      past: null,
      projected_failure_year: expect.any(Number),
      projected_failure_range: {
        earliest: expect.any(Number),
        latest: expect.any(Number),
        confidence_pct: expect.any(Number),
      },
      failure_window_80: {
        earliest: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        latest: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
      failure_probability_12m: expect.any(Number),
      proactive_cost: expect.any(Number),
      reactive_cost: expect.any(Number),
      flags: [],
      cost_basis: "reference",
      size: null,
      // New York
      cost_factor: 1.18,
      last_scored: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      action: expect.stringMatching(/^[a-z_]+$/),
      reason: expect.stringMatching(/\.$/),
    });
  });

  // Rule: components-scored, probability-bounds, tier-bounds
  test("has scores from 0 to 0.99 with two decimals, and the matching tiers", () => {
    for (const { risk_score, risk_tier, failure_probability_12m } of all) {
      expect(risk_score).toBe(Math.round(risk_score * 100) / 100);
      expect(risk_score).toBeWithin(0, 1);
      expect(risk_tier).toBe(tierOf(risk_score));
      expect(failure_probability_12m).toBeWithin(0, 1.0001);
      expect(failure_probability_12m).toBe(Math.round(failure_probability_12m * 10_000) / 10_000);
    }
    expect(new Set(all.map((row) => row.risk_tier))).toEqual(new Set(["GOOD", "WARNING", "CRITICAL"]));
  });

  // Rule: component-unit
  test("has the unit of the appliance", async () => {
    const home = await addProperty(other, { unit_count: 1 });
    const [unit] = (await other.get(`/v1/property/${home.id}/units`)).body.units;
    const { id } = await addAppliance(other, home.id, { type_id: "elevator", unit_id: unit.id });
    const { components } = (await other.get("/v1/components", { appliance_id: id })).body;
    expect(components.map((row: Json) => row.unit)).toEqual(Array(5).fill(unit.id));
  });

  // Rule: projected-range
  test("has a failure range whose width depends on the confidence, in whole years", () => {
    for (const { projected_failure_year, projected_failure_range, confidence } of all) {
      const { earliest, latest, confidence_pct } = projected_failure_range;
      expect(confidence_pct).toBe({ HIGH: 98, MEDIUM: 97, LOW: 96 }[confidence as "HIGH"]);
      expect([earliest, projected_failure_year, latest].every(Number.isInteger)).toBe(true);
      expect(earliest).toBeWithin(THIS_YEAR, latest + 1);
      expect(projected_failure_year).toBeWithin(earliest, latest + 1);
    }
  });

  // Rule: tier-filter
  test.each(["CRITICAL", "WARNING", "GOOD", "warning"])("is filtered by tier %s", async (tier) => {
    const expected = all.filter((row) => row.risk_tier === tier.toUpperCase());
    const { components, total } = await listed({ tier, limit: 200 });
    expect(components).toEqual(expected);
    expect(total).toBe(expected.length);
  });

  // Rule: component-filters
  test("is filtered by property, by appliance, and by both with a tier", async () => {
    const [property_id, appliance_id] = [properties[1].id, appliances[1].id];
    const ofProperty = all.filter((row) => row.property_id === property_id);
    expect((await listed({ property_id, limit: 200 })).components).toEqual(ofProperty);
    const ofAppliance = all.filter((row) => row.appliance_id === appliance_id);
    expect((await listed({ appliance_id })).components).toEqual(ofAppliance);
    const query = { property_id, appliance_id, tier: "CRITICAL" };
    const critical = ofAppliance.filter((row) => row.risk_tier === "CRITICAL");
    expect(await listed(query)).toMatchObject({ components: critical, total: critical.length });
    expect((await listed({ property_id: properties[0].id, appliance_id })).components).toEqual([]);
  });

  // Rule: tier-filter
  // Rule: list-components
  test("has the totals of all changes so far", async () => {
    const totals = async () => {
      const filters: Record<string, string>[] = [
        {},
        { tier: "good" },
        { tier: "warning" },
        { tier: "critical" },
      ];
      const pages = await Promise.all(
        filters.map((filter) => other.get("/v1/components", { limit: 1, ...filter })),
      );
      const [all, ...tiers] = pages.map(({ body }) => body.total);
      expect(tiers.reduce((sum, total) => sum + total)).toBe(all);
      return all;
    };
    const { id } = await addProperty(other);
    const before = await totals();
    const { components } = await addAppliance(other, id, { install_year: THIS_YEAR });
    expect(await totals()).toBe(before + components.length);
  });

  test("rejects an unknown tier", async () => {
    const { body } = await client.get("/v1/components", { tier: "MAUVE" }, 400);
    expect(body.error).toBe("tier must be CRITICAL, WARNING or GOOD");
  });
});

const roundToCents = (usd: number) => Math.round(usd * 100) / 100;

describe("alerts", () => {
  const expectedCost = (row: Json) => roundToCents(row.failure_probability_12m * row.reactive_cost);
  /** Alerts are sorted by two digits of it. */
  const sortedBy = (row: Json) => Number((row.failure_probability_12m * row.reactive_cost).toPrecision(2));
  const elevated = () =>
    all
      .filter((row) => row.risk_tier !== "GOOD")
      .sort((a, b) => b.risk_score - a.risk_score || all.indexOf(a) - all.indexOf(b));

  // Rule: alerts
  test("are the critical and warning components, highest score first, then oldest first", async () => {
    const { body } = await client.get("/v1/alerts", { limit: 200 });
    expect(ids(body.alerts)).toEqual(ids(elevated()));
    const count = (tier: string) => all.filter((row) => row.risk_tier === tier).length;
    expect(body).toMatchObject({ critical_count: count("CRITICAL"), warning_count: count("WARNING") });
    expect(body.total).toBe(body.critical_count + body.warning_count);
  });

  // Rule: alerts
  test("have the location of the component, and its fields in the list of components", async () => {
    const { alerts } = (await client.get("/v1/alerts", { limit: 1 })).body;
    const [first] = elevated();
    expect(alerts).toEqual([
      {
        id: first.id,
        component_id: first.id,
        component_name: first.component_name,
        component_def_id: first.component_def_id,
        appliance_id: first.appliance_id,
        appliance_type: first.appliance_type,
        appliance_brand: first.appliance_brand,
        unit: first.unit,
        property_id: first.property_id,
        property_name: first.property_name,
        property_address: PROPERTY.address,
        risk_score: first.risk_score,
        risk_tier: first.risk_tier,
        confidence: first.confidence,
        age_years: first.age_years,
        last_scored: first.last_scored,
        projected_failure_year: first.projected_failure_year,
        failure_probability_12m: first.failure_probability_12m,
        proactive_cost: first.proactive_cost,
        reactive_cost: first.reactive_cost,
        action: first.action,
        reason: first.reason,
        cost_basis: "reference",
        size: null,
        cost_factor: 1.18,
        expected_cost_12m: expectedCost(first),
      },
    ]);
  });

  // Rule: alerts-by-cost
  test("are sorted by expected cost, with any filter, and follow own costs and cost books", async () => {
    const alerts = async (query: Record<string, string | number> = {}): Promise<Json[]> =>
      (await client.get("/v1/alerts", { sort: "cost", limit: 200, ...query })).body.alerts;
    const compare = async (where: (row: Json) => boolean, query: Record<string, string | number>) => {
      const rows = (await listed({ limit: 200 })).components;
      const expected = rows
        .filter((row: Json) => row.risk_tier !== "GOOD" && where(row))
        .toSorted((a: Json, b: Json) => sortedBy(b) - sortedBy(a) || rows.indexOf(a) - rows.indexOf(b));
      expect(expected.length).toBeGreaterThan(0);
      const found = await alerts(query);
      expect(ids(found)).toEqual(ids(expected));
      expect(found.map((row) => row.expected_cost_12m)).toEqual(expected.map(expectedCost));
    };
    const property_id = properties[0].id;
    const checkAll = async () => {
      await compare(() => true, {});
      await compare((row) => row.risk_tier === "WARNING", { tier: "WARNING" });
      await compare((row) => row.appliance_type === "hvac_central", { system: "hvac" });
      await compare(() => true, { state: "NY", include_demo: "true" });
      await compare((row) => row.property_id === property_id, { property_id });
    };
    await checkAll();
    expect(ids(await alerts({ limit: 2, offset: 1 }))).toEqual(ids(await alerts()).slice(1, 3));
    const last = (await alerts()).at(-1)!;
    await client.put(`/v1/components/${last.id}`, { reactive_cost: 5_000_000 });
    expect((await alerts())[0]!.id).toBe(last.id);
    await checkAll();
    await client.put("/v1/cost-book", { lines: [{ type_id: "hvac_central", reactive_cost: 9_000_000 }] });
    await checkAll();
    await client.put("/v1/cost-book", { lines: [] });
    await client.put(`/v1/components/${last.id}`, { reactive_cost: null });
    await checkAll();
  });

  // Rule: alerts-filter
  test("are filtered by property, with matching counts", async () => {
    for (const { id: property_id } of properties) {
      const expected = elevated().filter((row) => row.property_id === property_id);
      const { body } = await client.get("/v1/alerts", { property_id, limit: 200 });
      expect(ids(body.alerts)).toEqual(ids(expected));
      expect(body.critical_count).toBe(expected.filter((row) => row.risk_tier === "CRITICAL").length);
    }
  });
});
