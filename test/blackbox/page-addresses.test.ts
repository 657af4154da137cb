import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openApp, settled } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addProperty } from "../support/portfolio.ts";

const { serve } = useMainstay();
let browser: Browser;
let server: Installation;
let partner: Partner;
beforeAll(async () => {
  browser = await launchBrowser();
  server = await serve();
  partner = await server.createPartner("Acme");
  for (const name of ["Elm Court", "Elm House"]) await addProperty(server.as(partner), { name, state: "NY" });
});
afterAll(() => browser?.close());

test("a page follows a change of its address that comes before its first frame", async () => {
  const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key, "#/alerts");
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

test("keys that come before the first frame open the search and select a result", async () => {
  const { page, pageErrors, close } = await openApp(browser, server.url, partner.api_key, "#/alerts");
  await page.getByRole("heading", { name: "Alerts", level: 1 }).waitFor();
  await settled(page);
  await page.addInitScript(() => {
    globalThis.requestAnimationFrame = (frame) => setTimeout(() => frame(performance.now()), 1000) as never;
    const press = (target: EventTarget, key: string) =>
      target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const steps = [
      () => document.querySelector(".search-button") && press(document, "/"),
      () =>
        document.querySelectorAll("[role=option]").length > 1 && press(document.activeElement!, "ArrowDown"),
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
