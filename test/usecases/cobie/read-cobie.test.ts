import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeXlsx } from "hucre/xlsx";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";
import { COLUMNS, type SheetName } from "../../../src/usecases/cobie/cobie-layout.ts";
import { cobieApplianceType, PRODUCT_CLASSES } from "../../../src/usecases/cobie/cobie-product-classes.ts";
import type { ImportTable } from "../../../src/usecases/import/mapping/import-source-table.ts";
import { openImportTables } from "../../../src/usecases/import/mapping/open-source-tables.ts";

/* The workbooks are written as the standard has them, with the cells of other programs. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mainstay-cobie-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

type Rows = Partial<Record<SheetName, Record<string, string>[]>>;
const FACILITY = { Name: "East Hall", SiteName: "1 Elm St, Urbana, IL 61801", AreaUnits: "square meters" };

/** Opens a workbook with these rows, whose other cells are `n/a`. */
async function open(rows: Rows, name = "cobie.xlsx"): Promise<ImportTable[]> {
  const path = join(folder, name);
  const sheets = (Object.keys(COLUMNS) as SheetName[]).map((sheet) => ({
    name: sheet,
    rows: [
      [...COLUMNS[sheet]],
      ...(rows[sheet] ?? []).map((row) => COLUMNS[sheet].map((column) => row[column] ?? "n/a")),
    ],
  }));
  writeFileSync(path, await writeXlsx({ sheets }));
  return await openImportTables(path);
}

/** Returns the rows of the table of a sheet, without empty cells, with their lines. */
async function rowsOf(tables: readonly ImportTable[], sheet: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  const table = tables.find(({ name }) => name.endsWith(`sheet ${sheet}`));
  if (table)
    for await (const { line, cells } of table.rows())
      found.push({
        line,
        ...Object.fromEntries(
          table.headings.map((field, i) => [field, cells[i]] as const).filter(([, cell]) => cell !== ""),
        ),
      });
  return found;
}

// Rule: cobie-import
describe("a COBie workbook", () => {
  test("is a property with its address, floors, dwellings and attributes, areas in the installation's unit", async () => {
    const tables = await open({
      Facility: [FACILITY],
      Floor: [
        { Name: "Footing", Category: "Site" },
        { Name: "1", Category: "Floor" },
        { Name: "2", Category: "Floor" },
      ],
      Space: [
        { Name: "A", Category: "13-65 00 00: Private Residential Spaces", FloorName: "1" },
        { Name: "B", Category: "13-23 00 00: Facility Service Spaces", FloorName: "1" },
        { Name: "C", Category: "Spaces", Description: "Two-bedroom apartment", FloorName: "2" },
      ],
      Attribute: [
        { Name: "YearOfConstruction", SheetName: "Facility", RowName: "East Hall", Value: "1984" },
        { Name: "GrossFloorArea", SheetName: "Facility", RowName: "East Hall", Value: "1,000" },
        { Name: "GrossFloorArea", SheetName: "Facility", RowName: "West Hall", Value: "5" },
        { Name: "YearOfConstruction", SheetName: "Space", RowName: "East Hall", Value: "1" },
      ],
    });
    expect(await rowsOf(tables, "Facility")).toEqual([
      {
        line: 2,
        name: "East Hall",
        partner_property_id: "East Hall",
        address: "1 Elm St",
        city: "Urbana",
        state: "IL",
        zip: "61801",
        stories: "2",
        unit_count: "2",
        year_built: "1984",
        gross_area_sqft: "10764",
      },
    ]);
  });

  test("has components with the make, age and warranty of their types, and without the dates that stand for none", async () => {
    const types: Record<string, string>[] = [
      {
        Name: "B1",
        Category: "23-33 11 15: Fire Tube Boilers",
        Manufacturer: "sales@weil.example",
        ModelNumber: "88",
        WarrantyDurationParts: "18",
        WarrantyDurationUnit: "month",
        Size: "117 kW",
      },
      { Name: "Pool Table", Category: "23-21 29 19 15: Billiards Equipment", Size: "1700x50x2300" },
    ];
    const component = { Space: "A", TypeName: "B1" };
    const tables = await open({
      Facility: [FACILITY],
      Contact: [{ Email: "sales@weil.example", Company: "Weil-McLain" }],
      Space: [{ Name: "A", Category: "13-65 00 00: Private Residential Spaces", RoomTag: "304" }],
      Type: types,
      Component: [
        {
          Name: "Boiler-1",
          ...component,
          SerialNumber: "S1",
          InstallationDate: "2012-05-06T00:00:00",
          WarrantyStartDate: "2012-08-31T00:00:00",
        },
        { Name: "Boiler-2", ...component, TagNumber: "T2", InstallationDate: "1900-12-31T23:59:59" },
        { Name: "Boiler-3", ...component, TagNumber: "T3", InstallationDate: "03/04/2019 12:00:00" },
        { Name: "Table-1", Space: "A", TypeName: "Pool Table" },
      ],
    });
    const reference = { partner_property_id: "East Hall", name: "East Hall", unit: "1" };
    const boiler = { type_id: "B1", brand: "Weil-McLain", model: "88", size: "117 kW" };
    expect(await rowsOf(tables, "Component")).toEqual([
      {
        line: 2,
        ...reference,
        type_id: "B1",
        brand: "Weil-McLain",
        model: "88",
        serial: "S1",
        install_year: "2012",
        warranty_expiry: "2014-02-28",
        size: "117 kW",
      },
      { line: 3, ...reference, ...boiler, serial: "T2" },
      { line: 4, ...reference, ...boiler, serial: "T3", install_year: "2019" },
      { line: 5, ...reference, type_id: "Pool Table", serial: "Table-1" },
    ]);
    const { form } = tables.find(({ name }) => name.endsWith("Component"))!;
    expect(form!.mapping.values).toEqual({ type_id: { B1: "boiler" } });
  });

  test.each([
    ["929 m²", "929 m²"],
    ["117 kBtu/h", "117 kBtu/h"],
    ["12", "12"],
    ["large", undefined],
  ])("has sizes of an export with their unit: %s", async (Size, size) => {
    const tables = await open({
      Facility: [FACILITY],
      Type: [{ Name: "B1", Category: "D3020", Description: "Hot water boiler", Size }],
      Component: [{ Name: "1", TypeName: "B1", SerialNumber: "S1", ExtSystem: "Mainstay" }],
    });
    expect((await rowsOf(tables, "Component"))[0]!.size).toBe(size);
  });

  test("numbers its dwellings in their order, and keeps the numbers of an export", async () => {
    const Category = "13-65 00 00: Private Residential Spaces";
    const unitsOf = async (more: Record<string, string>) => {
      const tables = await open({
        Facility: [FACILITY],
        Space: [
          { Name: "Apt 101", Category, RoomTag: "101", ...more },
          { Name: "Plant", Category: "13-23 00 00: Facility Service Spaces", RoomTag: "2", ...more },
          { Name: "Apt 3", Category, RoomTag: "3", ...more },
        ],
        Type: [{ Name: "B1", Category: "D3020", Description: "Hot water boiler" }],
        Component: ["Apt 101", "Plant", "Apt 3"].map((Space) => ({ Name: Space, TypeName: "B1", Space })),
      });
      return (await rowsOf(tables, "Component")).map(({ unit }) => unit);
    };
    expect(await unitsOf({})).toEqual(["1", undefined, "2"]);
    expect(await unitsOf({ ExtSystem: "Mainstay" })).toEqual(["101", undefined, "3"]);
  });

  test.each([
    ["month", "2013-07-01"],
    ["Weeks", "2012-05-06"],
    ["n/a", "2030-01-01"],
    ["moths", undefined],
  ])("has warranties in %s that end on %s", async (WarrantyDurationUnit, end) => {
    const warranty = { WarrantyDurationParts: "18", WarrantyDurationUnit };
    const tables = await open({
      Facility: [FACILITY],
      Type: [{ Name: "B1", Category: "D3020", Description: "Hot water boiler", ...warranty }],
      Component: [{ Name: "1", TypeName: "B1", WarrantyStartDate: "2012-01-01" }],
    });
    const [row] = await rowsOf(tables, "Component");
    expect(row!.warranty_expiry).toBe(end);
  });

  test("has events for its completed jobs, and counts the others by what they lack", async () => {
    const job = { TypeName: "B1", Category: "PM" };
    const tables = await open({
      Facility: [FACILITY],
      Type: [{ Name: "B1", Category: "D3020", Description: "Hot water boiler" }],
      Component: ["1", "2"].map((Name) => ({ Name, TypeName: "B1" })),
      Job: [
        { Name: "Clean", ...job, Status: "Completed", Start: "2024-05-06" },
        { Name: "Clean", ...job, Status: "Not Yet Started", Start: "1" },
        { Name: "Stop", ...job, Category: "ShutDown", Status: "Completed", Start: "2024-05-06" },
        { Name: "Clean", ...job, Status: "Completed", Start: "1" },
        { Name: "Clean", ...job, TypeName: "B2", Status: "Completed", Start: "2024-05-06" },
      ],
    });
    const event = { date: "2024-05-06", event_type: "Preventive Maintenance", notes: "Clean" };
    expect(await rowsOf(tables, "Job")).toMatchObject([
      { line: 2, serial: "1", ...event },
      { line: 2, serial: "2", ...event },
    ]);
    expect(tables.at(-1)!.form!.leftOut).toMatchObject([
      { what: "PM", reason: "a plan of maintenance", cells: 1 },
      { what: "ShutDown", reason: "no kind of event", cells: 1 },
      { what: "PM", reason: "no date", cells: 1 },
      { what: "PM", reason: "no equipment of its type", cells: 1 },
    ]);
  });

  test("has as many events as an import takes, and counts those beyond", async () => {
    const names = Array.from({ length: 450 }, (_, i) => `${i}`);
    const tables = await open({
      Facility: [FACILITY],
      Type: [{ Name: "B1", Category: "D3020", Description: "Hot water boiler" }],
      Component: names.map((Name) => ({ Name, TypeName: "B1" })),
      Job: names.map((Name) => ({
        Name,
        TypeName: "B1",
        Category: "PM",
        Status: "Completed",
        Start: "2024-05-06",
      })),
    });
    const { count, form } = tables.find(({ name }) => name.endsWith("sheet Job"))!;
    expect(count).toBe(200_000);
    expect(form!.leftOut).toMatchObject([
      { what: "PM", reason: "beyond the first 200000 events", cells: 2_500 },
    ]);
  });

  test.each([
    ["no facility", []],
    ["2 facilities", [FACILITY, { ...FACILITY, Name: "West Hall" }]],
  ])("with %s is refused", async (problem, Facility) => {
    await expect(open({ Facility })).rejects.toThrow(`sheet Facility has ${problem}`);
  });

  test("is recognized by its sheets and columns alone", async () => {
    const path = join(folder, "register.xlsx");
    const rows = [
      ["Name", "Address", "State"],
      ["Elm", "1 Elm St", "NY"],
    ];
    writeFileSync(
      path,
      await writeXlsx({ sheets: ["Facility", "Type", "Component"].map((name) => ({ name, rows })) }),
    );
    expect((await openImportTables(path)).map(({ form }) => form)).toEqual([undefined, undefined, undefined]);
  });
});

// Rule: cobie-import
describe("the type of a product", () => {
  const typeOf = (category: string, name = "", description = "", object = "") =>
    cobieApplianceType({ category, name, description, object });

  test.each([
    ["23-23 11 11 13 13: Passenger Hydraulic Elevators", "Lift 1", "elevator"],
    ["23-23 11 11 21 11: Elevator Doors", "Elevator door", undefined],
    ["23-29 33 11 11: Pendant Sprinkler Heads", "Sprinkler head", undefined],
    ["23-33 39 21: Split System Air Conditioning Units", "Ductless unit", "hvac_mini_split"],
    ["23-33 39 21: Split System Air Conditioning Units", "AC-1", "hvac_central"],
    ["23-31 29 13: Hot Water Tank Heaters", "Electric water heater", "water_heater_electric"],
    ["23-33 00 00: HVAC Specific Products", "Condensing boiler", "boiler"],
    ["23-27 17 13: Centrifugal Pumps", "Sump pump SP-1", "sump_pump"],
    ["23-27 17 13: Centrifugal Pumps", "Circulator", undefined],
    ["23-21 29 19 15: Billiards Equipment", "Pool Table", undefined],
    ["D1010: Elevators & Lifts", "E1", "elevator"],
    ["D3020: Heat Generating Systems", "Gas furnace", "furnace_gas"],
    ["D3020: Heat Generating Systems", "HG-1", undefined],
    ["Pr_60_60_08_33: Hot water boilers", "XY", "boiler"],
    ["", "Range hood", undefined],
    ["", "RTU_RooftopUnit_10t", "rooftop_unit"],
  ])("%s, %s", (category, name, typeId) => {
    expect(typeOf(category, name)).toBe(typeId);
  });

  test("follows from the object of IFC where nothing else says it", () => {
    expect(typeOf("", "XY-1", "", "IfcBoilerType")).toBe("boiler");
  });

  test("is that of the class that each type is exported with", () => {
    const { types } = embeddedKnowledge();
    expect(Object.keys(PRODUCT_CLASSES).sort()).toEqual([...types.keys()].sort());
    for (const [typeId, { name }] of types)
      expect([typeId, typeOf(PRODUCT_CLASSES[typeId]!, name)]).toEqual([typeId, typeId]);
  });
});

test("categories and objects named like properties of every object mean nothing", async () => {
  const product = { category: "", name: "", description: "", object: "constructor" };
  expect(cobieApplianceType(product)).toBeUndefined();
  const tables = await open({
    Facility: [FACILITY],
    Type: [{ Name: "B", Category: "23-33 11 15: Boilers" }],
    Component: [{ Name: "B-1", TypeName: "B", SerialNumber: "S1" }],
    Job: [{ Name: "J", Category: "toString", Status: "Completed", TypeName: "B", Start: "2024-05-06" }],
  });
  expect(await rowsOf(tables, "Job")).toEqual([]);
});
