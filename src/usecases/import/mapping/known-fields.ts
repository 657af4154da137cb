import type { Knowledge } from "../../../domain/knowledge.ts";
import { IMPORT_FIELDS } from "../import-portfolio.ts";
import type { FileMapping } from "./file-mapping.ts";
import { guessMapping } from "./guess.ts";
import { fieldOfHeading, plainWords } from "./words.ts";

/** Guesses the mapping of a file, by its headings and first rows. */
export function guessFileMapping(
  { types }: Knowledge,
  { headings, sample }: { headings: readonly string[]; sample: readonly (readonly string[])[] },
): FileMapping {
  const names = new Map(
    [...types.values()].flatMap(({ id, name }) => [
      [plainWords(id), id],
      [plainWords(name), id],
    ]),
  );
  return guessMapping(headings, sample, IMPORT_FIELDS, (text) => names.get(plainWords(text)));
}

/** Returns the kind of the importer's rows that the rows of a file become. */
const rowKindOf = ({ rows }: Pick<FileMapping, "rows">) => (rows === "visits" ? "service_events" : rows);

/** Returns the field that a heading means by its words, by which several columns may mean the same. */
export const fieldMeant = (mapping: FileMapping, heading: string): string | undefined =>
  fieldOfHeading(rowKindOf(mapping), heading);

/** Returns the fields that a column of a file can be mapped to. */
export function mappableFields(mapping: Pick<FileMapping, "rows">): string[] {
  const { rows } = mapping;
  return [
    ...(IMPORT_FIELDS[rowKindOf(mapping)] ?? []),
    ...(rows === "appliances" ? ["quantity"] : []),
    ...(rows === "properties" ? [] : ["name", "address"]),
  ];
}

/** Returns the types of equipment that a mapping names. */
export const mappedTypes = ({ equipment, scores, values }: FileMapping): string[] => [
  ...equipment.flatMap(({ types }) => Object.values(types)),
  ...scores.flatMap(({ type_id }) => type_id ?? []),
  ...Object.values(values.type_id ?? {}),
];
