import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import { openConsole } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { overflow, pageFaults, screenshot } from "../support/page-checks.ts";

/* The cost book in the operator console, in a browser. */

const { serve, folder } = useMainstay();
let server: Installation;
let browser: Browser;
let administrator: Administrator;
let partnerId: string;
let path: string;

beforeAll(async () => {
  server = await serve();
  administrator = await createAdministrator(server);
  const partner = await createPartnerBy(administrator, { name: "Harbor & Hill" });
  partnerId = partner.partner_id;
  path = `/admin/partners/${partnerId}/cost-book`;
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const HEATER = { type_id: "water_heater_gas", proactive_cost: 1850, reactive_cost: 3200, size: 50 };
const BURNER = {
  type_id: "boiler",
  component_def_id: "boiler_burner",
  state: "NY",
  proactive_cost: 900,
  basis: "own_history",
};
const put = (lines: readonly object[]) => administrator.client.put(path, { lines });
const book = async (): Promise<Json[]> => (await administrator.client.get(path)).body.lines;

const open = () => openConsole(browser, server, administrator.key, `#/partners/${partnerId}/costs`);

// Rule: console-cost-book
test("a partner's cost book is listed, and fits every window", async () => {
  await put([HEATER, BURNER]);
  const { page, close } = await open();
  await page.getByText("boiler_burner").waitFor();
  expect(await pageFaults(page, "console-cost-book")).toEqual([]);
  for (const width of [375, 768]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await overflow(page)).toBe(0);
  }
  await close();
});

// Rule: console-cost-book, cost-book-audit
test("a line is added, edited and removed after a confirmation, and refused with the reason", async () => {
  await put([]);
  const { page, close } = await open();
  await page.getByText("No lines yet").waitFor();
  await page.getByRole("button", { name: "Add line" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Type").fill("teleporter");
  await dialog.getByLabel("Planned cost (USD)").fill("9000");
  await screenshot(page, "console-cost-book-add");
  await dialog.getByRole("button", { name: "Add line" }).click();
  expect(await dialog.getByRole("alert").textContent()).toBe(
    "type_id must be an appliance type; GET /v1/appliance-types lists them",
  );
  await dialog.getByLabel("Type").fill("boiler");
  await dialog.getByRole("button", { name: "Add line" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect(await book()).toMatchObject([{ type_id: "boiler", component_def_id: null, proactive_cost: 9000 }]);
  await page.getByRole("button", { name: "Edit the line for boiler" }).click();
  await dialog.getByLabel("State").fill("ny");
  await dialog.getByLabel("Cost after failure (USD)").fill("15000");
  await dialog.getByRole("button", { name: "Edit" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect(await book()).toMatchObject([{ state: "NY", proactive_cost: 9000, reactive_cost: 15_000 }]);
  await page.getByRole("button", { name: "Remove the line for boiler, NY?" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect(await book()).toEqual([]);
  const { entries } = await server.json("audit", "--subject", partnerId);
  expect(entries[0]).toMatchObject({ action: "cost_book.change", actor: administrator.id });
  await close();
});

// Rule: console-cost-book
test("lines that others have added since the page was loaded stay, and a line that they have changed is not replaced", async () => {
  await put([HEATER, BURNER]);
  const { page, close } = await open();
  await page.getByText("boiler_burner").waitFor();
  const costs = async () => (await book()).map(({ type_id, proactive_cost }) => [type_id, proactive_cost]);
  await put([{ ...HEATER, proactive_cost: 1900 }, BURNER, { type_id: "roof", proactive_cost: 80_000 }]);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Edit the line for water_heater_gas" }).click();
  await dialog.getByLabel("Planned cost (USD)").fill("2000");
  await dialog.getByRole("button", { name: "Edit" }).click();
  expect(await dialog.getByRole("alert").textContent()).toBe(
    "Someone has changed or removed this line since the page was loaded. Reload the page.",
  );
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Remove the line for boiler, boiler_burner, NY?" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect(await costs()).toEqual([
    ["water_heater_gas", 1900],
    ["roof", 80_000],
  ]);
  await put([BURNER, { type_id: "roof", proactive_cost: 80_000 }]);
  await page.getByRole("button", { name: "Add line" }).click();
  await dialog.getByLabel("Type").fill("elevator");
  await dialog.getByLabel("Planned cost (USD)").fill("9000");
  await dialog.getByRole("button", { name: "Add line" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect(await costs()).toEqual([
    ["boiler", 900],
    ["roof", 80_000],
    ["elevator", 9000],
  ]);
  await close();
});

// Rule: console-cost-book
test("a file is imported after a confirmation; other lines stay, and a wrong row is named", async () => {
  await put([HEATER, BURNER]);
  const { page, close } = await open();
  const rows = async (name: string, ...lines: string[]) => {
    const file = join(folder(), name);
    writeFileSync(file, ["type_id,state,proactive_cost,size", ...lines].join("\r\n"));
    await page.getByLabel("CSV file").setInputFiles(file);
    await page.getByText(`${name}: 2 lines`).waitFor();
  };
  const dialog = page.getByRole("dialog");
  const run = async () => {
    await page.getByRole("button", { name: "Import" }).click();
    await dialog.getByRole("button", { name: "Import" }).click();
  };
  await rows("wrong.csv", "roof,,90000,", "roof,,-1,");
  await run();
  expect(await dialog.getByRole("alert").textContent()).toStartWith(
    "Row 3 of the file: proactive_cost must be",
  );
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await rows("right.csv", "roof,,90000,", "water_heater_gas,,2000,50", "");
  await page.getByRole("button", { name: "Import" }).click();
  expect(await dialog.textContent()).toContain(
    "2 lines from the file. 1 line for the same will be replaced, and 1 other line will stay.",
  );
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect((await book()).map(({ type_id, proactive_cost }) => [type_id, proactive_cost])).toEqual([
    ["boiler", 900],
    ["roof", 90_000],
    ["water_heater_gas", 2000],
  ]);
  await close();
});
