import { beforeAll, describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import type { ApiClient } from "../support/client.ts";
import { expectShown, type HtmlTable, htmlTables, shownNumber, textOf } from "../support/html-tables.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, dateDaysFromToday, logEvents, THIS_YEAR } from "../support/portfolio.ts";

/* Every number of a property's page, its schedule and its files is one that the API answers for the same day. */

const { serve } = useMainstay();
let server: Installation;
let client: ApiClient;
let id: string;
let address: string;
let page: string;
let tables: HtmlTable[];
const answers: Record<string, Json> = {};

beforeAll(async () => {
  server = await serve();
  const partner = await server.createPartner("Acme");
  client = server.as(partner);
  const about = { unit_count: 12, year_built: 1964, gross_area_sqft: 15_000, stories: 3 };
  id = (await addProperty(client, { ...about, records_since: "2012-05-01", estimated_value: 2_000_000 })).id;
  const { units } = (await client.get(`/v1/property/${id}/units`)).body;
  const add = (type_id: string, fields: object = {}) =>
    addAppliance(client, id, { type_id, install_year: THIS_YEAR - 16, ...fields });
  await add("electrical_panel", { brand: "Federal Pacific" });
  await add("elevator", { size: 6 });
  await add("roof");
  // It is likely to fail in year 1, whose needs then decide the deposit.
  await add("parking_lot", { install_year: THIS_YEAR - 40, size: 120_000 });
  await add("plumbing_supply", { install_year: undefined });
  const sprinklers = await add("fire_suppression");
  await add("hvac_central");
  await add("refrigerator", { unit_id: units[0].id });
  const retired = await add("furnace_gas");
  const heater = await add("water_heater_gas", { unit_id: units[1].id });
  const boiler = await add("boiler");
  const own = { proactive_cost: 5210.4, override_lifespan: 18 };
  await client.put(`/v1/components/${boiler.components[0].id}`, own);
  await client.put("/v1/cost-book", {
    lines: [{ type_id: "refrigerator", proactive_cost: 1111, reactive_cost: 1499 }],
  });
  const dated = (appliance: Json, days: number, fields: object) => ({
    appliance_id: appliance.id,
    date: dateDaysFromToday(-days),
    ...fields,
  });
  const { events } = await logEvents(
    client,
    dated(sprinklers, 40, { event_type: "Inspection", condition_after: "poor" }),
    dated(heater, 60, { event_type: "Emergency Repair", notes: "rusty, leaking" }),
    dated(boiler, 30, { event_type: "Repair" }),
  );
  await client.put(`/v1/service-events/${events[2].id}`, { voided: true });
  await client.put(`/v1/appliances/${retired.id}`, { retired_at: dateDaysFromToday(-10) });
  const { token } = await server.json("embed", "create", id);
  address = `${server.url}/embed/property/${token}`;
  page = await (await fetch(address)).text();
  tables = htmlTables(page);
  const figures = [
    "summary",
    "report",
    "forecast",
    "reserve",
    "condition-score",
    "rcv",
    "compliance",
    "plan",
  ];
  for (const name of figures) answers[name] = (await client.get(`/v1/property/${id}/${name}`)).body;
  answers.components = (await client.get("/v1/components", { property_id: id, limit: 200 })).body.components;
});

const table = (caption: string): HtmlTable["rows"] => {
  const found = tables.filter((one) => one.caption === caption);
  expect([caption, found.length]).toEqual([caption, 1]);
  return found[0]!.rows;
};

const column = (rows: HtmlTable["rows"], heading: string) => rows.map((row) => row[heading]!);
const sumOf = (rows: HtmlTable["rows"], heading: string) =>
  column(rows, heading).reduce((sum, text) => sum + shownNumber(text).value, 0);

const monthOf = (day: string) =>
  new Date(day).toLocaleDateString("en-US", { month: "short", year: "numeric", timeZone: "UTC" });
const dayOf = (day: string) =>
  new Date(day).toLocaleDateString("en-US", { dateStyle: "medium", timeZone: "UTC" });

describe("the page of a property", () => {
  // Rule: page-figures
  test("has the costs of critical and warning components that the API sums, by system and by tier", () => {
    const { financials, risk } = answers.summary!;
    const systems = table("Risk by building system");
    for (const [heading, amount] of [
      ["Planned cost", financials.total_deferred_maintenance],
      ["Cost after failure", financials.total_reactive_exposure],
    ] as const)
      expect(Math.abs(sumOf(systems, heading) - amount)).toBeLessThan(systems.length);
    for (const heading of ["Critical", "Warning", "Good"])
      expect(sumOf(systems, heading)).toBe(risk[heading.toLowerCase()]);
    const [critical, warning, good] = table("How the condition score is calculated");
    const tiers = [critical!, warning!, good!];
    expectShown("tiers", column(tiers, "Components"), [risk.critical, risk.warning, risk.good]);
    const { critical_exposure, warning_exposure } = answers.rcv!;
    expectShown("exposure", column([critical!, warning!], "Cost after failure"), [
      critical_exposure,
      warning_exposure,
    ]);
    const { total_deferred_maintenance: deferred } = financials;
    expect(Math.abs(sumOf([critical!, warning!], "Planned cost") - deferred)).toBeLessThan(2);
  });

  // Rule: page-figures
  test("has the scores, probabilities, days and costs of each critical or warning component", () => {
    const byLoss = (one: Json) => one.failure_probability_12m * one.reactive_cost;
    const elevated = answers
      .components!.filter(({ risk_tier }: Json) => risk_tier !== "GOOD")
      .toSorted((a: Json, b: Json) => byLoss(b) - byLoss(a));
    const rows = tables.find(({ rows: [row] }) => row?.["12-month expected loss"] !== undefined)!.rows;
    expect(elevated.length).toBeGreaterThan(rows.length - 1);
    const shown: Json[] = elevated.slice(0, rows.length);
    for (const [heading, amountOf] of [
      ["Risk score", ({ risk_score }: Json) => risk_score],
      ["12-month failure probability", (one: Json) => one.failure_probability_12m * 100],
      ["Planned cost", ({ proactive_cost }: Json) => proactive_cost],
      ["Cost after failure", ({ reactive_cost }: Json) => reactive_cost],
      ["12-month expected loss", byLoss],
    ] as const)
      expectShown(heading, column(rows, heading), shown.map(amountOf));
    expect(column(rows, "Likely failure (80%)")).toEqual(
      shown.map(({ failure_window_80: { earliest, latest } }) => {
        const [from, to] = [monthOf(earliest), latest && monthOf(latest)];
        return to === null ? `after ${from}` : from === to ? from : `${from}–${to}`;
      }),
    );
  });

  // Rule: page-figures
  test("has the forecast, whose 12 months are what the components add up to", () => {
    const windows: Json[] = Object.values(answers.forecast!.forecast);
    const rows = table("Expected cost of failures in the next 12 months (table)");
    for (const [heading, field] of [
      ["Expected failures", "expected_failures"],
      ["Expected cost", "expected_cost"],
      ["Due components", "component_count"],
      ["Their planned cost", "proactive_cost"],
      ["Cost if all fail at once", "emergency_cost_if_ignored"],
    ] as const)
      expectShown(
        heading,
        column(rows, heading),
        windows.map((one) => one[field]),
      );
    const ranges = column(rows, "80% range").map((text) => text.split(" to "));
    for (const [at, end] of ["low", "high"].entries())
      expectShown(
        end,
        ranges.map((range) => range[at]!),
        windows.map((one) => one.expected_cost_80[end]),
      );
    const parts: Json[] = answers.components!;
    const year = windows.at(-1)!;
    const sum = parts.reduce((all, one) => all + one.failure_probability_12m * one.reactive_cost, 0);
    const rounding = parts.reduce((all, one) => all + 0.00005 * one.reactive_cost, 0);
    expect(Math.abs(sum - year.expected_cost)).toBeLessThan(rounding);
    const failures = parts.reduce((all, one) => all + one.failure_probability_12m, 0);
    expect(Math.abs(failures - year.expected_failures)).toBeLessThan(0.0001 * parts.length);
  });

  // Rule: page-figures
  test("has the reserve, the plan's years and balances, and the lines that reconcile them", () => {
    const { reserve, plan } = answers as Record<string, Json>;
    const spans: Json[] = Object.values(reserve.reserves);
    const contributions = table("Contributions without a plan, by period (table)");
    for (const [heading, field] of [
      ["Property per month", "property_per_month"],
      ["Per unit per month", "per_unit_per_month"],
      ["Per unit per year", "per_unit_per_year"],
    ] as const)
      expectShown(
        heading,
        column(contributions, heading),
        spans.map((one) => one[field]),
      );
    const years = table("View by year (table)");
    for (const [heading, field] of [
      ["Planned replacements", "planned_cost"],
      ["Unplanned failures", "failure_cost"],
      ["Repairs", "repair_cost"],
      ["Total", "total"],
      ["Run to failure", "run_to_failure"],
      ["Total with inflation", "total_inflated"],
      ["Per unit with inflation", "per_unit_inflated"],
    ] as const)
      expectShown(
        heading,
        column(years, heading),
        plan.schedule.map((one: Json) => one[field]),
      );
    const balances = table("Reserve balance by year (table)");
    for (const [heading, field] of [
      ["Needs", "needs"],
      ["Balance", "balance"],
      ["Fully funded", "fully_funded"],
      ["Percent funded", "percent_funded"],
    ] as const)
      expectShown(
        heading,
        column(balances, heading),
        plan.balances.map((one: Json) => one[field]),
      );
    // A deposit is rounded up, as in the sentences about it.
    const deposits = plan.balances.map(({ deposit }: Json) => Math.ceil(deposit));
    expectShown("Deposit", column(balances, "Deposit"), deposits);
    expect(column(balances, "Deposit")[0]).toBe(/Deposit (\$[\d,]+) a year/.exec(textOf(page))![1]!);
    expect(deposits[0]).toBe(Math.ceil(plan.level_deposit["50"].noise.per_year));
    const started = plan.assumptions.find((one: string) => one.startsWith("Year 1 decides"));
    expect(textOf(page)).toContain(started);
    const lines = table("How the figures of 12 months fit together");
    expectShown(
      "lines",
      column(lines, "Amount"),
      plan.reconciliation.map((one: Json) => one.amount),
    );
    const amountOf = (label: string) => plan.reconciliation.find((one: Json) => one.label === label).amount;
    expect({
      deferred: amountOf("Deferred maintenance"),
      exposure: amountOf("Reactive exposure"),
      forecast: amountOf("Forecast, 12 months"),
      reserve: amountOf("12-month reserve, a month"),
    }).toEqual({
      deferred: answers.summary!.financials.total_deferred_maintenance,
      exposure: answers.summary!.financials.total_reactive_exposure,
      forecast: answers.forecast!.forecast.window_12_months.expected_cost,
      reserve: reserve.reserves["12_month"].property_per_month,
    });
  });

  // Rule: page-figures, property-plan
  test("names what is more likely than not to fail, and is not due", () => {
    const { units, components: planned } = answers.plan!;
    const likely: Json[] = answers.components!.filter((one: Json) => one.failure_probability_12m >= 0.5);
    const left: Json[] = planned.filter(
      ({ component_id: id, appliance_id, due_now }: Json) =>
        due_now === null &&
        likely.some(({ component_id }) => component_id === id) &&
        !units.some((unit: Json) => unit.appliance_id === appliance_id),
    );
    const shown = /(\d+) components? \((\$[\d,]+)\) (?:is|are) not due by the plan/.exec(textOf(page))!;
    const cost = left.reduce((sum, { proactive_cost }) => sum + proactive_cost, 0);
    expect(left).not.toBeEmpty();
    expectShown("likely failures", shown.slice(1), [left.length, cost]);
    expect(answers.plan!.likely_failures).toEqual({ count: left.length, cost });
    expect(answers.plan!.assumptions).toContainEqual(expect.stringContaining(shown[0]));
  });

  // Rule: page-figures
  test("has the condition, the inspections and the known hazards", () => {
    const text = textOf(page);
    const { condition_score, fci } = answers["condition-score"]!;
    expect(text).toContain(`${condition_score} out of 100`);
    const shown = /\(FCI\): ([\d.]+%), (\$[\d,]+) due now of a replacement value of (\$[\d,]+),/.exec(text)!;
    expectShown("fci", shown.slice(1), [fci.value * 100, fci.due_now, fci.replacement_value]);
    const items: Json[] = answers.compliance!.compliance_items;
    const inspections = tables.find(({ rows: [row] }) => row?.["Last inspection"] !== undefined)!.rows;
    const dayOrNone = (day: string | null) => (day === null ? "No record" : dayOf(day));
    expect(column(inspections, "Last inspection")).toEqual(
      items.map(({ last_inspection }) => dayOrNone(last_inspection)),
    );
    expect(column(inspections, "Due date")).toEqual(
      items.map(({ basis, status, due_date }) =>
        dayOrNone(basis === "none" && status === "OVERDUE" ? null : due_date),
      ),
    );
    expect(
      column(inspections, "Result").filter((result) => result === "Failed, deficiency open"),
    ).toHaveLength(items.filter(({ deficiency_open }) => deficiency_open).length);
    const hazards = table("Known hazards");
    const flags: Json[] = answers.report!.flags;
    expect(sumOf(hazards, "Appliances")).toBe(flags.length);
    expect(new Set(column(hazards, "Hazard"))).toEqual(new Set(flags.map(({ label }) => label)));
  });
});

// Rule: page-figures
test("the printable schedule and the files of a property have the figures of the API", async () => {
  const { plan, summary, forecast } = answers as Record<string, Json>;
  const schedule = textOf(await (await fetch(`${address}/schedule`)).text());
  for (const [pattern, values] of [
    [/Total \(today’s dollars\)(\$[\d,]+)/, [plan.totals.planned]],
    [
      /Due now: .*? \((\$[\d,]+)\), .*? Escrow at 125%: (\$[\d,]+)\./,
      [plan.due_now.cost, plan.due_now.escrow],
    ],
  ] as const)
    expectShown(String(pattern), pattern.exec(schedule)!.slice(1), values);
  const file = async (name: string): Promise<Json[]> =>
    parse(await (await fetch(`${address}/${name}.csv`)).text(), { columns: true, bom: true });
  const numbersOf = (rows: Json[], field: string) => rows.map((row) => Number(row[field]));
  const windows: Json[] = Object.values(forecast.forecast);
  expect(numbersOf(await file("forecast"), "expected_cost")).toEqual(
    windows.map(({ expected_cost }) => expected_cost),
  );
  expect(numbersOf(await file("schedule"), "total")).toEqual(plan.schedule.map((one: Json) => one.total));
  const [condition] = await file("condition");
  expect([condition.critical, condition.fci_due_now].map(Number)).toEqual([
    summary.risk.critical,
    answers["condition-score"]!.fci.due_now,
  ]);
  const parts = await file("components");
  const losses = (rows: Json[], lossOf: (row: Json) => number) =>
    Object.fromEntries(rows.map((row) => [row.component_id, Math.round(100 * lossOf(row))]));
  expect(losses(parts, (row) => Number(row.expected_failure_cost_a_year))).toEqual(
    losses(answers.components!, (row) => row.failure_probability_12m * row.reactive_cost),
  );
});
