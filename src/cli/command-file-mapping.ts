import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { OperatorError } from "../domain/errors.ts";
import { isMonthFirstWording } from "../domain/wording/currency-and-unit-wording.ts";
import { replaceFile } from "../files/durable-files.ts";
import { embeddedKnowledge } from "../knowledge/embedded-knowledge.ts";
import type { DateFormat } from "../table-cells/table-cell-dates.ts";
import { tableCellsHaveRejectColumns } from "../table-cells/table-limits.ts";
import type { ColumnMapping, FieldDefault } from "../usecases/import/import-columns.ts";
import { hasImportCountsFile } from "../usecases/import/import-rejects.ts";
import {
  type FileMapping,
  findSavedMapping,
  loadImportMappingFile,
  mappingFileText,
} from "../usecases/import/mapping/import-file-mapping.ts";
import {
  fieldOfMappedHeading,
  guessFileMapping,
  mappableFields,
  mappedApplianceTypes,
  mappingProblem,
  requiredFieldsMissingInMapping,
} from "../usecases/import/mapping/import-known-fields.ts";
import type { ImportTable, LeftOut } from "../usecases/import/mapping/import-source-table.ts";
import { openImportTables } from "../usecases/import/mapping/open-source-tables.ts";
import type { MappedTable } from "../usecases/import/mapping/prepare-import-rows.ts";
import {
  type ColumnSurvey,
  surveyMappedColumns,
  withGuessedWords,
} from "../usecases/import/mapping/survey-mapped-columns.ts";
import { UsageError } from "./command.ts";
import type { CommandContext } from "./command-context.ts";

/* Files whose columns are not the importer's own: their mapping is guessed, shown, and applied once it is confirmed. */

type ValueMapping = { field: string; values: Readonly<Record<string, string>> };

type MappedRequest = {
  files: readonly string[];
  /** The file that keeps the mapping. */
  mapping: string | undefined;
  map: readonly ColumnMapping[];
  defaults: readonly FieldDefault[];
  mapValues: readonly ValueMapping[];
  /** The order of day and month in dates that have either. */
  dates: DateFormat | undefined;
  yes: boolean;
};

/** Parses `FIELD VALUE=VALUE,…`. Throws a UsageError. */
export function parseValueMappingOption(typed: string): ValueMapping {
  const [, field, pairs] = /^([a-z_]+)[ :](.+)$/.exec(typed.trim()) ?? [];
  const values = (pairs ?? "").split(",").map((pair) => pair.split("=").map((part) => part.trim()));
  if (field === undefined || values.some((pair) => pair.length !== 2 || pair.includes("")))
    throw new UsageError(`expected 'FIELD VALUE=VALUE,…', got ${JSON.stringify(typed)}`);
  return { field, values: Object.fromEntries(values) };
}

/** A table with what its rows say of the mapping. */
type ShownTable = MappedTable & { survey: ColumnSurvey; hasKeptMapping: boolean };

type MappedFiles = { mapped: readonly MappedTable[]; leftOut: readonly LeftOut[] };

/**
 * Opens the files, and returns their mapping once the user has confirmed it, with the sheets that are not read. Throws a
 * UsageError without confirmation.
 */
export async function confirmCommandFileMappings(
  context: CommandContext,
  request: MappedRequest,
): Promise<MappedFiles> {
  const { cwd, stderr, isTty, json } = context;
  const path = request.mapping === undefined ? undefined : resolve(cwd, request.mapping);
  const saved = path === undefined ? [] : savedMapping(path);
  const knowledge = embeddedKnowledge(context.config.costs);
  const isType = (text: string) => knowledge.types.has(text);
  const areaUnit = context.config.display.units === "metric" ? "m2" : "sqft";
  const mapped: ShownTable[] = [];
  const without: ShownTable[] = [];
  for (const file of request.files) {
    refuseRejects(resolve(cwd, file));
    for (const table of await openImportTables(resolve(cwd, file), areaUnit)) {
      const kept = table.form?.mapping ?? findSavedMapping(saved, table.headings);
      const moved = kept && movedFields(kept, request);
      const guess =
        moved?.size === 0
          ? kept!
          : guessFileMapping(
              knowledge,
              table,
              request.map,
              request.defaults.map(({ field }) => field),
            );
      const base = moved ? reread(kept!, guess, moved) : guess;
      const survey = await surveyMappedColumns(table, refined(base, request), knowledge.types);
      const mapping = refined(withSurvey(base, survey, moved), request);
      refuseAmbiguous({ table, mapping, survey }, moved ?? Object.keys(mapping.dates), request);
      if (!table.form) refuseMisnamed(table, mapping);
      refuseUnknownTypes(table, mapping, isType);
      const isUsable = table.form !== undefined || requiredFieldsMissingInMapping(mapping).length === 0;
      (isUsable ? mapped : without).push({ table, mapping, survey, hasKeptMapping: kept !== undefined });
    }
  }
  refuseIdle([...mapped, ...without], request);
  // A sheet of notes beside the data is not read; without any data the first of them is what was meant.
  const unusable =
    without.find(({ table }) => table.count > 0 && !isSheet(table)) ??
    (mapped.length === 0 ? without[0] : undefined);
  if (unusable) throw lacking(unusable);
  const leftOut = without.map(({ table, mapping }): LeftOut => {
    const reason = `no column for ${requiredFieldsMissingInMapping(mapping).join(" or ")}`;
    return { file: table.name, what: basename(table.name), reason, cells: table.count + 1 };
  });
  if (!json) for (const { what, reason } of leftOut) stderr.write(`${what} is not read: ${reason}\n\n`);
  if (!json) stderr.write(`${mapped.map((one) => mappingSummary(one, isType)).join("\n\n")}\n\n`);
  if (!request.yes) await confirm(isTty && !json, path);
  if (path !== undefined) {
    const own = mapped.filter(({ table }) => !table.form).map(({ mapping }) => mapping);
    const others = saved.filter(({ columns }) => !findSavedMapping(own, columns));
    await replaceFile(path, mappingFileText([...others, ...own]));
  }
  return { mapped, leftOut };
}

/** Reads a file of mappings, which is created with the first. Throws an OperatorError where none can be. */
function savedMapping(path: string): readonly FileMapping[] {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status?.isFile()) return loadImportMappingFile(path, readFileSync(path, "utf8"));
  if (status) throw new OperatorError(`${path} is not a regular file`, "Specify a file with --mapping.");
  if (existsSync(dirname(path))) return [];
  throw new OperatorError(
    `Folder not found: ${dirname(path)}`,
    "Create the folder, or specify another file with --mapping.",
  );
}

/** Returns the fields for which the command line names another column than a saved mapping. */
const movedFields = ({ columns, fields }: FileMapping, { map }: MappedRequest): ReadonlySet<string> =>
  new Set(
    map
      .filter(({ column, field }) => columns.includes(column) && fields[field] !== column)
      .map(({ field }) => field),
  );

/** Returns a saved mapping, with the cells of the fields that moved to another column read as the guess says. */
function reread(saved: FileMapping, guess: FileMapping, moved: ReadonlySet<string>): FileMapping {
  const merged = <T>(kept: Readonly<Record<string, T>>, guessed: Readonly<Record<string, T>>) =>
    Object.fromEntries([
      ...Object.entries(kept).filter(([field]) => !moved.has(field)),
      ...Object.entries(guessed).filter(([field]) => moved.has(field)),
    ]);
  const commas = [
    ...(saved.decimal_comma ?? []).filter((field) => !moved.has(field)),
    ...(guess.decimal_comma ?? []).filter((field) => moved.has(field)),
  ];
  const { decimal_comma, ...kept } = saved;
  return {
    ...kept,
    values: merged(saved.values, guess.values),
    dates: merged(saved.dates, guess.dates),
    ...(commas.length > 0 && { decimal_comma: commas }),
  };
}

/**
 * Returns a mapping with what all rows of its table say: the formats of dates and numbers of the fields that `moved`, or of all
 * of a new one, and the meanings of words that it has none for.
 */
function withSurvey(
  mapping: FileMapping,
  { dates, decimalComma, hasScoresAbove5, guessed }: ColumnSurvey,
  moved: ReadonlySet<string> | undefined,
): FileMapping {
  const isOpen = (field: string) => moved?.has(field) ?? true;
  const { decimal_comma: before = [], ...kept } = mapping;
  const commas = [...before.filter((field) => !isOpen(field)), ...decimalComma.filter(isOpen)];
  return withGuessedWords(
    {
      ...kept,
      dates: { ...mapping.dates, ...Object.fromEntries([...dates].filter(([field]) => isOpen(field))) },
      ...(commas.length > 0 && { decimal_comma: commas }),
      ...(hasScoresAbove5 && !moved && { scale: [1, 10] as const }),
    },
    guessed,
  );
}

/** Applies what the command line says about columns, constants and values. */
function refined(
  mapping: FileMapping,
  { map, defaults, mapValues, dates: order }: MappedRequest,
): FileMapping {
  const known = mappableFields(mapping);
  const fields: Record<string, string> = { ...mapping.fields };
  for (const { column, field } of map) {
    if (!mapping.columns.includes(column) || !known.includes(field)) continue;
    for (const other of Object.keys(fields)) if (fields[other] === column) delete fields[other];
    fields[field] = column;
  }
  const constants = { ...mapping.constants };
  for (const { field, text } of defaults) if (known.includes(field)) constants[field] = text;
  const values = { ...mapping.values };
  for (const { field, values: given } of mapValues)
    if (known.includes(field)) values[field] = { ...values[field], ...given };
  const isOrdered = (format: DateFormat) => order !== undefined && SLASHED.includes(format);
  const dates = Object.fromEntries(
    Object.entries(mapping.dates).map(([field, format]) => [field, isOrdered(format) ? order! : format]),
  );
  return { ...mapping, fields, constants, values, dates };
}

const SLASHED: readonly DateFormat[] = ["MM/DD/YYYY", "DD/MM/YYYY", "SEVERAL FORMATS"];

const isSheet = ({ name }: ImportTable) => /, sheet /.test(name);

function lacking({ table, mapping }: MappedTable): UsageError {
  const fields = requiredFieldsMissingInMapping(mapping);
  const headings = table.headings.filter(Boolean).map((heading) => JSON.stringify(heading.slice(0, 60)));
  return new UsageError(
    `${table.name}: no column for ${fields.join(" and ")} was recognized, which each row needs to be ${ROWS[mapping.rows]}`,
    `Its headings are ${someOf(headings)}. Pass ${fields.map((field) => `--map 'COLUMN=${field}'`).join(" ")}, or --default ${fields[0]}=VALUE. If the headings are in a lower row, delete the rows above it.`,
  );
}

/** Throws a UsageError for dates that may have the day or the month first, where the installation or the file is not of the US. */
function refuseAmbiguous(
  { table, mapping, survey }: Pick<ShownTable, "table" | "mapping" | "survey">,
  fields: Iterable<string>,
  { dates, defaults }: MappedRequest,
): void {
  const country = defaults.find(({ field }) => field === "country")?.text ?? mapping.constants.country;
  if (dates !== undefined || isMonthFirstWording(country)) return;
  for (const field of fields) {
    const column = mapping.fields[field];
    const date = mapping.dates[field] && survey.ambiguous.get(field);
    if (date !== undefined)
      throw new UsageError(
        `${table.name}, column ${column}: ${date} may be a date with the day or the month first`,
        "Pass --dates DD/MM/YYYY or --dates MM/DD/YYYY.",
      );
  }
}

/** Throws a UsageError for rejected rows of equipment, which continue the import of their file with the importer's own columns alone. */
function refuseRejects(path: string): void {
  if (hasImportCountsFile(path))
    throw new UsageError(
      `${path} has rejected rows of equipment, which --file would not count as further rows of their file`,
      `Pass --appliances ${path}.`,
    );
}

function refuseIdle(mapped: readonly MappedTable[], { map, defaults, mapValues }: MappedRequest): void {
  const known = new Set(mapped.flatMap(({ mapping }) => mappableFields(mapping)));
  for (const { field } of [...map, ...defaults, ...mapValues])
    if (!known.has(field))
      throw new UsageError(
        `no file has a field ${JSON.stringify(field)}`,
        "`mainstay import --help` lists the fields.",
      );
  for (const { column } of map)
    if (!mapped.some(({ table }) => table.headings.includes(column)))
      throw new UsageError(`no file has a column ${JSON.stringify(column)}`);
}

function refuseMisnamed({ name, headings }: ImportTable, mapping: FileMapping): void {
  const misnamed = mappingProblem(mapping, headings);
  if (misnamed === undefined) return;
  throw new UsageError(`${name}: the mapping is not valid: ${misnamed}`, "Correct the file of --mapping.");
}

function refuseUnknownTypes(
  { name }: ImportTable,
  mapping: FileMapping,
  isKnown: (id: string) => boolean,
): void {
  const unknown = mappedApplianceTypes(mapping).find((id) => !isKnown(id));
  if (unknown !== undefined)
    throw new UsageError(`${name}: the mapping names the type ${JSON.stringify(unknown)}, which is unknown`);
}

async function confirm(canAsk: boolean, path: string | undefined): Promise<void> {
  const remedy =
    path === undefined
      ? "Pass --yes if it is right, --map COLUMN=FIELD to correct it, or --mapping FILE to keep and edit it."
      : `Pass --yes if it is right, or edit ${path} after an import with --dry-run --yes.`;
  if (!canAsk) throw new UsageError("the mapping above was not confirmed: nothing was imported", remedy);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question("Import with this mapping? [y/N] ");
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError("nothing was imported", remedy);
}

const ROWS = {
  properties: "a property",
  appliances: "an appliance",
  service_events: "a service event",
  claims: "a claim",
  visits: "a visit with a score for each part",
} as const;

const MOST_SHOWN = 12;

const oneLine = (cell = "") => cell.trim().replaceAll(/\s+/g, " ");

const someOf = (texts: readonly string[]) =>
  `${texts.slice(0, MOST_SHOWN).join(", ")}${texts.length > MOST_SHOWN ? ` and ${texts.length - MOST_SHOWN} more` : ""}`;

/** Returns what the rows of a register name that is no kind of equipment. */
function kindlessIn(
  { headings, sample }: ImportTable,
  { rows, fields, values }: FileMapping,
  isType: (text: string) => boolean,
): string[] {
  if (rows !== "appliances" || fields.type_id === undefined) return [];
  const at = headings.indexOf(fields.type_id);
  const named = new Set(sample.map((row) => (row[at] ?? "").trim()).filter(Boolean));
  return [...named].filter((text) => values.type_id?.[text] === undefined && !isType(text));
}

/** Describes a mapping: the column of each field, with its first values, and the columns that are not used. */
function mappingSummary(
  { table, mapping, survey, hasKeptMapping }: ShownTable,
  isType: (text: string) => boolean,
): string {
  const { fields, constants, values, dates, equipment, scores, scale } = mapping;
  const used = new Set(Object.values(fields));
  const lines: [string, string][] = [];
  for (const [field, column] of Object.entries(fields)) {
    const at = table.headings.indexOf(column);
    const examples = [...new Set(table.sample.map((row) => oneLine(row[at])).filter(Boolean))].slice(0, 3);
    const mapped = Object.entries(values[field] ?? {})
      .slice(0, 6)
      .map(([from, to]) => `${from} is ${to}`);
    const format = dates[field] && dates[field] !== "YYYY-MM-DD" ? ` as ${dates[field]}` : "";
    const others = table.headings.filter(
      (heading) => !used.has(heading) && fieldOfMappedHeading(mapping, heading) === field,
    );
    const not = others.length > 0 ? ` (not ${someOf(others)})` : "";
    const hasComma = mapping.decimal_comma?.includes(field) && examples.some((cell) => /[.,]/.test(cell));
    const comma = hasComma ? " with a decimal comma" : "";
    const either = format && survey.ambiguous.has(field) ? ", or with the day first: pass --dates" : "";
    const from = table.form ? "" : `${oneLine(column)}${format}${comma}${either}: `;
    lines.push([field, `${from}${(mapped.length > 0 ? mapped : examples).join(", ").slice(0, 90)}${not}`]);
  }
  for (const [field, text] of Object.entries(constants))
    lines.push([field, `${text} in every row without one`]);
  for (const { column, kind, types, year_column } of equipment) {
    used.add(column);
    if (year_column) used.add(year_column);
    const how = { count: "number of them", flag: "one if yes", choice: "" }[kind];
    const year = year_column ? `, year from ${year_column}` : "";
    const choices = Object.entries(types).map(([text, id]) => `${text} is ${id}`);
    lines.push([
      kind === "choice" ? "equipment" : types["*"]!,
      `${column}: ${(kind === "choice" ? choices.join(", ") : how).slice(0, 120)}${year}`,
    ]);
  }
  for (const { column, type_id } of scores) {
    used.add(column);
    if (type_id) lines.push([type_id, `${column}: inspections scored ${scale?.join(" to ")}`]);
  }
  const without = [
    ...scores.filter(({ type_id }) => !type_id).map(({ column }) => column),
    ...kindlessIn(table, mapping, isType),
  ];
  const unused = table.headings.filter((heading) => heading !== "" && !used.has(heading));
  const width = Math.max(...lines.map(([field]) => field.length), 0);
  return [
    `${basename(table.name)}: ${table.form ? `${table.form.name}, ` : ""}${table.count} ${table.count === 1 ? "row" : "rows"}, each ${ROWS[mapping.rows]}`,
    ...lines.map(([field, from]) => `  ${field.padEnd(width)}  ${from}`.trimEnd()),
    ...(without.length > 0 ? [`  Counted only, no kind of equipment: ${someOf(without)}`] : []),
    ...(hasKeptMapping && survey.guessed.length > 0
      ? [
          `  Guessed, since the saved mapping lacks it: ${someOf(survey.guessed.map(({ cell, meaning }) => `${oneLine(cell)} is ${meaning}`))}`,
        ]
      : []),
    ...(mapping.rows === "appliances" && tableCellsHaveRejectColumns(table.headings)
      ? [
          "  Rejected rows: those without a serial that equal imported ones count as them, and are not imported",
        ]
      : []),
    ...(unused.length > 0 ? [`  Not used: ${someOf(unused)}`] : []),
    ...table.notes.map((note) => `  ${note}`),
  ].join("\n");
}

/** Says what was left out, and how often, a line for each reason. */
export function commandLeftOutRowsText(leftOut: readonly LeftOut[]): string[] {
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const some = leftOut.filter((one) => one.reason === reason);
    return `Left out, ${reason}: ${someOf(some.map(({ what, cells }) => `${what} (${cells})`))}.`;
  });
}
