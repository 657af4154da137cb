import { beforeAll, describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, logEvents, THIS_YEAR } from "../support/portfolio.ts";

const { serve } = useMainstay();

let server: Installation;
let partner: Partner;
let client: ApiClient;
let stranger: ApiClient;
/** A property with an old water heater and washer, a middle-aged boiler and a new refrigerator. */
let property: Json;
let second: Json;
let empty: Json;

beforeAll(async () => {
  server = await serve();
  partner = await server.createPartner("Acme");
  client = server.as(partner);
  stranger = server.as(await server.createPartner("Umbrella"));
  property = await addProperty(client, { unit_count: 8 });
  second = await addProperty(client, { name: "Oak House", unit_count: 3 });
  empty = await addProperty(client, { name: "Bare Lot" });
  for (const [id, type_id, years] of [
    [property.id, "water_heater_gas", 15],
    [property.id, "washer", 9],
    [property.id, "boiler", 12],
    [property.id, "refrigerator", 0],
    [second.id, "water_heater_gas", 11],
    [second.id, "roof", 14],
  ])
    await addAppliance(client, id, { type_id, install_year: THIS_YEAR - years });
});

const planOf = async (query = "", of = property): Promise<Json> =>
  (await client.get(`/v1/property/${of.id}/plan${query}`)).body;
const portfolioPlan = async (query = ""): Promise<Json> =>
  (await client.get(`/v1/portfolio/plan${query}`)).body;
const cents = (usd: number) => Math.round(usd * 100);
const sum = (items: Json[], field: string) =>
  items.reduce((total: number, item: Json) => total + cents(item[field]), 0);
const DAY = /^\d{4}-\d{2}-\d{2}$/;

describe("a property's plan", () => {
  // Rule: property-plan
  test("lists the components with policy, due date and cost of delay, highest cost first", async () => {
    const plan = await planOf();
    expect(plan).toMatchObject({
      property_id: property.id,
      name: "Elm Court",
      unit_count: 8,
      years: 10,
      inflation_pct: 3,
      budget: null,
      partner: "Acme",
    });
    expect(plan.as_of).toMatch(DAY);
    const components = (await client.get(`/v1/components?property_id=${property.id}&limit=200`)).body;
    expect(plan.components.length).toBe(components.total);
    const waiting = plan.components.map((one: Json) => one.cost_of_waiting_a_year);
    expect(waiting).toEqual(waiting.toSorted((a: number, b: number) => b - a));
    expect(new Set(plan.components.map((one: Json) => one.policy))).toEqual(
      new Set(["replace_now", "replace_at_age", "run_to_failure"]),
    );
    for (const one of plan.components) {
      const isRun = one.policy === "run_to_failure";
      expect(one.replace_on === null).toBe(isRun);
      expect(one.optimal_age_years === null).toBe(isRun);
      if (one.policy === "replace_now") expect(one.replace_on).toBe(plan.as_of);
      if (one.policy === "replace_at_age") expect(one.replace_on > plan.as_of).toBe(true);
      if (isRun) expect(one.yearly_cost).toBe(one.yearly_cost_run_to_failure);
      else expect(one.yearly_cost).toBeLessThan(one.yearly_cost_run_to_failure);
    }
    const due = plan.components.filter((one: Json) => one.policy === "replace_now");
    expect(plan.immediate.component_count).toBe(due.length);
    expect(cents(plan.immediate.cost)).toBe(sum(due, "proactive_cost"));
  });

  test("adds up to the cent, as in a spreadsheet", async () => {
    const { schedule, totals, level_deposit, unit_count } = await planOf("?years=30&inflation_pct=4.5");
    expect(schedule.map((one: Json) => one.year)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    let [reserve, needed] = [0, 0];
    for (const one of schedule) {
      expect(cents(one.total)).toBe(cents(one.planned_cost) + cents(one.failure_cost));
      expect(cents(one.total_inflated)).toBe(Math.round(cents(one.total) * 1.045 ** (one.year - 1)));
      expect(cents(one.per_unit_inflated)).toBe(Math.round(cents(one.total_inflated) / unit_count));
      reserve += cents(one.total_inflated);
      needed = Math.max(needed, reserve / one.year);
    }
    expect(cents(totals.planned)).toBe(sum(schedule, "total"));
    expect(cents(totals.planned_inflated)).toBe(sum(schedule, "total_inflated"));
    expect(cents(totals.savings)).toBe(cents(totals.run_to_failure) - cents(totals.planned));
    expect(totals.savings).toBeGreaterThan(0);
    expect(cents(level_deposit["50"].per_year)).toBe(Math.round(needed));
    expect(cents(level_deposit["50"].per_unit_per_month)).toBe(Math.round(needed / unit_count / 12));
    expect(level_deposit["80"].per_year).toBeGreaterThan(level_deposit["50"].per_year);
    expect(level_deposit["95"].per_year).toBeGreaterThan(level_deposit["80"].per_year);
  });

  // Rule: plan-schedule
  test("of fewer years is the beginning of a longer one", async () => {
    const [three, thirty] = [await planOf("?years=3"), await planOf("?years=30")];
    expect(three.schedule).toEqual(thirty.schedule.slice(0, 3));
    expect((await planOf("?years=1")).schedule.length).toBe(1);
  });

  test("has its assumptions as sentences, including inflation and model", async () => {
    const { assumptions } = await planOf("?inflation_pct=2.5");
    expect(assumptions.join(" ")).toContain("2.5% a year");
    expect(assumptions.join(" ")).toContain("model 3");
    expect(assumptions.join(" ")).toContain("common-cause events");
    expect((await planOf("?inflation_pct=0")).assumptions.join(" ")).toContain("not inflated");
  });

  // Rule: plan-budget
  test("uses a budget for the highest cost of delay per dollar", async () => {
    const { components, budget } = await planOf("?budget=1000");
    const byId = new Map<string, Json>(components.map((one: Json) => [one.component_id, one]));
    const chosen = budget.chosen.map((id: string) => byId.get(id)!);
    const worth = (one: Json) => one.cost_of_waiting_a_year / one.proactive_cost;
    expect(chosen.length).toBeGreaterThan(1);
    expect(budget.amount).toBe(1000);
    expect(cents(budget.spent)).toBe(sum(chosen, "proactive_cost"));
    expect(cents(budget.avoided)).toBe(sum(chosen, "cost_of_waiting_a_year"));
    expect(budget.spent).toBeLessThanOrEqual(1000);
    expect(chosen.map(worth)).toEqual(chosen.map(worth).toSorted((a: number, b: number) => b - a));
    for (const one of components)
      if (!chosen.includes(one) && one.cost_of_waiting_a_year > 0)
        expect(one.proactive_cost).toBeGreaterThan(1000 - budget.spent);
    expect((await planOf("?budget=0")).budget).toEqual({ amount: 0, spent: 0, chosen: [], avoided: 0 });
  });

  test("of a property without components is zero, and says so", async () => {
    const plan = await planOf("?budget=500.5", empty);
    expect(plan.components).toEqual([]);
    expect(plan.immediate).toEqual({ component_count: 0, cost: 0 });
    expect(plan.totals).toEqual({
      planned: 0,
      planned_inflated: 0,
      run_to_failure: 0,
      run_to_failure_inflated: 0,
      savings: 0,
    });
    expect(plan.level_deposit["95"]).toEqual({ per_year: 0, per_unit_per_year: 0, per_unit_per_month: 0 });
    expect(plan.budget).toEqual({ amount: 500.5, spent: 0, chosen: [], avoided: 0 });
    expect(plan.assumptions[0]).toContain("no components");
  });

  // Rule: plan-csv
  test("in CSV has one row per component and one column per year", async () => {
    const plan = await planOf("?years=4");
    const reply = await client.get(`/v1/property/${property.id}/plan?years=4&format=csv`);
    expect(reply.headers.get("content-type")).toStartWith("text/csv");
    const rows: Json[] = parse(reply.text, { columns: true });
    expect(rows.map((row) => row.component_id)).toEqual(plan.components.map((one: Json) => one.component_id));
    expect(Object.keys(rows[0]!).slice(-4)).toEqual(["year_1", "year_2", "year_3", "year_4"]);
    const tank = plan.components[0];
    expect(Object.fromEntries(Object.entries(rows[0]!).slice(0, -4))).toEqual(
      Object.fromEntries(
        Object.entries(tank).map(([name, value]) => [name, value === null ? "" : String(value)]),
      ),
    );
    for (const { year, total } of plan.schedule) {
      const column = rows.reduce((all, row) => all + Number(row[`year_${year}`]), 0);
      expect(Math.abs(column - total)).toBeLessThan(0.01 * rows.length);
    }
  });

  test("is not visible to another partner", async () => {
    const mine = await stranger.ask("GET", `/v1/property/${property.id}/plan`, 404);
    const none = await stranger.ask("GET", "/v1/property/P_00000000000000000000000000/plan", 404);
    expect(mine.body.error).toBe(none.body.error);
  });
});

describe("a plan with the parameter", () => {
  // Rule: plan-limits
  test.each([
    ["years=0", "years must be a whole number from 1 to 30"],
    ["years=31", "years must be a whole number from 1 to 30"],
    ["years=2.5", "years must be a whole number from 1 to 30"],
    ["years=ten", "years must be a whole number from 1 to 30"],
    ["years=", "years must be a whole number from 1 to 30"],
    ["inflation_pct=-1", "inflation_pct must be a number from 0 to 15"],
    ["inflation_pct=15.01", "inflation_pct must be a number from 0 to 15"],
    ["inflation_pct=3%25", "inflation_pct must be a number from 0 to 15"],
    ["budget=-1", "budget must be a number from 0 to 1000000000000"],
    ["budget=lots", "budget must be a number from 0 to 1000000000000"],
    ["budget=1e400", "budget must be a number from 0 to 1000000000000"],
    ["budget=NaN", "budget must be a number from 0 to 1000000000000"],
    ["years=3&years=4", "years is a duplicate parameter"],
  ])("%s is rejected with a message", async (query, error) => {
    for (const path of [`/v1/property/${property.id}/plan`, "/v1/portfolio/plan"]) {
      const { body } = await client.ask("GET", `${path}?${query}`, 400);
      expect(body.error).toBe(error);
      expect(body.details[0].field).toBe(query.split("=")[0]);
    }
  });

  test("format with another value than json and csv is rejected", async () => {
    const { body } = await client.ask("GET", `/v1/property/${property.id}/plan?format=xml`, 400);
    expect(body.error).toBe("format must be one of json, csv");
  });
});

describe("a portfolio's plan", () => {
  // Rule: portfolio-plan
  test("is the sum of the plans of its properties", async () => {
    const query = "?years=12&inflation_pct=0";
    const whole = await portfolioPlan(query);
    const parts = [await planOf(query), await planOf(query, second), await planOf(query, empty)];
    expect(whole.total).toBe(3);
    for (const [index, year] of whole.schedule.entries()) {
      expect(cents(year.planned_cost)).toBe(
        sum(
          parts.map(({ schedule }) => schedule[index]),
          "planned_cost",
        ),
      );
      expect(cents(year.failure_cost)).toBe(
        sum(
          parts.map(({ schedule }) => schedule[index]),
          "failure_cost",
        ),
      );
      // Eight units, three, and one for the property without units.
      expect(cents(year.per_unit_inflated)).toBe(Math.round(cents(year.total_inflated) / 12));
    }
    expect(cents(whole.totals.run_to_failure)).toBe(
      sum(
        parts.map(({ totals }) => totals),
        "run_to_failure",
      ),
    );
    expect(whole.portfolio.map((one: Json) => one.immediate)).toEqual(
      parts.map(({ immediate }) => immediate),
    );
    for (const [index, row] of whole.portfolio.entries()) {
      const due = parts[index]!.components.filter((one: Json) => one.policy === "replace_now");
      expect(cents(row.cost_of_waiting_a_year)).toBe(sum(due, "cost_of_waiting_a_year"));
      expect(row.budget).toBeNull();
    }
  });

  test("is paged, with the same totals on every page", async () => {
    const [first, last] = [await portfolioPlan("?limit=2"), await portfolioPlan("?limit=2&offset=2")];
    expect(first).toMatchObject({ total: 3, page: 1, pages: 2 });
    expect([...first.portfolio, ...last.portfolio].map((one: Json) => one.property_id)).toEqual([
      ...[property.id, second.id, empty.id],
    ]);
    expect(last.totals).toEqual(first.totals);
    expect((await portfolioPlan("?offset=50")).portfolio).toEqual([]);
  });

  // Rule: plan-budget
  test("uses a budget for all properties, and shows the share of each", async () => {
    const { budget, portfolio } = await portfolioPlan("?budget=3000");
    const components = [...(await planOf()).components, ...(await planOf("", second)).components];
    const byId = new Map<string, Json>(components.map((one: Json) => [one.component_id, one]));
    const chosen = budget.chosen.map((id: string) => byId.get(id)!);
    expect(budget.chosen_count).toBe(chosen.length);
    expect(cents(budget.spent)).toBe(sum(chosen, "proactive_cost"));
    expect(cents(budget.avoided)).toBe(sum(chosen, "cost_of_waiting_a_year"));
    const shares = portfolio.map((one: Json) => one.budget);
    expect(sum(shares, "spent")).toBe(cents(budget.spent));
    expect(shares.every(({ spent }: Json, index: number) => spent > 0 || index === 2)).toBe(true);
  });

  // Rule: portfolio-plan, plan-csv
  test("in CSV has one row per property and one column per year, which add up to the plan", async () => {
    const query = "?years=12&inflation_pct=0&budget=3000";
    const { text, headers } = await client.get(`/v1/portfolio/plan${query}&format=csv`);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const rows: Json[] = parse(text, { columns: true });
    const { portfolio, schedule, immediate, budget, level_deposit } = await portfolioPlan(query);
    expect(rows.map((row) => row.property_id)).toEqual(portfolio.map((one: Json) => one.property_id));
    const columns = Object.keys(rows[0]);
    expect(columns.slice(0, 6).join()).toBe(
      "property_id,name,unit_count,immediate_component_count,immediate_cost,cost_of_waiting_a_year",
    );
    for (const { year, total } of schedule) expect(sum(rows, `year_${year}`)).toBe(cents(total));
    expect(columns.at(-1)).toBe("year_12");
    expect(sum(rows, "immediate_cost")).toBe(cents(immediate.cost));
    expect(sum(rows, "immediate_component_count")).toBe(cents(immediate.component_count));
    expect(sum(rows, "budget_spent")).toBe(cents(budget.spent));
    expect(sum(rows, "budget_avoided")).toBe(cents(budget.avoided));
    // The deposit is also reproducible: the highest of the running averages of the years.
    let [paid, most] = [0, 0];
    for (let year = 1; year <= 12; year++) {
      paid += sum(rows, `year_${year}`);
      most = Math.max(most, paid / year);
    }
    expect(Math.abs(most - cents(level_deposit["50"].per_year))).toBeLessThanOrEqual(0.5);

    const printed = await server.run(
      "plan",
      ...["--partner", partner.partner_id, "--years", "12"],
      ...["--inflation", "0", "--budget", "3000", "--format", "csv"],
    );
    expect(printed.stdout).toBe(text);
    const first = await client.get(`/v1/portfolio/plan${query}&format=csv&limit=2`);
    expect(first.headers.get("x-total-count")).toBe("3");
    expect(first.headers.get("link")).toContain("offset=2");
    expect(text.startsWith(first.text)).toBe(true);
  });

  test("prefixes a property's name that looks like a formula", async () => {
    const own = server.as(await server.createPartner("Formulas"));
    await addProperty(own, { name: '=1+1, "Court"' });
    const { text } = await own.get("/v1/portfolio/plan?format=csv");
    expect(parse(text, { columns: true })[0]).toMatchObject({ name: '\'=1+1, "Court"', year_10: "0" });
  });

  // Rule: plan-totals-current
  test("includes a write in the next response", async () => {
    const own = server.as(await server.createPartner("Kept"));
    const read = async () => (await own.get("/v1/portfolio/plan")).body;
    expect(await read()).toMatchObject({
      total: 0,
      portfolio: [],
      immediate: { component_count: 0, cost: 0 },
    });
    const house = await addProperty(own, { unit_count: 2 });
    expect((await read()).totals.planned).toBe(0);
    const worn = await addAppliance(own, house.id, {
      type_id: "water_heater_gas",
      install_year: THIS_YEAR - 20,
    });
    const before = await read();
    expect(before.immediate.component_count).toBeGreaterThan(0);
    const today = new Date().toISOString().slice(0, 10);
    await logEvents(own, { appliance_id: worn.id, event_type: "Replacement", date: today });
    const after = await read();
    expect(after.immediate).toEqual({ component_count: 0, cost: 0 });
    expect(after.schedule[0].total).toBeLessThan(before.schedule[0].total);
    await own.put(`/v1/properties/${house.id}`, { unit_count: 20 });
    const perUnit = (plan: Json) => plan.level_deposit["50"].per_unit_per_year;
    expect(Math.abs(perUnit(await read()) * 10 - perUnit(after))).toBeLessThan(0.11);
    const snapshot = await server.run("snapshot");
    expect(snapshot.code).toBe(0);
    expect((await read()).schedule).toEqual((await read()).schedule);
  });
});

describe("mainstay plan", () => {
  // Rule: plan-command
  test("prints the API's response as JSON", async () => {
    const terms = ["--years", "7", "--inflation", "2.5", "--budget", "800"];
    const query = "?years=7&inflation_pct=2.5&budget=800";
    expect(await server.json("plan", "--property", property.id, ...terms)).toEqual(await planOf(query));
    const { total, limit, offset, page, pages, ...portfolio } = await portfolioPlan(query);
    const { stdout } = await server.run(
      "plan",
      "--partner",
      partner.partner_id,
      ...terms,
      "--format",
      "json",
    );
    expect(JSON.parse(stdout)).toEqual(portfolio);
  });

  // Rule: plan-command
  test("prints a table, or CSV for a spreadsheet", async () => {
    const { stdout, code } = await server.run("plan", "--property", property.id, "--budget", "900");
    expect(code).toBe(0);
    const plan = await planOf("?budget=900");
    expect(stdout).toContain("Elm Court, 8 units: 10 years from");
    expect(stdout).toContain(`Due now: ${plan.immediate.component_count} components`);
    expect(stdout.match(/^\d+ +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+$/gm)).toHaveLength(10);
    expect(stdout.match(/ yes$/gm)).toHaveLength(plan.budget.chosen.length);
    for (const sentence of ["Best use of $900", "95% confidence: $", "- Sensor alarms"])
      expect(stdout).toContain(sentence);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    const csv = await server.run("plan", "--property", property.id, "--format", "csv");
    expect(csv.stdout).toBe((await client.get(`/v1/property/${property.id}/plan?format=csv`)).text);
    const portfolio = await server.run("plan", "--partner", partner.partner_id, "--format", "csv");
    const rows: Json[] = parse(portfolio.stdout, { columns: true });
    expect(rows.map(({ property_id }) => property_id)).toEqual([property.id, second.id, empty.id]);
    const people = await server.run("plan", "--partner", partner.partner_id);
    expect(people.stdout).toContain("3 properties: 10 years from");
    expect(people.stdout).toContain("Oak House");
  });

  test.each([
    [[], "specify either --property or --partner"],
    [["--property", "P_1", "--partner", "PARTNER_1"], "specify either --property or --partner"],
    [["--partner", "PARTNER_1", "--years", "0"], "expected a whole number from 1 to 30"],
    [["--partner", "PARTNER_1", "--years", "31"], "expected a whole number from 1 to 30"],
    [["--partner", "PARTNER_1", "--inflation", "16"], "expected a number from 0 to 15"],
    [["--partner", "PARTNER_1", "--budget", "-1"], "expected a number from 0 to 1000000000000"],
    [["--partner", "PARTNER_1", "--budget", "lots"], "expected a number from 0 to 1000000000000"],
    [["--partner", "PARTNER_1", "--format", "xml"], "expected table or csv or json"],
  ])("rejects %o as a usage error", async (args, words) => {
    const { code, stderr } = await server.run("plan", ...args);
    expect(stderr).toContain(words);
    expect(code).toBe(2);
  });

  test("reports an unknown property or partner", async () => {
    const missing = await server.run("plan", "--property", "P_1");
    expect(missing.stderr).toContain("Property not found: P_1");
    expect(missing.code).toBe(1);
    expect((await server.run("plan", "--partner", "PARTNER_1")).stderr).toContain(
      "partner not found: PARTNER_1",
    );
  });
});
