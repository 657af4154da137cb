import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { claim, serializeClaim } from "../../../src/api-schemas/claim-schema.ts";
import {
  apiSchemaTableCells,
  apiSchemaTableColumns,
} from "../../../src/api-schemas/definition/api-schema-table-cells.ts";
import { acquireClusterLock, clusterImportLockName } from "../../../src/cluster/cluster-locks.ts";
import { Failure, OperatorError, StorageError, UnfinishedChange } from "../../../src/domain/errors.ts";
import {
  EqualRowCounts,
  formatImportContinuation,
  parseImportContinuation,
} from "../../../src/usecases/import/import-equal-row-counts.ts";
import { importPortfolio } from "../../../src/usecases/import/import-portfolio.ts";
import { importTableRows, type TableRows } from "../../../src/usecases/import/import-table-rows.ts";
import { guessFileMapping } from "../../../src/usecases/import/mapping/import-known-fields.ts";
import type { ImportTable } from "../../../src/usecases/import/mapping/import-source-table.ts";
import { prepareRowsInMemory } from "../../../src/usecases/import/mapping/prepared-import-files.ts";
import { createPartner } from "../../../src/usecases/partners/create-partner-and-credentials.ts";
import { changeProperty } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";
import { runsOnEngine, testOnSqlite } from "../../support/postgres.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const open = usePortfolioStore();
let fixture: PortfolioFixture;
beforeEach(async () => {
  fixture = await open(NOW);
});

const BUILDINGS: TableRows = {
  file: "buildings.csv",
  columns: ["Building Name", "Street Address", "State", "Year Built", "No of Boilers", "Remark"],
  rows: [
    ["Elm Court", "1 Elm St", "NY", "1931", "2", "x"],
    ["Oak House", "2 Oak St", "Nowhere", "1940", "", ""],
    ["Ash House", "3 Ash St", "NY", "1999", "1", ""],
  ],
  firstRow: 202,
};
const run = (
  table: TableRows,
  how: Partial<Parameters<typeof importTableRows>[2]> = {},
  { store } = { store: fixture.store },
) => {
  const { partner, clock } = fixture;
  const deps = { store, partner, knowledge, clock, yieldNow: async () => {} };
  return importTableRows(deps, table, { mapping: undefined, dryRun: false, silent: true, ...how });
};
const names = async () =>
  (await fixture.store.read.properties.numbered(fixture.partner.id, 0, 100)).map(({ name }) => name);

// Rule: import-rows
describe("rows of a table", () => {
  test("are imported with a guessed mapping; a repetition adds nothing, and rows are rejected by their numbers", async () => {
    const { mapping, fields, result, rejected } = await run(BUILDINGS);
    expect(mapping).toMatchObject({
      rows: "properties",
      fields: { name: "Building Name", address: "Street Address", year_built: "Year Built" },
    });
    expect(fields).toContain("gross_area_sqft");
    expect(result.properties).toMatchObject({ created: 2, unchanged: 0 });
    expect(result.appliances).toMatchObject({ created: 3, unchanged: 0 });
    expect(rejected).toEqual([{ row: 203, error: expect.stringContaining("state") }]);
    expect(await names()).toEqual(["Elm Court", "Ash House"]);
    const again = await run(BUILDINGS);
    expect(again.result.properties).toMatchObject({ created: 0, unchanged: 2 });
    expect(again.result.appliances).toMatchObject({ created: 0 });
    expect(await names()).toHaveLength(2);
  });

  test("of a dry run are counted and rejected as by the import, and nothing is written", async () => {
    const { store } = fixture;
    const before = await store.read.totals.stored(fixture.partner.id);
    const dry = await run(BUILDINGS, { dryRun: true });
    expect(await names()).toEqual([]);
    expect(await store.read.totals.stored(fixture.partner.id)).toEqual(before);
    const real = await run(BUILDINGS);
    expect(dry.rejected).toEqual(real.rejected);
    for (const kind of ["properties", "appliances", "components"] as const)
      expect(dry.result[kind]).toEqual(real.result[kind]);
    expect(real.result.components.created).toBeGreaterThan(3);
  });

  test("of a dry run are rejected as by the import where part of their change was written first", async () => {
    const elm = await fixture.addProperty({ partnerPropertyId: "E", unitCount: 4 });
    const [unit] = await fixture.store.read.units.page(elm.id, { limit: 1, offset: 3 });
    await fixture.addAppliances({ propertyId: elm.id, unitId: unit!.id });
    await fixture.write((writer) => changeProperty(writer, elm.id, { retiredAt: "2026-01-01" }));
    const columns = ["partner_property_id", "name", "address", "state", "retired_at", "unit_count"];
    const rows = [
      ["A1", "Oak", "2 Oak St", "NY", "", ""],
      // The property is brought back until the day, and only then is a unit with an appliance in the way.
      ["E", "Elm", "1 Elm St", "NY", "2099-01-01", "1"],
      ["E", "Elms", "1 Elm St", "NY", "", ""],
      // More of them than a dry run starts again for.
      ...Array.from({ length: 11 }, () => ["E", "Elm", "1 Elm St", "NY", "2099-01-01", "1"]),
      ["A2", "Ash", "3 Ash St", "NY", "", ""],
    ];
    const table = { file: "f.csv", columns, rows, firstRow: 2 };
    const { store } = fixture;
    let runs = 0;
    const write: typeof store.write = (...args) => {
      runs++;
      return store.write(...args);
    };
    const dry = await run(table, { dryRun: true, update: true }, { store: { ...store, write } });
    expect(runs).toBe(11);
    const real = await run(table, { update: true });
    expect(real.result.properties).toEqual({ read: 15, created: 2, updated: 0, unchanged: 0 });
    expect(real.rejected.slice(0, 2)).toEqual([
      { row: 3, error: expect.stringContaining("unit_count cannot be reduced") },
      { row: 4, error: expect.stringContaining("retired") },
    ]);
    expect(dry.result.properties).toEqual(real.result.properties);
    const message = expect.stringMatching(/unit_count cannot be reduced.*\. Correct this row first/);
    expect(dry.rejected).toEqual(real.rejected.with(11, { ...real.rejected[11]!, error: message }));
  });

  test("with a retirement that is refused are not created, and neither their dry run nor a repetition says otherwise", async () => {
    const columns = ["partner_property_id", "name", "address", "state", "retired_at", "retired_reason"];
    const rows = [
      ["A1", "Elm", "1 Elm St", "NY", "", "sold"],
      ["A2", "Oak", "2 Oak St", "NY", "nonsense", ""],
      ["A3", "Ash", "3 Ash St", "NY", "2024-02-31", "x"],
    ];
    const table = { file: "f.csv", columns, rows, firstRow: 2 };
    for (const dryRun of [true, false, false]) {
      const { result, rejected } = await run(table, { dryRun });
      expect(result.properties).toEqual({ read: 3, created: 0, updated: 0, unchanged: 0 });
      expect(rejected.map(({ error }) => error)).toEqual([
        expect.stringContaining("retired_reason requires retired_at"),
        expect.stringContaining("retired_at"),
        expect.stringContaining("retired_at"),
      ]);
    }
    expect(await names()).toEqual([]);
  });

  test("are imported in part where the storage fails or the lock is lost, and a repetition imports the rest", async () => {
    const { store } = fixture;
    /** Fails once, at the first write of which `isDue` says so. */
    const failing = (error: Error, isDue: (nth: number) => boolean | Promise<boolean>) => {
      let [writes, hasFailed] = [0, false];
      const write: typeof store.write = async (...args) => {
        if (!hasFailed && (await isDue(++writes))) {
          hasFailed = true;
          throw error;
        }
        return await store.write(...args);
      };
      return { store: { ...store, read: store.read, write } as typeof store };
    };
    const full = new StorageError("the disk is full", "Free some space.");
    const hasProperties = async () => (await names()).length > 0;
    const late = new Failure("unavailable", "The response was not ready within 55 s. Retry later.");
    await expect(run(BUILDINGS, {}, failing(full, hasProperties))).rejects.toBeInstanceOf(UnfinishedChange);
    const atSecond = failing(late, (nth) => nth === 2);
    await expect(run(BUILDINGS, {}, atSecond)).rejects.toBeInstanceOf(UnfinishedChange);
    const { appliances } = await store.read.totals.stored(fixture.partner.id);
    expect(appliances).toBe(0);
    const dry = run(
      BUILDINGS,
      { dryRun: true },
      failing(full, () => true),
    );
    await expect(dry).rejects.not.toBeInstanceOf(UnfinishedChange);
    // The first write takes the lock.
    const lost = new OperatorError("this process was suspended", "Run it again.");
    await expect(
      run(
        BUILDINGS,
        {},
        failing(lost, (nth) => nth === 2),
      ),
    ).rejects.toMatchObject({
      code: "conflict",
      message: "this process was suspended. Run it again.",
    });
    await run(BUILDINGS);
    expect(await names()).toEqual(["Elm Court", "Ash House"]);
    expect((await store.read.totals.stored(fixture.partner.id)).appliances).toBe(3);
  });

  test("of a file with semicolons have a decimal comma where their numbers do not show it", async () => {
    const table: TableRows = {
      file: "a.csv",
      firstRow: 2,
      columns: ["Name", "Address", "State", "Replacement Value"],
      rows: [["Elm", "1 Elm St", "NY", "850.000"]],
    };
    expect((await run(table, { dryRun: true })).mapping.decimal_comma).toBeUndefined();
    expect((await run({ ...table, separator: ";" })).mapping.decimal_comma).toEqual(["replacement_value"]);
    const [elm] = await fixture.store.read.properties.numbered(fixture.partner.id, 0, 1);
    expect(elm!.replacementValueCents).toBe(85_000_000);
  });

  test("are read as a changed mapping says", async () => {
    const { mapping } = await run(BUILDINGS, { dryRun: true });
    const fields = { ...mapping.fields, notes: "Remark" };
    await run(BUILDINGS, { mapping: { ...mapping, fields, equipment: [] } });
    const [elm] = await fixture.store.read.properties.numbered(fixture.partner.id, 0, 1);
    expect(elm!.notes).toBe("x");
    expect((await fixture.store.read.totals.stored(fixture.partner.id)).appliances).toBe(0);
    const unknown = {
      ...mapping,
      equipment: [{ column: "Remark", kind: "flag", types: { "*": "warp_core" } }],
    } as const;
    await expect(run(BUILDINGS, { mapping: unknown })).rejects.toThrow("mapping names the type warp_core");
  });

  test("have the words guessed that the given mapping does not have, unless they mean themselves", async () => {
    await fixture.addProperty({ partnerPropertyId: "E", yearBuilt: 1950 });
    const table = (...words: string[]): TableRows => ({
      file: "f.csv",
      columns: ["partner_property_id", "Equipment", "Tag No"],
      firstRow: 2,
      rows: words.map((word) => ["E", word, word]),
    });
    const first = await run(table("Lift"));
    expect(first.guessed).toEqual([]);
    const next = await run(table("Lift", "Hot  water boiler", "Chandelier"), { mapping: first.mapping });
    const guessed = { column: "Equipment", cell: "Hot water boiler", meaning: "boiler", rows: 1 };
    expect(next.guessed).toEqual([guessed]);
    const known = { Lift: "elevator", "Hot water boiler": "boiler" };
    expect(next.mapping).toEqual({ ...first.mapping, values: { type_id: known } });
    expect(next.result.appliances).toMatchObject({ created: 1, unchanged: 1 });
    expect(next.leftOut).toMatchObject([{ what: "Chandelier", cells: 1 }]);
    const itself = { ...first.mapping, values: { type_id: { Lift: "Lift" } } };
    const left = await run(table("Lift"), { mapping: itself });
    expect([left.guessed, left.mapping]).toEqual([[], itself]);
    expect(left.leftOut).toMatchObject([{ what: "Lift", cells: 1 }]);
    const buildings = {
      file: "f.csv",
      columns: ["Address", "State", "Year Built", "Heating Type"],
      firstRow: 2,
      rows: [
        ["1 Choice St", "NY", "1950", "Furnace"],
        ["2 Choice St", "NY", "1950", "Boiler"],
      ],
    };
    const { mapping } = await run(buildings, { dryRun: true });
    const [choice] = mapping.equipment;
    const types = { Boiler: "boiler", Furnace: "Furnace" };
    const own = await run(buildings, { mapping: { ...mapping, equipment: [{ ...choice!, types }] } });
    expect(own).toMatchObject({ guessed: [], rejected: [], mapping: { equipment: [{ types }] } });
    expect([own.result.properties.created, own.result.appliances.created]).toEqual([2, 1]);
  });

  test("are refused with a mapping that names an unknown field, or a column that the rows do not have", async () => {
    const { mapping } = await run(BUILDINGS, { dryRun: true });
    const refusal = (part: Partial<typeof mapping>) =>
      run(BUILDINGS, { mapping: { ...mapping, ...part } }).catch(({ code, message }) => [code, message]);
    const unknown = '"yaer_built" is not a field of properties; did you mean year_built?';
    for (const part of [
      { fields: { ...mapping.fields, yaer_built: "Year Built" } },
      { constants: { yaer_built: "1931" } },
      { values: { yaer_built: { old: "1931" } } },
      { dates: { yaer_built: "YYYY-MM-DD" } },
    ] as const)
      expect(await refusal(part)).toEqual(["invalid_request", `mapping: ${unknown}`]);
    const long = "x".repeat(4_001);
    const limit = "has 4001 characters; at most 4000 are possible";
    expect(await refusal({ constants: { notes: long } })).toEqual([
      "invalid_request",
      `mapping: the text of "notes" in constants ${limit}`,
    ]);
    expect(await refusal({ values: { notes: { old: long } } })).toEqual([
      "invalid_request",
      `mapping: the text of "old" in notes ${limit}`,
    ]);
    for (const part of [
      { fields: { ...mapping.fields, notes: "Remarks" } },
      { equipment: [{ column: "Remarks", kind: "flag", types: { "*": "boiler" } }] },
      {
        equipment: [{ column: "Remark", kind: "flag", types: { "*": "boiler" }, year_column: "Remarks" }],
      },
      { scores: [{ column: "Remarks" }] },
    ] as const)
      expect(await refusal(part)).toEqual(["invalid_request", 'mapping: "Remarks" is not a column']);
    expect(await names()).toEqual([]);
    const constants = { notes: long.slice(1) };
    expect((await run(BUILDINGS, { mapping: { ...mapping, constants } })).rejected).toEqual([
      { row: 203, error: expect.stringContaining("state") },
    ]);
  });

  test("are matched by address and name with properties of the account, wherever they are in its list", async () => {
    const own = await fixture.addProperty({
      name: "Elm Court",
      address: "1 Elm Street",
      partnerPropertyId: "E",
      yearBuilt: 1931,
    });
    for (let other = 0; other < 3; other++) await fixture.addProperty({ address: `${other} Fir St` });
    const { result } = await run({ ...BUILDINGS, rows: BUILDINGS.rows.slice(0, 1) });
    expect(result.properties).toMatchObject({ created: 0, unchanged: 1 });
    const made = await fixture.store.read.appliances.ofPropertyAfter(own.id, 0, 10);
    expect(made.map(({ serial }) => serial)).toEqual(["boiler-1", "boiler-2"]);
  });

  test("without a reference mean the same property in any order and again, or are rejected where they may mean several", async () => {
    const columns = [
      "partner_property_id",
      "name",
      "address",
      "city",
      "state",
      "zip",
      "No of Boilers",
      "Year Built",
    ];
    const imports = async (street: number, created: number, rejected: number[], ...places: string[][]) => {
      const rows = places.map(([reference = "", city = "", zip = ""]) => [
        ...[reference && `${street} ${reference}`, `${street} ${city}`, `${street} Elm St`],
        ...[city, "NY", zip, "1", "1950"],
      ]);
      const found = await run({ file: "f.csv", columns, rows, firstRow: 1 });
      expect([found.result.properties.created, found.result.appliances.created]).toEqual([created, created]);
      const error = expect.stringContaining("several properties");
      expect(found.rejected).toEqual(rejected.map((row) => ({ row, error })));
    };
    const between = [["A1"], ["", "", "12207"], ["A2"]];
    for (const created of [2, 0]) await imports(1, created, [2], ...between);
    // The address keeps its meaning for a property that was made of it.
    await imports(2, 1, [], ["", "", "12207"]);
    for (const created of [2, 0]) await imports(2, created, [], ...between);
    // The city tells two properties apart, whatever comes before.
    const vague = [
      ["", "", "12207"],
      ["", "Troy", "12207"],
      ["", "Albany", "12207"],
    ];
    for (const created of [2, 0]) await imports(3, created, [1], ...vague);
    // A row does not make the property that a later one says more of.
    const brief = [
      ["", "", "12207"],
      ["", "", "12180"],
      ["", "Albany"],
      ["", "Troy", "12180"],
    ];
    for (const created of [2, 0]) await imports(4, created, [], ...brief);
    const aRow = fc.record({
      reference: fc.constantFrom("", "A1", "A2"),
      city: fc.constantFrom("", "Albany", "Troy"),
      zip: fc.constantFrom("", "12207", "12180"),
    });
    let street = 10;
    // A reference has one place, and so has an address.
    const differently = {
      selector: ({ reference, city, zip }: { reference: string; city: string; zip: string }) =>
        reference || city || zip,
    };
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(aRow, { ...differently, minLength: 2, maxLength: 6 }),
        async (given) => {
          const imported = async (order: typeof given, number: number) => {
            const rows = order.map(({ reference, city, zip }) => [
              ...[
                reference && `${number} ${reference}`,
                `${number} ${city}`,
                `${number} Elm St`,
                city,
                "NY",
                zip,
              ],
            ]);
            const { result, rejected } = await run({ ...places, rows });
            const place = JSON.stringify(rejected.map(({ row }) => JSON.stringify(order[row - 2])).sort());
            return { created: result.properties.created, rejected: place };
          };
          const places = { file: "f.csv", columns: columns.slice(0, 6), firstRow: 2 };
          const first = await imported(given, ++street);
          expect(await imported(given, street)).toEqual({ created: 0, rejected: first.rejected });
          expect(await imported(given.toReversed(), street)).toEqual({
            created: 0,
            rejected: first.rejected,
          });
          expect(await imported(given.toReversed(), ++street)).toEqual(first);
        },
      ),
      { numRuns: runsOnEngine(5) },
    );
  });

  test("of one file are the same records in one request, in several with repetitions, by the command, and in another order", async () => {
    const columns = ["partner_property_id", "type_id", "install_year", "quantity", "serial"];
    const aRow = fc.oneof(
      fc.record({
        property: fc.constantFrom("1", "2"),
        type: fc.constantFrom("boiler", "ptac"),
        year: fc.constantFrom("1990", ""),
        quantity: fc.constantFrom("", "", "1", "2"),
        serial: fc.constant(""),
      }),
      fc.record({
        property: fc.constantFrom("1", "2"),
        type: fc.constant("boiler"),
        year: fc.constant("2001"),
        quantity: fc.constant(""),
        serial: fc.constantFrom("S1", "S2"),
      }),
    );
    type Row = { property: string; type: string; year: string; quantity: string; serial: string };
    let files = 0;
    const { store, partner, clock } = fixture;
    /** Returns the records of two new properties after an import into them; `before` rows are there already. */
    const recordsOf = async (
      rows: readonly Row[],
      before: readonly Row[],
      imports: (table: (some: readonly Row[]) => TableRows, rows: readonly Row[]) => Promise<void>,
    ) => {
      const own = `${++files}-`;
      const ids: string[] = [];
      for (const name of ["1", "2"])
        ids.push((await fixture.addProperty({ partnerPropertyId: own + name, yearBuilt: 1950 })).id);
      const table = (some: readonly Row[]) => ({
        file: "f.csv",
        columns,
        firstRow: 2,
        rows: some.map((row) => [own + row.property, row.type, row.year, row.quantity, row.serial]),
      });
      if (before.length > 0) await run(table(before));
      await imports(table, rows);
      const records: string[][] = [];
      for (const id of ids)
        for (const { typeId, installYear, serial } of await store.read.appliances.ofPropertyAfter(id, 0, 100))
          records.push([String(ids.indexOf(id)), typeId, String(installYear), serial ?? ""]);
      return records.sort((one, other) => (one.join() < other.join() ? -1 : 1));
    };
    const inRequests =
      (sizes: readonly number[]) =>
      async (table: (some: readonly Row[]) => TableRows, rows: readonly Row[]): Promise<void> => {
        let equalRows: EqualRowCounts | undefined;
        let from = 0;
        for (const size of sizes) {
          const some = table(rows.slice(from, from + size));
          if (some.rows.length === 0) return;
          from += size;
          const how = equalRows && { equalRows };
          const dry = await run(some, { ...how, dryRun: true });
          const found = await run(some, how);
          expect(dry.result.appliances).toEqual(found.result.appliances);
          // Its response may be lost.
          const again = await run(some, how);
          expect(again.result.appliances.created).toBe(0);
          for (const { equalRows: counts } of [dry, again])
            expect(counts.text()).toBe(found.equalRows.text());
          equalRows = parseImportContinuation(formatImportContinuation(found.equalRows, false), false);
        }
      };
    /** Imports with a transaction for each row; a first run is stopped after so many rows. */
    const byCommand =
      (stopped: number) => async (table: (some: readonly Row[]) => TableRows, rows: readonly Row[]) => {
        const { rows: cells } = table(rows);
        const given: ImportTable = {
          name: "f.csv",
          headings: columns,
          sample: cells,
          count: cells.length,
          notes: [],
          async *rows() {
            for (const [at, row] of cells.entries()) yield { line: at + 2, cells: row };
          },
        };
        const preparing = { read: store.read, partnerId: partner.id, types: knowledge.types };
        const mapping = guessFileMapping(knowledge, given);
        for (const last of [stopped, 1_000]) {
          let ms = 0;
          const { sources } = await prepareRowsInMemory({ ...preparing, yieldNow: async () => {} }, [
            { table: given, mapping },
          ]);
          const importing = importPortfolio({
            store,
            knowledge,
            partner,
            clock,
            sources,
            actor: "cli:test",
            silent: true,
            monotonicMs: () => {
              ms += 10_000;
              return ms;
            },
            onProgress: ({ done }) => {
              if (done > last) throw new Error("stopped");
            },
          });
          if (last < 1_000) await importing.catch(({ message }) => expect(message).toBe("stopped"));
          else await importing;
        }
      };
    await fc.assert(
      fc.asyncProperty(
        fc.array(aRow, { minLength: 4, maxLength: 9 }),
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 3 }),
        fc.nat(2),
        fc.array(fc.nat(), { minLength: 9, maxLength: 9 }),
        async (rows, sizes, equalBefore, order) => {
          const before = Array<Row>(equalBefore).fill({ ...rows[0]!, quantity: "" });
          const inSeveral = inRequests([...sizes, rows.length]);
          const whole = await recordsOf(rows, before, inRequests([rows.length]));
          expect(await recordsOf(rows, before, inSeveral)).toEqual(whole);
          expect(await recordsOf(rows, before, byCommand(sizes[0]!))).toEqual(whole);
          // Labels are in the order of rows.
          const unlabeled = (records: string[][]) => records.map((record) => record.slice(0, 3)).sort();
          const shuffled = rows
            .map((row, at) => ({ row, at: order[at]! }))
            .toSorted((one, other) => one.at - other.at)
            .map(({ row }) => row);
          expect(unlabeled(await recordsOf(shuffled, before, inSeveral))).toEqual(unlabeled(whole));
        },
      ),
      { numRuns: Number(process.env.IMPORT_RUNS) || runsOnEngine(2) },
    );
  }, 600_000);

  test("continue an import or, in a dry run, either, and never begin with what a dry run has counted", () => {
    const counts = EqualRowCounts.none();
    for (const isEmpty of [true, false]) {
      if (!isEmpty) counts.set("abcdefghijkl", 2);
      const [ofDryRun, ofImport] = [true, false].map((isDry) => formatImportContinuation(counts, isDry));
      const read = (text: string, isDry: boolean) => parseImportContinuation(text, isDry).text();
      for (const text of [ofDryRun!, ofImport!]) expect(read(text, true)).toBe(counts.text());
      expect(read(ofImport!, false)).toBe(counts.text());
      expect(() => read(ofDryRun!, false)).toThrow(
        "continuation is that of a dry run: import the first rows",
      );
    }
    expect(() => parseImportContinuation("check x", true)).toThrow("must be the continuation of an earlier");
  });

  test("of a dry run that are rejected halfway name the rows that would create records", async () => {
    const elm = await fixture.addProperty({ partnerPropertyId: "ELM" });
    await fixture.write((writer) => changeProperty(writer, elm.id, { retiredAt: "2026-01-01" }));
    const columns = ["property_id", "partner_property_id", "name", "address", "state", "retired_at"];
    const rows = [
      ["", "NEW", "New", "9 Elm St", "NY", ""],
      [elm.id, "NEW", "", "", "", "2026-06-01"],
    ];
    const dry = await run({ file: "f.csv", columns, rows, firstRow: 2 }, { dryRun: true, update: true });
    const error = "partner_property_id is already in use by property in row 2";
    expect(dry.rejected).toEqual([{ row: 3, error }]);
  });

  test("without a reference change the property of their name, or are rejected where none at the address has it", async () => {
    const columns = ["Property ID", "Building Name", "Address", "State", "Year Built"];
    const at = async (address: string, ...rows: string[][]) => {
      const table = { file: "f.csv", columns, firstRow: 2 };
      const placed = rows.map(([id = "", name = "", year = ""]) => [id, name, address, "NY", year]);
      const { rejected } = await run({ ...table, rows: placed }, { update: true });
      return rejected.map(({ row }) => row);
    };
    const there = async () =>
      (await fixture.store.read.properties.numbered(fixture.partner.id, 0, 100)).map(
        ({ address, name, yearBuilt }) => [address.slice(0, 1), name, yearBuilt],
      );
    await at("1 Elm St", ["", "Building A", "1950"]);
    await at("1 Elm St", ["B2", "Building B", "1990"]);
    // A building of that name at another address.
    await at("2 Oak St", ["B3", "Building B", "1960"]);
    const rows = [
      ["", "BUILDING B", "1991"],
      ["", "Building C", "1992"],
      ["", "Building A", "1951"],
    ];
    expect(await at("1 Elm St", ...rows)).toEqual([3]);
    expect(await at("1 Elm St", ...rows.toReversed())).toEqual([3]);
    expect(await there()).toEqual([
      ["1", "Building A", 1951],
      ["1", "BUILDING B", 1991],
      ["2", "Building B", 1960],
    ]);
    // Without a name, a row means what was made of its address.
    expect(await at("1 Elm St", ["", "", "1952"])).toEqual([]);
    expect((await there())[0]).toEqual(["1", "Building A", 1952]);
    const loss = {
      file: "claims.csv",
      columns: ["Building Name", "Address", "State", "Claim No", "Loss Date", "Cause", "Net Paid"],
    };
    const claims = ["Building B", "Building C", "Building A"].map((name, nth) => [
      name,
      "1 Elm St",
      "NY",
      `C${nth}`,
      "12/31/2025",
      "water_damage",
      "900",
    ]);
    const { rejected, result } = await run({ ...loss, rows: claims, firstRow: 2 });
    expect([result.claims.created, rejected.map(({ row }) => row)]).toEqual([2, [3]]);
  });

  test("of a dry run whose transaction runs again are rejected for what its last run finds", async () => {
    const { store, partner, clock } = fixture;
    const retrying: typeof store = {
      ...store,
      async write(work, options) {
        await store.write(work, options).catch(() => {});
        await fixture.addProperty({ partnerPropertyId: "P-1", yearBuilt: 1990 });
        return await store.write(work, options);
      },
    };
    const deps = { store: retrying, partner, knowledge, clock, yieldNow: async () => {} };
    const equipment: TableRows = {
      file: "equipment.csv",
      columns: ["partner_property_id", "type_id", "serial"],
      rows: [["P-1", "boiler", "B-1"]],
      firstRow: 2,
    };
    const dry = await importTableRows(deps, equipment, {
      mapping: undefined,
      dryRun: true,
      silent: true,
    });
    expect(dry.result.appliances.created).toBe(1);
    expect(dry.rejected).toEqual([]);
  });

  testOnSqlite(
    "that make more records than a call may, or longer ones, are refused, and nothing is written",
    async () => {
      const rows = (count: number, quantity: number) => ({
        file: "a.csv",
        firstRow: 2,
        columns: ["Property", "Address", "State", "Year Built", "No of Boilers"],
        rows: Array.from({ length: count }, (_, at) => [
          `B${at}`,
          `${at} Elm St`,
          "NY",
          "1960",
          String(quantity),
        ]),
      });
      for (const dryRun of [true, false])
        await expect(run(rows(5, 500), { dryRun })).rejects.toMatchObject({
          code: "payload_too_large",
          message: "The rows make more than 2000 records: send fewer in a request",
        });
      const { mapping } = await run(rows(1, 1), { dryRun: true });
      const longest = "x".repeat(4_000);
      const constants = {
        notes: longest,
        city: longest,
        zip: longest,
        unit_label: longest,
        country: longest,
      };
      await expect(run(rows(200, 0), { mapping: { ...mapping, constants } })).rejects.toMatchObject({
        code: "payload_too_large",
        message: "The rows make records of more than 4000000 characters: send fewer in a request",
      });
      const large = (count: number) => ({
        file: "a.csv",
        firstRow: 2,
        columns: ["Property", "Address", "State", "Units"],
        rows: Array.from({ length: count }, (_, at) => [`B${at}`, `${at} Elm St`, "NY", "10000"]),
      });
      await expect(run(large(3), { dryRun: true })).rejects.toMatchObject({
        code: "payload_too_large",
        message: "The rows make more than 20000 units: send fewer in a request",
      });
      expect((await run(large(2), { dryRun: true })).result.properties.created).toBe(2);
      const [row] = large(1).rows;
      const repeated = (count: number) => ({ ...large(0), rows: Array<string[]>(count).fill(row!) });
      expect((await run(repeated(3), { dryRun: true })).result.properties).toMatchObject({
        created: 1,
        unchanged: 2,
      });
      expect(await names()).toEqual([]);
      const counts = ["10000", "0", "10000", "0"].map((units) => [...row!.slice(0, 3), units]);
      const changing = { ...large(0), rows: counts };
      expect((await run(changing, { dryRun: true })).result.properties).toMatchObject({ unchanged: 3 });
      await expect(run(changing, { dryRun: true, update: true })).rejects.toThrow("more than 20000 units");
      expect(await names()).toEqual([]);
      const { result } = await run(rows(3, 500));
      expect([result.properties.created, result.appliances.created]).toEqual([3, 1_500]);
    },
  );

  test("name units of properties that exist without making any", async () => {
    const rows = Array.from({ length: 4 }, (_, at) => [`B${at}`, `${at} Elm St`, "NY", "6000"]);
    const table = { file: "a.csv", firstRow: 2, columns: ["Property", "Address", "State", "Units"], rows };
    for (const part of [rows.slice(0, 3), rows.slice(3)]) await run({ ...table, rows: part });
    expect((await run(table)).result.properties).toMatchObject({ created: 0, unchanged: 4 });
  });

  test("of a property without a reference add equipment to it, and create no second one", async () => {
    const { id } = await fixture.addProperty({ name: "Elm", address: "1 Elm St", yearBuilt: 1990 });
    const columns = ["Property", "Address", "State", "No of Boilers"];
    const rows = { file: "a.csv", firstRow: 2, columns, rows: [["Elm", "1 Elm St", "NY", "2"]] };
    for (const created of [2, 0]) {
      const { result, rejected } = await run(rows);
      expect([result.appliances.created, rejected]).toEqual([created, []]);
      expect(result.properties).toMatchObject({ created: 0, unchanged: 1 });
    }
    expect(await names()).toEqual(["Elm"]);
    const boilers = await fixture.store.read.appliances.ofPropertyAfter(id, 0, 10);
    expect(boilers.map(({ typeId }) => typeId)).toEqual(["boiler", "boiler"]);
  });

  test("name a property by its ID, and change it with `update` alone", async () => {
    const { id } = await fixture.addProperty({ name: "Elm", address: "1 Elm St", yearBuilt: 1990 });
    const other = await fixture.addProperty({ partnerPropertyId: "A-2" });
    const stored = () => fixture.store.read.properties.find(fixture.partner.id, id);
    const table: TableRows = {
      file: "a.csv",
      firstRow: 12,
      columns: ["property_id", "Reference", "Year Built", "No of Boilers"],
      rows: [
        [id, "A-1", "1931", "2"],
        ["P_01m7xtfcg7e14a5g7edqadn8kz", "A-9", "1931", "1"],
        [other.id, "A-1", "", ""],
      ],
    };
    const mapping = { ...(await run(table, { dryRun: true })).mapping };
    mapping.fields = { ...mapping.fields, partner_property_id: "Reference" };
    expect(mapping.fields.property_id).toBe("property_id");
    const plain = await run(table, { mapping });
    expect(plain.result.properties).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
    expect(plain.result.appliances.created).toBe(2);
    expect(plain.rejected).toEqual([{ row: 13, error: "Property not found: P_01m7xtfcg7e14a5g7edqadn8kz" }]);
    expect(await stored()).toMatchObject({ yearBuilt: 1990, partnerPropertyId: null });
    for (const dryRun of [true, false]) {
      const { result, rejected } = await run(table, { mapping, dryRun, update: true });
      expect(result.properties).toMatchObject({ created: 0, updated: 1, unchanged: 0 });
      expect(result.changes).toEqual([
        { kind: "properties", field: "year_built", from: 1990, to: 1931, rows: 1, line: 12 },
        { kind: "properties", field: "partner_property_id", from: null, to: "A-1", rows: 1, line: 12 },
      ]);
      expect(rejected.map(({ row }) => row)).toEqual([13, 14]);
      expect(rejected[1]!.error).toBe(`partner_property_id is already in use by property ${id}`);
    }
    expect(await stored()).toMatchObject({ name: "Elm", yearBuilt: 1931, partnerPropertyId: "A-1" });
  });

  test("of a property that is found keep its name if they have none", async () => {
    const { id } = await fixture.addProperty({
      name: "Elm",
      address: "1 Elm St",
      state: "NY",
      partnerPropertyId: "A-1",
    });
    const columns = ["Address", "State", "Stories"];
    const table = { file: "a.csv", firstRow: 2, columns, rows: [["1 Elm St", "NY", "7"]] };
    expect((await run(table, { update: true })).result.properties.updated).toBe(1);
    expect(await fixture.store.read.properties.find(fixture.partner.id, id)).toMatchObject({
      name: "Elm",
      stories: 7,
    });
  });

  test("that change properties of too many components are refused, one property excepted", async () => {
    const [elm, oak] = [await fixture.addProperty(), await fixture.addProperty()];
    for (const { id } of [elm, oak])
      await fixture.sql(`UPDATE property_totals SET components = 20000 WHERE property_id = '${id}'`);
    const rows = [elm, oak].map(({ id }) => [id, "1931"]);
    const table = { file: "a.csv", firstRow: 2, columns: ["property_id", "Year Built"], rows };
    await expect(run(table, { update: true, dryRun: true })).rejects.toMatchObject({
      code: "payload_too_large",
    });
    expect((await run(table, { dryRun: true })).rejected).toEqual([]);
    const one = await run({ ...table, rows: rows.slice(1) }, { update: true });
    expect(one.result.properties.updated).toBe(1);
    const heaters = [elm, oak, oak].map(({ id }, nth) => [id, "water_heater_gas", `S${nth}`]);
    const equipment = { ...table, columns: ["property_id", "type_id", "serial"], rows: heaters };
    await expect(run(equipment, { update: true, dryRun: true })).rejects.toMatchObject({
      code: "payload_too_large",
    });
    const some = await run({ ...equipment, rows: heaters.slice(1) }, { update: true });
    expect(some.result.appliances.created).toBe(2);
  });

  test("that deserve a look are counted, and those of an address that is there already named", async () => {
    const register: TableRows = {
      file: "a.csv",
      firstRow: 31,
      columns: ["partner_property_id", "name", "address", "state"],
      rows: [
        ["A-1", "Elm", "1 Elm St", "NY"],
        ["A-2", "Twin", "1 Elm Street", "NY"],
      ],
    };
    // The IDs of a dry run are rolled back: rows stand for them.
    expect((await run(register, { dryRun: true })).result.sameAddress).toEqual({
      properties: 1,
      first: [{ line: 32, propertyId: null, firstId: null, firstLine: 31 }],
    });
    const { result } = await run(register);
    const [elm, twin] = await fixture.store.read.properties.numbered(fixture.partner.id, 0, 9);
    expect(result.sameAddress).toEqual({
      properties: 1,
      first: [{ line: 32, propertyId: twin!.id, firstId: elm!.id, firstLine: null }],
    });
    const columns = ["partner_property_id", "type_id", "install_year", "serial"];
    const twice = [
      ["A-1", "boiler", "2010", "X"],
      ["A-1", "elevator", "2010", "X"],
    ];
    const dry = await run({ file: "b.csv", firstRow: 2, columns, rows: twice }, { dryRun: true });
    expect(dry.rejected).toEqual([{ row: 3, error: "serial is that of the property's boiler in row 2" }]);
    const equipment = await run({
      file: "b.csv",
      firstRow: 2,
      columns: ["partner_property_id", "type_id", "install_year", "size", "serial"],
      rows: [
        ["A-1", "boiler", "2010", "9000000", "B-1"],
        ["A-1", "boiler", "2010", "400", "B-2"],
      ],
    });
    expect(equipment.result.notes).toMatchObject({ unusualSizes: 1, claimsToCheck: 0 });
    const claims = await run({
      file: "c.csv",
      firstRow: 2,
      columns: ["partner_property_id", "claim_number", "claim_type", "date_of_loss", "amount"],
      rows: [
        ["A-1", "N-1", "mystery", "2025-01-02", "100"],
        ["A-1", "N-2", "Water Damage", "2025-01-02", "100"],
      ],
    });
    expect(claims.result.notes).toMatchObject({ unusualSizes: 0, claimsToCheck: 1 });
  });

  test("of our own list of claims are the claims again, and change their amount", async () => {
    const { id } = await fixture.addProperty({ partnerPropertyId: "A-1" });
    const columns = [
      "partner_property_id",
      "claim_number",
      "claim_type",
      "date_of_loss",
      "amount",
      "carrier",
    ];
    const rows = [
      ["A-1", "N-1", "water_damage", "2025-01-02", "100.25", ""],
      ["A-1", "N-2", "fire", "2025-01-03", "0", "Example"],
    ];
    await run({ file: "c.csv", firstRow: 2, columns, rows });
    const stored = () => fixture.store.read.claims.page(id, { limit: 9, offset: 0 });
    const before = await stored();
    const headings = apiSchemaTableColumns(claim);
    const listed = before.map((one) =>
      apiSchemaTableCells(claim, serializeClaim(knowledge, one, "2026-03-01")).map((cell) => `${cell ?? ""}`),
    );
    const list = { file: "claims.csv", firstRow: 2, columns: headings, rows: listed };
    for (const update of [false, true]) {
      const { mapping, result, rejected } = await run(list, { update });
      expect(mapping.fields).toMatchObject({ amount_paid: "amount_paid", paid: "paid" });
      expect([result.claims, rejected]).toEqual([{ read: 2, created: 0, updated: 0, unchanged: 2 }, []]);
    }
    const at = headings.indexOf("amount_paid");
    const corrected = listed.map((cells) => cells.with(at, "7.5"));
    const { mapping } = await run({ ...list, rows: corrected }, { update: true });
    expect((await stored()).map(({ amountCents, paidCents }) => [amountCents, paidCents])).toEqual([
      [750, null],
      [750, null],
    ]);
    const carriers = {
      ...list,
      columns: headings.with(at, "Amount Paid").with(headings.indexOf("paid"), "x"),
    };
    expect((await run(carriers, { dryRun: true })).mapping.fields.paid).toBe("Amount Paid");
    expect(mapping.rows).toBe("claims");
  });

  test("learn nothing of another account's equipment", async () => {
    const { id: property } = await fixture.addProperty();
    const [appliance] = await fixture.addAppliances({ propertyId: property, typeId: "boiler" });
    const owner = fixture.partner;
    const { partner } = await createPartner(
      { ...fixture.administration, actor: "test" },
      { name: "Other", dailyBudget: 100, webhookUrl: null },
    );
    const { store, clock } = fixture;
    const deps = { store, partner, knowledge, clock, yieldNow: async () => {} };
    const visits: TableRows = {
      file: "visits.csv",
      columns: ["Property", "Date", "Boiler"],
      rows: [[property, "2026-01-15", "4"]],
      firstRow: 2,
    };
    const first = { mapping: undefined, dryRun: true, silent: true };
    const { mapping } = await importTableRows(deps, visits, first);
    const fields = { property_id: "Property", date: "Date" };
    const scores = [{ column: "Boiler", type_id: "boiler" }];
    const given = { ...mapping, rows: "visits" as const, fields, scores, scale: [1, 5] as const };
    const { rejected } = await importTableRows(deps, visits, { ...first, mapping: given });
    expect(rejected.map(({ row }) => row)).toEqual([2]);
    expect(JSON.stringify(rejected)).not.toContain(appliance!.id);
    const own = { ...deps, partner: owner };
    expect((await importTableRows(own, visits, { ...first, mapping: given })).rejected).toEqual([]);
  });

  test("wait for another import of the account, and have different headings", async () => {
    const lock = await acquireClusterLock(
      fixture.store,
      clusterImportLockName(fixture.partner.id),
      "cli:ana",
    );
    await expect(run(BUILDINGS)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("cli:ana"),
    });
    if ("release" in lock) await lock.release();
    await expect(run({ ...BUILDINGS, columns: ["a", "b", "a", "c", "d", "e"] })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("columns 1 and 3 have the same heading"),
    });
  });
});
