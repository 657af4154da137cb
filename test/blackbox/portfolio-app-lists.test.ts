import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import type { Browser, Page } from "playwright-core";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import { goTo, openApp } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { accessibilityViolations, overflow, pagesOf, screenshot } from "../support/page-checks.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";
import { startReceiver } from "../support/receiver.ts";

/* The long lists of the portfolio app, its actions, and the API calls that it uses. */

const { serve } = useMainstay();
let browser: Browser;
let server: Installation;
let admin: Administrator;
let partner: Partner;
beforeAll(async () => {
  server = await serve();
  admin = await createAdministrator(server);
  partner = await createPartnerBy(admin, { name: "Acme" });
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const PROPERTIES = 20_000;

/** Intercepts the portfolio requests of the page, and returns a portfolio of that size. */
async function servePortfolio(page: Page): Promise<{ calls: number }> {
  const served = { calls: 0 };
  await page.route(/\/v1\/portfolio\/summary/, async (route) => {
    served.calls++;
    const query = new URL(route.request().url()).searchParams;
    const [limit, offset] = [Number(query.get("limit")), Number(query.get("offset"))];
    const portfolio = Array.from({ length: Math.min(limit, PROPERTIES - offset) }, (_, at) => {
      const n = offset + at;
      const [critical, warning] = [n % 7, n % 11];
      return {
        property_id: `P_${n}`,
        name: `Property ${n}`,
        address: `${n} Elm St`,
        city: "Albany",
        state: ["NY", "CA", "TX", "OH"][n % 4],
        unit_count: n % 90,
        appliances: 8,
        components: 50,
        critical,
        warning,
        good: 50 - critical - warning,
        overall_rating: "FAIR",
        total_deferred_maintenance: n,
        total_reactive_exposure: 2 * n,
        deferred_per_door: 10,
      };
    });
    const totals = {
      properties: PROPERTIES,
      appliances: 160_000,
      components: 1_000_000,
      critical: 59_997,
      warning: 99_990,
      good: 840_013,
      total_deferred: 199_990_000,
      total_reactive: 399_980_000,
    };
    await route.fulfill({ json: { portfolio, totals, total: PROPERTIES, limit, offset, partner: "Acme" } });
  });
  return served;
}

/** The times that what a page does may take longer than a fixed piece of work: it takes about five times as long. */
const MOST_WORK = 20;
const FIXED = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `part ${i}` })));

/** Returns how many times longer something keeps the page's main thread busy than a fixed piece of work. */
async function workOf(page: Page, act: () => Promise<void>): Promise<number> {
  const fixedMs = await pageCpuMs(page, () =>
    page.evaluate((text) => {
      for (let n = 0; n < 10; n++) JSON.parse(text);
    }, FIXED),
  );
  return (await pageCpuMs(page, act)) / fixedMs;
}

/** Returns the processor time of the page's main thread while something is done, in milliseconds. */
async function pageCpuMs(page: Page, act: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const taskMs = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")!.value * 1000;
  };
  const before = await taskMs();
  await act();
  const spentMs = (await taskMs()) - before;
  await session.detach();
  return spentMs;
}

// Rule: portfolio-app-size
describe("20,000 properties", () => {
  test("are loaded on request, and searched, sorted and scrolled without lag", async () => {
    const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key, "#/properties");
    const served = await servePortfolio(page);
    await page.clock.install();
    // The response from before the interception is discarded.
    await page.reload();
    await page.getByText("1,000 of 20,000 properties loaded").waitFor();
    expect(served.calls).toBe(5);
    await screenshot(page, "app-20000-first", false);
    // The rows in the window, without the space of all others.
    expect(pagesOf(await page.pdf({ format: "Letter" }))).toBeLessThanOrEqual(2);
    const all = page.getByRole("button", { name: "Load all (about 2 minutes)" });
    await all.click();
    for (let n = 0; n < 1000 && served.calls < 100; n++) await page.clock.runFor(1500);
    await page.locator("header.heading").getByText("20,000 properties", { exact: true }).waitFor();
    expect(served.calls).toBe(100);
    await page.clock.resume();
    expect(await page.locator("tr.row").count()).toBeLessThan(80);
    expect(await page.locator("table.rows").getAttribute("aria-rowcount")).toBe("20001");
    expect(await accessibilityViolations(page)).toEqual([]);

    const work = await workOf(page, async () => {
      await page.getByLabel("Search").pressSequentially("property 1999", { delay: 20 });
      await page.getByRole("status").getByText("12 properties").waitFor();
      await page.getByLabel("Search").fill("");
      await page.getByRole("status").getByText("20,000 properties").waitFor();
      await page.getByRole("button", { name: "Property" }).click();
      await page.getByRole("link", { name: "Property 0", exact: true }).waitFor();
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight / 2));
      await page
        .getByRole("link", { name: /^Property 1[89]\d*$/ })
        .first()
        .waitFor();
    });
    expect(work).toBeLessThan(MOST_WORK);
    await screenshot(page, "app-20000", false);
    expect(pageErrors).toEqual([]);
    await close();
  });

  test("are totaled by state if loaded, and in full by the API", async () => {
    const { page, close } = await openApp(browser, server.url, partner.api_key);
    await servePortfolio(page);
    await page.reload();
    await page.getByText("1,000 of 20,000 properties loaded").waitFor();
    await page.getByText("59,997 components").waitFor();
    expect(await page.locator("#by-state li").count()).toBe(4);
    await close();
  });
});

test("alerts are filtered by tier, system and state, and downloaded as shown", async () => {
  const client = server.as(partner);
  const inNewYork = await addProperty(client, { name: "Oak Court", state: "NY" });
  const inTexas = await addProperty(client, { name: "Pine Court", state: "TX" });
  await addWornAppliance(client, inNewYork.id);
  await addWornAppliance(client, inTexas.id, { type_id: "roof" });
  const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key, "#/alerts");
  const rows = page.locator("tr.row");
  const totalOf = async (query: Record<string, string>) =>
    (await client.get("/v1/alerts", query)).body.total as number;
  const showing = (count: number) =>
    page.waitForFunction((wanted) => document.querySelectorAll("tr.row").length === wanted, count);
  await showing(await totalOf({}));
  // The API sorts by two digits of the expected loss, the page by all of them.
  const { alerts } = (await client.get("/v1/alerts", { sort: "cost", limit: 200 })).body;
  for (const { expected_cost_12m, failure_probability_12m, reactive_cost } of alerts)
    expect(expected_cost_12m).toBeCloseTo(failure_probability_12m * reactive_cost, 1);
  const losses: number[] = alerts.map((one: Json) => Math.round(one.expected_cost_12m));
  expect(await page.locator("tr.row td:last-child").allInnerTexts()).toEqual(
    losses.sort((a, b) => b - a).map((usd) => `$${usd.toLocaleString("en-US")}`),
  );
  await page.getByLabel("State").selectOption("TX");
  await showing(await totalOf({ state: "TX" }));
  expect(new Set(await page.locator("tr.row td .name").allInnerTexts())).toEqual(new Set(["Pine Court"]));
  await page.getByLabel("System").selectOption("plumbing");
  await page.getByRole("heading", { name: "No matching alerts" }).waitFor();
  await page.getByRole("link", { name: "Show all alerts" }).click();
  await showing(await totalOf({}));
  await page.getByLabel("System").selectOption("plumbing");
  await showing(await totalOf({ system: "plumbing" }));
  expect(await rows.allInnerTexts()).not.toContain("NaN");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV" }).click();
  const lines = readFileSync(await (await download).path(), "utf8")
    .trim()
    .split("\n");
  const { text } = await client.get("/v1/alerts", {
    system: "plumbing",
    sort: "cost",
    include_demo: "true",
    format: "csv",
  });
  expect(lines).toEqual(text.trim().split("\n"));
  expect(lines).toHaveLength((await rows.count()) + 1);
  expect(pageErrors).toEqual([]);
  await close();
});

test("a filtered list of alerts is downloaded in full", async () => {
  const owner = await createPartnerBy(admin, { name: "Many" });
  const client = server.as(owner);
  const inNewYork = await addProperty(client, { name: "Old Court", state: "NY" });
  const inTexas = await addProperty(client, { name: "Pine Court", state: "TX" });
  for (const [property_id, count] of [
    [inNewYork.id, 100],
    [inTexas.id, 5],
  ] as const)
    await client.post("/v1/appliances/bulk", {
      appliances: Array.from({ length: count }, () => ({
        property_id,
        type_id: "washer",
        install_year: 1995,
      })),
    });
  const { page, pageErrors, close } = await openApp(browser, server.url, owner.api_key, "#/alerts?state=NY");
  const { total } = (await client.get("/v1/alerts", { state: "NY", limit: 1 })).body;
  expect(total).toBeGreaterThan(400);
  const words = `Download CSV (all ${total.toLocaleString("en-US")})`;
  const save = page.getByRole("button", { name: words });
  // Counts only the calls of the download.
  await save.waitFor();
  const calls: string[] = [];
  page.on("request", (request) => calls.push(request.url()));
  const rows = await savedRows(page, () => save.click());
  expect(rows).toHaveLength(total);
  expect(new Set(rows.map((row) => row.property_name))).toEqual(new Set(["Old Court"]));
  expect(new Set(rows.map((row) => row.component_id)).size).toBe(total);
  expect(calls.filter((url) => url.includes("/v1/alerts"))).toHaveLength(Math.ceil(total / 200));

  await page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: "Overview" }).click();
  const { totals } = (await client.get("/v1/portfolio/summary")).body;
  await page.locator("#by-state summary").click();
  const states = await savedRows(page, () =>
    page.locator("#by-state").getByRole("button", { name: "Download CSV" }).click(),
  );
  expect(states.map((row) => row.state)).toEqual(["NY", "TX"]);
  for (const field of ["properties", "critical", "warning", "total_deferred", "total_reactive"])
    expect(states.reduce((sum, row) => sum + Number(row[field]), 0)).toBe(totals[field]);
  await page.locator("#by-system summary").click();
  const systems = await savedRows(page, () =>
    page.locator("#by-system").getByRole("button", { name: "Download CSV" }).click(),
  );
  expect(systems).toEqual([
    { system: "appliance", critical: String(totals.critical), warning: String(totals.warning) },
  ]);
  expect(pageErrors).toEqual([]);
  await close();
});

// Rule: portfolio-app-size
test("a property of 2,000 components is loaded in few calls, and shown without lag", async () => {
  const owner = await createPartnerBy(admin, { name: "Large" });
  const client = server.as(owner);
  const { id } = await addProperty(client, { name: "Large Court", unit_count: 250 });
  await client.post("/v1/appliances/bulk", {
    appliances: Array.from({ length: 250 }, (_, n) => ({
      property_id: id,
      type_id: "refrigerator",
      install_year: 1990 + (n % 36),
    })),
  });
  const { page, pageErrors, close } = await openApp(browser, server.url, owner.api_key, "#/properties");
  const calls: string[] = [];
  page.on("request", (request) => calls.push(request.url()));
  const work = await workOf(page, async () => {
    await page.getByRole("link", { name: "Large Court" }).click();
    await page.getByText("2,000 components").first().waitFor();
    await page.getByRole("slider", { name: "Budget" }).press("Home");
    await page.getByText("$0 covers no replacements.").waitFor();
  });
  expect(work).toBeLessThan(MOST_WORK);
  // Ten pages of components, and one call for each other resource.
  expect(calls.filter((url) => url.includes("/v1/")).length).toBeLessThanOrEqual(18);
  expect(
    await page.locator("#actions table.actions").first().locator("tbody tr").count(),
  ).toBeLessThanOrEqual(10);
  expect(await overflow(page)).toBe(0);
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, "app-2000-parts");
  await page.locator("#systems summary").last().click();
  const rows = await savedRows(page, () =>
    page.locator("#systems").getByRole("button", { name: "Download CSV" }).last().click(),
  );
  expect(rows).toHaveLength(2000);
  await page.getByRole("link", { name: "Units and appliances" }).click();
  await page.getByRole("heading", { name: "250 appliances" }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(pageErrors).toEqual([]);
  await close();
});

test("a portfolio's plan totals all properties, and names those with the highest cost of delay", async () => {
  const owner = await createPartnerBy(admin, { name: "Wide" });
  const client = server.as(owner);
  for (let n = 0; n < 201; n++) await addProperty(client, { name: `Court ${n}` });
  const last = await addProperty(client, { name: "Worn Court" });
  await addWornAppliance(client, last.id, { type_id: "roof" });
  const { page, pageErrors, close } = await openApp(browser, server.url, owner.api_key);
  await page.locator("#plan .due-now").getByRole("link", { name: "Worn Court" }).waitFor();
  await page.getByText("among the 200 with the highest cost of delay. Totals include all.").waitFor();
  const plan = (await client.get("/v1/portfolio/plan", { budget: 1e12 })).body;
  const dollars = (value: number) => `$${Math.round(value).toLocaleString("en-US")}`;
  expect(await page.locator("#plan .budget-result").innerText()).toContain(
    `covers ${plan.budget.chosen_count} replacements (${dollars(plan.budget.spent)})`,
  );
  await page.locator("#plan .budget-lines").getByRole("link", { name: "Worn Court" }).waitFor();

  await page.getByRole("link", { name: "Replacement reserve schedule" }).click();
  await page.getByText("2 more properties").waitFor();
  await page.getByText("The 200 properties with the highest cost of delay have rows of their own").waitFor();
  expect(await page.locator("tr.property-row").first().innerText()).toStartWith("Worn Court");
  expect(await page.locator("tr.property-row").count()).toBe(201);
  // 200 properties and the sum of the others, in landscape.
  expect(pagesOf(await page.pdf({ preferCSSPageSize: true }))).toBeLessThanOrEqual(4);
  const total = await page.locator("table.reserve tr.total").first().innerText();
  await page.getByRole("button", { name: "Load 200 more" }).click();
  await page.getByText("2 more properties").waitFor({ state: "detached" });
  expect(await page.locator("tr.property-row").count()).toBe(202);
  expect(await page.locator("table.reserve tr.total").first().innerText()).toBe(total);
  expect(pageErrors).toEqual([]);
  await close();
});

async function savedRows(page: Page, act: () => Promise<void>): Promise<Record<string, string>[]> {
  const download = page.waitForEvent("download");
  await act();
  return parse(readFileSync(await (await download).path(), "utf8"), { columns: true });
}

// Rule: portfolio-app, list-photos
test("more than 200 photos of an appliance are loaded page by page, and their files 12 at a time", async () => {
  const owner = await createPartnerBy(admin, { name: "Many photos" });
  const client = server.as(owner);
  const { id } = await addProperty(client, { name: "Elm Court" });
  const appliance = await addWornAppliance(client, id);
  await server.sql(
    `WITH RECURSIVE numbers (n) AS (SELECT 1001 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1201)
     INSERT INTO photos (id, partner_id, appliance_id, service_event_id, filename, original_name, media_type, bytes, sha256, uploaded_at)
     SELECT 'PH_${"0".repeat(22)}' || n, '${owner.partner_id}', '${appliance.id}', NULL, 'page' || n, 'photo ' || n, 'image/jpeg', 0, '', n FROM numbers`,
  );
  const place = `#/appliances/${appliance.id}`;
  const { page, pageErrors, close } = await openApp(browser, server.url, owner.api_key, place);
  const photos = page.locator("ul.photos > li");
  await page.getByText("200 of 201 loaded").waitFor();
  expect(await photos.count()).toBe(200);
  await page.getByRole("button", { name: "Load 200 more" }).click();
  await page.getByText("photo 1201").waitFor();
  expect(await photos.count()).toBe(201);
  await page.route("**/uploads/**", (route) => route.fulfill({ contentType: "image/png", body: PNG }));
  const show = page.getByRole("button", { name: "Show 12 photos" });
  for (const shown of [12, 24]) {
    await show.click();
    await page.waitForFunction((most) => document.querySelectorAll("ul.photos img").length >= most, shown);
    expect(await page.locator("ul.photos img").count()).toBe(shown);
  }
  expect(pageErrors).toEqual([]);
  await close();
});

// Rule: portfolio-app, remove-photo
test("photos are loaded on request, with credentials, and removed; buttons state their calls once few are left", async () => {
  const owner = await createPartnerBy(admin, { name: "Few calls" });
  const client = server.as(owner);
  const { id } = await addProperty(client, { name: "Ash Court" });
  const appliance = await addWornAppliance(client, id);
  const repair = { appliance_id: appliance.id, event_type: "Repair", date: "2026-01-05" };
  const logged = (await client.post("/v1/service-events/bulk", { events: [repair] }, 201)).body.events[0];
  for (const name of ["tank <b>.png", "valve.png"]) {
    const form = new FormData();
    if (name === "valve.png") form.append("service_event_id", logged.id);
    form.append("file", new File([PNG], name, { type: "image/png" }));
    await client.ask("POST", `/v1/appliances/${appliance.id}/photos`, 201, { raw: form });
  }
  await client.put(`/v1/service-events/${logged.id}`, { voided: true });
  const place = `#/appliances/${appliance.id}`;
  const { page, pageErrors, close } = await openApp(browser, server.url, owner.api_key, place);
  const remove = async (name: string) => {
    await page.getByRole("button", { name: `Remove ${name}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  };
  await page.getByText("tank <b>.png").waitFor();
  await page.getByText("Repair, Jan 5, 2026 (voided)").waitFor();
  expect(await page.locator("img").count()).toBe(0);
  const buttons = page.getByRole("button", { name: /^Show / });
  expect(await buttons.allInnerTexts()).toEqual(["Show service history", "Show photos"]);
  const { headers } = await client.get("/v1/ping");
  // Enough for the rest of this test, and so few that each one is stated.
  const left = 9;
  const used = Number(headers.get("x-ratelimit-limit")) - Number(headers.get("x-ratelimit-remaining"));
  await admin.client.put(`/admin/partners/${owner.partner_id}`, { daily_budget: used + left });
  await remove("valve.png");
  await page.getByRole("button", { name: "Show photo (1 API call)", exact: true }).waitFor();
  expect(await buttons.allInnerTexts()).toEqual([
    `Show service history (${appliance.components.length} API calls)`,
    "Show photo (1 API call)",
  ]);
  await buttons.last().click();
  await page.waitForFunction(() => document.querySelector("img")?.naturalWidth === 1);
  expect(await accessibilityViolations(page)).toEqual([]);
  await remove("tank <b>.png");
  await page.getByText("No photos.").waitFor();
  expect((await client.get(`/v1/appliances/${appliance.id}/photos`)).body.total).toBe(0);
  await goTo(page, "#/deliveries");
  await page.getByRole("button", { name: "Refresh (1 API call)", exact: true }).waitFor();
  expect(pageErrors.filter((one) => one !== "asked ")).toEqual([]);
  await close();
});

test("a delivery is shown with its attempts, and can be resent", async () => {
  const receiver = await startReceiver({ behave: () => ({ status: 200, body: "<b>thanks</b>" }) });
  try {
    const sender = await createPartnerBy(admin, { name: "Sender", webhook_url: receiver.url });
    const client = server.as(sender);
    await addProperty(client, { name: "Fir Court" });
    const delivered = async (attempts: number) => {
      const { deliveries } = (await client.get("/v1/webhook-deliveries")).body;
      expect(deliveries[0]).toMatchObject({ status: "delivered", attempt_count: attempts });
    };
    await eventually(() => delivered(1));
    const { page, pageErrors, close } = await openApp(browser, server.url, sender.api_key, "#/deliveries");
    await page.locator(".deliveries strong", { hasText: "property.created" }).waitFor();
    await page.getByText("1 attempt").click();
    await page.getByText("<b>thanks</b>").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, "app-delivery");
    await page.getByRole("button", { name: /^Resend WH_/ }).click();
    await page.getByText("Queued for redelivery").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, "app-delivery-resent");
    const [first, second] = await receiver.waitFor((all) => all.length === 2);
    expect(second!.id).toBe(first!.id);
    await eventually(() => delivered(2));
    await page.getByRole("button", { name: /^Refresh/ }).click();
    await page.getByText("2 attempts").waitFor();
    await page.getByLabel("Status").selectOption("failed");
    await page.getByRole("heading", { name: "No matching deliveries" }).waitFor();
    expect(pageErrors).toEqual([]);
    await close();
  } finally {
    await receiver.close();
  }
});

/** An image of one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
