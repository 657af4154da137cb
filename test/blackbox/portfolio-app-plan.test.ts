import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { readXlsx, writeXlsx } from "hucre/xlsx";
import type { Browser, Page } from "playwright-core";
import {
  type Administrator,
  createAdministrator,
  createEmbedBy,
  createPartnerBy,
} from "../support/administrator.ts";
import { goTo, hashOf, openApp, openConsole, settled } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import {
  accessibilityViolations,
  dialogProblems,
  keepPdf,
  overflow,
  overflowFaults,
  pagesOf,
  screenshot,
  textProblems,
  visibleControls,
} from "../support/page-checks.ts";
import {
  addAppliance,
  addConditionTrend,
  addProperty,
  dateDaysFromToday,
  THIS_YEAR,
} from "../support/portfolio.ts";

/* The plans of a portfolio and its properties in the app, on screen and in print. */

const { serve } = useMainstay();
let server: Installation;
let browser: Browser;
let administrator: Administrator;
let partner: Partner;
let client: ApiClient;
let demoId: string;
let oakId: string;

beforeAll(async () => {
  server = await serve();
  administrator = await createAdministrator(server);
  partner = await createPartnerBy(administrator, { name: "Acme & Sons" });
  client = server.as(partner);
  demoId = (await client.post("/onboarding/demo-property", undefined)).body.id;
  oakId = (await addProperty(client, { name: 'Oak "House", North', unit_count: 40 })).id;
  await addProperty(client, { name: "Bare Lot", unit_count: 0 });
  for (const [type_id, years] of [
    ["roof", 19],
    ["boiler", 22],
    ["water_heater_gas", 14],
  ] as const)
    await addAppliance(client, oakId, { type_id, install_year: THIS_YEAR - years });
  for (const id of [null, oakId]) await addConditionTrend(server, partner.partner_id, id, 20);
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** Elements that no print shows. */
const CONTROLS = "button, select, input, nav, .foot";
const dollars = (value: number) => `$${Math.round(value).toLocaleString("en-US")}`;
/** The figure of a cell; a dash stands for none. */
const figure = (cell: string) => (cell === "–" ? 0 : Number(cell.replaceAll(",", "")));
const planOf = async (query: Record<string, unknown> = {}): Promise<Json> =>
  (await client.get("/v1/portfolio/plan", { limit: 200, ...query })).body;

/** Records the API requests of the page from now on. */
function callsOf(page: Page): string[] {
  const calls: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/v1/")) calls.push(request.url());
  });
  return calls;
}

async function saved(page: Page, act: () => Promise<void>): Promise<{ name: string; text: string }> {
  const download = page.waitForEvent("download");
  await act();
  const file = await download;
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
}

// Rule: portfolio-app-plan
describe("the portfolio's plan", () => {
  test("leads with one sentence and three figures, those of the API", async () => {
    const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key);
    await settled(page);
    const plan = await planOf();
    const { cost, immediate, short_term, cost_of_waiting_a_year: waiting } = plan.due_now;
    const yearly = Math.ceil(plan.level_deposit["50"].noise.per_year).toLocaleString("en-US");
    const lead = page.locator(".lead");
    expect(await lead.locator(".headline").innerText()).toContain(
      `should be replaced (${dollars(cost)}): ${dollars(immediate.cost)} immediately and ${dollars(short_term.cost)} by `,
    );
    expect(await lead.locator(".headline").innerText()).toEndWith(
      `. Delaying a year is expected to cost ${dollars(waiting)} more.`,
    );
    expect(await lead.locator("dt + dd").allInnerTexts()).toEqual([
      dollars(cost),
      dollars(waiting),
      `$${yearly}`,
    ]);
    const properties = (await client.get("/v1/portfolio/plan", { limit: 200 })).body.portfolio;
    const sumOf = (read: (one: Json) => number) =>
      Math.round(100 * properties.reduce((sum: number, one: Json) => sum + read(one), 0));
    expect(sumOf((one) => one.due_now.cost)).toBe(Math.round(100 * cost));
    expect(sumOf((one) => one.cost_of_waiting_a_year)).toBe(Math.round(100 * waiting));
    const panel = { type_id: "electrical_panel", install_year: THIS_YEAR - 5, brand: "Zinsco" };
    const { id } = await addAppliance(client, oakId, panel);
    await page.reload();
    await settled(page);
    expect(await lead.locator(".headline").innerText()).toEndWith(
      " more. 1 known hazard requires action at once.",
    );
    await client.put(`/v1/appliances/${id}`, { retired_at: dateDaysFromToday(0) });
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: chart-values
  test("has a condition over time, of the time range that the reader chooses", async () => {
    const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key);
    await settled(page);
    const section = page.locator("#over-time");
    await section.locator("summary").click();
    expect(await section.locator("tbody tr").count()).toBe(20);
    await section.getByRole("button", { name: "30 days" }).click();
    expect(await section.locator("tbody tr").count()).toBe(5);
    expect(await section.getByRole("button", { pressed: true }).innerText()).toBe("30 days");
    const { text } = await saved(page, () => section.getByRole("button", { name: "Download CSV" }).click());
    expect(parse(text, { columns: true })).toHaveLength(20);
    const chart = section.locator(".chart").first();
    await chart.getByRole("slider").focus();
    await page.keyboard.press("End");
    expect(await chart.locator("output").innerText()).toEndWith(": 90, grade A; $10,000 due");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Actions" }).waitFor();
    await goTo(page, `#/properties/${oakId}`);
    await page.locator("#over-time .chart").first().waitFor();
    expect(pageErrors).toEqual([]);
    await close();
  });

  test("has a budget slider that matches the API, with one call per amount", async () => {
    const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key);
    await settled(page);
    const all = (await planOf({ budget: 1e12 })).budget;
    const slider = page.getByRole("slider", { name: "Budget" });
    const outcome = page.locator("#plan .budget-result");
    const most = Number(await slider.getAttribute("max"));
    expect(most).toBeGreaterThanOrEqual(all.spent);
    expect(await outcome.innerText()).toBe(
      `${dollars(most)} covers ${all.chosen_count} replacements (${dollars(all.spent)}) and avoids all ` +
        `${dollars(all.avoided)} in 12-month delay costs.`,
    );

    const calls = callsOf(page);
    const mostStepsDown = () =>
      slider.evaluate((input: HTMLInputElement) => {
        const steps = Number(input.max) / Number(input.step);
        for (let n = 0; n < 0.6 * steps; n++) {
          input.stepDown();
          input.dispatchEvent(new Event("input", { bubbles: true }));
        }
      });
    await mostStepsDown();
    await page.waitForFunction(() => /budget=\d+$/.test(location.hash));
    await settled(page);
    const amount = Number(await slider.inputValue());
    expect(amount).toBeLessThan(all.spent);
    // Many steps at once are one request.
    expect(calls).toHaveLength(1);
    const { budget, portfolio } = await planOf({ budget: amount });
    expect(await outcome.innerText()).toBe(
      `${dollars(amount)} covers ${budget.chosen_count} replacements (${dollars(budget.spent)}) and avoids ` +
        `${dollars(budget.avoided)} in 12-month delay costs. ` +
        `${dollars(all.avoided - budget.avoided)} is not avoided.`,
    );
    const bought = portfolio
      .filter((one: Json) => one.budget.chosen_count > 0)
      .sort((a: Json, b: Json) => b.budget.avoided - a.budget.avoided)
      .map((one: Json) => `${one.name} ${dollars(one.budget.spent)} saves ${dollars(one.budget.avoided)}`);
    const lines = await page
      .locator("#plan .budget-lines > div:first-child li")
      .evaluateAll((items) =>
        items.map(
          (item) => `${item.querySelector("a")!.textContent} ${item.querySelector(".number")!.textContent}`,
        ),
      );
    expect(lines).toEqual(bought);
    await screenshot(page, "app-budget");
    expect(await accessibilityViolations(page)).toEqual([]);

    await slider.press("End");
    await page.getByText("avoids all").waitFor();
    await mostStepsDown();
    await page.getByText(`${dollars(amount)} covers`).waitFor();
    // The unlimited budget and earlier amounts are cached.
    expect(calls).toHaveLength(1);

    const shared = await openApp(browser, server.url, partner.api_key, `#/?budget=${amount}`);
    await shared.page.getByText(`${dollars(amount)} covers`).waitFor();
    await shared.close();
    expect(pageErrors).toEqual([]);
    await close();
  });

  test("has a printable schedule whose rows and columns add up to the API's plan", async () => {
    const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key);
    await settled(page);
    const calls = callsOf(page);
    await page.getByRole("link", { name: "Replacement reserve schedule" }).click();
    await page.getByRole("heading", { level: 1, name: "Replacement reserve schedule" }).waitFor();
    // The plan is cached: only the costs of each property by year are requested.
    expect(calls).toHaveLength(1);
    await page.getByLabel("Years").selectOption("12");
    await page.getByText("12 years from").waitFor();
    const plan = await planOf({ years: 12 });
    const rows = await page
      .locator("table.reserve tr.property-row")
      .evaluateAll((all) =>
        all.map((row) => [
          row.querySelector("th")!.textContent!,
          ...[...row.querySelectorAll("td")].map((cell) => cell.textContent!),
        ]),
      );
    expect(rows.map(([name]) => name).sort()).toEqual(plan.portfolio.map((one: Json) => one.name).sort());
    const total = (await page.locator("table.reserve tr.total").first().locator("td").allInnerTexts()).map(
      figure,
    );
    const numbers = rows.map(([, ...cells]) => cells.map(figure));
    expect(total).toEqual(total.map((_, at) => numbers.reduce((sum, row) => sum + row[at]!, 0)));
    for (const row of numbers) {
      const years = row.slice(3, -1);
      expect(years).toHaveLength(12);
      expect(years.reduce((sum, year) => sum + year, 0)).toBe(row.at(-1)!);
    }
    const [units, due, cost, ...years] = total;
    expect(units).toBe(numbers.reduce((sum, row) => sum + row[0]!, 0));
    expect([due, cost]).toEqual([
      plan.due_now.unit_count + plan.due_now.component_count,
      Math.round(plan.due_now.cost),
    ]);
    expect(years.at(-1)).toBe(Math.round(plan.totals.planned));

    const { name, text } = await saved(page, () =>
      page.getByRole("button", { name: "Download CSV" }).click(),
    );
    expect(name).toBe("portfolio-plan.csv");
    const file: Json[] = parse(text, { columns: true });
    const byDelay = plan.portfolio.toSorted(
      (a: Json, b: Json) => b.cost_of_waiting_a_year - a.cost_of_waiting_a_year,
    );
    expect(file.map((row) => row.property_id)).toEqual(byDelay.map((one: Json) => one.property_id));
    expect(file.some((row) => row.name === 'Oak "House", North')).toBe(true);
    await expectLandscape(page, "app-schedule", 1);

    await page.getByRole("link", { name: 'Oak "House", North' }).click();
    await page.locator("table.reserve tr.component").first().waitFor();
    expect(await page.locator("header.heading").innerText()).toContain('Oak "House", North');
    expect(pageErrors).toEqual([]);
    await close();
  });
});

// Rule: portfolio-app-plan
describe("a property's plan", () => {
  test("has a budget slider without requests, CSV files, and a printable schedule", async () => {
    const place = `#/properties/${demoId}`;
    const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key, place);
    await settled(page);
    const calls = callsOf(page);
    const slider = page.getByRole("slider", { name: "Budget" });
    await slider.focus();
    await page.keyboard.press("Home");
    for (let n = 0; n < 7; n++) await page.keyboard.press("ArrowRight");
    const amount = Number(await slider.inputValue());
    const { budget } = (await client.get(`/v1/property/${demoId}/plan`, { budget: amount })).body;
    expect(await page.locator("#plan .budget-result").innerText()).toStartWith(
      `${dollars(amount)} covers ${budget.chosen.length} replacements (${dollars(budget.spent)}) and avoids `,
    );
    expect(await hashOf(page)).toBe(`${place}?budget=${amount}`);

    await page.locator("#systems summary").last().click();
    const { name, text } = await saved(page, () =>
      page.locator("#systems").getByRole("button", { name: "Download CSV" }).last().click(),
    );
    expect(name).toBe(`${demoId}-components.csv`);
    const { total } = (await client.get("/v1/components", { property_id: demoId })).body;
    expect(parse(text, { columns: true })).toHaveLength(total);
    expect(calls).toEqual([]);

    await page.getByRole("link", { name: "Replacement reserve schedule" }).click();
    await page.getByText("10 years from").waitFor();
    expect(calls).toHaveLength(1);
    const shown = await page.locator("table.reserve").innerText();
    const { token } = await createEmbedBy(administrator, demoId);
    const printed = await page.context().newPage();
    await printed.goto(`${server.url}/embed/property/${token}/schedule`);
    // The embedded page has the same table.
    expect(shown).toBe(await printed.locator("table.reserve").innerText());
    await printed.close();
    await expectLandscape(page, "app-property-schedule", 4);
    const [workbook] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download XLSX" }).click(),
    ]);
    expect(workbook.suggestedFilename()).toBe(`reserve-schedule-${demoId}.xlsx`);
    const { sheets } = await readXlsx(await Bun.file((await workbook.path())!).bytes());
    expect(sheets[0]!.rows[3]![0]).toStartWith("10 years from");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Maple Court (demo)" }).waitFor();
    expect(Number(await slider.inputValue())).toBe(amount);
    const pdf = await page.pdf({ preferCSSPageSize: true, format: "Letter" });
    keepPdf(pdf, "app-property");
    expect(pagesOf(pdf)).toBeLessThanOrEqual(4);
    expect(pageErrors).toEqual([]);
    await close();
  });
});

// Rule: underwriting
test("the underwriting page fits on a screen, is accessible on all widths, and prints on one sheet without controls", async () => {
  const place = `#/properties/${demoId}/underwriting?deductible=2500&limit=50000`;
  const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key, place);
  await page.getByRole("heading", { level: 1, name: "Maple Court (demo)" }).waitFor();
  await settled(page);
  const { losses } = (
    await client.get(`/v1/property/${demoId}/underwriting`, { deductible: "2500", limit: "50000" })
  ).body;
  const hundred = losses.total.exceedance.find((point: Json) => point.return_period_years === 100);
  const row = page.getByRole("row", { name: /Once in 100 years/ });
  expect(await row.getByRole("cell").first().textContent()).toBe(dollars(hundred.amount));
  for (const width of [1440, 768, 375]) {
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    await screenshot(page, `app-underwriting-${width}`);
    if (width !== 768) expect(await accessibilityViolations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    if (width === 1440) expect(height).toBe(900);
  }
  const term = page.getByRole("button", { name: "Definition: Share of variance" });
  await term.focus();
  await page.keyboard.press("Enter");
  await page.getByText("The shares add up to 100%.").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("What the figures include and exclude").click();
  await page.getByText("cover the 365 days from").first().waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
  const pdf = await page.pdf({ preferCSSPageSize: true, format: "Letter" });
  keepPdf(pdf, "app-underwriting");
  expect(pagesOf(pdf)).toBe(1);
  await page.emulateMedia({ media: "print" });
  expect(await visibleControls(page, CONTROLS)).toEqual([]);
  expect(pageErrors).toEqual([]);
  await close();
});

// Rule: underwriting
test("the deductible and the limit keep the focus and what is typed while the figures are loaded, or fail", async () => {
  const windows = [
    await openApp(browser, server.url, partner.api_key, `#/properties/${demoId}/underwriting`),
    await openConsole(browser, server, administrator.key, `#/book/${demoId}`),
  ];
  for (const { page, pageErrors, close } of windows) {
    const [deductible, limit] = ["Deductible", "Limit"].map((name) => page.getByLabel(name));
    await deductible!.waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/underwriting\?deductible=2500/, async (call) => {
      await held.promise;
      const body = await (await call.fetch()).json();
      Object.assign(body.standing, { as_of: "2026-01-31", expected_per_unit: 0.996, damage_per_unit: 0.004 });
      await call.fulfill({ json: body });
    });
    await deductible!.fill("2500");
    await page.keyboard.press("Tab");
    await page.keyboard.type("5");
    await page.locator(".underwriting[aria-busy=true]").waitFor();
    await page.keyboard.type("0");
    held.resolve();
    await page.locator(".underwriting[aria-busy=false]", { hasText: "99th percentile" }).waitFor();
    await page.getByText("by damage 1st percentile").waitFor();
    await page.keyboard.type("000");
    await page.route("**/underwriting?*", (call) => call.abort());
    await page.keyboard.press("Enter");
    await page.getByText("Showing the last loaded data.").waitFor();
    pageErrors.splice(0);
    await screenshot(page, "app-underwriting-stale");
    expect(await limit!.inputValue()).toBe("50000");
    expect(await limit!.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.unrouteAll();
    await page.goBack();
    await page.getByText("Showing the last loaded data.").waitFor({ state: "detached" });
    expect(pageErrors).toEqual([]);
    await close();
  }
});

/** Expects a print in landscape orientation, without controls. */
async function expectLandscape(page: Page, name: string, most: number): Promise<void> {
  const pdf = await page.pdf({ preferCSSPageSize: true, format: "Letter" });
  keepPdf(pdf, name);
  expect(pagesOf(pdf)).toBeWithin(1, most + 1);
  const [, width, height] = /\/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)/.exec(
    Buffer.from(pdf).toString("latin1"),
  )!;
  expect(Number(width)).toBeGreaterThan(Number(height));
  await page.emulateMedia({ media: "print" });
  expect(await visibleControls(page, CONTROLS)).toEqual([]);
  await page.emulateMedia({ media: null });
}

// Rule: portfolio-app-work
test("work is marked on a property's page as ordered, deferred and done, with who and why", async () => {
  const { page, pageErrors, close } = await openApp(
    browser,
    server.url,
    partner.api_key,
    `#/properties/${oakId}`,
  );
  await settled(page);
  const rows = page.locator("table.actions tbody tr");
  const first = rows.first();
  const name = (await first.getByRole("button").getAttribute("aria-label"))!.replace("Mark ", "");
  const dialog = page.getByRole("dialog");
  const opened = async () => {
    await page
      .getByRole("button", { name: `Mark ${name}` })
      .first()
      .click();
    await dialog.waitFor();
  };
  await opened();
  for (const width of [375, 1440]) {
    await page.setViewportSize({ width, height: 700 });
    for (const state of ["done", "deferred"]) {
      await dialog.getByLabel("State").first().selectOption(state);
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await overflowFaults(page, `marking as ${state}`)).toEqual([]);
      await screenshot(page, `app-mark-work-${state}-${width}`, false);
    }
  }
  await dialog.getByRole("textbox", { name: "Until" }).fill("2099-03-01");
  await dialog.getByLabel("Your name").fill("J. Ito");
  await dialog.getByLabel("Reason").fill("The supplier delivers in March");
  await dialog.getByRole("button", { name: "Mark" }).click();
  await page.getByText("Deferred until Mar 1, 2099 by J. Ito: The supplier delivers in March").waitFor();
  // It is not due until then, but the figures count it.
  expect(await rows.first().locator("th").innerText()).not.toContain(name);
  expect(await page.locator("#actions").innerText()).toContain(
    "1 deferred: the figures count this work until it is done.",
  );
  for (const width of [375, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    expect(await overflow(page)).toBe(0);
    await screenshot(page, `app-marked-work-${width}`);
  }
  await opened();
  expect(await dialog.getByLabel("Your name").inputValue()).toBe("J. Ito");
  await dialog.getByLabel("State").first().selectOption("ordered");
  await dialog.getByRole("button", { name: "Mark" }).click();
  await page.getByText("Ordered by J. Ito").waitFor();
  await opened();
  await dialog.getByLabel("State").first().selectOption("done");
  await dialog.getByRole("button", { name: "Mark" }).click();
  await page.getByText("Ordered by J. Ito").waitFor({ state: "detached" });
  const { components } = (await client.get("/v1/components", { property_id: oakId, limit: 200 })).body;
  expect(components.some((one: Json) => one.last_replaced === dateDaysFromToday(0))).toBe(true);
  expect(pageErrors).toEqual([]);
  await close();
});

// Rule: portfolio-app-actions
test("the actions of all properties are filtered, sorted, selected, marked and saved", async () => {
  const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key, "#/actions");
  await settled(page);
  const of = async (query: Record<string, unknown> = {}): Promise<Json> =>
    (await client.get("/v1/portfolio/actions", { limit: 200, ...query })).body;
  const { actions, total, totals } = await of();
  expect(total).toBeGreaterThan(3);
  const totalsText = page.locator(".result-totals");
  const waiting = totals.cost_of_waiting_a_year;
  expect(await totalsText.innerText()).toContain(
    `${total} actions: planned cost ${dollars(totals.proactive_cost)} if all are replaced; waiting a year is ` +
      `expected to ${Math.round(waiting) < 0 ? `save ${dollars(-waiting)};` : `cost ${dollars(waiting)} more;`}`,
  );
  const names = () =>
    page.locator("table.rows tbody .name > a[href*='nents'], table.rows tbody .name > a[href*='ances']");
  expect(await names().allInnerTexts()).toEqual(actions.map((one: Json) => one.name));
  await page.getByRole("button", { name: "12-month expected cost" }).click();
  await settled(page);
  expect(await hashOf(page)).toContain("sort=expected");
  expect(await names().allInnerTexts()).toEqual(
    (await of({ sort: "expected" })).actions.map((one: Json) => one.name),
  );
  await page.getByLabel("System").selectOption("structural");
  await settled(page);
  const structural = await of({ sort: "expected", system: "structural" });
  expect(structural.total).toBeGreaterThan(0);
  expect(await names().allInnerTexts()).toEqual(structural.actions.map((one: Json) => one.name));
  await page.getByLabel("System").selectOption("");
  await settled(page);

  await page.getByRole("checkbox", { name: "Select all loaded actions" }).check();
  const file = await saved(page, () => page.getByRole("button", { name: "CSV of the selection" }).click());
  expect(parse(file.text, { columns: true })).toHaveLength(total);
  await page.getByRole("checkbox", { name: "Select all loaded actions" }).uncheck();
  for (const at of [1, 2]) await page.getByRole("checkbox").nth(at).check();
  expect(await page.getByRole("region", { name: "Selection" }).innerText()).toContain("2 actions selected");
  await page.getByRole("button", { name: "Mark actions" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox").nth(1).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByRole("checkbox").first().uncheck();
  await dialog.getByLabel("Your name").fill("A. Cho");
  await dialog.getByRole("button", { name: "Mark" }).click();
  await page.locator("td").getByText("Ordered by A. Cho").waitFor();
  expect((await of({ work: "ordered" })).actions).toHaveLength(1);
  for (const width of [375, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    expect(await overflow(page)).toBe(0);
    await screenshot(page, `app-actions-${width}`);
  }
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByLabel("Work").selectOption("ordered");
  await settled(page);
  expect(await names().count()).toBe(1);
  await page.getByRole("button", { name: "Save filters" }).click();
  await dialog.getByLabel("Name").fill("On order");
  await dialog.getByRole("button", { name: "Save filters" }).click();
  await page.getByRole("button", { name: "Remove saved filter" }).waitFor();
  await page.getByLabel("Saved filters").selectOption("");
  await page.getByRole("button", { name: "Remove saved filter" }).waitFor({ state: "detached" });
  expect(await page.getByLabel("Work").inputValue()).toBe("");
  await page.getByLabel("Saved filters").selectOption("On order");
  await page.getByRole("button", { name: "Remove saved filter" }).waitFor();
  expect(await page.getByLabel("Work").inputValue()).toBe("ordered");
  await page.getByRole("button", { name: "Remove saved filter" }).click();
  await page.getByRole("button", { name: "Save filters" }).waitFor();
  expect((await client.get("/v1/saved-filters")).body.filters).toEqual([]);
  await page.getByLabel("Due").selectOption("0");
  await page.getByLabel("Action", { exact: true }).selectOption("immediate_hazard");
  await page.getByText("No matching actions").waitFor();
  expect(pageErrors).toEqual([]);
  await close();
});

// Rule: portfolio-app-search
test("a search over everything opens with a key, and is operated by keys alone", async () => {
  const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key, "#/alerts");
  await settled(page);
  await page.locator("main").focus();
  await page.keyboard.press("/");
  const field = page.getByRole("combobox", { name: /^Search properties/ });
  await field.fill("oak");
  const options = page.getByRole("option");
  await options.first().waitFor();
  expect(await options.first().innerText()).toContain('Oak "House", North');
  for (const width of [375, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, `app-search-${width}`, false);
  }
  await field.press("ArrowDown");
  await field.press("ArrowUp");
  await field.press("Enter");
  await page.getByRole("heading", { level: 1, name: 'Oak "House", North' }).waitFor();
  await page.keyboard.press("Control+k");
  await field.fill("zzz");
  await page.getByText("Nothing begins with this").waitFor();
  await page.keyboard.press("Escape");
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(pageErrors).toEqual([]);
  await close();
});

// Rule: dialogs, text-layout
test("no dialog leaves the screen, and no text is cut off or crosses another, at any width", async () => {
  const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key);
  const { appliances } = (await client.get("/v1/appliances", { property_id: oakId })).body;
  const places = {
    "#/": false,
    "#/properties": false,
    "#/actions": false,
    "#/alerts": false,
    [`#/properties/${oakId}`]: true,
    [`#/properties/${oakId}/equipment`]: true,
    [`#/properties/${oakId}/claims`]: true,
    [`#/properties/${demoId}`]: true,
    [`#/appliances/${appliances[0].id}`]: true,
  };
  for (const [place, hasDialogs] of Object.entries(places)) {
    await goTo(page, place);
    for (const width of [375, 768, 1024, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      expect({ place, width, problems: await textProblems(page) }).toEqual({ place, width, problems: [] });
      if (!hasDialogs || (width !== 375 && width !== 1440)) continue;
      expect({ place, width, problems: await dialogProblems(page) }).toEqual({ place, width, problems: [] });
    }
  }
  expect(pageErrors).toEqual([]);
  await close();
});

// Rule: portfolio-app-import, import-rows
test("a CSV file is mapped, checked and imported, and its rejected rows are a file that can be imported", async () => {
  const fresh = await createPartnerBy(administrator, { name: "Importer" });
  const { page, pageErrors, close } = await openApp(browser, server.url, fresh.api_key, "#/import");
  const lines = Array.from(
    { length: 230 },
    (_, nth) => `Court ${nth},"${nth} Elm, St",${nth === 7 || nth === 228 ? "Nowhere" : "NY"},note ${nth}`,
  );
  const file = (text: string, name: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
  const choose = async (text: string, name: string) => {
    await page.getByLabel("CSV or XLSX file").setInputFiles(file(text, name));
    await page.getByRole("button", { name: "Check all rows" }).waitFor();
  };
  await choose(`\ufeffBuilding Name,Street Address,State,Remark\r\n${lines.join("\r\n")}`, "courts.csv");
  expect(await page.getByLabel("Field of Street Address").inputValue()).toBe("address");
  await page.getByLabel("Field of Remark").selectOption("records_since");
  expect(await page.getByLabel("Format of the dates of Remark").inputValue()).toBe("YYYY-MM-DD");
  await page.getByLabel("Field of Remark").selectOption("notes");
  expect(await page.getByLabel("Format of the dates of Remark").count()).toBe(0);
  const start = page.getByRole("button", { name: "Import 230 rows" });
  expect(await start.isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Check all rows" }).click();
  await page.getByText("Checked 230 of 230 rows.").waitFor();
  await page.getByRole("heading", { name: "2 rows rejected" }).waitFor();
  expect((await server.as(fresh).get("/v1/properties")).body.total).toBe(0);
  for (const width of [375, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await overflowFaults(page, "the import")).toEqual([]);
    expect(await textProblems(page)).toEqual([]);
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, `app-import-${width}`, false);
  }
  await start.click();
  await page.getByText("Imported 230 of 230 rows.").waitFor();
  const { properties, total } = (await server.as(fresh).get("/v1/properties", { limit: 1 })).body;
  expect(total).toBe(228);
  const { body: first } = await server.as(fresh).get(`/v1/properties/${properties[0].id}`);
  expect(first).toMatchObject({ address: "0 Elm, St", notes: "note 0" });
  const { name, text } = await saved(page, () =>
    page.getByRole("button", { name: "Download rejected rows" }).click(),
  );
  expect(name).toBe("courts-rejected.csv");
  expect(parse(text, { columns: true }).map(({ line }: Json) => line)).toEqual(["9", "230"]);
  await choose(text.replaceAll("Nowhere", "NJ"), name);
  await page.getByRole("button", { name: "Check all rows" }).click();
  await page.getByText("Checked 2 of 2 rows.").waitFor();
  expect(await page.getByRole("row", { name: /^Properties/ }).innerText()).toMatch(/2\s+0$/);
  await page
    .getByLabel("CSV or XLSX file")
    .setInputFiles(file('name;address\n1;Unit 5" Elm St', "quotes.csv"));
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("alert").innerText()).toContain("Row 2 has a quote in an invalid position");
  // A sheet of a workbook, in which a condition is a number.
  const own = server.as(fresh);
  const { body: appliance } = await own.post(
    "/v1/appliances",
    { property_id: properties[0].id, type_id: "water_heater_gas", install_year: 2015 },
    201,
  );
  const visits = [5, 1, 5].map((rating, nth) => [
    appliance.components[0].id,
    appliance.id,
    new Date(`2026-0${nth + 1}-15T00:00:00Z`),
    "Inspection",
    rating,
  ]);
  const workbook = await writeXlsx({
    sheets: [
      { name: "Cover", rows: [["Visits"], ["Of 2026"]] },
      {
        name: "Visits",
        rows: [["Component ID", "Appliance ID", "Date", "Event Type", "Condition After"], ...visits],
        merges: [{ startRow: 5, startCol: 0, endRow: 6, endCol: 0 }],
      },
    ],
  });
  const mimeType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
  const chosen = { name: "visits.xlsx", mimeType, buffer: Buffer.from(workbook) };
  await page.getByLabel("CSV or XLSX file").setInputFiles(chosen);
  await page.getByLabel("Sheet").selectOption("Visits (3 rows)");
  await page.getByText("Sheet Visits: of 1 merged ranges only the first cell is read.").waitFor();
  const meaning = (cell: string) => page.getByLabel(`Meaning of ${cell} in Condition After`);
  await meaning("5").fill("good");
  await meaning("1").fill("poor");
  for (const width of [1440, 375]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await overflowFaults(page, "a workbook")).toEqual([]);
    expect(await textProblems(page)).toEqual([]);
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, `app-import-workbook-${width}`, false);
  }
  await page.getByRole("button", { name: "Check all rows" }).click();
  await page.getByText("Checked 3 of 3 rows.").waitFor();
  await page.getByRole("button", { name: "Import 3 rows" }).click();
  await page.getByText("Imported 3 of 3 rows.").waitFor();
  const history = (await own.get(`/v1/components/${appliance.components[0].id}/history`)).body.events;
  expect(history.map((event: Json) => [event.date, event.condition_after])).toEqual([
    ["2026-03-15", "good"],
    ["2026-02-15", "poor"],
    ["2026-01-15", "good"],
  ]);
  await page
    .getByLabel("CSV or XLSX file")
    .setInputFiles({ ...chosen, buffer: Buffer.from("PK no workbook") });
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("alert").innerText()).toStartWith("visits.xlsx cannot be read as a workbook: ");
  await choose(
    "Building Name,Street Address,Postal Code,Records Since\nA,1 Elm St,M4K 1A1,03/04/2021",
    "toronto.csv",
  );
  const check = page.getByRole("button", { name: "Check all rows" });
  const format = page.getByLabel("Format of the dates of Records Since");
  expect([await format.inputValue(), await check.isDisabled()]).toEqual(["", true]);
  await format.selectOption("DD/MM/YYYY");
  await check.click();
  await page.getByText("Checked 1 of 1 row.").waitFor();
  // Rows that name a property by its ID add equipment to it, and change it only if asked to.
  await choose(
    `property_id,type_id,install_year,size\n${properties[0].id},boiler,2010,9000000`,
    "boilers.csv",
  );
  await page.getByRole("button", { name: "Check all rows" }).click();
  await page.getByText("unusual for their type, or has no effect: 1. Check the unit.").waitFor();
  await choose(`property_id,Year Built,Stories\n${properties[0].id},1931,7`, "corrections.csv");
  const change = page.getByRole("row", { name: /^Properties: year_built/ });
  await page.getByRole("button", { name: "Check all rows" }).click();
  await page.getByText("Checked 1 of 1 row.").waitFor();
  expect(await change.count()).toBe(0);
  await page.getByLabel("Update records that exist").check();
  expect(await page.getByRole("button", { name: "Import 1 row" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Check all rows" }).click();
  await change.waitFor();
  expect(await change.innerText()).toMatch(/1\s+2\s+empty → 1931$/);
  for (const width of [375, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(() => scrollTo(0, 0));
    expect(await overflowFaults(page, "an update")).toEqual([]);
    expect(await textProblems(page)).toEqual([]);
    await screenshot(page, `app-import-update-${width}`);
  }
  await page.getByRole("button", { name: "Import 1 row" }).click();
  await page.getByText("Imported 1 of 1 row.").waitFor();
  expect((await server.as(fresh).get(`/v1/properties/${properties[0].id}`)).body).toMatchObject({
    address: "0 Elm, St",
    year_built: 1931,
    stories: 7,
  });
  // The second call of an import fails: the list has what the first one added.
  const yards = Array.from({ length: 250 }, (_, nth) => `Yard ${nth},${nth} Oak St,NY`);
  await choose(`Building Name,Street Address,State\n${yards.join("\n")}`, "yards.csv");
  await page.getByRole("button", { name: "Check all rows" }).click();
  await page.getByText("Checked 250 of 250 rows.").waitFor();
  expect(pageErrors).toEqual([]);
  let calls = 0;
  await page.route("**/v1/import-rows", (route) => (++calls === 2 ? route.abort() : route.continue()));
  await page.getByRole("button", { name: "Import 250 rows" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("link", { name: "Properties", exact: true }).click();
  await page
    .getByText(/\b428 properties/)
    .first()
    .waitFor();
  // The key is replaced during an import.
  await page.unroute("**/v1/import-rows");
  await goTo(page, "#/import");
  await choose(`Building Name,Street Address,State\n${lines.join("\n")}`, "more.csv");
  await page.getByRole("button", { name: "Check all rows" }).click();
  await page.getByText("Checked 230 of 230 rows.").waitFor();
  calls = 0;
  await page.route("**/v1/import-rows", async (route) => {
    if (++calls === 2) await server.json("partner", "rotate-key", fresh.partner_id);
    await route.continue();
  });
  await start.click();
  await page.getByRole("heading", { name: "Sign in to your portfolio" }).waitFor();
  expect(await page.getByRole("alert").innerText()).toStartWith("Your API key is no longer valid");
  await page.getByText("1 row of more.csv was rejected so far.").waitFor();
  const left = await saved(page, () => page.getByRole("button", { name: "Download rejected rows" }).click());
  expect(parse(left.text, { columns: true }).map(({ line }: Json) => line)).toEqual(["9"]);
  expect(pageErrors.filter((error) => !/net::ERR_FAILED|\b401\b/.test(error))).toEqual([]);
  await close();
});

// Rule: portfolio-app-import
test("an import whose page is left, and a change that fails after its dialog is closed, are reported", async () => {
  const fresh = await createPartnerBy(administrator, { name: "Leaver" });
  const { page, close } = await openApp(browser, server.url, fresh.api_key, "#/import");
  const lines = Array.from({ length: 230 }, (_, nth) => `Court ${nth},${nth} Elm St,NY`);
  const text = `Name,Address,State\n${lines.join("\n")}`;
  await page
    .getByLabel("CSV or XLSX file")
    .setInputFiles({ name: "courts.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.getByRole("button", { name: "Check all rows" }).click();
  await page.getByText("Checked 230 of 230 rows.").waitFor();
  await page.route("**/v1/import-rows", async (route) => {
    await goTo(page, "#/properties");
    await route.continue();
  });
  await page.getByRole("button", { name: "Import 230 rows" }).click();
  await page.getByText("The import ended after 200 of 230 rows, because its page was left").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  const { properties, total } = (await server.as(fresh).get("/v1/properties", { limit: 1 })).body;
  expect(total).toBe(200);

  await goTo(page, `#/properties/${properties[0].id}`);
  await page.getByRole("button", { name: /^Edit/ }).click();
  await page.route("**/v1/properties/*", async (route) => {
    if (route.request().method() !== "PUT") return await route.continue();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await route.fulfill({ status: 500, json: { error: "Internal server error" } });
  });
  await page.getByLabel("Name").fill("Another");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/^Edit .*: Internal server error$/).waitFor();
  await page.getByRole("button", { name: /^Edit/ }).click();
  expect(await page.getByRole("alert").count()).toBe(0);
  await close();
});

// Rule: portfolio-app-start
test("an empty account shows three steps, of which the first creates the demo property", async () => {
  const fresh = await createPartnerBy(administrator, { name: "Fresh" });
  const { page, pageErrors, close } = await openApp(browser, server.url, fresh.api_key);
  await page.getByRole("heading", { name: "Start in three steps" }).waitFor();
  expect(await page.locator(".first-steps li").count()).toBe(3);
  for (const width of [375, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflowFaults(page, "the first steps")).toEqual([]);
    expect(await textProblems(page)).toEqual([]);
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, `app-first-steps-${width}`, false);
  }
  await page.getByRole("button", { name: "Create the demo property" }).click();
  await page.locator(".lead .headline").waitFor();
  expect((await server.as(fresh).get("/v1/properties")).body.total).toBe(1);
  expect(pageErrors).toEqual([]);
  await close();
});
