import { beforeAll, describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { type Administrator, adminClient, createAdministrator } from "../support/administrator.ts";
import type { ApiClient } from "../support/client.ts";
import { cpuMs } from "../support/cpu-ms.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import {
  addAppliance,
  addConditionTrend,
  addProperty,
  addWornAppliance,
  logEvents,
} from "../support/portfolio.ts";
import { onPostgres } from "../support/postgres.ts";

const { serve } = useMainstay();
const ANCESTORS = ["https://portal.example.com", "'self'"];
let server: Installation;
let partner: Partner;
let client: ApiClient;
let administrator: Administrator;
let property: Json;
let worn: Json;
let tank: Json;
beforeAll(async () => {
  server = await serve({ embed: { frame_ancestors: ANCESTORS } });
  partner = await server.createPartner("Acme");
  client = server.as(partner);
  administrator = await createAdministrator(server);
  property = await addProperty(client, { unit_count: 12 });
  worn = await addWornAppliance(client, property.id);
  await addConditionTrend(server, partner.partner_id, property.id, 4);
  tank = worn.components[0];
  await addAppliance(client, property.id);
});

const create = (...options: string[]) => server.json("embed", "create", property.id, ...options);
/** Requests like a browser, which gets errors as pages. */
async function pageOf(token: string, status = 200, rest = ""): Promise<{ headers: Headers; text: string }> {
  const response = await fetch(`${server.url}/embed/property/${token}${rest}`);
  const text = await response.text();
  expect(response.status, text.slice(0, 500)).toBe(status);
  return { headers: response.headers, text };
}

describe("an embed", () => {
  // Rule: embed
  test("is created by a command that prints its URL, which needs no other credentials", async () => {
    const { embed_id, token, url, expires_at } = await create();
    expect(embed_id).toMatch(/^EMB_[0-9a-z]{26}$/);
    expect(url).toEndWith(`/api/embed/property/${token}`);
    expect(expires_at).toBeNull();
    for (const base of ["", "/api"]) {
      const { text } = await server.anonymous.get(`${base}/embed/property/${token}`);
      expect(text).toContain("Elm Court");
      expect(text).toContain(tank.component_name);
    }
  });

  test("is handled two requests at a time; others wait, and those beyond a few get 429", async () => {
    const { token } = await create();
    const large = await addProperty(client);
    const appliances = Array.from({ length: 200 }, () => ({
      property_id: large.id,
      type_id: "plumbing_supply",
      install_year: 1990,
    }));
    await client.post("/v1/appliances/bulk", { appliances });
    const crowded = await server.json("embed", "create", large.id);
    const get = (of: string, years: number, inflation = 3) =>
      fetch(`${server.url}/embed/property/${of}/plan.csv?years=${years}&inflation_pct=${inflation}`, {
        headers: { connection: "close" },
      });
    const responses: Response[] = [];
    let refused: Response[] = [];
    // On a busy machine, the first ones may be answered before the last ones arrive.
    for (let inflation = 0; refused.length === 0 && inflation < 10; inflation++) {
      const sent = Array.from({ length: 30 }, (_, i) => get(crowded.token, i + 1, inflation));
      const other = await get(token, 30, inflation);
      expect(other.status).toBe(200);
      responses.push(...(await Promise.all(sent)));
      refused = responses.filter(({ status }) => status === 429);
    }
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    const served = responses.filter(({ status }) => status === 200);
    expect(served.length).toBeGreaterThanOrEqual(10);
    expect(served.length + refused.length).toBe(responses.length);
    const getTogether = async () => [
      await get(crowded.token, 1),
      ...(await Promise.all(Array.from({ length: 30 }, () => get(crowded.token, 1)))),
    ];
    // A reply is made once, so that it does not wait for others; until something changes.
    let again = await getTogether();
    // The server renews plans once after a change, which may be just then.
    if (again.some(({ status }) => status !== 200)) again = await getTogether();
    expect(again.map(({ status }) => status)).toEqual(Array(31).fill(200));
    const [text, ...others] = await Promise.all(again.map((response) => response.text()));
    expect(new Set(others)).toEqual(new Set([text!]));
    await addAppliance(client, large.id);
    expect(await (await get(crowded.token, 1)).text()).not.toBe(text);
  });

  test("waits for others of its partner beyond four: all at once, each would take as long as all together", async () => {
    const { id } = await addProperty(client);
    await client.post("/v1/appliances/bulk", {
      appliances: Array(60).fill({ property_id: id, type_id: "plumbing_supply", install_year: 1990 }),
    });
    const embeds = await Promise.all(
      Array.from({ length: 10 }, () => administrator.client.post("/admin/embeds", { property_id: id })),
    );
    const before = cpuMs(server.pid);
    const cpuUsedMs = await Promise.all(
      embeds.flatMap(({ body }) =>
        [1, 2].map(async (years) => {
          const { status } = await server.anonymous.get(
            `/embed/property/${body.token}/plan.csv?years=${years}`,
          );
          expect(status).toBe(200);
          return cpuMs(server.pid) - before;
        }),
      ),
    );
    expect(Math.min(...cpuUsedMs)).toBeLessThan(Math.max(...cpuUsedMs) / 2);
  });

  // Rule: embed
  test("is invalid immediately after it is revoked, like an unknown one", async () => {
    const { embed_id, token } = await create();
    await pageOf(token);
    expect(await server.json("embed", "revoke", embed_id)).toEqual({ embed_id, revoked: true });
    const revoked = await pageOf(token, 404);
    expect(revoked.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const unknown = await pageOf(`svc_embed_${"0".repeat(48)}`, 404);
    expect(unknown.text).toBe(revoked.text);
    for (const rest of ["/components", "/components.csv"]) await pageOf(token, 404, rest);
    const again = await server.run("embed", "revoke", embed_id);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("already revoked");
  });

  test("is rejected for an unknown property, and for an invalid number of days", async () => {
    const { code, stderr } = await server.run("embed", "create", "P_00000000000000000000000000");
    expect(code).toBe(1);
    expect(stderr).toContain("property not found: P_00000000000000000000000000");
    for (const days of ["0", "-1", "3651", "soon"])
      expect((await server.run("embed", "create", property.id, "--expires", days)).code).toBe(2);
  });

  test("may expire", async () => {
    const { expires_at } = await create("--expires", "90");
    const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThanOrEqual(90);
  });

  test("is unavailable while its partner is disabled", async () => {
    const other = await server.createPartner("Other");
    const { id } = await addProperty(server.as(other));
    const { token } = await server.json("embed", "create", id);
    await server.json("partner", "disable", other.partner_id);
    await pageOf(token, 404);
    await server.json("partner", "enable", other.partner_id);
    await pageOf(token);
  });
});

describe("the administrators' routes", () => {
  test("create, list and revoke embeds on behalf of the administrator", async () => {
    const made = (
      await administrator.client.post("/admin/embeds", { property_id: property.id, expires_days: 7 })
    ).body;
    expect(made.url).toBe(`${server.url}/api/embed/property/${made.token}`);
    await pageOf(made.token);
    const listed = await administrator.client.get("/admin/embeds", { property_id: property.id });
    expect(JSON.stringify(listed.body)).not.toContain(made.token);
    expect(listed.body.embeds[0]).toMatchObject({
      embed_id: made.embed_id,
      property_id: property.id,
      property_name: "Elm Court",
      partner_id: partner.partner_id,
      status: "active",
    });
    for (const _twice of [1, 2])
      expect(
        (await administrator.client.post(`/admin/embeds/${made.embed_id}/revoke`, undefined, 200)).body,
      ).toEqual({ embed_id: made.embed_id, revoked: true });
    await pageOf(made.token, 404);
    const audit = await administrator.client.get("/admin/audit", { subject: made.embed_id });
    expect(audit.body.entries.map((one: Json) => [one.action, one.actor])).toEqual([
      ["embed.revoke", administrator.id],
      ["embed.create", administrator.id],
    ]);
  });

  // Rule: embed-change
  test("change the label, the recipient and the passcode of an embed, which keeps its URL", async () => {
    const { body: made } = await administrator.client.post("/admin/embeds", { property_id: property.id });
    const path = `/admin/embeds/${made.embed_id}`;
    const { body } = await administrator.client.put(path, { label: "Committee", passcode: "cedar-8361" });
    expect(body).toMatchObject({ label: "Committee", recipient: null, has_passcode: true });
    await pageOf(made.token, 403);
    const named = await administrator.client.put(path, { recipient: "First Bank", passcode: null });
    expect(named.body).toMatchObject({ label: "Committee", recipient: "First Bank", has_passcode: false });
    await pageOf(made.token);
    await administrator.client.put(path, { recipient: "First Bank" });
    const updated = await server.json("embed", "update", made.embed_id, "--label", "", "--passcode");
    expect(updated).toMatchObject({ label: null, recipient: "First Bank", has_passcode: true });
    expect(updated.passcode).toMatch(/^[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}$/);
    await pageOf(made.token, 403);
    const { entries } = (await administrator.client.get("/admin/audit", { subject: made.embed_id })).body;
    expect((entries as Json[]).map(({ action, detail }) => [action, detail.fields])).toEqual([
      ["embed.update", ["label", "passcode"]],
      ["embed.update", ["recipient", "passcode"]],
      ["embed.update", ["label", "passcode"]],
      ["embed.create", undefined],
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/cedar-8361|argon2/);
    await administrator.client.put(path, { passcode: "short" }, 400);
    await administrator.client.put("/admin/embeds/EMB_00000000000000000000000000", {}, 404);
    await administrator.client.post(`${path}/revoke`, undefined, 200);
    await administrator.client.put(path, { label: "Late" }, 409);
  });

  test("reject invalid requests", async () => {
    await administrator.client.post("/admin/embeds", { property_id: "P_00000000000000000000000000" }, 404);
    await administrator.client.post("/admin/embeds", {}, 400);
    await administrator.client.post("/admin/embeds", { property_id: property.id, expires_days: 0 }, 400);
    await administrator.client.post("/admin/embeds/EMB_00000000000000000000000000/revoke", undefined, 404);
    await client.post("/admin/embeds", { property_id: property.id }, 404);
  });
});

test("views are counted without a write for each, and shown in the metrics and the list", async () => {
  const { embed_id, token } = await create();
  const counted = async () => {
    const { text } = await adminClient(server, {}).get("/metrics");
    return Number(/^mainstay_embed_views_total (\d+)$/m.exec(text)![1]);
  };
  const [before, beforeMs] = [await counted(), Date.now()];
  for (let n = 0; n < 3; n++) await pageOf(token);
  expect(await counted()).toBe(before + 3);
  await pageOf(`${token}0`, 404);
  expect(await counted()).toBe(before + 3);
  // Stored at the latest on shutdown.
  expect(await server.stop()).toBe(0);
  await server.start();
  const { embeds } = await server.json("embed", "list");
  const listed = embeds.find((one: Json) => one.embed_id === embed_id);
  expect(listed.views).toBe(3);
  expect(Date.parse(listed.last_viewed_at)).toBeWithin(beforeMs, Date.now() + 1);
  await pageOf(token);
});

describe("the response headers of a page", () => {
  // Rule: embed-policy
  test("limit the sites that may frame it, and allow no inline scripts, inline styles or other hosts", async () => {
    const { token } = await create();
    for (const { headers } of [await pageOf(token), await pageOf(`${token}0`, 404)]) {
      const policy = headers.get("content-security-policy")!;
      expect(policy).toContain(`frame-ancestors ${ANCESTORS.join(" ")}`);
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe-|https?:\/\/(?!portal\.example\.com)|\*/);
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cache-control")).toBe("private, no-cache");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("belong to at most 60 kB compressed, including assets, for 300 components", async () => {
    const large = await addProperty(client, { name: "Large Court", unit_count: 300 });
    const appliances = Array.from({ length: 38 }, (_, n) => ({
      property_id: large.id,
      type_id: "refrigerator",
      install_year: 1990 + n,
    })).filter((one) => one.install_year <= new Date().getFullYear());
    await client.post("/v1/appliances/bulk", { appliances });
    const { token } = await server.json("embed", "create", large.id);
    const url = `${server.url}/embed/property/${token}`;
    const first = await fetch(url, {
      headers: { "accept-encoding": "br" },
      decompress: false,
    } as RequestInit);
    expect(first.headers.get("content-encoding")).toBe("br");
    const { text } = await pageOf(token);
    const loaded = [...text.matchAll(/(?:href|src)="(\.\.[^"]+assets[^"]+)"/g)].map(([, path]) => path!);
    expect(loaded).toHaveLength(2);
    let bytes = (await first.arrayBuffer()).byteLength;
    for (const path of loaded) {
      const asset = await fetch(new URL(path, url), {
        headers: { "accept-encoding": "br" },
        decompress: false,
      } as RequestInit);
      expect(asset.status).toBe(200);
      bytes += (await asset.arrayBuffer()).byteLength;
    }
    expect(bytes).toBeLessThan(60_000);
  });
});

describe("the CSV files of a page", () => {
  let token: string;
  let page: string;
  beforeAll(async () => {
    await server.json("snapshot");
    ({ token } = await create());
    page = (await pageOf(token)).text;
  });

  // Rule: embed-figures
  test.each([
    "condition",
    "components",
    "plan",
    "schedule",
    "reserve",
    "forecast",
    "inspections",
    "condition-trend",
    "trend",
  ])("%s come as CSV, linked from the page", async (file) => {
    expect(page).toContain(`${token}/${file}.csv`);
    const { headers, text } = await pageOf(token, 200, `/${file}.csv`);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toContain(`${property.id}-${file}.csv`);
    const rows: Json[] = parse(text, { columns: true });
    expect(rows.length).toBeGreaterThan(0);
    const restsOnAssumptions = ["condition", "plan", "schedule", "reserve", "forecast"].includes(file);
    for (const [at, row] of rows.entries())
      if (at > 0 || !restsOnAssumptions) expect(row.assumptions ?? "").toBe("");
      else expect(row.assumptions).toMatch(/^Scoring model 3, .* no guarantee\.$/);
  });

  test("match the API for components", async () => {
    const lines = (await pageOf(token, 200, "/components.csv")).text.trim().split("\n");
    const { components } = (await client.get("/v1/components", { property_id: property.id, limit: 200 }))
      .body;
    expect(lines).toHaveLength(components.length + 1);
    const heading = lines[0]!.split(",");
    const row = lines.find((line) => line.startsWith(tank.id))!.split(",");
    const known = components.find((one: Json) => one.id === tank.id);
    for (const name of ["risk_score", "failure_probability_12m", "proactive_cost", "reactive_cost"])
      expect(Number(row[heading.indexOf(name)]), name).toBe(known[name]);
  });

  test("are an error page if they do not exist", async () => {
    const { token } = await create();
    await pageOf(token, 404, "/secrets.csv");
    await pageOf(token, 404, "/components.json");
  });
});

describe("the page", () => {
  test("shows no assessment and no grade without equipment", async () => {
    const { id } = await addProperty(client, { name: "Empty Court" });
    const { token } = await server.json("embed", "create", id);
    const { text } = await pageOf(token);
    expect(text).toContain("No assessment yet");
    expect(text).not.toContain("Grade");
    expect((await pageOf(token, 200, "/condition.csv")).text.split("\n")[1]).toStartWith(",,,0,");
  });

  test("explains the components with the highest expected losses, not the highest scores", async () => {
    const { token } = await create();
    const { text } = await pageOf(token);
    const shown = [...text.matchAll(/<\/svg><div>([^<]+?) <span class="small muted">/g)].map(
      ([, name]) => name!,
    );
    const { components } = (await client.get("/v1/components", { property_id: property.id, limit: 200 }))
      .body;
    const expected = components
      .filter((one: Json) => one.risk_tier !== "GOOD")
      .sort(
        (a: Json, b: Json) =>
          b.failure_probability_12m * b.reactive_cost - a.failure_probability_12m * a.reactive_cost,
      )
      .map((one: Json) => one.component_name);
    expect(shown.length).toBeGreaterThan(1);
    expect(shown).toEqual(expected.slice(0, shown.length));
  });

  // Rule: score-reasons
  test("says why the components of highest risk have their scores", async () => {
    const { token } = await create();
    const { text } = await pageOf(token);
    const { why } = (await client.get(`/v1/components/${tank.id}`)).body;
    expect(why.length).toBeGreaterThan(1);
    for (const { text: reason } of why) expect(text).toContain(reason.split("\u201c")[0]);
    expect(text).toContain('<ul class="reasons">');
  });

  test("shows the trend of the requested component with its service events", async () => {
    const { token } = await create();
    await logEvents(client, {
      appliance_id: worn.id,
      component_id: tank.id,
      event_type: "Inspection",
      date: "2025-03-14",
      parts_cost: 240,
    });
    const { text } = await server.anonymous.get(`/embed/property/${token}`, { component: tank.id });
    const trend = text.slice(text.indexOf('id="trend"'));
    expect(trend).toContain(`<option value="${tank.id}" selected>`);
    expect(trend).toContain("Mar 14, 2025");
    expect(trend).toContain("$240");
    const unknown = await server.anonymous.get(`/embed/property/${token}`, { component: "C_other" });
    expect(unknown.text).toContain('id="trend"');
  });

  test("escapes names given by partners", async () => {
    const name = `<script>alert("1")</script> & 'two' \u202e x`;
    const { id } = await addProperty(client, { name });
    const { token } = await server.json("embed", "create", id);
    const { text } = await pageOf(token);
    expect(text).not.toContain("<script>alert");
    expect(text).toContain("&lt;script>alert(&quot;1&quot;)");
  });
});

describe("an error page", () => {
  // Rule: embed-refusals
  test("for too many views from an address says when to retry", async () => {
    const limited = await serve({ limits: { per_ip_per_minute: 5 } });
    const { id } = await addProperty(limited.as(await limited.createPartner()));
    const { token } = await limited.json("embed", "create", id);
    const ask = (path: string) =>
      fetch(`${limited.url}${path}`, { headers: { "accept-encoding": "gzip, br" } });
    const path = `/embed/property/${token}?budget=5000`;
    let answer = await ask(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-encoding")).toBe("br");
    for (let n = 0; n < 5; n++) answer = await ask(path);
    for (const address of [path, `/api${path}`, `/embed/property/${token}/schedule`, "/embed/app"]) {
      answer = await ask(address);
      expect(answer.status).toBe(429);
      const seconds = Number(answer.headers.get("retry-after"));
      // Compressing the page of each refused request would cost more than refusing it.
      expect(answer.headers.get("content-encoding")).toBeNull();
      // In a cluster, calls are counted in slots of 5 seconds.
      expect(seconds).toBeWithin(1, onPostgres ? 66 : 61);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
      const text = await answer.text();
      expect(text).toContain(`Try again in ${seconds} second`);
      // Its assets might be rejected as well.
      expect(text).not.toMatch(/<link[^>]+stylesheet|<script/);
      expect(text).toContain(`<a href="./${address.split("/").at(-1)}">Try again</a>`);
    }
    const program = await ask("/v1/ping");
    expect(program.status).toBe(429);
    expect(program.headers.get("content-type")).toBe("application/json");
    expect((await program.json()).code).toBe("rate_limited");
  });

  // Rule: embed-refusals
  test("is also shown for an invalid or unknown URL", async () => {
    const { token } = await create();
    const twice = await pageOf(token, 400, "?budget=1&budget=2");
    expect(twice.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(twice.text).toContain("This link is not valid");
    const missing = await fetch(`${server.url}/embed/property/`);
    expect(missing.status).toBe(404);
    expect(await missing.text()).toContain("Page not found");
    const head = await fetch(`${server.url}/embed/property/`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([404, ""]);
  });
});

// Rule: embed
test("an expired embed is not found", async () => {
  const { token } = await create("--expires", "1");
  await pageOf(token);
  await server.stop();
  await server.sql(`UPDATE embeds SET expires_at = ${Date.now() - 1} WHERE expires_at IS NOT NULL`);
  await server.start();
  await pageOf(token, 404);
});
