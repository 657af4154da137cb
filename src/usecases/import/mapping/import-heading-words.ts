/* The words by which headings and cells of other people's files are recognized. */

/** Splits a heading into lower-case words without accents: `NO_OF_ELEVATORS` is `no of elevators`. */
export const headingWords = (text: string): string =>
  text
    .slice(0, 200)
    .replace(/#/g, " no ")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Cells that say that nothing is known. */
export const NO_VALUE =
  /^(n\/?a|n\/d|none|unknown|unk|tb[da]|to be (determined|confirmed)|not (available|applicable|known)|inconnue?|s\/o|[-–—?.]+)?$/i;

/** Returns whether a cell of a field says that nothing is known; as a country, NA is Namibia. */
export const importCellIsUnknown = (field: string, cell: string): boolean =>
  NO_VALUE.test(cell) && !(field === "country" && cell === "NA");

/** The results of formulas that spreadsheet programs could not compute. */
export const FORMULA_ERROR = /^#(n\/a|ref!|value!|div\/0!|name\?|null!|num!|spill!|calc!|getting_data)$/i;

/** The first cell of a row that adds up others. */
export const TOTALS_HEADINGS = /^((grand|sub|portfolio) ?)?totals?( general)?:?$|^(sous total|sum|somme)$/;

type FieldWords = readonly (readonly [field: string, heading: RegExp])[];

/** The headings of each field besides its own name. The first column that matches provides it. */
export const FIELD_WORDS: Readonly<
  Record<"properties" | "appliances" | "service_events" | "claims", FieldWords>
> = {
  properties: [
    [
      "partner_property_id",
      /^(rsn|(property|building|site|facility|location|bldg) (id|code|number|no|ref|reference)|(code|no|numero) (de |d )?(l )?immeuble)$/,
    ],
    [
      "name",
      /^((property|building|facility|site|complex) name|property|building|facility|complex|nom( (de |du )(l )?(immeuble|batiment))?|immeuble|batiment)$/,
    ],
    [
      "address",
      /^((street|site|property|building|location|mailing) )?addr(ess)?( line)?( 1)?$|^street$|^adresse( civique)?$/,
    ],
    ["city", /^(town|municipality|city name|(property|building|location) city|ville|municipalite)$/],
    [
      "state",
      /^(province|prov|st|state province|state or province|region|(property|building|location) state)$/,
    ],
    [
      "zip",
      /^(zip code|zipcode|postal code|postcode|pcode|zip postal code|code postal|(property|building) zip)$/,
    ],
    ["country", /^country code$/],
    [
      "unit_count",
      /^((confirmed|number of|no of|no|total|residential) )?(units|suites|apartments|apts)$|^units? count$|^(nombre de |nb )(logements|unites)$|^logements$/,
    ],
    ["stories", /^((confirmed|number of|no of|no) )?(storeys|stories|floors)$|^(nombre d |nb )?etages$/],
    [
      "year_built",
      /^(year of construction|construction year|built|built in|yr built|built year|annee (de )?construction)$/,
    ],
    [
      "gross_area_sqft",
      /^((gross|total|building) (floor )?area|floor area)( (sq ?(ft|m)|sf|m2))?$|^area (sq ?(ft|m)|sf|m2)$|^(gfa|gsf|sf|square (feet|footage)|sq ?ft|building (sf|size))$|^superficie( brute)?( (m2|m|pi2))?$/,
    ],
    [
      "replacement_value",
      /^(insured value|building value|replacement cost|tiv|total insured value|valeur (de remplacement|assuree))$/,
    ],
  ],
  appliances: [
    [
      "type_id",
      /^((equipment|asset|appliance|system|component) (type|category|class|description)|type|equipment|asset|appliances?|category|equipements?|appareils?|type d (equipement|appareil))$/,
    ],
    [
      "install_year",
      /^((year|date|yr) (installed|of installation)|install(ed|ation)?( year| date| yr)?|in service date|annee d installation)$/,
    ],
    ["brand", /^(manufacturer|mfr|mfg|make|maker|fabricant|marque)$/],
    ["model", /^(model (number|no)|modele)$/],
    ["serial", /^((serial|asset|equipment|tag) (number|no|id|tag)|tag|(numero|no) de serie)$/],
    ["quantity", /^(quantity|qty|count|number|no of units|quantite|qte)$/],
    ["size", /^(capacity|size|capacite)( \S+){0,2}$/],
    ["unit", /^((unit|apartment|apt|suite)s?( (number|no)s?)?|logements?)$/],
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
    ["total_cost", /^(cost|amount|total|invoice amount|cout)$/],
    ["condition_after", /^condition$/],
    ["condition_score", /^((condition )?(score|rating))$/],
  ],
  claims: [
    ["claim_number", /^claim (no|id|ref)$|^claim$/],
    ["date_of_loss", /^(loss date|dol|accident date|occurrence date)$/],
    ["claim_type", /^((cause|type)( of loss)?|peril|cause of loss description|loss (type|cause))$/],
    ["paid", /^((total|net|amount) paid|paid (to date|amount))$/],
    ["outstanding", /^((total )?(reserve|reserves|outstanding)( amount)?)$/],
    ["status", /^claim status$/],
    ["description", /^(loss description|description of loss)$/],
    ["carrier", /^(insurer|company|insurance company)$/],
    ["reported_on", /^(reported( date)?|date reported|report date)$/],
    ["closed_on", /^(closed( date)?|date closed|close date)$/],
  ],
};

/** Returns the field that a heading means by its words, also in camel case: `NumberOfStoreys` is `stories`. */
export function fieldOfImportHeading(kind: keyof typeof FIELD_WORDS, heading: string): string | undefined {
  const words = headingWords(heading.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2"));
  return FIELD_WORDS[kind].find(([, pattern]) => pattern.test(words))?.[0];
}

/** Returns whether the words of a heading mean a field of any kind. */
export const isImportFieldHeading = (words: string): boolean =>
  Object.values(FIELD_WORDS).some((fields) => fields.some(([, pattern]) => pattern.test(words)));

/** The words of each type of appliance, the more specific ones first. */
const EQUIPMENT: readonly (readonly [words: RegExp, typeId: string])[] = [
  [/\b(elevators?|lifts?|ascenseurs?)\b/, "elevator"],
  [/\b(sprinklers?|fire suppression|fire pumps?|standpipes?|gicleurs?)\b/, "fire_suppression"],
  [/\bfire (alarms?|detection)\b|\balarmes? (d )?incendie\b/, "fire_alarm"],
  [/\b(generators?|emergency power|standby power|generatrices?)\b/, "generator"],
  [/\bsump\b/, "sump_pump"],
  [/\btankless\b/, "water_heater_tankless"],
  [/\belectric (water heaters?|hot water)\b|\bwater heaters? electric\b/, "water_heater_electric"],
  [/\bwater heaters?\b|\bdomestic hot water\b|\bdhw\b|\bchauffe eau\b/, "water_heater_gas"],
  [/\b(boilers?|hydronic|heating hot water|chaudieres?)\b/, "boiler"],
  [/\b(furnaces?|forced air gas|fournaises?)\b/, "furnace_gas"],
  [/\bheat pumps?\b/, "hvac_heat_pump"],
  [/\b(mini splits?|ductless)\b/, "hvac_mini_split"],
  [/\b(ptacs?|packaged terminal)\b/, "ptac"],
  [/\b(rooftop units?|rtus?)\b/, "rooftop_unit"],
  [/\bcentral (air|ac|cooling)\b/, "hvac_central"],
  [/\b(roof(s|ing)?|toitures?|toits?)\b/, "roof"],
  [
    /\b(exterior cladding|cladding|facades?|envelope|water pen(etration)? ext(erior)?)\b/,
    "exterior_envelope",
  ],
  [/\b(surface parking|parking (lots?|areas?)|paving)\b/, "parking_lot"],
  [/\b(dishwashers?|lave vaisselle)\b/, "dishwasher"],
  [/\b(wash(ers?|ing machines?)|laveuses?)\b/, "washer"],
  [/\bgas (clothes |laundry )?dryers?\b/, "dryer_gas"],
  [/\b(dryers?|secheuses?)\b/, "dryer_electric"],
  [/\b(refrigerat(ors?|eurs?)|fridges?)\b/, "refrigerator"],
  [/\bgas (ranges?|stoves?)\b/, "range_gas"],
  [/\b(ranges?|stoves?|cuisinieres?)\b/, "range_electric"],
  [/\b(garbage )?disposals?\b/, "garbage_disposal"],
  [/\b(swimming )?pools?\b/, "pool_equipment"],
  [/\b(electrical panels?|switchgear|main panel)\b/, "electrical_panel"],
  [/\b(plumbing|water supply|supply piping)\b/, "plumbing_supply"],
  [/\b(drains?|sewers?|sanitary)\b/, "plumbing_drain"],
];

/** Returns the type that the words name; undefined for anything else. */
export function applianceTypeOfHeadingWords(words: string): string | undefined {
  return EQUIPMENT.find(([pattern]) => pattern.test(words))?.[1];
}

/** Returns the type that the words name if they say nothing else, such as `elevators`. */
export function equipmentOfWholeHeading(words: string): string | undefined {
  const found = EQUIPMENT.find(([pattern]) => pattern.test(words));
  return found?.[0].exec(words)?.[0] === words ? found[1] : undefined;
}

const CONDITION = /(?<!\bair )\bconditions?\b/;
const SCORES = /\b(scores?|ratings?|grades?|etat|cote)\b/g;
/** The other words of headings over scores of buildings and their systems. */
const SCORED =
  /\b(overall|total|general|global|average|mean|current|previous|last|latest|proactive|reactive|physical|inspection|eval(uation)?|assessment|survey|index|building|property|site|facility|batiment|immeuble|asset|equipment|systems?|mechanical|electrical|structural|hvac|exterior|interior|of|out|in|the|du|de|l|la|\d+)\b/g;

/**
 * Returns whether a heading is over conditions, or over scores of buildings or their equipment; other numbers of its rows may
 * be scores then. An energy score, a flood rating, and floors above grade say nothing of other columns.
 */
export function isImportScoreHeading(words: string): boolean {
  if (CONDITION.test(words)) return true;
  const other = words.replace(SCORES, " ");
  if (other === words) return false;
  const rest = other.replace(SCORED, " ").replace(/ +/g, " ").trim();
  return rest === "" || equipmentOfWholeHeading(rest) !== undefined;
}

/** Types of which a number counts heads, devices, pipes or sides of a building instead. */
const COUNTED_OTHERWISE = new Set([
  "fire_suppression",
  "fire_alarm",
  "exterior_envelope",
  "plumbing_supply",
  "plumbing_drain",
]);

/** Returns the type of which a heading in the plural has the number, such as `elevators`. */
export function equipmentCountedByHeading(words: string): string | undefined {
  const type = words.endsWith("s") ? equipmentOfWholeHeading(words) : undefined;
  return type === undefined || COUNTED_OTHERWISE.has(type) ? undefined : type;
}
