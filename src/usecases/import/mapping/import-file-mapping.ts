import { OperatorError } from "../../../domain/errors.ts";
import { DATE_FORMATS } from "../../../table-cells/table-cell-dates.ts";

/* The mapping of files, as it is shown, saved with --mapping and used again. */

/** Equipment that a building's row has in a column: how many, whether, or of which kind. */
export type EquipmentColumn = {
  column: string;
  kind: "count" | "flag" | "choice";
  /** The type by the cell's value for a choice; for the others the one type is under `*`. */
  types: Readonly<Record<string, string>>;
  year_column?: string;
};

/** A column with the score of one part in a file of visits; without a type, its scores are counted and left out. */
export type ScoredColumn = { column: string; type_id?: string };

export type FileMapping = {
  /** The headings by which a file is recognized. */
  columns: readonly string[];
  rows: "properties" | "appliances" | "service_events" | "claims" | "visits";
  fields: Readonly<Record<string, string>>;
  /** Values for every row. */
  constants: Readonly<Record<string, string>>;
  /** By field: what a cell means. */
  values: Readonly<Record<string, Readonly<Record<string, string>>>>;
  dates: Readonly<Record<string, (typeof DATE_FORMATS)[number]>>;
  /** The fields whose numbers have a decimal comma. */
  decimal_comma?: readonly string[];
  equipment: readonly EquipmentColumn[];
  scores: readonly ScoredColumn[];
  scale?: readonly [number, number];
};

const KINDS: readonly string[] = ["properties", "appliances", "service_events", "claims", "visits"];

type Check = (value: unknown) => boolean;
/** A lone surrogate cannot be stored: it would become another character. */
const isText: Check = (value) => typeof value === "string" && value.isWellFormed();
const isTextOrAbsent: Check = (value) => value === undefined || isText(value);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const mapOf =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check);
const recordOf =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) &&
    Object.keys(value).every((key) => Object.hasOwn(checks, key)) &&
    Object.entries(checks).every(([key, check]) => check(value[key]));

const CHECKS: Readonly<Record<keyof FileMapping, Check>> = {
  columns: listOf(isText),
  rows: (value) => isText(value) && KINDS.includes(value as string),
  fields: mapOf(isText),
  constants: mapOf(isText),
  values: mapOf(mapOf(isText)),
  dates: mapOf((value) => (DATE_FORMATS as readonly unknown[]).includes(value)),
  decimal_comma: (value) => value === undefined || listOf(isText)(value),
  equipment: listOf(
    recordOf({
      column: isText,
      kind: (value) => value === "count" || value === "flag" || value === "choice",
      types: mapOf(isText),
      year_column: isTextOrAbsent,
    }),
  ),
  scores: listOf(recordOf({ column: isText, type_id: isTextOrAbsent })),
  scale: (value) =>
    value === undefined || (listOf(Number.isFinite as Check)(value) && (value as number[]).length === 2),
};

export const mappingFileText = (files: readonly FileMapping[]): string =>
  `${JSON.stringify({ version: 1, files }, null, 2)}\n`;

/** Reads a saved mapping. Throws an OperatorError that names the entry that is wrong. */
export function loadImportMappingFile(name: string, text: string): readonly FileMapping[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new OperatorError(
      `${name} is not JSON`,
      "Restore it, or remove it to have the mapping guessed again.",
    );
  }
  const files =
    isObject(value) && value.version === 1 && Array.isArray(value.files) ? value.files : undefined;
  if (!files) throw wrongMapping(name, "expected version 1 and a list of files");
  const unknown = Object.keys(value as object).find((key) => key !== "version" && key !== "files");
  if (unknown !== undefined)
    throw wrongMapping(name, `${JSON.stringify(unknown)} is neither version nor files`);
  for (const [index, file] of files.entries()) {
    if (!isObject(file)) throw wrongMapping(name, `files.${index} is not an object`);
    const key = wrongKey(file);
    if (key !== undefined) throw wrongMapping(name, `files.${index}.${key} is not valid`);
  }
  return files as FileMapping[];
}

/** Returns the value if it is the mapping of a file. */
export const validFileMapping = (value: unknown): FileMapping | undefined =>
  isObject(value) && wrongKey(value) === undefined ? (value as FileMapping) : undefined;

function wrongKey(file: Record<string, unknown>): string | undefined {
  const wrong = [...new Set([...Object.keys(file), ...Object.keys(CHECKS)])].find(
    (key) => !Object.hasOwn(CHECKS, key) || !CHECKS[key as keyof FileMapping](file[key]),
  );
  if (wrong !== undefined) return wrong;
  const { columns, equipment, scores } = file as FileMapping;
  // Each of them is read in each row.
  if (equipment.length > columns.length) return "equipment";
  return scores.length > columns.length ? "scores" : undefined;
}

const wrongMapping = (name: string, problem: string) =>
  new OperatorError(
    `${name}: ${problem}`,
    "Correct it, or remove the file to have the mapping guessed again.",
  );

/** Returns the saved mapping of a file with these headings. */
export const findSavedMapping = (
  saved: readonly FileMapping[],
  headings: readonly string[],
): FileMapping | undefined =>
  saved.find(
    ({ columns }) => columns.length === headings.length && columns.every((name, i) => name === headings[i]),
  );
