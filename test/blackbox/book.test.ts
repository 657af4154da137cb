import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readXlsx } from "hucre/xlsx";
import { type Administrator, createAdministrator } from "../support/administrator.ts";
import type { ApiClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";
import { addRecords, type RecordIds } from "../support/records.ts";
import { ADMIN_ROUTES, adminPath, adminQuery, PARTNER_OPERATIONS, unknownIds } from "../support/routes.ts";

const { serve } = useMainstay();
let server: Installation;
let administrator: Administrator;
let admin: ApiClient;
let partners: string[];
let acmePartner: Partner;
const properties: string[] = [];
beforeAll(async () => {
  server = await serve();
  administrator = await createAdministrator(server);
  admin = administrator.client;
  partners = [];
  for (const [name, states] of [
    ["Acme", ["NY", "VT"]],
    ["Beta", ["NY", "NY", "OH"]],
    ["Empty", []],
  ] as const) {
    const created = await server.createPartner(name);
    partners.push(created.partner_id);
    if (name === "Acme") acmePartner = created;
    const client = server.as(created);
    for (const state of states) {
      const { id } = await addProperty(client, { name: `${name} ${state}`, state });
      properties.push(id);
      await addWornAppliance(client, id);
    }
    if (name === "Acme") await client.post("/v1/onboarding/demo-property", {});
  }
});

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const sum = (rows: Json[], field: string) => rows.reduce((total, row) => total + row[field], 0);

describe("the book of all partners", () => {
  // Rule: book-lists
  test("lists properties by partner, at any offset", async () => {
    const { body } = await admin.get("/admin/book/properties");
    expect(body.total).toBe(6);
    expect(body.properties.map(({ partner }: Json) => partner)).toEqual([
      ...["Acme", "Acme", "Acme"],
      ...["Beta", "Beta", "Beta"],
    ]);
    for (let offset = 0; offset < 7; offset++) {
      const page = (await admin.get("/admin/book/properties", { limit: 2, offset })).body;
      expect(page.total).toBe(6);
      expect(page.properties).toEqual(body.properties.slice(offset, offset + 2));
    }
    const inNy = (await admin.get("/admin/book/properties", { state: "NY", limit: 1, offset: 1 })).body;
    expect(inNy.properties).toHaveLength(1);
    const ofBeta = (await admin.get("/admin/book/properties", { partner_id: partners[1]! })).body;
    expect(ofBeta.total).toBe(3);
    const csv = await admin.get("/admin/book/properties", { format: "csv" });
    expect(csv.text.trim().split("\n")).toHaveLength(7);
  });

  // Rule: book-lists
  test("sums up risk and costs, without the demo property unless it is asked for", async () => {
    const { body } = await admin.get("/admin/book/summary");
    const own = body.portfolio.filter(({ property_id }: Json) => properties.includes(property_id));
    expect(body.totals).toMatchObject({ properties: 5, components: sum(own, "components") });
    expect(body.totals.critical).toBe(sum(own, "critical"));
    const withDemo = (await admin.get("/admin/book/summary", { include_demo: "true" })).body;
    expect(withDemo.totals.components).toBe(sum(body.portfolio, "components"));
    const beta = (await admin.get("/admin/book/summary", { partner_id: partners[1]!, state: "ny" })).body;
    expect(beta.totals.properties).toBe(2);
    const filtered = (await admin.get("/admin/book/summary", { q: "a" })).body;
    expect(filtered.total).toBe(6);
    expect(filtered.totals, "also of those that match a filter").toEqual(body.totals);
  });

  // Rule: book-lists, assumptions
  test("says what its totals rest on, as the summaries of the partners do", async () => {
    const { assumptions } = (await admin.get("/admin/book/summary")).body;
    const own = (await server.as(acmePartner).get("/v1/portfolio/summary")).body;
    const ofAcme = (await admin.get("/admin/book/summary", { partner_id: partners[0]! })).body;
    expect(ofAcme.assumptions).toEqual(own.assumptions);
    expect(assumptions.components).toBe((await admin.get("/admin/book/summary")).body.totals.components);
    const csv = await admin.get("/admin/book/summary", { format: "csv" });
    const rows = csv.text.trim().split("\n");
    expect(rows.filter((row) => row.includes("Scoring model 3"))).toEqual([rows[1]!]);
  });

  // Rule: book-lists
  test.each([
    ["risk_score", {}],
    ["expected_cost_12m", { sort: "cost" }],
  ])("lists alerts of all partners by %s, at any offset and with filters", async (value, sort) => {
    const filters: Record<string, string>[] = [
      {},
      { state: "NY" },
      { system: "plumbing" },
      { tier: "WARNING" },
    ];
    for (const one of filters) {
      const filter = { ...one, ...sort };
      const { body } = await admin.get("/admin/book/alerts", { ...filter, limit: 200 });
      expect(body.alerts.length).toBe(body.total);
      expect(body.critical_count + body.warning_count).toBe(body.total);
      // Costs are sorted by two digits, and scores have no more.
      const values = body.alerts.map((alert: Json) => Number(alert[value].toPrecision(2)));
      expect(values).toEqual(values.toSorted((a: number, b: number) => b - a));
      expect(new Set(values).size).toBeGreaterThan(1);
      expect(new Set(body.alerts.map(({ id }: Json) => id)).size).toBe(body.total);
      for (let offset = 0; offset <= body.total; offset += 3) {
        const page = (await admin.get("/admin/book/alerts", { ...filter, limit: 3, offset })).body;
        expect(page.alerts).toEqual(body.alerts.slice(offset, offset + 3));
      }
    }
  });

  // Rule: book-losses
  test("has the losses of the partners, which add up", async () => {
    const all = (await admin.get("/admin/book/losses")).body;
    expect(all).toMatchObject({ partners: 3, properties: 5 });
    let expected = 0;
    for (const id of partners)
      expected += (await admin.get("/admin/book/losses", { partner_id: id })).body.total.expected;
    expect(expected).toBeCloseTo(all.total.expected, 0);
    const two = (await admin.get("/admin/book/losses", { partner_id: partners.slice(0, 2).join(",") })).body;
    expect(two.total).toEqual(all.total);
    await admin.get("/admin/book/losses", { partner_id: "PARTNER_none" }, 404);
    await admin.get("/admin/book/losses", { limit: "0" }, 400);
  });

  // Rule: underwriting
  test("has an underwriting page for each property", async () => {
    const id = properties[0]!;
    const acme = server.as(acmePartner);
    await acme.post(`/v1/property/${id}/claims`, {
      claims: [
        { claim_type: "water_damage", date_of_loss: daysAgo(400), amount: 18_000 },
        { claim_type: "water_damage", date_of_loss: daysAgo(300), amount: 500, outstanding: 100 },
        {
          claim_type: "water_damage",
          date_of_loss: daysAgo(200),
          amount: 20_000,
          paid: 20_000,
          outstanding: 480_000,
        },
        { claim_type: "water_damage", date_of_loss: daysAgo(500), amount: 9000, status: "denied" },
        { claim_type: "water_damage", date_of_loss: daysAgo(3000), amount: 7000 },
      ],
    });
    const query = { deductible: "2500", limit: "50000" };
    expect((await server.run("snapshot")).code).toBe(0);
    const among = await eventually(async () => {
      await admin.send("POST", "/admin/jobs/compare-properties/run");
      const { body } = await admin.get(`/admin/properties/${id}/underwriting`, query);
      expect(body.standing).toMatchObject({ as_of: daysAgo(0), properties: 5 });
      return body;
    });
    const made = (await acme.get(`/v1/property/${id}/underwriting`, query)).body;
    const own = (await acme.get(`/v1/property/${id}/losses`, query)).body;
    expect(made.losses.total).toEqual(own.total);
    expect(made.losses.insured).toEqual(own.insured);
    expect(made.claims).toMatchObject({ count: 3, incurred: 518_600, per_year: 0.6 });
    const { components, planned_cost, damage_saved, saved_per_dollar, best } = made.loss_control;
    expect(best.length).toBe(Math.min(components, 5));
    // The one appliance is replaced as a whole, at the price of its principal part.
    const parts = (await acme.get("/v1/components", { property_id: id, limit: 200 })).body.components;
    expect(sum(best, "planned_cost")).toBeGreaterThan(planned_cost);
    expect(planned_cost).toBe(Math.max(...parts.map((part: Json) => part.proactive_cost)));
    expect(damage_saved).toBeLessThanOrEqual(made.losses.damage.expected);
    expect(saved_per_dollar).toBeCloseTo(damage_saved / planned_cost, 3);
    const perDollar = best.map((one: Json) => one.damage_saved / one.planned_cost);
    expect(perDollar).toEqual(perDollar.toSorted((a: number, b: number) => b - a));
    const compliance = (await acme.get(`/v1/property/${id}/compliance`)).body;
    expect(made.overdue_inspections.length).toBe(compliance.overdue_mandatory);
    expect(made.standing).toMatchObject({ as_of: daysAgo(0), properties: 2 });
    expect({ ...among, standing: made.standing }).toEqual(made);
    await acme.get(`/v1/property/${properties[2]!}/underwriting`, {}, 404);
    await admin.get("/admin/properties/P_none/underwriting", {}, 404);
  });

  // Rule: losses-command
  test("is printed by mainstay losses as a table, CSV, JSON or workbook", async () => {
    const all = (await admin.get("/admin/book/losses", { deductible: "2500" })).body;
    const json = await server.run("losses", "--deductible", "2500", "--format", "json");
    expect(JSON.parse(json.stdout)).toMatchObject({ total: all.total, insured: all.insured });
    const table = await server.run("losses", "--partner", partners[1]!);
    expect(table.stdout).toContain("Exceeded once in 100 years");
    expect(table.stdout).toStartWith("Beta: ");
    const { probability } = (
      await admin.get("/admin/book/losses", { partner_id: partners[1]! })
    ).body.largest_damage.at(-1);
    expect(table.stdout).toMatch(new RegExp(`1,000,000 +${(probability * 100).toFixed(4)}%`));
    const csv = await server.run("losses", "--property", properties[0]!, "--format", "csv");
    expect(csv.stdout).toStartWith("section,item,amount,");
    const file = join(mkdtempSync(join(tmpdir(), "losses-")), "losses.xlsx");
    expect((await server.run("losses", "--format", "xlsx", "--output", file)).code).toBe(0);
    const { sheets } = await readXlsx(readFileSync(file));
    expect(sheets[0]!.rows[1]![1]).toBeCloseTo(
      (await admin.get("/admin/book/losses")).body.total.expected,
      2,
    );
    expect((await server.run("losses", "--format", "xlsx", "--output", file)).stderr).toContain(
      "already exists",
    );
    expect((await server.run("losses", "--format", "xlsx")).code).toBe(2);
    expect((await server.run("losses", "--limit", "0")).code).toBe(2);
    const unknown = await server.run("losses", "--property", "P_none");
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining("Property not found: P_none"),
    ]);
  });
});

describe("the records of any partner", () => {
  const shared = PARTNER_OPERATIONS.flatMap(({ method, path }) => {
    const route = ADMIN_ROUTES.find(
      (one) => one.method === method && one.path === path.replace("/v1/", "/admin/"),
    );
    const isOther =
      path === "/v1/components" || path === "/v1/search" || path.includes("/webhook-deliveries");
    return route && !isOther ? [{ path, route }] : [];
  });
  let client: ApiClient;
  let ids: RecordIds;
  beforeAll(async () => {
    client = server.as(acmePartner);
    ids = { ...(await addRecords(client)), PARTNER_: acmePartner.partner_id };
  });
  const change = (path: string, body: object) => admin.put(adminPath(path, ids), body);
  const auditOf = async (kind: string) =>
    (await admin.get("/admin/audit", { subject: ids[kind]! })).body.entries[0];

  // Rule: any-record
  test("are read as their partner reads them, without a call of its", async () => {
    const reads = shared.filter(({ route }) => route.method === "GET");
    expect(reads.length).toBe(12);
    const left = async () => Number((await client.get("/v1/ping")).headers.get("x-ratelimit-remaining"));
    for (const { path, route } of reads) {
      const query = adminQuery(route.path, ids);
      const own = await client.send("GET", adminPath(path, ids) + query);
      const before = await left();
      const { status, body, headers } = await admin.send("GET", adminPath(route.path, ids) + query);
      expect([route.path, status, headers.get("cache-control")]).toEqual([route.path, 200, "no-store"]);
      expect(await left()).toBe(before - 1);
      const { partner, ...common } = own.body;
      expect(body).toMatchObject(common);
      const owner = route.path === "/admin/appliance-types" ? undefined : acmePartner.partner_id;
      expect(body.partner_id).toBe(owner);
    }
    await admin.get("/admin/appliances", {}, 400);
  });

  // Rule: any-record
  test("have the workbooks of a property and of a portfolio, as their partner has them", async () => {
    const workbook = async (asking: ApiClient, path: string, query = "years=5") => {
      const address = `${asking === admin ? server.adminUrl : server.url}${path}?format=xlsx&${query}`;
      const response = await fetch(address, { headers: asking.credential });
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get("content-disposition")).toContain(".xlsx");
      return (await readXlsx(new Uint8Array(await response.arrayBuffer()))).sheets.map(({ rows }) => rows);
    };
    const portfolio = `/admin/partners/${ids.PARTNER_}/plan`;
    for (const [own, path] of [
      [`/v1/property/${ids.P_}/plan`, `/admin/property/${ids.P_}/plan`],
      ["/v1/portfolio/plan", portfolio],
    ] as const)
      expect(await workbook(admin, path)).toEqual(await workbook(client, own));
    const layer = "deductible=2500&limit=50000";
    const losses = await workbook(admin, `/admin/property/${ids.P_}/losses`, layer);
    expect(losses).toEqual(await workbook(client, `/v1/property/${ids.P_}/losses`, layer));
    expect((await admin.get(portfolio, { limit: 1 })).body).toMatchObject({
      ...(await client.get("/v1/portfolio/plan", { limit: 1 })).body,
      partner_id: ids.PARTNER_,
    });
    expect((await workbook(admin, `/admin/partners/${partners[2]}/plan`)).length).toBeGreaterThan(1);
    await admin.get("/admin/partners/PARTNER_none/plan", {}, 404);
  });

  // Rule: any-record, unknown-is-404
  test("are not found under unknown IDs, for reads and changes", async () => {
    const unknown = unknownIds(ids);
    for (const { route } of shared.filter(({ route }) => route.path.includes("{"))) {
      const body = route.path.endsWith("/merge") ? { from: ids.P_ } : {};
      const asking = route.method === "GET" ? {} : { body };
      const reply = await admin.send(route.method, adminPath(route.path, unknown), asking);
      expect([route.path, reply.status]).toEqual([route.path, 404]);
      expect(reply.body.error).toMatch(/^(Property|Appliance|Component|Service event|Claim) not found$/);
    }
  });

  // Rule: any-record
  test("are corrected, and the audit log names the administrator with the values before and after", async () => {
    await change("/admin/property/{id}/claims/{claim_id}", { amount: 250 });
    expect(await auditOf("CLM_")).toMatchObject({ actor: administrator.id, action: "claim.update" });
    await change("/admin/components/{id}", { override_lifespan: 30 });
    expect((await auditOf("C_")).detail).toMatchObject({ after: { override_lifespan: 30 } });
    await change("/admin/service-events/{id}", { voided: true, reason: "Wrong building" });
    expect((await client.get(`/v1/service-events/${ids.SE_}`)).body).toMatchObject({
      voided: true,
      void_reason: "Wrong building",
    });
    await change("/admin/appliances/{id}", { retired_at: daysAgo(1) });
    expect((await auditOf("A_")).actor).toBe(administrator.id);
    expect((await client.get("/v1/appliances", { property_id: ids.P_! })).body.total).toBe(0);
    const other = await addProperty(client, { name: "Duplicate" });
    await admin.post(adminPath("/admin/properties/{id}/merge", ids), { from: other.id }, 200);
    expect(await auditOf("P_")).toMatchObject({ actor: administrator.id, action: "property.merge" });
    const theirs = { from: properties[2]! };
    await admin.post(adminPath("/admin/properties/{id}/merge", ids), theirs, 404);
  });
});
