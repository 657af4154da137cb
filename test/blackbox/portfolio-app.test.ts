import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import { goTo, hashOf, openApp, settled, signIn } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import type { ApiClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import {
  accessibilityViolations,
  animatedElements,
  openWindow,
  overflow,
  pageFaults,
  screenshot,
} from "../support/page-checks.ts";
import { pngImage } from "../support/png.ts";
import { addProperty, addWornAppliance, dateDaysFromToday, logEvents } from "../support/portfolio.ts";
import { lastingPort } from "../support/reserved-port.ts";

/* The portfolio app in a real browser. */

const { install, serve } = useMainstay();
const STRANGE = `<b>Elm</b> "Court" & 'more' <script>alert(1)</script> \u05d1\u05d9\u05ea \u0628\u064a\u062a 🏢🔥 `;
let server: Installation;
let browser: Browser;
let client: ApiClient;
let administrator: Administrator;
let partner: Partner;
let stranger: Partner;
let newcomer: Partner;
const ids = { demo: "", empty: "", strange: "", strangeAppliance: "", component: "", appliance: "" };

beforeAll(async () => {
  server = await serve();
  administrator = await createAdministrator(server);
  partner = await createPartnerBy(administrator, { name: "Acme Insurance" });
  client = server.as(partner);
  ids.demo = (await client.post("/onboarding/demo-property", undefined)).body.id;
  ids.empty = (await addProperty(client, { name: "Empty Court", state: "CA" })).id;
  await client.post(`/v1/property/${ids.demo}/claims`, {
    claim_type: "water_damage",
    date_of_loss: "2025-03-14",
    amount: 12500,
  });
  newcomer = await createPartnerBy(administrator, { name: "Newcomer" });
  stranger = await createPartnerBy(administrator, { name: `${STRANGE} Inc` });
  const strange = server.as(stranger);
  ids.strange = (await addProperty(strange, { name: STRANGE + "x".repeat(500 - STRANGE.length) })).id;
  const appliance = await addWornAppliance(strange, ids.strange, { brand: STRANGE, model: STRANGE });
  ids.strangeAppliance = appliance.id;
  await logEvents(strange, {
    appliance_id: appliance.id,
    event_type: "Repair",
    date: "2025-03-14",
    notes: STRANGE.repeat(20),
    technician: STRANGE,
  });
  await server.json("snapshot");
  const [worst] = (await client.get("/v1/components", { property_id: ids.demo, tier: "CRITICAL" })).body
    .components;
  ids.component = worst.component_id;
  ids.appliance = worst.appliance_id;
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** The routes of the app by name, with the partner that opens them. */
const places = (): [whose: Partner, places: Record<string, string>][] => [
  [
    partner,
    {
      overview: "#/",
      schedule: "#/schedule?years=12",
      "property-schedule": `#/properties/${ids.demo}/schedule`,
      properties: "#/properties",
      alerts: "#/alerts",
      property: `#/properties/${ids.demo}`,
      equipment: `#/properties/${ids.demo}/equipment`,
      claims: `#/properties/${ids.demo}/claims`,
      appliance: `#/appliances/${ids.appliance}`,
      component: `#/components/${ids.component}`,
      deliveries: "#/deliveries",
      "property-empty": `#/properties/${ids.empty}`,
      "no-page": "#/nowhere",
    },
  ],
  [
    newcomer,
    { "nothing-overview": "#/", "nothing-properties": "#/properties", "nothing-alerts": "#/alerts" },
  ],
  [
    stranger,
    {
      "strange-properties": "#/properties",
      "strange-property": `#/properties/${ids.strange}`,
      "strange-appliance": `#/appliances/${ids.strangeAppliance}`,
    },
  ],
];

// Rule: portfolio-app
test("every page fits and is accessible on every screen, and requests nothing from other hosts", async () => {
  for (const [whose, named] of places()) {
    const { page, pageErrors, close } = await openApp(browser, server.url, whose.api_key);
    const faults: string[] = [];
    for (const [state, place] of Object.entries(named)) {
      await goTo(page, place);
      expect(await page.locator("h1").count(), state).toBe(1);
      faults.push(...(await pageFaults(page, `app-${state}`, [820, 3840])));
    }
    expect(faults).toEqual([]);
    expect(pageErrors).toEqual([]);
    await close();
  }
});

describe("signing in", () => {
  test("rejects an invalid key with a message", async () => {
    const { page, pageErrors, close } = await openWindow(browser, server.url);
    await page.goto(`${server.url}/embed/app`);
    await page.getByRole("textbox", { name: "API key" }).fill(`svc_live_${"0".repeat(48)}`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("Invalid API key");
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, "app-refused");
    // The browser logs the 401 itself.
    expect(pageErrors.filter((one) => !one.includes("401"))).toEqual([]);
    await close();
  });

  test("works with a client ID and secret, and does not store the secret", async () => {
    const { page, pageErrors, close } = await openWithClient(server, partner, "#/properties");
    await page.getByRole("link", { name: "Empty Court" }).waitFor();
    const kept = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
    expect(kept).toContain("svct_");
    expect(kept).not.toContain(partner.client_secret);
    expect(pageErrors).toEqual([]);
    await close();
  });

  test("renews the access token before it expires", async () => {
    const { page, pageErrors, close } = await openWithClient(server, partner, "#/properties");
    await page.getByRole("link", { name: "Empty Court" }).waitFor();
    const token = () =>
      page.evaluate(() => JSON.parse(sessionStorage.getItem("mainstay.session")!).token as string);
    const first = await token();
    const bought: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/oauth/token")) bought.push(request.method());
    });
    await page.getByRole("link", { name: "Empty Court" }).click();
    await page.getByRole("heading", { name: "No assessment yet" }).waitFor();
    expect(bought).toEqual([]);
    await letPass(page, 56);
    await page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: "Alerts" }).click();
    await page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
    await settled(page);
    // Concurrent calls share one renewal.
    expect(bought).toEqual(["POST"]);
    expect(await token()).not.toBe(first);
    expect(pageErrors).toEqual([]);
    await close();
  });

  test("asks for the credentials when a token has expired, and returns to the same page", async () => {
    const { server: own, restart } = await serveLastingly();
    const owner = await own.createPartner();
    await addProperty(own.as(owner), { name: "Oak Court" });
    const { page, close } = await openWithClient(own, owner, "#/properties");
    await page.getByRole("link", { name: "Oak Court" }).waitFor();
    // A reload discards the secret, so the token cannot be renewed.
    await page.reload();
    await page.getByRole("link", { name: "Oak Court" }).waitFor();
    await own.stop();
    await letTokensExpire(own);
    await restart();
    await page.getByRole("link", { name: "Oak Court" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("Your session has expired");
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, "app-token-expired");
    await fillClient(page, owner);
    await page.getByRole("heading", { level: 1, name: "Oak Court" }).waitFor();
    await close();
  });

  test("lasts for the tab: across reloads, not in other tabs, and until sign-out", async () => {
    const { page, close } = await openApp(browser, server.url, partner.api_key, "#/properties");
    await page.reload();
    await page.getByRole("link", { name: "Empty Court" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${server.url}/embed/app`);
    await other.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await page.evaluate(() => localStorage.length + document.cookie.length)).toBe(0);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.reload();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await close();
  });

  test("asks for a key that was replaced while the page is open, and returns to the same page", async () => {
    const replaced = await createPartnerBy(administrator, { name: "Replaced" });
    const { id } = await addProperty(server.as(replaced), { name: "Oak Court" });
    const { page, pageErrors, close } = await openApp(browser, server.url, replaced.api_key, "#/properties");
    await page.getByRole("link", { name: "Oak Court" }).waitFor();
    const { api_key } = await server.json("partner", "rotate-key", replaced.partner_id);
    await page.getByRole("link", { name: "Oak Court" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("is no longer valid");
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, "app-key-replaced");
    await signIn(page, api_key);
    await page.getByRole("heading", { level: 1, name: "Oak Court" }).waitFor();
    expect(await hashOf(page)).toContain(id);
    expect(pageErrors.filter((one) => !one.includes("401"))).toEqual([]);
    await close();
  });
});

test("an unreachable server is reported; loaded pages stay, and loading resumes once it is back", async () => {
  const { server: own, restart } = await serveLastingly();
  const owner = await own.createPartner();
  await addProperty(own.as(owner), { name: "Oak Court" });
  const { page, close } = await openApp(browser, own.url, owner.api_key, "#/properties");
  await page.getByRole("link", { name: "Oak Court" }).waitFor();
  await own.stop();
  await page.getByRole("link", { name: "Oak Court" }).click();
  await page.getByRole("heading", { name: "No connection" }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, "app-offline");
  await page.goBack();
  await page.getByRole("link", { name: "Oak Court" }).waitFor();
  await page.goForward();
  await page.getByRole("heading", { name: "No connection" }).waitFor();
  await restart();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { level: 1, name: "Oak Court" }).waitFor();
  await close();
});

test("a reached daily call limit is reported, and the remaining calls before that", async () => {
  const own = await serve({ limits: { daily_budget: 2 } });
  const owner = await own.createPartner();
  const { id } = await addProperty(own.as(owner));
  const { page, close } = await openApp(browser, own.url, owner.api_key);
  await page.getByText("0 of 2 API calls left today").waitFor();
  await goTo(page, `#/properties/${id}`);
  await page.getByRole("heading", { level: 1, name: "Daily API call limit reached" }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, "app-budget-spent");
  await close();
});

test("the per-minute rate limit is waited for, and reported if it persists", async () => {
  const own = await serve({ limits: { per_partner_per_minute: 2 } });
  const owner = await own.createPartner();
  const { id } = await addProperty(own.as(owner));
  const { page, close } = await openWindow(browser, own.url);
  await page.clock.install();
  await page.goto(`${own.url}/embed/app#/properties/${id}`);
  await page.getByRole("textbox", { name: "API key" }).fill(owner.api_key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Waiting for the rate limit…").waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, "app-minute-spent");
  const isMoving = async (motion: "reduce" | "no-preference") => {
    await page.emulateMedia({ reducedMotion: motion });
    return (await animatedElements(page)).includes("span.pulse");
  };
  // The element may be replaced in between.
  await eventually(async () => expect(await isMoving("no-preference")).toBe(true));
  expect(await isMoving("reduce")).toBe(false);
  // Only the clock of the page advances, not that of the server.
  await eventually(async () => {
    await page.clock.runFor(2_000);
    expect(await page.getByText("Rate limit reached").isVisible()).toBe(true);
  });
  await page.getByRole("heading", { name: "Rate limit reached" }).waitFor();
  expect(await page.getByRole("alert").innerText()).toContain("Rate limit exceeded");
  expect(await page.getByText("Waiting for the rate limit…").count()).toBe(0);
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, "app-too-fast");
  // Once the server accepts calls again, the page loads.
  let refusals = 0;
  await page.route(/\/v1\//, async (route) => {
    if (refusals++ === 0)
      return await route.fulfill({
        status: 429,
        headers: { "retry-after": "30" },
        json: { error: "Slow down", code: "rate_limited" },
      });
    const { pathname, search } = new URL(route.request().url());
    const { text } = await server.as(partner).ask("GET", (pathname + search).replaceAll(id, ids.empty), 200);
    await route.fulfill({ contentType: "application/json", body: text });
  });
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Waiting for the rate limit…").waitFor();
  expect(refusals).toBe(1);
  await page.clock.runFor(31_000);
  await page.getByRole("heading", { level: 1, name: "Empty Court" }).waitFor();
  expect(refusals).toBeGreaterThan(2);
  await close();
});

describe("the address", () => {
  test("holds the filters of a list, and follows Back", async () => {
    const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key);
    await page.getByRole("navigation").getByRole("link", { name: "Properties" }).click();
    await page.getByLabel("Search").fill("empty");
    await page.getByRole("status").getByText("1 property", { exact: true }).waitFor();
    expect(await hashOf(page)).toBe("#/properties?q=empty");
    await page.getByRole("link", { name: "Empty Court" }).click();
    await page.getByRole("heading", { name: "No assessment yet" }).waitFor();
    await page.goBack();
    expect(await page.getByLabel("Search").inputValue()).toBe("empty");
    expect(await page.locator("tr.row").count()).toBe(1);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Portfolio", exact: true }).waitFor();
    const shared = await openApp(browser, server.url, partner.api_key, "#/properties?state=CA&sort=name");
    await shared.page.getByRole("link", { name: "Empty Court" }).waitFor();
    expect(await shared.page.locator("tr.row").count()).toBe(1);
    expect(await shared.page.getByLabel("State").inputValue()).toBe("CA");
    await shared.close();
    expect(pageErrors).toEqual([]);
    await close();
  });

  test("works under the base path", async () => {
    const { page, pageErrors, close } = await openWindow(browser, server.url);
    await page.goto(`${server.url}/api/embed/app#/properties`);
    await signIn(page, partner.api_key);
    await page.getByRole("link", { name: "Empty Court" }).waitFor();
    expect(await page.getByRole("link", { name: "API reference" }).getAttribute("href")).toBe("/api/docs");
    expect(pageErrors).toEqual([]);
    await close();
  });
});

test("a loaded page is not requested again, and later revalidated by ETag", async () => {
  const { page, close } = await openApp(browser, server.url, partner.api_key);
  await settled(page);
  const calls: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/v1/")) calls.push(request.headers()["if-none-match"]);
  });
  const readProperty = async () => {
    await page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: "Properties" }).click();
    await page.getByRole("heading", { level: 1, name: "Properties" }).waitFor();
    await page.getByRole("link", { name: "Maple Court (demo)" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Maple Court (demo)" }).waitFor();
    await settled(page);
  };
  await readProperty();
  const first = calls.length;
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThanOrEqual(10);
  await readProperty();
  expect(calls.length).toBe(first);
  await letPass(page, 10);
  await readProperty();
  const again = calls.slice(first);
  expect(again.length).toBeGreaterThan(0);
  expect(again.every((tag) => tag?.startsWith('W/"'))).toBe(true);
  await close();
});

test("everything works by keyboard, with visible focus", async () => {
  const { page, pageErrors, close } = await openWindow(browser, server.url);
  await page.goto(`${server.url}/embed/app`);
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  const tabTo = async (name: string) => {
    // Tabs come faster than responses: waits until every target is rendered.
    await settled(page);
    for (let n = 0; n < 60; n++) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        const { outlineStyle, boxShadow } = getComputedStyle(element);
        const label = (element as HTMLInputElement).labels?.[0]?.innerText;
        return {
          name: element === document.body ? "" : (label ?? element.innerText.trim()),
          // Between the last and the first element, the body has the focus.
          isSeen: element === document.body || outlineStyle !== "none" || boxShadow !== "none",
        };
      });
      expect(at.isSeen, JSON.stringify(at)).toBe(true);
      if (at.name.startsWith(name)) return;
    }
    throw new Error(`no Tab led to ${name}`);
  };
  // The choice of credentials comes before the field of the same name.
  await tabTo("API key");
  await tabTo("API key");
  await page.keyboard.type(partner.api_key);
  await page.keyboard.press("Enter");
  // Exact, since the heading of the sign-in page contains the word too.
  await page.getByRole("heading", { level: 1, name: "Portfolio", exact: true }).waitFor();
  await tabTo("Properties");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Properties" }).waitFor();
  // The search of everything in the header comes before the filter of the list.
  await tabTo("Search");
  await tabTo("Search");
  await page.keyboard.type("maple");
  await tabTo("Critical");
  await page.keyboard.press("Enter");
  expect(await hashOf(page)).toBe("#/properties?q=maple&sort=-critical");
  await tabTo("Maple Court");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Maple Court (demo)" }).waitFor();
  await tabTo("Units and appliances");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "26 appliances" }).waitFor();
  expect(pageErrors).toEqual([]);
  await close();
});

test("texts from partners are escaped", async () => {
  const { page, pageErrors, close } = await openApp(browser, server.url, stranger.api_key, "#/properties");
  let isAlerted = false;
  page.on("dialog", (dialog) => {
    isAlerted = true;
    void dialog.dismiss();
  });
  const name = page.locator("tr.row a.name");
  expect(await name.innerText()).toStartWith(STRANGE.slice(0, 20));
  await name.click();
  await page.getByRole("heading", { level: 1, name: "<b>Elm</b>" }).waitFor();
  await page.getByRole("link", { name: "Units and appliances" }).click();
  await page.locator("tr.row a.name").click();
  await page.getByRole("button", { name: /Show service history/ }).click();
  await page.getByText("<script>alert(1)</script>").first().waitFor();
  expect(await page.locator("main b, main script").count()).toBe(0);
  expect(isAlerted).toBe(false);
  expect(pageErrors).toEqual([]);
  await close();
});

test("dates and numbers are the same in every time zone and language", async () => {
  const texts = [];
  for (const [timezoneId, locale] of [
    ["Pacific/Honolulu", "en-US"],
    ["Asia/Tokyo", "de-DE"],
  ]) {
    const place = `#/components/${ids.component}`;
    const own = await openApp(browser, server.url, partner.api_key, place, { timezoneId, locale } as object);
    await settled(own.page);
    texts.push(await own.page.locator("main").innerText());
    await own.close();
  }
  expect(texts[0]).toBe(texts[1]!);
});

// Rule: score-reasons
test("a component's page says why it has its score", async () => {
  const window = await openApp(browser, server.url, partner.api_key, `#/components/${ids.component}`);
  const { why } = (await server.as(partner).get(`/v1/components/${ids.component}`)).body;
  const section = window.page.getByRole("region", { name: "Why this score" });
  await section.getByRole("listitem").first().waitFor();
  const lines = await section.getByRole("listitem").allInnerTexts();
  expect(lines).toHaveLength(why.length);
  for (const [at, { text }] of why.entries()) expect(lines[at]).toContain(text);
  await window.close();
});

// Rule: retire
test("the portfolio app retires a property and an appliance, lists them, and brings them back", async () => {
  const owner = await createPartnerBy(administrator, { name: "Retiring" });
  const client = server.as(owner);
  const today = dateDaysFromToday(0);
  const kept = await addProperty(client, { name: "Kept", state: "NY" });
  const sold = await addProperty(client, { name: "Old Mill", state: "VT" });
  const heater = await addWornAppliance(client, kept.id);
  await addWornAppliance(client, sold.id);
  const form = new FormData();
  form.append("file", new File([new Uint8Array(pngImage())], "heater.png"));
  await client.ask("POST", `/v1/appliances/${heater.id}/photos`, 201, { raw: form });
  const place = `#/properties/${sold.id}`;
  const { page, pageErrors, close } = await openApp(browser, server.url, owner.api_key, place);
  const dialog = page.getByRole("dialog");

  await page.getByRole("button", { name: "Retire Old Mill" }).click();
  expect(await dialog.getByLabel("Day").inputValue()).toBe(today);
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, "app-retire-dialog", false);
  await dialog.getByLabel("Day").fill("0001-01-01");
  await dialog.getByLabel("Reason").fill("x".repeat(500));
  await dialog.getByLabel("Day").fill(today);
  await dialog.getByLabel("Reason").fill("Sold to Birch LLC");
  await dialog.getByRole("button", { name: "Retire" }).click();
  await page.getByText("Sold to Birch LLC").waitFor();
  expect((await client.get(`/v1/properties/${sold.id}`)).body).toMatchObject({
    retired_at: today,
    retired_reason: "Sold to Birch LLC",
  });

  await goTo(page, "#/properties");
  await page.getByRole("link", { name: "Kept" }).waitFor();
  expect(await page.getByRole("link", { name: "Old Mill" }).count()).toBe(0);
  await page.getByLabel("Status").selectOption("retired");
  await page.getByRole("link", { name: "Old Mill" }).waitFor();
  expect(await page.getByRole("link", { name: "Kept" }).count()).toBe(0);
  for (const width of [375, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    expect(await overflow(page)).toBe(0);
    await screenshot(page, `app-retired-properties-${width}`, false);
  }
  expect(await accessibilityViolations(page)).toEqual([]);

  await page.getByRole("link", { name: "Old Mill" }).click();
  await page.getByRole("button", { name: "Bring back Old Mill" }).click();
  await dialog.getByRole("button", { name: "Bring back" }).click();
  await page.getByRole("button", { name: "Retire Old Mill" }).waitFor();
  expect((await client.get(`/v1/properties/${sold.id}`)).body.retired_at).toBeNull();

  await goTo(page, `#/appliances/${heater.id}`);
  const removal = page.getByRole("button", { name: "Remove heater.png" });
  await removal.waitFor();
  await page.getByRole("button", { name: /^Retire / }).click();
  await dialog.getByLabel("Reason").fill("Removed");
  await dialog.getByRole("button", { name: "Retire" }).click();
  await page.getByText("Removed").waitFor();
  await settled(page);
  expect(await page.getByText("heater.png").count()).toBe(1);
  expect(await removal.count()).toBe(0);
  await screenshot(page, "app-retired-appliance", false);
  await goTo(page, `#/properties/${kept.id}/equipment`);
  await page.getByText("No appliances").waitFor();
  await page.getByLabel("Status").selectOption("retired");
  await page.getByRole("heading", { name: "1 retired appliance" }).waitFor();
  for (const width of [375, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    expect(await overflow(page)).toBe(0);
    await screenshot(page, `app-retired-equipment-${width}`, false);
  }
  expect(await accessibilityViolations(page)).toEqual([]);
  await client.put(`/v1/properties/${kept.id}`, { retired_at: today });
  await client.put(`/v1/properties/${sold.id}`, { retired_at: today });
  await page.reload();
  await goTo(page, "#/properties");
  await page.getByRole("link", { name: "Show retired properties" }).click();
  await page.getByText("2 retired properties").waitFor();
  expect(pageErrors).toEqual([]);
  await close();
});

describe("before the first frame of a page", () => {
  let owner: Partner;
  beforeAll(async () => {
    owner = await createPartnerBy(administrator, { name: "Early" });
    for (const name of ["Elm Court", "Elm House"]) await addProperty(server.as(owner), { name, state: "NY" });
  });

  test("a change of its address is followed", async () => {
    const { page, pageErrors, close } = await openApp(browser, server.url, owner.api_key, "#/alerts");
    await page.getByRole("heading", { name: "Alerts", level: 1 }).waitFor();
    await settled(page);
    // The observer is called between the first rendering and the first frame, which comes a second later here.
    await page.addInitScript(() => {
      globalThis.requestAnimationFrame = (frame) => setTimeout(() => frame(performance.now()), 1000) as never;
      const observer = new MutationObserver(() => {
        if (document.querySelector("h1")?.textContent !== "Alerts") return;
        observer.disconnect();
        location.hash = "#/properties";
      });
      observer.observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    await page.getByRole("heading", { name: "Properties", level: 1 }).waitFor();
    await settled(page);
    await page.getByRole("link", { name: "Elm Court" }).waitFor();
    expect(pageErrors).toEqual([]);
    await close();
  });

  test("keys open the search and select a result", async () => {
    const { page, pageErrors, close } = await openApp(browser, server.url, owner.api_key, "#/alerts");
    await page.getByRole("heading", { name: "Alerts", level: 1 }).waitFor();
    await settled(page);
    await page.addInitScript(() => {
      globalThis.requestAnimationFrame = (frame) => setTimeout(() => frame(performance.now()), 1000) as never;
      const press = (target: EventTarget, key: string) =>
        target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      const steps = [
        () => document.querySelector(".search-button") && press(document, "/"),
        () =>
          document.querySelectorAll("[role=option]").length > 1 &&
          press(document.activeElement!, "ArrowDown"),
      ];
      new MutationObserver(() => {
        if (steps[0]?.()) steps.shift();
      }).observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    const field = page.getByRole("dialog").getByRole("combobox");
    await field.fill("elm");
    const results = page.locator(".search-result");
    await results.nth(1).waitFor();
    await settled(page);
    const selected = await results.evaluateAll((all) => all.map(({ ariaSelected }) => ariaSelected));
    expect(selected).toEqual(["false", "true"]);
    expect(pageErrors).toEqual([]);
    await close();
  });
});

test("without JavaScript, the page says that it needs it", async () => {
  const { page, close } = await openWindow(browser, server.url, { javaScriptEnabled: false });
  await page.goto(`${server.url}/embed/app`);
  await page.getByText("This app needs JavaScript").waitFor();
  await close();
});

/** Starts a server that keeps its address across restarts. */
async function serveLastingly() {
  const server = install({ admin: { listen: "127.0.0.1:0" } });
  const args = ["--port", String(await lastingPort())];
  const restart = () => server.start({ args });
  await restart();
  return { server, restart };
}

/** Opens the app, and signs in with a client ID and secret. */
async function openWithClient({ url }: Installation, client: Partner, place: string) {
  const window = await openWindow(browser, url);
  await window.page.goto(`${url}/embed/app${place}`);
  await fillClient(window.page, client);
  return window;
}

async function fillClient(page: Page, { client_id, client_secret }: Partner): Promise<void> {
  await page.getByRole("radio", { name: "Client ID and secret" }).check();
  await page.getByRole("textbox", { name: "Client ID", exact: true }).fill(client_id);
  await page.getByRole("textbox", { name: "Client secret" }).fill(client_secret);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Advances the clock of the page. */
const letPass = (page: Page, minutes: number) =>
  page.evaluate((passed) => {
    const before = Date.now;
    Date.now = () => before() + passed * 60_000;
  }, minutes);

/** Sets the clock of the database to a time at which all tokens have expired. */
const letTokensExpire = (installation: Installation) =>
  installation.sql(`UPDATE clock SET last_instant = ${Date.now() + 3_601_000}`);
