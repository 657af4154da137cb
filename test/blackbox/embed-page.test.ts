import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import {
  accessibilityViolations,
  animatedElements,
  inDarkMode,
  keepPdf,
  openWindow,
  overflow,
  pagesOf,
  REDUCED_MOTION,
  screenshot,
  setDetailsOpen,
} from "../support/page-checks.ts";
import { addAppliance, addProperty, addWornAppliance } from "../support/portfolio.ts";

/* The embedded page of a property in a real browser. */

const { serve } = useMainstay();
const STRANGE = `<b>Elm</b> "Court" & 'more' \u05d1\u05d9\u05ea \u0628\u064a\u062a 🏢🔥 `;
const HOST = "http://127.0.0.1";
let server: Installation;
let browser: Browser;
let client: ApiClient;
let demoId: string;
const addresses: Record<string, string> = {};

beforeAll(async () => {
  server = await serve({ embed: { frame_ancestors: ["'self'"] } });
  client = server.as(await server.createPartner());
  const demo = (await client.post("/onboarding/demo-property", undefined)).body.id;
  demoId = demo;
  const empty = (await addProperty(client, { name: "Empty Court" })).id;
  const large = (await addProperty(client, { name: "Large Court", unit_count: 250 })).id;
  const many = Array.from({ length: 250 }, (_, n) => ({
    property_id: large,
    type_id: "refrigerator",
    install_year: 1990 + (n % 36),
  }));
  await client.post("/v1/appliances/bulk", { appliances: many });
  const strange = (await addProperty(client, { name: STRANGE + "x".repeat(500 - STRANGE.length) })).id;
  await addWornAppliance(client, strange, { brand: STRANGE });
  await server.json("snapshot");
  for (const [name, id] of Object.entries({ demo, empty, large, strange })) {
    const { token } = await server.json("embed", "create", id);
    addresses[name] = `/embed/property/${token}`;
  }
  const ended = await server.json("embed", "create", demo);
  await server.json("embed", "revoke", ended.embed_id);
  addresses.revoked = `/embed/property/${ended.token}`;
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const open = async (name: string, options: Parameters<typeof openWindow>[2] = {}, base = "") => {
  const window = await openWindow(browser, server.url, options);
  const answer = await window.page.goto(`${server.url}${base}${addresses[name]}`);
  return { ...window, status: answer!.status() };
};

/** A desktop, a tablet and a phone; two of them also in the dark scheme. */
const SIZES = [
  { width: 1440, height: 900, isDark: true },
  { width: 820, height: 1180, isDark: false },
  { width: 320, height: 640, isDark: true },
];
const STATES = ["demo", "empty", "large", "strange", "revoked"];

// Rule: embed-accessibility
test.each(STATES)(
  "the page in the state %s fits and is accessible on a desktop, a tablet and a phone",
  async (state) => {
    const { page, pageErrors, status, close } = await open(state, REDUCED_MOTION);
    expect(status).toBe(state === "revoked" ? 404 : 200);
    expect(await page.locator("h1").count()).toBe(1);
    expect(await accessibilityViolations(page)).toEqual([]);
    for (const { isDark, ...size } of SIZES) {
      await page.setViewportSize(size);
      expect(await overflow(page), `${size.width}`).toBe(0);
      await screenshot(page, `embed-${state}-${size.width}-light`);
      if (isDark) await inDarkMode(page, () => screenshot(page, `embed-${state}-${size.width}-dark`));
      // Checks the collapsed content as well.
      await setDetailsOpen(page, true);
      expect(await overflow(page), `${size.width}`).toBe(0);
      expect(await accessibilityViolations(page), `${size.width}`).toEqual([]);
      if (isDark)
        await inDarkMode(page, async () =>
          expect(await accessibilityViolations(page), `${size.width} in the dark`).toEqual([]),
        );
      await setDetailsOpen(page, false);
    }
    // The browser logs the 404 itself.
    expect(pageErrors.filter((one) => !one.includes("404"))).toEqual([]);
    await close();
  },
);

// Rule: embed-accessibility
test("the page keeps its line length on a 4K screen, and respects reduced motion", async () => {
  const wall = { viewport: { width: 3840, height: 2160 } };
  const { page, pageErrors, close } = await open("demo", { ...wall, reducedMotion: "reduce" });
  expect(await overflow(page)).toBe(0);
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, "embed-demo-3840-light");
  // The content keeps its width, centered.
  const { x, width } = (await page.locator("main").boundingBox())!;
  expect(width).toBeLessThan(1400);
  expect(Math.abs(x * 2 + width - 3840)).toBeLessThan(2);
  expect(await animatedElements(page)).toEqual([]);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  expect((await animatedElements(page)).length).toBeGreaterThan(0);
  expect(pageErrors).toEqual([]);
  await close();
});

test("identical components share a bar of the timeline, with their number, units and total cost", async () => {
  const all = (await client.get("/v1/components", { property_id: demoId, limit: 200 })).body.components;
  const kinds = Map.groupBy(
    all.filter((one: Json) => one.risk_tier !== "GOOD"),
    (one: Json) => `${one.appliance_type} ${one.component_def_id} ${one.risk_tier}`,
  );
  const lines = [...kinds.values()].map((group) => {
    const dollars = Math.round(group.reduce((sum, one) => sum + one.proactive_cost, 0));
    const windows = group.map(({ failure_window_80 }) => failure_window_80);
    const first = windows.map(({ earliest }) => earliest).toSorted()[0];
    const last = windows
      .map(({ latest }) => latest)
      .toSorted()
      .at(-1);
    const span = [...new Set([first, last].map((day) => day.slice(0, 4)))].join("–");
    const name = group.length === 1 ? "" : `${group.length} × `;
    return `${name}${group[0].component_name}, ${span}, $${dollars.toLocaleString("en-US")}`;
  });
  const { page, close } = await open("demo");
  const shown = await page.locator("#timeline ol li").evaluateAll((items) =>
    items.map((item) => {
      const where = item.querySelector(".label .muted")!.textContent!;
      const name = item.querySelector(".label")!.textContent!.replace(where, "").trim();
      return { name: name + item.querySelector(".visually-hidden")!.textContent!, where: where.trim() };
    }),
  );
  expect(shown.length).toBe(Math.min(lines.length, 14));
  expect(shown.some(({ name }) => name.includes(" × "))).toBe(true);
  for (const { name } of shown) expect(lines).toContain(name);
  await close();
});

test("the sections are in the documented order", async () => {
  const { page, close } = await open("demo");
  const ids = await page.locator("section[id]").evaluateAll((all) => all.map(({ id }) => id));
  expect(ids).toEqual([
    "condition",
    "hazards",
    "attention",
    "plan",
    "systems",
    "timeline",
    "budget",
    "inspections",
    "trend",
    "assumptions",
  ]);
  await close();
});

test("the page works under the base path", async () => {
  const { page, pageErrors, close } = await open("demo", {}, "/api");
  expect(await page.locator("section[id]").count()).toBe(10);
  const color = await page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
  expect(color).toBe("rgb(250, 249, 247)");
  expect(pageErrors).toEqual([]);
  await close();
});

describe("without JavaScript", () => {
  // Rule: embed-accessibility
  test("the page has the same text, its tables open, and another component can be selected", async () => {
    const { page, pageErrors, close } = await open("demo", { javaScriptEnabled: false });
    const scripted = await open("demo");
    const plain = await page.locator("main").innerText();
    const shown = await scripted.page.locator("main").innerText();
    // Scripts replace the form by a slider with its amount.
    const form = /^Budget \(US dollars\)\s+Update$/m;
    const slider = /^Budget\s+\$[\d,]+$/m;
    expect(plain).toMatch(form);
    expect(shown).toMatch(slider);
    const without = shown.replace(slider, "").replace("Print this report", "");
    expect(plain.replace(form, "").trim()).toBe(without.trim());
    await scripted.close();

    const table = page.locator("#systems table");
    expect(await table.isVisible()).toBe(false);
    await page.locator("#systems summary").click();
    expect(await table.isVisible()).toBe(true);

    const second = await page.locator("#component option").nth(1).getAttribute("value");
    await page.locator("#component").selectOption(second);
    await page.locator("#trend").getByRole("button", { name: "Show" }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get("component") === second);
    expect(await page.locator("#component").inputValue()).toBe(second!);

    await page.getByLabel("Budget (US dollars)").fill("5000");
    await page.locator("#plan").getByRole("button", { name: "Update" }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get("budget") === "5000");
    expect(await page.locator("#plan .budget-result").innerText()).toStartWith("$5,000 covers ");
    expect(pageErrors).toEqual([]);
    await close();
  });
});

describe("with JavaScript", () => {
  // Rule: embed-plan
  test("the budget slider selects the same components as the API, without a request", async () => {
    const { page, pageErrors, close } = await open("demo");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const slider = page.locator("#amount");
    const outcome = page.locator("#plan .budget-result");
    const most = Number(await slider.getAttribute("max"));
    await slider.focus();
    await page.keyboard.press("Home");
    expect(await outcome.innerText()).toStartWith("$0 covers no replacements.");
    for (let n = 0; n < 7; n++) await page.keyboard.press("ArrowRight");
    const amount = Number(await slider.inputValue());
    expect(amount).toBeGreaterThan(0);
    expect(amount).toBeLessThan(most);
    const plan = (await client.get(`/v1/property/${demoId}/plan`, { budget: amount })).body;
    const { budget } = plan;
    const cents = (usd: number) => Math.round(usd * 100);
    const dollars = (value: number) => `$${Math.round(value).toLocaleString("en-US")}`;
    const all = [...plan.units, ...plan.components.filter((one: Json) => one.policy !== "with_unit")]
      .filter((one: Json) => one.comes_first || one.cost_of_waiting_a_year > 0)
      .reduce((sum: number, one: Json) => sum + cents(one.cost_of_waiting_a_year), 0);
    expect(await outcome.innerText()).toBe(
      `${dollars(amount)} covers ${budget.chosen.length} replacements (${dollars(budget.spent)}) and avoids ` +
        `${dollars(budget.avoided)} of ${dollars(all / 100)} in 12-month delay costs. ${dollars((all - cents(budget.avoided)) / 100)} is not avoided.`,
    );
    await page.keyboard.press("End");
    expect(await outcome.innerText()).toContain("avoids all ");
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(asked).toEqual([]);
    expect(pageErrors).toEqual([]);
    await close();
  });

  test("another component's trend is loaded in place", async () => {
    const { page, pageErrors, close } = await open("demo");
    await page.evaluate(() => {
      (window as unknown as { stayed: boolean }).stayed = true;
    });
    const third = await page.locator("#component option").nth(2).getAttribute("value");
    const before = await page.locator("#trend").innerText();
    await page.locator("#component").selectOption(third);
    await page.waitForFunction((text) => document.getElementById("trend")!.innerText !== text, before);
    expect(await page.evaluate(() => (window as unknown as { stayed?: boolean }).stayed)).toBe(true);
    await page.waitForURL(({ searchParams }) => searchParams.get("component") === third);
    expect(pageErrors).toEqual([]);
    await close();
  });

  test("an unreachable server is reported, and the rest of the page stays", async () => {
    const own = await serve();
    const partner = own.as(await own.createPartner());
    const { id } = await addProperty(partner);
    await addAppliance(partner, id);
    const { token } = await own.json("embed", "create", id);
    const { page, close } = await openWindow(browser, own.url);
    await page.goto(`${own.url}/embed/property/${token}`);
    await own.stop();
    await page.locator("#component").selectOption({ index: 1 });
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("could not be loaded");
    expect(await page.locator("h1").innerText()).toBe("Elm Court");
    expect(await accessibilityViolations(page)).toEqual([]);
    await close();
  });

  // Rule: embed-accessibility
  test("everything works by keyboard, with visible focus", async () => {
    const { page, pageErrors, close } = await open("demo");
    const seen: string[] = [];
    for (let n = 0; n < 40; n++) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        const { outlineStyle, boxShadow } = getComputedStyle(element);
        return {
          name: element.tagName,
          text: element.innerText,
          isSeen: outlineStyle !== "none" || boxShadow !== "none",
        };
      });
      if (at.name === "BODY") break;
      expect(at.isSeen, JSON.stringify(at)).toBe(true);
      seen.push(at.name);
      if (at.text?.endsWith(": Risk by building system")) {
        await page.keyboard.press("Enter");
        expect(await page.locator("#systems table").isVisible()).toBe(true);
      }
    }
    expect(seen).toEqual(expect.arrayContaining(["SUMMARY", "SELECT", "BUTTON"]));
    expect(pageErrors).toEqual([]);
    await close();
  });
});

test("it prints as a report of a few pages, without controls", async () => {
  for (const [state, most] of [
    ["demo", 5],
    ["large", 4],
    ["empty", 1],
  ] as const) {
    const { page, close } = await open(state);
    const pdf = await page.pdf({ format: "Letter" });
    keepPdf(pdf, `embed-${state}`);
    expect(pagesOf(pdf)).toBeGreaterThan(0);
    expect(pagesOf(pdf), state).toBeLessThanOrEqual(most);
    await page.emulateMedia({ media: "print" });
    for (const control of ["summary", "button", "select"])
      for (const one of await page.locator(control).all()) expect(await one.isVisible(), control).toBe(false);
    await close();
  }
});

test("names from partners are escaped", async () => {
  const { page, close } = await open("strange");
  const heading = await page.locator("h1").innerText();
  expect(heading).toStartWith(STRANGE.trim().slice(0, 20));
  expect(await page.locator("h1 b").count()).toBe(0);
  await close();
});

test("dates and numbers are the same in every time zone and language", async () => {
  const texts = [];
  for (const [timezoneId, locale] of [
    ["Pacific/Honolulu", "en-US"],
    ["Asia/Tokyo", "de-DE"],
  ]) {
    const { page, close } = await open("demo", { timezoneId, locale } as object);
    texts.push(await page.locator("main").innerText());
    await close();
  }
  expect(texts[0]).toBe(texts[1]!);
});

test("only the configured sites may frame it", async () => {
  const stranger = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => host(`${server.url}${addresses.demo}`),
  });
  const friend = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => host(`${own.url}${address}`) });
  const own = await serve({ embed: { frame_ancestors: [`${HOST}:${friend.port}`] } });
  const partner = own.as(await own.createPartner());
  const { id } = await addProperty(partner);
  const address = `/embed/property/${(await own.json("embed", "create", id)).token}`;
  try {
    const page = await browser.newPage();
    await page.goto(`${HOST}:${friend.port}/`);
    await page.frameLocator("iframe").getByText("No assessment yet").waitFor();
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.goto(`${HOST}:${stranger.port}/`);
    await refused;
    expect(await page.frameLocator("iframe").locator("h1").count()).toBe(0);
    await page.close();
  } finally {
    await stranger.stop(true);
    await friend.stop(true);
  }
});

const host = (url: string) =>
  new Response(
    `<!doctype html><title>A portal</title><iframe src="${url}" width="800" height="600"></iframe>`,
    {
      headers: { "content-type": "text/html" },
    },
  );

test("all components of a large property are listed on pages", async () => {
  const { page, pageErrors, close } = await open("large");
  await page.locator("#attention summary").click();
  expect(await page.locator("#attention tbody tr").count()).toBe(100);
  await page.locator("#attention").getByRole("link", { name: "See all" }).click();
  await page.getByText("1–200 of 2,000").waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole("link", { name: "Next" }).click();
  await page.getByText("201–400 of 2,000").waitFor();
  await page.getByRole("link", { name: "Large Court" }).click();
  await page.locator("#condition").waitFor();
  expect(pageErrors).toEqual([]);
  await close();
});
