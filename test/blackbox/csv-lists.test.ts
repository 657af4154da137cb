import { beforeAll, describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";

const { serve } = useMainstay();
const HOSTILE = '=HYPERLINK("http://x"), "a"';
let client: ApiClient;
let lists: Record<string, string>;
beforeAll(async () => {
  const server = await serve();
  client = server.as(await server.createPartner("Acme"));
  const property = await addProperty(client, { name: HOSTILE, city: null, state: "NY" });
  const other = await addProperty(client, { name: "+1 Elm", state: "VT" });
  for (const { id } of [property, other]) await addWornAppliance(client, id);
  const third = await addProperty(client, { unit_count: 2 });
  const { units } = (await client.get(`/v1/property/${third.id}/units`)).body;
  await addWornAppliance(client, third.id, { unit_id: units[1].id });
  await client.post(
    "/v1/appliances",
    { property_id: other.id, type_id: "electrical_panel", install_year: 2000, brand: "Zinsco" },
    201,
  );
  const loss = { claim_type: "hail", date_of_loss: "2026-01-01", amount: 1 };
  const claims = `/v1/property/${property.id}/claims`;
  await client.post(claims, {
    claims: [
      { ...loss, carrier: "@SUM(A1)" },
      { ...loss, carrier: "-1+2" },
    ],
  });
  lists = {
    "/v1/components": "components",
    "/v1/alerts": "alerts",
    "/v1/portfolio/summary": "portfolio",
    [claims]: "claims",
  };
});

const NAMES = ["components", "alerts", "portfolio", "claims"];
const pathOf = (name: string) => Object.entries(lists).find(([, list]) => list === name)![0];
const rowsIn = (text: string): Record<string, string>[] => parse(text, { columns: true });

const textOf = (value: unknown) =>
  Array.isArray(value) ? value.map((item: Json) => `${item.code}:${item.basis}`).join(" ") : String(value);

/** Returns the expected row of a record. */
const asRow = (record: Json, prefix = ""): Record<string, string> =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.entries(asRow(value as Json, `${prefix}${name}_`))
        : [
            [
              prefix + name,
              value === null ? "" : /^[=+@-]/.test(String(value)) ? `'${value}` : textOf(value),
            ],
          ],
    ),
  );

describe.each(NAMES)("the list of %s", (name) => {
  // Rule: csv-lists
  test("has the same fields as CSV and as JSON, and no cell is a formula", async () => {
    const path = pathOf(name);
    const { body } = await client.get(path);
    const { text, headers } = await client.get(path, { format: "csv" });
    expect(body[name].length).toBeGreaterThan(1);
    const hasUnits = name === "components" || name === "alerts";
    const expected = body[name].map((record: Json, at: number) => ({
      ...asRow(record),
      ...(hasUnits && { unit_label: record.unit === null ? "" : "2" }),
      ...(name === "portfolio" && {
        assumptions: at === 0 ? expect.stringMatching(/^Scoring model 3, .* no guarantee\.$/) : "",
      }),
    }));
    expect(rowsIn(text)).toEqual(expected);
    if (hasUnits) {
      expect(text).toContain(",unit,unit_label,");
      expect(expected.some((row: Json) => row.unit_label === "2")).toBe(true);
    }
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toBe(`attachment; filename="${name}.csv"`);
    expect(headers.get("x-total-count")).toBe(String(body.total));
    for (const row of rowsIn(text))
      for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+@\t\r-]/);
  });

  // Rule: csv-lists
  test("is CSV if the client accepts CSV, and JSON if it prefers JSON or accepts anything", async () => {
    const path = pathOf(name);
    const typeOf = async (accept: string, query: Record<string, string> = {}) => {
      const search = new URLSearchParams(query);
      const { headers } = await client.ask("GET", `${path}?${search}`, 200, { headers: { accept } });
      return headers.get("content-type")!.split(";")[0];
    };
    const [csv, json] = ["text/csv", "application/json"];
    for (const accept of [csv, "text/csv;q=0.9, */*;q=0.1", "TEXT/CSV", "text/csv, application/json;q=0.5"])
      expect([accept, await typeOf(accept)]).toEqual([accept, csv]);
    for (const accept of [
      "*/*",
      json,
      "text/*",
      "application/json, text/csv;q=0.5",
      "text/csv;q=0",
      ",;q=",
      "",
    ])
      expect([accept, await typeOf(accept)]).toEqual([accept, json]);
    expect(await typeOf(csv, { format: "json" })).toBe(json);
    expect(await typeOf(json, { format: "csv" })).toBe(csv);
    // Again, from the cache.
    expect([await typeOf(csv), await typeOf(json), await typeOf(csv)]).toEqual([csv, json, csv]);
  });

  // Rule: csv-lists
  test("is paged by its links, and has an ETag of its own", async () => {
    const path = pathOf(name);
    const rows: Record<string, string>[] = [];
    let search = "?format=csv&limit=1";
    for (;;) {
      const { text, headers } = await client.ask("GET", path + search, 200);
      rows.push(...rowsIn(text));
      const etag = headers.get("etag")!;
      await client.ask("GET", path + search, 304, { headers: { "if-none-match": etag } });
      await client.ask("GET", `${path}${search.replace("csv", "json")}`, 200, {
        headers: { "if-none-match": etag },
      });
      const next = /^<(\?[^>]+)>; rel="next"$/.exec(headers.get("link") ?? "");
      if (!next) break;
      search = next[1]!;
    }
    expect(rows).toEqual(rowsIn((await client.get(path, { format: "csv" })).text));
  });

  test("has a heading even if it is empty", async () => {
    const { text } = await client.get(pathOf(name), { format: "csv", offset: 1000 });
    const all = (await client.get(pathOf(name), { format: "csv" })).text;
    expect(text).toBe(all.slice(0, all.indexOf("\n") + 1));
  });
});

describe("alerts", () => {
  // Rule: alert-filters
  test("have the costs, the projected failure year, and the probability of failure in 12 months", async () => {
    const { alerts } = (await client.get("/v1/alerts")).body;
    for (const alert of alerts) {
      const components = (await client.get("/v1/components", { limit: 200 })).body.components;
      const component = components.find(({ id }: Json) => id === alert.id);
      const { projected_failure_year, failure_probability_12m, proactive_cost, reactive_cost } = component;
      expect(alert).toMatchObject({
        projected_failure_year,
        failure_probability_12m,
        proactive_cost,
        reactive_cost,
      });
    }
  });

  // Rule: alert-filters
  test("are filtered by tier, system and state (case-insensitive), combined and within a property", async () => {
    const alerts = async (query: Record<string, string>): Promise<Json> =>
      (await client.get("/v1/alerts", { ...query, limit: "200" })).body;
    const all = await alerts({});
    const properties = (await client.get("/v1/properties")).body.properties;
    const systems = new Map(
      (await client.get("/v1/appliance-types", { limit: 200 })).body.appliance_types.map((one: Json) => [
        one.type_id,
        one.system,
      ]),
    );
    const within = (query: Record<string, string>) =>
      all.alerts.filter(
        (one: Json) =>
          (!query.tier || one.risk_tier === query.tier.toUpperCase()) &&
          (!query.system || systems.get(one.appliance_type) === query.system) &&
          (!query.property_id || one.property_id === query.property_id) &&
          (!query.state ||
            properties.find(({ id }: Json) => id === one.property_id).state === query.state.toUpperCase()),
      );
    const of = (name: string) => properties.find((one: Json) => one.name === name).id;
    const [{ appliance_type }] = all.alerts;
    const system = systems.get(appliance_type) as string;
    for (const query of [
      ...[{ tier: "critical" }, { tier: "WARNING" }, { system }, { system: "conveyance" }, { state: "vt" }],
      ...[{ state: "NY", system }, { state: "TX" }, { state: "VT", tier: "CRITICAL", system }],
      ...[
        { property_id: of("+1 Elm"), state: "VT" },
        { property_id: of("+1 Elm"), state: "NY" },
      ],
      { property_id: of("+1 Elm"), system, tier: "CRITICAL" },
    ] as Record<string, string>[]) {
      const found = await alerts(query);
      const expected = within(query);
      expect(found.alerts).toEqual(expected);
      const count = (tier: string) => expected.filter(({ risk_tier }: Json) => risk_tier === tier).length;
      expect(found).toMatchObject({
        total: expected.length,
        critical_count: count("CRITICAL"),
        warning_count: count("WARNING"),
      });
    }
    expect(within({ state: "VT" }).length).toBeGreaterThan(0);
    await client.ask("GET", "/v1/alerts?tier=GOOD", 400);
  });

  // Rule: alert-filters
  test("change state with their property", async () => {
    const { id } = await addProperty(client, { name: "Moving", state: "ME" });
    await addWornAppliance(client, id);
    const totalIn = async (state: string) => (await client.get("/v1/alerts", { state })).body.total;
    const total = await totalIn("ME");
    expect(total).toBeGreaterThan(0);
    await client.put(`/v1/properties/${id}`, { state: "NH" });
    expect([await totalIn("ME"), await totalIn("NH")].map((n) => n > 0)).toEqual([false, true]);
  });
});
