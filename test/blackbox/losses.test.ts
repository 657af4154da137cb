import { beforeAll, describe, expect, test } from "bun:test";
import { readXlsx } from "hucre/xlsx";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, addWornAppliance, THIS_YEAR } from "../support/portfolio.ts";

const { serve } = useMainstay();
let client: ApiClient;
let url: () => string;
let elm: string;
let oak: string;
beforeAll(async () => {
  const server = await serve();
  url = () => server.url;
  client = server.as(await server.createPartner("Acme"));
  elm = (await addProperty(client, { name: "Elm Court", state: "NY" })).id;
  oak = (await addProperty(client, { name: "Oak Hall", state: "VT" })).id;
  for (const id of [elm, elm, oak]) await addWornAppliance(client, id);
});

const portfolio = async (query: Record<string, string> = {}): Promise<Json> =>
  (await client.get("/v1/portfolio/losses", query)).body;
/** Integrates what a layer pays of a log-normal damage over its standard normal logarithm. */
function insuredMean(mean: number, cv: number, layer: { deductible: number; limit: number }): number {
  const sigma = Math.sqrt(Math.log(1 + cv ** 2));
  const step = 0.0005;
  let sum = 0;
  for (let z = -8; z <= 8; z += step) {
    const amount = mean * Math.exp(sigma * z - sigma ** 2 / 2);
    const paid = Math.min(Math.max(amount - layer.deductible, 0), layer.limit);
    sum += (step * paid * Math.exp(-(z ** 2) / 2)) / Math.sqrt(2 * Math.PI);
  }
  return sum;
}
const sum = (rows: Json[], field: string) => rows.reduce((total, row) => total + row[field], 0);

describe("losses", () => {
  // Rule: losses-portfolio
  test("of a portfolio have the expected loss, worst years, drivers and amounts per unit", async () => {
    const body = await portfolio();
    expect(body).toMatchObject({ properties: 2, partner: "Acme", deductible: 0, limit: null });
    expect(body.total.expected).toBeGreaterThan(body.damage.expected);
    expect(body.damage.expected).toBeCloseTo(body.insured.expected, 1);
    expect(body.total.exceedance.map((point: Json) => point.return_period_years)).toEqual([
      2, 5, 10, 20, 50, 100, 200,
    ]);
    const amounts = body.total.exceedance.map(({ amount }: Json) => amount);
    expect(amounts).toEqual(amounts.toSorted((a: number, b: number) => a - b));
    expect(sum(body.damage.by_peril, "expected")).toBeCloseTo(body.damage.expected, 1);
    for (const by of ["system", "peril", "state", "division", "property", "kind"]) {
      const drivers = body.drivers.filter((driver: Json) => driver.by === by);
      expect(sum(drivers, "share_of_expected")).toBeCloseTo(1, 4);
      expect(sum(drivers, "share_of_variance")).toBeCloseTo(1, 4);
      expect(sum(drivers, "expected")).toBeCloseTo(body.total.expected, 0);
    }
    const states = body.drivers.filter((driver: Json) => driver.by === "state");
    expect(states.map(({ key }: Json) => key).sort()).toEqual(["NY", "VT"]);
  });

  // Rule: losses-kept
  test("are the same bytes for the same book, and follow a change", async () => {
    const [first, again] = [
      await client.get("/v1/portfolio/losses"),
      await client.get("/v1/portfolio/losses"),
    ];
    expect(again.text).toBe(first.text);
    const before = first.body.total.expected;
    const { id } = await addProperty(client, { name: "Late House", state: "OH" });
    await addWornAppliance(client, id);
    expect((await portfolio()).total.expected).toBeGreaterThan(before);
  });

  // Rule: losses-property
  test("of a property are those of the portfolio for that selection", async () => {
    const own = (await client.get(`/v1/property/${elm}/losses`)).body;
    const ofState = await portfolio({ state: "ny" });
    expect(own.total).toEqual(ofState.total);
    expect(own.largest_damage).toEqual(ofState.largest_damage);
    await client.get("/v1/property/P_00000000000000000000000000/losses", {}, 404);
  });

  // Rule: losses-property
  test("of a property have premiums that add up to the portfolio's", async () => {
    const terms = {
      deductible: "1000",
      risk_load: "0.3",
      loss_adjustment_ratio: "0.1",
      expense_ratio: "0.25",
    };
    const all = (await client.get("/v1/properties")).body.properties;
    let [premiums, deviations] = [0, 0];
    for (const { id } of all) {
      const { insured } = (await client.get(`/v1/property/${id}/losses`, terms)).body;
      premiums += insured.technical_premium;
      deviations += insured.premium_deviation;
      expect(insured.technical_premium).toBeCloseTo(
        (insured.expected * 1.1 + 0.3 * insured.premium_deviation) / 0.75,
        1,
      );
    }
    const whole = await portfolio(terms);
    expect(deviations).toBeCloseTo(whole.insured.premium_deviation, 1);
    expect(whole.insured.premium_deviation).toBe(whole.insured.standard_deviation);
    expect(premiums).toBeCloseTo(whole.insured.technical_premium, 0);
    const { expected, standard_deviation } = whole.insured;
    expect(whole.insured.technical_premium).toBeCloseTo(
      (expected * 1.1 + 0.3 * standard_deviation) / 0.75,
      1,
    );
    const unloaded = { technical_premium: expect.any(Number), premium_deviation: null };
    expect((await portfolio({ expense_ratio: "0.25" })).insured).toMatchObject(unloaded);
    expect((await portfolio()).insured).toMatchObject({ ...unloaded, technical_premium: null });
  });

  // Rule: losses-selection
  test("of a selection without components are zeros that say so", async () => {
    const body = await portfolio({ state: "WY" });
    expect(body).toMatchObject({ properties: 0, components: 0, per_unit: null, drivers: [] });
    expect(body.total.expected).toBe(0);
    expect(body.notes[0]).toContain("so every amount is 0");
  });

  // Rule: losses-selection
  test("add up over systems, and leave the demo property out", async () => {
    const before = await portfolio();
    await client.post("/v1/onboarding/demo-property", {});
    expect((await portfolio()).total.expected).toBe(before.total.expected);
    const withDemo = await portfolio({ include_demo: "true" });
    expect(withDemo.properties).toBe(before.properties + 1);
    let expected = 0;
    for (const { key } of withDemo.drivers.filter((driver: Json) => driver.by === "system"))
      expected += (await portfolio({ include_demo: "true", systems: key })).total.expected;
    expect(expected).toBeCloseTo(withDemo.total.expected, 0);
    const water = await portfolio({ include_demo: "true", perils: "water" });
    expect(water.damage.by_peril.find(({ peril }: Json) => peril === "fire").expected).toBe(0);
  });

  // Rule: losses-selection
  test("leave retired properties and appliances out", async () => {
    const before = await portfolio();
    const { id } = await addProperty(client, { name: "Sold House", state: "OH" });
    const [kept, removed] = [await addWornAppliance(client, id), await addWornAppliance(client, id)];
    const both = await portfolio();
    expect(both.properties).toBe(before.properties + 1);
    const today = new Date().toISOString().slice(0, 10);
    await client.put(`/v1/appliances/${removed.id}`, { retired_at: today });
    const one = (await client.get(`/v1/property/${id}/losses`)).body;
    expect(one.components).toBe(kept.components.length);
    expect(2 * one.components).toBe(both.components - before.components);
    await client.put(`/v1/properties/${id}`, { retired_at: today });
    const after = await portfolio();
    expect(after.properties).toBe(before.properties);
    expect(after.total).toEqual(before.total);
  });

  // Rule: losses-layer
  test("above a deductible are smaller, and a limit makes them smaller still", async () => {
    const [all, above, within] = [
      await portfolio(),
      await portfolio({ deductible: "2500" }),
      await portfolio({ deductible: "2500", limit: "5000" }),
    ];
    expect(above.insured.expected).toBeLessThan(all.insured.expected);
    expect(within.insured.expected).toBeLessThan(above.insured.expected);
    expect(within.damage).toEqual(all.damage);
  });

  // Rule: losses-files
  test("are a table and a workbook too, with the same figures", async () => {
    const json = await portfolio();
    const csv = await client.get("/v1/portfolio/losses", { format: "csv" });
    expect(csv.headers.get("content-type")).toContain("text/csv");
    expect(csv.text).toContain(`total,expected,${json.total.expected},`);
    const { statement, cost_shares, unknown_past } = json.assumptions;
    for (const [item, value] of [
      ["model_version", "3"],
      ["price_month", "2026-01"],
      ["cost_shares_reference", cost_shares.reference],
      ["unknown_past", unknown_past],
      ["statement", statement.includes(",") ? `"${statement}"` : statement],
    ])
      expect(csv.text).toContain(`assumptions,${item},${value},`);
    const response = await fetch(`${url()}/v1/portfolio/losses?format=xlsx`, { headers: client.credential });
    expect(response.headers.get("content-type")).toContain("spreadsheetml");
    const { sheets } = await readXlsx(new Uint8Array(await response.arrayBuffer()));
    expect(sheets.map(({ name }) => name)).toEqual([
      "Summary",
      "Exceedance",
      "Largest damage",
      "Drivers",
      "Assumptions",
    ]);
    expect(sheets[0]!.rows[1]![1]).toBe(json.total.expected);
  });

  // Rule: losses-parts
  test("of a property are found again from the components in its workbook", async () => {
    const { id } = await addProperty(client, { name: "Fir House", state: "CO", gross_area_sqft: 30_000 });
    for (const [nth, type_id] of ["roof", "water_heater_gas", "plumbing_supply", "hvac_central"].entries())
      for (const years of [9, 22])
        await addAppliance(client, id, { type_id, install_year: THIS_YEAR - years - nth });
    const layer = { deductible: 2500, limit: 20_000 };
    const { total, damage, insured } = (await client.get(`/v1/property/${id}/losses`, layer)).body;
    const query = new URLSearchParams({ deductible: "2500", limit: "20000", format: "xlsx" });
    const file = await fetch(`${url()}/v1/property/${id}/losses?${query}`, { headers: client.credential });
    const { sheets } = await readXlsx(new Uint8Array(await file.arrayBuffer()));
    const [head, ...rows] = sheets.find(({ name }) => name === "Components")!.rows;
    const at = (row: unknown[], name: string) => row[head!.indexOf(name)];
    const sums = rows.pop()!;
    const parts = rows.map((row) => {
      const [q, e, k, mean, cv, v] = [
        ...["Failure probability q", "Emergency repair e", "Damages of a failure"],
        ...["Mean damage D", "Variation cv", "Variance v"],
      ].map((name) => Number(at(row, name)));
      const isPoisson = at(row, "Number of damages") === "Poisson";
      const square = k! * mean! ** 2 * (1 + cv! ** 2) + (isPoisson ? (k! * mean!) ** 2 : 0);
      return {
        q: q!,
        v: v!,
        group: `${at(row, "Class")} ${at(row, "Division")}`,
        isPoisson,
        mean: e! + k! * mean!,
        square: e! ** 2 + 2 * e! * k! * mean! + square,
        damage: q! * k! * mean!,
        insured: k === 0 ? 0 : q! * k! * insuredMean(mean!, cv!, layer),
        hazard: ((1 - q!) ** -v! - 1) / v!,
      };
    });
    const { components } = (await client.get("/v1/components", { property_id: id, limit: 200 })).body;
    expect(rows.map((row) => at(row, "Component")).sort()).toEqual(
      components.map((one: Json) => one.component_id).sort(),
    );
    for (const row of rows) {
      const { failure_probability_12m } = components.find(
        (one: Json) => one.component_id === at(row, "Component"),
      );
      const q = Number(at(row, "Failure probability q"));
      expect(Math.round(q * 10_000) / 10_000).toBe(failure_probability_12m);
    }
    expect(parts.some(({ isPoisson }) => isPoisson)).toBeTrue();
    const add = (of: (part: (typeof parts)[number]) => number) =>
      parts.reduce((all, part) => all + of(part), 0);
    expect(add(({ q, mean }) => q * mean)).toBeCloseTo(total.expected, 1);
    expect(Number(at(sums, "Expected total"))).toBeCloseTo(total.expected, 1);
    expect(add((part) => part.damage)).toBeCloseTo(damage.expected, 1);
    expect(add((part) => part.insured)).toBeCloseTo(insured.expected, 0);
    const pairs = parts.flatMap((one) =>
      parts
        .filter((other) => other !== one && other.group === one.group)
        .map((other) => {
          const both = (1 + (one.hazard + other.hazard) * one.v) ** (-1 / one.v);
          return one.mean * other.mean * (both - (1 - one.q) * (1 - other.q));
        }),
    );
    const variance =
      add(({ q, mean, square }) => q * square - (q * mean) ** 2) + pairs.reduce((all, one) => all + one, 0);
    expect(Math.sqrt(variance) / total.standard_deviation).toBeCloseTo(1, 5);
  });

  // Rule: losses-limits
  test.each([
    ["limit", "0"],
    ["limit", "-5"],
    ["deductible", "-1"],
    ["deductible", "much"],
    ["risk_load", "11"],
    ["expense_ratio", "1"],
    ["loss_adjustment_ratio", "x"],
    ["perils", "water,theft"],
    ["systems", ""],
    ["state", "New York State"],
    ["include_demo", "yes"],
    ["format", "pdf"],
    ["limits", "5"],
  ])("reject %s=%s", async (name, value) => {
    for (const path of ["/v1/portfolio/losses", `/v1/property/${elm}/losses`]) {
      const { body } = await client.get(path, { [name]: value }, 400);
      expect(body.error).toContain(name);
    }
  });
});
