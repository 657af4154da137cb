import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import pg from "pg";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { connectTo, isOfNoCaller, usePostgres } from "../../support/postgres.ts";
import {
  FILTERS,
  listReads,
  narrowReads,
  type Read,
  type Readable,
  SLICE,
} from "../../support/store-reads.ts";

/*
 * Checks how PostgreSQL finds rows in tables of a size at which it matters. Each statement is run with its values,
 * by the plan made for these and by the generic plan, and no step may read many rows.
 */

const NOW = Date.parse("2026-03-10T12:00:00Z");
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const PROPERTIES = 1_000;
const APPLIANCES = 8_000;
const COMPONENTS = 20_000;
/**
 * The rows of a page, of the pages skipped before it, of a block of the counters, and the entries of a partial
 * index that PostgreSQL may read where that is cheaper. Fewer than any of the tables has.
 */
const MOST_ROWS = 6_000;
/** The queries that count the entries of a covering index, each with its limit of entries. */
const COUNTED: Record<string, number> = {
  "the numbers of alerts of a system, a state, or both": 6_000,
  "a partner's own deliveries": 100_000,
};

let store: Store;
let client: pg.Client;
let readable: Readable;
afterAll(async () => {
  await store.close();
  await client.end();
});
const postgres = usePostgres();
beforeAll(async () => {
  const url = await postgres.newInstallation();
  store = await openPostgresStore(url, { clock: () => NOW, random });
  client = await connectTo(url);
  // Spreads the rows over as many pages as tables of millions of rows have, so that a full scan is expensive.
  for (const table of ["appliances", "components", "event_log", "idempotency_keys"])
    await client.query(`ALTER TABLE ${table} SET (fillfactor = 10)`);
  await client.query(FILL);
  await client.query("VACUUM ANALYZE");
  readable = {
    store,
    partnerId: "P1",
    propertyId: "P1_7",
    applianceId: "P1_A17",
    componentId: "P1_C77",
    now: NOW,
    day: "2026-03-10",
  };
});

/** Two partners, one with a twentieth of the other's rows, with realistic scores: few of them are high. */
const portfolio = (id: string, share: number) => {
  const [properties, appliances, components] = [PROPERTIES, APPLIANCES, COMPONENTS].map((n) =>
    Math.ceil(n / share),
  );
  return `
INSERT INTO partners (id, name, enabled, daily_budget, credential_generation, created_at) VALUES ('${id}', 'Acme', true, 1, 1, 1);
INSERT INTO partner_totals (partner_id) VALUES ('${id}');
INSERT INTO properties (id, partner_id, seq, name, address, state, unit_count, is_demo, partner_property_id, source, records_since, created_at, updated_at)
  SELECT '${id}_' || n, '${id}', n, 'Elm ' || n, n || ' Elm St', CASE n % 3 WHEN 0 THEN 'VT' ELSE 'NY' END, 1, false, 'R' || n, 'api', '2020-01-01', n, n
  FROM generate_series(1, ${properties}) n;
INSERT INTO property_totals (property_id, partner_id, components)
  SELECT id, partner_id, ${COMPONENTS / PROPERTIES} FROM properties WHERE partner_id = '${id}';
INSERT INTO property_plans (property_id, partner_id, changes, planned_changes, as_of, years)
  SELECT id, partner_id, 1, CASE seq % 20 WHEN 0 THEN 0 ELSE 1 END, '2026-03-0' || (seq % 9 + 1), '{}' FROM properties WHERE partner_id = '${id}';
INSERT INTO appliances (id, partner_id, property_id, seq, type_id, serial, brand_tier, brand_tier_given, install_year, usage_intensity, created_at, updated_at)
  SELECT '${id}_A' || n, '${id}', '${id}_' || (n % ${properties} + 1), n, 'boiler', 'S' || n, 'standard', false, 2000, 1, n, n
  FROM generate_series(1, ${appliances}) n;
INSERT INTO components (id, partner_id, property_id, appliance_id, seq, def_id, install_year, risk_score, risk_tier, confidence, announced_tier,
    effective_age_years, rate, hazard_ratio, acute_hazard, scored_on, trend_score, rescored_at, created_at, system, state)
  SELECT '${id}_C' || n, '${id}', '${id}_' || (n % ${properties} + 1), '${id}_A' || (n % ${appliances} + 1), n, 'part', 2000, score,
    CASE WHEN score >= 80 THEN 'CRITICAL' WHEN score >= 52 THEN 'WARNING' ELSE 'GOOD' END, 'HIGH', 'GOOD',
    1, 1, 1, 0, '2026-03-10', CASE n % 2000 WHEN 0 THEN NULL ELSE score END, CASE n % 10 WHEN 0 THEN ${NOW} - n ELSE NULL END, n,
    CASE n % 2 WHEN 0 THEN 'plumbing' ELSE 'hvac' END, CASE (n % ${properties} + 1) % 3 WHEN 0 THEN 'VT' ELSE 'NY' END
  FROM (SELECT n, CASE WHEN n % 40 = 0 THEN 80 + n % 19 WHEN n % 8 = 0 THEN 52 + n % 27 ELSE n % 51 END AS score FROM generate_series(1, ${components}) n) AS scored;
INSERT INTO component_counters (partner_id, bucket, block, count)
  SELECT partner_id, risk_score, block, count(*) FROM components, LATERAL (VALUES (seq / 2048), (-1)) AS b (block)
  WHERE partner_id = '${id}' GROUP BY 1, 2, 3;
INSERT INTO component_counters (partner_id, bucket, block, count)
  SELECT partner_id, CASE risk_tier WHEN 'CRITICAL' THEN 102 WHEN 'WARNING' THEN 101 ELSE 100 END, block, count(*)
  FROM components, LATERAL (VALUES (seq / 2048), (-1)) AS b (block) WHERE partner_id = '${id}' GROUP BY 1, 2, 3;
INSERT INTO component_counters (partner_id, bucket, block, count)
  SELECT partner_id, 103, block, count(*) FROM components, LATERAL (VALUES (seq / 2048), (-1)) AS b (block)
  WHERE partner_id = '${id}' AND risk_score >= 52 AND rescored_at IS NULL GROUP BY 1, 2, 3;
INSERT INTO risk_snapshots (component_id, day, risk_score) SELECT id, '2026-03-09', 1 FROM components WHERE partner_id = '${id}';
INSERT INTO plan_candidates SELECT property_id, id, partner_id, -(seq % 97) / 10.0, 100, 200 FROM components WHERE partner_id = '${id}' AND seq % 3 = 0;
INSERT INTO service_events (id, partner_id, property_id, appliance_id, component_id, event_type, date, created_at)
  SELECT 'SE_' || id, partner_id, property_id, appliance_id, id, 'Repair', '2026-01-0' || (seq % 9 + 1), seq FROM components WHERE partner_id = '${id}' AND seq % 2 = 0;
INSERT INTO sensor_events (id, partner_id, property_id, appliance_id, kind, recorded_at, created_at)
  SELECT 'PE_' || id, partner_id, property_id, appliance_id, CASE seq % 5 WHEN 0 THEN 'smart' ELSE 'meter' END, ${NOW} - seq, seq FROM components WHERE partner_id = '${id}' AND seq % 2 = 0;
INSERT INTO claims (id, partner_id, property_id, claim_type, date_of_loss, amount_cents, status, created_at)
  SELECT 'CLM_' || id, partner_id, property_id, 'fire', '2025-01-01', 1, 'open', seq FROM components WHERE partner_id = '${id}' AND seq % 2 = 0;
INSERT INTO outcomes (service_event_id, component_id, partner_id, def_id, event_type, date, age_years, probability, risk_score, model_version, created_at)
  SELECT id, component_id, partner_id, 'part', event_type, date, 1, 0, 1, '2', created_at FROM service_events WHERE partner_id = '${id}';
INSERT INTO event_log (partner_id, seq, created_at, kind, subject_id)
  SELECT partner_id, seq, ${NOW} - ${components} + seq, 'appliance', appliance_id FROM components WHERE partner_id = '${id}';
INSERT INTO webhook_deliveries (id, partner_id, event, order_key, body, status, next_attempt_at, created_at, finished_at)
  SELECT 'WH_' || (1700000000000 + seq) || '_' || partner_id, partner_id, CASE seq % 4 WHEN 0 THEN 'component.critical' ELSE 'service_event.created' END, id, '{}',
    CASE WHEN seq % 500 = 0 THEN 'pending' WHEN seq % 50 = 0 THEN 'failed' ELSE 'delivered' END,
    CASE seq % 500 WHEN 0 THEN ${NOW} END, seq, CASE seq % 500 WHEN 0 THEN NULL ELSE seq END
  FROM components WHERE partner_id = '${id}';
INSERT INTO idempotency_keys (partner_id, operation, key, request_hash, status_code, body, created_at)
  SELECT partner_id, 'POST /v1/properties', id, 'h', 201, '{}', ${NOW} + seq FROM components WHERE partner_id = '${id}';`;
};
const FILL = portfolio("P1", 1) + portfolio("P2", 20);

type Asked = { text: string; values: readonly unknown[] };

/** Returns the statements that a read sends, with their values. */
async function askedBy(read: Read): Promise<Asked[]> {
  const asked = new Map<string, Asked>();
  const { query } = pg.Client.prototype;
  const watching = spyOn(pg.Client.prototype, "query").mockImplementation(function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    const { text = "", values = [] } = (typeof given[0] === "object" ? given[0] : {}) as Partial<Asked>;
    const isOwn = /write_groups|FOR UPDATE/.test(text) || isOfNoCaller(text);
    if (/^\s*(select|delete|update|with)\b/i.test(text) && !isOwn) asked.set(text, { text, values });
    return (query as (...all: unknown[]) => unknown).apply(this, given);
  } as never);
  try {
    await read();
  } finally {
    watching.mockRestore();
  }
  return [...asked.values()];
}

type Node = {
  "Node Type": string;
  "Total Cost": number;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Sort Method"?: string;
  Plans?: Node[];
};
const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `'{${value.map((one) => JSON.stringify(one)).join(",")}}'`;
  if (value === null || value === undefined) return "NULL";
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
};
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const rowsSeen = (node: Node) =>
  (node["Actual Loops"] ?? 0) *
  ((node["Actual Rows"] ?? 0) +
    (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0));

/** The cost of planning, which PostgreSQL saves where it uses the generic plan. */
const PLANNING_COST = 10;

/** Returns the steps of the plan for these values, and those of the generic plan where PostgreSQL would use it. */
async function stepsOf(asked: Asked): Promise<Node[]> {
  const own = await planOf(asked, "force_custom_plan");
  const general = await planOf(asked, "force_generic_plan");
  const isUsed = general["Total Cost"] <= own["Total Cost"] + PLANNING_COST;
  return [...nodesOf(own), ...(isUsed ? nodesOf(general) : [])];
}

/** Returns the plan as it was run. Its changes are rolled back. */
async function planOf({ text, values }: Asked, mode: string): Promise<Node> {
  await client.query("BEGIN");
  try {
    await client.query(`SET LOCAL plan_cache_mode = ${mode}; PREPARE asked AS ${text}`);
    const given = values.length > 0 ? `(${values.map(literal).join(", ")})` : "";
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE asked${given}`);
    return (rows[0]["QUERY PLAN"] as { Plan: Node }[])[0]!.Plan;
  } finally {
    await client.query("ROLLBACK; DEALLOCATE ALL");
  }
}

const inWords = (node: Node) =>
  `${node["Node Type"]} ${node["Relation Name"] ?? ""} ${node["Index Name"] ?? ""}: ${rowsSeen(node)} rows`;
const namesOf = (reads: (of: Readable) => Record<string, Read>) => Object.keys(reads({} as Readable));

describe.each([
  ["of lists", listReads],
  ["of a few rows", narrowReads],
])("reads %s look at few rows", (_, reads) => {
  test.each(namesOf(reads))("%s", async (name) => {
    const asked = await askedBy(reads(readable)[name]!);
    expect(asked).not.toBeEmpty();
    for (const one of asked) {
      const most = COUNTED[name] ?? MOST_ROWS;
      const many = (await stepsOf(one)).filter((node) => rowsSeen(node) > most);
      expect(many.map(inWords), one.text).toEqual([]);
    }
  });
});

test("a late page of a list reads no more rows than the first one", async () => {
  const { components } = store.read;
  const asked = await askedBy(async () => {
    await components.page("P1", { limit: 50, offset: 19_000 });
    await components.tierPage("P1", "GOOD", { limit: 50, offset: 15_000 });
    await components.elevatedPage("P1", { limit: 50, offset: 2_500 });
    for (const by of FILTERS) await components.alertPage({ partnerId: "P1", ...by }, undefined, SLICE);
    for (const by of [{}, ...FILTERS])
      await components.costliestPage({ partnerId: "P1", ...by }, undefined, SLICE);
  });
  for (const one of asked) {
    const many = (await stepsOf(one)).filter((node) => rowsSeen(node) > MOST_ROWS);
    expect(many.map(inWords), one.text).toEqual([]);
  }
});

test("a purge finds rows by indexes", async () => {
  await client.query(portfolio("P3", 250));
  await client.query("ANALYZE");
  const steps: Asked[] = [];
  for (let isEmpty = false; !isEmpty; )
    steps.push(
      ...(await askedBy(async () => {
        isEmpty = (await store.write((tx) => tx.purge.step("P3"))).isEmpty;
      })),
    );
  const statements = new Map(steps.map((step) => [step.text, step]));
  expect(statements.size).toBeGreaterThanOrEqual(22);
  for (const one of statements.values()) {
    const many = (await stepsOf(one)).filter((node) => rowsSeen(node) > MOST_ROWS);
    expect(many.map(inWords), one.text).toEqual([]);
  }
});

// With few partners, PostgreSQL would look each of them up anyway.
test("a search of all partners looks each of them up in the indexes", async () => {
  await client.query(
    `INSERT INTO partners (id, name, enabled, daily_budget, credential_generation, created_at)
     SELECT 'Q' || n, 'Partner ' || n, true, 1, 1, 1 FROM generate_series(1, 10000) n`,
  );
  await client.query("UPDATE claims SET claim_number = id");
  await client.query("ANALYZE partners, claims");
  const { search } = store.read;
  const asked = await askedBy(async () => {
    await search.properties(undefined, "12", 8);
    await search.propertiesOfReference(undefined, "R12", 8);
    await search.appliances(undefined, "s12", 8);
    await search.claims(undefined, "clm_p1", 8);
  });
  expect(asked).toHaveLength(6);
  for (const one of asked) {
    const lookUps = (await stepsOf(one)).filter(
      (node) =>
        /^(properties|appliances|claims)$/.test(node["Relation Name"] ?? "") &&
        node["Index Name"] !== "properties_pkey",
    );
    expect(lookUps, one.text).not.toBeEmpty();
    for (const node of lookUps)
      expect(node["Index Cond"] ?? inWords(node), one.text).toContain("partner_id = ");
  }
});
