import { expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { csvLine } from "../../../src/csv/write-csv.ts";
import { importPortfolio } from "../../../src/usecases/import/import-portfolio.ts";
import { PortfolioWriter } from "../../../src/usecases/portfolio/portfolio-writer.ts";
import { rescoreProperty } from "../../../src/usecases/rescoring/rescore.ts";
import { type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const open = usePortfolioStore();
/** The first cascades to the second. */
const TYPES = ["plumbing_supply", "water_heater_gas", "boiler"];
const APPLIANCES = 8;
const HEADINGS = ["partner_property_id", "type_id", "serial", "unit", "install_year", "brand", "retired_at"];

/** Opens a property with appliances in its units. */
async function portfolio(): Promise<PortfolioFixture> {
  const fixture = await open(Date.parse("2026-03-01T12:00:00Z"));
  const { id } = await fixture.addProperty({ partnerPropertyId: "E", unitCount: 3, yearBuilt: 1950 });
  const units = await fixture.store.read.units.page(id, { limit: 3, offset: 0 });
  const appliances = Array.from({ length: APPLIANCES }, (_, at) => ({
    propertyId: id,
    serial: `S${at}`,
    typeId: typeOf(at),
    installYear: typeOf(at) === TYPES[0] ? 1950 : 1980 + 4 * at,
    unitId: units[at % 2]!.id,
  }));
  await fixture.addAppliances(...appliances);
  return fixture;
}

const typeOf = (at: number) => TYPES[at % TYPES.length]!;

/** Imports rows, with all of them in one batch or each in its own, and returns what was rejected. */
async function run(fixture: PortfolioFixture, rows: readonly string[][], together: boolean) {
  let ms = 0;
  const errors: string[] = [];
  const { appliances } = await importPortfolio({
    ...fixture.importing,
    update: true,
    silent: true,
    sources: { appliances: { name: "a.csv", text: csvLine(HEADINGS) + rows.map(csvLine).join("") } },
    monotonicMs: () => {
      if (!together) ms += 10_000;
      return ms;
    },
    onRejected: (some) => errors.push(...some.map(({ line, error }) => `${line} ${error}`)),
  });
  return { ...appliances, errors };
}

/** Returns the appliances, components and sums, without IDs and instants. */
async function stored({ sql }: PortfolioFixture) {
  const appliances = await sql("SELECT * FROM appliances ORDER BY serial");
  const components = await sql(
    "SELECT a.serial, c.* FROM components c JOIN appliances a ON a.id = c.appliance_id ORDER BY a.serial, c.def_id",
  );
  const totals = await sql("SELECT * FROM property_totals");
  return { appliances: appliances.map(plain), components: components.map(plain), totals: totals.map(plain) };
}

function plain(row: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !OWN.test(name)));
}

/** The columns that differ between two portfolios. How long a decision holds depends on the appliance's ID. */
const OWN =
  /^(id|due_holds_until|partner_id|property_id|appliance_id|unit_id|(created|updated|rescored|changed)_at|.*instant)$/;

const row = fc.record({
  /** The last two are new. */
  at: fc.nat(APPLIANCES + 1),
  unit: fc.constantFrom("", "1", "2", "3", "9"),
  year: fc.constantFrom("", "1960", "1990", "2020", "2200"),
  brand: fc.constantFrom("", "Weil"),
  retired: fc.constantFrom("", "", "", "2026-01-01", "2027-01-01"),
});

const AS_IT_IS = { unit: "", year: "", brand: "", retired: "" };
const NEW = { ...AS_IT_IS, at: APPLIANCES + 1 };
/** The places of the appliances that cascade to others. */
const PIPES = [0, 3, 6];

test("rows of one batch leave what they leave one by one, with all scores up to date", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 8, maxLength: 12 }), async (some) => {
      const rows = some.map(({ at, unit, year, brand, retired }) => [
        ...["E", typeOf(at), `S${at}`, unit, year, brand, retired],
      ]);
      const [one, other] = [await portfolio(), await portfolio()];
      expect(await run(one, rows, true)).toEqual(await run(other, rows, false));
      const property = await other.store.read.properties.findByReference(other.partnerId, "E");
      await other.write((writer) => rescoreProperty(writer, property!, "all", "history"));
      expect(await stored(one)).toEqual(await stored(other));
      await Promise.all([one.close(), other.close()]);
    }),
    {
      numRuns: 3,
      seed: 7,
      examples: [
        [PIPES.map((at) => ({ ...AS_IT_IS, at, retired: "2026-01-01" }))],
        // A pipe that leaves its unit leaves the heaters there.
        [[{ ...AS_IT_IS, at: PIPES[0], unit: "3" }]],
        [
          [
            { ...NEW, year: "1990" },
            { ...NEW, year: "2020" },
            { ...NEW, brand: "Weil", unit: "2" },
          ],
        ],
        [
          [
            { ...NEW, year: "1990" },
            { ...NEW, year: "2020" },
            { ...NEW, retired: "2026-01-01" },
          ],
        ],
      ],
    },
  );
});

test("an appliance that is created as retired has the scores that it would have if it was retired later", async () => {
  const [one, other] = [await portfolio(), await portfolio()];
  const rows = (retired: string) =>
    [7, 8, 9].map((at) => ["E", typeOf(at), `R${at}`, "1", "1990", "", retired]);
  await run(one, rows("2026-01-01"), true);
  await run(other, rows(""), true);
  await run(other, rows("2026-01-01"), true);
  expect(await stored(one)).toEqual(await stored(other));
  for (const { components } of [await stored(one)])
    expect(components.filter(({ risk_score }) => risk_score === 0)).toEqual([]);
});

test("an appliance that one batch creates, changes and retires leaves no flag counted", async () => {
  const [one, other] = [await portfolio(), await portfolio()];
  const panel = (brand: string, retired = "") => ["E", "electrical_panel", "P1", "", "1970", brand, retired];
  const rows = [panel("Zinsco"), panel("Square D"), panel("", "2026-01-01")];
  expect(await run(one, rows, true)).toEqual(await run(other, rows, false));
  expect(await stored(one)).toEqual(await stored(other));
  for (const { sql } of [one, other]) {
    expect(await sql("SELECT code FROM flag_counts WHERE known > 0 OR properties > 0")).toEqual([]);
    expect(await sql("SELECT flags FROM appliances WHERE serial = 'P1'")).toEqual([{ flags: "" }]);
  }
});

test("a batch scores a property once, however many of its appliances move or retire", async () => {
  const fixture = await portfolio();
  const scored = spyOn(PortfolioWriter.prototype, "saveScore");
  const rows = Array.from({ length: APPLIANCES }, (_, at) => [
    ...["E", typeOf(at), `S${at}`, at < 2 ? "" : "3", "", "", at < 2 ? "2026-01-01" : ""],
  ]);
  try {
    expect(await run(fixture, rows, true)).toMatchObject({ updated: APPLIANCES });
    const [{ components } = { components: 0 }] = await fixture.sql(
      "SELECT count(*) AS components FROM components WHERE seq > 0",
    );
    expect(scored).toHaveBeenCalledTimes(Number(components));
  } finally {
    scored.mockRestore();
  }
});
