import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openApp, settled } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addProperty } from "../support/portfolio.ts";

const { serve } = useMainstay();
let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

test("a page follows a change of its address that comes before its first frame", async () => {
  const server = await serve();
  const partner = await server.createPartner("Acme");
  await addProperty(server.as(partner), { name: "Elm Court", state: "NY" });
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
