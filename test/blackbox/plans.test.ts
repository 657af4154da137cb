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
    [second.id, "roof", 24],
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
/** Returns what a budget can buy, with its cost, by ID. */
const candidatesIn = ({ units, components }: Json): Map<string, Json> =>
  new Map([
    ...units.map((one: Json) => [one.appliance_id, { ...one, cost: one.price }]),
    ...components
      .filter((one: Json) => one.policy !== "with_unit")
      .map((one: Json) => [one.component_id, { ...one, cost: one.proactive_cost }]),
  ]);
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
    for (const one of plan.components) {
      if (one.policy === "run_to_failure") {
        expect([one.replace_on, one.optimal_age_years]).toEqual([null, null]);
        expect(one.yearly_cost).toBe(one.yearly_cost_run_to_failure);
      }
      if (one.policy === "replace_now") expect(one.replace_on).toBe(plan.as_of);
      if (one.policy === "replace_at_age") expect(one.replace_on > plan.as_of).toBe(true);
      expect(one.due_now !== null).toBe(one.policy === "replace_now");
    }
    expect(new Set(plan.components.map((one: Json) => one.policy))).toContain("with_unit");
  });

  // Rule: property-plan
  test("lists the units that are replaced as a whole, with their parts and what is due now", async () => {
    const { units, components, due_now: due, as_of } = await planOf("?escrow_pct=150");
    expect(units.map((one: Json) => one.appliance_type).sort()).toEqual([
      "boiler",
      "refrigerator",
      "washer",
      "water_heater_gas",
    ]);
    const heater = units.find((one: Json) => one.appliance_type === "water_heater_gas");
    expect(heater).toMatchObject({
      policy: "replace_now",
      action: "replace_now",
      wait_years: 0,
      replace_on: as_of,
    });
    expect(heater.price).toBe(1770); // 1500, 1.18 times in New York
    expect(heater.failed_price).toBeGreaterThan(heater.price);
    for (const one of components.filter((one: Json) => one.appliance_id === heater.appliance_id))
      expect(one).toMatchObject({
        policy: "with_unit",
        action: "replace_now",
        replace_on: as_of,
        due_now: null,
      });
    const dueUnits = units.filter((one: Json) => one.due_now !== null);
    expect(due).toMatchObject({ unit_count: dueUnits.length, component_count: 0 });
    expect(cents(due.cost)).toBe(sum(dueUnits, "price"));
    expect(cents(due.escrow)).toBe(Math.round(1.5 * cents(due.cost)));
    expect(cents(due.immediate.cost) + cents(due.short_term.cost)).toBe(cents(due.cost));
    expect(due.immediate.count + due.short_term.count).toBe(dueUnits.length);
    for (const one of [...units, ...components]) expect(one.reason).toMatch(/^[A-Z].*\.$/);
  });

  // Rule: plan-action
  test("names one action for each unit and component, which follows from its policy", async () => {
    const { units, components } = await planOf();
    for (const one of [...units, ...components]) {
      if (one.policy === "replace_now") expect(["replace_now", "inspect"]).toContain(one.action);
      if (one.action === "replace_now") expect(["replace_now", "with_unit"]).toContain(one.policy);
      if (one.action === "replace_by") expect(one.replace_on).toMatch(DAY);
      if (one.action === "run_to_failure") expect(one.replace_on).toBeNull();
    }
  });

  // Rule: plan-reconciliation
  test("shows how the figures of 12 months fit together, with those of other pages", async () => {
    const { reconciliation, schedule, due_now: due } = await planOf();
    const lines = new Map<string, number>(
      reconciliation.map(({ figure, amount }: Json) => [figure, cents(amount)]),
    );
    const of = (figure: string) => lines.get(figure)!;
    expect(of("immediate") + of("short_term")).toBe(cents(due.cost));
    expect(of("immediate") + of("short_term") + of("planned_later")).toBe(cents(schedule[0].planned_cost));
    expect(of("failures_and_repairs_12m")).toBe(
      cents(schedule[0].failure_cost) + cents(schedule[0].repair_cost),
    );
    expect(of("total_12m")).toBe(cents(schedule[0].total));
    expect(of("run_to_failure_12m")).toBe(cents(schedule[0].run_to_failure));
    expect(of("run_to_failure_12m") + of("forecast_difference")).toBe(of("forecast_12m"));
    const read = async (path: string) => (await client.get(path)).body;
    const { forecast } = await read(`/v1/property/${property.id}/forecast`);
    expect(of("forecast_12m")).toBe(cents(forecast.window_12_months.expected_cost));
    const reserve = await read(`/v1/property/${property.id}/reserve`);
    expect(of("total_deferred_maintenance")).toBe(cents(reserve.total_deferred));
    expect(of("reserve_12_month")).toBe(cents(reserve.reserves["12_month"].property_per_month));
  });

  test("adds up to the cent, as in a spreadsheet", async () => {
    const { schedule, totals, level_deposit, balances, unit_count, due_now } = await planOf(
      "?years=30&inflation_pct=4.5",
    );
    expect(schedule.map((one: Json) => one.year)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    let [reserve, needed] = [0, 0];
    for (const one of schedule) {
      expect(cents(one.total)).toBe(
        cents(one.planned_cost) + cents(one.failure_cost) + cents(one.repair_cost),
      );
      expect(cents(one.total_inflated)).toBe(Math.round(cents(one.total) * 1.045 ** (one.year - 1)));
      expect(cents(one.per_unit_inflated)).toBe(Math.round(cents(one.total_inflated) / unit_count));
      const needs = (cents(one.planned_cost) + cents(one.failure_cost)) * 1.045 ** (one.year - 1);
      reserve += needs - (one.year === 1 ? cents(due_now.cost) : 0);
      needed = Math.max(needed, reserve / one.year);
    }
    expect(cents(totals.planned)).toBe(sum(schedule, "total"));
    expect(cents(totals.planned_inflated)).toBe(sum(schedule, "total_inflated"));
    expect(cents(totals.savings)).toBe(cents(totals.run_to_failure) - cents(totals.planned));
    expect(totals.savings).toBeGreaterThan(0);
    const { noise } = level_deposit["50"];
    // Rounded up, so that the reserve is never short.
    const up = (exact: number) => Math.ceil(exact - 1e-6);
    expect(cents(noise.per_year)).toBe(up(needed));
    expect(cents(noise.per_unit_per_month)).toBe(up(needed / unit_count / 12));
    expect(level_deposit["80"].noise.per_year).toBeGreaterThan(noise.per_year);
    expect(level_deposit["95"].noise.per_year).toBeGreaterThan(level_deposit["80"].noise.per_year);
    expect(level_deposit["95"].with_cost_error.per_year).toBeGreaterThan(level_deposit["95"].noise.per_year);
    // The balance touches 0 once and never falls below it.
    const least = Math.min(...balances.map((one: Json) => cents(one.balance)));
    expect(Math.abs(least)).toBeLessThanOrEqual(1);
  });

  // Rule: plan-deposit
  test("has deposits from a balance, with interest, growth and a floor", async () => {
    const { level_deposit, balances } = await planOf(
      "?opening_balance=1000&interest_pct=2&minimum_balance=500&deposit_growth_pct=3",
    );
    let balance = 1000;
    for (const one of balances) {
      expect(one.interest).toBeCloseTo(0.02 * balance, 1);
      expect(one.deposit).toBeCloseTo(level_deposit["50"].noise.per_year * 1.03 ** (one.year - 1), 1);
      expect(one.balance).toBeCloseTo(balance + one.interest + one.deposit - one.needs, 1);
      if (one.percent_funded !== null)
        expect(one.percent_funded).toBeCloseTo((100 * one.balance) / one.fully_funded, 1);
      balance = one.balance;
    }
    expect(Math.min(...balances.map((one: Json) => one.balance))).toBeCloseTo(500, 1);
    const rich = await planOf("?opening_balance=1000000");
    expect(rich.level_deposit["95"].with_cost_error.per_year).toBe(0);
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
    const plan = await planOf("?budget=2500");
    const { budget } = plan;
    const candidates = candidatesIn(plan);
    const chosen = budget.chosen.map((id: string) => candidates.get(id)!);
    const worth = (one: Json) => one.cost_of_waiting_a_year / one.cost;
    expect(chosen.length).toBeGreaterThan(1);
    expect(budget.amount).toBe(2500);
    expect(cents(budget.spent)).toBe(sum(chosen, "cost"));
    expect(cents(budget.left)).toBe(cents(2500) - cents(budget.spent));
    expect(cents(budget.avoided)).toBe(sum(chosen, "cost_of_waiting_a_year"));
    expect(budget.left).toBeGreaterThanOrEqual(0);
    const urgent = chosen.filter((one: Json) => one.comes_first);
    expect(chosen.slice(0, urgent.length)).toEqual(urgent);
    for (const some of [urgent, chosen.slice(urgent.length)])
      expect(some.map(worth)).toEqual(some.map(worth).toSorted((a: number, b: number) => b - a));
    for (const one of candidates.values())
      if (!chosen.includes(one) && (one.comes_first || one.cost_of_waiting_a_year > 0))
        expect(one.cost).toBeGreaterThan(budget.left);
    expect((await planOf("?budget=0")).budget).toEqual({
      amount: 0,
      spent: 0,
      left: 0,
      chosen: [],
      avoided: 0,
    });
  });

  test("of a property without components is zero, and says so", async () => {
    const plan = await planOf("?budget=500.5", empty);
    expect(plan.components).toEqual([]);
    expect(plan.due_now).toMatchObject({ unit_count: 0, component_count: 0, cost: 0, escrow: 0 });
    expect(plan.totals).toEqual({
      planned: 0,
      planned_inflated: 0,
      run_to_failure: 0,
      run_to_failure_inflated: 0,
      savings: 0,
    });
    const nothing = {
      per_year: 0,
      per_unit_per_year: null,
      per_unit_per_month: null,
      per_1000_sqft_per_year: null,
    };
    expect(plan.level_deposit["95"]).toEqual({ noise: nothing, with_cost_error: nothing });
    expect(plan.budget).toEqual({ amount: 500.5, spent: 0, left: 500.5, chosen: [], avoided: 0 });
    expect(plan.assumptions[0]).toContain("no components");
  });

  // Rule: plan-csv
  test("in CSV has one row per unit and component and one column per year", async () => {
    const plan = await planOf("?years=4");
    const reply = await client.get(`/v1/property/${property.id}/plan?years=4&format=csv`);
    expect(reply.headers.get("content-type")).toStartWith("text/csv");
    const rows: Json[] = parse(reply.text, { columns: true });
    expect(rows.map((row) => (row.line === "unit" ? row.appliance_id : row.component_id))).toEqual([
      ...plan.units.map((one: Json) => one.appliance_id),
      ...plan.components.map((one: Json) => one.component_id),
    ]);
    expect(Object.keys(rows[0]!).slice(-5)).toEqual(["year_1", "year_2", "year_3", "year_4", "assumptions"]);
    const [assumptions, ...none] = rows.map((row) => row.assumptions);
    const { components, statement } = plan.counted_assumptions;
    expect(assumptions).toStartWith("Scoring model 3, not calibrated");
    expect(assumptions).toContain("at the prices of January 2026, of the property's US state");
    expect(assumptions).toContain(`Scores of ${components} components: `);
    expect(assumptions).toEndWith(statement);
    expect(none.join("")).toBe("");
    const tank = plan.components[0];
    const row = rows[plan.units.length]!;
    expect(row.line).toBe("component_of_unit");
    const { unit_label, ...fields } = Object.fromEntries(Object.entries(row).slice(1, -5));
    expect(unit_label).toBe("");
    expect(fields).toEqual(
      Object.fromEntries(
        Object.entries(tank).map(([name, value]) => [name, value === null ? "" : String(value)]),
      ),
    );
    for (const { year, total } of plan.schedule) {
      const column = rows.reduce((all, row) => all + Number(row[`year_${year}`]), 0);
      expect(Math.abs(column - total)).toBeLessThan(0.01 * rows.length);
    }
  });

  // Rule: property-plan
  test("is the same beside a report and losses that are computed at the same time", async () => {
    const own = server.as(await server.createPartner("Large"));
    const { id } = await addProperty(own, { name: "Large House" });
    const other = await addProperty(own, { name: "Other House" });
    const types = ["water_heater_gas", "boiler", "roof", "elevator", "washer"];
    await own.post("/v1/appliances/bulk", {
      appliances: Array.from({ length: 100 }, (_, i) => ({
        property_id: id,
        type_id: types[i % types.length],
        install_year: 1980 + (i % 40),
      })),
    });
    const paths = ["report", "plan", "losses"].map((name) => `/v1/property/${id}/${name}`);
    const read = async (path: string) => {
      const { assessed_at: _, ...figures } = (await own.get(path)).body;
      return figures;
    };
    const alone: Json[] = [];
    for (const path of paths) alone.push(await read(path));
    // No response is kept for another revision of the data.
    await own.put(`/v1/properties/${other.id}`, { notes: "Changed" });
    const atOnce = await Promise.all([...paths, "/v1/portfolio/plan", "/v1/portfolio/losses"].map(read));
    expect(atOnce.slice(0, 3)).toEqual(alone);
    expect(atOnce.slice(3)).toEqual([await read("/v1/portfolio/plan"), await read("/v1/portfolio/losses")]);
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
    ["years=0", 'years must be a whole number from 1 to 30, not "0"'],
    ["years=31", 'years must be a whole number from 1 to 30, not "31"'],
    ["years=2.5", 'years must be a whole number from 1 to 30, not "2.5"'],
    ["years=ten", 'years must be a whole number from 1 to 30, not "ten"'],
    ["years=", 'years must be a whole number from 1 to 30, not ""'],
    [
      "inflation_pct=-1",
      'inflation_pct must be a number from 0 to 15, in digits and with a point before decimals, not "-1"',
    ],
    ["inflation_pct=15.01", 'inflation_pct must be a number from 0 to 15, not "15.01"'],
    [
      "inflation_pct=3%25",
      'inflation_pct must be a number from 0 to 15, in digits and with a point before decimals, not "3%"',
    ],
    [
      "opening_balance=-1",
      'opening_balance must be a number from 0 to 1000000000000, in digits and with a point before decimals, not "-1"',
    ],
    [
      "opening_balance=1e3",
      'opening_balance must be a number from 0 to 1000000000000, in digits and with a point before decimals, not "1e3"',
    ],
    ["escrow_pct=99.9", 'escrow_pct must be a number from 100 to 200, not "99.9"'],
    ["escrow_pct=201", 'escrow_pct must be a number from 100 to 200, not "201"'],
    ["interest_pct=15.5", 'interest_pct must be a number from 0 to 15, not "15.5"'],
    [
      "interest_pct=",
      'interest_pct must be a number from 0 to 15, in digits and with a point before decimals, not ""',
    ],
    [
      "minimum_balance=-0.01",
      'minimum_balance must be a number from 0 to 1000000000000, in digits and with a point before decimals, not "-0.01"',
    ],
    [
      "minimum_balance=all",
      'minimum_balance must be a number from 0 to 1000000000000, in digits and with a point before decimals, not "all"',
    ],
    ["deposit_growth_pct=16", 'deposit_growth_pct must be a number from 0 to 15, not "16"'],
    [
      "deposit_growth_pct=Infinity",
      'deposit_growth_pct must be a number from 0 to 15, in digits and with a point before decimals, not "Infinity"',
    ],
    [
      "budget=-1",
      'budget must be a number from 0 to 1000000000000, in digits and with a point before decimals, not "-1"',
    ],
    [
      "budget=lots",
      'budget must be a number from 0 to 1000000000000, in digits and with a point before decimals, not "lots"',
    ],
    [
      "budget=1e400",
      'budget must be a number from 0 to 1000000000000, in digits and with a point before decimals, not "1e400"',
    ],
    [
      "budget=NaN",
      'budget must be a number from 0 to 1000000000000, in digits and with a point before decimals, not "NaN"',
    ],
    ["years=3&years=4", "years is a duplicate parameter"],
  ])("%s is rejected with a message", async (query, error) => {
    for (const path of [`/v1/property/${property.id}/plan`, "/v1/portfolio/plan"]) {
      const { body } = await client.ask("GET", `${path}?${query}`, 400);
      expect(body.error).toBe(error);
      expect(body.details[0].field).toBe(query.split("=")[0]);
    }
  });

  test("format with another value than json, csv and xlsx is rejected", async () => {
    const { body } = await client.ask("GET", `/v1/property/${property.id}/plan?format=xml`, 400);
    expect(body.error).toBe("format must be one of json, csv, xlsx");
  });
});

describe("a portfolio's plan", () => {
  // Rule: portfolio-plan
  test("is the sum of the plans of its properties", async () => {
    const query = "?years=12&inflation_pct=0";
    const whole = await portfolioPlan(query);
    const parts = [await planOf(query), await planOf(query, second), await planOf(query, empty)];
    // Eight units and three; the property without units has no components.
    expect([whole.total, whole.unit_count]).toEqual([3, 11]);
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
      expect(cents(year.per_unit_inflated)).toBe(Math.round(cents(year.total_inflated) / 11));
    }
    expect(cents(whole.totals.run_to_failure)).toBe(
      sum(
        parts.map(({ totals }) => totals),
        "run_to_failure",
      ),
    );
    expect(whole.portfolio.map((one: Json) => one.due_now)).toEqual(
      parts.map(({ due_now: { escrow, cost_of_waiting_a_year, ...due } }) => due),
    );
    expect(whole.portfolio.map((one: Json) => one.cost_of_waiting_a_year)).toEqual(
      parts.map(({ due_now: due }) => due.cost_of_waiting_a_year),
    );
    expect(cents(whole.due_now.cost_of_waiting_a_year)).toBe(sum(whole.portfolio, "cost_of_waiting_a_year"));
    for (const [index, row] of whole.portfolio.entries()) {
      const { units, components } = parts[index]!;
      const whole = new Set(units.map((one: Json) => one.appliance_id));
      const due = [...units, ...components.filter((one: Json) => !whole.has(one.appliance_id))].filter(
        (one: Json) => one.due_now !== null,
      );
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

  test("is sorted by the cost of delay, with the same totals, over all pages", async () => {
    const { portfolio, totals } = await portfolioPlan();
    const sorted = portfolio.toSorted(
      (a: Json, b: Json) => b.cost_of_waiting_a_year - a.cost_of_waiting_a_year,
    );
    const named = (list: Json[]) => list.map(({ name }) => name);
    expect(named(sorted)).not.toEqual(named(portfolio));
    const pages = [
      await portfolioPlan("?sort=waiting&limit=2"),
      await portfolioPlan("?sort=waiting&limit=2&offset=2"),
    ];
    expect(pages.flatMap((page) => page.portfolio)).toEqual(sorted);
    for (const page of pages) expect(page).toMatchObject({ total: 3, totals });
    expect((await portfolioPlan("?sort=created")).portfolio).toEqual(portfolio);
    const { text } = await client.get("/v1/portfolio/plan?sort=waiting&format=csv");
    expect(named(parse(text, { columns: true }))).toEqual(named(sorted));
    const { body } = await client.ask("GET", "/v1/portfolio/plan?sort=cost", 400);
    expect(body.error).toBe("sort must be one of created, waiting");
  });

  // Rule: plan-budget
  test("uses a budget for all properties, and shows the share of each", async () => {
    const { budget, portfolio } = await portfolioPlan("?budget=9000");
    const candidates = new Map([...candidatesIn(await planOf()), ...candidatesIn(await planOf("", second))]);
    const chosen = budget.chosen.map((id: string) => candidates.get(id)!);
    expect(budget.chosen_count).toBe(chosen.length);
    expect(cents(budget.spent)).toBe(sum(chosen, "cost"));
    expect(cents(budget.avoided)).toBe(sum(chosen, "cost_of_waiting_a_year"));
    const shares = portfolio.map((one: Json) => one.budget);
    expect(sum(shares, "spent")).toBe(cents(budget.spent));
    expect(shares.every(({ spent }: Json, index: number) => spent > 0 || index === 2)).toBe(true);
  });

  // Rule: portfolio-plan, plan-csv
  test("in CSV has one row per property and one column per year, which add up to the plan", async () => {
    const query = "?years=12&inflation_pct=0&budget=9000";
    const { text, headers } = await client.get(`/v1/portfolio/plan${query}&format=csv`);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const rows: Json[] = parse(text, { columns: true });
    const { portfolio, schedule, due_now: due, budget } = await portfolioPlan(query);
    expect(rows.map((row) => row.property_id)).toEqual(portfolio.map((one: Json) => one.property_id));
    const columns = Object.keys(rows[0]);
    expect(columns.slice(0, 6).join()).toBe(
      "property_id,name,unit_count,due_now_component_count,due_now_unit_count,due_now_cost",
    );
    for (const { year, total } of schedule) expect(sum(rows, `year_${year}`)).toBe(cents(total));
    expect(columns.slice(-2)).toEqual(["year_12", "assumptions"]);
    const assumptions = (await portfolioPlan(query)).assumptions.join(" ");
    expect(rows.map((row) => row.assumptions)).toEqual([assumptions, "", ""]);
    expect(assumptions).toContain("scoring model 3, not calibrated");
    expect(assumptions).toContain("at the prices of January 2026, of the property's US state");
    expect(assumptions).toContain(
      "Of what the reserve pays, 0% is at your own costs, 0% at reference costs scaled to size, 100% at reference costs.",
    );
    expect(sum(rows, "due_now_cost")).toBe(cents(due.cost));
    expect(sum(rows, "due_now_immediate_cost")).toBe(cents(due.immediate.cost));
    expect(sum(rows, "due_now_unit_count")).toBe(cents(due.unit_count));
    expect(sum(rows, "budget_spent")).toBe(cents(budget.spent));
    expect(sum(rows, "budget_avoided")).toBe(cents(budget.avoided));

    const printed = await server.run(
      "plan",
      ...["--partner", partner.partner_id, "--years", "12"],
      ...["--inflation", "0", "--budget", "9000", "--format", "csv"],
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
      due_now: { unit_count: 0, component_count: 0, cost: 0 },
    });
    const house = await addProperty(own, { unit_count: 2 });
    expect((await read()).totals.planned).toBe(0);
    const worn = await addAppliance(own, house.id, {
      type_id: "water_heater_gas",
      install_year: THIS_YEAR - 20,
    });
    const before = await read();
    expect(before.due_now.unit_count).toBe(1);
    const today = new Date().toISOString().slice(0, 10);
    await logEvents(own, { appliance_id: worn.id, event_type: "Replacement", date: today });
    const after = await read();
    expect(after.due_now).toMatchObject({ unit_count: 0, component_count: 0, cost: 0 });
    expect(after.schedule[0].total).toBeLessThan(before.schedule[0].total);
    await own.put(`/v1/properties/${house.id}`, { unit_count: 20 });
    const perUnit = (plan: Json) => plan.level_deposit["50"].noise.per_unit_per_year;
    expect(Math.abs(perUnit(await read()) * 10 - perUnit(after))).toBeLessThan(0.11);
    const snapshot = await server.run("snapshot");
    expect(snapshot.code).toBe(0);
    expect((await read()).schedule).toEqual((await read()).schedule);
  });
});

describe("mainstay plan", () => {
  // Rule: plan-command
  test("prints the API's response as JSON", async () => {
    const terms = [
      ...["--years", "7", "--inflation", "2.5", "--budget", "800", "--opening-balance", "99.5"],
      ...["--escrow-pct", "110", "--interest-pct", "1.5", "--minimum-balance", "20"],
      ...["--deposit-growth-pct", "2"],
    ];
    const query =
      "?years=7&inflation_pct=2.5&budget=800&opening_balance=99.5&escrow_pct=110&interest_pct=1.5&minimum_balance=20&deposit_growth_pct=2";
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

  test("says why a plan can cost more than running everything to failure", async () => {
    const { totals } = await planOf("?years=1");
    expect(totals.savings).toBeLessThan(-1);
    const { stdout } = await server.run("plan", "--property", property.id, "--years", "1");
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      `In this period the plan costs $${Math.round(-totals.savings).toLocaleString("en-US")} more in today's ` +
        "dollars: some replacements protect people, and others pay off later.",
    );
    expect((await server.anonymous.get("/v1/openapi.json")).text).toContain(
      "negative if it costs more in this period: some replacements protect people, and others pay off later",
    );
  });

  // Rule: plan-command
  test("prints a table, or CSV for a spreadsheet", async () => {
    const { stdout, code } = await server.run("plan", "--property", property.id, "--budget", "900");
    expect(code).toBe(0);
    const plan = await planOf("?budget=900");
    expect(stdout).toContain("Elm Court, 8 units: 10 years from");
    expect(stdout).toContain(`Due now: ${plan.due_now.unit_count} units and `);
    expect(stdout).toContain("Everything run to failure, 12 months");
    expect(stdout.match(/^\d+ +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+$/gm)).toHaveLength(10);
    // A pipe receives every column, up to the ID.
    expect(stdout.match(/ yes +[AC]_[0-9a-z]{26}$/gm)).toHaveLength(plan.budget.chosen.length);
    for (const sentence of ["Best use of $900", "95% confidence: $", "- Sensor alarms"])
      expect(stdout).toContain(sentence);
    for (const { component_id } of plan.components.filter(({ policy }: Json) => policy === "replace_now"))
      expect(stdout).toContain(component_id);
    const running = stdout.split("\n").filter((line) => !/ {2}/.test(line));
    for (const line of running) expect(line.length).toBeLessThanOrEqual(100);
    const csv = await server.run("plan", "--property", property.id, "--format", "csv");
    expect(csv.stdout).toBe((await client.get(`/v1/property/${property.id}/plan?format=csv`)).text);
    const portfolio = await server.run("plan", "--partner", partner.partner_id, "--format", "csv");
    const rows: Json[] = parse(portfolio.stdout, { columns: true });
    expect(rows.map(({ property_id }) => property_id)).toEqual([property.id, second.id, empty.id]);
    const people = await server.run("plan", "--partner", partner.partner_id);
    expect(people.stdout).toContain("3 properties: 10 years from");
    expect(people.stdout).toContain("Oak House");
    // A property without components has nothing due, and is counted only.
    expect(people.stdout).not.toContain(empty.name);
    expect(people.stdout).toContain("1 property has nothing due now.");
  });

  test.each([
    [[], "specify either --property or --partner"],
    [["--property", "P_1", "--partner", "PARTNER_1"], "specify either --property or --partner"],
    [["--partner", "PARTNER_1", "--years", "0"], "expected a whole number from 1 to 30"],
    [["--partner", "PARTNER_1", "--years", "31"], "expected a whole number from 1 to 30"],
    [["--partner", "PARTNER_1", "--inflation", "16"], "expected a number from 0 to 15"],
    [["--partner", "PARTNER_1", "--budget", "-1"], "expected a number from 0 to 1000000000000"],
    [["--partner", "PARTNER_1", "--opening-balance", "-5"], "expected a number from 0 to 1000000000000"],
    [["--partner", "PARTNER_1", "--escrow-pct", "90"], "expected a number from 100 to 200"],
    [["--partner", "PARTNER_1", "--interest-pct", "15.1"], "expected a number from 0 to 15"],
    [["--partner", "PARTNER_1", "--minimum-balance", "some"], "expected a number from 0 to 1000000000000"],
    [["--partner", "PARTNER_1", "--deposit-growth-pct", "16"], "expected a number from 0 to 15"],
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

// Rule: condition-score
test("what is due now over the replacement value is the facility condition index", async () => {
  const condition = async () => (await client.get(`/v1/property/${property.id}/condition-score`)).body.fci;
  const { due_now } = await planOf();
  const { rcv } = { rcv: (await client.get(`/v1/property/${property.id}/rcv`)).body };
  const byEquipment = await condition();
  expect(byEquipment).toMatchObject({ due_now: due_now.cost, basis: "equipment" });
  expect(byEquipment.replacement_value).toBeCloseTo(rcv.total_replacement_cost / 0.45, 1);
  await client.put(`/v1/properties/${property.id}`, { gross_area_sqft: 10_000 });
  expect(await condition()).toMatchObject({ basis: "area", replacement_value: 1_800_000 });
  await client.put(`/v1/properties/${property.id}`, { replacement_value: 2_000_000 });
  expect(await condition()).toEqual({
    basis: "replacement_value",
    replacement_value: 2_000_000,
    due_now: due_now.cost,
    value: Math.round((due_now.cost / 2_000_000) * 10_000) / 10_000,
  });
  expect((await client.get(`/v1/property/${empty.id}/condition-score`)).body.fci.value).toBeNull();
  await client.put(`/v1/properties/${property.id}`, { gross_area_sqft: null, replacement_value: null });
});

// Rule: due-cost
test("lists, summary, report and condition rate a property by what is due now", async () => {
  const own = server.as(await server.createPartner("Grades"));
  const ratings = async (id: string) => {
    const condition = (await own.get(`/v1/property/${id}/condition-score`)).body;
    const [item] = (await own.get("/v1/portfolio/summary")).body.portfolio;
    const summary = (await own.get(`/v1/property/${id}/summary`)).body;
    const report = (await own.get(`/v1/property/${id}/report`)).body;
    const rated = [item.overall_rating, summary.risk.overall_rating, report.overall.rating];
    expect(rated).toEqual([condition.rating, condition.rating, condition.rating]);
    expect(report.overall.nci_equivalent).toBe(condition.condition_score);
    return condition;
  };
  const { id } = await addProperty(own, { replacement_value: 100_000 });
  expect(await ratings(id)).toMatchObject({ rating: "GOOD", fci: { due_now: 0 } });
  const unit = await addAppliance(own, id, { type_id: "ptac", install_year: THIS_YEAR - 20 });
  const { fci, rating } = await ratings(id);
  expect(rating).toBe("GOOD");
  expect(fci.due_now).toBeGreaterThan(1000);
  await own.put(`/v1/properties/${id}`, { replacement_value: Math.round(4 * fci.due_now) });
  expect(await ratings(id)).toMatchObject({ condition_score: 67, grade: "D", rating: "FAIL" });
  const replaced = { event_type: "Replacement", date: `${THIS_YEAR - 1}-06-01` };
  await logEvents(own, { appliance_id: unit.id, ...replaced });
  expect(await ratings(id)).toMatchObject({ condition_score: 100, fci: { due_now: 0 } });
});

// Rule: condition-score
test("a square foot of a building costs what the setting says", async () => {
  const other = await serve({ costs: { building_per_sqft: 250.5 } });
  const own = other.as(await other.createPartner("Acme"));
  const { id } = await addProperty(own, { gross_area_sqft: 10_000 });
  expect((await own.get(`/v1/property/${id}/condition-score`)).body.fci).toMatchObject({
    basis: "area",
    replacement_value: 2_505_000,
  });
});

// Rule: plan-deposit
test("a plan without units has figures per 1,000 sq ft where the area is known", async () => {
  const own = server.as(await server.createPartner("Stores"));
  const store = await addProperty(own, { gross_area_sqft: 20_000 });
  await addAppliance(own, store.id, { type_id: "rooftop_unit", install_year: THIS_YEAR - 10 });
  for (const path of [`/v1/property/${store.id}/plan`, "/v1/portfolio/plan"]) {
    const { schedule, level_deposit } = (await own.get(path)).body;
    const { noise } = level_deposit["95"];
    expect(noise.per_unit_per_year).toBeNull();
    expect(noise.per_1000_sqft_per_year).toBeCloseTo(noise.per_year / 20, 1);
    expect(cents(schedule[0].per_1000_sqft_inflated)).toBe(
      Math.round(cents(schedule[0].total_inflated) / 20),
    );
    expect(schedule[0].per_unit_inflated).toBeNull();
  }
  await own.put(`/v1/properties/${store.id}`, { gross_area_sqft: 40_000 });
  const { noise } = (await own.get("/v1/portfolio/plan")).body.level_deposit["95"];
  expect(noise.per_1000_sqft_per_year).toBeCloseTo(noise.per_year / 40, 1);
});

describe("what to do with a component", () => {
  // Rule: plan-action
  test("is the same in lists, alerts, their CSV and the plan", async () => {
    const { components } = await planOf();
    const planned = new Map<string, Json>(components.map((one: Json) => [one.component_id, one]));
    const lists = [
      ["/v1/components", "components"],
      ["/v1/alerts", "alerts"],
    ] as const;
    for (const [path, name] of lists) {
      const { body } = await client.get(`${path}?property_id=${property.id}&limit=200`);
      expect(body[name].length).toBeGreaterThan(3);
      for (const { component_id, action, reason } of body[name])
        expect([action, reason]).toEqual([
          planned.get(component_id)!.action,
          planned.get(component_id)!.reason,
        ]);
      const csv = await client.get(`${path}?property_id=${property.id}&limit=200&format=csv`);
      const rows: Json[] = parse(csv.text, { columns: true });
      expect(rows.map((row) => row.action)).toEqual(body[name].map((one: Json) => one.action));
    }
  });

  // Rule: plan-action
  test("is the same in the report, of appliances, and in an export", async () => {
    const { units, components } = await planOf();
    const planned = new Map<string, Json>(components.map((one: Json) => [one.component_id, one]));
    const expectSame = (listed: readonly Json[]) => {
      for (const { component_id, action, reason } of listed)
        expect([action, reason]).toEqual([
          planned.get(component_id)!.action,
          planned.get(component_id)!.reason,
        ]);
    };
    const { body: report } = await client.get(`/v1/property/${property.id}/report`);
    const items = [...report.critical, ...report.warning, ...report.good];
    expect(items).toHaveLength(components.length);
    expectSame(items);
    for (const applianceId of new Set(components.map((one: Json) => one.appliance_id))) {
      const { body } = await client.get(`/v1/appliances/${applianceId}`);
      expectSame(body.components);
      const unit = units.find((one: Json) => one.appliance_id === applianceId);
      expect([body.action, body.reason]).toEqual([unit?.action ?? null, unit?.reason ?? null]);
    }
    const exported = (await server.run("export", "--partner", partner.partner_id)).stdout
      .split("\n")
      .filter((line) => line.includes('"type":"component"'))
      .map((line) => JSON.parse(line))
      .filter((one) => one.property_id === property.id);
    expect(exported).toHaveLength(components.length);
    expectSame(exported);
  });

  // Rule: plan-action
  test("with a known hazard is to remove it, whatever its risk, and its cost is due now", async () => {
    const own = server.as(await server.createPartner("Hazards"));
    const house = await addProperty(own, { unit_count: 1 });
    await addAppliance(own, house.id, {
      type_id: "electrical_panel",
      install_year: THIS_YEAR - 1,
      brand: "Federal Pacific",
    });
    const plan = (await own.get(`/v1/property/${house.id}/plan?budget=0`)).body;
    expect(plan.units[0]).toMatchObject({
      action: "immediate_hazard",
      policy: "replace_now",
      due_now: "immediate",
      comes_first: true,
    });
    expect(plan.due_now.immediate.cost).toBe(plan.units[0].price);
    for (const one of plan.components) expect(one.action).toBe("immediate_hazard");
    const { body } = await own.get("/v1/components");
    for (const one of body.components) expect(one.action).toBe("immediate_hazard");
  });
});

// Rule: portfolio-actions
describe("the list of actions", () => {
  const TO_DO = ["immediate_hazard", "replace_now", "inspect", "replace_by"];
  const listed = async (query: Record<string, unknown> = {}): Promise<Json> =>
    (await client.get("/v1/portfolio/actions", { limit: 200, ...query })).body;
  const idOf = (one: Json) => one.component_id ?? one.appliance_id;
  const inTwoYears = () => new Date(Date.now() + 730 * 86_400_000).toISOString().slice(0, 10);
  /** Returns what the plans of all properties say is to be done, by ID. */
  async function expected(): Promise<Map<string, Json>> {
    const all = new Map<string, Json>();
    for (const one of [property, second, empty]) {
      const { units, components } = await planOf("", one);
      const isDue = ({ action, replace_on }: Json) =>
        TO_DO.includes(action) && (action !== "replace_by" || replace_on <= inTwoYears());
      const whole = units.filter(isDue);
      for (const unit of whole) all.set(unit.appliance_id, { ...unit, cost: unit.price });
      for (const part of components.filter(isDue)) {
        const isPart =
          part.policy === "with_unit" && whole.some((unit: Json) => unit.appliance_id === part.appliance_id);
        if (!isPart) all.set(part.component_id, { ...part, cost: part.proactive_cost });
      }
    }
    return all;
  }

  test("has what the plans of all properties say, with sums, in both orders", async () => {
    const wanted = await expected();
    expect(wanted.size).toBeGreaterThan(5);
    const { actions, total, totals } = await listed();
    expect(actions.map(idOf).sort()).toEqual([...wanted.keys()].sort());
    expect(total).toBe(wanted.size);
    for (const one of actions) {
      const { cost: proactive_cost, ...line } = wanted.get(idOf(one))!;
      const { action, reason, due_now, cost_basis, cost_of_waiting_a_year } = line;
      const fields = { action, reason, due_now, proactive_cost, cost_basis, cost_of_waiting_a_year };
      expect(one).toMatchObject(fields);
    }
    for (const field of ["proactive_cost", "cost_of_waiting_a_year", "expected_cost_12m"])
      expect(cents(totals[field])).toBe(sum(actions, field));
    const waiting = actions.map((one: Json) => one.cost_of_waiting_a_year);
    expect(waiting).toEqual(waiting.toSorted((a: number, b: number) => b - a));
    const costs = (await listed({ sort: "expected" })).actions.map((one: Json) => one.expected_cost_12m);
    expect(costs).toEqual(costs.toSorted((a: number, b: number) => b - a));
    const pages = await Promise.all([0, 3].map((offset) => listed({ limit: 3, offset })));
    expect(pages.flatMap((page) => page.actions.map(idOf))).toEqual(actions.slice(0, 6).map(idOf));
    const { text } = await client.get("/v1/portfolio/actions", { format: "csv", limit: 200 });
    expect(parse(text, { columns: true }).map((row: Json) => row.component_id || row.appliance_id)).toEqual(
      actions.map(idOf),
    );
    expect((await stranger.get("/v1/portfolio/actions")).body.total).toBe(0);
    // A component's expected cost is that of the alerts.
    const { alerts } = (await client.get("/v1/alerts", { limit: 200 })).body;
    const shared = alerts.filter((one: Json) =>
      actions.some((listed: Json) => listed.component_id === one.id),
    );
    expect(shared).not.toBeEmpty();
    for (const one of shared)
      expect(actions.find((listed: Json) => listed.component_id === one.id).expected_cost_12m).toBe(
        one.expected_cost_12m,
      );
  });

  test("expects the failures of a component once: by its own action, or else by that of its appliance", async () => {
    const own = server.as(await server.createPartner("Coolers"));
    const { id } = await addProperty(own, { state: "FL" });
    await addAppliance(own, id, { type_id: "hvac_central", install_year: THIS_YEAR - 14 });
    const { actions, totals } = (await own.get("/v1/portfolio/actions")).body;
    const { components } = (await own.get("/v1/components")).body;
    const [unit, ...others] = actions.filter((one: Json) => one.component_id === null);
    const listedAlone = (one: Json) => actions.some(({ component_id }: Json) => component_id === one.id);
    expect([unit.action, others, components.some(listedAlone)]).toEqual(["replace_by", [], true]);
    const costOf = (some: Json[]) =>
      some.reduce((all, one) => all + one.failure_probability_12m * one.reactive_cost, 0);
    const rounding = 0.00005 * components.reduce((all: number, one: Json) => all + one.reactive_cost, 0);
    const left = components.filter((one: Json) => !listedAlone(one));
    expect(Math.abs(unit.expected_cost_12m - costOf(left))).toBeLessThan(rounding);
    expect(Math.abs(totals.expected_cost_12m - costOf(components))).toBeLessThan(rounding);
  });

  test("is filtered", async () => {
    const { actions } = await listed();
    const same = async (query: Record<string, unknown>, is: (one: Json) => boolean) => {
      const found = (await listed(query)).actions.map(idOf);
      expect(found).toEqual(actions.filter(is).map(idOf));
      expect(found).not.toBeEmpty();
    };
    await same({ property_id: second.id }, (one) => one.property_id === second.id);
    await same({ system: "plumbing" }, (one) => one.system === "plumbing");
    await same({ action: "inspect" }, (one) => one.action === "inspect");
    await same({ tier: "critical" }, (one) => one.risk_tier === "CRITICAL");
    await same({ due_by: planDay() }, (one) => one.replace_on === null);
    const [costs] = [
      actions.map((one: Json) => one.proactive_cost).toSorted((a: number, b: number) => a - b),
    ];
    const middle = costs[Math.floor(costs.length / 2)];
    await same({ min_cost: middle }, (one) => one.proactive_cost >= middle);
    await same({ max_cost: costs[0] }, (one) => one.proactive_cost <= costs[0]);
    expect((await listed({ state: "VT" })).total).toBe(0);
    await client.get("/v1/portfolio/actions", { property_id: "P_none" }, 404);
    for (const [name, value] of [
      ["action", "monitor"],
      ["due_by", "soon"],
      ["work", "done"],
      ["min_cost", "-1"],
      ["sort", "cost"],
    ] as const)
      expect((await client.get("/v1/portfolio/actions", { [name]: value }, 400)).body.error).toContain(name);
  });

  test("shows marks at once, and what follows from an event", async () => {
    const { actions } = await listed({ due_by: planDay() });
    const [first, next] = actions as [Json, Json];
    const until = inTwoYears();
    const of = (one: Json) =>
      one.component_id === null ? { appliance_id: one.appliance_id } : { component_id: one.component_id };
    const mark = async (one: Json, fields: object) =>
      await client.post("/v1/work-marks/bulk", { work: [{ ...of(one), by: "J. Ito", ...fields }] });
    await mark(first, { state: "deferred", until, reason: "Waits for the roofer" });
    await mark(next, { state: "ordered" });
    const due = (await listed({ due_by: planDay() })).actions.map(idOf);
    expect(due).toEqual(actions.map(idOf).slice(1));
    const [deferred] = (await listed({ work: "deferred" })).actions;
    expect(deferred).toMatchObject({ ...of(first), work_until: until, work_by: "J. Ito" });
    expect((await listed({ work: "ordered" })).actions.map(idOf)).toEqual([idOf(next)]);
    const open = (await listed({ work: "open" })).actions.map(idOf);
    expect(open).not.toContain(idOf(first));
    // A plan that is made again keeps the marks.
    await addAppliance(client, first.property_id, { type_id: "washer", install_year: THIS_YEAR });
    expect((await listed({ work: "deferred" })).actions.map(idOf)).toEqual([idOf(first)]);
    const { events } = (await mark(first, { state: "done" })).body;
    expect(events[0].service_event_id).toMatch(/^SE_/);
    const left = (await listed()).actions.map(idOf);
    expect(left).not.toContain(idOf(first));
    await mark(next, { state: "open" });
    expect((await listed({ work: "ordered" })).total).toBe(0);
  });

  const planDay = () => new Date().toISOString().slice(0, 10);
});

// Rule: saved-filters, get-saved-filters
test("filters of the list of actions are saved, replaced and removed by name", async () => {
  const save = async (name: string, query: string | null, status = 200): Promise<Json> =>
    (await client.put("/v1/saved-filters", { name, query }, status)).body;
  const saved = async (of = client) =>
    (await of.get("/v1/saved-filters")).body.filters.map(({ name, query }: Json) => [name, query]);
  await save("Plumbing", "system=plumbing");
  await save(" Due now ", "due=0");
  await save("Plumbing", "system=plumbing&state=NY");
  expect(await saved()).toEqual([
    ["Due now", "due=0"],
    ["Plumbing", "system=plumbing&state=NY"],
  ]);
  expect(await saved(stranger)).toEqual([]);
  expect((await save("Plumbing", null)).filters).toHaveLength(1);
  await save("never saved", null);
  await save("", "due=0", 400);
  for (let nth = 1; nth < 50; nth++) await save(`Filter ${nth}`, "due=0");
  expect((await save("One more", "due=0", 409)).error).toContain("At most 50");
  await save("Due now", "due=90");
  await save("Filter 1", null);
  await save("One more", "due=0");
});
