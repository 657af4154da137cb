import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { isSignedIn, recordSignIn } from "./kept-pages.ts";
import { openWindow, pageStill, type Window } from "./page-checks.ts";

/** Opens the portfolio app and signs in with a key, at a location behind the `#`. */
export async function openApp(
  browser: Browser,
  url: string,
  apiKey: string,
  place = "#/",
  options?: BrowserContextOptions,
): Promise<Window> {
  const who = `${url} ${apiKey}`;
  const window = await openWindow(browser, url, options, who);
  const { page } = window;
  await page.goto(`${url}/embed/app${place}`);
  const isShown = page.getByRole("button", { name: "Sign out" });
  await ensureSignedIn(page, who, isShown, () => signIn(page, apiKey));
  return window;
}

/** Opens the console and signs an administrator in with a key, at a location behind the `#`. */
export async function openConsole(
  browser: Browser,
  { adminUrl }: { adminUrl: string },
  key: string,
  place = "#/",
  options?: BrowserContextOptions,
): Promise<Window> {
  const who = `${adminUrl} ${key}`;
  const window = await openWindow(browser, adminUrl, options, who);
  const { page } = window;
  await page.goto(`${adminUrl}/console${place}`);
  await ensureSignedIn(page, who, page.locator(".top"), async () => {
    await page.getByLabel("Administrator key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
  });
  await settled(page);
  return window;
}

/** Signs in, unless an earlier test has done so in this page, and waits for `shown`, which appears only then. */
async function ensureSignedIn(page: Page, who: string, shown: Locator, signIn: () => Promise<void>) {
  if (isSignedIn(page, who)) return await shown.waitFor();
  await signIn();
  await shown.waitFor();
  await recordSignIn(page, who);
}

export async function signIn(page: Page, apiKey: string): Promise<void> {
  await page.getByRole("textbox", { name: "API key" }).fill(apiKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

/** Goes to a location behind the `#` and waits until it is shown. */
export const goTo = (page: Page, place: string): Promise<void> => pageStill(page, { place, isLoaded: true });

/** Waits until the page has loaded and nothing moves. */
export const settled = (page: Page): Promise<void> => pageStill(page, { isLoaded: true });

/** Returns the location behind the `#` from the page itself: the browser reports it a moment later. */
export const hashOf = (page: Page): Promise<string> => page.evaluate(() => location.hash);
