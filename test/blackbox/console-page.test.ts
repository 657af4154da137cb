import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { type Administrator, createAdministrator } from "../support/administrator.ts";
import { launchBrowser } from "../support/browser.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { accessibilityFaults, openWindow, overflow, picture } from "../support/page-checks.ts";
import { startReceiver } from "../support/receiver.ts";

/* The administrators' console in a real browser. */

const { serve } = useMainstay();
let full: Installation;
let empty: Installation;
let browser: Browser;
let keys: Record<"full" | "empty", Administrator>;
let partnerId: string;
let deliveryId: string;

beforeAll(async () => {
  const settings = {
    webhooks: { allow_networks: ["127.0.0.0/8"] },
    rm: { token: "rm-token-that-nobody-sees" },
  };
  full = await serve(settings);
  empty = await serve();
  keys = { full: await createAdministrator(full), empty: await createAdministrator(empty) };
  const receiver = await startReceiver({ behave: () => ({ status: 503, body: "closed for repairs" }) });
  const partner = await full.createPartner("Harbor & Hill <b>Insurance</b>", "--webhook-url", receiver.url);
  partnerId = partner.partner_id;
  await full.createPartner("Quiet Lender");
  const off = await full.createPartner("Former Partner");
  await full.json("partner", "disable", off.partner_id);
  const client = full.as(partner);
  await client.post("/onboarding/demo-property", undefined);
  for (let call = 0; call < 30; call++) await client.get("/v1/ping");
  await full.json("snapshot");
  deliveryId = (await keys.full.client.post(`/admin/partners/${partnerId}/webhook-test`, undefined, 202)).body
    .id;
  await receiver.waitFor((received) => received.length > 0);
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

type Options = Parameters<typeof openWindow>[2];

/** The console at a place, with its administrator signed in. */
async function open(state: "full" | "empty", place = "", options: Options = {}) {
  const server = state === "full" ? full : empty;
  const window = await openWindow(browser, server.adminUrl, options);
  await window.page.goto(`${server.adminUrl}/console#/${place}`);
  await signIn(window.page, keys[state].key);
  await settled(window.page);
  return window;
}

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("Administrator’s key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Whatever was on its way is there. */
async function settled(page: Page): Promise<void> {
  await page.locator(".top").waitFor();
  await page.waitForFunction(
    () => document.querySelector(".waiting-for") === null && document.querySelector("h1") !== null,
  );
}

const PHONE = { viewport: { width: 390, height: 844 } };
const LOOKS: [string, Options][] = [
  ["1440-light", {}],
  ["1440-dark", { colorScheme: "dark" }],
  ["820-light", { viewport: { width: 820, height: 1180 } }],
  ["390-light", PHONE],
  ["390-dark", { ...PHONE, colorScheme: "dark" }],
];
const PLACES = ["", "partners", "deliveries", "snapshots", "model", "jobs", "audit", "settings"];

describe.each(["full", "empty"] as const)("the console of a server that is %s", (state) => {
  // Rule: console-pages
  test.each(LOOKS)(
    "has pages that are whole and without barriers at %s",
    async (look, options) => {
      const { page, troubles, close } = await open(state, "", options);
      const faults: string[] = [];
      const own = state === "full" ? [`partners/${partnerId}`, `deliveries/${deliveryId}`] : [];
      for (const place of [...PLACES, ...own]) {
        await page.evaluate((to) => {
          location.hash = `#/${to}`;
        }, place);
        await settled(page);
        expect(await page.locator("h1").count()).toBe(1);
        const name = place === "" ? "overview" : place.replace(/\/.*/, "-one");
        await picture(page, `console-${state}-${name}-${look}`);
        faults.push(...(await accessibilityFaults(page)).map((fault) => `${name}: ${fault}`));
        const wider = await overflow(page);
        if (wider > 0) faults.push(`${name}: ${wider}px wider than its window`);
      }
      expect(faults).toEqual([]);
      expect(troubles).toEqual([]);
      await close();
    },
    120_000,
  );
});
