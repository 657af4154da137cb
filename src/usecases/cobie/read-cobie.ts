import { OperatorError } from "../../domain/errors.ts";
import { addDays, addMonths } from "../../domain/time.ts";
import { parseCellDate } from "../../table-cells/table-cell-dates.ts";
import type { SheetTable } from "../../xlsx/workbook-tables.ts";
import {
  type AreaUnit,
  convertImportedArea,
  parseImportAreaUnit,
} from "../import/mapping/import-area-units.ts";
import { fieldOfImportHeading } from "../import/mapping/import-heading-words.ts";
import {
  type ImportTable,
  type LeftOut,
  standardImportTable,
  type TableCells,
} from "../import/mapping/import-source-table.ts";
import { lookUpImportValue } from "../import/mapping/import-value-lookup.ts";
import { CATEGORIES, COMPONENT_ATTRIBUTES, FACILITY_ATTRIBUTES, OWN_SYSTEM } from "./cobie-layout.ts";
import { cobieApplianceType, PRODUCT_CLASSES } from "./cobie-product-classes.ts";
import { cobieSheetRows, type SheetRow } from "./cobie-sheet-rows.ts";

/** The longest name that serves as a property's reference. */
const LONGEST_REFERENCE = 100;
/** The year of dates that the standard prescribes where none is known. */
const UNKNOWN_YEAR = 1900;

/**
 * Returns a COBie workbook as tables of the importer's own columns: its facility, its components, and its completed jobs. The
 * mapping of `type_id` has what the names of its types mean. Throws an OperatorError for a workbook without a facility, or
 * with several.
 */
export function cobieTables(path: string, sheets: readonly SheetTable[], areaUnit: AreaUnit): ImportTable[] {
  const facilities = cobieSheetRows(sheets, "Facility");
  const [facility] = facilities;
  if (!facility || facilities.length > 1)
    throw new OperatorError(
      `${path}, sheet Facility has ${facility ? `${facilities.length} facilities` : "no facility"}`,
      "A COBie workbook describes one facility.",
    );
  const attributes = attributesOf(sheets);
  const property = propertyOf(sheets, facility, attributes, areaUnit);
  const reference: TableCells = { partner_property_id: property.partner_property_id, name: property.name };
  const types = new Map(cobieSheetRows(sheets, "Type").map((row) => [row.cell("Name"), row] as const));
  const companies = new Map(
    cobieSheetRows(sheets, "Contact").map((row) => [row.cell("Email"), row.cell("Company")] as const),
  );
  const components = cobieSheetRows(sheets, "Component");
  const known = Object.fromEntries(
    [...types].flatMap(([name, row]) => {
      const typeId = typeIdOf(name, row);
      return typeId === undefined ? [] : [[name, typeId] as const];
    }),
  );
  const dwellings = new Map(
    cobieSheetRows(sheets, "Space")
      .filter(isDwelling)
      .map((row, at) => [row.cell("Name"), unitOf(row, at)] as const),
  );
  const appliances = components.map((row): { line: number; cells: TableCells } => ({
    line: row.line,
    cells: {
      ...reference,
      ...applianceOf(row, types.get(row.cell("TypeName")), {
        stated: attributes.get(keyOf("Component", row.cell("Name"))) ?? new Map(),
        companies,
        unit: dwellings.get(row.cell("Space")),
      }),
    },
  }));
  const jobs = jobsOf(
    sheets,
    components.filter((row) => known[row.cell("TypeName")] !== undefined),
    reference,
  );
  const table = (sheet: string) => ({ name: `${path}, sheet ${sheet}`, form: "COBie" });
  const properties = [{ line: facility.line, cells: property }];
  return [
    standardImportTable({ ...table("Facility"), kind: "properties", rows: properties }),
    standardImportTable({ ...table("Component"), kind: "appliances", rows: appliances, types: known }),
    standardImportTable({ ...table("Job"), kind: "service_events", rows: jobs.done, leftOut: jobs.leftOut }),
  ].filter(({ count, form }) => count > 0 || form!.leftOut.length > 0);
}

type Attributes = ReadonlyMap<string, { value: string; unit: string }>;
const keyOf = (sheet: string, row: string) => JSON.stringify([sheet.toLowerCase(), row]);

function attributesOf(sheets: readonly SheetTable[]): ReadonlyMap<string, Attributes> {
  const found = new Map<string, Map<string, { value: string; unit: string }>>();
  for (const { cell } of cobieSheetRows(sheets, "Attribute")) {
    const sheet = cell("SheetName");
    if (!/^(facility|component)$/i.test(sheet) || cell("Value") === "") continue;
    const key = keyOf(sheet, cell("RowName"));
    const own = found.get(key) ?? new Map();
    found.set(key, own.set(cell("Name"), { value: cell("Value"), unit: cell("Unit") }));
  }
  return found;
}

const isDwelling = ({ cell }: SheetRow) =>
  cell("Category").startsWith(CATEGORIES.dwelling.slice(0, 11)) ||
  /\b(apartment|dwelling|residential unit|flat)s?\b/i.test(`${cell("Category")} ${cell("Description")}`);

/** Returns the number of a dwelling's unit. Room tags of other programs, such as 304, number no units from 1. */
const unitOf = ({ cell }: SheetRow, at: number) =>
  cell("ExtSystem") === OWN_SYSTEM && /^\d{1,5}$/.test(cell("RoomTag")) ? cell("RoomTag") : String(at + 1);

function propertyOf(
  sheets: readonly SheetTable[],
  { cell }: SheetRow,
  attributes: ReadonlyMap<string, Attributes>,
  areaUnit: AreaUnit,
): Record<string, string | undefined> {
  const stated: Record<string, string> = {};
  for (const [name, { value, unit }] of attributes.get(keyOf("Facility", cell("Name"))) ?? []) {
    const field =
      Object.entries(FACILITY_ATTRIBUTES).find(([, own]) => own === name)?.[0] ??
      fieldOfImportHeading("properties", name);
    if (field === undefined || field === "name" || stated[field] !== undefined) continue;
    stated[field] =
      field === "gross_area_sqft"
        ? convertImportedArea(value, parseImportAreaUnit(unit || cell("AreaUnits")) ?? areaUnit, areaUnit)
        : value;
  }
  const floors = cobieSheetRows(sheets, "Floor").filter((row) => /^floor$/i.test(row.cell("Category")));
  const dwellings = cobieSheetRows(sheets, "Space").filter(isDwelling);
  return {
    ...siteOf(cell("SiteName")),
    ...(floors.length > 0 && { stories: String(floors.length) }),
    ...(dwellings.length > 0 && { unit_count: String(dwellings.length) }),
    ...stated,
    name: cell("Name"),
    partner_property_id: stated.partner_property_id ?? cell("Name").slice(0, LONGEST_REFERENCE),
  };
}

/** Reads a site that is written as an address: `E. Healey St, Urbana, IL 61801`. */
function siteOf(site: string): TableCells {
  const [, address, city, state, zip] =
    /^(.{1,200}), ([^,]{1,100}), ([A-Z]{2})(?: (\d{5}(?:-\d{4})?))?$/.exec(site.trim()) ?? [];
  if (address === undefined) return site === "" ? {} : { address: site };
  return { address, city, state, zip };
}

function typeIdOf(name: string, { cell }: SheetRow): string | undefined {
  const own = cell("ExtIdentifier");
  if (cell("ExtSystem") === OWN_SYSTEM && Object.hasOwn(PRODUCT_CLASSES, own)) return own;
  const [category, description, object] = ["Category", "Description", "ExtObject"].map(cell) as [
    string,
    string,
    string,
  ];
  return cobieApplianceType({ category, name, description, object });
}

/** Returns what tells a component from others of its facility: its name, unless it is ours, whose name is made up. */
const serialOf = ({ cell }: SheetRow) =>
  cell("SerialNumber") ||
  (cell("ExtSystem") === OWN_SYSTEM
    ? ""
    : (cell("TagNumber") || cell("AssetIdentifier") || cell("Name")).slice(0, LONGEST_REFERENCE));

function applianceOf(
  row: SheetRow,
  type: SheetRow | undefined,
  {
    stated,
    companies,
    unit,
  }: { stated: Attributes; companies: ReadonlyMap<string, string>; unit: string | undefined },
): TableCells {
  const { cell } = row;
  const of = (column: string) => type?.cell(column) ?? "";
  const maker = of("Manufacturer");
  const isOwn = cell("ExtSystem") === OWN_SYSTEM;
  const installed = dateOf(cell("InstallationDate"));
  return {
    type_id: cell("TypeName"),
    brand: companies.get(maker) || (maker.includes("@") ? "" : maker),
    model: of("ModelNumber"),
    serial: serialOf(row),
    install_year: installed?.slice(0, 4) ?? yearOfEither(cell("InstallationDate")),
    size: sizeOf(of("Size"), isOwn),
    unit,
    warranty_expiry: warrantyEnd(
      cell("WarrantyStartDate"),
      of("WarrantyDurationParts"),
      of("WarrantyDurationUnit"),
    ),
    ...Object.fromEntries(
      Object.entries(COMPONENT_ATTRIBUTES).flatMap(([field, name]) => {
        const value = stated.get(name)?.value;
        return value === undefined ? [] : [[field, value] as const];
      }),
    ),
  };
}

/** Returns a size with its unit, which only ours may lack; other programs have dimensions there, too. */
const sizeOf = (text: string, isOwn: boolean): string | undefined =>
  isOwn
    ? /^\d+(?:\.\d+)?(?: .*)?$/.exec(text)?.[0]
    : /^\d[\d.,]* ?[^\d\s.,][^\d]*$/.exec(text.slice(0, 100))?.[0];

/** Returns the year of a date that has the day or the month first. */
function yearOfEither(text: string): string | undefined {
  const [, year] = /^\d{1,2}[/.-]\d{1,2}[/.-](\d{4})(?: |$)/.exec(text) ?? [];
  return year !== undefined && Number(year) > UNKNOWN_YEAR ? year : undefined;
}

/** Returns the day of an instant, unless it is the one that stands for none. Other programs write dates of their own. */
function dateOf(text: string): string | undefined {
  const day = parseCellDate(text, "SEVERAL FORMATS");
  return day === undefined || Number(day.slice(0, 4)) <= UNKNOWN_YEAR ? undefined : day;
}

const DAYS: Readonly<Record<string, number>> = { day: 1, week: 7 };
const MONTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };
const LONGEST_WARRANTY_MONTHS = 1_200;

function warrantyEnd(start: string, duration: string, unit: string): string | undefined {
  const from = dateOf(start);
  const count = Number(duration);
  const [, name] = /^(day|week|month|quarter|year)s?$/.exec(unit.trim().toLowerCase() || "year") ?? [];
  if (name === undefined) return undefined;
  const [days, months] = [DAYS[name], MONTHS[name]];
  if (from === undefined || !(count > 0) || count * (months ?? 1) > LONGEST_WARRANTY_MONTHS * 30)
    return undefined;
  return days === undefined
    ? addMonths(from, Math.min(Math.round(count * months!), LONGEST_WARRANTY_MONTHS))
    : addDays(from, Math.round(count * days));
}

/** The type of event that a completed job of a category is. */
const EVENT_OF_JOB: Readonly<Record<string, string>> = {
  pm: "Preventive Maintenance",
  adjustment: "Preventive Maintenance",
  calibration: "Preventive Maintenance",
  inspection: "Inspection",
  safety: "Inspection",
  testing: "Inspection",
  trouble: "Repair",
  emergency: "Emergency Repair",
};

/** Returns the completed jobs with a date, for each component of their type, and counts the others by what they lack. */
function jobsOf(
  sheets: readonly SheetTable[],
  components: readonly SheetRow[],
  reference: TableCells,
): { done: { line: number; cells: TableCells }[]; leftOut: LeftOut[] } {
  const done: { line: number; cells: TableCells }[] = [];
  const left = new Map<string, LeftOut>();
  const serials = Map.groupBy(
    components
      .map((row) => ({ type: row.cell("TypeName"), serial: serialOf(row) }))
      .filter(({ serial }) => serial !== ""),
    ({ type }) => type,
  );
  for (const { line, cell } of cobieSheetRows(sheets, "Job")) {
    const date = dateOf(cell("Start"));
    const what = cell("Category") || "Job";
    const leave = (reason: string, cells = 1) => {
      const key = JSON.stringify([what, reason]);
      left.set(key, { file: "Job", what, reason, cells: (left.get(key)?.cells ?? 0) + cells });
    };
    const event_type = lookUpImportValue(EVENT_OF_JOB, what.toLowerCase());
    if (!/^completed$/i.test(cell("Status"))) leave("a plan of maintenance");
    else if (event_type === undefined) leave("no kind of event");
    else if (date === undefined) leave("no date");
    else {
      const notes = cell("Description") || cell("Name");
      const serviced = serials.get(cell("TypeName")) ?? [];
      if (serviced.length === 0) leave("no equipment of its type");
      const taken = serviced.slice(0, MOST_EVENTS - done.length);
      for (const { serial } of taken)
        done.push({ line, cells: { ...reference, serial, date, event_type, notes } });
      if (taken.length < serviced.length)
        leave(`beyond the first ${MOST_EVENTS} events`, serviced.length - taken.length);
    }
  }
  return { done, leftOut: [...left.values()] };
}

/** Components of a type times jobs for it could be more than the workbook has rows by far. */
const MOST_EVENTS = 200_000;
