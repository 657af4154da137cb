import { beforeAll, describe, expect, test } from "bun:test";
import {
  BLOCK_SIZE,
  SETTLED_ELEVATED,
  WHOLE_BUCKET,
} from "../../../src/store/queries/stored-counter-buckets.ts";
import { recountDerivedData } from "../../../src/usecases/recalculation/recount-derived-data.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";
import { onPostgres } from "../../support/postgres.ts";

const open = usePortfolioStore();
let fixture: PortfolioFixture;
let propertyIds: string[];
beforeAll(async () => {
  fixture = await open(Date.parse("2026-03-10T12:00:00Z"));
  propertyIds = [];
  // More properties than a step reads.
  for (let nth = 0; nth < 23; nth++) {
    const { id } = await fixture.addProperty({ name: `House ${nth}`, state: nth % 2 === 0 ? "NY" : "VT" });
    propertyIds.push(id);
    await fixture.addAppliances({ propertyId: id, installYear: 1990 + nth, typeId: "elevator" });
    // The first and the last, which are of different steps.
    if (nth % 22 === 0)
      await fixture.addAppliances(
        { propertyId: id, installYear: 1990 + nth },
        { propertyId: id, installYear: 1990 + nth, typeId: "electrical_panel", brand: "Zinsco" },
        { propertyId: id, installYear: 1990 + nth, typeId: "ptac" },
      );
  }
});

const check = (isRepairing = false) =>
  recountDerivedData({ ...fixture, knowledge, yieldNow: async () => {} }, isRepairing);
const NONE = {
  "properties.address_key": 0,
  units: 0,
  "components.system": 0,
  "components.state": 0,
  "components.risk_tier": 0,
  "components.expected_cost_cents": 0,
  "appliances.due_cents": 0,
  "appliances.deficiencies": 0,
  property_totals: 0,
  partner_totals: 0,
  component_counters: 0,
  flag_counts: 0,
};
const TABLES = [
  "units",
  "properties",
  "components",
  "appliances",
  "property_totals",
  "partner_totals",
  "component_counters",
  "flag_counts",
];
const KEYS = ["id", "id", "id", "id", "property_id", "partner_id", "bucket, block", "property_id, code"];
/** Counters of nothing stay, and mean the same as none. */
const WITH_ROWS: Record<string, string> = {
  component_counters: "WHERE count <> 0",
  flag_counts: "WHERE known + suspected + properties <> 0",
};
/** Returns all rows, without how long decisions on what is due hold: a repair makes some that hold for no time. */
const stored = async () =>
  await Promise.all(
    TABLES.map(async (table, at) => {
      const rows = await fixture.sql(`SELECT * FROM ${table} ${WITH_ROWS[table] ?? ""} ORDER BY ${KEYS[at]}`);
      return rows.map(({ due_holds_until: _, ...row }) => row);
    }),
  );

const SUMS = [
  "appliances",
  "components",
  "service_events",
  "critical",
  "warning",
  "critical_proactive_cents",
  "warning_proactive_cents",
  "critical_reactive_cents",
  "warning_reactive_cents",
];

/** Returns the columns to corrupt. The statements name them all on either engine, so PostgreSQL gets two of them. */
const onEngine = (columns: readonly string[]) => (onPostgres ? [columns[0]!, columns.at(-1)!] : columns);

describe("derived data that disagrees with what it follows from is found and repaired:", () => {
  test("none in a database that only the application has written", async () => {
    expect(await check()).toEqual(NONE);
    expect(await check(true)).toEqual(NONE);
  });

  const first = () => `property_id = '${propertyIds[0]}'`;
  const last = () => `property_id = '${propertyIds.at(-1)}'`;
  const corruptions: [name: string, statement: () => string, found: Partial<typeof NONE>][] = [
    [
      "the system of a component",
      () => `UPDATE components SET system = '' WHERE seq IN (1, 2)`,
      { "components.system": 2 },
    ],
    [
      "the state of a component",
      () => `UPDATE components SET state = 'CA' WHERE seq = 3`,
      { "components.state": 1 },
    ],
    [
      "both of a component",
      () => `UPDATE components SET state = '', system = '' WHERE seq = 1`,
      { "components.system": 1, "components.state": 1 },
    ],
    [
      "the address keys of two properties, one missing",
      () => `UPDATE properties SET address_key = CASE seq WHEN 1 THEN 'x' END WHERE seq IN (1, 2)`,
      { "properties.address_key": 2 },
    ],
    [
      "units beyond the unit_count",
      () =>
        `INSERT INTO units (id, property_id, number, created_at) SELECT 'U_1', id, 1, 0 FROM properties WHERE seq = 2`,
      { units: 1 },
    ],
    [
      "the tier of a component",
      () =>
        `UPDATE components SET risk_tier = CASE risk_tier WHEN 'GOOD' THEN 'CRITICAL' ELSE 'GOOD' END WHERE seq < 5`,
      { "components.risk_tier": 4 },
    ],
    ...onEngine([...SUMS, "rcv_cents", "vital_critical"]).map((column): (typeof corruptions)[number] => [
      `${column} of two properties`,
      () => `UPDATE property_totals SET ${column} = ${column} + 7 WHERE ${first()} OR ${last()}`,
      // A sum over wrong properties is right.
      { property_totals: 2, ...(isSummed(column) ? { partner_totals: 0 } : {}) },
    ]),
    [
      "the mark of components without a snapshot",
      () => `UPDATE property_totals SET has_unseen = false WHERE ${first()}`,
      { property_totals: 1 },
    ],
    ...onEngine([...SUMS, "properties", "events", "photo_bytes"]).map(
      (column): (typeof corruptions)[number] => [
        `${column} of the partner`,
        () => `UPDATE partner_totals SET ${column} = ${column} + 3`,
        { partner_totals: 1 },
      ],
    ),
    [
      "counts of flags of two properties",
      () => `UPDATE flag_counts SET known = known + 1 WHERE code = 'zinsco' AND (${first()} OR ${last()})`,
      { flag_counts: 2 },
    ],
    [
      "a missing count of flags",
      () => `DELETE FROM flag_counts WHERE code = 'r22' AND ${first()}`,
      { flag_counts: 1 },
    ],
    [
      "a count of flags that no appliance has",
      () =>
        `INSERT INTO flag_counts (partner_id, property_id, code, known, suspected, properties)
         SELECT partner_id, '${propertyIds[0]}', 'frt_plywood', 1, 2, 1 FROM partner_totals`,
      { flag_counts: 1 },
    ],
    [
      "counts of flags of the portfolio",
      () => `UPDATE flag_counts SET properties = 1, suspected = 9 WHERE property_id = ''`,
      { flag_counts: 2 },
    ],
    [
      "a counter of a block",
      () => `UPDATE component_counters SET count = count + 1 WHERE bucket = 102 AND block = 0`,
      { component_counters: 1 },
    ],
    [
      "the counter of a whole bucket",
      () => `UPDATE component_counters SET count = count - 1 WHERE bucket = 101 AND block = ${WHOLE_BUCKET}`,
      { component_counters: 1 },
    ],
    [
      "the expected cost of components",
      () => `UPDATE components SET expected_cost_cents = 7 WHERE seq IN (1, 5)`,
      { "components.expected_cost_cents": 2 },
    ],
    [
      "what is due of an appliance",
      () => `UPDATE appliances SET due_cents = 123 WHERE seq = 3`,
      { "appliances.due_cents": 1 },
    ],
    [
      "the open deficiencies of two appliances",
      () => `UPDATE appliances SET deficiencies = 3 - deficiencies WHERE seq IN (1, 2)`,
      { "appliances.deficiencies": 2 },
    ],
    [
      "what is due of a property",
      () => `UPDATE property_totals SET due_cents = due_cents + 1 WHERE ${first()}`,
      { property_totals: 1 },
    ],
    [
      "missing counters",
      () => `DELETE FROM component_counters WHERE bucket = 102`,
      { component_counters: 2 },
    ],
    [
      "counters of no component",
      () =>
        `INSERT INTO component_counters (partner_id, bucket, block, count)
         SELECT partner_id, ${SETTLED_ELEVATED}, 77, 5 FROM partner_totals`,
      { component_counters: 1 },
    ],
  ];

  test.each(corruptions)("%s", async (_, statement, found) => {
    const before = await stored();
    const revision = await fixture.sql("SELECT revision FROM partners");
    await fixture.sql(statement());
    const corrupted = await stored();
    expect(corrupted).not.toEqual(before);
    expect(await check()).toEqual({ ...NONE, ...found });
    expect(await stored(), "finding changes nothing").toEqual(corrupted);
    expect(await check(true)).toEqual({ ...NONE, ...found });
    // As it was when nothing was found.
    expect(await stored()).toEqual(before);
    expect(await fixture.sql("SELECT revision FROM partners")).not.toEqual(revision);
  });

  test("everything at once, and the lists are right again", async () => {
    const before = await stored();
    await fixture.sql(
      "UPDATE components SET system = '', state = '', risk_tier = 'WARNING', expected_cost_cents = 1",
    );
    await fixture.sql("UPDATE properties SET address_key = ''");
    await fixture.sql("UPDATE appliances SET due_cents = 1, deficiencies = 3");
    await fixture.sql(
      "INSERT INTO units (id, property_id, number, created_at) SELECT 'U_1', id, 1, 0 FROM properties WHERE seq = 1",
    );
    await fixture.sql("UPDATE property_totals SET critical = 9, rcv_cents = 1, service_events = 4");
    await fixture.sql("UPDATE partner_totals SET warning = 1234, events = 1");
    await fixture.sql("UPDATE component_counters SET count = 1");
    await fixture.sql("UPDATE flag_counts SET known = 5");
    const found = await check();
    expect(Object.values(found).every((count) => count > 0)).toBe(true);
    await check(true);
    expect(await check()).toEqual(NONE);
    expect(await stored()).toEqual(before);
    const filter = { partnerId: fixture.partnerId, state: "VT", system: "conveyance" as const };
    const { components } = fixture.store.read;
    const alerts = await components.countAlerts(filter, undefined);
    expect(alerts.critical + alerts.warning).toBeGreaterThan(0);
    expect(await components.alertPage(filter, undefined, { limit: 200, offset: 0 })).toHaveLength(
      alerts.critical + alerts.warning,
    );
  });

  test("units that are missing or beyond the unit_count, one of them with an appliance", async () => {
    const oak = await fixture.addProperty({ name: "Oak", unitCount: 3 });
    const ash = await fixture.addProperty({ name: "Ash", unitCount: 5 });
    const unitsOf = async ({ id }: { id: string }) =>
      await fixture.store.read.units.page(id, { limit: 10, offset: 0 });
    const kept = (await unitsOf(ash))[3]!;
    await fixture.addAppliances({ propertyId: ash.id, typeId: "roof", unitId: kept.id });
    await fixture.sql(`DELETE FROM units WHERE property_id = '${oak.id}' AND number > 1`);
    await fixture.sql(`UPDATE properties SET unit_count = 2 WHERE id = '${ash.id}'`);
    expect((await check()).units).toBe(2);
    expect((await check(true)).units).toBe(2);
    expect(await check()).toEqual(NONE);
    expect((await unitsOf(oak)).map(({ number }) => number)).toEqual([1, 2, 3]);
    expect((await unitsOf(ash)).map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect((await fixture.store.read.properties.find(fixture.partnerId, ash.id))!.unitCount).toBe(4);
  });

  test("in a block beyond the first", async () => {
    const { id } = await fixture.addProperty({ name: "Large", state: "NY" });
    const many = Array.from({ length: 400 }, () => ({
      propertyId: id,
      typeId: "elevator",
      installYear: 1995,
    }));
    await fixture.addAppliances(...many);
    const [row] = await fixture.sql("SELECT max(seq) AS most FROM components");
    expect(Number(row!.most)).toBeGreaterThan(BLOCK_SIZE);
    await fixture.sql("UPDATE component_counters SET count = count + 2 WHERE bucket < 100 AND block = 1");
    expect((await check()).component_counters).toBeGreaterThan(0);
    await check(true);
    expect(await check()).toEqual(NONE);
  });
});

function isSummed(column: string): boolean {
  return !["appliances", "components", "rcv_cents", "vital_critical"].includes(column);
}
