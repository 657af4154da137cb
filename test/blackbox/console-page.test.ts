import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { readXlsx } from "hucre/xlsx";
import type { Browser, Page } from "playwright-core";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import { goTo, hashOf, openConsole, settled } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import {
  accessibilityViolations,
  dialogProblems,
  NO_DIALOG_OPENED,
  openWindow,
  overflow,
  pageFaults,
  pagesOf,
  screenshot,
  textProblems,
} from "../support/page-checks.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";
import { startReceiver } from "../support/receiver.ts";

/* The operator console in a browser. */

const { serve } = useMainstay();
let full: Installation;
let empty: Installation;
let browser: Browser;
let keys: Record<"full" | "empty", Administrator>;
let partnerId: string;
let deliveryId: string;
let componentId: string;
let propertyId: string;
let applianceId: string;

beforeAll(async () => {
  const settings = {
    webhooks: { allow_networks: ["127.0.0.0/8"] },
    rm: { token: "secret-rm-token" },
  };
  full = await serve(settings);
  empty = await serve();
  keys = { full: await createAdministrator(full), empty: await createAdministrator(empty) };
  const receiver = await startReceiver({
    behave: ({ body }) => ({
      status: body.includes("property.created") ? 500 : 503,
      body: "closed for repairs",
    }),
  });
  const admin = keys.full.client;
  const partner = await createPartnerBy(keys.full, {
    name: "Harbor & Hill <b>Insurance</b>",
    webhook_url: receiver.url,
  });
  partnerId = partner.partner_id;
  for (const name of ODD_NAMES) await createPartnerBy(keys.full, { name });
  const off = await createPartnerBy(keys.full, { name: "Former Partner" });
  await admin.post(`/admin/partners/${off.partner_id}/disable`, undefined, 200);
  const client = full.as(partner);
  const demo = (await client.post("/onboarding/demo-property", undefined)).body;
  const embed = async (property_id: string, fields = {}): Promise<Json> =>
    (await admin.post("/admin/embeds", { property_id, ...fields })).body;
  const viewed = await embed(demo.id);
  for (let view = 0; view < 3; view++) await fetch(`${full.url}/embed/property/${viewed.token}`);
  // Views are stored at a stop.
  await full.stop();
  await full.start();
  for (let call = 0; call < 30; call++) await client.get("/v1/ping");
  await full.json("snapshot");
  const property = await addProperty(client, { name: ODD_NAMES[2]!.slice(0, 500) });
  for (const name of ODD_NAMES) {
    const { id } = await addProperty(client, { name });
    await embed(id);
  }
  const ended = await embed(property.id, { expires_days: 90 });
  await admin.post(`/admin/embeds/${ended.embed_id}/revoke`, undefined, 200);
  ({
    id: componentId,
    property_id: propertyId,
    appliance_id: applianceId,
  } = (await client.get("/v1/alerts")).body.alerts[0]);
  deliveryId = (await admin.post(`/admin/partners/${partnerId}/webhook-test`, undefined, 202)).body.id;
  await receiver.waitFor((received) => received.length > 0);
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const DEMO = "Maple Court (demo)";
/** Names that pages must display without overflow: right-to-left, without spaces, emoji, markup. */
const ODD_NAMES = [
  "Quiet Lender",
  "شركة التأمين العقاري ‮evil‬",
  `🏚️👩‍👩‍👧‍👦 ${"W".repeat(480)}`,
  "<script>alert(1)</script> & \"quoted\" 'names'",
];

type Options = Parameters<typeof openWindow>[2];

/** Opens the console at a place and signs its administrator in. */
const open = (state: "full" | "empty", place = "", options?: Options) =>
  openConsole(browser, state === "full" ? full : empty, keys[state].key, `#/${place}`, options);

async function signIn(page: Page, key: string): Promise<void> {
  await submitKey(page, key);
  await signedIn(page);
}

async function submitKey(page: Page, key: string): Promise<void> {
  await page.getByLabel("Administrator key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function signedIn(page: Page): Promise<void> {
  await page.locator(".top").waitFor();
  await settled(page);
}

const PLACES = [
  ...["", "partners", "usage", "deliveries", "components", "embeds"],
  ...["snapshots", "model", "jobs", "audit", "settings", "administrators"],
];

const WIDTHS = [320, 768, 1024, 1440, 3840];

/** The name of a place in names of screenshots. */
const nameOf = (place: string) =>
  place === "" ? "overview" : place.replace(/\/.*/, "-one").replace(/\?.*/, "-some");

describe("the console", () => {
  // Rule: console-pages, dialogs, text-layout
  test("fits every window and is accessible; no dialog leaves the screen, and no text is cut off or crosses another", async () => {
    const { page, pageErrors, close } = await open("full");
    const places = {
      ...Object.fromEntries(PLACES.map((place) => [place, false])),
      partners: true,
      deliveries: true,
      embeds: true,
      snapshots: true,
      model: true,
      jobs: true,
      [`partners/${partnerId}`]: true,
      [`partners/${partnerId}/costs`]: false,
      [`deliveries/${deliveryId}`]: true,
      [`components/${componentId}`]: true,
      [`components?of=${partnerId}`]: false,
      book: false,
      "book?view=alerts": false,
      "book?view=losses": false,
      [`book/${propertyId}`]: false,
      [`properties/${propertyId}`]: false,
      [`appliances/${applianceId}`]: false,
    };
    const found: string[] = [];
    let dialogs = 0;
    for (const [place, hasDialogs] of Object.entries(places)) {
      await goTo(page, `#/${place}`);
      expect(await page.locator("h1").count()).toBe(1);
      const inWidth = async (width: number) => {
        const problems = await textProblems(page);
        if (!hasDialogs || (width !== 320 && width !== 1440)) return problems;
        const inDialogs = await dialogProblems(page);
        if (!inDialogs.includes(NO_DIALOG_OPENED)) dialogs++;
        return [...problems, ...inDialogs.filter((one) => one !== NO_DIALOG_OPENED)];
      };
      found.push(...(await pageFaults(page, `console-full-${nameOf(place)}`, WIDTHS, inWidth)));
      if (place === "settings") expect(pagesOf(await page.pdf({ format: "Letter" }))).toBeLessThanOrEqual(4);
    }
    await goTo(page, "#/");
    await page.setViewportSize({ width: 375, height: 800 });
    // The two figures of a row are level.
    const tops = await page
      .locator(".figures.card dt")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(Math.ceil(tops.length / 2));
    await page.evaluate(() => {
      for (const count of document.querySelectorAll(".figures dd")) count.textContent = "12,345,678";
    });
    found.push(...(await textProblems(page)));
    expect(found).toEqual([]);
    expect(dialogs).toBeGreaterThanOrEqual(10);
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: console-pages
  test("fits every window and is accessible without data", async () => {
    const { page, pageErrors, close } = await open("empty");
    const faults: string[] = [];
    for (const place of PLACES) {
      await goTo(page, `#/${place}`);
      expect(await page.locator("h1").count()).toBe(1);
      faults.push(...(await pageFaults(page, `console-empty-${nameOf(place)}`)));
    }
    expect(faults).toEqual([]);
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: console-search
  test("has a search over everything that opens with a key and is operated by keys alone", async () => {
    const { page, pageErrors, close } = await open("full", "jobs");
    await page.locator("main").focus();
    await page.keyboard.press("/");
    const field = page.getByRole("combobox", { name: /^Search partners/ });
    await field.fill("harbor & h");
    const options = page.getByRole("option");
    await options.first().waitFor();
    expect(await options.allInnerTexts()).toEqual([`Harbor & Hill <b>Insurance</b>\n${partnerId}\nPartner`]);
    await field.fill("a");
    await page.getByRole("option", { name: "Audit Operate Page" }).waitFor();
    const found = await options.count();
    await page
      .getByText(`${found} results. Use the arrow keys to select, Enter to open, Escape to close.`)
      .waitFor();
    for (const width of [375, 1440]) {
      await page.setViewportSize({ width, height: 700 });
      expect(await accessibilityViolations(page)).toEqual([]);
      const sizes = await page.locator(".search-dialog .card").evaluate((card) => {
        const list = card.querySelector(".search-results")!;
        return [list.scrollHeight > list.clientHeight, card.scrollHeight - card.clientHeight];
      });
      expect(sizes).toEqual([true, 0]);
    }
    await field.fill("harbor & h");
    await page.getByRole("option", { name: "Audit Operate Page" }).waitFor({ state: "detached" });
    await field.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Harbor & Hill" }).waitFor();
    await page.keyboard.press("Control+k");
    await field.fill("pause_after");
    await page.getByRole("option", { name: /^webhooks.pause_after_failures/ }).click();
    await page.getByText("1 setting", { exact: true }).waitFor();
    await page.getByText("Accepts a whole number from 0 to 10000").waitFor();
    expect(pageErrors).toEqual([]);
    await close();
  });
});

describe("signing in", () => {
  // Rule: console-session
  test("needs JavaScript, and a card in the middle of the page says so without it", async () => {
    const { page, close } = await openWindow(browser, empty.adminUrl, { javaScriptEnabled: false });
    await page.goto(`${empty.adminUrl}/console`);
    const { x, y, width } = (await page.locator(".card", { hasText: "needs JavaScript" }).boundingBox())!;
    expect([x > 400, y > 200, width < 500]).toEqual([true, true, true]);
    await close();
  });

  // Rule: console-session
  test("rejects a wrong key with a message, and exposes neither the key nor the cookie to scripts", async () => {
    const { page, pageErrors, close } = await openWindow(browser, full.adminUrl);
    await page.goto(`${full.adminUrl}/console#/jobs`);
    await submitKey(page, "svc_admin_wrong");
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("Invalid or revoked administrator key");
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, "console-wrong-key");
    await signIn(page, keys.full.key);
    expect(await page.locator("h1").innerText()).toBe("Jobs");
    const held = await page.evaluate(
      () =>
        document.cookie +
        JSON.stringify(localStorage) +
        JSON.stringify(sessionStorage) +
        document.body.innerHTML,
    );
    expect(held).not.toContain("svc_admin_");
    expect(held).not.toContain("mainstay_console");
    await page.addInitScript(() => {
      const drawn: string[] = [];
      new MutationObserver(() => {
        if (document.querySelector("form [name=admin_key]")) drawn.push("sign-in form");
      }).observe(document, { childList: true, subtree: true });
      Object.assign(globalThis, { drawn });
    });
    await page.reload();
    await signedIn(page);
    expect(await page.evaluate(() => (globalThis as { drawn?: string[] }).drawn)).toEqual([]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Administrator key").waitFor();
    await page.reload();
    await page.getByLabel("Administrator key").waitFor();
    // The browser logs the 401 response.
    expect(pageErrors.filter((one) => !one.includes("401"))).toEqual([]);
    await close();
  });

  // Rule: console-session
  test("is required again after the key is revoked, and returns to the same page", async () => {
    const other = await createAdministrator(full, "Short-lived");
    const { page, close } = await openWindow(browser, full.adminUrl);
    await page.goto(`${full.adminUrl}/console#/snapshots`);
    await signIn(page, other.key);
    await full.json("admin", "revoke", other.id);
    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("Your session has ended");
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, "console-expired");
    await signIn(page, keys.full.key);
    expect(await page.locator("h1").innerText()).toBe("Audit log");
    await close();
  });
});

test("an unreachable server is reported, and loaded data stays visible", async () => {
  const own = await serve();
  const { key } = await createAdministrator(own);
  const { page, close } = await openWindow(browser, own.adminUrl);
  await page.goto(`${own.adminUrl}/console#/deliveries`);
  await signIn(page, key);
  await own.stop();
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.locator(".stale").waitFor();
  expect(await page.locator(".empty-state").innerText()).toContain("No deliveries yet");
  await page.getByRole("link", { name: "Jobs" }).click();
  await page.locator(".failed").waitFor();
  expect(await page.locator(".failed").innerText()).toContain("No connection");
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, "console-offline");
  await close();
});

describe("a component", () => {
  // Rule: console-explanation
  test("is found by the ID of its property, with an explanation of its score", async () => {
    const { page, pageErrors, close } = await open("full", "components");
    const { component, score, evidence, changes } = (
      await keys.full.client.get(`/admin/components/${componentId}/explanation`)
    ).body;
    const lookUp = page.getByLabel("Component, appliance, property or partner ID");
    await lookUp.fill("12345");
    await page.keyboard.press("Enter");
    await page.getByText("Enter an ID that starts with C_").waitFor();
    await lookUp.fill(component.property_id);
    await page.keyboard.press("Enter");
    await page.locator(`a.name[href$="/${componentId}"]`).click();
    await page.getByRole("heading", { name: "Score breakdown" }).waitFor();
    await settled(page);
    expect(await page.locator("h1").textContent()).toBe(component.component_name);
    const text = await page.locator("main").innerText();
    for (const { label } of evidence) expect(text).toContain(label);
    expect(text).toContain(score.risk_score.toFixed(2));
    const rows = await page.locator("#what-if tbody tr").allInnerTexts();
    expect(rows).toHaveLength(changes.length + 1);
    for (const [at, { risk_score }] of changes.entries())
      expect(rows[at + 1]).toContain(risk_score.toFixed(2));
    const curve = page.locator("#age .chart");
    const values = curve.getByRole("slider", { name: "Values: share still working by age" });
    await values.press("End");
    expect(await curve.locator(".readout").innerText()).toMatch(
      /^After [\d.]+ years of normal use: .*% still working$/,
    );
    await curve.locator(".plot").hover({ position: { x: 0, y: 50 } });
    expect(await curve.locator(".readout").innerText()).toBe(
      "After 0 years of normal use: 100% still working",
    );
    await goTo(page, "#/components/C_none");
    await page.getByRole("heading", { name: "Not found" }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(pageErrors.filter((one) => !one.includes("404"))).toEqual([]);
    await close();
  });
});

describe("changes", () => {
  // Rule: console-changes
  test("a partner can be created by keyboard; its credentials are shown once, work and can be copied", async () => {
    const { page, pageErrors, close } = await open("empty", "partners", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByRole("button", { name: "New partner" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Company name").focus();
    await page.keyboard.type("By Keyboard");
    await page.keyboard.press("Tab");
    await page.keyboard.type("123");
    await page.keyboard.press("Enter");
    const shown = page.getByRole("alert", { name: "Credentials for By Keyboard" });
    await shown.waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, "console-credentials");
    const key = await shown.locator("code").first().innerText();
    await page.getByRole("button", { name: "Copy API key" }).press("Enter");
    await page.getByText("Copied", { exact: true }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    expect((await empty.as({ api_key: key }).get("/v1/ping")).body.partner).toBe("By Keyboard");
    await page.getByRole("button", { name: "I have saved these" }).click();
    expect(await page.content()).not.toContain(key);

    await page.getByRole("link", { name: "By Keyboard" }).click();
    await page.getByRole("button", { name: "Rotate API key" }).click();
    const dialog = page.getByRole("dialog");
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, "console-confirm-dialog");
    await dialog.getByRole("button", { name: "Cancel" }).press("Enter");
    await empty.as({ api_key: key }).get("/v1/ping");
    await page.getByRole("button", { name: "Rotate API key" }).click();
    await dialog.getByRole("button", { name: "Rotate API key" }).press("Enter");
    const renewed = await page
      .getByRole("alert", { name: "New credentials for By Keyboard" })
      .locator("code")
      .innerText();
    await empty.as({ api_key: key }).get("/v1/ping", {}, 401);
    await empty.as({ api_key: renewed }).get("/v1/ping");
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: console-changes
  test("a partner's name, call limit and subscribed events can be changed, and it can be disabled and enabled", async () => {
    const { page, pageErrors, close } = await open("full", `partners/${partnerId}`);
    const ofForm = await page.getByLabel("Daily API call limit").elementHandle();
    await ofForm!.fill("4321");
    const renamed = `${await page.getByLabel("Name", { exact: true }).inputValue()} Inc.`;
    await page.getByLabel("Name", { exact: true }).fill(renamed);
    await page.getByLabel("sensor.received").uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    // The form is replaced once the page has read what it saved. Read later, it would have the changes below.
    await ofForm!.waitForElementState("hidden");
    const { body } = await keys.full.client.get(`/admin/partners/${partnerId}`);
    expect(body.daily_budget).toBe(4321);
    expect(body.name).toBe(renamed);
    expect(body.webhook_events).toHaveLength(9);
    // Changes that others make while the page is open stay.
    const events = ["component.warning", "component.critical"];
    await keys.full.client.put(`/admin/partners/${partnerId}`, {
      daily_budget: 5000,
      webhook_events: events,
    });
    await page.getByLabel("Concurrent deliveries").fill("3");
    await page.getByLabel("Daily API call limit").fill("6000");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("“Daily API call limit” was changed while this form was open.").waitFor();
    await page.getByLabel("Daily API call limit").fill("4321");
    await page.getByRole("button", { name: "Save" }).click();
    await eventually(async () =>
      expect((await keys.full.client.get(`/admin/partners/${partnerId}`)).body).toMatchObject({
        daily_budget: 5000,
        webhook_events: events,
        webhook_concurrency: 3,
      }),
    );
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("button", { name: "Disable" }).waitFor();
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: console-changes, jobs
  test("failed deliveries in a time window are counted and resent; a job can be run", async () => {
    const { page, pageErrors, close } = await open("full", `deliveries?partner_id=${partnerId}`);
    const figure = page.locator("dt", { hasText: "Failed deliveries (24 h)" }).locator("+ dd");
    const errors = async () => {
      const { groups } = (await keys.full.client.get("/admin/webhook-failures")).body;
      return groups.map(({ error }: Json) => error).sort();
    };
    await eventually(async () => expect(await errors()).toEqual(["HTTP 500", "HTTP 503"]));
    await goTo(page, "#/");
    await figure.getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "Deliveries" }).waitFor();
    expect(await page.getByLabel("Status").inputValue()).toBe("failed");
    await goTo(page, `#/deliveries?partner_id=${partnerId}`);
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.clock.install({ time: Date.now() });
    await page.getByLabel("Period").selectOption("Last 24 hours");
    await page.getByText("all events of the selected period").waitFor();
    const isMoved = page.waitForRequest((one) => {
      const since = new URL(one.url()).searchParams.get("since");
      return (
        one.url().includes("webhook-failures") &&
        since !== null &&
        Date.parse(since) > Date.now() - 84_600_000
      );
    });
    await page.clock.fastForward(3_600_000);
    await page.getByRole("button", { name: "Refresh" }).click();
    await isMoved;
    await page.clock.setSystemTime(Date.now());
    await page.getByRole("button", { name: "Refresh" }).click();
    await settled(page);
    await page.getByRole("button", { name: /^Resend all \d+ to Harbor & Hill/ }).click();
    await page.getByRole("dialog").getByText("With any error, created from").waitFor();
    await page.keyboard.press("Escape");
    await page
      .getByRole("row", { name: /HTTP 503/ })
      .getByRole("button", { name: /^Resend \d+ deliver/ })
      .click();
    await page.getByRole("dialog").getByText("With the error “HTTP 503”").waitFor();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Resend \d+$/ })
      .click();
    await page.getByText(/^\d+ deliver(y|ies) queued\.$/).waitFor();
    await goTo(page, `#/audit?action=delivery.resend_failed&partner_id=${partnerId}`);
    await page.getByText(/resent \d+ failed deliver(y|ies) of/).waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV (1)" }).click();
    const csv = readFileSync(await (await saved).path(), "utf8");
    expect(csv.split("\n")[0]).toBe(
      "seq,at,actor,actor_name,action,subject,partner_id,partner_name,sentence",
    );
    expect(csv.split("\n")).toHaveLength(3);

    await goTo(page, `#/deliveries/${deliveryId}`);
    await page.getByRole("button", { name: "Show headers" }).click();
    await page.getByText("x-service-signature", { exact: true }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.getByRole("link", { name: "Jobs" }).click();
    await page.getByRole("button", { name: "Run now: Delete expired idempotency records" }).click();
    await page.getByText("Delete expired idempotency records: started.").waitFor();
    const names = await page.locator(".jobs h2").allInnerTexts();
    expect(names.filter((name) => !/^[A-Z]/.test(name))).toEqual([]);
    await goTo(page, "#/administrators");
    await page
      .getByRole("link", { name: /^Show changes by / })
      .first()
      .click();
    await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: console-model
  test("a calibration without enough data says what is missing", async () => {
    const { page, pageErrors, close } = await open("full", "model");
    await page.getByRole("button", { name: "Run calibration" }).click();
    const alert = page.locator("#proposal").getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toStartWith(
      "Less than one year of service history is recorded. Calibration needs",
    );
    expect(await page.getByRole("button", { name: "Activate" }).count()).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, "console-model-refused");
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: console-changes
  test("an embed is created, with its token shown once, and revoked", async () => {
    const { page, pageErrors, close } = await open("full", "embeds");
    const { property_id } = (await keys.full.client.get(`/admin/components/${componentId}/explanation`)).body
      .component;
    await page.getByRole("button", { name: "New embed" }).click();
    await page.getByLabel("Search by name or address").fill("no such property");
    await page.keyboard.press("Enter");
    await page.getByText("No property matches these words.").waitFor();
    await page.getByRole("button", { name: "Create embed" }).press("Enter");
    await page.getByText("Choose a property.").waitFor();
    await screenshot(page, "console-embed-without-property");
    await page.getByLabel("Search by name or address").fill(DEMO);
    await page.keyboard.press("Enter");
    await page
      .getByRole("radio", { name: /^Maple Court \(demo\).*Harbor & Hill/ })
      .first()
      .check();
    await page.getByLabel("Expires after (days)").fill("30");
    await page.getByLabel("Label").fill("Credit committee");
    await page.getByLabel("Recipient").fill("First National Bank");
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    const shown = page.getByRole("alert", { name: "New embed" });
    await shown.getByRole("button", { name: "Copy URL" }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    const address = await shown.locator("code").first().innerText();
    expect((await fetch(address)).status).toBe(200);
    await page.getByRole("button", { name: "I have saved these" }).click();
    expect(await page.content()).not.toContain(address.slice(-20));
    await goTo(page, "#/jobs");
    await goTo(page, `#/embeds?property_id=${property_id}`);
    await page.getByRole("button", { name: "Edit the link to" }).first().click();
    expect(await page.getByRole("heading", { name: "New embed" }).count()).toBe(0);
    const editor = page.getByRole("dialog");
    await editor.getByLabel("Recipient").fill("Second National Bank");
    await editor.getByLabel("Passcode").fill("cedar-8361");
    const changes: unknown[] = [];
    await page.route("**/admin/embeds/*", async (call) => {
      changes.push(call.request().postDataJSON());
      await (changes.length === 1 ? call.abort() : call.continue());
    });
    await page.getByRole("button", { name: "Save" }).press("Enter");
    await editor.getByRole("alert").waitFor();
    pageErrors.splice(0);
    expect(await editor.getByLabel("Recipient").inputValue()).toBe("Second National Bank");
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Save" }).press("Enter");
    await page.getByText("Credit committee · for Second National Bank · passcode").waitFor();
    expect(changes[1]).toEqual({ recipient: "Second National Bank", passcode: "cedar-8361" });
    expect((await fetch(address)).status).toBe(403);
    await page.getByRole("button", { name: "Edit the link to" }).first().click();
    await editor.getByLabel("Passcode", { exact: true }).fill("cedar-8362");
    await editor.getByLabel("Remove the passcode").check();
    await page.getByRole("button", { name: "Save" }).press("Enter");
    await editor.getByText("Enter a new passcode or remove it, not both.").waitFor();
    expect(await editor.getByLabel("Remove the passcode").isChecked()).toBe(true);
    await screenshot(page, "console-embed-edit");
    await editor.getByRole("button", { name: "Cancel" }).press("Enter");
    expect(changes).toHaveLength(2);
    await page.getByRole("button", { name: "Revoke" }).first().press("Enter");
    expect(await accessibilityViolations(page)).toEqual([]);
    const dialog = page.getByRole("dialog");
    const text = await dialog
      .locator("form > p")
      .first()
      .evaluate((paragraph) => {
        const right = paragraph.closest("form")!.getBoundingClientRect().right;
        const range = document.createRange();
        range.selectNodeContents(paragraph);
        return {
          isInside: range.getBoundingClientRect().right < right,
          align: getComputedStyle(paragraph).textAlign,
        };
      });
    expect(text).toEqual({ isInside: true, align: "start" });
    await dialog.getByRole("button", { name: "Revoke" }).press("Enter");
    await page.getByText("Link revoked.").waitFor();
    expect((await fetch(address)).status).toBe(404);
    const { entries } = (await keys.full.client.get("/admin/audit", { limit: 3 })).body;
    expect(entries.map(({ actor, action }: Json) => [actor, action])).toEqual([
      [keys.full.id, "embed.revoke"],
      [keys.full.id, "embed.update"],
      [keys.full.id, "embed.create"],
    ]);
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: embed-views
  test("the views of an embed are listed in a dialog, on any screen", async () => {
    const { page, pageErrors, close } = await open("full", "embeds");
    await page.getByRole("button", { name: `3 views of ${DEMO}` }).click();
    const dialog = page.getByRole("dialog", { name: `Views of ${DEMO}` });
    await dialog.waitFor();
    expect(await dialog.getByRole("row").count()).toBe(4);
    expect(await dialog.getByRole("cell", { name: "127.0.0.1" }).count()).toBe(3);
    for (const width of [375, 768, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const { x, width: wide } = (await dialog.boundingBox())!;
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + wide).toBeLessThanOrEqual(width);
      expect(await overflow(page)).toBe(0);
      expect(await accessibilityViolations(page), `${width}`).toEqual([]);
      await screenshot(page, `console-embed-views-${width}`);
    }
    await dialog.getByRole("button", { name: "Close" }).press("Enter");
    await dialog.waitFor({ state: "detached" });
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: console-changes
  test("an endpoint is checked, sent the current alerts after a count, and tested; deliveries can be filtered", async () => {
    const receiver = await startReceiver();
    const partner = await createPartnerBy(keys.full, { name: "Ready & Waiting", webhook_url: receiver.url });
    const client = full.as(partner);
    const property = await addProperty(client);
    await addWornAppliance(client, property.id);
    const { critical_count, warning_count } = (await client.get("/v1/alerts")).body;
    const all = critical_count + warning_count;
    const { page, pageErrors, close } = await open("full", "partners?search=waiting");
    await page.getByRole("link", { name: "Ready & Waiting" }).click();
    await page.getByRole("button", { name: "Check signature verification" }).click();
    await page.getByText("Does not verify signatures", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Send current alerts" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(`${all} deliveries`).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, "console-send-alerts");
    await dialog.getByRole("button", { name: "Send current alerts" }).click();
    await page.getByText(`: ${all} deliveries.`).waitFor();
    await receiver.waitFor(
      (received) => received.filter(({ event }) => event.startsWith("component.")).length === all,
    );
    await page.getByRole("button", { name: "Send test event" }).click();
    await dialog.getByLabel("Message").fill("Test <b>message</b>");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "webhook.test" }).waitFor();
    await page.getByText("Test <b>message</b>").waitFor();

    await goTo(page, "#/deliveries");
    await page.getByLabel("Partner").first().fill("waiting");
    const option = `Ready & Waiting · ${partner.partner_id}`;
    await page.locator(`datalist option[value="${option}"]`).first().waitFor({ state: "attached" });
    await page.getByLabel("Partner").first().fill(option);
    const { total } = (
      await keys.full.client.get("/admin/webhook-deliveries", { partner_id: partner.partner_id })
    ).body;
    await page.locator(".pager [role=status]", { hasText: new RegExp(`^${total} deliveries$`) }).waitFor();
    await page.getByLabel("Period").selectOption("Custom");
    await page.getByLabel("Until (UTC)").fill("2026-01-01T00:00");
    await page.getByText("No matching deliveries").waitFor();
    expect(await hashOf(page)).toContain("until=2026-01-01T00%3A00%3A00Z");
    await page.goBack();
    expect(pageErrors).toEqual([]);
    await close();
    await receiver.close();
  });

  // Rule: console-changes
  test("a partner and its reserve schedules are exported, and it is deleted after its name is typed; the usage of all partners is downloaded", async () => {
    const name = `Gone ${ODD_NAMES[1]} "& <i>Sons</i>`;
    const partner = await createPartnerBy(keys.full, { name });
    const { id } = await addProperty(full.as(partner), { name: "Elm <b>Court</b>" });
    const { page, pageErrors, close } = await open("full", `properties/${id}`);
    const subjectOfSchedule = async () => {
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "Reserve schedule (XLSX)" }).click();
      return String((await readXlsx(readFileSync(await (await saved).path()))).sheets[0]!.rows[1]![0]);
    };
    expect(await subjectOfSchedule()).toBe("Elm <b>Court</b>");
    await goTo(page, `#/partners/${partner.partner_id}`);
    expect(await subjectOfSchedule()).toStartWith("Gone ");
    const [exported] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export data" }).click(),
    ]);
    expect(exported.suggestedFilename()).toBe(`${partner.partner_id}.ndjson`);
    expect(readFileSync(await exported.path(), "utf8")).toContain("Elm <b>Court</b>");
    await page.getByRole("button", { name: "Delete permanently" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").fill("Gone");
    await page.keyboard.press("Enter");
    await dialog.getByText("The name does not match.").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, "console-purge");
    await dialog.getByRole("textbox").fill(name);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Partner deleted" }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await full.as(partner).get("/v1/ping", {}, 401);
    await goTo(page, "#/usage");
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    const rows = readFileSync(await saved.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect(rows[0]).toBe("partner_id,day,calls,billable_units,name");
    expect(rows.slice(1).every((row) => row.startsWith("PARTNER_"))).toBe(true);
    expect(rows.some((row) => row.includes(partner.partner_id))).toBe(false);
    expect(pageErrors).toEqual([]);
    await close();
  });
});
