import { allXmlElements, type XmlElement, xmlElementsAt, xmlTextAt } from "../../xml/read-xml.ts";
import { lookUpImportValue } from "../import/mapping/import-value-lookup.ts";

/* The systems of BuildingSync 2 as equipment. */

/** A piece of equipment, or several: `typeId` is undefined for what has no type, which `what` names. */
export type Equipment = { element: XmlElement; what: string; typeId: string | undefined };

/** Returns the words of an element's name: `critical it system` for CriticalITSystem. */
const plainName = (name: string) =>
  name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase();
const isElectric = (element: XmlElement) => /^electric/i.test(xmlTextAt(element, "PrimaryFuel"));
const hasAt = (element: XmlElement, ...path: string[]) => xmlElementsAt(element, ...path).length > 0;

/** Returns the equipment of an element below `Systems`, such as an `HVACSystem`. */
export function buildingSyncEquipmentOf(system: XmlElement): Equipment[] {
  const { name } = system;
  if (name === "HVACSystem") return hvacOf(system);
  const typeId = lookUpImportValue(TYPES, name)?.(system);
  return [{ element: system, what: plainName(name), typeId }];
}

const TYPES: Readonly<Record<string, (system: XmlElement) => string | undefined>> = {
  DomesticHotWaterSystem: waterHeater,
  ConveyanceSystem: (system) =>
    xmlTextAt(system, "ConveyanceSystemType") === "Elevator" ? "elevator" : undefined,
  RoofSystem: () => "roof",
  DishwasherSystem: () => "dishwasher",
  LaundrySystem: (system) => {
    if (hasAt(system, "LaundryType", "Washer")) return "washer";
    const dries = hasAt(system, "LaundryType", "Dryer");
    return dries
      ? isElectric(system) || xmlTextAt(system, "PrimaryFuel") === ""
        ? "dryer_electric"
        : "dryer_gas"
      : undefined;
  },
  CookingSystem: (system) => {
    if (!/\brange\b/i.test(xmlTextAt(system, "TypeOfCookingEquipment"))) return undefined;
    return isElectric(system) ? "range_electric" : "range_gas";
  },
  Pool: () => "pool_equipment",
  OnsiteStorageTransmissionGenerationSystem: (system) =>
    [...allXmlElements(system)].some(({ name, text }) => name === "BackupGenerator" && text === "true")
      ? "generator"
      : undefined,
};

function waterHeater(system: XmlElement): string | undefined {
  const kind = (...path: string[]) => hasAt(system, "DomesticHotWaterType", ...path);
  if (kind("Instantaneous")) return "water_heater_tankless";
  if (!kind("StorageTank")) return undefined;
  const direct = ["StorageTank", "TankHeatingType", "Direct", "DirectTankHeatingSource"];
  if (kind(...direct, "Combustion")) return "water_heater_gas";
  if (kind(...direct, "ElectricResistance") || isElectric(system)) return "water_heater_electric";
  // A tank that another system heats burns no fuel of its own.
  return kind("StorageTank", "TankHeatingType", "Indirect") ? undefined : "water_heater_gas";
}

/** The type of a packaged system, whose heating and cooling are in one unit. */
function packagedType(text: string): string | undefined {
  if (/packaged rooftop/i.test(text)) return "rooftop_unit";
  if (/packaged terminal/i.test(text)) return "ptac";
  return /(water loop|ground source) heat pump/i.test(text) ? "hvac_heat_pump" : undefined;
}

function coolingType(system: string): string | undefined {
  if (/terminal/i.test(system)) return "ptac";
  if (/^(packaged|single package)/i.test(system)) return "rooftop_unit";
  if (/variable refrigerant/i.test(system)) return "hvac_mini_split";
  if (/split heat pump/i.test(system)) return "hvac_heat_pump";
  return /split/i.test(system) ? "hvac_central" : undefined;
}

function heatingType(source: XmlElement): { what: string; typeId: string | undefined } | undefined {
  const [type] = xmlElementsAt(source, "HeatingSourceType");
  const [kind] = type?.children ?? [];
  // A plant that heats stands under Plants.
  if (!kind || kind.name === "SourceHeatingPlantID" || kind.name === "NoHeating") return undefined;
  const what = plainName(kind.name);
  if (kind.name === "Furnace") return { what, typeId: isElectric(source) ? undefined : "furnace_gas" };
  if (kind.name !== "HeatPump") return { what, typeId: undefined };
  const form = xmlTextAt(kind, "HeatPumpType");
  const packaged =
    form === "Packaged Terminal" ? "ptac" : form === "Packaged Unitary" ? "rooftop_unit" : undefined;
  return { what, typeId: packaged ?? "hvac_heat_pump" };
}

function hvacOf(system: XmlElement): Equipment[] {
  const found: Equipment[] = [];
  for (const kind of ["HeatingPlant", "CoolingPlant", "CondenserPlant"])
    for (const plant of [
      ...xmlElementsAt(system, "Plants", `${kind}s`, kind),
      ...xmlElementsAt(system, "Plants", kind),
    ]) {
      const device = ["Boiler", "Chiller", "DistrictHeating", "DistrictChilledWater", "SolarThermal"].find(
        (name) => hasAt(plant, name),
      );
      const what = plainName(device ?? kind);
      found.push({ element: plant, what, typeId: device === "Boiler" ? "boiler" : undefined });
    }
  const principal = packagedType(xmlTextAt(system, "PrincipalHVACSystemType"));
  const sources = (kind: string) => [
    ...xmlElementsAt(system, "HeatingAndCoolingSystems", `${kind}s`, kind),
    ...xmlElementsAt(system, "HeatingAndCoolingSystems", kind),
  ];
  const cooling = sources("CoolingSource").flatMap((element): Equipment[] => {
    const [dx] = xmlElementsAt(element, "CoolingSourceType", "DX");
    if (!dx) return [];
    return [{ element, what: "DX cooling", typeId: coolingType(xmlTextAt(dx, "DXSystemType")) ?? principal }];
  });
  const cooled = new Set(cooling.map(({ typeId }) => typeId));
  const heating = sources("HeatingSource").flatMap((element): Equipment[] => {
    const kind = heatingType(element);
    if (!kind) return [];
    const typeId = principal ?? kind.typeId;
    // A packaged unit, or a heat pump, is one piece of equipment that heats and cools.
    const isCooled = cooled.has(typeId) || (cooled.has("rooftop_unit") && typeId === "furnace_gas");
    return isCooled ? [] : [{ element, what: kind.what, typeId }];
  });
  return [...found, ...cooling, ...heating];
}
