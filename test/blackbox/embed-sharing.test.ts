import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import { launchBrowser } from "../support/browser.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { openWindow, overflow, pageFaults } from "../support/page-checks.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";

/* Embeds with a label, a recipient and a passcode, and the log of their views. */

const { serve } = useMainstay();
let server: Installation;
let administrator: Administrator;
let browser: Browser;
let propertyId: string;

beforeAll(async () => {
  server = await serve();
  administrator = await createAdministrator(server);
  const client = server.as(await createPartnerBy(administrator, { name: "Acme" }));
  propertyId = (await addProperty(client)).id;
  await addWornAppliance(client, propertyId);
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const PASSCODE = "cedar-8361";
const create = async (body: Json = {}) =>
  (await administrator.client.post("/admin/embeds", { property_id: propertyId, ...body })).body;
const pathOf = ({ token }: Json) => `${server.url}/embed/property/${token}`;
const enter = (embed: Json, passcode: string, headers: Record<string, string> = {}) =>
  fetch(pathOf(embed), {
    method: "POST",
    redirect: "manual",
    headers,
    body: new URLSearchParams({ passcode }),
  });

// Rule: embed-passcode
describe("an embed with a passcode", () => {
  test("shows nothing of the property until the passcode is entered", async () => {
    const embed = await create({ passcode: PASSCODE });
    for (const rest of [
      "",
      "/components",
      "/schedule",
      "/plan.csv",
      "/plan.xlsx",
      "/components.csv",
      "/trend.csv",
    ]) {
      const response = await fetch(pathOf(embed) + rest);
      const text = await response.text();
      expect(response.status, rest).toBe(403);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(text).toContain("Enter the passcode");
      expect(text).not.toContain("Elm Court");
    }
    const entered = await enter(embed, PASSCODE);
    expect([entered.status, entered.headers.get("location")]).toEqual([303, embed.token]);
    const cookie = entered.headers.get("set-cookie")!;
    expect(cookie).toContain(`Path=/embed/property/${embed.token}; HttpOnly; SameSite=Lax`);
    expect(cookie).not.toContain("Secure");
    const sent = { cookie: cookie.split(";")[0]! };
    for (const rest of ["", "/components", "/schedule", "/plan.csv"]) {
      const response = await fetch(pathOf(embed) + rest, { headers: sent });
      expect(response.status, rest).toBe(200);
      expect(response.headers.get("cache-control")).toBe("private, no-cache");
    }
    // The cached page is not for those without the cookie, and the cookie is for no other embed.
    expect((await fetch(pathOf(embed))).status).toBe(403);
    const other = await create({ passcode: PASSCODE });
    expect((await fetch(pathOf(other), { headers: sent })).status).toBe(403);
  });

  test("answers a wrong passcode, and too many, with a page that says what to do", async () => {
    const embed = await create({ passcode: PASSCODE });
    for (let n = 0; n < 5; n++) {
      const response = await enter(embed, `wrong-${n}`);
      const text = await response.text();
      expect(response.status).toBe(403);
      expect(response.headers.get("set-cookie")).toBeNull();
      expect(text).toContain("This passcode is wrong. Check it and try again.");
      expect(text).not.toContain(`wrong-${n}`);
    }
    let last = await enter(embed, PASSCODE);
    // On PostgreSQL a sixth may be admitted, as of any limit that servers share.
    if (last.status === 303) last = await enter(embed, PASSCODE);
    expect(last.status).toBe(429);
    expect(Number(last.headers.get("retry-after"))).toBeWithin(1, 66);
    expect(last.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await last.text()).toMatch(/Too many attempts\. Try again in \d+ second/);
    // Viewers of another embed are unaffected.
    expect((await enter(await create({ passcode: PASSCODE }), PASSCODE)).status).toBe(303);
  });

  test("refuses forms that are malformed or too long, with a page", async () => {
    const embed = await create({ passcode: PASSCODE });
    for (const body of ["", "passcode", "%ff=%", "\0"]) {
      const response = await fetch(pathOf(embed), { method: "POST", body });
      expect(response.status, body).toBe(403);
    }
    const long = await enter(embed, "x".repeat(2000));
    expect(long.status).toBe(413);
    expect(await long.text()).toContain("The passcode is too long");
  });

  test("keeps the passcode out of logs, lists, the audit log and the database", async () => {
    const embed = await create({ passcode: PASSCODE, label: "Committee" });
    await enter(embed, PASSCODE);
    await enter(embed, "wrong-passcode");
    const list = await server.json("embed", "list");
    expect(list.embeds[0]).toMatchObject({ has_passcode: true, label: "Committee" });
    const audit = await administrator.client.get("/admin/audit", { subject: embed.embed_id });
    expect(audit.body.entries[0].detail).toMatchObject({ has_passcode: true, label: "Committee" });
    const texts = [JSON.stringify([embed, list, audit.body]), JSON.stringify(server.log)];
    for (const text of texts) expect(text).not.toMatch(/cedar-8361|wrong-passcode|argon2/);
    const [row] = await server.sql(`SELECT passcode_hash FROM embeds WHERE id = '${embed.embed_id}'`);
    expect(JSON.stringify(row)).toContain("$argon2id$");
  });

  test("is created by a command that prints a new passcode once", async () => {
    const made = await server.json("embed", "create", propertyId, "--passcode", "--recipient", "First Bank");
    expect(made.passcode).toMatch(/^[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}$/);
    expect((await enter(made, made.passcode)).status).toBe(303);
    const { stdout } = await server.run("embed", "list");
    expect(stdout).toContain("First Bank");
    expect(stdout).not.toContain(made.passcode);
  });

  test("leads to the page at once if it has none", async () => {
    const embed = await create();
    const response = await enter(embed, "anything");
    expect([response.status, response.headers.get("set-cookie")]).toEqual([303, null]);
  });

  test("is opened in a browser without JavaScript, by keyboard, on any screen", async () => {
    const embed = await create({ passcode: PASSCODE });
    const { page, pageErrors, close } = await openWindow(browser, server.url, { javaScriptEnabled: false });
    await page.goto(pathOf(embed));
    await page.keyboard.press("Tab");
    await page.keyboard.type("not this one");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Passcode").fill(PASSCODE);
    await page.getByRole("button", { name: "Open the report" }).click();
    await page.getByRole("heading", { level: 1, name: "Elm Court" }).waitFor();
    await page.goto(`${pathOf(embed)}/schedule`);
    expect(await page.locator("h1").count()).toBe(1);
    // The browser logs the two 403 itself.
    expect(pageErrors.filter((one) => !one.includes("403"))).toEqual([]);
    await close();
    const seen = await openWindow(browser, server.url);
    await seen.page.goto(pathOf(embed));
    await seen.page.getByLabel("Passcode").fill("not this one");
    await seen.page.keyboard.press("Enter");
    await seen.page.getByRole("alert").waitFor();
    expect(await pageFaults(seen.page, "embed-passcode")).toEqual([]);
    await seen.page.setViewportSize({ width: 768, height: 800 });
    expect(await overflow(seen.page)).toBe(0);
    await seen.close();
  });
});

// Rule: embed-views
test("the log of views says when the page was viewed, and from which address", async () => {
  const embed = await create({ recipient: "First National Bank" });
  const before = Date.now();
  for (let n = 0; n < 3; n++) expect((await fetch(pathOf(embed))).status).toBe(200);
  // Files and refused requests are not views.
  await fetch(`${pathOf(embed)}/plan.csv`);
  const locked = await create({ passcode: PASSCODE });
  await fetch(pathOf(locked));
  expect(await server.stop()).toBe(0);
  await server.start();
  const { body } = await administrator.client.get(`/admin/embeds/${embed.embed_id}/views`);
  expect(body).toMatchObject({ embed_id: embed.embed_id, views: 3 });
  expect(body.latest).toHaveLength(3);
  for (const { viewed_at, address } of body.latest) {
    expect(Date.parse(viewed_at)).toBeWithin(before, Date.now() + 1);
    expect(address).toBe("127.0.0.1");
  }
  expect(await server.json("embed", "views", embed.embed_id)).toEqual(body);
  expect((await server.run("embed", "views", embed.embed_id)).stdout).toContain("127.0.0.1");
  expect(await server.json("embed", "views", locked.embed_id)).toMatchObject({ views: 0, latest: [] });
  await administrator.client.get("/admin/embeds/EMB_00000000000000000000000000/views", {}, 404);
});

// Rule: embed-passcode
test.each([
  { passcode: "1234567" },
  { passcode: "x".repeat(65) },
  { passcode: " maple-4711" },
  { passcode: "maple\n4711" },
  { passcode: "" },
  { passcode: 47110815 },
  { label: "two\nlines" },
  { label: "x".repeat(501) },
  { recipient: 5 },
])("an embed with %j is refused, without repeating a passcode", async (field) => {
  const { body } = await administrator.client.post(
    "/admin/embeds",
    { property_id: propertyId, ...field },
    400,
  );
  const [name, value] = Object.entries(field)[0]!;
  expect(JSON.stringify(body.details)).toContain(name);
  if (name === "passcode" && value !== "") expect(JSON.stringify(body)).not.toContain(String(value).trim());
});
