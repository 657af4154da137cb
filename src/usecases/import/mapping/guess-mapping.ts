import { invalid } from "../../../domain/errors.ts";
import { isId } from "../../../domain/ids/record-ids.ts";
import { DAY_FIELDS, type DateFormat, tableCellDateFormatOf } from "../../../table-cells/table-cell-dates.ts";
import {
  CellDecimalSigns,
  tableCellFieldsWithDecimalComma,
} from "../../../table-cells/table-cell-numbers.ts";
import { isTableCellScoreAbove5 } from "../../../table-cells/table-cell-scales.ts";
import type { EquipmentColumn, FileMapping, ScoredColumn } from "./import-file-mapping.ts";
import {
  applianceTypeOfHeadingWords,
  equipmentCountedByHeading,
  FIELD_WORDS,
  headingWords,
  isImportScoreHeading,
  NO_VALUE,
} from "./import-heading-words.ts";
import {
  areImportedPostalCodesCanadian,
  importedStateAbbreviation,
  importProvinceOfPostalCodes,
} from "./import-states-and-provinces.ts";

/** A column with its heading in plain words, and what its first rows contain. */
type Column = {
  name: string;
  words: string;
  /** The field that is chosen for it. */
  chosen: string | undefined;
  cells: readonly string[];
};

/** The fields of each kind, by which headings that are a field's own name are recognized. */
type KnownFields = Readonly<Record<string, readonly string[]>>;

const YES_OR_NO = /^(y|yes|true|oui|n|no|non|false)?$/i;
/** Words of headings that speak of equipment without being it. */
const NOT_EQUIPMENT =
  /\b(tests?|records?|plan|room|rooms|restrictions?|separate|meters?|escape|status|replaced|location|hours|parts)\b/;
/** Fewer columns of scores are no visit of a whole building. */
const FEWEST_SCORES = 4;

/**
 * Guesses what the rows of a file are, and what its columns contain, by their headings and the first rows. `chosen` has the
 * fields of columns that need no guess. `hasEventType` is true if the type of events has a default.
 */
export function guessColumnFields(
  headings: readonly string[],
  sample: readonly (readonly string[])[],
  known: KnownFields,
  typeOf: (text: string) => string | undefined,
  hasCommas = false,
  chosen: ReadonlyMap<string, string> = new Map(),
  hasEventType = false,
): FileMapping {
  const taken = new Set([...chosen.values()].map(headingWords));
  const columns = headings.map(
    (heading, at): Column => ({
      name: heading,
      chosen: chosen.get(heading),
      words: wordsOf(heading, chosen, taken),
      cells: sample.map((row) => (row[at] ?? "").trim()).filter((cell) => !NO_VALUE.test(cell)),
    }),
  );
  const rows = kindOf(columns, known, hasEventType);
  if ((rows === "appliances" || rows === "properties") && columns.some(isOfComponentIds))
    throw invalid(
      "The rows are components or their alerts, which a file with columns of any names cannot change. Import corrections of components with `mainstay import --components`",
    );
  const kind = rows === "visits" ? "service_events" : rows;
  const fields = fieldsOf(columns, kind, known);
  const reference = kind === "properties" ? {} : fieldsOf(columns, "properties", known);
  for (const field of ["partner_property_id", "name", "address"])
    if (
      reference[field] !== undefined &&
      fields[field] === undefined &&
      !Object.values(fields).includes(reference[field])
    )
      fields[field] = reference[field];
  const used = new Set(Object.values(fields));
  const scores = rows === "visits" ? scoredColumns(columns, used) : [];
  if (rows === "visits")
    for (const field of ["condition_score", "condition_after", "notes"]) delete fields[field];
  const column = (name: string | undefined) => columns.find((one) => one.name === name);
  const types = kind === "appliances" ? typeValues(column(fields.type_id), typeOf) : {};
  const dates: Record<string, DateFormat> = {};
  for (const field of DAY_FIELDS) {
    const format =
      fields[field] === undefined ? undefined : tableCellDateFormatOf(column(fields[field])!.cells);
    if (format) dates[field] = format;
  }
  const commas = tableCellFieldsWithDecimalComma(
    fields,
    (name) => CellDecimalSigns.of(column(name)!.cells),
    hasCommas,
  );
  return {
    columns: headings,
    rows,
    fields,
    constants: rows === "properties" ? placeOf(column(fields.zip), fields) : {},
    values: {
      ...valuesUnlessNone("type_id", types),
      ...valuesUnlessNone("state", stateValues(column(fields.state))),
    },
    dates,
    ...(commas.length > 0 && { decimal_comma: commas }),
    equipment: rows === "properties" ? equipmentColumns(columns, used, mayHaveScores(columns, known)) : [],
    scores,
    ...(scores.length > 0 && {
      scale: [
        1,
        scores.some((one) => column(one.column)!.cells.some(isTableCellScoreAbove5)) ? 10 : 5,
      ] as const,
    }),
  };
}

/** Returns the words of a heading, or of the field that is chosen for it, which no other heading then means. */
function wordsOf(heading: string, chosen: ReadonlyMap<string, string>, taken: ReadonlySet<string>): string {
  const field = chosen.get(heading);
  if (field !== undefined) return headingWords(field);
  const words = headingWords(heading);
  return taken.has(words) ? "" : words;
}

/** Returns whether each row has the ID of a component, as the lists of components, alerts and actions do. */
const isOfComponentIds = ({ cells }: Column) =>
  cells.length > 0 && cells.every((cell) => isId("component", cell));

function kindOf(columns: readonly Column[], known: KnownFields, hasEventType: boolean): FileMapping["rows"] {
  const has = (kind: string, field: string) => fieldsOf(columns, kind, known)[field] !== undefined;
  if (has("claims", "date_of_loss")) return "claims";
  if (has("service_events", "date") && scoredColumns(columns, new Set()).length >= FEWEST_SCORES)
    return "visits";
  if (has("service_events", "event_type") && has("service_events", "date")) return "service_events";
  // A log of inspections has the type of its events in no column.
  if (hasEventType && columns.some(({ chosen }) => chosen === "date")) return "service_events";
  if (has("appliances", "type_id") && !has("properties", "address")) return "appliances";
  if (has("appliances", "type_id") && (has("appliances", "install_year") || has("appliances", "quantity")))
    return "appliances";
  return "properties";
}

/** Returns the column of each field: one with the field's own name, else the first whose heading means it. */
function fieldsOf(columns: readonly Column[], kind: string, known: KnownFields): Record<string, string> {
  const fields: Record<string, string> = {};
  const used = new Set<string>();
  const take = (field: string, found: Column | undefined) => {
    if (!found || fields[field] !== undefined) return;
    fields[field] = found.name;
    used.add(found.name);
  };
  for (const field of known[kind] ?? [])
    take(
      field,
      columns.find((column) => !used.has(column.name) && hasNameOf(field, column)),
    );
  for (const [field, heading] of FIELD_WORDS[kind as keyof typeof FIELD_WORDS] ?? []) {
    const matching = columns.filter(({ name, words }) => !used.has(name) && heading.test(words));
    // A heading of an earlier edition of a form stays in later files without cells.
    take(field, matching.find(({ cells }) => cells.length > 0) ?? matching[0]);
  }
  return fields;
}

/**
 * Returns whether a column has a field's own name. `property_id` is recognized by its cells, under any heading: owners call their own
 * references so. Carriers head what they paid to date with the words of `amount_paid`, which our lists of claims have.
 */
function hasNameOf(field: string, { name, words, chosen, cells }: Column): boolean {
  if (field === "amount_paid") return (chosen ?? name) === field;
  if (field !== "property_id") return words === headingWords(field);
  return chosen === undefined
    ? cells.length > 0 && cells.every((cell) => isId("property", cell))
    : chosen === field;
}

/** Returns whether the rows have the day of a visit, or a score: other numbers may be scores too. */
const mayHaveScores = (columns: readonly Column[], known: KnownFields) =>
  fieldsOf(columns, "service_events", known).date !== undefined ||
  columns.some(({ words }) => isImportScoreHeading(words));

function scoredColumns(columns: readonly Column[], used: ReadonlySet<string>): ScoredColumn[] {
  return columns
    .filter(
      ({ name, cells }) =>
        !used.has(name) && cells.length > 0 && cells.every((cell) => /^([1-9]|10)$/.test(cell)),
    )
    .filter(({ words }) => !/\b(id|ward|year|units|floors|stor(ies|eys)|number|no|grade|score)\b/.test(words))
    .map(({ name, words }) => {
      const type_id = NOT_EQUIPMENT.test(words) ? undefined : applianceTypeOfHeadingWords(words);
      return { column: name, ...(type_id && { type_id }) };
    });
}

/** The most choices that a column has, and all columns of a file: each is compared with the words of all types. */
const MOST_CHOICES = { column: 100, file: 2_000 };

function equipmentColumns(
  columns: readonly Column[],
  used: ReadonlySet<string>,
  hasScores: boolean,
): EquipmentColumn[] {
  let choicesLeft = MOST_CHOICES.file;
  const found = columns.flatMap(({ name, words, cells }): EquipmentColumn[] => {
    if (used.has(name) || cells.length === 0) return [];
    const [, counted] =
      /^(?:no|num|number|count|qty|quantity)(?: of)? (.+)$/.exec(words) ??
      /^(.+) (?:count|qty)$/.exec(words) ??
      [];
    const isNumber = cells.every((cell) => /^\d{1,5}$/.test(cell));
    const count = (typeId: string | undefined): EquipmentColumn[] =>
      typeId && isNumber ? [{ column: name, kind: "count", types: { "*": typeId } }] : [];
    if (counted !== undefined)
      return count(NOT_EQUIPMENT.test(counted) ? undefined : applianceTypeOfHeadingWords(counted));
    if (NOT_EQUIPMENT.test(words)) return [];
    if (isNumber && !hasScores) return count(equipmentCountedByHeading(words));
    if (cells.every((cell) => YES_OR_NO.test(cell))) {
      const typeId = applianceTypeOfHeadingWords(words);
      return typeId ? [{ column: name, kind: "flag", types: { "*": typeId } }] : [];
    }
    if (!IS_CHOICE.test(words)) return [];
    const choices = [...new Set(cells)].slice(0, Math.min(MOST_CHOICES.column, choicesLeft));
    choicesLeft -= choices.length;
    const types = Object.fromEntries(
      choices.flatMap((cell) => {
        const typeId = importTypeOfChoice(cell, words);
        return typeId ? [[cell, typeId] as const] : [];
      }),
    );
    return Object.keys(types).length > 0 ? [{ column: name, kind: "choice", types }] : [];
  });
  return found.map((equipment) => {
    const year = yearColumnOf(headingWords(equipment.column), columns);
    return year === undefined ? equipment : { ...equipment, year_column: year };
  });
}

/** Returns the column with the year of the equipment in another column, which shares a word with it. */
function yearColumnOf(words: string, columns: readonly Column[]): string | undefined {
  const own = new Set(words.split(" ").filter((word) => !/^(no|of|type|number|system)$/.test(word)));
  return columns.find(({ words: heading }) => {
    const [, of] =
      /^(.+) (?:year installed|installed year|install(?:ation)? year|year)$/.exec(heading) ??
      /^year (.+) installed$/.exec(heading) ??
      [];
    return of?.split(" ").some((word) => own.has(word) || own.has(`${word}s`));
  })?.name;
}

function typeValues(
  column: Column | undefined,
  typeOf: (text: string) => string | undefined,
): Record<string, string> {
  const distinct = [...new Set(column?.cells ?? [])].slice(0, 500);
  return Object.fromEntries(
    distinct.flatMap((cell) => {
      const typeId = importTypeOfCell(cell, typeOf);
      return typeId !== undefined && typeId !== cell ? [[cell, typeId] as const] : [];
    }),
  );
}

const IS_CHOICE = /^.+ types?$/;

/** Returns the type of equipment that a cell names by itself, or with the words of its heading such as `heating type`. */
export const importTypeOfChoice = (cell: string, heading: string): string | undefined =>
  applianceTypeOfHeadingWords(headingWords(cell)) ??
  applianceTypeOfHeadingWords(`${heading.replace(/ types?$/, "")} ${headingWords(cell)}`);

/** Returns the type of equipment that a cell names; `typeOf` knows the types by their IDs and names. */
export const importTypeOfCell = (
  cell: string,
  typeOf: (text: string) => string | undefined,
): string | undefined => typeOf(cell) ?? applianceTypeOfHeadingWords(headingWords(cell));

/** Returns the abbreviation of the state or province that a cell names. */
export const importStateOfCell = (cell: string): string | undefined =>
  importedStateAbbreviation(headingWords(cell));

const valuesUnlessNone = (field: string, values: Record<string, string>) =>
  Object.keys(values).length > 0 ? { [field]: values } : {};

function stateValues(column: Column | undefined): Record<string, string> {
  const distinct = [...new Set(column?.cells ?? [])].slice(0, 100);
  return Object.fromEntries(
    distinct.flatMap((cell) => {
      const state = importStateOfCell(cell);
      return state === undefined ? [] : [[cell, state] as const];
    }),
  );
}

function placeOf(zip: Column | undefined, fields: Readonly<Record<string, string>>): Record<string, string> {
  if (!zip || fields.country !== undefined || !areImportedPostalCodesCanadian(zip.cells)) return {};
  const province = fields.state === undefined ? importProvinceOfPostalCodes(zip.cells) : undefined;
  if (fields.state === undefined && province === undefined) return {};
  return { country: "CA", ...(province && { state: province }) };
}
