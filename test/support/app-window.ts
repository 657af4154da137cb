import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { NOT_EACH_FRAME, openWindow, unmoved, type Window } from "./page-checks.ts";

/** The portfolio app, opened and signed in to with a key, at a place behind the `#`. */
export async function openApp(
  browser: Browser,
  url: string,
  apiKey: string,
  place = "#/",
  options: BrowserContextOptions = {},
): Promise<Window> {
  const window = await openWindow(browser, url, options);
  await window.page.goto(`${url}/embed/app${place}`);
  await signIn(window.page, apiKey);
  return window;
}

export async function signIn(page: Page, apiKey: string): Promise<void> {
  await page.getByRole("textbox", { name: "API key" }).fill(apiKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

/** Goes to a place behind the `#` by the address, and waits for what is there. */
export async function goTo(page: Page, place: string): Promise<void> {
  await page.evaluate(
    (to) =>
      new Promise<void>((resolve) => {
        if (location.hash === to) return resolve();
        addEventListener("hashchange", () => resolve(), { once: true });
        location.hash = to;
      }),
    place,
  );
  await settled(page);
}

/** Waits until the page shows what it is about, and nothing of it is on its way. */
export async function settled(page: Page): Promise<void> {
  // What was pressed or changed before is drawn by the next turn: until then the page before it stands.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  await page.waitForFunction(
    () =>
      document.querySelector("h1") !== null &&
      document.querySelector(".waiting-for") === null &&
      document.querySelector("[aria-busy=true]") === null,
    undefined,
    NOT_EACH_FRAME,
  );
  await unmoved(page);
}

/** What stands behind the `#`, as the page itself knows it: the browser tells others of it a moment later. */
export const hashOf = (page: Page): Promise<string> => page.evaluate(() => location.hash);
