import { serializeProperty } from "../../api-schemas/property-schema.ts";
import { type Appliance, DEFAULT_USAGE } from "../../domain/appliance.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { conflict } from "../../domain/errors.ts";
import { hazardCodesInList } from "../../domain/hazards/hazard-flags.ts";
import type { Property, Unit } from "../../domain/property.ts";
import { type Instant, isoTextOfInstant } from "../../domain/time.ts";
import {
  currencyCode,
  currentDisplayWording,
  unitLabel,
} from "../../domain/wording/currency-and-unit-wording.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { Stores } from "../../store/stores.ts";
import { type WorkbookSheet, writeWorkbook } from "../../xlsx/write-workbook.ts";
import {
  CATEGORIES,
  COLUMNS,
  COMPONENT_ATTRIBUTES,
  FACILITY_ATTRIBUTES,
  NOT_AVAILABLE,
  OWN_SYSTEM,
  type SheetName,
} from "./cobie-layout.ts";
import { PRODUCT_CLASSES } from "./cobie-product-classes.ts";

type Exported = { read: Stores; knowledge: Knowledge; now: Instant; yieldNow: Yield };

/** Appliances and units per query. */
const PAGE = 500;
/** More rows are beyond what spreadsheet programs, and this importer, open. */
const MOST_COMPONENTS = 100_000;
/** The name of the one floor, and of the space of what serves the whole building. */
const BUILDING = "Building";
/** The reserved domain of addresses that nothing is delivered to: the standard identifies companies by addresses. */
const NO_MAIL = "invalid";

/**
 * Returns a property as a COBie workbook: its units as spaces, appliances as components and types, and the inspections that
 * these need as jobs. What the standard has no column for is in attributes, so that an import restores the appliances.
 */
export async function cobieWorkbook(
  { read, knowledge, now, yieldNow }: Exported,
  partnerName: string,
  property: Property,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; components: number }> {
  const book = new CobieBook(knowledge, partnerName, property, now);
  for (let offset = 0; offset < property.unitCount; offset += PAGE) {
    for (const unit of await read.units.page(property.id, { offset, limit: PAGE })) book.addUnit(unit);
    await yieldNow();
  }
  for (let after = 0; ; ) {
    const some = await read.appliances.ofPropertyAfter(property.id, after, PAGE);
    for (const appliance of some) book.addAppliance(appliance);
    await yieldNow();
    if (some.length < PAGE) break;
    after = some.at(-1)!.seq;
  }
  return { bytes: await writeWorkbook(book.sheets(), yieldNow), components: book.components };
}

const CURRENCIES: Readonly<Record<string, string>> = { USD: "Dollars", EUR: "Euros" };
const areaOfCobie = () => (currentDisplayWording().units === "metric" ? "squaremeters" : "squarefeet");

type Value = string | number | null | undefined;

class CobieBook {
  readonly #rows = new Map<SheetName, (string | number)[][]>();
  readonly #types = new Map<string, string>();
  readonly #typeNames = new Set<string>();
  readonly #contacts = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #units = new Map<string, string>();
  readonly #createdOn: string;
  readonly #operator: string;
  components = 0;

  constructor(
    private readonly knowledge: Knowledge,
    partnerName: string,
    private readonly property: Property,
    now: Instant,
  ) {
    this.#createdOn = isoTextOfInstant(now).slice(0, 19);
    this.#operator = `operator@mainstay.${NO_MAIL}`;
    this.#add("Contact", {
      Email: this.#operator,
      Category: CATEGORIES.operator,
      Company: partnerName,
      ExternalSystem: OWN_SYSTEM,
      ExternalObject: "IfcOrganization",
    });
    this.#addFacility();
  }

  #addFacility(): void {
    const { property } = this;
    this.#add("Facility", {
      Name: property.name,
      Category: CATEGORIES.facility,
      ProjectName: property.name,
      SiteName: property.address,
      LinearUnits: "feet",
      AreaUnits: areaOfCobie(),
      VolumeUnits: "cubicfeet",
      CurrencyUnit: CURRENCIES[currencyCode()] ?? currencyCode(),
      AreaMeasurement: "Gross floor area",
      ExternalSystem: OWN_SYSTEM,
      ExternalProjectObject: "IfcProject",
      ExternalSiteObject: "IfcSite",
      ExternalFacilityObject: "IfcBuilding",
      ExternalFacilityIdentifier: property.id,
      Description: property.name,
      Phase: "Operation",
    });
    this.#addAttributes("Facility", property.name, FACILITY_ATTRIBUTES, serializeProperty(property));
    const floor = { Name: BUILDING, Category: "Floor", Description: "All floors" };
    this.#add("Floor", { ...floor, ...this.#external("IfcBuildingStorey", property.id) });
    this.#add("Space", {
      Name: BUILDING,
      Category: CATEGORIES.building,
      FloorName: BUILDING,
      Description: "Whole building",
      ...this.#external("IfcSpace", property.id),
    });
  }

  addUnit({ id, number }: Unit): void {
    const name = `Unit ${number}`;
    this.#units.set(id, name);
    this.#add("Space", {
      Name: name,
      Category: CATEGORIES.dwelling,
      FloorName: BUILDING,
      Description: name,
      ...this.#external("IfcSpace", id),
      RoomTag: number,
    });
  }

  addAppliance(appliance: Appliance): void {
    if (++this.components > MOST_COMPONENTS)
      throw conflict(
        `${this.property.name} has more than ${MOST_COMPONENTS} appliances: use --format ndjson`,
      );
    const { id, typeId, unitId, serial, installYear, installYearBasis } = appliance;
    const { name: kind } = this.knowledge.type(typeId);
    const count = (this.#counts.get(typeId) ?? 0) + 1;
    this.#counts.set(typeId, count);
    const name = `${kind} ${count}`;
    this.#add("Component", {
      Name: name,
      TypeName: this.#typeOf(appliance),
      Space: this.#units.get(unitId ?? "") ?? BUILDING,
      Description: kind,
      ...this.#external("IfcBuildingElementProxy", id),
      SerialNumber: serial,
      ...(installYearBasis === "given" && { InstallationDate: `${installYear}-01-01` }),
    });
    this.#addAttributes("Component", name, COMPONENT_ATTRIBUTES, {
      warranty_expiry: appliance.warrantyExpiry,
      brand_tier: appliance.brandTierGiven ? appliance.brandTier : null,
      usage_intensity: appliance.usageIntensity === DEFAULT_USAGE ? null : appliance.usageIntensity,
      flags_set: hazardCodesInList(appliance.flagsSet).join(";"),
      flags_cleared: hazardCodesInList(appliance.flagsCleared).join(";"),
    });
  }

  /** Returns the name of the type of product: appliances of one kind, make, model and size. */
  #typeOf({ typeId, brand, model, size }: Appliance): string {
    const key = JSON.stringify([typeId, brand, model, size]);
    const kept = this.#types.get(key);
    if (kept !== undefined) return kept;
    const type = this.knowledge.type(typeId);
    const dimension = size === null ? null : `${size} ${unitLabel(type.size?.unit ?? "")}`.trim();
    const words = [type.name, brand, model, dimension].filter((text) => text !== null).join(" - ");
    let name = words;
    for (let nth = 2; this.#typeNames.has(name.toLowerCase()); nth++) name = `${words} (${nth})`;
    this.#typeNames.add(name.toLowerCase());
    this.#types.set(key, name);
    this.#add("Type", {
      Name: name,
      Category: PRODUCT_CLASSES[typeId],
      Description: type.name,
      AssetType: "Fixed",
      Manufacturer: this.#contactOf(brand),
      ModelNumber: model,
      WarrantyDurationUnit: "year",
      ...this.#external("IfcBuildingElementProxyType", typeId),
      DurationUnit: "year",
      Size: dimension,
    });
    for (const regime of this.knowledge.regimes(typeId)) this.#addInspection(name, regime);
    return name;
  }

  #addInspection(type: string, regime: ReturnType<Knowledge["regimes"]>[number]): void {
    if (!this.#rows.has("Resource"))
      this.#add("Resource", { Name: "Inspector", Category: "Labor", Description: "Licensed inspector" });
    const { inspectionType, authority, intervalMonths } = regime;
    const isYears = intervalMonths % 12 === 0;
    this.#add("Job", {
      Name: `${inspectionType} of ${type}`,
      Category: "Inspection",
      Status: "Not Yet Started",
      TypeName: type,
      Description: `${inspectionType}, ${authority}`,
      Duration: 1,
      DurationUnit: "day",
      Start: isYears ? intervalMonths / 12 : intervalMonths,
      TaskStartUnit: isYears ? "year" : "month",
      Frequency: isYears ? intervalMonths / 12 : intervalMonths,
      FrequencyUnit: isYears ? "year" : "month",
      ...this.#external("IfcTask", inspectionType),
      TaskNumber: (this.#rows.get("Job")?.length ?? 0) + 1,
      ResourceNames: "Inspector",
    });
  }

  /** Returns the address by which the standard identifies a company. */
  #contactOf(company: string | null): string | null {
    if (company === null) return null;
    const kept = this.#contacts.get(company);
    if (kept !== undefined) return kept;
    const email = `company-${this.#contacts.size + 1}@mainstay.${NO_MAIL}`;
    this.#contacts.set(company, email);
    this.#add("Contact", { Email: email, Category: CATEGORIES.manufacturer, Company: company });
    return email;
  }

  #addAttributes<Names extends Readonly<Record<string, string>>>(
    sheet: SheetName,
    row: string,
    names: Names,
    values: Readonly<Record<keyof Names, Value>>,
  ): void {
    for (const [field, name] of Object.entries(names)) {
      const value = values[field];
      if (value === null || value === undefined || value === "") continue;
      this.#add("Attribute", {
        Name: name,
        Category: "As Built",
        SheetName: sheet,
        RowName: row,
        Value: value,
        Unit: field === "gross_area_sqft" ? areaOfCobie() : NOT_AVAILABLE,
        ExtSystem: OWN_SYSTEM,
        ExtObject: "IfcPropertySingleValue",
        ExtIdentifier: field,
        Description: name,
      });
    }
  }

  #external = (object: string, identifier: string) => ({
    ExtSystem: OWN_SYSTEM,
    ExtObject: object,
    ExtIdentifier: identifier,
  });

  #add(sheet: SheetName, cells: Readonly<Record<string, Value>>): void {
    const given: Readonly<Record<string, Value>> = {
      CreatedBy: this.#operator,
      CreatedOn: this.#createdOn,
      ...cells,
    };
    const row = COLUMNS[sheet].map((column) => {
      const value = given[column];
      return value === null || value === undefined || value === "" ? NOT_AVAILABLE : value;
    });
    const rows = this.#rows.get(sheet) ?? [];
    rows.push(row);
    this.#rows.set(sheet, rows);
  }

  /** Returns all sheets of the standard; those without rows have their headings. */
  sheets(): WorkbookSheet[] {
    return (Object.keys(COLUMNS) as SheetName[]).map((name) => ({
      name,
      columns: COLUMNS[name].map((column) => ({ width: Math.max(12, column.length + 2) })),
      rows: [COLUMNS[name].map((value) => ({ value, isBold: true })), ...(this.#rows.get(name) ?? [])],
      frozenRows: 1,
    }));
  }
}
