import type { Browser, BrowserContextOptions, Cookie, Page } from "playwright-core";
import { TIMEOUT_MS } from "./eventually.ts";

/*
 * Pages of tests that have ended, for further tests of the same file. A new page takes 0.25 s of processor time more
 * than one that was kept, and a sign-in another 0.1 s.
 */

/** The most pages that wait for another test: each is a process. */
const MOST_KEPT = 4;

/** The cookies and the storage that a sign-in left in a page; `who` names the site and the key. */
type SignIn = { who: string; cookies: Cookie[]; storage: Record<string, string> };

const kept = new WeakMap<Browser, Page[]>();
const signIns = new WeakMap<Page, SignIn>();
/** The pages with what cannot be removed from a page. */
const lasting = new WeakSet<Page>();

const VIEWPORT = { width: 1440, height: 900 };

/** Returns a kept page that is signed in as `who`, otherwise one without a sign-in, otherwise a new one. */
export async function takePage(browser: Browser, who: string | undefined): Promise<Page> {
  const pages = kept.get(browser) ?? [];
  const found =
    pages.find((page) => who !== undefined && isSignedIn(page, who)) ??
    pages.find((page) => !signIns.has(page));
  if (!found) return await newPage(browser);
  pages.splice(pages.indexOf(found), 1);
  return found;
}

/** Opens a page in a context of its own, which must be closed with it. */
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT, reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const noteUseOf = <T extends object>(of: T, name: keyof T) => {
    const original = of[name] as (...args: unknown[]) => unknown;
    of[name] = ((...args: unknown[]) => {
      lasting.add(page);
      return original.apply(of, args);
    }) as T[keyof T];
  };
  noteUseOf(page, "addInitScript");
  noteUseOf(page.clock, "install");
  noteUseOf(context, "newCDPSession");
  return page;
}

export const isSignedIn = (page: Page, who: string): boolean => signIns.get(page)?.who === who;

/** Records that a page has just been signed in as `who`: it is kept for tests that sign in as the same. */
export async function recordSignIn(page: Page, who: string): Promise<void> {
  const storage = await page.evaluate(() => ({ ...sessionStorage }) as Record<string, string>);
  signIns.set(page, { who, cookies: await page.context().cookies(), storage });
}

/** Keeps a page of `origin` for another test; closes it where something of this one would remain. */
export async function keepPage(browser: Browser, page: Page, origin: string): Promise<void> {
  const isReset = await reset(page, origin).catch(() => false);
  if (!isReset) return await page.context().close();
  const pages = kept.get(browser) ?? [];
  kept.set(browser, pages);
  pages.push(page);
  if (pages.length > MOST_KEPT) await pages.shift()!.context().close();
}

/** The events that tests listen to. */
const EVENTS = ["console", "pageerror", "request", "requestfailed", "response", "dialog"] as const;

/** Leaves the site, and removes what a test has left in the page and its context, except for the sign-in. */
async function reset(page: Page, origin: string): Promise<boolean> {
  if (lasting.has(page) || new URL(page.url()).origin !== origin) return false;
  const context = page.context();
  const signIn = signIns.get(page);
  for (const event of EVENTS) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.evaluate((storage) => {
    localStorage.clear();
    sessionStorage.clear();
    for (const [name, value] of Object.entries(storage)) sessionStorage.setItem(name, value);
  }, signIn?.storage ?? {});
  // A page with unsaved changes asks whether it may be left.
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto("about:blank");
  page.removeAllListeners("dialog");
  await context.clearCookies();
  if (signIn) await context.addCookies(signIn.cookies);
  await page.mouse.move(-1, -1);
  await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: "reduce", forcedColors: null });
  await page.setViewportSize(VIEWPORT);
  return true;
}
