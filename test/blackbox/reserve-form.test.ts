import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readXlsx } from "hucre/xlsx";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, THIS_YEAR } from "../support/portfolio.ts";
import { Spreadsheet } from "../support/spreadsheet.ts";

/* The replacement reserve schedule as a workbook. Its formulas are computed by a program that knows nothing of the product. */

const { serve, folder } = useMainstay();
let server: Installation;
let client: ApiClient;
let property: Json;

beforeAll(async () => {
  server = await serve();
  client = server.as(await server.createPartner("Acme"));
  property = await addProperty(client, { name: "=1+1 Elm Court", unit_count: 8, year_built: 1975 });
  const add = (type_id: string, years: number, more: object = {}) =>
    addAppliance(client, property.id, { type_id, install_year: THIS_YEAR - years, ...more });
  for (const years of [15, 14, 9, 3, 2, 1]) await add("water_heater_gas", years);
  for (const [type, years] of [
    ["boiler", 25],
    ["roof", 22],
    ["washer", 9],
    ["elevator", 20],
    ["garbage_disposal", 3],
    ["fire_alarm", 12],
  ] as const)
    await add(type, years);
  await add("electrical_panel", 45, { brand: "Zinsco" });
});

const planOf = async (query: string, of = property): Promise<Json> =>
  (await client.get(`/v1/property/${of.id}/plan?${query}`)).body;
async function formOf(query = "", of = property): Promise<{ bytes: Uint8Array; response: Response }> {
  const address = `${server.url}/v1/property/${of.id}/plan?format=xlsx&${query}`;
  const response = await fetch(address, { headers: client.credential });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}
const sheetOf = async (query = "", of = property) => await Spreadsheet.read((await formOf(query, of)).bytes);
/** Expects each formula to compute what the file has as its value; numbers to these decimals. */
function expectSavedValues(sheet: Spreadsheet, decimals: number): void {
  for (const at of sheet.formulas) {
    const saved = sheet.saved(at);
    const expected = typeof saved === "string" ? saved : expect.closeTo(Number(saved), decimals);
    expect([at, sheet.value(at)]).toEqual([at, expected]);
  }
}
const TERMS =
  "inflation_pct=3.5&interest_pct=2&opening_balance=12000&minimum_balance=5000&deposit_growth_pct=1.5&escrow_pct=130";

/** Expects every total of a plan in the computed workbook. */
function expectTotals(sheet: Spreadsheet, plan: Json): void {
  const of = (address: string) => Math.round(sheet.number(address) * 100) / 100;
  const summary = (row: number, column = "B") => of(`Summary!${column}${row}`);
  expect([summary(7), summary(7, "C")]).toEqual([plan.due_now.immediate.count, plan.due_now.immediate.cost]);
  expect([summary(8), summary(8, "C")]).toEqual([
    plan.due_now.short_term.count,
    plan.due_now.short_term.cost,
  ]);
  expect([summary(9, "C"), summary(10, "C")]).toEqual([plan.due_now.cost, plan.due_now.escrow]);
  const deposits = plan.level_deposit;
  for (const [row, amount] of [
    [18, deposits["50"].noise],
    [19, deposits["80"].noise],
    [20, deposits["95"].noise],
    [21, deposits["80"].with_cost_error],
    [22, deposits["95"].with_cost_error],
  ] as const) {
    // The API rounds deposits up.
    const up = (column: string) => Math.ceil(sheet.number(`Summary!${column}${row}`) * 100 - 1e-6) / 100;
    expect(up("B")).toBe(amount.per_year);
    const divided = [amount.per_unit_per_year ?? amount.per_1000_sqft_per_year, amount.per_unit_per_month];
    expect(up("C")).toBe(divided[0] ?? 0);
    if (divided[1] !== null) expect(up("D")).toBe(divided[1]);
  }
  const { totals } = plan;
  expect([summary(27), summary(27, "C")]).toEqual([totals.planned, totals.planned_inflated]);
  expect([summary(28), summary(28, "C")]).toEqual([totals.run_to_failure, totals.run_to_failure_inflated]);
  expect(summary(29)).toBe(totals.savings);
  for (const [at, year] of plan.schedule.entries()) {
    const cell = (column: string) => of(`Reserve by year!${column}${at + 2}`);
    const { interest, deposit, needs, balance, fully_funded, percent_funded } = plan.balances[at];
    expect(
      [cell("B") + (at === 0 ? plan.due_now.cost : 0), cell("C"), cell("E")].map((usd) => usd.toFixed(2)),
    ).toEqual([year.planned_cost, year.failure_cost, year.repair_cost].map((usd) => usd.toFixed(2)));
    expect([cell("F"), cell("H"), cell("P")]).toEqual([year.total, year.total_inflated, year.run_to_failure]);
    expect([cell("I"), cell("J"), cell("K"), cell("L")]).toEqual([needs, interest, deposit, balance]);
    expect(cell("N")).toBe(fully_funded);
    if (percent_funded !== null)
      expect(100 * sheet.number(`Reserve by year!O${at + 2}`)).toBeCloseTo(percent_funded, 2);
  }
}

describe("the reserve schedule of a portfolio as a workbook", () => {
  const portfolioPlan = async (query: string): Promise<Json> =>
    (await client.get(`/v1/portfolio/plan?${query}`)).body;
  const workbook = async (query: string) =>
    await (
      await fetch(`${server.url}/v1/portfolio/plan?format=xlsx&${query}`, { headers: client.credential })
    ).bytes();

  // Rule: reserve-form-portfolio
  test.each(["", TERMS, "years=30", "years=1"])(
    "has every total of the plan, computed from its formulas alone: %s",
    async (query) => {
      const second = await addProperty(client, { name: "Oak House", unit_count: 4 });
      await addAppliance(client, second.id, { type_id: "boiler", install_year: THIS_YEAR - 22 });
      const sheet = await Spreadsheet.read(await workbook(query));
      expectTotals(sheet, await portfolioPlan(query.includes("years") ? query : `years=12&${query}`));
      expectSavedValues(sheet, 0);
    },
  );

  // Rule: reserve-form-portfolio
  test("follows a change of a property's cost, and is the same from the command line", async () => {
    const bytes = await workbook("loan_term=5");
    const sheet = await Spreadsheet.read(bytes);
    const [needs, due] = [sheet.number("Summary!B13"), sheet.number("Summary!C9")];
    const planned = "Properties!I2"; // of the second year
    sheet.enter(planned, sheet.number(planned) + 1000);
    expect(sheet.number("Summary!B13")).toBeCloseTo(needs + 1000, 1);
    sheet.enter("Properties!E2", sheet.number("Properties!E2") + 500);
    expect(sheet.number("Summary!C9")).toBeCloseTo(due + 500, 1);
    const file = join(folder(), "portfolio.xlsx");
    const { partner_id } = (await server.json("partner", "list")).partners.at(-1);
    const args = ["plan", "--partner", partner_id, "--loan-term", "5", "--format", "xlsx", "--output", file];
    expect((await server.run(...args)).code).toBe(0);
    expect(Buffer.compare(await Bun.file(file).bytes(), bytes)).toBe(0);
  });
});

describe("the reserve schedule as a workbook", () => {
  // Rule: reserve-form
  test.each(["", TERMS, "years=30&minimum_item_cost=0", "years=1", "minimum_item_cost=1000000000"])(
    "has every total of the plan, computed from its formulas alone: %s",
    async (query) => {
      const { response, bytes } = await formOf(query);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-disposition")).toBe(
        `attachment; filename="reserve-schedule-${property.id}.xlsx"`,
      );
      const sheet = await Spreadsheet.read(bytes);
      expectTotals(sheet, await planOf(query.includes("years") ? query : `years=12&${query}`));
      // Programs that do not compute a workbook show the same values.
      expectSavedValues(sheet, 1);
    },
  );

  // Rule: reserve-form
  test("lists what is due now by its cost, however many years it covers", async () => {
    const listed = async (years: number) => {
      const sheet = await sheetOf(`years=${years}&minimum_item_cost=0`);
      return ["Immediate repairs", "Short-term repairs"].map((name) => {
        const rows = Array.from({ length: 30 }, (_, at) => [
          sheet.value(`${name}!B${at + 2}`),
          sheet.value(`${name}!G${at + 2}`),
        ]);
        return rows.slice(
          0,
          rows.findIndex(([item]) => item === null),
        );
      });
    };
    const usual = await listed(12);
    for (const lines of usual) {
      const costs = lines.map(([, cost]) => Number(cost));
      expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    }
    expect(usual.flat().length).toBeGreaterThan(3);
    for (const years of [1, 30]) expect(await listed(years)).toEqual(usual);
  });

  // Rule: reserve-form
  test("follows a change of a quantity, a cost, inflation, interest or the deposit", async () => {
    const sheet = await sheetOf(TERMS);
    const totals = () =>
      ["Summary!C9", "Summary!B13", "Summary!C13", "Summary!B18", "Summary!B21", "Reserve by year!L13"].map(
        (at) => sheet.number(at),
      );
    const before = totals();
    const [line] = sheet.rowsWith("Replacement reserves", 11, "Due now");
    const [quantity, cost] = ["D", "F"].map((column) => `Replacement reserves!${column}${line}`) as [
      string,
      string,
    ];
    const due = sheet.number(quantity) * sheet.number(cost);
    sheet.enter(quantity, 2 * sheet.number(quantity));
    const doubled = totals();
    expect(doubled[0]).toBeCloseTo(before[0]! + due, 1);
    for (const at of [1, 2, 3, 4]) expect(doubled[at]).toBeGreaterThan(before[at]!);
    sheet.enter(cost, 2 * sheet.number(cost));
    expect(totals()[0]).toBeCloseTo(before[0]! + 3 * due, 1);
    const [needs, inflated] = [sheet.number("Summary!B13"), sheet.number("Summary!C13")];
    sheet.enter("Assumptions!B8", 0);
    expect(sheet.number("Summary!B13")).toBe(needs);
    expect(sheet.number("Summary!C13")).toBeCloseTo(needs, 1);
    expect(inflated).toBeGreaterThan(needs);
    sheet.enter("Assumptions!B8", 0.035);
    sheet.enter("Summary!B23", sheet.number("Summary!B18") + 100);
    expect(sheet.number("Summary!B24")).toBeGreaterThan(5000);
    sheet.enter("Summary!B23", 0);
    expect(sheet.number("Summary!B24")).toBeLessThan(0);
  });

  // Rule: reserve-form
  test("follows another plan when its rates are entered into the workbook", async () => {
    const sheet = await sheetOf("");
    for (const [at, value] of [
      ["B8", 0.035],
      ["B9", 0.02],
      ["B10", 12_000],
      ["B11", 5000],
      ["B12", 0.015],
      ["B13", 1.3],
    ] as const)
      sheet.enter(`Assumptions!${at}`, value);
    const plan = await planOf(`years=12&${TERMS}`);
    expect(sheet.number("Summary!B18")).toBeCloseTo(plan.level_deposit["50"].noise.per_year, 2);
    expect(sheet.number("Summary!C10")).toBeCloseTo(plan.due_now.escrow, 2);
    expect(sheet.number("Reserve by year!L13")).toBeCloseTo(plan.balances[11].balance, 2);
  });

  // Rule: reserve-form
  test("lists every known and suspected hazard, also those that are not due", async () => {
    const house = await addProperty(client, { unit_count: 8, year_built: 1985 });
    const rowsOf = async () => {
      const { sheets } = await readXlsx((await formOf("", house)).bytes);
      const { rows } = sheets.find(({ name }) => name === "Known hazards")!;
      return rows.slice(1).map((row) => row.slice(0, 5).filter(Boolean).join("; "));
    };
    expect(await rowsOf()).toEqual(["No hazard is known or suspected"]);
    await addAppliance(client, house.id, { type_id: "plumbing_supply", install_year: 1985 });
    for (const brand of ["Zinsco", "Zinsco", "Challenger"])
      await addAppliance(client, house.id, { type_id: "electrical_panel", install_year: 1985, brand });
    expect(await rowsOf()).toEqual([
      "Zinsco or GTE-Sylvania panel; Electrical panel; 2; immediate hazard; Brand or model",
      "Challenger panel; Electrical panel; 1; immediate hazard; Brand or model",
      "Suspected only by its years: Polybutylene supply pipe; Domestic water supply; 1; inspect; Years alone",
    ]);
  });

  // Rule: reserve-form-threshold
  test("lists like items from the minimum on, or of more than four over $10,000; others in a list of their own", async () => {
    const listed = async (query: string) => {
      const { sheets } = await readXlsx((await formOf(query)).bytes);
      const items = (name: string) =>
        sheets
          .find((sheet) => sheet.name === name)!
          .rows.slice(1)
          .flatMap((row) => (typeof row[3] === "number" ? [String(row[1])] : []));
      return { reserves: items("Replacement reserves"), below: items("Below the minimum") };
    };
    const usual = await listed("");
    expect(usual.reserves).toContain("Gas storage water heater");
    expect(usual.below.includes("Garbage disposal")).toBe(true);
    expect(usual.reserves.includes("Garbage disposal")).toBe(false);
    expect((await listed("minimum_item_cost=0")).below).toEqual([]);
    const high = await listed("minimum_item_cost=1000000");
    // Six together cost over $10,000.
    expect(new Set(high.reserves)).toEqual(new Set(["Gas storage water heater"]));
  });

  // Rule: reserve-form-years
  test("covers the term of the loan and two more years, at most 12, or 20 for HUD, or `years`", async () => {
    const years = async (query: string) => (await sheetOf(query)).number("Assumptions!B7");
    expect(await years("")).toBe(12);
    expect(await years("loan_term=7")).toBe(9);
    expect(await years("loan_term=30")).toBe(12);
    expect(await years("hud=true")).toBe(20);
    expect(await years("hud=true&loan_term=5")).toBe(7);
    expect(await years("hud=true&years=3")).toBe(3);
  });

  test("says why a plan can cost more than running everything to failure", async () => {
    const reason =
      "In this period the plan costs more in today's dollars: some replacements protect people, and others pay off later.";
    const nothing = await sheetOf("", await addProperty(client));
    expect(nothing.number("Summary!B29")).toBe(0);
    expect([nothing.saved("Summary!A30"), nothing.value("Summary!A30")]).toEqual(["", ""]);
    const costly = await sheetOf("years=1");
    expect(costly.number("Summary!B29")).toBeLessThan(-0.5);
    expect([costly.saved("Summary!A30"), costly.value("Summary!A30")]).toEqual([reason, reason]);
    costly.enter("Summary!B28", costly.number("Summary!B27") - 0.4);
    expect(costly.value("Summary!A30")).toBe("");
  });

  // Rule: reserve-form
  test("has texts that are no formulas, and every formula computes in an empty property", async () => {
    const { sheets } = await readXlsx((await formOf()).bytes, { readStyles: true });
    expect(sheets[0]!.rows[1]![0]).toBe("=1+1 Elm Court");
    expect(sheets[0]!.cells?.get("1,0")?.formula).toBeUndefined();
    const empty = await addProperty(client, { name: "Bare Lot" });
    const sheet = await sheetOf("", empty);
    for (const at of sheet.formulas) expect(Number.isFinite(sheet.number(at))).toBe(true);
  });

  // Rule: reserve-form-limits
  test.each([
    ["loan_term=0", 'loan_term must be a whole number from 1 to 50, not "0"'],
    ["hud=yes", "hud must be one of true, false"],
    [
      "minimum_item_cost=-1",
      'minimum_item_cost must be a number from 0 to 1000000000000, in digits and with a point before decimals, not "-1"',
    ],
    ["format=pdf", "format must be one of json, csv, xlsx"],
  ])("is refused with %s", async (query, message) => {
    const path = `/v1/property/${property.id}/plan?format=xlsx&${query}`.replace(
      "format=xlsx&format",
      "format",
    );
    const { status, body } = await client.send("GET", path);
    expect([status, body.error]).toEqual([400, message]);
  });

  // Rule: reserve-form
  test("is a file of the embed, linked from its schedule with the terms of that page", async () => {
    const { token } = await server.json("embed", "create", property.id);
    const page = await (await fetch(`${server.url}/embed/property/${token}/schedule?years=9`)).text();
    const link = /href="(plan\.xlsx[^"]*)"/.exec(page)![1]!.replaceAll("&amp;", "&");
    const file = await fetch(`${server.url}/embed/property/${token}/${link}`);
    expect(file.headers.get("content-disposition")).toContain(`reserve-schedule-${property.id}.xlsx`);
    expect(Buffer.compare(await file.bytes(), (await formOf("years=9&inflation_pct=3")).bytes)).toBe(0);
  });

  // Rule: reserve-form
  test("is written by the command line with the same bytes, to a new file only", async () => {
    const file = join(folder(), "reserve.xlsx");
    const args = [
      "plan",
      "--property",
      property.id,
      "--loan-term",
      "10",
      "--format",
      "xlsx",
      "--output",
      file,
    ];
    expect((await server.run(...args)).code).toBe(0);
    expect(Buffer.compare(await Bun.file(file).bytes(), (await formOf("loan_term=10")).bytes)).toBe(0);
    expect((await server.run(...args)).code).not.toBe(0);
  });
});
