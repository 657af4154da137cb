import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import { goTo, settled } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import {
  accessibilityViolations,
  openWindow,
  overflow,
  pageFaults,
  screenshot,
} from "../support/page-checks.ts";
import { pngImage } from "../support/png.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";

/* The names, colors and logos of partners on their embeds. */

const { serve } = useMainstay();
let server: Installation;
let administrator: Administrator;
let browser: Browser;
let partner: Partner;
let propertyId: string;
let embed: Json;

const LOGO = pngImage({ more: [["tEXt", Buffer.from("Author\0Jane Doe")]] });
const base64 = LOGO.toString("base64");

beforeAll(async () => {
  server = await serve();
  administrator = await createAdministrator(server);
  partner = await createPartnerBy(administrator, { name: "Acme (internal name)" });
  const client = server.as(partner);
  propertyId = (await addProperty(client)).id;
  await addWornAppliance(client, propertyId);
  embed = (await administrator.client.post("/admin/embeds", { property_id: propertyId })).body;
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const path = () => `/admin/partners/${partner.partner_id}/brand`;
const change = async (body: Json, status = 200) =>
  (await administrator.client.put(path(), body, status)).body;
const page = async (rest = "") => (await fetch(`${server.url}/embed/property/${embed.token}${rest}`)).text();
const clear = () => change({ display_name: null, color: null, logo_png: null });

// Rule: partner-brand
describe("a partner's brand", () => {
  test("is empty at first, and shows nothing of the partner's name", async () => {
    expect((await administrator.client.get(path())).body).toEqual({
      partner_id: partner.partner_id,
      display_name: null,
      color: null,
      color_dark: null,
      logo: null,
    });
    const text = await page();
    expect(text).not.toContain("Acme");
    expect(text).not.toContain("--accent");
  });

  test("is on every page of the embed, and in the footer of its print", async () => {
    await change({ display_name: "First National Bank", color: "#7A1F5C", logo_png: base64 });
    const brand = (await administrator.client.get(path())).body;
    expect(brand).toMatchObject({
      display_name: "First National Bank",
      color: "#7a1f5c",
      logo: { width: 120, height: 40 },
    });
    expect(brand.color_dark).toMatch(/^#[\da-f]{6}$/);
    for (const [rest, base] of [
      ["", `${embed.token}/`],
      ["/components", ""],
      ["/schedule", ""],
    ] as const) {
      const text = await page(rest);
      expect(text, rest).toContain(":root{--accent:#7a1f5c}");
      expect(text).toContain(`prefers-color-scheme:dark){:root{--accent:${brand.color_dark}}`);
      const [, src] = /<img src="([^"]+)" width="120" height="40" alt="First National Bank"/.exec(text)!;
      expect(src).toMatch(new RegExp(`^${base}logo\\.png\\?v=[\\da-f]{1,8}$`));
      const logo = await fetch(new URL(src!, `${server.url}/embed/property/${embed.token}${rest}`));
      expect(logo.status).toBe(200);
      expect(logo.headers.get("content-type")).toBe("image/png");
      expect(logo.headers.get("x-content-type-options")).toBe("nosniff");
      expect(logo.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      const bytes = Buffer.from(await logo.arrayBuffer());
      expect(bytes.toString("base64")).toBe(brand.logo.png);
      // Metadata is removed.
      expect(bytes.includes("Jane Doe")).toBeFalse();
    }
    expect(await page()).toMatch(/@bottom-left\{content:"First National Bank /);
    // A changed logo has another address, and a removed one is not found.
    const before = /logo\.png\?v=\w+/.exec(await page())![0];
    await change({ logo_png: pngImage({ width: 60 }).toString("base64") });
    expect(/logo\.png\?v=\w+/.exec(await page())![0]).not.toBe(before);
    await change({ logo_png: null });
    expect(await page()).toContain("<bdi>First National Bank</bdi>");
    expect((await fetch(`${server.url}/embed/property/${embed.token}/logo.png`)).status).toBe(404);
    await clear();
  });

  test("is on the form of a passcode, whose logo needs no passcode", async () => {
    await change({ display_name: "First National Bank", color: "#7a1f5c", logo_png: base64 });
    const locked = (
      await administrator.client.post("/admin/embeds", { property_id: propertyId, passcode: "cedar-8361" })
    ).body;
    const at = `${server.url}/embed/property/${locked.token}`;
    const response = await fetch(at);
    expect(response.status).toBe(403);
    const text = await response.text();
    expect(text).toContain('alt="First National Bank"');
    const [, src] = /<img src="([^"]+)"/.exec(text)!;
    expect((await fetch(new URL(src!, at))).status).toBe(200);
    await clear();
  });

  test("has colors that can be read, or names the nearest", async () => {
    const light = await change({ color: "#ffcc00" }, 400);
    expect(light.details).toEqual([
      {
        field: "color",
        message:
          "#ffcc00 has a contrast of 1.4:1 on light pages; text needs 4.5:1. The nearest that has it is #8c7000.",
      },
    ]);
    expect(await change({ color: "#8c7000" })).toMatchObject({ color: "#8c7000" });
    const dark = await change({ color_dark: "#7a1f5c" }, 400);
    expect(dark.details[0].field).toBe("color_dark");
    const [nearest] = /#[\da-f]{6}(?=\.$)/.exec(dark.details[0].message)!;
    expect(await change({ color_dark: nearest })).toMatchObject({ color: "#8c7000", color_dark: nearest });
    await change({ color: null });
    expect((await change({ color_dark: nearest }, 400)).details[0].message).toContain("set color");
    await clear();
  });

  test.each([
    [{ display_name: "" }, "display_name"],
    [{ display_name: "x".repeat(81) }, "display_name"],
    [{ display_name: "two\nlines" }, "display_name"],
    [{ display_name: 5 }, "display_name"],
    [{ display_name: "\u200b\u2060 \ufeff" }, "display_name"],
    [{ display_name: "Bank", logo_png: Buffer.from("no image").toString("base64") }, "logo_png"],
    [
      {
        display_name: "Bank",
        logo_png: pngImage({ pixels: Buffer.from("no pixels") }).toString("base64"),
      },
      "logo_png",
    ],
    [{ color: "red" }, "color"],
    [{ color: "#12345" }, "color"],
    [{ color: "#1a5f5a;}" }, "color"],
    [{ color_dark: "#zzzzzz" }, "color_dark"],
    [{ display_name: "Bank", logo_png: "not base64!" }, "logo_png"],
    [{ display_name: "Bank", logo_png: Buffer.from("<svg/>").toString("base64") }, "logo_png"],
    [{ display_name: "Bank", logo_png: "A".repeat(100_000) }, "logo_png"],
    [{ display_name: "Bank", logo_png: pngImage({ width: 2000 }).toString("base64") }, "logo_png"],
    [{ logo_png: base64 }, "display_name"],
  ])("is refused with %j", async (body, field) => {
    const refused = await change(body, 400);
    expect(refused.details.map((one: Json) => one.field)).toEqual([field]);
    expect((await administrator.client.get(path())).body).toMatchObject({
      display_name: null,
      color: null,
      logo: null,
    });
  });

  test("is changed and shown by a command, and recorded without the image", async () => {
    const file = join(server.dataDir, "..", "logo.png");
    writeFileSync(file, LOGO);
    const set = (...options: string[]) => server.run("partner", "brand", partner.partner_id, ...options);
    const changed = await set("--name", "First <b>Bank</b>", "--color", "#1A5F5A", "--logo", file);
    expect(changed.stdout).toContain("#1a5f5a, contrast 7.");
    expect(changed.stdout).toContain("PNG, 120 × 40 pixels");
    expect(await page()).toContain('alt="First &lt;b>Bank&lt;/b>"');
    const created = await server.run("embed", "create", propertyId);
    expect(created.stdout).toMatch(
      /Shows +First <b>Bank<\/b> \(logo\); Elm Court, .*grade [A-F], \d+ critical/,
    );
    const refused = await set("--color", "#ffcc00");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("The nearest that has it is #8c7000");
    expect((await set("--logo", "/dev/zero")).stderr).toContain("cannot read /dev/zero");
    writeFileSync(file, "<svg/>");
    expect((await set("--logo", file)).stderr).toContain("SVG is not accepted");
    const cleared = await server.json("partner", "brand", partner.partner_id, "--clear");
    expect(cleared).toMatchObject({ display_name: null, color: null, color_dark: null, logo: null });
    const { entries } = (await administrator.client.get("/admin/audit", { subject: partner.partner_id }))
      .body;
    const [, entry] = entries.filter((one: Json) => one.action === "partner.set_brand");
    expect(entry.detail).toEqual({
      display_name: "First <b>Bank</b>",
      color: "#1a5f5a",
      color_dark: expect.any(String),
      logo: { width: 120, height: 40, bytes: pngImage().length },
    });
  });

  test("is accessible on a phone, a tablet and a desktop, in light and dark", async () => {
    await change({ display_name: "First National Bank", color: "#8c7000", logo_png: base64 });
    const seen = await openWindow(browser, server.url);
    for (const rest of ["", "/components", "/schedule"]) {
      await seen.page.goto(`${server.url}/embed/property/${embed.token}${rest}`);
      expect(await pageFaults(seen.page, `embed-brand${rest.replace("/", "-")}`)).toEqual([]);
      await seen.page.setViewportSize({ width: 768, height: 800 });
      expect(await overflow(seen.page), rest).toBe(0);
    }
    expect(
      await seen.page.locator(".brand img").evaluate((image: HTMLImageElement) => image.naturalWidth),
    ).toBe(120);
    expect(seen.pageErrors).toEqual([]);
    await seen.close();
    await clear();
  });

  test("is changed in the console, with a preview and the nearest color that can be read", async () => {
    const { page, pageErrors, close } = await openWindow(browser, server.adminUrl);
    await page.goto(`${server.adminUrl}/console`);
    await page.getByLabel("Administrator key").fill(administrator.key);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await goTo(page, `#/partners/${partner.partner_id}`);
    const section = page.locator("#brand");
    await section.getByRole("button", { name: "Change" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("First National Bank");
    await dialog.getByLabel("Color", { exact: true }).fill("#ffcc00");
    await dialog.getByLabel(/^Logo/).setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: LOGO });
    await dialog.getByText("too low; #8c7000 is enough").waitFor();
    await dialog.getByRole("button", { name: "Change" }).click();
    await dialog.getByRole("alert").filter({ hasText: "The nearest that has it is #8c7000." }).waitFor();
    for (const width of [375, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const { x, width: wide } = (await dialog.locator("form").boundingBox())!;
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + wide).toBeLessThanOrEqual(width);
      expect(await overflow(page)).toBe(0);
      await screenshot(page, `console-brand-${width}`);
    }
    expect(await accessibilityViolations(page)).toEqual([]);
    await dialog.getByLabel("Color", { exact: true }).fill("#8c7000");
    await dialog.getByRole("button", { name: "Change" }).click();
    await dialog.waitFor({ state: "detached" });
    await settled(page);
    await section.getByText("Light: #8c7000, contrast 4.5:1").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect((await administrator.client.get(path())).body).toMatchObject({
      display_name: "First National Bank",
      color: "#8c7000",
      logo: { width: 120, height: 40 },
    });
    // The browser logs the refused request itself.
    expect(pageErrors.filter((one) => !one.includes("400"))).toEqual([]);
    await close();
    await clear();
  });
});
