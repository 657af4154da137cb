import { buildingSyncTables } from "../../../src/usecases/buildingsync/read-buildingsync.ts";
import { isCobie } from "../../../src/usecases/cobie/cobie-sheet-rows.ts";
import { cobieTables } from "../../../src/usecases/cobie/read-cobie.ts";
import type { SheetTable } from "../../../src/xlsx/workbook-tables.ts";
import { parseXmlText } from "../../../src/xml/read-xml.ts";
import type { Target } from "../target.ts";

const COBIE = `#Facility
Name|CreatedBy|SiteName|AreaUnits
East Hall|me|1 Elm St, Urbana, IL|square meters
#Floor
Name|Category
1|Floor
#Space
Name|Category|RoomTag
A|13-65 00 00: Private Residential Spaces|2
#Type
Name|Category|Manufacturer|WarrantyDurationParts|WarrantyDurationUnit
B|23-33 11 15: Fire Tube Boilers|a@b.example|18|month
#Component
Name|TypeName|Space|SerialNumber|InstallationDate|WarrantyStartDate
B-1|B|A|S1|2012-05-06T00:00:00|2012-08-31
#Contact
Email|Company
a@b.example|Weil
#Job
Name|Category|Status|TypeName|Start
Clean|PM|Completed|B|2024-05-06
#Attribute
Name|SheetName|RowName|Value|Unit
GrossFloorArea|Facility|East Hall|1,000|m2
`;

/** Reads lines of cells as the sheets of a COBie workbook; `#` begins a sheet. */
const cobie: Target = {
  name: "cobie",
  seeds: [Buffer.from(COBIE)],
  words: [
    "|",
    "\n",
    "#Type",
    "#Job",
    "n/a",
    "1900-12-31",
    "23-33 11 11",
    "D1010",
    "sq ft",
    "-1",
    "1e309",
    "Mainstay",
  ],
  async parse(input) {
    const sheets: SheetTable[] = [];
    for (const [row, line] of input.toString().split("\n").entries())
      if (line.startsWith("#")) sheets.push({ sheet: line.slice(1), rows: [], notes: [] });
      else sheets.at(-1)?.rows.push({ row, cells: line.split("|") });
    if (!isCobie(sheets)) return "not COBie";
    const tables = cobieTables("cobie.xlsx", sheets, "sqft");
    for (const table of tables) for await (const { cells } of table.rows()) void cells.length;
    return tables.map(({ count }) => Math.min(count, 2)).join();
  },
};

const BUILDING_SYNC = `<?xml version="1.0"?><auc:BuildingSync xmlns:auc="http://buildingsync.net/schemas/bedes-auc/2019">
<auc:Facilities><auc:Facility><auc:Sites><auc:Site ID="S"><auc:Buildings><auc:Building ID="B"><auc:PremisesName>A &amp; B</auc:PremisesName>
<auc:FloorAreas><auc:FloorArea><auc:FloorAreaType>Gross</auc:FloorAreaType><auc:FloorAreaValue>5</auc:FloorAreaValue></auc:FloorArea>
</auc:FloorAreas></auc:Building></auc:Buildings></auc:Site></auc:Sites><auc:Systems><auc:ConveyanceSystems>
<auc:ConveyanceSystem ID="E"><auc:ConveyanceSystemType>Elevator</auc:ConveyanceSystemType><auc:Quantity>3</auc:Quantity>
</auc:ConveyanceSystem></auc:ConveyanceSystems></auc:Systems></auc:Facility></auc:Facilities></auc:BuildingSync>`;

const buildingSync: Target = {
  name: "buildingsync",
  seeds: [Buffer.from(BUILDING_SYNC)],
  words: [
    "<a>",
    "</a>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE a [",
    "&#x10ffff;",
    "&amp;",
    "IDref=",
    "<auc:Building>",
  ],
  async parse(input) {
    const tables = buildingSyncTables("a.xml", parseXmlText("a.xml", input), "sqft");
    for (const table of tables) for await (const { cells } of table.rows()) void cells.length;
    return tables.map(({ count }) => Math.min(count, 2)).join();
  },
};

export const FORMAT_TARGETS: readonly Target[] = [cobie, buildingSync];
