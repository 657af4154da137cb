import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { goTo, openApp, settled } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import { useMainstay } from "../support/mainstay.ts";
import { accessibilityViolations, overflow, screenshot } from "../support/page-checks.ts";
import { pngImage } from "../support/png.ts";
import { addProperty, addWornAppliance, dateDaysFromToday } from "../support/portfolio.ts";

const { serve } = useMainstay();
let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const TODAY = dateDaysFromToday(0);

// Rule: retire
test("the portfolio app retires a property and an appliance, lists them, and brings them back", async () => {
  const server = await serve();
  const partner = await server.createPartner("Acme");
  const client = server.as(partner);
  const kept = await addProperty(client, { name: "Kept", state: "NY" });
  const sold = await addProperty(client, { name: "Old Mill", state: "VT" });
  const heater = await addWornAppliance(client, kept.id);
  await addWornAppliance(client, sold.id);
  const form = new FormData();
  form.append("file", new File([new Uint8Array(pngImage())], "heater.png"));
  await client.ask("POST", `/v1/appliances/${heater.id}/photos`, 201, { raw: form });
  const place = `#/properties/${sold.id}`;
  const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key, place);
  const dialog = page.getByRole("dialog");

  await page.getByRole("button", { name: "Retire Old Mill" }).click();
  expect(await dialog.getByLabel("Day").inputValue()).toBe(TODAY);
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, "app-retire-dialog", false);
  await dialog.getByLabel("Day").fill("0001-01-01");
  await dialog.getByLabel("Reason").fill("x".repeat(500));
  await dialog.getByLabel("Day").fill(TODAY);
  await dialog.getByLabel("Reason").fill("Sold to Birch LLC");
  await dialog.getByRole("button", { name: "Retire" }).click();
  await page.getByText("Sold to Birch LLC").waitFor();
  expect((await client.get(`/v1/properties/${sold.id}`)).body).toMatchObject({
    retired_at: TODAY,
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
  await client.put(`/v1/properties/${kept.id}`, { retired_at: TODAY });
  await client.put(`/v1/properties/${sold.id}`, { retired_at: TODAY });
  await page.reload();
  await goTo(page, "#/properties");
  await page.getByRole("link", { name: "Show retired properties" }).click();
  await page.getByText("2 retired properties").waitFor();
  expect(pageErrors).toEqual([]);
  await close();
});
