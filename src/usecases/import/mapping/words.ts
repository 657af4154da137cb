/* The words by which headings and cells of other people's files are recognized. */

/** Splits a heading into lower-case words: `NO_OF_ELEVATORS` is `no of elevators`. */
export const plainWords = (text: string): string =>
  text
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

type FieldWords = readonly (readonly [field: string, heading: RegExp])[];

/** The headings of each field besides its own name. The first column that matches provides it. */
export const FIELD_WORDS: Readonly<
  Record<"properties" | "appliances" | "service_events" | "claims", FieldWords>
> = {
  properties: [
    [
      "partner_property_id",
      /^(rsn|(property|building|site|facility|location) (id|code|number|no|ref|reference))$/,
    ],
    ["name", /^((property|building|facility|site) name|property|building|facility)$/],
    ["address", /^((street|site|property|building|location) )?address( line)?( 1)?$|^street$/],
    ["city", /^(town|municipality|city name)$/],
    ["state", /^(province|state province|state or province|region)$/],
    ["zip", /^(zip code|zipcode|postal code|postcode|pcode)$/],
    ["country", /^country code$/],
    [
      "unit_count",
      /^((confirmed|number of|no of|total|residential) )?(units|suites|apartments)$|^unit count$/,
    ],
    ["stories", /^((confirmed|number of|no of) )?(storeys|stories|floors)$/],
    ["year_built", /^(year of construction|construction year|built|built in)$/],
    ["gross_area_sqft", /^(gross (floor )?area( sq ?ft| sf)?|gfa|square (feet|footage)|sq ?ft)$/],
    ["replacement_value", /^(insured value|building value|replacement cost)$/],
  ],
  appliances: [
    [
      "type_id",
      /^((equipment|asset|appliance|system|component) (type|category|class)|type|equipment|asset|category)$/,
    ],
    [
      "install_year",
      /^((year|date) (installed|of installation)|install(ed|ation)?( year| date)?|in service date)$/,
    ],
    ["brand", /^(manufacturer|make|maker)$/],
    ["model", /^model (number|no)$/],
    ["serial", /^((serial|asset|equipment|tag) (number|no|id|tag)|tag)$/],
    ["quantity", /^(quantity|qty|count|number|no of units)$/],
    ["size", /^capacity$/],
    ["unit", /^(unit|apartment|suite) (number|no)$/],
  ],
  service_events: [
    [
      "date",
      /^((visit|inspection|service|work|completion|completed|evaluation) date|(\S+ )?completed( on)?|date (completed|of service|of visit))$/,
    ],
    ["event_type", /^((work|order|event|service|visit) type|type of (work|service))$/],
    ["serial", /^((serial|asset|equipment|tag) (number|no|id|tag)|tag|asset)$/],
    ["technician", /^(vendor|contractor|inspector|performed by|completed by)$/],
    ["notes", /^(description|comments?|work (performed|description)|remarks|findings)$/],
    ["total_cost", /^(cost|amount|total|invoice amount)$/],
    ["condition_after", /^condition$/],
    ["condition_score", /^((condition )?(score|rating))$/],
  ],
  claims: [
    ["claim_number", /^claim (no|id|ref)$|^claim$/],
    ["date_of_loss", /^(loss date|dol|accident date|occurrence date)$/],
    ["claim_type", /^((cause|type)( of loss)?|peril|cause of loss description|loss (type|cause))$/],
    ["paid", /^((total|net|amount) paid|paid (to date|amount))$/],
    ["outstanding", /^((total )?(reserve|reserves|outstanding)( amount)?)$/],
    ["incurred", /^((total|gross) incurred)$/],
    ["status", /^claim status$/],
    ["description", /^(loss description|description of loss)$/],
    ["carrier", /^(insurer|company|insurance company)$/],
    ["reported_on", /^(reported( date)?|date reported|report date)$/],
    ["closed_on", /^(closed( date)?|date closed|close date)$/],
  ],
};

/** Returns the field that a heading means by its words, also in camel case: `NumberOfStoreys` is `stories`. */
export function fieldOfHeading(kind: keyof typeof FIELD_WORDS, heading: string): string | undefined {
  const words = plainWords(heading.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2"));
  return FIELD_WORDS[kind].find(([, pattern]) => pattern.test(words))?.[0];
}

/** The words of each type of appliance, the more particular ones first. */
const EQUIPMENT: readonly (readonly [words: RegExp, typeId: string])[] = [
  [/\b(elevators?|lifts?)\b/, "elevator"],
  [/\b(sprinklers?|fire suppression|fire pumps?|standpipes?)\b/, "fire_suppression"],
  [/\bfire (alarms?|detection)\b/, "fire_alarm"],
  [/\b(generators?|emergency power|standby power)\b/, "generator"],
  [/\bsump\b/, "sump_pump"],
  [/\btankless\b/, "water_heater_tankless"],
  [/\belectric (water heaters?|hot water)\b|\bwater heaters? electric\b/, "water_heater_electric"],
  [/\bwater heaters?\b|\bdomestic hot water\b|\bdhw\b/, "water_heater_gas"],
  [/\b(boilers?|hydronic|heating hot water)\b/, "boiler"],
  [/\b(furnaces?|forced air gas)\b/, "furnace_gas"],
  [/\bheat pumps?\b/, "hvac_heat_pump"],
  [/\b(mini splits?|ductless)\b/, "hvac_mini_split"],
  [/\b(ptacs?|packaged terminal)\b/, "ptac"],
  [/\b(rooftop units?|rtus?)\b/, "rooftop_unit"],
  [/\bcentral (air|ac|cooling)\b/, "hvac_central"],
  [/\broof(s|ing)?\b/, "roof"],
  [
    /\b(exterior cladding|cladding|facades?|envelope|water pen(etration)? ext(erior)?)\b/,
    "exterior_envelope",
  ],
  [/\b(surface parking|parking (lots?|areas?)|paving)\b/, "parking_lot"],
  [/\bdishwashers?\b/, "dishwasher"],
  [/\bwash(ers?|ing machines?)\b/, "washer"],
  [/\bgas (clothes |laundry )?dryers?\b/, "dryer_gas"],
  [/\bdryers?\b/, "dryer_electric"],
  [/\b(refrigerators?|fridges?)\b/, "refrigerator"],
  [/\bgas (ranges?|stoves?)\b/, "range_gas"],
  [/\b(ranges?|stoves?)\b/, "range_electric"],
  [/\b(garbage )?disposals?\b/, "garbage_disposal"],
  [/\b(swimming )?pools?\b/, "pool_equipment"],
  [/\b(electrical panels?|switchgear|main panel)\b/, "electrical_panel"],
  [/\b(plumbing|water supply|supply piping)\b/, "plumbing_supply"],
  [/\b(drains?|sewers?|sanitary)\b/, "plumbing_drain"],
];

/** Returns the type that the words name; undefined for anything else. */
export function equipmentType(words: string): string | undefined {
  return EQUIPMENT.find(([pattern]) => pattern.test(words))?.[1];
}

/** The province of a Canadian postal code by its first letter; that of the territories is left open. */
const PROVINCES: Readonly<Record<string, string>> = {
  ...{
    A: "NL",
    B: "NS",
    C: "PE",
    E: "NB",
    G: "QC",
    H: "QC",
    J: "QC",
    K: "ON",
    L: "ON",
    M: "ON",
    N: "ON",
    P: "ON",
  },
  ...{ R: "MB", S: "SK", T: "AB", V: "BC", Y: "YT" },
};

/** Returns the province that Canadian postal codes lie in; undefined if any is another country's, or they differ. */
export function provinceOf(postalCodes: readonly string[]): string | undefined {
  const found = new Set(
    postalCodes.map((code) =>
      /^[A-Z]\d[A-Z]( ?\d[A-Z]\d)?$/i.test(code.trim())
        ? PROVINCES[code.trim()[0]!.toUpperCase()]
        : undefined,
    ),
  );
  return found.size === 1 ? [...found][0] : undefined;
}
