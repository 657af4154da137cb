import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page, Request } from "playwright-core";
import { keepPage, newPage, takePage } from "./kept-pages.ts";

const ROOT = join(import.meta.dir, "../..");
const AXE = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");
/** The folder of screenshots, for people to look at. */
const ARTIFACTS = join(ROOT, "test/artifacts");
/** Screenshots are off unless requested: no test compares them, and they cost as much as all the checks. */
const PICTURES_ARE_WANTED = process.env.PICTURES === "1";

/** A page in its own window, with the errors since it was opened. */
export type Window = {
  page: Page;
  /** Errors on the console, errors of scripts, and requests that failed or left the origin. */
  pageErrors: string[];
  close(): Promise<void>;
};

/**
 * Opens a window whose every request must go to `origin`. Motion is reduced unless `options` say otherwise: nothing fades,
 * so that nothing is waited for and no frames are drawn in between. Without `options`, its page may have been another
 * test's, of which nothing is left but the sign-in as `who`.
 */
export async function openWindow(
  browser: Browser,
  origin: string,
  options?: BrowserContextOptions,
  who?: string,
): Promise<Window> {
  const page = options ? await newPage(browser, options) : await takePage(browser, who);
  const pageErrors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") pageErrors.push(message.text());
  });
  page.on("pageerror", (error) => pageErrors.push(String(error)));
  // The browser reports a request as aborted where a script's conditional request is answered with 304.
  const unchanged = new Set<Request>();
  page.on("response", (response) => {
    if (response.status() === 304) unchanged.add(response.request());
  });
  page.on("requestfailed", (request) => {
    if (!unchanged.has(request)) pageErrors.push(`${request.url()} failed: ${request.failure()?.errorText}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== origin) pageErrors.push(`asked ${url.host}`);
  });
  const close = () => (options ? page.context().close() : keepPage(browser, page, origin));
  return { page, pageErrors, close };
}

/** The rules of axe-core that look at positions, at colors, or at the text around; all others look at elements. */
const RULES_OF_LOOKS = ["scrollable-region-focusable", "target-size", "color-contrast", "link-in-text-block"];

/** The properties on which the rule of colors depends. */
const LOOKS = [
  ...["color", "fill", "opacity", "background-color", "background-image"],
  ...["text-decoration-line", "text-shadow"],
];

/** Digests of what has passed the rules: the visible elements of a document, and the looks of an element. */
const tried = { documents: new Set<string>(), looks: new Set<string>() };

/**
 * Returns what axe-core finds wrong with the page, by the rules of WCAG 2.2 AA and its best practices. A document that
 * has passed in another width or color scheme, and has the same visible elements, is checked only by the rules that
 * could find something else. The rule of colors, which takes half of the time, skips the elements of a look that has
 * passed: the same colors, size and backgrounds of it and of all elements around it. What lies over others is compared
 * only within its document (texts that cross others are found by `textProblems`). Of list items with the same markup only
 * one is checked: a page has hundreds, and each takes as long. Hidden ones, as those of closed `<details>`, are left out:
 * nothing is checked of them, yet every rule looks at them. Behind an open dialog nothing is checked: it is inert, and
 * takes as long as without the dialog.
 */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  await pageStill(page);
  let audit = await runAxe(page);
  if (!audit) {
    await page.evaluate(AXE);
    audit = (await runAxe(page))!;
  }
  const { violations, twice, passed } = audit;
  if (violations.length === 0) {
    tried.documents.add(passed.document);
    for (const look of passed.looks) tried.looks.add(look);
  }
  const faults = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  );
  return [...faults, ...twice.map((id) => `the id ${id} stands more than once`)];
}

/** Runs axe-core in the page; returns undefined where it is not loaded. */
const runAxe = (page: Page) =>
  page.evaluate(
    async ({ documents, looks, rulesOfLooks, properties }) => {
      const { axe } = window as unknown as { axe?: Axe };
      if (!axe) return undefined;
      // The check that axe-core would do on the rows that it does not see.
      const ids = Map.groupBy(document.querySelectorAll("[id]"), ({ id }) => id);
      const twice = [...ids].filter(([, those]) => those.length > 1).map(([id]) => id);
      const dialog = [...document.querySelectorAll("dialog:modal")].at(-1);
      const root = dialog ?? document.documentElement;
      const known = new Map<Element, Set<string>>();
      const aside: { row: Element; place: Comment }[] = [];
      for (const row of root.querySelectorAll("tr, li")) {
        if (!row.checkVisibility({ visibilityProperty: true })) {
          aside.push({ row, place: document.createComment("") });
          continue;
        }
        // Its text and its numbers do not make a row different.
        const made = row.outerHTML.replaceAll(/>[^<]+/g, ">…").replaceAll(/"[^"]*\d[^"]*"/g, '"…"');
        const list = known.get(row.parentElement!) ?? new Set();
        known.set(row.parentElement!, list);
        if (list.has(made)) aside.push({ row, place: document.createComment("") });
        list.add(made);
      }
      for (const { row, place } of aside) row.replaceWith(place);
      const colors = axe._audit.rules.find(({ id }) => id === "color-contrast")!;
      const { matches } = colors;
      try {
        // Numbers in a text change between runs.
        const elements = root.outerHTML.replaceAll(/>[^<]+/g, (text) => text.replaceAll(/\d+/g, "0"));
        const visible = Array.from(root.querySelectorAll("*"), (element) =>
          element.checkVisibility({ visibilityProperty: true }) ? "1" : "0",
        );
        const bytes = new TextEncoder().encode(elements + visible.join(""));
        const shown = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).join();
        const lookOf = new Map<Element, string>();
        const look = (element: Element): string => {
          const found = lookOf.get(element);
          if (found !== undefined) return found;
          const style = getComputedStyle(element);
          // Large texts need less contrast.
          const bold = Number(style.fontWeight) >= 700;
          const isLarge = Number.parseFloat(style.fontSize) >= (bold ? 18.66 : 24);
          const isOver = style.position === "absolute" || style.position === "fixed";
          const own = [isLarge, isOver && shown, ...properties.map((name) => style.getPropertyValue(name))];
          const around = element === root || !element.parentElement ? "" : look(element.parentElement);
          let [high, low] = [0, 0];
          for (const letter of `${around} ${own}`) {
            high = Math.imul(high ^ letter.charCodeAt(0), 2_654_435_761) ^ (high >>> 15);
            low = Math.imul(low ^ letter.charCodeAt(0), 1_597_334_677) ^ (low >>> 13);
          }
          const digest = (high >>> 0).toString(36) + (low >>> 0).toString(36);
          lookOf.set(element, digest);
          return digest;
        };
        const passed = new Set(looks);
        const checked = new Map<Element, string>();
        colors.matches = function (element, ...more) {
          if (passed.has(look(element)) || !matches.call(this, element, ...more)) return false;
          checked.set(element, look(element));
          return true;
        };
        const { violations, incomplete } = await axe.run(dialog ?? document, {
          resultTypes: ["violations", "incomplete"],
          elementRef: true,
          ...(documents.includes(shown)
            ? { runOnly: rulesOfLooks }
            : // The one rule of WCAG 2.2 that axe-core leaves out by default.
              { rules: { "target-size": { enabled: true } } }),
        });
        const undecided = incomplete.find(({ id }) => id === colors.id)?.nodes ?? [];
        for (const { element } of undecided) checked.delete(element);
        return {
          violations: violations.map(({ id, nodes }) => ({
            id,
            nodes: nodes.map(({ target, failureSummary }) => ({ target, failureSummary })),
          })),
          twice,
          passed: { document: shown, looks: [...new Set(checked.values())] },
        };
      } finally {
        colors.matches = matches;
        for (const { row, place } of aside) place.replaceWith(row);
      }
    },
    {
      documents: [...tried.documents],
      looks: [...tried.looks],
      rulesOfLooks: RULES_OF_LOOKS,
      properties: LOOKS,
    },
  );

type Axe = {
  _audit: { rules: { id: string; matches: (element: Element, ...more: unknown[]) => boolean }[] };
  run(what: Document | Element, options: object): Promise<Record<"violations" | "incomplete", AxeResult[]>>;
};

type AxeResult = { id: string; nodes: { element: Element; target: string[]; failureSummary: string }[] };

/** The windows in which pages are checked for accessibility: both layouts, and both color schemes. */
const WINDOWS = [
  { width: 1440, height: 900, colorScheme: "light" },
  { width: 320, height: 640, colorScheme: "dark" },
] as const;

/**
 * Returns what axe-core finds wrong with the page on a desktop in light and on a phone in dark, and how much wider the
 * page is than these windows, also with all `<details>` open. The contrast of each pair of colors in the other scheme is
 * checked by test/web/tokens.test.ts. In a window of each of `widths`, it checks the page's width and what `inWidth`
 * finds. A page is laid out and drawn again for each window: one of a width above stands for both.
 */
export async function pageFaults(
  page: Page,
  name: string,
  widths: readonly number[] = [],
  inWidth: (width: number) => Promise<string[]> = async () => [],
): Promise<string[]> {
  const faults: string[] = [];
  const add = (look: string, found: readonly string[]) =>
    faults.push(...found.map((fault) => `${look}: ${fault}`));
  for (const { colorScheme, ...size } of WINDOWS) {
    const look = `${name}-${size.width}-${colorScheme}`;
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    faults.push(...(await overflowFaults(page, look)));
    add(look, await accessibilityViolations(page));
    await screenshot(page, look);
    if (widths.includes(size.width)) add(look, await inWidth(size.width));
  }
  await page.emulateMedia({ colorScheme: null });
  for (const width of widths) {
    if (WINDOWS.some((window) => window.width === width)) continue;
    const look = `${name}-${width}`;
    await page.setViewportSize({ width, height: 800 });
    faults.push(...(await overflowFaults(page, look)));
    add(look, await inWidth(width));
  }
  return faults;
}

/** Returns how much wider the page is than its window, as it is and with all `<details>` open. */
export async function overflowFaults(page: Page, name: string): Promise<string[]> {
  const widths = await page.evaluate(() => {
    const root = document.documentElement;
    const wider = () => root.scrollWidth - root.clientWidth;
    const before = wider();
    const closed = [...document.querySelectorAll("details:not([open])")] as HTMLDetailsElement[];
    for (const details of closed) details.open = true;
    const opened = wider();
    for (const details of closed) details.open = false;
    return [before, opened];
  });
  return widths.flatMap((wider, at) =>
    wider > 0 ? [`${name}: ${wider}px wider than its window${at === 1 ? " with all details open" : ""}`] : [],
  );
}

/** The number of times that a page is looked at, 30 ms apart, before a wait ends: as long as other waits. */
const MOST_LOOKS = 4_000;

/**
 * Goes to a location behind the `#`, if any; waits until the content has loaded, if wanted, and until transitions have ended:
 * a fading element has less contrast. All in one call: Playwright's waits cost as much as a small change of the page.
 */
export const pageStill = (page: Page, { place = "", isLoaded = false } = {}): Promise<void> =>
  page.evaluate(
    async ({ place, isLoaded, looks }) => {
      if (place !== "" && location.hash !== place)
        await new Promise<void>((resolve) => {
          addEventListener("hashchange", () => resolve(), { once: true });
          location.hash = place;
        });
      // A click or a change is drawn in the next task: until then the page shows the state before.
      await new Promise((resolve) => setTimeout(resolve));
      const isStill = () =>
        (!isLoaded ||
          (document.querySelector("h1") !== null &&
            document.querySelector(".loading, [aria-busy=true]") === null)) &&
        !document.getAnimations().some((one) => one instanceof CSSTransition && one.playState === "running");
      for (let look = 0; !isStill(); look++) {
        if (look === looks) throw new Error("the page is not still");
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    },
    { place, isLoaded, looks: MOST_LOOKS },
  );

/** Returns how much wider the page is than its window, in pixels. */
export const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Returns the visible elements that match a selector, for prints, which have no controls. */
export const visibleControls = (page: Page, selector: string): Promise<string[]> =>
  page
    .locator(selector)
    .evaluateAll((all) =>
      all.filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 100)),
    );

/** Opens or closes all `<details>`. */
export const setDetailsOpen = (page: Page, isOpen: boolean) =>
  page.evaluate((open) => {
    for (const details of document.querySelectorAll("details")) details.open = open;
  }, isOpen);

/** Returns the elements that are animated, or would be after a change. */
export const animatedElements = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("*")]
      .filter((element) => {
        const { animationName, transitionDuration } = getComputedStyle(element);
        return animationName !== "none" || transitionDuration.split(", ").some((one) => one !== "0s");
      })
      .map((element) => `${element.localName}.${element.className}`),
  );

/**
 * Takes a screenshot of the whole page, or of its visible part, where screenshots are requested. As JPEG, since PNG
 * takes a third longer for pages of this length.
 */
export async function screenshot(page: Page, name: string, fullPage = true): Promise<void> {
  if (!PICTURES_ARE_WANTED) return;
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.screenshot({ path: join(ARTIFACTS, `${name}.jpg`), type: "jpeg", quality: 90, fullPage });
}

/** Keeps a PDF of the page, where screenshots are requested. */
export function keepPdf(pdf: Uint8Array, name: string): void {
  if (!PICTURES_ARE_WANTED) return;
  mkdirSync(ARTIFACTS, { recursive: true });
  writeFileSync(join(ARTIFACTS, `${name}.pdf`), pdf);
}

/** Returns the number of pages of a PDF. */
export const pagesOf = (pdf: Uint8Array) =>
  Buffer.from(pdf)
    .toString("latin1")
    .match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;

export const NO_DIALOG_OPENED = "no dialog was opened";

/**
 * Opens the dialogs of a page in the window's size, two of each name at most, and returns those that leave the screen or
 * cut a text off.
 */
export async function dialogProblems(page: Page): Promise<string[]> {
  const { opened, problems } = await page.evaluate(async () => {
    const problems: string[] = [];
    const seen = new Map<string, number>();
    const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    let opened = 0;
    for (const button of document.querySelectorAll<HTMLButtonElement>("button[aria-haspopup=dialog]")) {
      const kind = button.textContent ?? "";
      const nth = (seen.get(kind) ?? 0) + 1;
      if (nth > 2 || button.offsetParent === null) continue;
      seen.set(kind, nth);
      button.click();
      await drawn();
      await drawn();
      const dialog = document.querySelector<HTMLDialogElement>("dialog[open]");
      const name = button.getAttribute("aria-label") ?? kind;
      if (!dialog) {
        problems.push(`${name} opens no dialog`);
        continue;
      }
      opened++;
      const card = dialog.querySelector(".card") ?? dialog;
      const { top, bottom } = card.getBoundingClientRect();
      if (top < 0 || bottom > innerHeight + 1)
        problems.push(`${name}: leaves the screen from ${top} to ${bottom}`);
      for (const element of [card, ...card.querySelectorAll<HTMLElement>("*")]) {
        const { left, right, width } = element.getBoundingClientRect();
        const text = (element.textContent ?? "").trim().slice(0, 30);
        if (width > 0 && (left < -1 || right > innerWidth + 1))
          problems.push(`${name}: ${element.tagName} "${text}" is from ${left} to ${right}`);
        if (
          element.children.length === 0 &&
          text !== "" &&
          element.scrollWidth > element.clientWidth + 1 &&
          element.clientWidth > 0
        )
          problems.push(`${name}: ${element.tagName} "${text}" is cut off`);
      }
      dialog.close();
      await drawn();
    }
    return { opened, problems };
  });
  if (opened === 0) problems.push(NO_DIALOG_OPENED);
  return problems;
}

/**
 * Returns the texts of a page that are wider than their boxes without an ellipsis or a scroll bar, and those whose boxes
 * cross another's.
 */
export async function textProblems(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const problems: string[] = [];
    const boxes: {
      top: number;
      bottom: number;
      left: number;
      right: number;
      element: Element;
      text: string;
    }[] = [];
    const nodes = [...document.body.querySelectorAll("*")].flatMap((element) =>
      [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE),
    );
    for (const node of nodes) {
      const text = (node.textContent ?? "").trim();
      const element = node.parentElement;
      if (text === "" || !element?.checkVisibility({ visibilityProperty: true })) continue;
      if (element.closest(".visually-hidden, .toasts, svg, option, script, style, template")) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const block = element.closest<HTMLElement>(
        "th, td, dd, dt, li, p, h1, h2, h3, button, label, summary, a, div, span",
      )!;
      const style = getComputedStyle(block);
      const isClipped =
        block.scrollWidth > block.clientWidth + 1 && block.clientWidth > 0 && style.display !== "inline";
      const scrolls = element.closest(".wide, .edit, pre, .scroll, .search-results");
      if (isClipped && style.textOverflow !== "ellipsis" && style.overflowX !== "auto" && !scrolls)
        problems.push(`"${text.slice(0, 40)}" is wider than its ${block.tagName}`);
      const rects = [...range.getClientRects()];
      if (/^[$\d,.%]+$/.test(text) && rects.some(({ top }) => top >= rects[0]!.bottom))
        problems.push(`${text} is broken`);
      const size = Number.parseFloat(getComputedStyle(element).fontSize);
      if (rects.length > 4 && rects.every(({ width }) => width < 2 * size))
        problems.push(`"${text.slice(0, 40)}" has a letter a line`);
      if (element.closest("table.rows :is(.number, time)") && isClipped)
        problems.push(`"${text}" is cut off`);
      const hasEllipsis = element.closest("table.rows");
      for (const { top, bottom, left, right } of hasEllipsis || scrolls ? [] : rects)
        if (right > left && bottom > top) boxes.push({ top, bottom, left, right, element, text });
    }
    boxes.sort((a, b) => a.top - b.top);
    for (const [at, one] of boxes.entries())
      for (let next = at + 1; next < boxes.length && boxes[next]!.top < one.bottom - 3; next++) {
        const other = boxes[next]!;
        if (other.element === one.element || other.left >= one.right - 2 || one.left >= other.right - 2)
          continue;
        if (getComputedStyle(one.element).position === "sticky" || one.element.closest("thead, .top"))
          continue;
        problems.push(`"${one.text.slice(0, 30)}" and "${other.text.slice(0, 30)}" cross`);
      }
    return [...new Set(problems)];
  });
}
