import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { readXlsx } from "hucre/xlsx";
import type { Browser, Page, Route } from "playwright-core";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import { goTo, openApp, openConsole, settled } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { accessibilityViolations, overflow, screenshot } from "../support/page-checks.ts";
import {
  addAppliance,
  addProperty,
  addWornAppliance,
  dateDaysFromToday,
  logEvents,
} from "../support/portfolio.ts";

/* Corrections of records in the portfolio app and in the console, which share their dialogs. */

const { serve } = useMainstay();
let browser: Browser;
let server: Installation;
let partner: Partner;
let administrator: Administrator;
beforeAll(async () => {
  server = await serve();
  administrator = await createAdministrator(server);
  partner = await createPartnerBy(administrator, { name: "Acme" });
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

type Opened = { page: Page; pageErrors: string[] };

/** Makes the change that `confirm` sends without its response. */
async function withoutResponse({ page, pageErrors }: Opened, confirm: () => Promise<void>) {
  const lose = async (call: Route) => {
    if (call.request().method() !== "PUT") return await call.fallback();
    await call.fetch();
    await call.abort();
  };
  await page.route("**", lose);
  await confirm();
  await page.getByRole("dialog").getByText("The server is not responding.").waitFor();
  await page.unroute("**", lose);
  pageErrors.splice(0);
}

async function heater(): Promise<Json> {
  const client = server.as(partner);
  const { id } = await addProperty(client, { name: "Elm Court" });
  return await addAppliance(client, id, { type_id: "water_heater_gas", install_year: 2004 });
}

// Rule: update-component
test("a component's year, past, life and costs are corrected in a dialog, which shows a refusal", async () => {
  const client = server.as(partner);
  const appliance = await heater();
  const anode = appliance.components.find((one: Json) => one.component_def_id === "wh_gas_anode").id;
  const { page, pageErrors, close } = await openApp(
    browser,
    server.url,
    partner.api_key,
    `#/components/${anode}`,
  );
  await page.getByRole("button", { name: /^Edit .*anode/i }).click();
  const dialog = page.getByRole("dialog");
  for (const width of [375, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await screenshot(page, `edit-component-${width}`);
  }
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByLabel("Installed in (year)").fill("1700");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").waitFor();
  expect(await dialog.getByRole("alert").textContent()).toContain("install_year must be a whole number");
  await dialog.getByLabel("Installed in (year)").fill("2015");
  await dialog.getByLabel("Own planned cost (USD); empty for the price list").fill("456.5");
  await dialog.getByLabel("Original part, never replaced").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("installed 2015").first().waitFor();
  expect((await client.get(`/v1/components/${anode}`)).body).toMatchObject({
    install_year: 2015,
    proactive_cost: 456.5,
    cost_basis: "own",
    original: true,
    override_lifespan: null,
  });
  // The browser reports the refusal.
  expect(pageErrors).toEqual([expect.stringContaining("400 (Bad Request)")]);
  await close();
});

// Rule: update-service-event, void-service-event
test("a service event is corrected, and voided with a reason", async () => {
  const client = server.as(partner);
  const appliance = await heater();
  const anode = appliance.components.find((one: Json) => one.component_def_id === "wh_gas_anode").id;
  const event = { appliance_id: appliance.id, component_id: anode, event_type: "Repair", date: "2026-02-01" };
  const [made] = (await logEvents(client, event)).events;
  const { page, pageErrors, close } = await openApp(
    browser,
    server.url,
    partner.api_key,
    `#/components/${anode}`,
  );
  for (const width of [375, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.getByRole("heading", { name: "Service history" }).scrollIntoViewIfNeeded();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await screenshot(page, `service-events-${width}`);
  }
  await page.getByRole("button", { name: "Edit Repair of" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Condition after").selectOption("poor");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("condition after: Poor").waitFor();
  await page.getByRole("button", { name: "Void Repair of" }).click();
  await screenshot(page, "void-service-event");
  await dialog.getByLabel("Reason").fill("wrong building");
  await dialog.getByRole("button", { name: "Void" }).click();
  await page.getByText("No service events.").waitFor();
  expect((await client.get(`/v1/service-events/${made.id}`)).body).toMatchObject({
    condition_after: "poor",
    voided: true,
    void_reason: "wrong building",
  });
  expect(pageErrors).toEqual([]);
  await close();
});

/**
 * Checks the page, with its open dialog: of the app on a phone in the light color scheme, of the console, which has the same
 * dialogs and styles, on a screen in the dark one.
 */
async function look(page: Page, name: string): Promise<void> {
  const isPhone = name.startsWith("app-");
  await page.setViewportSize({ width: isPhone ? 375 : 1440, height: 900 });
  await page.emulateMedia({ colorScheme: isPhone ? "light" : "dark" });
  await settled(page);
  expect([name, await overflow(page)]).toEqual([name, 0]);
  expect([name, await accessibilityViolations(page)]).toEqual([name, []]);
  await screenshot(page, name, false);
}

/** A site that shows records, opened by its user. */
const SITES = {
  app: { open: () => openApp(browser, server.url, partner.api_key), actor: () => partner.partner_id },
  console: { open: () => openConsole(browser, server, administrator.key), actor: () => administrator.id },
};

describe.each(["app", "console"] as const)("in the %s", (site) => {
  const auditOf = async (subject: string) =>
    (await administrator.client.get("/admin/audit", { subject })).body.entries;

  // Rule: record-pages, merge-properties
  test("a property is corrected with a warning about its address, merged with a duplicate, and retired", async () => {
    const client = server.as(partner);
    const street = `${site === "app" ? 7 : 9} Quay`;
    const old = await addProperty(client, { name: "Quay House", address: `${street} Street` });
    const { id } = await addProperty(client, { name: "Quay Hous", address: "1 Elsewhere" });
    const theirs = await addAppliance(client, old.id, { type_id: "washer", install_year: 2020 });
    const { page, pageErrors, close } = await SITES[site].open();
    const dialog = page.getByRole("dialog");
    await goTo(page, `#/properties/${id}/equipment`);

    await page.getByRole("button", { name: "Edit Quay Hous" }).click();
    await look(page, `${site}-edit-property`);
    await dialog.getByLabel("Name").fill("Quay House North");
    await dialog.getByLabel("Address").fill(`${street} St.`);
    await dialog.getByLabel("Gross area (sq ft)").fill("21600");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText(`property ${old.id} ("Quay House") has the same address`).waitFor();
    await page.getByRole("heading", { name: "Quay House North" }).waitFor();
    expect((await client.get(`/v1/properties/${id}`)).body.gross_area_sqft).toBe(21_600);

    // Another tab changes the record that this page shows.
    await client.put(`/v1/properties/${id}`, { stories: 4 });
    await page.getByRole("button", { name: "Edit Quay House North" }).click();
    await dialog.getByLabel("Stories").fill("3");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("“Stories” was changed while this form was open. Nothing was saved.").waitFor();
    expect((await client.get(`/v1/properties/${id}`)).body.stories).toBe(4);
    // As after a save whose response was lost.
    await client.put(`/v1/properties/${id}`, { stories: 3 });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Merge a duplicate into Quay House North" }).click();
    await dialog.getByRole("radio", { name: "Quay House" }).check();
    await look(page, `${site}-merge-property`);
    await dialog.getByRole("button", { name: "Merge" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("link", { name: /washer/i }).waitFor();
    expect((await client.get(`/v1/appliances/${theirs.id}`)).body.property_id).toBe(id);
    expect((await client.get(`/v1/properties/${old.id}`)).body.merged_into).toBe(id);

    await page.getByRole("button", { name: "Retire Quay House North" }).click();
    await look(page, `${site}-retire-property`);
    await dialog.getByLabel("Reason").fill("Sold");
    await client.put(`/v1/properties/${id}`, { retired_at: dateDaysFromToday(30) });
    await dialog.getByRole("button", { name: "Retire" }).click();
    await dialog.getByText("“Retirement” was changed while this form was open.").waitFor();
    await client.put(`/v1/properties/${id}`, { retired_at: null });
    await withoutResponse({ page, pageErrors }, () => dialog.getByRole("button", { name: "Retire" }).click());
    await dialog.getByRole("button", { name: "Retire" }).click();
    await page.getByText(": Sold").waitFor();
    await look(page, `${site}-retired-property`);
    const [retired] = await auditOf(id);
    expect(retired).toMatchObject({ actor: SITES[site].actor(), action: "property.retire" });
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: record-pages, hazard-flags-stated
  test("an appliance’s hazards are set and cleared, and it is moved to another property and type", async () => {
    const client = server.as(partner);
    const { id } = await addProperty(client, { name: "From", year_built: 1990 });
    const to = await addProperty(client, { name: `Target of ${site}`, unit_count: 3 });
    const panel = await addAppliance(client, id, { type_id: "electrical_panel" });
    const { page, pageErrors, close } = await SITES[site].open();
    const dialog = page.getByRole("dialog");
    await goTo(page, `#/appliances/${panel.id}`);
    await look(page, `${site}-appliance`);

    await page.getByRole("button", { name: "Known hazards of Electrical panel" }).click();
    await dialog.getByLabel("Zinsco or GTE-Sylvania panel").selectOption("Found");
    await dialog.getByLabel("Aluminum branch wiring").selectOption("Ruled out");
    await look(page, `${site}-hazards`);
    await client.put(`/v1/appliances/${panel.id}`, { flags_set: ["federal_pacific"] });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("“Known hazards” was changed while this form was open.").waitFor();
    await client.put(`/v1/appliances/${panel.id}`, { flags_set: [] });
    await withoutResponse({ page, pageErrors }, () => dialog.getByRole("button", { name: "Save" }).click());
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Known hazards", exact: true }).waitFor();
    const flagged = (await client.get(`/v1/appliances/${panel.id}`)).body;
    expect(flagged).toMatchObject({ flags_set: ["zinsco"], flags_cleared: ["aluminum_wiring"] });

    // Empty in the form while the year is the building's.
    await page.getByRole("button", { name: "Edit Electrical panel" }).click();
    await dialog.getByLabel("Installed in (year)").fill("2018");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await client.get(`/v1/appliances/${panel.id}`)).body.install_year).toBe(2018);

    await page.getByRole("button", { name: "Move Electrical panel" }).click();
    await dialog.getByRole("button", { name: "Move" }).click();
    await dialog.getByText("Choose another property, unit or type.").waitFor();
    await dialog.getByLabel("Another unit here").fill("70");
    await dialog.getByLabel("Another unit here").press("Enter");
    await dialog.getByText(/^No unit 70: the property has \d+ units?\.$/).waitFor();
    await dialog.getByLabel("Search by name or address").fill(`target ${site}`);
    await dialog.getByLabel("Search by name or address").press("Enter");
    await dialog.getByRole("radio", { name: `Target of ${site}` }).press("Space");
    await dialog.getByLabel("Unit there (1 to 3)").fill("2");
    await dialog.getByLabel("Type").selectOption("generator");
    await look(page, `${site}-move`);
    await client.put(`/v1/appliances/${panel.id}`, { type_id: "washer" });
    await dialog.getByRole("button", { name: "Move" }).click();
    await dialog.getByText("“Type” was changed while this form was open.").waitFor();
    await client.put(`/v1/appliances/${panel.id}`, { type_id: "electrical_panel" });
    await withoutResponse({ page, pageErrors }, () => dialog.getByRole("button", { name: "Move" }).click());
    await dialog.getByRole("button", { name: "Move" }).click();
    await page.getByRole("heading", { name: /generator/i, level: 1 }).waitFor();
    const moved = (await client.get(`/v1/appliances/${panel.id}`)).body;
    const { units } = (await client.get(`/v1/property/${to.id}/units`)).body;
    const unit_id = units[1].id;
    expect(moved).toMatchObject({ property_id: to.id, unit_id, type_id: "generator", flags_set: [] });
    expect((await auditOf(panel.id))[0]).toMatchObject({ actor: SITES[site].actor() });
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: record-pages, update-claim, void-claim, void-service-event, update-component
  test("a claim, a component and a service event are corrected", async () => {
    const client = server.as(partner);
    const appliance = await heater();
    const tank = appliance.components.find((one: Json) => one.component_def_id === "wh_gas_tank").id;
    const loss = { claim_type: "water_damage", date_of_loss: "2026-03-01", amount: 9000 };
    const claim = (await client.post(`/v1/property/${appliance.property_id}/claims`, loss)).body.id;
    const event = { appliance_id: appliance.id, event_type: "Repair", date: "2026-02-01" };
    const [made] = (await logEvents(client, event)).events;
    const { page, pageErrors, close } = await SITES[site].open();
    const dialog = page.getByRole("dialog");

    await goTo(page, `#/properties/${appliance.property_id}/claims`);
    await look(page, `${site}-claims`);
    await page.getByRole("button", { name: "Edit claim of" }).click();
    await look(page, `${site}-edit-claim`);
    const fields = [
      ["Paid to date (USD)", "9000"],
      ["Outstanding (USD)", "1500"],
      ["Deductible (USD)", "2500"],
      ["Adjustment expenses (USD)", "700"],
      ["Catastrophe code", "CAT 12"],
      ["Reported on", "2026-03-02"],
      ["Closed on", "2026-06-01"],
      ["Valued at", "2026-09-30"],
    ] as const;
    for (const [label, value] of fields) await dialog.getByLabel(label).fill(value);
    await dialog.getByLabel("Status").selectOption("Closed");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    const { body } = await client.get(`/v1/property/${appliance.property_id}/claims/${claim}`);
    expect(body).toMatchObject({
      status: "closed",
      paid: 9000,
      outstanding: 1500,
      incurred: 10_500,
      deductible: 2500,
      alae: 700,
      catastrophe_code: "CAT 12",
      reported_on: "2026-03-02",
      closed_on: "2026-06-01",
      valued_at: "2026-09-30",
    });

    await page.getByRole("button", { name: "Void claim of" }).click();
    await look(page, `${site}-void-claim`);
    await dialog.getByLabel("Reason").fill("Other building");
    await dialog.getByRole("button", { name: "Void" }).click();
    await page.getByText("No claims").waitFor();
    const voided = (await client.get(`/v1/property/${appliance.property_id}/claims/${claim}`)).body;
    expect(voided).toMatchObject({ voided: true, void_reason: "Other building", paid: 9000 });

    await goTo(page, `#/components/${tank}`);
    await page.getByRole("button", { name: /^Edit .*tank/i }).click();
    await look(page, `${site}-edit-component`);
    await dialog.getByLabel("Median life (years), if not the usual one").fill("20");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await client.get(`/v1/components/${tank}`)).body.override_lifespan).toBe(20);

    await page.getByRole("button", { name: "Void Repair of" }).click();
    await look(page, `${site}-void-event`);
    await dialog.getByLabel("Reason").fill("Other building");
    await dialog.getByRole("button", { name: "Void" }).click();
    await page.getByText("No service events.").waitFor();
    expect((await client.get(`/v1/service-events/${made.id}`)).body.void_reason).toBe("Other building");
    for (const subject of [claim, tank, made.id])
      expect((await auditOf(subject))[0]).toMatchObject({ actor: SITES[site].actor() });
    expect(pageErrors).toEqual([]);
    await close();
  });

  // Rule: record-pages, hazard-flag-filter
  test("properties are listed by a known hazard, and retired ones apart", async () => {
    const client = server.as(partner);
    const { id } = await addProperty(client, { name: `Hazard of ${site}` });
    const sold = await addProperty(client, { name: `Sold by ${site}` });
    const panel = { type_id: "electrical_panel", install_year: 1972, brand: "Pushmatic" };
    await addAppliance(client, id, panel);
    await client.put(`/v1/properties/${sold.id}`, { retired_at: "2026-01-01" });
    const { page, pageErrors, close } = await SITES[site].open();
    await goTo(page, site === "app" ? "#/properties" : "#/book");
    await page.getByRole("link", { name: `Hazard of ${site}` }).waitFor();
    expect(await page.getByRole("link", { name: `Sold by ${site}` }).count()).toBe(0);
    await look(page, `${site}-properties`);
    await page.getByLabel("Known hazard").selectOption("Bulldog or ITE Pushmatic panel");
    await page.getByRole("link", { name: "Quay House" }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: `Hazard of ${site}` }).waitFor();
    await page.getByLabel("Known hazard").selectOption("All");
    await page.getByLabel("Status").selectOption("Retired");
    await page.getByRole("link", { name: `Sold by ${site}` }).click();
    await page.getByRole("button", { name: `Bring back Sold by ${site}` }).click();
    await look(page, `${site}-bring-back`);
    await page.getByRole("dialog").getByRole("button", { name: "Bring back" }).click();
    await page.getByRole("button", { name: `Retire Sold by ${site}` }).waitFor();
    expect((await client.get(`/v1/properties/${sold.id}`)).body.retired_at).toBeNull();
    expect(pageErrors).toEqual([]);
    await close();
  });
});

async function downloadedWorkbook(page: Page): Promise<{ name: string; sheets: string[] }> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download XLSX" }).click();
  const file = await download;
  const { sheets } = await readXlsx(readFileSync(await file.path()));
  return { name: file.suggestedFilename(), sheets: sheets.map(({ name }) => name) };
}

// Rule: alerts-by-cost, book-lists, underwriting
test("the console lists alerts by expected loss, or by score, and fits an underwriting page on a screen", async () => {
  const client = server.as(partner);
  const { id } = await addProperty(client, { name: "Two systems" });
  await addWornAppliance(client, id);
  await addAppliance(client, id, { type_id: "boiler", install_year: 1975 });
  const path = "#/book?view=alerts";
  const { page, pageErrors, close } = await openConsole(browser, server, administrator.key, path);
  const rows = page.locator("tr.row a.name");
  const isListed = async (query: object) => {
    const { alerts } = (await administrator.client.get("/admin/book/alerts", { ...query })).body;
    const links = alerts.map(({ id }: Json) => `#/components/${id}`);
    expect(links.length).toBeGreaterThan(5);
    await page.locator(`tr.row:first-child a.name[href="${links[0]}"]`).waitFor();
    const shown = await rows.evaluateAll((all) => all.map((one) => one.getAttribute("href")));
    expect(shown.length).toBeGreaterThan(5);
    expect(shown).toEqual(links.slice(0, shown.length));
    return links[0];
  };
  const costliest = await isListed({ sort: "cost" });
  await look(page, "console-alerts");
  await page.getByLabel("Sort by").selectOption("Risk score");
  expect(await isListed({})).not.toBe(costliest);
  await goTo(page, `${path}&partner_id=${partner.partner_id}`);
  await isListed({ sort: "cost", partner_id: partner.partner_id });
  await page.getByLabel("State or region").selectOption("NY");
  await page.getByLabel("Tier").selectOption("Critical");
  await page.getByLabel("System").selectOption("plumbing");
  const filters = { sort: "cost", state: "NY", tier: "CRITICAL", system: "plumbing" };
  const [first] = (await administrator.client.get("/admin/book/alerts", filters)).body.alerts;
  expect(`#/components/${first.id}`).not.toBe(costliest);
  await page.locator(`tr.row:first-child a.name[href="#/components/${first.id}"]`).waitFor();
  await page.getByLabel("State or region").selectOption("VT");
  await page.getByText("No matching alerts").waitFor();
  await goTo(page, `#/book/${id}`);
  await page.getByRole("heading", { level: 1, name: "Two systems" }).waitFor();
  await look(page, "console-underwriting");
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(900);
  const { name, sheets } = await downloadedWorkbook(page);
  expect(name).toBe(`losses-${id}.xlsx`);
  expect(sheets).toContain("Components");
  await goTo(page, "#/book?view=losses&deductible=2500");
  await page.getByRole("heading", { name: "Worst years" }).waitFor();
  await look(page, "console-book-losses");
  expect(await downloadedWorkbook(page)).toMatchObject({ name: "book-losses.xlsx" });
  // Amounts that the API takes are shown and used, and no others.
  await goTo(page, `#/book/${id}?deductible=-5&limit=1000000000`);
  await page.getByText("Above $0 a damage, up to $1,000,000,000").waitFor();
  expect(await page.getByLabel("Deductible").inputValue()).toBe("");
  expect(await page.getByLabel("Limit").inputValue()).toBe("1000000000");
  expect(pageErrors).toEqual([]);
  await goTo(page, "#/book/P_none");
  await page.getByRole("heading", { level: 1, name: "Not found" }).waitFor();
  await close();
});
