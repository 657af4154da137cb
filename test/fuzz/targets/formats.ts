import type { Output } from "../../../src/cli/command-context.ts";
import { reportCommandError } from "../../../src/cli/report-command-error.ts";
import { invalid, OperatorError } from "../../../src/domain/errors.ts";
import { parsePostgresUrl } from "../../../src/store/postgres/connection/postgres-address.ts";
import { buildingSyncTables } from "../../../src/usecases/buildingsync/read-buildingsync.ts";
import { isCobie } from "../../../src/usecases/cobie/cobie-sheet-rows.ts";
import { cobieTables } from "../../../src/usecases/cobie/read-cobie.ts";
import { readAppCsvTable } from "../../../src/web/app/app-import-table.ts";
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

/** Reads a CSV file as the import page of the app does in a browser. */
const browserCsv: Target = {
  name: "browser-csv",
  seeds: [
    Buffer.from('address,units,notes\n"1 Elm St, Urbana, IL",12,"he said ""no"""\n2 Oak St,3,\n'),
    Buffer.from("\ufeffPortfolio 2024;;\naddress;units;year\n1 Elm St;12;1990\n"),
    Buffer.from("\ufeffaddress\tunits\n1 Elm St\t12\n", "utf16le"),
  ],
  words: [",", ";", "\t", "|", '"', '""', "\r\n", "\n", "\0", "\ufeff", "sep=;\n"],
  async parse(input) {
    const bytes = new Uint8Array(input);
    const table = await readAppCsvTable({
      name: "x.csv",
      size: bytes.length,
      arrayBuffer: async () => bytes.buffer,
    });
    if (typeof table === "string") throw invalid(table);
    return Math.min(table.rows.length, 2);
  },
};

const POSTGRES_PASSWORD = "s3cr3t";

/** Reads the URL of a database. Without names of certificate files, which would be opened. */
const postgresUrl: Target = {
  name: "postgres-url",
  seeds: [
    Buffer.from(`postgres://user:${POSTGRES_PASSWORD}@db.example.com:5433/mainstay?sslmode=require&pool=20`),
    Buffer.from(
      `postgresql://a%40b:${POSTGRES_PASSWORD}@[::1]/m?sslmode=disable&connect_timeout=5&prepared=false`,
    ),
  ],
  words: [
    "@",
    ":",
    "/",
    "?",
    "&",
    "#",
    "%",
    "%00",
    ",",
    "sslmode=",
    "verify-full",
    "pool=1e3",
    "[::1]",
    "//",
  ],
  parse(input) {
    try {
      return parsePostgresUrl(input.toString("utf8")).preparesStatements;
    } catch (error) {
      if (String(error).includes(`${POSTGRES_PASSWORD}@`))
        throw new TypeError("the error contains the password");
      throw error;
    }
  },
};

/** Shows the error of a command, which may repeat any argument. */
const commandError: Target = {
  name: "command-error",
  seeds: [
    Buffer.from("https://a:b://c:d://e:f"),
    Buffer.from(`postgres://user:${POSTGRES_PASSWORD}@db.example/mainstay`),
  ],
  words: ["://", ":", "@", "/", " ", '"', "svc_live_", "whsec_"],
  parse(input) {
    const stderr = { write() {} } as Pick<Output, "write"> as Output;
    reportCommandError(new OperatorError(input.toString("utf8")), { json: false, verbose: false, stderr });
  },
};

export const FORMAT_TARGETS: readonly Target[] = [browserCsv, postgresUrl, commandError, cobie, buildingSync];
