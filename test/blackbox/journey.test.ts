import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generateApiTypes, makeProject, typeErrors } from "../support/api-types.ts";
import { checkDocumented } from "../support/contract.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { dateDaysFromToday, THIS_YEAR } from "../support/portfolio.ts";
import { describeOnSqlite, onPostgres, testOnSqlite } from "../support/postgres.ts";

/*
 * A partner's program as its engineers would write it: with a client generated from the API document, checked by the
 * compiler, and run against the server.
 */

const { serve } = useMainstay();
const SOURCE = readFileSync(join(import.meta.dir, "../fixtures/journey/partner-journey.ts"), "utf8");

/** Mistakes of a program, each with the compiler's error. */
const MISUSES: [string, string, RegExp][] = [
  [
    "a field's name",
    `const body: NewProperty = { name: "N", address: "A", state: "NY", unit_cuont: 4 }; await api.POST("/properties", { body });`,
    /'unit_cuont' does not exist/,
  ],
  [
    "the name of a field that is required",
    `await api.POST("/properties", { body: { name: "N", adress: "A", state: "NY" } });`,
    /'adress' does not exist/,
  ],
  [
    "a field's type",
    `await api.POST("/appliances", { body: { property_id: "P", type_id: "roof", install_year: "2010" } });`,
    /'string' is not assignable to type 'number'/,
  ],
  [
    "a field that is required",
    `await api.POST("/properties", { body: { name: "N", address: "A" } });`,
    /'\{ name: string; address: string; \}' is not assignable/,
  ],
  [
    "one of a few values",
    `await api.PUT("/appliances/{id}", { params: { path: { id: "A" } }, body: { brand_tier: "cheap" } });`,
    /'"cheap"' is not assignable/,
  ],
  [
    "the appliance of a service event",
    `await api.POST("/service-events/bulk", { body: { events: [{ event_type: "Repair", date: "2026-01-01" }] } });`,
    /'\{ event_type: "Repair"; date: string; \}' is not assignable/,
  ],
  [
    "the type of a service event",
    `await api.POST("/service-events/bulk", { body: { events: [{ appliance_id: "A", event_type: "Fix", date: "2026-01-01" }] } });`,
    /'"Fix"' is not assignable/,
  ],
  [
    "what a claim needs",
    `await api.POST("/property/{id}/claims", { params: { path: { id: "P" } }, body: { claim_type: "fire_electrical" } });`,
    /claim_type: string; \}' is not assignable|is missing/,
  ],
  ["a path", `await api.GET("/propertys", {});`, /'"\/propertys"' is not assignable/],
  ["a method", `await api.POST("/alerts", {});`, /'"\/alerts"' is not assignable/],
  ["a path's parameter", `await api.GET("/property/{id}/report");`, /Expected 2 arguments/],
  [
    "a parameter that is required",
    `await api.GET("/events", { params: { query: {} } });`,
    /'since' is missing/,
  ],
  [
    "a parameter's value",
    `await api.GET("/components", { params: { query: { tier: "BAD" } } });`,
    /'"BAD"' is not assignable/,
  ],
  [
    "a header's name",
    `await api.POST("/properties", { params: { header: { "Idempotence-Key": "k" } }, body: { name: "N", address: "A", state: "NY" } });`,
    /'"Idempotence-Key"' does not exist/,
  ],
  [
    "the type of what is answered",
    `const { data } = await api.GET("/ping"); const since: number = data!.timestamp; return since;`,
    /'string' is not assignable to type 'number'/,
  ],
  [
    "the name of what is answered",
    `const { data } = await api.GET("/alerts"); return data!.alerts[0]!.score;`,
    /'score' does not exist/,
  ],
  [
    "what may be null",
    `const { data } = await api.GET("/properties"); return data!.properties[0]!.city.length;`,
    /possibly 'null'/,
  ],
  [
    "an entry of the stream whose type was not checked",
    `const { data } = await api.GET("/events", { params: { query: { since: "2026-01-01" } } }); return data!.events[0]!.data.risk_score;`,
    /'risk_score' does not exist/,
  ],
  [
    "what an error holds",
    `const { error } = await api.GET("/properties/{id}", { params: { path: { id: "P" } } }); return error!.reason;`,
    /'reason' does not exist/,
  ],
];

const misuse = (code: string) => `import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";
export type NewProperty = components["schemas"]["NewProperty"];
const api = createClient<paths>({ baseUrl: "" });
export const misused = async () => { ${code} };
`;

let types: string;
let project: ReturnType<typeof makeProject>;
let errors: Record<string, string[]>;
beforeAll(async () => {
  types = onPostgres ? "" : await generateApiTypes();
  const misuses = MISUSES.map(([, code], i) => [`misuse-${i}.ts`, misuse(code)] as const);
  project = makeProject({ "api.d.ts": types, "journey.ts": SOURCE, ...Object.fromEntries(misuses) });
  errors = onPostgres ? {} : await typeErrors(project.folder);
});
afterAll(() => project.remove());

// The document is the same on every engine.
describeOnSqlite("the types of a client generated from the document", () => {
  // Rule: generated-types
  test("are complete: nothing is any or unknown", () => {
    const lines = types.split("\n").filter((line) => !/^\s*\*/.test(line));
    const loose = lines.filter((line) => /\b(any|unknown|object)\b(?=[;|[ ]*$)/.test(line));
    // A response may have undocumented headers.
    expect(loose.filter((line) => line.trim() !== "[name: string]: unknown;")).toEqual([]);
  });

  // Rule: generated-types
  test("accept a correct client", () => {
    expect(errors["journey.ts"]).toBeUndefined();
    expect(errors["api.d.ts"]).toBeUndefined();
  });

  test.each(MISUSES.map(([what, , message], i) => [what, message, i] as const))(
    "reject a client with a mistake in %s",
    (_, message, i) => {
      expect((errors[`misuse-${i}.ts`] ?? []).join("\n")).toMatch(message);
    },
  );
});

describe("the partner's journey, over HTTP", () => {
  let program: Json;
  let clients: Json;
  let made: Json;
  let reported: Json;
  let figures: Json;
  const asked = new Set<string>();

  /** Calls `fetch` and checks every response against the document. */
  async function checkedFetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const response = await fetch(request);
    const text = await response.clone().text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    const { status, headers } = response;
    checkDocumented(request.method, pathname, {
      status,
      headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    });
    asked.add(`${request.method} ${pathname}`);
    return response;
  }

  beforeAll(async () => {
    const server = await serve();
    const { client_id, client_secret } = await server.createPartner("Acme");
    program = await import(join(project.folder, "journey.ts"));
    clients = await program.signIn(`${server.url}/api/v1`, { client_id, client_secret }, checkedFetch);
    made = await program.register(clients.api, THIS_YEAR);
    reported = await program.report(clients.api, made.property.id, made.heater, (ago: number) =>
      dateDaysFromToday(-ago),
    );
    await server.json("snapshot");
    figures = await program.readFigures(clients.api, made.property.id, made.heater.id);
  });

  test("registers a property once for one key, and its appliances with their components", () => {
    expect(clients.lifetimeS).toBe(3600);
    expect(made.again).toEqual(made.property);
    expect(made.units).toHaveLength(2);
    expect(made.heater.components).toHaveLength(6);
    expect(made.bulk).toMatchObject({ created: 2, errors: 1 });
    expect(made.bulk.error_details).toEqual([{ index: 2, error: expect.stringContaining("no_such_type") }]);
    expect(made.changed.estimated_value).toBe(8_500_000);
    expect(made.duplicate.warnings[0]).toContain(made.property.id);
    expect(made.merged).toMatchObject({ id: made.property.id, merged_into: null });
    expect(made.tuned.usage_intensity).toBe(1.5);
  });

  test("logs service events, readings, sensor events and claims, and learns which ones to fix", () => {
    expect(reported.logged).toMatchObject({ created: 2, errors: 1, error_details: [{ index: 2 }] });
    expect(reported.corrected).toMatchObject({ labor_cost: 95, total_cost: 215.5, voided: false });
    expect(reported.stored).toEqual(reported.corrected);
    expect(reported.read).toMatchObject({ received: true, appliance_id: made.heater.id });
    expect(reported.smart).toMatchObject({ property_created: false, appliance_created: false, warnings: [] });
    expect(reported.smart.risk_summary.components_scored).toBeGreaterThan(0);
    expect(reported.flat.event_type).toBe("overheating");
    expect(reported.single).toMatchObject({ created: 1, amount_paid: 12_500, status: "closed" });
    expect(reported.listed.events[0].amount_paid).toBe(300);
  });

  test("reads figures that agree with each other", () => {
    const { report, summary, portfolio, condition, critical, alerts, rcv, reserve, compliance, forecast } =
      figures;
    const { appliances, impact, claims, history, trend, units, types: known, losses, book, costs } = figures;
    expect(book.total.expected).toBe(losses.total.expected);
    expect(figures.underwriting.losses.total).toEqual(losses.total);
    expect(costs.lines).toEqual([]);
    expect(report.overall.components_assessed).toBe(summary.counts.components);
    expect(report.critical.length).toBe(critical.total);
    expect(alerts.total).toBe(report.critical.length + report.warning.length);
    expect(portfolio.totals).toMatchObject({ properties: 1, appliances: appliances.total });
    expect(portfolio.portfolio[0].critical).toBe(critical.total);
    expect(condition.condition_score).toBe(report.overall.nci_equivalent);
    expect(rcv.deferred_as_pct_of_value).toMatch(/^\d+\.\d%$/);
    expect(reserve.total_deferred).toBe(report.financials.total_deferred);
    expect(forecast.forecast.window_90_days.component_count).toBeGreaterThanOrEqual(critical.total);
    expect(compliance.compliance_items.length).toBeGreaterThan(0);
    expect([claims.total, impact.total_claims]).toEqual([2, 2]);
    expect(figures.restated).toMatchObject({ id: figures.component.id, override_lifespan: 30 });
    expect(history.total_events).toBe(2);
    expect(trend.trend).toHaveLength(1);
    expect(units.total).toBe(4);
    expect(known.total).toBe(30);
  });

  test("sends a photo, gets the same bytes back, and removes it", async () => {
    const picture = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
    const sent = await program.photograph(clients, made.heater.id, new Blob([picture]));
    const { photo, photos, bytes, left } = sent;
    expect(photos.appliance_photos.map((one: Json) => one.filename)).toEqual([photo.filename]);
    expect(new Uint8Array(bytes)).toEqual(picture);
    expect(left.total).toBe(0);
  });

  test("follows the event stream to its end, each event once, and continues from there", async () => {
    const { api } = clients;
    const monthAgo = `${dateDaysFromToday(-30)}T00:00:00.000Z`;
    const { seen, latest } = await program.sync(api, monthAgo, 4);
    const ids = [
      made.property.id,
      made.duplicate.id,
      made.heater.id,
      ...[...made.bulk.events, ...reported.logged.events, ...figures.alerts.alerts].map(({ id }: Json) => id),
    ];
    expect([...seen.keys()].sort()).toEqual(ids.sort());
    expect([...seen.values()].map(program.describe)).toContain("Elm Court, NY, by api");
    const event = { appliance_id: made.heater.id, event_type: "Cleaning", date: dateDaysFromToday(0) };
    const { data } = await api.POST("/service-events/bulk", { body: { events: [event] } });
    const next = await program.sync(api, latest, 200);
    const history = [...next.seen.values()].filter(({ type }: Json) => !type.startsWith("component."));
    expect(history.map((entry: Json) => entry.data.id)).toEqual([data.events[0].id]);
  });

  // Rule: generated-types
  testOnSqlite(
    "called every read and every write of partners, except public ones and those that need a webhook endpoint",
    () => {
      const paths = [...types.matchAll(/^ {4}"(\/[^"]*)": \{$/gm)].map(([, path]) => path!);
      const unasked = paths.filter((path) => {
        const pattern = new RegExp(`/api/v1${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
        return ![...asked].some((one) => pattern.test(one));
      });
      expect(unasked).toEqual([
        "/health",
        "/auth/methods",
        "/ping",
        "/.well-known/oauth-authorization-server",
        "/webhook-deliveries/{id}/resend",
        "/webhook-endpoint/test",
        "/onboarding/demo-property",
        "/openapi.json",
      ]);
    },
  );
});
