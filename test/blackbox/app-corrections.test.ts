import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openApp } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { accessibilityViolations, overflow, screenshot } from "../support/page-checks.ts";
import { addAppliance, addProperty, logEvents } from "../support/portfolio.ts";

/* Corrections of components and service events in the portfolio app. */

const { serve } = useMainstay();
let browser: Browser;
let server: Installation;
let partner: Partner;
beforeAll(async () => {
  server = await serve();
  partner = await server.createPartner("Acme");
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

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
  await dialog.getByRole("button", { name: "Edit" }).click();
  await dialog.getByRole("alert").waitFor();
  expect(await dialog.getByRole("alert").textContent()).toContain("install_year must be a whole number");
  await dialog.getByLabel("Installed in (year)").fill("2015");
  await dialog.getByLabel("Own planned cost (USD); empty: price list").fill("456.5");
  await dialog.getByLabel("Original part, never replaced").check();
  await dialog.getByRole("button", { name: "Edit" }).click();
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
  await dialog.getByRole("button", { name: "Edit" }).click();
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
