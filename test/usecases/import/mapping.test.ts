import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCsv } from "../../../src/csv/read-csv.ts";
import type { Yield } from "../../../src/event-loop/event-loop.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";
import {
  firstAmbiguousTableCellDate,
  parseCellDate,
  tableCellDateFormatOf,
} from "../../../src/table-cells/table-cell-dates.ts";
import {
  CellDecimalSigns,
  tableCellAmountWithoutCurrency,
} from "../../../src/table-cells/table-cell-numbers.ts";
import { IMPORT_FIELDS } from "../../../src/usecases/import/import-portfolio.ts";
import { guessColumnFields } from "../../../src/usecases/import/mapping/guess-mapping.ts";
import {
  parseImportAreaCell,
  parseImportSizeCell,
} from "../../../src/usecases/import/mapping/import-cell-measures.ts";
import {
  type FileMapping,
  findSavedMapping,
  loadImportMappingFile,
  mappingFileText,
} from "../../../src/usecases/import/mapping/import-file-mapping.ts";
import { findImportHeadingRow } from "../../../src/usecases/import/mapping/import-heading-row.ts";
import { FIELD_WORDS } from "../../../src/usecases/import/mapping/import-heading-words.ts";
import {
  guessFileMapping,
  mappableFields,
} from "../../../src/usecases/import/mapping/import-known-fields.ts";
import { unitNamesInImportedCell } from "../../../src/usecases/import/mapping/import-unit-names.ts";
import { lookUpImportValueInList } from "../../../src/usecases/import/mapping/import-value-lookup.ts";
import { openImportTables } from "../../../src/usecases/import/mapping/open-source-tables.ts";
import { prepareMappedRows } from "../../../src/usecases/import/mapping/prepare-import-rows.ts";
import { usePortfolioStore } from "../../support/portfolio-store.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const open = usePortfolioStore();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mainstay-mapping-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const guess = (text: string): FileMapping => {
  const [headings, ...rows] = text
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  return guessColumnFields(headings!, rows, IMPORT_FIELDS, () => undefined);
};

// Rule: import-mapping
describe("a guessed mapping", () => {
  test("finds a register of equipment by its headings, and types by their words", () => {
    const mapping = guess(`
      Building | Equipment Type | Make | Date Installed | Qty | Tag No
      Elm | Passenger Elevator | Otis | 03/25/1998 | 2 | E
      Elm | Hot water boiler | Weil | 12/01/2004 | 1 | B`);
    expect(mapping).toMatchObject({
      rows: "appliances",
      fields: {
        type_id: "Equipment Type",
        brand: "Make",
        install_year: "Date Installed",
        quantity: "Qty",
        serial: "Tag No",
        name: "Building",
      },
      values: { type_id: { "Passenger Elevator": "elevator", "Hot water boiler": "boiler" } },
    });
  });

  test("takes a column of our own IDs as property_id, under any heading, and no other", () => {
    const ids = ["P_01m7xtfcg7e14a5g7edqadn8kz", "P_01m7xtfcg7e14a5g7edqadn8k0"];
    const fieldsOf = (heading: string, [first, second]: readonly string[]) =>
      guess(`${heading} | Name\n${first} | Elm\n | Oak\n${second} | Ash`).fields;
    for (const heading of ["property_id", "Property ID", "id"])
      expect(fieldsOf(heading, ids)).toEqual({ property_id: heading, name: "Name" });
    expect(fieldsOf("property_id", ["A-1", "A-2"])).toMatchObject({ partner_property_id: "property_id" });
    expect(fieldsOf("property_id", [ids[0]!, "A-2"])).toMatchObject({ partner_property_id: "property_id" });
    const { fields } = guess(`Site | Equipment Type\n${ids[0]} | Boiler\n${ids[1]} | Boiler`);
    expect(fields).toMatchObject({ property_id: "Site", type_id: "Equipment Type" });
  });

  test.each(Object.entries(FIELD_WORDS))("has fields of %s alone that such rows can have", (kind, words) => {
    const known = mappableFields({ rows: kind as FileMapping["rows"] });
    expect(words.map(([field]) => field).filter((field) => !known.includes(field))).toEqual([]);
  });

  test("refuses a list of components, whose rows would each become an appliance", () => {
    const list = (id: string) => `
      component_id | appliance_type | appliance_install_year
      ${id} | boiler | 1998`;
    expect(() => guess(list("C_01m7xtfcg7e14a5g7edqadn8kz"))).toThrow("The rows are components");
    expect(guess(list("B-12")).rows).toBe("appliances");
    const alerts = `
      component_id | property_name | property_address | risk_score
      C_01m7xtfcg7e14a5g7edqadn8kz | Elm | 1 Elm St | 91`;
    expect(() => guess(alerts)).toThrow("The rows are components or their alerts");
  });

  test("knows the first choices of a column, and of many columns", () => {
    const choices = (columns: number, rows: number) => {
      const cells = Array.from({ length: columns }, (_, at) => `Boiler${at} type`);
      const lines = Array.from({ length: rows }, (_, row) => cells.map(() => `boiler ${row}`).join("|"));
      return guess(
        ["Name|Address|State", ...lines]
          .join("\n")
          .replace("State", `State|${cells.join("|")}`)
          .replaceAll(/^boiler/gm, "Elm|1 Elm St|NY|boiler"),
      ).equipment.reduce((sum, { types }) => sum + Object.keys(types).length, 0);
    };
    expect(choices(1, 150)).toBe(100);
    expect(choices(60, 90)).toBe(2_000);
  });

  test("finds a work-order export, a loss run, and a scored visit", () => {
    expect(
      guess(`
      Site Address | Asset Tag | Work Type | Completed On | Vendor | Description | Cost
      1 Elm St | E-1 | Inspection | 31/12/2025 | Acme | ok | $1,200.50`),
    ).toMatchObject({
      rows: "service_events",
      fields: { address: "Site Address", serial: "Asset Tag", date: "Completed On", total_cost: "Cost" },
      dates: { date: "DD/MM/YYYY" },
    });
    expect(
      guess(`
      Claim No | Loss Date | Cause of Loss | Net Paid | Reserve | Location Code
      C1 | Mar 4, 2024 | water_damage | 100 | 5 | P1`),
    ).toMatchObject({
      rows: "claims",
      fields: {
        claim_number: "Claim No",
        date_of_loss: "Loss Date",
        claim_type: "Cause of Loss",
        paid: "Net Paid",
        outstanding: "Reserve",
        partner_property_id: "Location Code",
      },
      dates: { date_of_loss: "MONTH D, YYYY" },
    });
    expect(
      guess(`
      RSN | Evaluation_Completed_On | Elevators | Stairwells | Parking_Area | Graffiti | Ward
      1 | 2022-12-30 | 3 | 4 | N/A | 5 | 03`),
    ).toMatchObject({
      rows: "visits",
      scores: [
        { column: "Elevators", type_id: "elevator" },
        { column: "Stairwells" },
        { column: "Graffiti" },
      ],
    });
  });

  // Rule: import-counts
  test("counts equipment of which a plain plural has the number, unless it may be a score", () => {
    const { equipment } = guess(`
      Building | Address | State | Elevators | Boilers | Sprinklers | Roof | Boilers Year
      Elm | 1 Elm St | NY | 2 | 0 | 250 | 4 | 1990`);
    expect(equipment).toEqual([
      { column: "Elevators", kind: "count", types: { "*": "elevator" } },
      { column: "Boilers", kind: "count", types: { "*": "boiler" }, year_column: "Boilers Year" },
    ]);
    expect(
      guess(`
      Building | Address | State | Inspection Date | Elevators | Boilers
      Elm | 1 Elm St | NY | 2025-03-01 | 4 | 5`).equipment,
    ).toEqual([]);
  });

  test.each([
    ["Overall score", []],
    ["Building Rating", []],
    ["Scores of 2025", []],
    ["CONDITION", []],
    ["Condition grade", []],
    ["État général", []],
    ["Roof rating", []],
    ["Window conditions", []],
    ["CURRENT_BUILDING_EVAL_SCORE", []],
    ["Condition (1-5)", []],
    ["EPC rating", ["Elevators"]],
    ["Flood zone rating", ["Elevators"]],
    ["Construction rating", ["Elevators"]],
    ["Fire rating", ["Elevators"]],
    ["Crime score", ["Elevators"]],
    ["Grade level", ["Elevators"]],
    ["État province", ["Elevators"]],
    ["ENERGY STAR Score", ["Elevators"]],
    ["Floors above grade", ["Elevators"]],
    ["Air condition", ["Elevators"]],
    ["Conditioned area", ["Elevators"]],
    ["Underscored", ["Elevators"]],
  ])("takes plain plurals beside `%s` for a number of %p", (heading, counted) => {
    const { equipment } = guess(`
      Building | Address | State | Elevators | No of boilers | ${heading}
      Elm | 1 Elm St | NY | 4 | 2 | 3`);
    expect(equipment.map(({ column }) => column)).toEqual([...counted, "No of boilers"]);
  });

  test("takes one column for a field, the first with cells", () => {
    const { fields } = guess(`
      Property Id | Address | Number of Units | Units
      1 | 1 Elm St | | 12`);
    expect(fields.unit_count).toBe("Units");
  });

  test("follows from the columns that are chosen, also what the rows are, and how their cells are read", () => {
    const rows = [
      ["Elm", "T-1", "Repair", "14/03/2021", "1.250,50"],
      ["Elm", "T-2", "Repair", "15/03/2021", "90,00"],
    ];
    const table = { headings: ["Site", "Tag", "What", "When", "Bill"], sample: rows };
    const chosen = [
      { column: "What", field: "event_type" },
      { column: "When", field: "date" },
      { column: "Bill", field: "total_cost" },
      { column: "Site", field: "name" },
    ];
    expect(guessFileMapping(embeddedKnowledge(), table, chosen)).toMatchObject({
      rows: "service_events",
      fields: { event_type: "What", date: "When", total_cost: "Bill", name: "Site", serial: "Tag" },
      dates: { date: "DD/MM/YYYY" },
      decimal_comma: ["total_cost"],
    });
    const inspections = {
      headings: ["Building", "Street", "Equipment", "Serial", "Inspection Date", "Result", "Comments"],
      sample: [["Oak Garden", "100 Oak St", "Elevator", "E1", "2026-05-01", "FAIL", "brake"]],
    };
    const day = [
      { column: "Inspection Date", field: "date" },
      { column: "Result", field: "condition_after" },
    ];
    expect(guessFileMapping(embeddedKnowledge(), inspections, day, ["event_type"])).toMatchObject({
      rows: "service_events",
      fields: { serial: "Serial", date: "Inspection Date", condition_after: "Result", notes: "Comments" },
    });
    expect(guessFileMapping(embeddedKnowledge(), inspections, [], ["event_type"]).rows).toBe("properties");
    const buildings = {
      headings: ["Name", "Address", "State", "Built On"],
      sample: [["Elm", "1 Elm St", "NY", "1990"]],
    };
    const other = [
      { column: "Name", field: "serial" },
      { column: "Built On", field: "year_built" },
    ];
    expect(guessFileMapping(embeddedKnowledge(), buildings, other)).toMatchObject({
      rows: "properties",
      fields: { name: "Name", year_built: "Built On" },
    });
  });

  test("finds a Canadian province by postal codes, and none where they differ", () => {
    expect(guess("RSN | Address | PCODE\n1 | A | M4K\n2 | B | L1A 1A1").constants).toEqual({
      country: "CA",
      state: "ON",
    });
    expect(guess("RSN | Address | PCODE\n1 | A | M4K\n2 | B | H2X 1Y4").constants).toEqual({});
    expect(guess("RSN | Address | PCODE\n1 | A | 12207").constants).toEqual({});
  });
});

describe("dates", () => {
  test.each([
    ["2025-12-31T10:00:00Z", "YYYY-MM-DD", "2025-12-31"],
    ["12/31/2025", "MM/DD/YYYY", "2025-12-31"],
    ["31.12.2025", "DD/MM/YYYY", "2025-12-31"],
    ["JUL 5, 2014", "MONTH D, YYYY", "2014-07-05"],
    ["5 July 2014", "MONTH D, YYYY", "2014-07-05"],
    ["31/12/2025", "MM/DD/YYYY", undefined],
    ["02/30/2025", "MM/DD/YYYY", undefined],
    ["12/31/25", "MM/DD/YYYY", undefined],
    ["5 Foo 2014", "MONTH D, YYYY", undefined],
    ["2025/3/4", "MM/DD/YYYY", "2025-03-04"],
    ["03/04/2025", "SEVERAL FORMATS", undefined],
    ["03/14/2025", "SEVERAL FORMATS", "2025-03-14"],
    ["4 Mar 2025", "SEVERAL FORMATS", "2025-03-04"],
    ["44197", "DAY NUMBER", "2021-01-01"],
    ["44197.75", "DAY NUMBER", "2021-01-01"],
    ["99999", "DAY NUMBER", undefined],
  ] as const)("%s as %s", (text, format, day) => {
    expect(parseCellDate(text, format)).toBe(day);
  });

  test.each([
    ["the day first, as one proves", ["01/02/2025", "13/02/2025"], "DD/MM/YYYY"],
    ["the month first, as one proves", ["01/02/2025", "02/13/2025"], "MM/DD/YYYY"],
    [
      "an order that one error does not change",
      [...Array(60).fill("02/13/2025"), "13/02/2025"],
      "MM/DD/YYYY",
    ],
    ["both orders", ["01/02/2025", "02/13/2025", "13/02/2025"], "SEVERAL FORMATS"],
    ["either order beside clear dates", ["2025-01-02", "2025-01-03", "01/02/2025"], "SEVERAL FORMATS"],
    ["names of months beside the year first", ["2025-01-02", "Jan 3, 2025"], "SEVERAL FORMATS"],
    ["either order alone", ["01/02/2025", "05/05/2025"], "MM/DD/YYYY"],
    ["numbers of days", ["44197", "44260"], "DAY NUMBER"],
    ["numbers of other things", ["44197", "7"], undefined],
    ["no date", ["x"], undefined],
  ] as const)("of a column: %s", (_, cells, format) => {
    expect(tableCellDateFormatOf(cells)).toBe(format);
  });

  test("that may all be either day are found", () => {
    expect(firstAmbiguousTableCellDate(["", "05/05/2025", "01/02/2025"])).toBe("01/02/2025");
    expect(firstAmbiguousTableCellDate(["01/02/2025", "01/13/2025"])).toBeUndefined();
    expect(firstAmbiguousTableCellDate(["05/05/2025"])).toBeUndefined();
  });
});

describe("numbers", () => {
  test.each([
    [["1,200", "15"], undefined],
    [["1,200.50"], false],
    [["12.500,5"], true],
    [["4 500 000,00 $"], true],
    [["1,200,000"], false],
    [["1.200.000"], true],
    [["3,5", "1.5"], false],
    [["1.200"], undefined],
    [["0,750"], true],
    [["0.500", "1,250"], false],
  ] as const)("%j have a decimal comma: %j", (cells, has) => {
    expect(CellDecimalSigns.of(cells).areCommas()).toBe(has);
  });

  test.each([
    ["$1,200.00", false, "1200.00"],
    ["US$ 5,200,000", false, "5200000"],
    ["4 500 000,00 $", true, "4500000.00"],
    ["CAD 1.200,5", true, "1200.5"],
    ["1,5", false, undefined],
    ["0,750", false, "0.750"],
    ["0,750", true, "0.750"],
    ["0.500", true, "0.500"],
    ["012,500", false, undefined],
    ["0.500.000", true, undefined],
    ["1,2,3", false, undefined],
    ["$5.2M", false, undefined],
    ["(1,200)", false, undefined],
  ] as const)("%s, with a decimal comma %j, is %j", (text, hasCommas, number) => {
    expect(tableCellAmountWithoutCurrency(text, hasCommas)).toBe(number);
  });

  test.each([
    ["1,200 MBH", "kBtu/h", "Capacity", "1200"],
    ["100 kW", "kBtu/h", "Capacity", "341.2"],
    ["60,000 Btu/h", "tons", "Size", "5"],
    ["10", "tons", "Capacity", "10"],
    ["35", "tons", "Capacity (kW)", "9.952"],
    ["200 L", "gallons", "Size", "52.83"],
    ["929 m²", "sq ft", "Size", "10000"],
    ["10", "kBtu/h", "Capacity kW", "34.12"],
    ["10", "kBtu/h", "capacity_kw", "34.12"],
    ["60000", "kBtu/h", "Capacity - BTU/h", "60"],
    ["200", "gallons", "Size L", "52.83"],
    ["35", "tons", "Capacité kW", "9.952"],
    ["929", "sq ft", "Size m2", "10000"],
    ["10", "tons", "Capacity lb", undefined],
    ["10", "tons", "Rated output", "10"],
    ["2500 lb", "stops", "Capacity", undefined],
    ["large", "tons", "Capacity", undefined],
    ["0 tons", "tons", "Capacity", undefined],
  ] as const)("a size of %s in %s under %s is %j", (cell, unit, heading, size) => {
    expect(parseImportSizeCell(cell, unit, { heading, areaUnit: "sqft", hasCommas: false })).toBe(size);
  });

  test.each([
    ["1000", "gross_area_m2", "10764"],
    ["1000", "Gross Floor Area m2", "10764"],
    ["1000", "Floor area m²", "10764"],
    ["1000", "Area m2", "10764"],
    ["1000", "Gross area sqm", "10764"],
    ["1000", "Gross area sq m", "10764"],
    ["1000", "Superficie m2", "10764"],
    ["1000 sf", "Superficie m2", "1000"],
    ["1000", "Building SF", "1000"],
    ["1000", "Gross area", "1000"],
  ] as const)("an area of %s under %s is %s sq ft", (cell, heading, area) => {
    expect(parseImportAreaCell(cell, { heading, areaUnit: "sqft", hasCommas: false })).toBe(area);
  });

  test.each([
    ["Building SF", "929"],
    ["Area SF", "929"],
    ["GSF", "929"],
    ["Square Footage", "929"],
    ["Superficie (pi2)", "929"],
    ["Superficie (pi²)", "929"],
    ["gross_area_m2", "10000"],
    ["gross_area_sqft", "10000"],
  ] as const)("an area of 10,000 under %s is %s m², as the installation's own column is", (heading, area) => {
    expect(parseImportAreaCell("10,000", { heading, areaUnit: "m2", hasCommas: false })).toBe(area);
  });

  test.each([
    ["101-110", "Unit", 10],
    ["1-4", "Unit", 1],
    ["1-4", "Units", 4],
    ["201 to 204", "Unit", 4],
    ["12, 14 & 16", "Unit", 3],
    ["Apt 7", "Unit", 1],
    ["12-A", "Units", 1],
    ["110-101", "Unit", 1],
    ["1-999999", "Units", 1],
    ["Roof", "Unit", 1],
  ] as const)("units %s under %s are %d", (cell, heading, count) => {
    expect(unitNamesInImportedCell(cell, heading)).toHaveLength(count);
  });
});

describe("headings", () => {
  const found = (...rows: string[]) => findImportHeadingRow(rows.map((row) => row.split("|")));

  test("are below titles", () => {
    expect(found("Portfolio, 3/1/2024||", "Code|Name|Address", "A|Elm|1 Elm St")).toMatchObject({
      headings: ["Code", "Name", "Address"],
      above: 1,
      note: ["the row above the headings is not read"],
    });
  });

  test("have the names of their groups where they are the same, or unknown alone", () => {
    expect(found("Building|||Elevators||Boilers|", "Code|Name|Address|Count|Year|Count|Year")).toMatchObject({
      headings: [
        "Building Code",
        "Name",
        "Address",
        "Elevators Count",
        "Elevators Year",
        "Boilers Count",
        "Boilers Year",
      ],
      above: 1,
      note: ["two rows of headings"],
    });
  });

  test("are in the first row where none is better known", () => {
    expect(found("Foo|Bar", "Elm|1 Elm St").above).toBe(0);
    expect(found("Name|Address|State", "Type|Category|Unit", "Serial|Model|Brand|Size").above).toBe(0);
    expect(found("Name|", "Address|12").above).toBe(0);
  });
});

describe("a saved mapping", () => {
  const mapping = guess("RSN | Address | NO_OF_ELEVATORS\n1 | A | 2");

  test("is read back, and found by the headings", () => {
    const saved = loadImportMappingFile("m.json", mappingFileText([mapping]));
    expect(saved).toEqual([mapping]);
    expect(findSavedMapping(saved, mapping.columns)).toEqual(mapping);
    expect(findSavedMapping(saved, ["RSN", "Address"])).toBeUndefined();
  });

  test.each([
    ["{", "m.json is not JSON"],
    ["[]", "m.json: expected version 1 and a list of files"],
    [JSON.stringify({ version: 1, files: [], fields: {} }), 'm.json: "fields" is neither version nor files'],
    [JSON.stringify({ version: 1, files: [{}] }), "m.json: files.0.columns is not valid"],
    [mappingFileText([{ ...mapping, rows: "rows" as never }]), "m.json: files.0.rows is not valid"],
    [mappingFileText([{ ...mapping, more: 1 } as never]), "m.json: files.0.more is not valid"],
    [mappingFileText([{ ...mapping, scale: [1] as never }]), "m.json: files.0.scale is not valid"],
  ])("%#: is refused with what is wrong", (text, message) => {
    expect(() => loadImportMappingFile("m.json", text)).toThrow(message);
  });
});

const parts = {
  properties: IMPORT_FIELDS.properties!,
  appliances: IMPORT_FIELDS.appliances!,
  serviceEvents: IMPORT_FIELDS.service_events!,
  claims: IMPORT_FIELDS.claims!,
};

/** Prepares files with guessed mappings; returns their rows without empty cells, and what was left out. */
async function prepare(
  fixture: Awaited<ReturnType<typeof open>>,
  files: readonly string[],
  yieldNow: Yield = async () => {},
  values: FileMapping["values"] = {},
) {
  const mapped = [];
  for (const [index, text] of files.entries()) {
    const path = join(folder, `file-${index}.csv`);
    writeFileSync(path, text);
    const [table] = await openImportTables(path);
    const { headings, sample, hasCommas } = table!;
    const mapping = guessColumnFields(headings, sample, IMPORT_FIELDS, () => undefined, hasCommas);
    mapped.push({ table: table!, mapping: { ...mapping, values: { ...mapping.values, ...values } } });
  }
  const { store, partner } = fixture;
  const { sources, leftOut } = await prepareMappedRows(
    {
      read: store.read,
      partnerId: partner.id,
      folder: mkdtempSync(join(folder, "prepared-")),
      types: embeddedKnowledge().types,
      yieldNow,
    },
    mapped,
    parts,
  );
  const rowsOf = async (part: keyof typeof parts): Promise<Record<string, string>[]> => {
    const rows: Record<string, string>[] = [];
    let headings: string[] | undefined;
    if (sources[part])
      for await (const { cells } of readCsv(sources[part])) {
        if (headings)
          rows.push(
            Object.fromEntries(
              headings.map((name, i) => [name, cells[i]!] as const).filter(([, cell]) => cell !== ""),
            ),
          );
        headings ??= cells;
      }
    return rows.map(({ source_row, ...row }) => ({ ...row, row: source_row!.replace(/.*:/, "") }));
  };
  return { rowsOf, leftOut };
}

// Rule: import-mapping
describe("prepared files", () => {
  // Rule: import-counts
  test("count what a column that names equipment says without a number of it", async () => {
    const { rowsOf, leftOut } = await prepare(await open(NOW), [
      [
        "Building,Address,State,Elevators,Roof,Sprinklers,Boiler Room",
        "Elm,1 Elm St,NY,2,Good,250,B1",
        "Oak,2 Oak St,NY,0,N/A,120,B2",
      ].join("\n"),
    ]);
    expect((await rowsOf("appliances")).map(({ type_id }) => type_id)).toEqual(["elevator", "elevator"]);
    const reason = "equipment, but neither a number of it, yes or no, nor a type";
    expect(leftOut.map(({ file, ...one }) => one)).toEqual([
      { what: "Sprinklers", reason, cells: 2 },
      { what: "Roof", reason, cells: 1 },
    ]);
  });

  test("count the numbers of equipment that may be scores", async () => {
    const { rowsOf, leftOut } = await prepare(await open(NOW), [
      [
        "Building,Address,State,Roofs,Number of Boilers,Elevators,Overall score",
        "Elm,1 Elm St,NY,3,1,2,3",
        "Oak,2 Oak St,NY,5,0,N/A,4",
      ].join("\n"),
    ]);
    expect((await rowsOf("appliances")).map(({ type_id }) => type_id)).toEqual(["boiler"]);
    const reason = 'equipment, but its number may be a score; name a count like "Number of Elevators"';
    expect(leftOut.map(({ file, ...one }) => one)).toEqual([
      { what: "Roofs", reason, cells: 2 },
      { what: "Elevators", reason, cells: 1 },
    ]);
  });

  test("have a row for each piece of equipment that a building's row counts or names", async () => {
    const fixture = await open(NOW);
    const { rowsOf, leftOut } = await prepare(fixture, [
      [
        "RSN,ADDRESS,STATE,YEAR_BUILT,NO_OF_ELEVATORS,SPRINKLER_SYSTEM,SPRINKLER_SYSTEM_YEAR_INSTALLED,HEATING_TYPE,HEATING_EQUIPMENT_YEAR_INSTALLED,STOREYS",
        "1,1 Elm St,NY,1960,2,YES,1972,HOT WATER,0,0",
        "2,2 Elm St,NY,1970,0,NO,,FORCED AIR GAS,1999,3",
        "3,3 Elm St,NY,1970,90000,,,ELECTRIC,,3",
      ].join("\n"),
    ]);
    expect(await rowsOf("properties")).toMatchObject([
      {
        partner_property_id: "1",
        name: "1 Elm St",
        address: "1 Elm St",
        state: "NY",
        year_built: "1960",
        row: "2",
      },
      { partner_property_id: "2", stories: "3" },
      { partner_property_id: "3" },
    ]);
    expect((await rowsOf("properties"))[0]).not.toHaveProperty("stories");
    expect(await rowsOf("appliances")).toEqual([
      { partner_property_id: "1", type_id: "elevator", serial: "elevator-1", row: "2" },
      { partner_property_id: "1", type_id: "elevator", serial: "elevator-2", row: "2" },
      {
        partner_property_id: "1",
        type_id: "fire_suppression",
        serial: "fire_suppression-1",
        install_year: "1972",
        row: "2",
      },
      { partner_property_id: "1", type_id: "boiler", serial: "boiler-1", row: "2" },
      {
        partner_property_id: "2",
        type_id: "furnace_gas",
        serial: "furnace_gas-1",
        install_year: "1999",
        row: "3",
      },
    ]);
    expect(leftOut.map(({ what, cells }) => [what, cells])).toEqual([
      ["HEATING_EQUIPMENT_YEAR_INSTALLED", 1],
      ["NO_OF_ELEVATORS", 1],
    ]);
  });

  test("keep buildings without an ID apart by their whole addresses, and use a name only without an address", async () => {
    const fixture = await open(NOW);
    const long = "Tower of the very long name ".repeat(5);
    const { rowsOf } = await prepare(fixture, [
      [
        "Building Name,Street Address,City,State",
        ...["Building A,1 Elm St,Albany,NY", "Building A,5 Oak St,Albany,NY"],
        ...[
          "Main,100 Main St,Springfield,IL",
          "Main,100 Main Street,Peoria,IL",
          "Main,100 Main St,Peoria,AZ",
        ],
        ...["Main,100 main st.,peoria,IL", `X,${long} 1,Albany,NY`, `Y,${long} 2,Albany,NY`],
      ].join("\n"),
      "Building Name,Street Address,Equipment,Serial #,Qty\nBuilding A,5 Oak St,Boiler,B-1,1\nMain,1 Elm St,Boiler,B-2,1\nBuilding A,9 Ash St,Boiler,B-3,1\nX,,Boiler,B-4,1",
    ]);
    const references = (await rowsOf("properties")).map((row) => row.partner_property_id!);
    expect(references.slice(0, 6)).toEqual([
      ...["1 elm st, albany, NY", "5 oak st, albany, NY", "100 main st, springfield, IL"],
      ...["100 main st, peoria, IL", "100 main st, peoria, AZ", "100 main st, peoria, IL"],
    ]);
    expect(new Set(references).size).toBe(7);
    for (const reference of references) expect(reference.length).toBeLessThanOrEqual(100);
    expect(
      Object.fromEntries((await rowsOf("appliances")).map((row) => [row.serial, row.partner_property_id])),
    ).toEqual({
      "B-1": references[1]!,
      "B-2": references[0]!,
      "B-3": "9 Ash St",
      "B-4": references[6]!,
    });
  });

  test("find a stored property by its address in its place alone", async () => {
    const fixture = await open(NOW);
    const { address, id } = await fixture.addProperty({ city: "Albany", state: "NY" });
    const { rowsOf } = await prepare(fixture, [
      `Building Name,Street Address,City,State\nA,${address},Albany,NY\nB,${address},Salem,NY\nC,${address},Albany,OR\nD,${address.toUpperCase()},ALBANY,NY`,
    ]);
    const rows = await rowsOf("properties");
    expect(rows.map((row) => [row.name, row.property_id])).toEqual([
      ["A", id],
      ["B", undefined],
      ["C", undefined],
      ["D", id],
    ]);
    expect(new Set(rows.map((row) => row.partner_property_id)).size).toBe(3);
  });

  test.each(["Property ID,", ""])(
    "take a number of a unit that a new property lacks for no unit, with and without a reference (%p)",
    async (heading) => {
      const { rowsOf, leftOut } = await prepare(await open(NOW), [
        `${heading}Building Name,Address,State,Units\n${heading && "P1,"}Elm,1 Elm St,NY,4`,
        "Address,State,Equipment,Unit,Install Year\n1 Elm St,NY,Water Heater,904,2010\n1 Elm St,NY,Water Heater,3,2010",
      ]);
      expect((await rowsOf("appliances")).map(({ unit }) => unit)).toEqual([undefined, "3"]);
      expect(leftOut).toMatchObject([{ what: "unit 904", cells: 1 }]);
    },
  );

  test("count cells without a heading", async () => {
    const { rowsOf, leftOut } = await prepare(await open(NOW), [
      "name,address,state,\nElm,1 Elm St,NY,\nOak,2 Oak St,NY,x,\nFir,3 Fir St,NY,,y,z\n",
    ]);
    expect(await rowsOf("properties")).toHaveLength(3);
    expect(leftOut).toMatchObject([{ what: "unnamed columns", reason: "no heading", cells: 3 }]);
  });

  test("add the equipment that a count has beyond what exists, and yield after each column", async () => {
    const fixture = await open(NOW);
    const property = await fixture.addProperty();
    await fixture.addAppliances(
      { propertyId: property.id, typeId: "elevator" },
      { propertyId: property.id, typeId: "elevator", serial: "elevator-2" },
      { propertyId: property.id, typeId: "elevator", serial: "elevator-9" },
    );
    const yields = async (row: string) => {
      let count = 0;
      const { rowsOf } = await prepare(
        fixture,
        [
          `ADDRESS,STATE,YEAR_BUILT,NO_OF_ELEVATORS,SPRINKLER_SYSTEM,HEATING_TYPE\n${property.address},${row}`,
        ],
        async () => {
          count += 1;
        },
      );
      return { count, serials: (await rowsOf("appliances")).map(({ serial }) => serial) };
    };
    const none = await yields("NY,1960,0,NO,ELECTRIC");
    expect(none.serials).toEqual([]);
    const some = await yields("NY,1960,4,YES,HOT WATER");
    expect(some.serials).toEqual(["elevator-2", "elevator-1", "fire_suppression-1", "boiler-1"]);
    expect(some.count - none.count).toBe(3);
    expect((await yields("NY,1960,9,NO,ELECTRIC")).serials).toHaveLength(8);
    expect((await yields("NY,1960,2,NO,ELECTRIC")).serials).toEqual(["elevator-2"]);
  });

  test("refer to properties by address or name, and to what exists already", async () => {
    const fixture = await open(NOW);
    const property = await fixture.addProperty();
    await fixture.addAppliances({ propertyId: property.id, typeId: "elevator" });
    const street = property.address.toUpperCase();
    const { rowsOf, leftOut } = await prepare(fixture, [
      `Street Address,Inspection Date,Elevators,Roof,Stairwells,Parking Area\n${street},2026-02-01,3,5,1,4\nNowhere 1,2026-02-01,3,5,1,4`,
      `Property,Equipment,Qty\n${property.name},Dishwasher,3\n`,
      `Address,Claim No,Loss Date,Cause,Net Paid\n${street},C1,12/31/2025,water_damage,"$1,200.50"`,
    ]);
    const there = { property_id: property.id };
    expect((await rowsOf("appliances")).filter((row) => "property_id" in row)).toMatchObject([
      { ...there, type_id: "dishwasher", serial: "dishwasher-1", row: "2" },
      { ...there, type_id: "dishwasher", serial: "dishwasher-2", row: "2#2" },
      { ...there, type_id: "dishwasher", serial: "dishwasher-3", row: "2#3" },
      { ...there, type_id: "roof", serial: "roof-1" },
      { ...there, type_id: "parking_lot", serial: "parking_lot-1" },
    ]);
    const events = await rowsOf("serviceEvents");
    expect(events.filter((row) => "property_id" in row)).toMatchObject([
      {
        ...there,
        appliance_id: expect.stringMatching(/^A_/),
        condition_score: "3",
        condition_scale: "1-5",
        notes: "Elevators",
      },
      { ...there, serial: "roof-1", event_type: "Inspection", date: "2026-02-01", condition_score: "5" },
      { ...there, serial: "parking_lot-1", condition_score: "4" },
    ]);
    expect(events.find((row) => !("property_id" in row))).toMatchObject({ partner_property_id: "Nowhere 1" });
    expect(await rowsOf("claims")).toMatchObject([{ ...there, date_of_loss: "2025-12-31", paid: "1200.50" }]);
    expect(leftOut).toMatchObject([{ what: "Stairwells", reason: "no kind of equipment", cells: 2 }]);
  });
});

// Rule: import-mapping
describe("a register as people keep it", () => {
  test("is read with its titles, estimates, units of measure and lists of units; totals are counted", async () => {
    const fixture = await open(NOW);
    const { rowsOf, leftOut } = await prepare(fixture, [
      [
        '"Buildings, 3/1/2024",,,,,,,',
        "Property Code,Property Name,Street Address,State,Zip,# Units,Year Built,Sq Ft,Insured Value",
        'M1,Maple,1 Maple St,Massachusetts,2118,48 units,c. 1998,"41,200 sf","$5,200,000.00"',
        "M3,#DIV/0!,3 Maple St,NY,,#REF!,,,",
        "M2,Grove,2 Maple St,New York,12203-0001,N/A,unknown,TBD,-",
        "Property Code,Property Name,Street Address,State,Zip,# Units,Year Built,Sq Ft,Insured Value",
        'Total,,,,,48,,"41,200","$5,200,000"',
      ].join("\r\n"),
      "Code immeuble;Nom de l'immeuble;Adresse;Province;Code postal;Logements;Superficie (m²);Année de construction\nQ1;Le Château;10 rue Rachel;Québec;H2X 1Y4;12;1 100,5;1965",
      [
        "Building,Equipment,Serial #,Installed,Qty,Capacity,Units",
        'Maple,Boiler,unknown,03/2015,2,"1,200 MBH",Basement',
        "Maple,Passenger Elevator,E-1,1998?,1,2500 lb,",
        "Maple,Refrigerator,,2016,3,,1-3",
        "Maple,Dishwasher,,2016,,,904",
        "Maple,Water heater,,2016,,,All",
      ].join("\n"),
    ]);
    const withoutSource = (rows: Record<string, string>[]) => rows.map(({ row, ...cells }) => cells);
    expect(withoutSource(await rowsOf("properties"))).toEqual([
      {
        partner_property_id: "M1",
        name: "Maple",
        address: "1 Maple St",
        state: "MA",
        zip: "02118",
        unit_count: "48",
        year_built: "1998",
        gross_area_sqft: "41200",
        replacement_value: "5200000.00",
      },
      { partner_property_id: "M3", name: "3 Maple St", address: "3 Maple St", state: "NY" },
      { partner_property_id: "M2", name: "Grove", address: "2 Maple St", state: "NY", zip: "12203-0001" },
      {
        partner_property_id: "Q1",
        name: "Le Château",
        address: "10 rue Rachel",
        country: "CA",
        state: "QC",
        zip: "H2X 1Y4",
        unit_count: "12",
        gross_area_sqft: "11846",
        year_built: "1965",
      },
    ]);
    const maple = { partner_property_id: "M1" };
    expect(withoutSource(await rowsOf("appliances"))).toEqual([
      { ...maple, type_id: "boiler", serial: "boiler-1", install_year: "2015", size: "1200" },
      { ...maple, type_id: "boiler", serial: "boiler-2", install_year: "2015", size: "1200" },
      { ...maple, type_id: "elevator", serial: "E-1", install_year: "1998" },
      ...["1", "2", "3"].map((unit) => ({ ...maple, type_id: "refrigerator", install_year: "2016", unit })),
      { ...maple, type_id: "dishwasher", serial: "dishwasher-904", install_year: "2016" },
    ]);
    expect(leftOut.map(({ what, reason, cells }) => `${what}: ${reason} (${cells})`)).toEqual([
      "Property Name #DIV/0!: an error of a formula (1)",
      "# Units #REF!: an error of a formula (1)",
      "Property Code: the headings again (1)",
      "Total: a row of totals (1)",
      "Capacity 2500 lb: not a size in stops (1)",
      "unit 904: no number of a unit; the appliance is in the building (1)",
      "unit All: several units without their numbers (1)",
    ]);
  });

  test.each([
    ["ND", "", "ND", undefined],
    ["North Dakota", "", "ND", undefined],
    ["NA", "NA", undefined, "NA"],
    ["Khomas", "NA", "Khomas", "NA"],
    ["N/D", "n/a", undefined, undefined],
    ["-", "tbd", undefined, undefined],
  ])("keeps the state %s and the country %s", async (given, country, state, kept) => {
    const { rowsOf } = await prepare(await open(NOW), [
      `Name,Address,State,Country\nElm,1 Elm St,${given},${country}\nOak,2 Oak St,NY,US`,
    ]);
    const [row] = await rowsOf("properties");
    expect([row!.state, row!.country]).toEqual([state, kept]);
  });

  test("has what the mapping says of a cell that would else say nothing", async () => {
    const { rowsOf } = await prepare(
      await open(NOW),
      ["Name,Address,State\nElm,1 Elm St,Unknown\nOak,2 Oak St,N/A"],
      undefined,
      { state: { Unknown: "MN" } },
    );
    expect((await rowsOf("properties")).map(({ state }) => state)).toEqual(["MN", undefined]);
  });

  test("has sizes in the unit of their type, each read once", async () => {
    const { rowsOf, leftOut } = await prepare(await open(NOW), [
      [
        "Building;Equipment;Serial No;Capacity kW",
        "Elm;Boiler;B1;1,250",
        "Elm;Boiler;B2;0,750",
        "Elm;Boiler;B3;2,5 TON",
        "Elm;Boiler;B4;300 lb",
      ].join("\n"),
    ]);
    expect((await rowsOf("appliances")).map(({ size }) => size)).toEqual(["4.265", "2.559", "30", undefined]);
    expect(leftOut).toMatchObject([{ what: "Capacity kW 300 lb", reason: "not a size in kBtu/h", cells: 1 }]);
  });

  test.each([
    [
      ["904,1", "904,1", "904,"],
      ["ptac-904", "ptac-904-2", "ptac-904-3"],
    ],
    [
      ["3,2", "4,2"],
      ["ptac-1 in 3", "ptac-2 in 3", "ptac-4-1 in 4", "ptac-4-2 in 4"],
    ],
    [
      ["904,2", "904,1", "904,1"],
      ["ptac-904-1", "ptac-904-2", "ptac-904", "ptac-904-3"],
    ],
    [
      [",2", ",3"],
      ["ptac-1", "ptac-2", "ptac-1-2", "ptac-2-2", "ptac-3"],
    ],
    [
      ['"901, 902"', '"902, 903"'],
      ["ptac-901", "ptac-902", "ptac-902-2", "ptac-903"],
    ],
    [
      ["3,1", "4,1"],
      ["undefined in 3", "undefined in 4"],
    ],
  ])("labels the appliances of %j, none twice", async (units, labels) => {
    const files = [
      "Property Code,Name,Address,State,Units\nE,Elm,1 Elm St,NY,12\nO,Oak,2 Oak St,NY,12",
      `Property Code,Equipment,Unit,Qty\n${["E", "O"].flatMap((id) => units.map((unit) => `${id},PTAC,${unit}`)).join("\n")}`,
    ];
    const { rowsOf } = await prepare(await open(NOW), files);
    const own = (await rowsOf("appliances")).map(
      ({ serial, unit }) => `${serial}${unit ? ` in ${unit}` : ""}`,
    );
    expect(own).toEqual([...labels, ...labels]);
  });

  test("has none of a quantity of 0, and one of a quantity that cannot be; both are counted", async () => {
    const { rowsOf, leftOut } = await prepare(await open(NOW), [
      [
        "Building,Equipment,Unit,Quantity",
        ...["Elm,Boiler,,0", "Elm,Boiler,,501", "Elm,Boiler,,two", "Elm,Boiler,,1.5", "Elm,Boiler,,2.0"],
        ...['Elm,Boiler,"1, 2",0', 'Elm,Boiler,"1, 2",3', "Elm,Boiler,,N/A"],
      ].join("\n"),
    ]);
    expect((await rowsOf("appliances")).map(({ row }) => row)).toEqual([
      "3",
      "4",
      "5",
      "6",
      "6#2",
      "8",
      "8#2",
      "9",
    ]);
    expect(leftOut.map(({ what, reason, cells }) => `${what}: ${reason} (${cells})`)).toEqual([
      "quantity 0: none of them is there (2)",
      "quantity 501: no whole number from 0 to 500; one is imported (1)",
      "quantity two: no whole number from 0 to 500; one is imported (1)",
      "quantity 1.5: no whole number from 0 to 500; one is imported (1)",
      "quantity 3: not the number of its units (1)",
    ]);
  });

  test("has the scores of a visit that are numbers, and counts those that are not", async () => {
    const sample = Array.from({ length: 2_000 }, (_, at) => `${at},2026-02-01,3,5,1,4`);
    const { rowsOf, leftOut } = await prepare(await open(NOW), [
      [
        "RSN,Inspection Date,Elevators,Roof,Stairwells,Parking Area",
        ...sample,
        'A,2026-02-01,"3,5",4/5,"3,5",N/A',
        "A,2026-02-01,4.5,,,5",
      ].join("\n"),
    ]);
    const scores = (await rowsOf("serviceEvents")).filter((row) => row.partner_property_id === "A");
    expect(scores.map(({ notes, condition_score }) => [notes, condition_score])).toEqual([
      ["Elevators", "4.5"],
      ["Parking Area", "5"],
    ]);
    expect(leftOut.map(({ what, reason, cells }) => `${what}: ${reason} (${cells})`)).toEqual([
      "Stairwells: no kind of equipment (2001)",
      "Elevators 3,5: no score (1)",
      "Roof 4/5: no score (1)",
    ]);
  });

  test("with another cell left out in every row has as many counts as a person reads", async () => {
    const fixture = await open(NOW);
    const { leftOut } = await prepare(fixture, [
      `Building,Equipment,Qty\n${Array.from({ length: 1_200 }, (_, at) => `Elm,Lamp ${at},1`).join("\n")}`,
    ]);
    expect(leftOut).toHaveLength(1_001);
    expect(leftOut[0]).toMatchObject({ what: "others", cells: 200 });
  });

  test("may be UTF-16, with tabs", async () => {
    const path = join(folder, "utf16.csv");
    const text = "\uFEFFProperty ID\tName\tAddress\tState\r\nU1\tCafé\t1 Elm St, Rear\tNY\r\n";
    writeFileSync(path, Buffer.from(text, "utf16le"));
    const [table] = await openImportTables(path);
    expect(table).toMatchObject({
      headings: ["Property ID", "Name", "Address", "State"],
      sample: [["U1", "Café", "1 Elm St, Rear", "NY"]],
    });
  });
});

// Rule: import-mapping
test("cells that are names of every object's properties are texts like others", async () => {
  const fixture = await open(NOW);
  const inherited = ["constructor", "toString", "__proto__", "hasOwnProperty"];
  const { rowsOf } = await prepare(fixture, [
    [
      "RSN,ADDRESS,STATE,HEATING_TYPE,HEATING_EQUIPMENT_YEAR_INSTALLED",
      "1,1 Elm St,NY,HOT WATER,1990",
      ...inherited.map((name, at) => `${at + 2},${at + 2} Elm St,NY,${name},1990`),
    ].join("\n"),
    [
      "Property,Equipment,Serial No,Install Year",
      "1 Elm St,Dishwasher,D-1,1990",
      ...inherited.map((name) => `1 Elm St,${name},${name},1990`),
    ].join("\n"),
  ]);
  const rows = await rowsOf("appliances");
  expect(rows.map((row) => row.type_id)).toEqual(["boiler", "dishwasher"]);
});

describe("a table", () => {
  test("with more columns than a form has is refused", async () => {
    const path = join(folder, "wide.csv");
    const columns = (count: number) => Array.from({ length: count }, (_, at) => `C${at}`).join();
    writeFileSync(path, columns(1_001));
    await expect(openImportTables(path)).rejects.toThrow("has 1001 columns, and at most 1000 are read");
    writeFileSync(path, columns(1_000));
    expect(await openImportTables(path)).toHaveLength(1);
  });

  test("with two columns of one heading is refused with both", async () => {
    const path = join(folder, "twins.csv");
    writeFileSync(path, "Address,RSN, Address \n1 Elm St,1,2 Elm St\n");
    await expect(openImportTables(path)).rejects.toThrow('columns 1 and 3 have the same heading "Address"');
  });

  test("is read again row by row", async () => {
    const path = join(folder, "again.csv");
    writeFileSync(
      path,
      readFileSync(join(import.meta.dir, "../../../samples/toronto-apartments/registrations.csv")),
    );
    const [table] = await openImportTables(path);
    let rows = 0;
    for await (const { line } of table!.rows()) expect(line).toBe(++rows + 1);
    expect(rows).toBe(table!.count);
  });
});

test("a cell has the value of the first of its items that is a known type, among the first hundred", () => {
  const types = { Other: "Other", boiler: "boiler", Yes: "elevator" };
  const known = new Set(["boiler", "elevator"]);
  expect(lookUpImportValueInList(types, "Other, boiler", known)).toBe("boiler");
  expect(lookUpImportValueInList(types, "pump, Other", known)).toBe("Other");
  expect(lookUpImportValueInList(types, "pump, boiler, Yes", known)).toBe("boiler");
  expect(lookUpImportValueInList(types, `${",".repeat(99)}Yes`, known)).toBe("elevator");
  expect(lookUpImportValueInList(types, `${",".repeat(100)}Yes`, known)).toBeUndefined();
});
