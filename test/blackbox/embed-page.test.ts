import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { createAdministrator, createEmbedBy, createPartnerBy } from "../support/administrator.ts";
import { launchBrowser } from "../support/browser.ts";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import {
  accessibilityViolations,
  animatedElements,
  keepPdf,
  openWindow,
  overflow,
  overflowFaults,
  pageFaults,
  pagesOf,
  screenshot,
  setDetailsOpen,
  textProblems,
  visibleControls,
} from "../support/page-checks.ts";
import { addAppliance, addConditionTrend, addProperty, addWornAppliance } from "../support/portfolio.ts";

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
  const administrator = await createAdministrator(server);
  const partner = await createPartnerBy(administrator, { name: "Acme" });
  client = server.as(partner);
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
    const { token } = await createEmbedBy(administrator, id);
    addresses[name] = `/embed/property/${token}`;
  }
  await addConditionTrend(server, partner.partner_id, demo, 20);
  const ended = await createEmbedBy(administrator, demo);
  await administrator.client.post(`/admin/embeds/${ended.embed_id}/revoke`, undefined, 200);
  addresses.revoked = `/embed/property/${ended.token}`;
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const open = async (name: string, options?: Parameters<typeof openWindow>[2], base = "") => {
  const window = await openWindow(browser, server.url, options);
  const answer = await window.page.goto(`${server.url}${base}${addresses[name]}`);
  return { ...window, status: answer!.status() };
};

let shared: Page | undefined;
/** The page of the demo property, shared by tests that only read it: drawing it costs more than they do. */
const demoPage = async () => {
  shared ??= (await open("demo")).page;
  return shared;
};

const WIDTHS = [375, 768, 1024, 1440, 3840];
const STATES = ["demo", "empty", "large", "strange", "revoked"];
/** The most sheets of paper that a report takes. */
const MOST_SHEETS: Readonly<Record<string, number>> = { demo: 4, empty: 1, large: 4 };

// Rule: embed-accessibility, text-layout
test.each(STATES)(
  "the page in the state %s fits and is accessible on a desktop, a tablet and a phone",
  async (state) => {
    const { page, pageErrors, status, close } = await open(state);
    expect(status).toBe(state === "revoked" ? 404 : 200);
    expect(await page.locator("h1").count()).toBe(1);
    expect(await page.locator("h1 b").count()).toBe(0);
    if (state === "strange")
      expect(await page.locator("h1").innerText()).toStartWith(STRANGE.trim().slice(0, 20));
    // Readers get it closed. The collapsed content is checked as well.
    if (state === "demo") expect(await accessibilityViolations(page)).toEqual([]);
    await setDetailsOpen(page, true);
    expect(await pageFaults(page, `embed-${state}`)).toEqual([]);
    await setDetailsOpen(page, false);
    const texts: Record<number, string[]> = {};
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      texts[width] = [...(await overflowFaults(page, "the page")), ...(await textProblems(page))];
    }
    expect(texts).toEqual(Object.fromEntries(WIDTHS.map((width) => [width, []])));
    if (state in MOST_SHEETS) {
      const pdf = await page.pdf({ format: "Letter" });
      keepPdf(pdf, `embed-${state}`);
      expect(pagesOf(pdf)).toBeWithin(1, MOST_SHEETS[state]! + 1);
      await page.emulateMedia({ media: "print" });
      expect(await visibleControls(page, "summary, button, select")).toEqual([]);
    }
    // The browser logs the 404 itself.
    expect(pageErrors.filter((one) => !one.includes("404"))).toEqual([]);
    await close();
  },
);

// Rule: embed-accessibility
test("the page keeps its line length on a 4K screen, and respects reduced motion", async () => {
  const { page, pageErrors, close } = await open("demo");
  await page.setViewportSize({ width: 3840, height: 2160 });
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

const dollars = (usd: number) => `$${Math.round(usd).toLocaleString("en-US")}`;

// Rule: embed-headline
test("one sentence says what to replace now and what waiting costs, as the API does", async () => {
  const plan = (await client.get(`/v1/property/${demoId}/plan`)).body;
  const { unit_count, component_count, cost, immediate, short_term } = plan.due_now;
  const whole = new Set(plan.units.map((one: Json) => one.appliance_id));
  const due = [...plan.units, ...plan.components.filter((one: Json) => !whole.has(one.appliance_id))].filter(
    (one: Json) => one.due_now !== null,
  );
  expect(due).toHaveLength(unit_count + component_count);
  const delay = due.reduce((sum, one) => sum + one.cost_of_waiting_a_year, 0);
  const { rating } = (await client.get(`/v1/property/${demoId}/condition-score`)).body;
  const [year, month] = plan.as_of.split("-").map(Number);
  const by = new Date(year + 1, month - 1).toLocaleDateString("en-US", { month: "short", year: "numeric" });
  const page = await demoPage();
  expect(await page.locator("#condition .headline").innerText()).toBe(
    `${rating.charAt(0)}${rating.slice(1).toLowerCase()} condition. ${unit_count} whole appliances and ${component_count} components should be replaced ` +
      `(${dollars(cost)}): ${dollars(immediate.cost)} immediately and ${dollars(short_term.cost)} by ${by}. ` +
      `Delaying a year is expected to cost ${dollars(delay)} more.`,
  );
  const figures = await page.locator("#condition .figures dd:nth-of-type(1)").allInnerTexts();
  const { per_year, per_unit_per_year } = plan.level_deposit["50"].noise;
  expect(figures).toEqual([dollars(cost), dollars(delay), dollars(Math.ceil(per_year))]);
  const notes = await page.locator("#condition .figures dd:nth-of-type(2)").allInnerTexts();
  expect(notes[0]).toBe(`${dollars(immediate.cost)} immediately, ${dollars(short_term.cost)} by ${by}`);
  expect(notes[2]).toEndWith(`${dollars(Math.ceil(per_unit_per_year))} per unit`);
  // The costs below repeat the same sums, and no others for the same question.
  expect(await page.locator("#plan").innerText()).toContain(
    `${dollars(cost)}: ${dollars(immediate.cost)} immediately and ${dollars(short_term.cost)} by ${by}`,
  );
  // The table says of each action by when, and its costs add up to the same sums.
  await page.locator("#actions summary").first().click();
  const rows = await page
    .locator("#actions table.actions tbody tr")
    .evaluateAll((all) => all.map((row) => [3, 4].map((at) => row.querySelectorAll("td")[at]!.textContent!)));
  const sumOf = (when: string) => {
    const costs = rows
      .filter(([due]) => due === when)
      .map(([, text]) => Number(text!.replaceAll(/[$,]/g, "")));
    expect(costs).not.toBeEmpty();
    return costs.reduce((sum, one) => sum + one, 0);
  };
  expect(Math.abs(sumOf("Immediately") - immediate.cost)).toBeLessThan(rows.length);
  expect(Math.abs(sumOf(`By ${by}`) - short_term.cost)).toBeLessThan(rows.length);
});

// Rule: embed-actions
test("one table names each action once, the most urgent first, and its first rows are in view", async () => {
  const { units, components } = (await client.get(`/v1/property/${demoId}/plan`)).body;
  const planned = new Set(units.map((one: Json) => one.appliance_id));
  const toDo = [
    ...units,
    ...components.filter((one: Json) => one.policy !== "with_unit" || !planned.has(one.appliance_id)),
  ].filter(({ action }: Json) => !["monitor", "run_to_failure"].includes(action));
  const page = await demoPage();
  const rows = page.locator("#actions table.actions tbody tr");
  expect(await page.locator("#actions table.actions").first().locator("tbody tr").count()).toBe(10);
  await page.locator("#actions summary").first().click();
  const shown = await rows.evaluateAll((all) =>
    all.map((row) => ({
      number: Number(/ × ([\d,]+)/.exec(row.querySelector("th")!.textContent!)?.[1] ?? 1),
      action: row.querySelector(".action")!.textContent!,
      cost: Number(row.querySelectorAll("td")[4]!.textContent!.replaceAll(/[$,]/g, "")),
    })),
  );
  expect(shown.reduce((sum, { number }) => sum + number, 0)).toBe(toDo.length);
  const costs = toDo.reduce((sum: number, one: Json) => sum + (one.price ?? one.proactive_cost), 0);
  expect(Math.abs(shown.reduce((sum, { cost }) => sum + cost, 0) - costs)).toBeLessThan(shown.length);
  const order = ["Immediate hazard", "Replace", "Inspect", "Replace when due"];
  const actions = shown.map(({ action }) => order.indexOf(action));
  expect(actions).toEqual(actions.toSorted((a, b) => a - b));
  expect(actions).not.toContain(-1);
});

// Rule: embed-definitions
test("figures are defined beside them, by keyboard and without a script", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, close } = await open("demo", { javaScriptEnabled });
    const button = page.getByRole("button", { name: "Definition: Yearly reserve" });
    const definition = page.locator("#define-yearlyReserve");
    expect(await definition.isVisible()).toBe(false);
    await button.press("Enter");
    expect(await definition.isVisible()).toBe(true);
    if (javaScriptEnabled) expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await definition.isVisible()).toBe(false);
    await close();
  }
});

test("the sections are in the documented order", async () => {
  const page = await demoPage();
  const ids = await page.locator("section[id]").evaluateAll((all) => all.map(({ id }) => id));
  expect(ids).toEqual([
    "condition",
    "actions",
    "plan",
    "systems",
    "hazards",
    "inspections",
    "over-time",
    "trend",
    "method",
  ]);
});

test("the page works under the base path", async () => {
  const { page, pageErrors, close } = await open("demo", {}, "/api");
  expect(await page.locator("section[id]").count()).toBe(9);
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
    const without = shown.replace(slider, "").replace(/^Print\n+/m, "");
    expect(plain.replace(form, "").trim()).toBe(without.trim());
    await scripted.close();

    const table = page.locator("#systems table").first();
    expect(await table.isVisible()).toBe(false);
    await page.locator("#systems summary").first().click();
    expect(await table.isVisible()).toBe(true);

    const second = await page.locator("#component option").nth(1).getAttribute("value");
    await page.locator("#component").selectOption(second);
    await page.locator("#trend").getByRole("button", { name: "Show" }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get("component") === second);
    expect(await page.locator("#component").inputValue()).toBe(second!);

    await page.locator("#over-time-range").selectOption("30");
    await page.locator("#over-time").getByRole("button", { name: "Show" }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get("range") === "30");
    expect(await page.locator("#over-time tbody tr").count()).toBe(5);

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
    const all = [...plan.units, ...plan.components.filter((one: Json) => one.policy !== "with_unit")]
      .filter((one: Json) => one.comes_first || one.cost_of_waiting_a_year > 0)
      .reduce((sum: number, one: Json) => sum + cents(one.cost_of_waiting_a_year), 0);
    expect(await outcome.innerText()).toBe(
      `${dollars(amount)} covers ${budget.chosen.length} replacements (${dollars(budget.spent)}) and avoids ` +
        `${dollars(budget.avoided)} in 12-month delay costs. ${dollars((all - cents(budget.avoided)) / 100)} is not avoided.`,
    );
    await page.keyboard.press("End");
    expect(await outcome.innerText()).toContain("avoids all ");
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(asked).toEqual([]);
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: chart-values
  test("charts show the value at the pointer, at a touch and by arrow keys, and lead to its list", async () => {
    const { page, pageErrors, close } = await open("demo");
    const chart = page.locator("#over-time .chart").first();
    const readout = chart.locator("output");
    await chart.scrollIntoViewIfNeeded();
    const box = (await chart.locator(".plot").boundingBox())!;
    await page.mouse.move(box.x + box.width - 2, box.y + 50);
    const latest = /: 90, grade A; \$10,000 due$/;
    expect(await readout.innerText()).toMatch(latest);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.mouse.move(0, 0);
    expect(await readout.innerText()).toBe("");
    const slider = page.getByRole("slider", { name: "Values: condition score" });
    await slider.focus();
    await page.keyboard.press("End");
    expect(await readout.innerText()).toMatch(latest);
    const last = await slider.getAttribute("aria-valuemax");
    expect(await slider.getAttribute("aria-valuenow")).toBe(last!);
    await page.keyboard.press("ArrowLeft");
    expect(await readout.innerText()).toEndWith(": 90, grade A; $10,200 due");
    expect(await slider.getAttribute("aria-valuetext")).toBe(await readout.innerText());
    for (const modifier of ["Control", "Shift", "Alt"]) {
      await page.keyboard.press(`${modifier}+Home`);
      expect(await slider.getAttribute("aria-valuenow")).toBe(String(Number(last) - 1));
    }
    expect(await accessibilityViolations(page)).toEqual([]);
    const names = await page.getByRole("slider").evaluateAll((all) => all.map((one) => one.ariaLabel));
    expect(new Set(names).size).toBe(names.length);
    for (const width of [375, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const key of ["Home", "End"]) {
        await page.keyboard.press(key);
        const { x, width: size } = (await readout.boundingBox())!;
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x + size).toBeLessThanOrEqual(width);
      }
      await screenshot(page, `embed-over-time-${width}`, false);
    }
    await page.keyboard.press("Enter");
    await page.waitForURL(({ hash }) => hash === "#actions");
    await page.keyboard.press("Escape");
    expect(await readout.innerText()).toBe("");
    expect(pageErrors).toEqual([]);
    await close();

    const phone = await open("demo", { hasTouch: true, viewport: { width: 375, height: 800 } });
    const years = phone.page.locator("#plan .chart").first();
    await years.scrollIntoViewIfNeeded();
    const first = (await years.locator(".plot").boundingBox())!;
    const at = [first.x + 4, first.y + first.height / 2] as const;
    await phone.page.touchscreen.tap(...at);
    expect(await years.locator("output").innerText()).toStartWith("Year 1: $");
    expect(phone.page.url()).not.toContain("/schedule");
    await phone.page.touchscreen.tap(...at);
    await phone.page.waitForURL(/\/schedule$/);
    await phone.close();
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

    // A second field, as a long history has it. The answer to its first choice comes last.
    const held = Promise.withResolvers<void>();
    const field = `<select name="range" aria-label="Range"><option value="30">30</option><option value="90">90</option></select>`;
    await page.route(/component=/, async (call) => {
      const answer = await call.fetch();
      const body = (await answer.text()).replace(
        /data-replaces="trend".*?(?=<button)/s,
        (form) => form + field,
      );
      if (new URL(call.request().url()).searchParams.get("range") === "90") await held.promise;
      await call.fulfill({ response: answer, body }).catch(() => {});
    });
    await page.reload();
    const range = page.locator("#trend").getByLabel("Range");
    await range.focus();
    await range.selectOption("90");
    await page.locator("#trend[aria-busy]").waitFor();
    await range.selectOption("30");
    await page.locator("#trend:not([aria-busy])").waitFor();
    held.resolve();
    await page.waitForLoadState("networkidle");
    expect(await range.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(new URL(page.url()).searchParams.get("range")).toBe("30");
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
    for (let n = 0; n < 60; n++) {
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
        expect(await page.locator("#systems table").first().isVisible()).toBe(true);
      }
    }
    expect(seen).toEqual(expect.arrayContaining(["SUMMARY", "SELECT", "BUTTON"]));
    expect(pageErrors).toEqual([]);
    await close();
  });
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
  const table = page.locator("#systems details").last();
  await table.locator("summary").click();
  expect(await table.locator("tbody tr").count()).toBe(100);
  await table.getByRole("link", { name: "See all" }).click();
  await page.getByText("1–200 of 2,000").waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole("link", { name: "Next" }).click();
  await page.getByText("201–400 of 2,000").waitFor();
  await page.getByRole("link", { name: "Large Court" }).click();
  await page.locator("#condition").waitFor();
  expect(pageErrors).toEqual([]);
  await close();
});
