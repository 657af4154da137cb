import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import { goTo, openApp, settled } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import type { ApiClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { openWindow, overflow, setDetailsOpen } from "../support/page-checks.ts";
import { addProperty, addWornAppliance, logEvents } from "../support/portfolio.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { photoForm } from "../support/records.ts";

/*
 * Visits every page in a browser with texts that attack it in every field that others write: partners, administrators
 * and receivers. A page shows them as text: no script runs, no element and no style rule is created, nothing is
 * requested from another host, and the page keeps its layout.
 */

const ATTACKS = [
  `<x-planted>`,
  // The footer of a printed page has the first 60 characters of a name in it.
  `"}}h1{display:none}/*`,
  `<script>planted=1</script>`,
  `"><img src=x onerror=planted=1>`,
  `'><svg/onload=planted=1>`,
  `" autofocus onfocus="planted=1`,
  `</style></title></textarea></script><script>planted=1</script>`,
  `javascript:planted=1`,
  `\\22 }@import url(//evil.example);`,
  `{{planted=1}}\${planted=1}`,
  `&lt;x-planted&gt;&#60;x-planted&#62;`,
  `<!--]]>`,
  `%3Cx-planted%3E`,
  `=cmd|'/c calc'!A1`,
  `\u202etxt.exe \u2028\ufeff\u0301\u0301\u0301\u0301`,
  `W`.repeat(60),
].join(" ");
/** A text of at most 500 characters, in which `name` can be found on a page. */
const hostile = (name: string, length = 500) => `(${name}) ${ATTACKS}`.slice(0, length).trim();
/** The names of the hostile texts that a page has shown. */
const shown = new Set<string>();

const { serve } = useMainstay();
let server: Installation;
let browser: Browser;
let admin: Administrator;
let partner: Partner;
let client: ApiClient;
let receiver: Receiver;
const ids = { property: "", appliance: "", component: "", delivery: "", reported: "" };
let embed: string;

beforeAll(async () => {
  server = await serve({
    webhooks: { allow_networks: ["127.0.0.0/8"] },
    embed: { frame_ancestors: ["'self'"] },
  });
  // Answers as a receiver could: with markup in its body.
  receiver = await startReceiver({ behave: () => ({ status: 500, body: hostile("receiver's body") }) });
  admin = await createAdministrator(server, hostile("administrator", 200));
  const webhook_url = `${receiver.url}/"(endpoint)<x-planted>?a='<script>planted=1</script>`;
  partner = await createPartnerBy(admin, { name: hostile("partner", 200), webhook_url });
  client = server.as(partner);
  const property = await addProperty(client, {
    name: hostile("property"),
    address: hostile("address"),
    city: hostile("city"),
    partner_property_id: hostile("reference"),
    notes: hostile("notes"),
  });
  const appliance = await addWornAppliance(client, property.id, {
    brand: hostile("brand"),
    model: hostile("model"),
    serial: hostile("serial"),
  });
  await addWornAppliance(client, (await addProperty(client, { name: "W".repeat(500) })).id);
  await logEvents(client, {
    appliance_id: appliance.id,
    event_type: "Repair",
    date: "2025-03-14",
    technician: hostile("technician"),
    notes: hostile("event's notes", 2000),
  });
  await client.post(`/v1/property/${property.id}/claims`, {
    claim_type: "water_damage",
    date_of_loss: "2025-03-14",
    amount: 12_500,
    carrier: hostile("carrier"),
    claim_number: hostile("claim number"),
    description: hostile("claim", 2000),
  });
  const reported = await client.post("/v1/meter-event/smart", {
    event_type: "water_leak",
    severity: "high",
    sensor_id: hostile("sensor"),
    name: hostile("reported property"),
    address: hostile("reported address"),
    state: "NY",
    type_id: "water_heater_gas",
    install_year: 1990,
    serial: hostile("reported serial"),
  });
  const form = photoForm();
  const photo = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
  // Without the slashes that end the name of a folder, which is cut.
  form.set("file", new File([photo], hostile("photo").replaceAll(/[/\\]/g, "")));
  await client.ask("POST", `/v1/appliances/${appliance.id}/photos`, 201, { raw: form });
  const headers = { "x-request-id": `(request)<x-planted>"><script>planted=1</script>` };
  await client.ask("PUT", `/v1/properties/${property.id}`, 200, { body: { unit_count: 2 }, headers });
  await server.json("snapshot");
  embed = (await admin.client.post("/admin/embeds", { property_id: property.id })).body.token;
  const tested = `/admin/partners/${partner.partner_id}/webhook-test`;
  const { body } = await admin.client.ask("POST", tested, 202, { headers });
  await eventually(async () => {
    const delivery = (await admin.client.get(`/admin/webhook-deliveries/${body.id}`)).body;
    expect(delivery.attempts[0].response_head).toContain("(receiver's body)");
  });
  Object.assign(ids, {
    property: property.id,
    appliance: appliance.id,
    component: appliance.components[0].id,
    delivery: body.id,
    reported: reported.body.appliance_id,
  });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await receiver?.close();
});

/** Widths of windows, and of a printed page. */
const WIDTHS = { screen: [1440, 320], print: [794] };

/** Throws unless the page shows the texts as text. */
async function expectHarmless(
  page: Page,
  place: string,
  media: keyof typeof WIDTHS = "screen",
): Promise<void> {
  await setDetailsOpen(page, media === "screen");
  const { planted, sheets, text, isVisible } = await page.evaluate(() => {
    const all = [...document.styleSheets, ...document.adoptedStyleSheets];
    const inline = all.filter(({ href }) => href === null);
    const heading = document.querySelector("h1");
    return {
      planted: [
        ...Array.from(
          document.querySelectorAll("x-planted, [onerror], [onload], [onfocus]"),
          (one) => one.outerHTML,
        ),
        ...Array.from(document.querySelectorAll("a[href]"), (one) => one.getAttribute("href")!).filter(
          (href) => /^\s*(javascript|data|vbscript):/i.test(href),
        ),
        ...("planted" in window ? ["a script ran"] : []),
      ],
      sheets: inline.map(({ cssRules }) => Array.from(cssRules, (rule) => rule.constructor.name)),
      text: [
        document.documentElement.textContent,
        ...Array.from(document.querySelectorAll("input"), ({ value }) => value),
        ...Array.from(document.querySelectorAll("[alt]"), (one) => one.getAttribute("alt")),
      ].join(" "),
      isVisible: heading?.checkVisibility() ?? false,
    };
  });
  expect([place, planted]).toEqual([place, []]);
  // The only rule with a name in it is that of the printed footer.
  for (const rules of sheets) expect([place, rules]).toEqual([place, ["CSSPageRule"]]);
  expect([place, isVisible]).toEqual([place, true]);
  for (const [, name] of text.matchAll(/\(([a-z' ]+)\)\s?(?=<x-planted>)/g)) shown.add(name!);
  for (const width of WIDTHS[media]) {
    await page.setViewportSize({ width, height: 900 });
    expect([place, width, await overflow(page)]).toEqual([place, width, 0]);
  }
}

/** Routes and queries that a link to the page could contain. */
const LINKS = [
  'properties/<x-planted>"',
  "<x-planted>",
  "alerts?tier=<x-planted>&q=%3Cx-planted%3E",
  "%",
  "constructor",
  "alerts?system=constructor",
];

// Rule: hostile-texts
test("the portfolio app shows hostile texts as text on every page", async () => {
  const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key);
  const { property, appliance, component } = ids;
  const places = [
    ...["", "properties", "alerts", "deliveries", "schedule", `properties/${property}`],
    ...["equipment", "claims", "schedule"].map((tab) => `properties/${property}/${tab}`),
    ...[`appliances/${appliance}`, `appliances/${ids.reported}`, `components/${component}`],
    ...LINKS,
  ];
  for (const place of places) {
    await goTo(page, `#/${place}`);
    await expectHarmless(page, place);
  }
  await page.emulateMedia({ media: "print" });
  for (const place of ["schedule", `properties/${property}/schedule`]) {
    await goTo(page, `#/${place}`);
    await expectHarmless(page, `${place} in print`, "print");
  }
  expect(pageErrors.filter((one) => !/status of 40[04]/.test(one))).toEqual([]);
  await close();
});

// Rule: hostile-texts
test("the console shows hostile texts as text on every page", async () => {
  const { page, pageErrors, close } = await openWindow(browser, server.adminUrl);
  await page.goto(`${server.adminUrl}/console`);
  await page.getByLabel("Administrator key").fill(admin.key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".top").waitFor();
  await settled(page);
  const places = [
    ...["", "partners", "usage", "deliveries", "components", "embeds"],
    ...["snapshots", "model", "jobs", "audit", "settings"],
    ...[`partners/${partner.partner_id}`, `deliveries/${ids.delivery}`, `components/${ids.component}`],
    ...[`components?of=${ids.property}`, `components?of=${partner.partner_id}`, "components?of=<x-planted>"],
    ...["partners?search=<x-planted>", "audit?subject=<x-planted>"],
    ...LINKS,
  ];
  for (const place of places) {
    await goTo(page, `#/${place}`);
    await expectHarmless(page, place);
  }
  expect(pageErrors.filter((one) => !/status of 40[04]/.test(one))).toEqual([]);
  await close();
});

describe("an embed", () => {
  // Rule: hostile-texts
  test.each([
    ["page", ""],
    ["list of components", "/components"],
    ["schedule", "/schedule"],
  ])("shows hostile texts as text on its %s, in print, too", async (_, at) => {
    const { page, pageErrors, close } = await openWindow(browser, server.url);
    await page.goto(`${server.url}/embed/property/${embed}${at}`);
    await expectHarmless(page, at);
    await page.emulateMedia({ media: "print" });
    await expectHarmless(page, `${at} in print`, "print");
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: hostile-texts
  test("does not repeat what an address contains", async () => {
    for (const path of [
      `${embed}/%3Cx-planted%3E.csv`,
      "%3Cx-planted%3E",
      `${embed}?component=%3Cx-planted%3E`,
    ]) {
      const { page, close } = await openWindow(browser, server.url);
      await page.goto(`${server.url}/embed/property/${path}`);
      await expectHarmless(page, path);
      expect(await page.content()).not.toContain("x-planted>.csv");
      await close();
    }
  });
});

test("every hostile text was shown on at least one page", () => {
  expect([...shown].toSorted()).toEqual(
    [
      ...["address", "administrator", "brand", "carrier", "city", "claim", "claim number", "endpoint"],
      ...["event's notes", "model", "partner", "photo", "property", "receiver's body", "reported address"],
      ...["reported property", "reported serial", "request", "serial", "technician"],
    ].toSorted(),
  );
});
