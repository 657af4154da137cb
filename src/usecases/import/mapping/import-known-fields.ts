import type { Knowledge } from "../../../domain/domain-knowledge.ts";
import { closestSpelling } from "../../../spelling/closest-spelling.ts";
import { MOST_CELL } from "../../../table-cells/table-limits.ts";
import type { ColumnMapping } from "../import-columns.ts";
import { IMPORT_FIELDS, REQUIRED_FIELDS } from "../import-portfolio.ts";
import { guessColumnFields } from "./guess-mapping.ts";
import type { FileMapping } from "./import-file-mapping.ts";
import { fieldOfImportHeading, headingWords } from "./import-heading-words.ts";
import type { ImportTable } from "./import-source-table.ts";

/**
 * Guesses the mapping of a file, by its headings and first rows, and by the fields that are chosen for columns: what they say of
 * another kind of rows counts only if the file lacks a required field otherwise, or for a log of events, whose type is among the
 * `stated` fields that have a default.
 */
export function guessFileMapping(
  { types }: Pick<Knowledge, "types">,
  { headings, sample, hasCommas }: Pick<ImportTable, "headings" | "sample" | "hasCommas">,
  chosen: readonly ColumnMapping[] = [],
  stated: readonly string[] = [],
): FileMapping {
  const typeOf = importedApplianceTypeByName(types);
  const guess = (columns: readonly ColumnMapping[]) =>
    guessColumnFields(
      headings,
      sample,
      IMPORT_FIELDS,
      typeOf,
      hasCommas,
      new Map(columns.map(({ column, field }) => [column, field])),
      stated.includes("event_type"),
    );
  const plain = guess([]);
  const own = chosen.filter(({ column }) => headings.includes(column));
  if (own.length === 0) return plain;
  const whole = guess(own);
  if (requiredFieldsMissingInMapping(plain).length > 0 && requiredFieldsMissingInMapping(whole).length === 0)
    return whole;
  const known = mappableFields(plain);
  const isLog = stated.includes("event_type") && own.some(({ field }) => !known.includes(field));
  const isGiven = (field: string) => stated.includes(field);
  if (isLog && whole.rows === "service_events" && requiredFieldsMissingInMapping(whole).every(isGiven))
    return whole;
  return guess(own.filter(({ field }) => known.includes(field)));
}

/** Returns a function that finds the ID of a type by that ID or by the name of the type. */
export function importedApplianceTypeByName(types: Knowledge["types"]): (text: string) => string | undefined {
  const names = new Map(
    [...types.values()].flatMap(({ id, name }) => [
      [headingWords(id), id],
      [headingWords(name), id],
    ]),
  );
  return (text) => names.get(headingWords(text));
}

/** Returns the kind of the importer's rows that the rows of a file become. */
const rowKindOf = ({ rows }: Pick<FileMapping, "rows">) => (rows === "visits" ? "service_events" : rows);

/** Returns the field that a heading means by its words, by which several columns may mean the same. */
export const fieldOfMappedHeading = (mapping: FileMapping, heading: string): string | undefined =>
  fieldOfImportHeading(rowKindOf(mapping), heading);

/** Returns the fields that a column of a file can be mapped to. */
export function mappableFields(mapping: Pick<FileMapping, "rows">): string[] {
  const { rows } = mapping;
  return [
    ...(IMPORT_FIELDS[rowKindOf(mapping)] ?? []),
    ...(rows === "appliances" ? ["quantity"] : []),
    ...(rows === "properties" ? [] : ["name", "address"]),
  ];
}

/** Returns the types of equipment that a mapping names. A cell that means itself is none. */
export const mappedApplianceTypes = ({ equipment, scores, values }: FileMapping): string[] => [
  ...equipment.flatMap(({ kind, types }) => (kind === "choice" ? meaningsIn(types) : Object.values(types))),
  ...scores.flatMap(({ type_id }) => type_id ?? []),
  ...meaningsIn(values.type_id ?? {}),
];

const meaningsIn = (values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).flatMap(([cell, meaning]) => (cell === meaning ? [] : meaning));

/** The fields that an import finds by other means: a property without them has its address as reference and name. */
const DERIVED: Readonly<Record<string, readonly string[]>> = { properties: ["partner_property_id", "name"] };
const REFERENCES = ["partner_property_id", "property_id", "name", "address", "appliance_id", "component_id"];

/** Returns the fields without which every row of a file would be rejected, and that neither a column nor a constant has. */
export function requiredFieldsMissingInMapping(mapping: FileMapping): string[] {
  const { rows, fields, constants } = mapping;
  const kind = rowKindOf(mapping);
  const has = (field: string) => fields[field] !== undefined || constants[field] !== undefined;
  if (has("service_event_id") || has("claim_id")) return [];
  if (rows === "properties" && has("property_id")) return [];
  const required = (REQUIRED_FIELDS[kind] ?? []).filter(
    (field) => !(DERIVED[kind]?.includes(field) || (rows === "visits" && field === "event_type")),
  );
  const lacking = required.filter((field) => !has(field));
  return rows === "properties" || REFERENCES.some(has) ? lacking : [...lacking, "name"];
}

/** Returns what is wrong with a mapping that names a field that rows cannot have, or a column that the file lacks. */
export function mappingProblem(mapping: FileMapping, headings: readonly string[]): string | undefined {
  const { fields, constants, values, dates, decimal_comma = [], equipment, scores } = mapping;
  const known = new Set(mappableFields(mapping));
  const named = [fields, constants, values, dates].flatMap(Object.keys).concat(decimal_comma);
  const field = named.find((name) => !known.has(name));
  if (field !== undefined) {
    const near = closestSpelling(field, [...known]);
    return `${JSON.stringify(field)} is not a field of ${mapping.rows}${near === undefined ? "" : `; did you mean ${near}?`}`;
  }
  // They stand for cells, whose length is limited.
  const texts = { constants, ...values };
  for (const [name, own] of Object.entries(texts))
    for (const [key, text] of Object.entries(own))
      if (text.length > MOST_CELL)
        return `the text of ${JSON.stringify(key.slice(0, 60))} in ${name} has ${text.length} characters; at most ${MOST_CELL} are possible`;
  const there = new Set(headings);
  const read = [...Object.values(fields), ...scores.map(({ column }) => column)];
  for (const { column, year_column } of equipment) read.push(column, year_column ?? column);
  const column = read.find((name) => !there.has(name));
  return column === undefined ? undefined : `${JSON.stringify(column)} is not a column`;
}
