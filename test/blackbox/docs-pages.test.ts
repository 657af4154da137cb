import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { openWindow, overflow, pageFaults } from "../support/page-checks.ts";

/* The documentation in a browser. */

const { serve } = useMainstay();
let server: Installation;
let browser: Browser;
beforeAll(async () => {
  server = await serve();
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** Leaves one operation of each group and five schemas: the others have the same markup, and axe-core takes a minute. */
function sample() {
  for (const group of document.querySelectorAll(".group"))
    for (const other of [...group.querySelectorAll(".operation")].slice(1)) other.remove();
  for (const other of [...document.querySelectorAll(".schema")].slice(5)) other.remove();
  const isGone = (link: Element) => !document.querySelector(`[id="${link.getAttribute("href")!.slice(1)}"]`);
  for (const link of document.querySelectorAll('.contents a[href^="#"]'))
    if (isGone(link)) link.parentElement!.remove();
}

/** The pages with what their address opens; each takes long to load. */
const PAGES = [
  ["/docs", "#webhook-component.critical"],
  ["/docs/guide", ""],
] as const;

describe.each(PAGES)("%s%s", (path, hash) => {
  test("has no barriers and scrolls in one direction only, in both color schemes; it copies code, and finds sections by a word", async () => {
    const { page, pageErrors, close } = await openWindow(browser, server.url, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.goto(server.url + path + hash);
    expect(await overflow(page)).toBe(0);
    if (hash !== "") {
      const event = page.locator(`details[id="${hash.slice(1)}"]`);
      expect(await event.evaluate((details: HTMLDetailsElement) => details.open)).toBe(true);
    }
    const block = page.locator(".code:visible").first();
    await block.getByRole("button", { name: "Copy" }).click();
    await block.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      (await block.locator("code").textContent())!,
    );
    const links = page.locator(".contents li:visible");
    const all = await links.count();
    await page.getByRole("searchbox").fill("webhook");
    const found = await links.allTextContents();
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(all);
    await page.getByRole("searchbox").fill("");
    await page.evaluate(sample);
    // A link at the edge of the scrolled contents would count as a small target.
    await page.evaluate(() => scrollTo(0, 0));
    expect(await pageFaults(page, `docs${path.replaceAll("/", "-")}`)).toEqual([]);
    expect(pageErrors).toEqual([]);
    await close();
  });

  test("shows its contents and its code without a script", async () => {
    const { page, close } = await openWindow(browser, server.url, { javaScriptEnabled: false });
    await page.goto(server.url + path);
    expect(await page.locator(".contents li").first().isVisible()).toBe(true);
    expect(await page.locator("pre").first().isVisible()).toBe(true);
    expect(await page.getByRole("button", { name: "Copy" }).count()).toBe(0);
    await close();
  });
});
