import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openWindow, type Window } from "./page-checks.ts";

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

/** Waits until the page shows what it is about, and nothing of it is on its way. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector("h1") !== null &&
      document.querySelector(".waiting-for") === null &&
      document.querySelector("[aria-busy=true]") === null &&
      // What fades in is pale till it is there.
      !document.getAnimations().some((one) => one instanceof CSSTransition && one.playState === "running"),
  );
}
