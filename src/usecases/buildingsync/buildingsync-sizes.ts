import { allXmlElements, type XmlElement, xmlElementsAt, xmlTextAt } from "../../xml/read-xml.ts";

/* The sizes of systems of BuildingSync 2, with their units, from which an import converts them. */

/** The types whose size is the volume of a tank, which the standard has in gallons. */
const TANKS = new Set(["water_heater_gas", "water_heater_electric"]);
/** The types whose size is the cooling that they provide, which a source of heat does not state. */
const COOLING = new Set(["rooftop_unit", "hvac_central", "hvac_mini_split", "ptac"]);
/** The types whose size the standard has as a capacity. */
const CAPACITY = new Set([
  ...["boiler", "furnace_gas", "hvac_heat_pump", "generator", "water_heater_tankless"],
  ...COOLING,
]);

/** Returns the area of each roof by its ID, in square feet. */
export function buildingSyncRoofAreas(buildings: readonly XmlElement[]): ReadonlyMap<string, number> {
  const areas = new Map<string, number>();
  for (const building of buildings)
    for (const element of allXmlElements(building)) {
      const id = element.name === "RoofID" ? element.attributes.IDref : undefined;
      const area = Number(id === undefined ? 0 : xmlTextAt(element, "RoofArea"));
      if (area > 0) areas.set(id!, (areas.get(id!) ?? 0) + area);
    }
  return areas;
}

/** Returns the size of a system with its unit; undefined where the document has none. */
export function buildingSyncEquipmentSize(
  system: XmlElement,
  typeId: string,
  roofs: ReadonlyMap<string, number>,
): string | undefined {
  if (typeId === "roof") return withUnit(roofs.get(system.attributes.ID ?? ""), "sq ft");
  if (TANKS.has(typeId))
    return withUnit(
      Number(xmlTextAt(system, "DomesticHotWaterType", "StorageTank", "TankVolume")),
      "gallons",
    );
  if (typeId === "pool_equipment") return withUnit(Number(poolVolume(system)), "gallons");
  if (!CAPACITY.has(typeId) || (COOLING.has(typeId) && system.name === "HeatingSource")) return undefined;
  // The capacity is in the system, or in the device that it is.
  for (const element of [system, ...system.children]) {
    const capacity = ["OutputCapacity", "Capacity", "InputCapacity"]
      .map((name) => Number(xmlTextAt(element, name)))
      .find((value) => value > 0);
    const unit = xmlTextAt(element, "CapacityUnits");
    if (capacity !== undefined && unit !== "" && unit !== "Other") return withUnit(capacity, unit);
  }
  return undefined;
}

const poolVolume = (system: XmlElement): string =>
  xmlTextAt(system, "PoolVolume") ||
  (xmlElementsAt(system, "Heated")[0] ? xmlTextAt(xmlElementsAt(system, "Heated")[0]!, "PoolVolume") : "");

const withUnit = (value: number | undefined, unit: string): string | undefined =>
  value !== undefined && value > 0 ? `${Number(value.toPrecision(6))} ${unit}` : undefined;
