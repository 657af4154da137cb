import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page, Request } from "playwright-core";
import { PATIENCE_MS } from "./eventually.ts";

const ROOT = join(import.meta.dir, "../..");
const AXE = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");
/** Where pictures of what was tested go, for people to look at. */
const ARTIFACTS = join(ROOT, "test/artifacts");
/** Whether anybody does: nothing is held against them, and to take them costs as much as all that is. */
const PICTURES_ARE_WANTED = process.env.PICTURES === "1";

/** A page in a window of its own, with what went wrong while it was open. */
export type Window = {
  page: Page;
  /** Errors on the console, faults of scripts, requests that failed or went elsewhere. */
  troubles: string[];
  close(): Promise<void>;
};

/** Opens a window whose every request must go to `origin`. */
export async function openWindow(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(String(error)));
  // The browser calls a request aborted when a script that asked for it was told that nothing has changed.
  const unchanged = new Set<Request>();
  page.on("response", (response) => {
    if (response.status() === 304) unchanged.add(response.request());
  });
  page.on("requestfailed", (request) => {
    if (!unchanged.has(request)) troubles.push(`${request.url()} failed: ${request.failure()?.errorText}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== origin) troubles.push(`asked ${url.host}`);
  });
  return { page, troubles, close: () => context.close() };
}

/** The rules of axe-core that see colours and places; all others see what there is and what of it is shown. */
const RULES_OF_LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"];

/** Digests of what every rule has passed in this file: of its elements, and of which of them are shown. */
const tried = new Set<string>();

/**
 * What axe-core finds wrong with the page as it is, by the rules of WCAG 2.2 AA and its best practices. Of a page that
 * has passed in another width or in other colours, and shows the same in these, by the rules that could find another
 * answer. Of the rows and items of a list that are made alike it looks at one: there are hundreds in a page, and it
 * takes as long for each.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await unmoved(page);
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const { violations, twice, shown } = await page.evaluate(
    async ({ tried, rulesOfLooks }) => {
      const { axe } = window as unknown as { axe: Axe };
      // What axe-core would find by rows that it is not shown.
      const ids = Map.groupBy(document.querySelectorAll("[id]"), ({ id }) => id);
      const twice = [...ids].filter(([, those]) => those.length > 1).map(([id]) => id);
      const known = new Map<Element, Set<string>>();
      const aside: { row: Element; place: Comment }[] = [];
      for (const row of document.querySelectorAll("tr, li")) {
        // What is written in it, or has a number, makes no other row of it.
        const made = row.outerHTML.replaceAll(/>[^<]+/g, ">…").replaceAll(/"[^"]*\d[^"]*"/g, '"…"');
        const list = known.get(row.parentElement!) ?? new Set();
        known.set(row.parentElement!, list);
        if (list.has(made)) aside.push({ row, place: document.createComment("") });
        list.add(made);
      }
      for (const { row, place } of aside) row.replaceWith(place);
      try {
        // Figures in a text move on by themselves.
        const elements = document.documentElement.outerHTML.replaceAll(/>[^<]+/g, (text) =>
          text.replaceAll(/\d+/g, "0"),
        );
        const visible = Array.from(document.querySelectorAll("*"), (element) =>
          element.checkVisibility({ visibilityProperty: true }) ? "1" : "0",
        );
        const all = new TextEncoder().encode(elements + visible.join(""));
        const shown = new Uint8Array(await crypto.subtle.digest("SHA-256", all)).join();
        // The one rule of WCAG 2.2 that axe-core leaves out unless it is asked for.
        const rules = { "target-size": { enabled: true } };
        const only = tried.includes(shown) ? { runOnly: rulesOfLooks } : { rules };
        return { ...(await axe.run(document, { resultTypes: ["violations"], ...only })), twice, shown };
      } finally {
        for (const { row, place } of aside) place.replaceWith(row);
      }
    },
    { tried: [...tried], rulesOfLooks: RULES_OF_LOOKS },
  );
  if (violations.length === 0) tried.add(shown);
  const faults = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  );
  return [...faults, ...twice.map((id) => `the id ${id} stands more than once`)];
}

type Axe = {
  run(
    what: Document,
    options: object,
  ): Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[] }>;
};

/** Does it while the page is shown to somebody who wants it dark. */
export async function inTheDark<T>(page: Page, act: () => Promise<T>): Promise<T> {
  await page.emulateMedia({ colorScheme: "dark" });
  const result = await act();
  await page.emulateMedia({ colorScheme: null });
  return result;
}

/** For pages that are looked at one after the other: nothing fades, so that nothing has to be waited for. */
export const STILL = { reducedMotion: "reduce" } as const;

/** How often a page is looked at that is waited for: to look at each frame costs more than the frame. */
export const NOT_EACH_FRAME = { polling: 30 } as const;

/** Waits until what fades in or out has done so: until then it is paler than it is. */
export const unmoved = (page: Page) =>
  page.waitForFunction(
    () =>
      !document.getAnimations().some((one) => one instanceof CSSTransition && one.playState === "running"),
    undefined,
    NOT_EACH_FRAME,
  );

/** By how much the page is wider than its window. */
export const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Opens or closes all that can be. */
export const setDetails = (page: Page, isOpen: boolean) =>
  page.evaluate((open) => {
    for (const details of document.querySelectorAll("details")) details.open = open;
  }, isOpen);

/** The elements that move, or would when something about them changes. */
export const movingElements = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("*")]
      .filter((element) => {
        const { animationName, transitionDuration } = getComputedStyle(element);
        return animationName !== "none" || transitionDuration.split(", ").some((one) => one !== "0s");
      })
      .map((element) => `${element.localName}.${element.className}`),
  );

/**
 * Of the whole page, or of what the window shows of it, where pictures are wanted. As JPEG: of pages this long PNG takes
 * a third longer.
 */
export async function picture(page: Page, name: string, fullPage = true): Promise<void> {
  if (!PICTURES_ARE_WANTED) return;
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.screenshot({ path: join(ARTIFACTS, `${name}.jpg`), type: "jpeg", quality: 90, fullPage });
}

/** Keeps what a page prints, where pictures are wanted. */
export function keepPrint(pdf: Uint8Array, name: string): void {
  if (!PICTURES_ARE_WANTED) return;
  mkdirSync(ARTIFACTS, { recursive: true });
  writeFileSync(join(ARTIFACTS, `${name}.pdf`), pdf);
}

/** How many pages a PDF has. */
export const pagesOf = (pdf: Uint8Array) =>
  Buffer.from(pdf)
    .toString("latin1")
    .match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
