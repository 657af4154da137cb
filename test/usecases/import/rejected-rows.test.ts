import { beforeEach, describe, expect, test } from "bun:test";
import { getTableName } from "drizzle-orm";
import { csvLine } from "../../../src/csv/write-csv.ts";
import * as tables from "../../../src/store/sqlite/sqlite-tables.ts";
import { ClaimLog } from "../../../src/usecases/claims/record-claims.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { type ImportRequest, importPortfolio } from "../../../src/usecases/import/import-portfolio.ts";
import type { RejectedRow } from "../../../src/usecases/import/import-rejects.ts";
import { changeProperty } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const open = usePortfolioStore();
let fixture: PortfolioFixture;
beforeEach(async () => {
  fixture = await open(Date.parse("2026-03-01T12:00:00Z"));
});

type Row = Readonly<Record<string, string>>;
type Part = keyof ImportRequest["sources"];

async function run(part: Part, rows: readonly Row[]) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => csvLine(columns.map((column) => row[column] ?? "")));
  const rejected: RejectedRow[] = [];
  const result = await importPortfolio({
    ...fixture.importing,
    update: true,
    silent: true,
    sources: { [part]: { name: `${part}.csv`, text: csvLine(columns) + lines.join("") } },
    onRejected: (some) => rejected.push(...some),
  });
  return { ...result[part], rejected: rejected.map(({ line, error }) => `${line} ${error}`) };
}

/** Returns all rows of the database, without clocks, and the entry and the revision that every import adds. */
async function allRows() {
  const names = Object.values(tables).map(getTableName);
  const rows = names.map(async (name) => {
    const all = await fixture.sql(`SELECT * FROM ${name}`);
    const kept = all.filter(
      ({ action, detail }) => action !== "portfolio.import" && !String(detail).startsWith('{"files"'),
    );
    return [name, kept.map(({ revision, last_instant, ...row }) => JSON.stringify(row)).sort()] as const;
  });
  const { clock, write_groups, ...rest } = Object.fromEntries(await Promise.all(rows));
  return rest;
}

/** Returns every set of the changes. */
function setsOf(changes: readonly Row[]): Row[] {
  return changes.reduce<Row[]>((sets, one) => sets.flatMap((set) => [set, { ...set, ...one }]), [{}]);
}

/** Returns rows with one wrong cell and any of the right ones; the wrong one replaces a right one of its column. */
const wrongRows = (targets: readonly Row[], wrong: readonly Row[], right: readonly Row[]) =>
  targets.flatMap((target) =>
    wrong.flatMap((bad) => setsOf(right).map((good) => ({ ...target, ...good, ...bad }))),
  );

async function portfolio() {
  const elm = await fixture.addProperty({ partnerPropertyId: "E", unitCount: 4, yearBuilt: 1950 });
  const units = await fixture.store.read.units.page(elm.id, { limit: 4, offset: 0 });
  const [boiler] = await fixture.addAppliances(
    { propertyId: elm.id, typeId: "boiler", serial: "B1", unitId: units[3]!.id },
    { propertyId: elm.id, typeId: "boiler", serial: "B2", installYear: null },
  );
  const oak = await fixture.addProperty({ partnerPropertyId: "O", address: "2 Oak St", unitCount: 4 });
  const [unit] = await fixture.store.read.units.page(oak.id, { limit: 1, offset: 3 });
  await fixture.addAppliances({ propertyId: oak.id, serial: "O1", unitId: unit!.id });
  const retired = { retiredAt: "2026-01-01", retiredReason: null };
  await fixture.write((writer) => changeProperty(writer, oak.id, retired));
  return { elm, boiler: boiler!, oak };
}

const NEW = { name: "Ash", address: "3 Ash St", state: "NY" };
const RETIRES = { retired_at: "2025-05-05" };
const UNKNOWN_ID = "00000000000000000000000000";

describe("a rejected row leaves nothing in any table:", () => {
  test("one of a property", async () => {
    await portfolio();
    const wrong: Row[] = [
      { country: "US", zip: "K1A 0B1" },
      { records_since: "2099-01-01" },
      { year_built: "2200" },
      { retired_at: "nonsense" },
      { retired_at: "2025-02-31", retired_reason: "sold" },
    ];
    const right: Row[] = [{ name: "Other" }, { unit_count: "10" }, { gross_area_sqft: "9000" }, RETIRES];
    const rows = [
      ...wrongRows(
        [
          { ...NEW, partner_property_id: "E" },
          { ...NEW, partner_property_id: "A" },
        ],
        wrong,
        right,
      ),
      ...wrongRows([{ ...NEW, partner_property_id: "E" }], [{ unit_count: "1" }], right),
      ...wrongRows([{ ...NEW, partner_property_id: "A" }], [{ retired_reason: "sold" }], right.slice(0, 3)),
      { ...NEW, partner_property_id: "O", retired_at: "2025-01-01" },
    ];
    const before = await allRows();
    const { rejected, ...counts } = await run("properties", rows);
    expect(counts).toEqual({ read: rows.length, created: 0, updated: 0, unchanged: 0 });
    expect(rejected).toHaveLength(rows.length);
    expect(await allRows()).toEqual(before);
  });

  test("one of an appliance", async () => {
    await portfolio();
    const wrong: Row[] = [
      { unit_id: `U_${UNKNOWN_ID}` },
      { unit: "5" },
      { flags_set: "nonsense" },
      { install_year: "2200" },
      { retired_at: "nonsense" },
      { retired_at: "1949-12-31" },
    ];
    const right: Row[] = [{ brand: "Weil" }, { install_year: "2001" }, { usage_intensity: "HEAVY" }, RETIRES];
    const boiler = { partner_property_id: "E", type_id: "boiler" };
    const rows = [
      ...wrongRows([{ ...boiler, serial: "B1" }, { ...boiler, serial: "N1" }, boiler], wrong, right),
      ...wrongRows([{ ...boiler, serial: "B2" }], [{ type_id: "roof" }], right),
      ...wrongRows([{ ...boiler, serial: "N2" }], [{ retired_reason: "scrapped" }], right.slice(0, 3)),
      { ...boiler, partner_property_id: "O", serial: "N3" },
    ];
    const before = await allRows();
    const { rejected, ...counts } = await run("appliances", rows);
    expect(rejected).toHaveLength(rows.length);
    expect(counts).toMatchObject({ created: 0, updated: 0, unchanged: 0 });
    expect(await allRows()).toEqual(before);
  });

  test("one of a component, a service event or a claim", async () => {
    const { elm, boiler } = await portfolio();
    const event = await fixture.write(async (writer) => {
      const costs = { partsCostCents: null, laborCostCents: null, totalCostCents: null };
      const rest = { componentId: null, technician: null, notes: null, conditionAfter: null };
      const log = new ServiceLog(writer);
      const added = await log.add({
        applianceId: boiler.id,
        eventType: "Repair",
        date: "2025-01-01",
        ...costs,
        ...rest,
      });
      await log.finish();
      return added;
    });
    const [component] = await fixture.components(elm.id);
    const ofBoiler = { partner_property_id: "E", serial: "B1" };
    const files: [Part, Row[]][] = [
      [
        "components",
        wrongRows(
          [{ component_id: component!.id }],
          [{ install_year: "2200" }, { original: "true", past: "unknown" }],
          [{ install_year: "2003" }, { override_lifespan: "30" }],
        ),
      ],
      [
        "serviceEvents",
        [
          ...wrongRows(
            [
              { ...ofBoiler, event_type: "Repair", date: "2025-03-01" },
              { service_event_id: event.id, event_type: "Repair", date: "2025-03-01" },
            ],
            [{ date: "2099-01-01" }, { component_id: `C_${UNKNOWN_ID}` }, { inspection_types: "nonsense" }],
            [{ event_type: "Replacement" }, { notes: "leaking" }, { total_cost: "12" }],
          ),
          { service_event_id: `E_${UNKNOWN_ID}`, event_type: "Repair", date: "2025-03-01" },
        ],
      ],
      [
        "claims",
        wrongRows(
          [{ partner_property_id: "E", claim_type: "water", amount: "10", claim_number: "N" }],
          [{ date_of_loss: "2099-01-01" }, { date_of_loss: "2025-01-01", closed_on: "2099-01-01" }],
          [{ claim_number: "N2" }, { paid: "12" }],
        ),
      ],
    ];
    await fixture.write(async (writer) => {
      const log = new ClaimLog(writer, elm);
      await log.add({
        claimType: "water",
        dateOfLoss: "2024-01-01",
        claimNumber: "N",
        carrier: null,
        amountCents: 100,
        description: null,
        status: "closed",
      });
      await log.finish();
    });
    const before = await allRows();
    for (const [part, rows] of files) {
      const { rejected, ...counts } = await run(part, rows);
      expect(rejected, part).toHaveLength(rows.length);
      expect(counts).toMatchObject({ created: 0, updated: 0, unchanged: 0 });
    }
    expect(await allRows()).toEqual(before);
  });
});

test("a row that is rejected after it was written in part takes no other row with it, and leaves nothing", async () => {
  const { oak } = await portfolio();
  const before = await allRows();
  const property = (reference: string, more: Row = {}) => ({
    partner_property_id: reference,
    name: reference,
    address: `${reference} St`,
    state: "NY",
    ...more,
  });
  // The property is brought back until the day, and only then is a unit with an appliance in the way.
  const halfway = { ...property("O"), retired_at: "2099-01-01", unit_count: "1" };
  const { rejected, ...counts } = await run("properties", [
    property("N1"),
    halfway,
    property("N2"),
    halfway,
    property("N3", { unit_count: "-1" }),
    property("N4"),
  ]);
  expect(rejected).toEqual([
    expect.stringContaining("3 unit_count cannot be reduced"),
    expect.stringContaining("5 unit_count cannot be reduced"),
    expect.stringContaining("6 unit_count"),
  ]);
  expect(counts).toEqual({ read: 6, created: 3, updated: 0, unchanged: 0 });
  const { properties, units } = await allRows();
  expect(properties!.filter((row) => row.includes(oak.id))).toEqual(
    before.properties!.filter((row) => row.includes(oak.id)),
  );
  expect(units).toEqual(before.units!);
  expect(await fixture.store.read.totals.ofPartner(fixture.partnerId)).toMatchObject({ properties: 4 });
});

test("a property takes more units after a rejected row, and after one of before that left units", async () => {
  const { elm } = await portfolio();
  const row = { ...NEW, partner_property_id: "E", unit_count: "10" };
  expect((await run("properties", [{ ...row, records_since: "2099-01-01" }])).rejected).toHaveLength(1);
  await fixture.sql(
    `INSERT INTO units (id, property_id, number, created_at) VALUES ('U_5', '${elm.id}', 5, 0), ('U_6', '${elm.id}', 6, 0)`,
  );
  expect(await run("properties", [{ ...row, records_since: "2020-01-01" }])).toMatchObject({ updated: 1 });
  const { units, properties } = fixture.store.read;
  expect(await units.count(elm.id)).toBe(10);
  expect((await properties.find(fixture.partnerId, elm.id))!.unitCount).toBe(10);
});
