import { OperatorError } from "../../domain/errors.ts";
import { allXmlElements, type XmlElement, xmlElementsAt, xmlTextAt } from "../../xml/read-xml.ts";
import { type AreaUnit, convertImportedArea } from "../import/mapping/import-area-units.ts";
import {
  type ImportTable,
  type LeftOut,
  standardImportTable,
  type TableCells,
} from "../import/mapping/import-source-table.ts";
import { buildingSyncEquipmentOf, type Equipment } from "./buildingsync-equipment.ts";
import { buildingSyncEquipmentSize, buildingSyncRoofAreas } from "./buildingsync-sizes.ts";

const LONGEST_REFERENCE = 100;

type Building = {
  element: XmlElement;
  site: XmlElement;
  /** It is the only one of its site, whose area is its own. */
  isOnly: boolean;
  reference: TableCells;
};
type Row = { line: number; cells: TableCells };

/**
 * Returns a BuildingSync document as tables of the importer's own columns: its buildings, and the equipment of its systems.
 * Systems without a type, and those of no building, are counted. Throws an OperatorError for another document, or one without
 * buildings.
 */
export function buildingSyncTables(path: string, root: XmlElement, areaUnit: AreaUnit): ImportTable[] {
  if (root.name !== "BuildingSync")
    throw new OperatorError(
      `${path} is not BuildingSync XML: its first element is ${root.name.slice(0, 100)}`,
      "Other XML cannot be imported. Save it as CSV or XLSX.",
    );
  const properties: Row[] = [];
  const appliances: Row[] = [];
  const left = new Map<string, LeftOut>();
  const leave = (what: string, reason: string) => {
    const key = `${reason}|${what}`;
    left.set(key, { file: path, what, reason, cells: (left.get(key)?.cells ?? 0) + 1 });
  };
  const names = new Map<string, number>();
  for (const facility of xmlElementsAt(root, "Facilities", "Facility")) {
    const buildings = xmlElementsAt(facility, "Sites", "Site").flatMap((site) => {
      const own = xmlElementsAt(site, "Buildings", "Building");
      return own.map((element): Building => {
        return { element, site, isOnly: own.length === 1, reference: referenceOf(element, names) };
      });
    });
    for (const building of buildings)
      properties.push({ line: building.element.line, cells: propertyOf(building, areaUnit) });
    const places = placesOf(buildings);
    const areas = buildingSyncRoofAreas(buildings.map(({ element }) => element));
    for (const { children } of xmlElementsAt(facility, "Systems"))
      for (const system of children.flatMap((list) => list.children)) {
        const building = buildingOf(system, buildings, places);
        for (const equipment of buildingSyncEquipmentOf(system)) {
          if (equipment.typeId === undefined) leave(equipment.what, "no kind of equipment");
          else if (!building) leave(equipment.what, "no building named");
          else
            appliances.push({ line: equipment.element.line, cells: applianceOf(building, equipment, areas) });
        }
      }
  }
  if (properties.length === 0)
    throw new OperatorError(`${path} has no building`, "Export it again from its program.");
  const table = { name: path, form: "BuildingSync" };
  return [
    standardImportTable({ ...table, kind: "properties", rows: properties }),
    standardImportTable({ ...table, kind: "appliances", rows: appliances, leftOut: [...left.values()] }),
  ];
}

/** Returns the reference of a building: the city's or owner's identifier, else its name, told apart by a number. */
function referenceOf(building: XmlElement, names: Map<string, number>): TableCells {
  const id = building.attributes.ID ?? "";
  const name = xmlTextAt(building, "PremisesName") || id || "Building";
  const identifiers = xmlElementsAt(building, "PremisesIdentifiers", "PremisesIdentifier")
    .map((one) => ({
      label: `${xmlTextAt(one, "IdentifierCustomName")} ${xmlTextAt(one, "IdentifierLabel")}`,
      value: xmlTextAt(one, "IdentifierValue"),
    }))
    .filter(({ value }) => value !== "");
  const own = identifiers.find(({ label }) =>
    /\b(custom|city|portfolio manager) .*\bbuilding\b/i.test(label),
  );
  const text = own?.value ?? name;
  const cut = text.slice(0, LONGEST_REFERENCE);
  let reference = cut;
  // The number to try next is kept, so that many buildings of one name are told apart in linear time.
  let nth = names.get(cut) ?? 1;
  while (names.has(reference)) {
    const suffix = ` (${++nth})`;
    reference = text.slice(0, LONGEST_REFERENCE - suffix.length) + suffix;
  }
  names.set(reference, 1);
  names.set(cut, nth);
  return { partner_property_id: reference, name };
}

function propertyOf({ element, site, isOnly, reference }: Building, areaUnit: AreaUnit): TableCells {
  const at = (...path: string[]) => xmlTextAt(element, ...path) || xmlTextAt(site, ...path);
  const address = ["Address"];
  const detail = [...address, "StreetAddressDetail"];
  const parts = ["StreetNumberNumeric", "StreetDirPrefix", "StreetName", "StreetSuffix", "StreetDirSuffix"];
  const street =
    at(...detail, "Simplified", "StreetAddress") ||
    parts.flatMap((part) => at(...detail, "Complex", part) || []).join(" ");
  const area = [element, ...(isOnly ? [site] : [])]
    .flatMap((place) => xmlElementsAt(place, "FloorAreas", "FloorArea"))
    .find((one) => xmlTextAt(one, "FloorAreaType") === "Gross");
  const apartments = xmlElementsAt(element, "SpatialUnits", "SpatialUnit")
    .filter((one) => xmlTextAt(one, "SpatialUnitType") === "Apartment units")
    .map((one) => Number(xmlTextAt(one, "NumberOfUnits")));
  const units = apartments.reduce((sum, count) => sum + count, 0);
  const grossArea = area && Math.round(Number(xmlTextAt(area, "FloorAreaValue")));
  return {
    ...reference,
    address: street,
    city: at(...address, "City"),
    state: at(...address, "State"),
    zip: at(...address, "PostalCode"),
    country: /^[A-Z]{2}$/.exec(at(...address, "Country"))?.[0],
    year_built: xmlTextAt(element, "YearOfConstruction"),
    stories: xmlTextAt(element, "FloorsAboveGrade"),
    gross_area_sqft: grossArea ? convertImportedArea(String(grossArea), "sqft", areaUnit) : undefined,
    unit_count: units > 0 ? String(units) : undefined,
  };
}

/** Returns the building that each ID is of: its own, that of a part of it, and of its site if there is no other. */
function placesOf(buildings: readonly Building[]): ReadonlyMap<string, Building> {
  const places = new Map<string, Building>();
  for (const building of buildings)
    for (const { attributes } of allXmlElements(building.element))
      for (const id of [attributes.ID, attributes.IDref])
        if (id !== undefined && !places.has(id)) places.set(id, building);
  const bySite = Map.groupBy(buildings, ({ site }) => site);
  for (const [site, [only, ...others]] of bySite)
    if (site.attributes.ID !== undefined && others.length === 0) places.set(site.attributes.ID, only!);
  return places;
}

/** Returns the building that a system names, or that names it; of several the first. Undefined where that is open. */
function buildingOf(
  system: XmlElement,
  buildings: readonly Building[],
  places: ReadonlyMap<string, Building>,
): Building | undefined {
  if (buildings.length < 2) return buildings[0];
  for (const premises of xmlElementsAt(system, "LinkedPremises"))
    for (const { attributes } of allXmlElements(premises)) {
      const building = places.get(attributes.IDref ?? "");
      if (building) return building;
    }
  return places.get(system.attributes.ID ?? "");
}

/** A year of equipment is within these, so that `0` and the like are no year. */
const YEAR = /^(1[89]|20)\d{2}$/;
const MOST = 500;

function applianceOf(
  { reference }: Building,
  { element, typeId }: Equipment,
  areas: ReadonlyMap<string, number>,
): TableCells {
  const near = (...names: string[]) =>
    [element, ...element.children]
      .flatMap((one) => names.map((name) => xmlTextAt(one, name)))
      .find(Boolean) ?? "";
  const year = near("YearInstalled", "YearofManufacture").slice(0, 4);
  const quantity = Number(near("Quantity"));
  return {
    ...reference,
    type_id: typeId,
    serial: (element.attributes.ID ?? "").slice(0, LONGEST_REFERENCE),
    brand: near("Manufacturer"),
    model: near("ModelNumber"),
    install_year: YEAR.test(year) ? year : undefined,
    quantity: Number.isInteger(quantity) && quantity > 1 && quantity <= MOST ? String(quantity) : undefined,
    size: buildingSyncEquipmentSize(element, typeId!, areas),
  };
}
