import { applianceTypeOfHeadingWords, headingWords } from "../import/mapping/import-heading-words.ts";
import { lookUpImportValue } from "../import/mapping/import-value-lookup.ts";

/*
 * The types of appliances as classes of products: OmniClass Table 23 in the edition of COBie's pick list, and UniFormat.
 * Classes of parts and of terminals (sprinkler heads, elevator doors) are none: a type is a whole system.
 */

/** The class of each type in a workbook of ours. */
export const PRODUCT_CLASSES: Readonly<Record<string, string>> = {
  boiler: "23-33 11 00: Commercial Boilers",
  dishwasher: "23-21 23 25: Residential Dishwashers",
  dryer_electric: "23-21 23 51 11: Residential Electric Laundry Dryers",
  dryer_gas: "23-21 23 51 13: Residential Gas Laundry Dryers",
  electrical_panel: "23-35 31 17: Electrical Panel Boards",
  elevator: "23-23 11 11: Elevators",
  exterior_envelope: "23-13 33 17 11: Exterior Wall Assemblies",
  fire_alarm: "23-29 31 13: Fire Alarm Control Panels",
  fire_suppression: "23-29 33 00: Fire Suppression System Components",
  furnace_gas: "23-33 13 17: Natural Gas Fired Furnaces",
  garbage_disposal: "23-21 23 27 11: Residential Garbage Disposals",
  generator: "23-35 11 00: Electrical Generators",
  hvac_central: "23-33 39 21: Split System Air Conditioning Units",
  hvac_heat_pump: "23-33 17 13: Split System Heat Pumps",
  hvac_mini_split: "23-33 39 21: Split System Air Conditioning Units",
  parking_lot: "23-11 21 00: Pavements",
  plumbing_drain: "23-39 29 11 15: Waste Water Drainage Pipes, Couplings, Collectors",
  plumbing_supply: "23-31 35 00: Plumbing Tubing",
  pool_equipment: "23-21 29 19 23: Swimming Pool Equipment",
  ptac: "23-33 39 19: Packaged Terminal Air Conditioning Units",
  range_electric: "23-21 23 23 25 19: Residential Electric Ovens",
  range_gas: "23-21 23 23 25 17: Residential Gas Ovens",
  refrigerator: "23-21 23 33: Residential Refrigerators And Freezers",
  roof: "23-13 39 00: Roof Coverings, Claddings, Linings",
  rooftop_unit: "23-33 39 17: Packaged Air Conditioners",
  sump_pump: "23-27 17 35: Sewage Ejectors",
  washer: "23-21 23 53: Residential Washing Machines",
  water_heater_electric: "23-31 29 13 11: Hot Water Tank Electric Heaters",
  water_heater_gas: "23-31 29 13 13: Hot Water Tank Gas Heaters",
  water_heater_tankless: "23-31 29 11 13: Gas Instantaneous Hot Water Heaters",
};

type Prefix = { typeId: string | null; others?: readonly string[] };

/**
 * The types by the first digits of a class, of which the longest decides: the type, and others that share the class and are
 * told apart by words. Null for classes that are parts of a type.
 */
const BY_PREFIX: ReadonlyMap<string, Prefix> = new Map<string, Prefix>([
  ...Object.entries({
    "23-33 11": "boiler",
    "23-21 23 51 13": "dryer_gas",
    "23-21 41 31 13": "dryer_gas",
    "23-21 23 23 25 17": "range_gas",
    "23-21 23 25": "dishwasher",
    "23-21 21 19": "dishwasher",
    "23-35 31 13": "electrical_panel",
    "23-35 31 17": "electrical_panel",
    "23-35 31 21": "electrical_panel",
    "23-35 31 29": "electrical_panel",
    "23-35 31 31": "electrical_panel",
    "23-23 11 11": "elevator",
    "23-29 31 13": "fire_alarm",
    "23-33 13": "furnace_gas",
    "23-21 23 27 11": "garbage_disposal",
    "23-21 21 21 13": "garbage_disposal",
    "23-35 11": "generator",
    "23-33 17": "hvac_heat_pump",
    "23-21 29 19 23": "pool_equipment",
    "23-33 39 19": "ptac",
    "23-21 23 33": "refrigerator",
    "23-21 21 27 15": "refrigerator",
    "23-21 21 27 17": "refrigerator",
    "23-13 39": "roof",
    "23-33 39 17": "rooftop_unit",
    "23-33 25 11 13": "rooftop_unit",
    "23-27 17 35": "sump_pump",
    "23-21 23 53": "washer",
    "23-21 41 41": "washer",
    "23-31 29 11": "water_heater_tankless",
    "23-31 29 13 11": "water_heater_electric",
  }).map(([code, typeId]) => [digitsOf(code), { typeId }] as const),
  ...(
    [
      ["23-33 39 21", "hvac_central", ["hvac_mini_split", "hvac_heat_pump"]],
      ["23-21 23 51", "dryer_electric", ["dryer_gas"]],
      ["23-21 41 31", "dryer_electric", ["dryer_gas"]],
      ["23-21 23 23 25", "range_electric", ["range_gas"]],
      ["23-31 29", "water_heater_gas", ["water_heater_electric", "water_heater_tankless"]],
    ] as const
  ).map(([code, typeId, others]) => [digitsOf(code), { typeId, others }] as const),
  ...[
    ...["23-33 11 11", "23-33 11 23", "23-33 13 11", "23-33 13 27", "23-35 11 12", "23-35 11 17"],
    ...["23-23 11 11 19", "23-23 11 11 21", "23-23 11 11 23", "23-21 23 23 25 21", "23-21 23 33 11"],
    ...["23-13 39 13", "23-13 39 17 23", "23-13 39 19 11 11"],
  ].map((code) => [digitsOf(code), { typeId: null }] as const),
]);
/** Types by whole classes, whose subclasses are parts. */
const BY_CLASS: ReadonlyMap<string, string> = new Map(
  Object.entries(PRODUCT_CLASSES).map(([typeId, text]) => [digitsOf(text), typeId] as const),
);
/** Classes under which too much is filed for them to decide: pumps, and whole divisions. */
const UNDECIDED = /^(23|2321|2327|232717|2329|2331|2333|233339|2335)$/;

/** Elements of UniFormat II that are one type. */
const BY_ELEMENT: readonly (readonly [RegExp, string])[] = [
  [/^D101\d/, "elevator"],
  [/^D40[12]\d/, "fire_suppression"],
  [/^B301\d/, "roof"],
  [/^G202\d/, "parking_lot"],
];
/** Types of IFC that are one type. */
const BY_OBJECT: Readonly<Record<string, string>> = {
  IfcBoilerType: "boiler",
  IfcElectricGeneratorType: "generator",
};

/** Words of products that belong to equipment without being it. */
const ACCESSORY =
  /\b(tables?|hoods?|hatch(es)?|doors?|controls|controllers?|valves?|sensors?|detectors?|dampers?|cabs?|curbs?|vents?|flashings?|heads?|(hand|hair) dryers?|tubs?|anchors?|pads?|insulation)\b/;

/** Returns the digits of a class, without the zeros that stand for all of its subclasses. */
function digitsOf(text: string): string {
  const digits = /^\s*23[- ](?:\d{2}[ -]?)+/.exec(text)?.[0].replaceAll(/\D/g, "") ?? "";
  const pairs = digits.match(/../g) ?? [];
  return pairs.slice(0, pairs.findLastIndex((pair) => pair !== "00") + 1).join("");
}

/** Returns the type of a product by its class and its words; undefined for one that has no type. */
export function cobieApplianceType({
  category,
  name,
  description,
  object,
}: Readonly<Record<"category" | "name" | "description" | "object", string>>): string | undefined {
  const byWords = wordsType(name) ?? wordsType(description);
  const digits = digitsOf(category);
  const whole = BY_CLASS.get(digits);
  for (let length = digits.length; length > 2; length -= 2) {
    const found = BY_PREFIX.get(digits.slice(0, length));
    if (found?.typeId === null) return undefined;
    if (found) return byWords && found.others?.includes(byWords) ? byWords : found.typeId;
  }
  if (whole !== undefined) return whole;
  if (digits !== "" && !UNDECIDED.test(digits.slice(0, 6))) return undefined;
  if (byWords) return byWords;
  const element = /^\s*([A-G]\d{4})/.exec(category)?.[1];
  if (element !== undefined) return BY_ELEMENT.find(([pattern]) => pattern.test(element))?.[1];
  return (digits === "" ? wordsType(category) : undefined) ?? lookUpImportValue(BY_OBJECT, object);
}

function wordsType(text: string): string | undefined {
  const words = headingWords(text.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2"));
  return ACCESSORY.test(words) ? undefined : applianceTypeOfHeadingWords(words);
}
