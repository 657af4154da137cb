import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import type { Browser, Page } from "playwright-core";
import { createAdministrator, createEmbedBy, createPartnerBy } from "../support/administrator.ts";
import { launchBrowser } from "../support/browser.ts";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { keepPdf, openWindow, pageFaults, pagesOf, visibleControls } from "../support/page-checks.ts";
import { addProperty } from "../support/portfolio.ts";

/* The replacement reserve schedule, checked as a lender would. */

const { serve } = useMainstay();
let server: Installation;
let browser: Browser;
let client: ApiClient;
const ids: Record<string, string> = {};
const addresses: Record<string, string> = {};

beforeAll(async () => {
  server = await serve();
  const administrator = await createAdministrator(server);
  client = server.as(await createPartnerBy(administrator, { name: "Acme" }));
  ids.demo = (await client.post("/onboarding/demo-property", undefined)).body.id;
  ids.empty = (await addProperty(client, { name: "Empty Court" })).id;
  ids.large = (await addProperty(client, { name: "Large Court", unit_count: 250 })).id;
  const appliances = Array.from({ length: 250 }, (_, n) => ({
    property_id: ids.large,
    type_id: "refrigerator",
    install_year: 1990 + (n % 36),
  }));
  await client.post("/v1/appliances/bulk", { appliances });
  for (const [name, id] of Object.entries(ids)) {
    const { token } = await createEmbedBy(administrator, id);
    addresses[name] = `${server.url}/embed/property/${token}`;
  }
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const open = async (name: string, query = "") => {
  const window = await openWindow(browser, server.url);
  await window.page.goto(`${addresses[name]}/schedule${query}`);
  return window;
};

let plain: Page | undefined;

/** Reads the rows of the table, by their kind, from a page without scripts. All reads load it in one window. */
async function rowsOf(name: string, query = "") {
  plain ??= (await openWindow(browser, server.url, { javaScriptEnabled: false })).page;
  const page = plain;
  await page.goto(`${addresses[name]}/schedule${query}`);
  const rows = await page.locator("table.reserve tr").evaluateAll((all) =>
    all.map((row) => ({
      kind: row.className,
      section: row.parentElement!.tagName,
      title: row.querySelector("th")!.textContent!,
      cells: [...row.querySelectorAll("td")].map((cell) => cell.textContent!),
    })),
  );
  const body = rows.filter(({ section }) => section === "TBODY");
  return {
    components: body.filter(({ kind }) => kind === "component"),
    systems: body.filter(({ kind }) => kind === "system"),
    body,
    total: (title: string) =>
      rows.find((row) => row.section === "TFOOT" && row.title.startsWith(title))!.cells,
  };
}

const figure = (cell: string) => Number(cell.replaceAll(",", ""));
const figures = (cells: readonly string[]) => cells.filter((cell) => cell !== "").map(figure);
const added = (rows: readonly number[][]) =>
  rows[0]!.map((_, at) => rows.reduce((sum, row) => sum + row[at]!, 0));
/** The columns before the years: age, effective age, expected life, remaining life, quantity, unit cost, cost. */
const FACTS = 7;

// Rule: reserve-comparison
test("the schedule compares its deposit with the usual one, and names the rows that it is mostly for", async () => {
  const { components } = await rowsOf("demo", "?years=12");
  const text = (await plain!.getByLabel("Summary").innerText()).replaceAll(/\s+/g, " ");
  const plan = (await client.get(`/v1/property/${ids.demo}/plan?years=12`)).body;
  const perUnit = Math.ceil(plan.level_deposit["50"].noise.per_unit_per_year).toLocaleString("en-US");
  expect(text).toContain(
    `US lenders usually ask $300 to $1,500 per unit per year, and this schedule $${perUnit}.`,
  );
  const [, share, names] = /4 items make up (\d+)% of the costs after what is due now: (.+)\.$/.exec(text)!;
  const named = [...names!.matchAll(/(?:^|, )(.+?) \$(\d+(?:,\d{3})*)/g)].map(([, name, cost]) => ({
    name: name!,
    cost: Number(cost!.replaceAll(",", "")),
  }));
  expect(named).toHaveLength(4);
  for (const { name, cost } of named) {
    expect(components.some(({ title }) => title.startsWith(name))).toBe(true);
    expect(cost).toBeGreaterThan(0);
  }
  expect(Number(share)).toBeGreaterThan(10);
  expect(Number(share)).toBeLessThanOrEqual(100);
});

describe.each([
  ["demo", "", 10, 3],
  ["demo", "?years=12&inflation_pct=4.5", 12, 4.5],
  ["large", "?years=7&inflation_pct=0", 7, 0],
])("the schedule of %s%s", (name, query, years, inflation) => {
  // Rule: reserve-schedule
  test("adds up in every row and column, as printed", async () => {
    const { components, systems, total } = await rowsOf(name, query);
    const plan: Json = (await client.get(`/v1/property/${ids[name]}/plan${query}`)).body;
    expect(components.length).toBeGreaterThan(name === "demo" ? 5 : 0);
    const costs = components.map(({ cells }) => figures(cells.slice(FACTS)));
    for (const row of costs) {
      expect(row).toHaveLength(years + 1);
      expect(row.slice(0, -1).reduce((sum, cost) => sum + cost, 0)).toBe(row.at(-1)!);
    }
    const [quantity, cost, ...columns] = figures(total("Total (today"));
    expect(added(costs)).toEqual(columns);
    expect(columns.at(-1)).toBe(Math.round(plan.totals.planned));
    for (const [at, year] of plan.schedule.entries())
      expect(Math.abs(columns[at]! - year.total)).toBeLessThanOrEqual(1);
    expect(added(systems.map(({ cells }) => figures(cells)))).toEqual([quantity!, cost!, ...columns]);

    for (const { cells } of components) expect(figure(cells[4]!) * figure(cells[5]!)).toBe(figure(cells[6]!));
    const whole = new Set(plan.units.map((one: Json) => one.appliance_id));
    const alone = plan.components.filter((one: Json) => !whole.has(one.appliance_id));
    expect(components.reduce((sum, { cells }) => sum + figure(cells[4]!), 0)).toBe(quantity!);
    expect(quantity).toBe(plan.units.length + alone.length);

    const factors = figures(total("Inflation factor"));
    const inflated = figures(total("Total (with inflation"));
    const perUnit = figures(total("Per unit"));
    for (let at = 0; at < years; at++) {
      expect(factors[at]).toBe(Number(((1 + inflation / 100) ** at).toFixed(4)));
      expect(Math.abs(inflated[at]! - columns[at]! * factors[at]!)).toBeLessThanOrEqual(
        0.5 + columns[at]! * 5e-5,
      );
      expect(perUnit[at]).toBe(Math.round(inflated[at]! / plan.unit_count));
    }
    for (const row of [
      inflated,
      perUnit,
      figures(total("Of which repairs")),
      figures(total("For comparison")),
    ])
      expect(row.slice(0, -1).reduce((sum, year) => sum + year, 0)).toBe(row.at(-1)!);
    expect(Math.abs(inflated.at(-1)! - plan.totals.planned_inflated)).toBeLessThanOrEqual(years * 2);
    expect(figures(total("For comparison")).at(-1)).toBe(Math.round(plan.totals.run_to_failure));
  });

  test("has the remaining life of a single component: expected life minus effective age", async () => {
    const { components } = await rowsOf(name, query);
    const alone = components.filter(({ cells }) => cells.slice(0, 4).every((cell) => !cell.includes("–")));
    if (name === "demo") expect(alone.length).toBeGreaterThan(10);
    for (const { cells } of alone) {
      const [, effective, expected, remaining] = cells.map((cell) => Math.round(figure(cell) * 10));
      expect(remaining).toBe(Math.max(expected! - effective!, 0));
    }
  });
});

test("the CSV file has one row per unit and component and one column per year, with the same costs", async () => {
  const rows: Json[] = parse(await (await fetch(`${addresses.demo}/plan.csv?years=12`)).text(), {
    columns: true,
  });
  const plan: Json = (await client.get(`/v1/property/${ids.demo}/plan?years=12`)).body;
  expect(rows.map((row) => row.id)).toEqual([
    ...plan.units.map((one: Json) => one.appliance_id),
    ...plan.components.map((one: Json) => one.component_id),
  ]);
  for (const { year, total } of plan.schedule) {
    const sum = rows.reduce((all, row) => all + Number(row[`year_${year}`]), 0);
    expect(Math.abs(sum - total)).toBeLessThan(0.005 * rows.length + 0.01);
  }
  for (const one of rows) {
    const left = Math.max(Number(one.expected_life_years) - Number(one.effective_age_years), 0);
    expect(Number(one.remaining_life_years)).toBeCloseTo(left, 6);
  }
});

test("identical units and components share a row with their quantity", async () => {
  const { components } = await rowsOf("large");
  expect(components.length).toBeLessThan(20);
  expect(components.map(({ cells }) => cells[0]).join()).toContain("–");
});

test("more years than fit a sheet are split into several tables", async () => {
  const { page, close } = await open("demo", "?years=30");
  expect(await page.locator("table.reserve").count()).toBe(3);
  expect(await page.locator("table.reserve").last().locator("thead th").allInnerTexts()).toContain("Year 30");
  await close();
});

test("invalid terms fall back to the defaults, which the page states", async () => {
  const { page, close } = await open("demo", "?years=0&inflation_pct=lots");
  expect(await page.locator("header").innerText()).toContain("10 years from");
  expect(await page.locator("header").innerText()).toContain("3% inflation");
  await close();
});

describe.each(["demo", "large", "empty"])("the page of %s", (name) => {
  test("fits and is accessible on a desktop, a tablet and a phone, in light and dark, and prints in landscape orientation, without controls", async () => {
    const { page, pageErrors, close } = await open(name);
    expect(await page.locator("h1").count()).toBe(1);
    expect(await pageFaults(page, `schedule-${name}`, [820])).toEqual([]);
    const pdf = await page.pdf({ preferCSSPageSize: true, format: "Letter" });
    keepPdf(pdf, `schedule-${name}`);
    expect(pagesOf(pdf)).toBeLessThanOrEqual(name === "demo" ? 4 : 1);
    const [, width, height] = /\/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)/.exec(
      Buffer.from(pdf).toString("latin1"),
    )!;
    expect(Number(width)).toBeGreaterThan(Number(height));
    await page.emulateMedia({ media: "print" });
    expect(await visibleControls(page, "button, select, input")).toEqual([]);
    expect(pageErrors).toEqual([]);
    await close();
  });
});

test("a revoked page has no schedule", async () => {
  const { embed_id, token } = await server.json("embed", "create", ids.demo!);
  await server.json("embed", "revoke", embed_id);
  expect((await fetch(`${server.url}/embed/property/${token}/schedule`)).status).toBe(404);
});

// Rule: reserve-schedule
test("each line names the size that its cost is for, and where the cost comes from", async () => {
  const { appliances } = (await client.get(`/v1/appliances?property_id=${ids.demo}`)).body;
  const heater = appliances.find((one: Json) => one.type_id.startsWith("water_heater"));
  await client.put(`/v1/appliances/${heater.id}`, { size: 75 });
  const titles = (await rowsOf("demo")).components.map(({ title }) => title);
  expect(titles.some((title) => title.includes("75 gallons, reference cost for this size"))).toBe(true);
  for (const title of titles) expect(title).toContain(" cost");
});
