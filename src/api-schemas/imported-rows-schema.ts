import type { WordedImportNotes } from "../domain/wording/import-notes-wording.ts";
import {
  MOST_CELL,
  MOST_COLUMNS,
  MOST_HEADING,
  MOST_ROWS,
  SEPARATORS,
  type Separator,
} from "../table-cells/table-limits.ts";
import * as constraint from "./definition/api-schema-constraints.ts";
import { defineSchemaConstraint } from "./definition/api-schema-field-constraint.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { bodySchema, optionalSchema, requiredSchema } from "./definition/input-schema.ts";
import {
  anyObjectSchema,
  idSchema,
  listSchema,
  objectSchema,
  textListSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { schemaWithPartner } from "./paging-schema.ts";

/* Rows of a table with columns of any names, imported a few at a time. */

/** A lone surrogate cannot be stored: it would become another character. */
const isWellFormed = (text: string) => text.isWellFormed();
const columns = defineSchemaConstraint((type) =>
  type(`1 <= (string <= ${MOST_HEADING})[] <= ${MOST_COLUMNS}`)
    .narrow((headings) => headings.every(isWellFormed))
    .describe(`a list of 1 to ${MOST_COLUMNS} headings without lone surrogates`),
);
const rows = defineSchemaConstraint((type) =>
  type(`1 <= (string <= ${MOST_CELL})[][] <= ${MOST_ROWS}`)
    .narrow((all) => all.every((cells) => cells.length <= MOST_COLUMNS && cells.every(isWellFormed)))
    .describe(
      `a list of 1 to ${MOST_ROWS} rows, each a list of texts of at most ${MOST_CELL} characters without lone surrogates`,
    ),
);
const firstRow = defineSchemaConstraint((type) =>
  type("1 <= number.integer <= 10000000").describe("a whole number from 1 to 10000000"),
);
const separator = defineSchemaConstraint((type) =>
  type.enumerated(...SEPARATORS).describe("a comma, a semicolon, a tab or |"),
);
const mapping = defineSchemaConstraint((type) =>
  type({})
    .narrow((value) => !Array.isArray(value))
    .describe("an object"),
);
/** Room for 20,000 keys with their counts. */
const MOST_CONTINUATION = 400_000;
const EXAMPLE_CONTINUATION = "hNn2ZJcIcHpI3";
const continuation = defineSchemaConstraint((type) =>
  type(`string <= ${MOST_CONTINUATION}`).describe(`a text of at most ${MOST_CONTINUATION} characters`),
);

const request = bodySchema({
  file: requiredSchema(constraint.requiredLine, "Name of the file, for messages", "buildings.csv"),
  columns: requiredSchema(columns, "The headings", ["Building", "Address", "State", "Year Built"]),
  rows: requiredSchema(rows, `The cells of at most ${MOST_ROWS} rows, as texts`, [
    ["A-17", "1 Elm St", "NY", "1931"],
  ]),
  first_row: optionalSchema(firstRow, "The number of the first of these rows in the file; 2 by default", 2),
  separator: optionalSchema(
    separator,
    "What separates the cells of the file. Where its numbers do not show their decimal sign, those of a file with semicolons have a decimal comma",
    ";",
  ),
  mapping: optionalSchema(
    mapping,
    "What the columns contain: the `mapping` of an earlier response, changed or not. Guessed by the headings and these rows if omitted",
  ),
  continuation: optionalSchema(
    continuation,
    "The `continuation` of the response to the rows before these in the file, so that equal rows are counted together. Omitted with the first rows",
    EXAMPLE_CONTINUATION,
  ),
  update: optionalSchema(
    constraint.flag,
    "Changes records that exist by the cells that are not empty; false by default",
    false,
  ),
  dry_run: optionalSchema(constraint.flag, "Writes nothing, and says what the import would do", true),
  no_webhooks: optionalSchema(constraint.flag, "Sends no webhooks, for historical data", false),
});
export const importedRowsRequest = request.type;

type RowsToImport = {
  file: string;
  columns: string[];
  rows: string[][];
  firstRow: number;
  separator: Separator | undefined;
  mapping: object | undefined;
  continuation: string;
  update: boolean;
  dryRun: boolean;
  silent: boolean;
};

/** Reads rows to import. Throws invalid_request. */
export function parseRowsToImportJson(given: Record<string, unknown>): RowsToImport {
  const parsed = request.parse(given);
  return {
    file: parsed.file.trim(),
    columns: parsed.columns as string[],
    rows: parsed.rows as string[][],
    firstRow: (parsed.first_row as number | undefined) ?? 2,
    separator: parsed.separator as Separator | undefined,
    mapping: parsed.mapping as object | undefined,
    continuation: (parsed.continuation as string | undefined) ?? "",
    update: parsed.update ?? false,
    dryRun: parsed.dry_run ?? false,
    silent: parsed.no_webhooks ?? false,
  };
}

const EXAMPLE_MAPPING = {
  columns: ["Building", "Address", "State", "Year Built"],
  rows: "properties",
  fields: { name: "Building", address: "Address", state: "State", year_built: "Year Built" },
  constants: {},
  values: {},
  dates: {},
  equipment: [],
  scores: [],
};

const counts = (what: string) =>
  objectSchema({
    created: wholeNumberSchema(`${what} that are new`, 12),
    updated: wholeNumberSchema(`${what} that exist, and are changed with \`update\``, 0),
    unchanged: wholeNumberSchema(`${what} that exist, and stay as they are`, 0),
  }).describedAs(`The ${what.toLowerCase()} that the rows make`);

const notes = objectSchema({
  install_years_from_year_built: wholeNumberSchema(
    "Created appliances without an install year, which have their building's",
    2,
  ),
  install_years_before_year_built: wholeNumberSchema(
    "Appliances created or changed with an install year before their building's",
    0,
  ),
  unusual_sizes: wholeNumberSchema(
    "Appliances created or changed with a size that is unusual for their type, or has no effect; check its unit",
    1,
  ),
  claims_to_check: wholeNumberSchema(
    "Claims created or changed with a type that affects no score, or with values that contradict each other",
    0,
  ),
  older_valuations: wholeNumberSchema(
    "Rows of claims that change nothing, because their `valued_at` is before the claim's",
    0,
  ),
});
export const serializeImportNotes = notes.serializer((counted: WordedImportNotes) => ({
  install_years_from_year_built: counted.buildingYears,
  install_years_before_year_built: counted.earlyYears,
  unusual_sizes: counted.unusualSizes,
  claims_to_check: counted.claimsToCheck,
  older_valuations: counted.olderValuations,
}));

const importedRows = objectSchema({
  mapping: anyObjectSchema("").describedAs(
    "What the columns contain: `rows` says what a row is, `fields` has the column of each field, and the rest says how cells are read",
    EXAMPLE_MAPPING,
  ),
  continuation: textSchema(
    "Send it with the next rows of the file: it counts equal rows of equipment without a `serial`, the last 20,000 kinds of them",
    EXAMPLE_CONTINUATION,
  ),
  fields: textListSchema("The fields that a column can be mapped to", ["name", "address", "state"]),
  properties: counts("Properties"),
  appliances: counts("Appliances"),
  components: counts("Components"),
  service_events: counts("Service events"),
  claims: counts("Claims"),
  ...notes.fields,
  same_address: listSchema(
    "The properties created or moved to the address of one created before. If both are the same building, merge them with `POST /v1/properties/{id}/merge`",
    objectSchema({
      row: wholeNumberSchema("Number of the row in the file", 15),
      property_id: idSchema("P", "The property; null for one that a dry run would create").orNull(),
      first_property_id: idSchema(
        "P",
        "The one created before; null for one that a dry run would create",
      ).orNull(),
      first_row: wholeNumberSchema(
        "Number of the row that would create that one; null unless a dry run would",
        3,
      ).orNull(),
    }),
  ),
  changes: listSchema(
    "The fields that rows change in records that exist",
    objectSchema({
      records: textSchema(
        "The records: `properties`, `appliances`, `service_events` or `claims`",
        "properties",
      ),
      field: textSchema("The field", "year_built"),
      rows: wholeNumberSchema("Number of rows that change it", 3),
      row: wholeNumberSchema("Number of the first of them", 16),
      from: textSchema("Its value before, as JSON", "null"),
      to: textSchema("The new value, as JSON", "1931"),
    }),
  ),
  rejected: listSchema(
    "The rows that are not imported, or not whole, in their order",
    objectSchema({
      row: wholeNumberSchema("Number of the row in the file", 14),
      error: textSchema("The first reason", "state must be a US state, such as NY"),
    }),
  ),
  guessed: listSchema(
    "The words of equipment and states that the given `mapping` does not have, with the meaning that was guessed: the `mapping` of the response has it, for you to correct. A word that means itself in the `mapping` is not guessed",
    objectSchema({
      column: textSchema("The column", "Equipment"),
      cell: textSchema("The word", "Chiller"),
      meaning: textSchema("The meaning", "rooftop_unit"),
      rows: wholeNumberSchema("Number of rows", 3),
    }),
  ),
  left_out: listSchema(
    "Cells that mean nothing to the import",
    objectSchema({
      column: textSchema("The column", "Fire escape"),
      reason: textSchema("Why", "no kind of equipment"),
      cells: wholeNumberSchema("Number of cells", 3),
    }),
  ),
});
export const importedRowsReply = schemaWithPartner(importedRows);
export type ImportedRowsJson = JsonOf<typeof importedRows>;

type Counts = { created: number; updated: number; unchanged: number };
type ImportedRows = {
  mapping: object;
  continuation: string;
  fields: readonly string[];
  result: Record<"properties" | "appliances" | "components" | "serviceEvents" | "claims", Counts> & {
    notes: WordedImportNotes;
    sameAddress: {
      first: readonly {
        line: number;
        propertyId: string | null;
        firstId: string | null;
        firstLine: number | null;
      }[];
    };
    changes: readonly {
      kind: string;
      field: string;
      rows: number;
      line: number;
      from: unknown;
      to: unknown;
    }[];
  };
  rejected: readonly { row: number; error: string }[];
  guessed: readonly { column: string; cell: string; meaning: string; rows: number }[];
  leftOut: readonly { what: string; reason: string; cells: number }[];
};

const serializeImportCounts = ({ created, updated, unchanged }: Counts) => ({ created, updated, unchanged });

export const serializeImportedRows = importedRows.serializer(
  ({ mapping, continuation, fields, result, rejected, guessed, leftOut }: ImportedRows) => ({
    mapping: { ...mapping },
    continuation,
    fields: [...fields],
    properties: serializeImportCounts(result.properties),
    appliances: serializeImportCounts(result.appliances),
    components: serializeImportCounts(result.components),
    service_events: serializeImportCounts(result.serviceEvents),
    claims: serializeImportCounts(result.claims),
    ...serializeImportNotes(result.notes),
    same_address: result.sameAddress.first.map(({ line, propertyId, firstId, firstLine }) => ({
      row: line,
      property_id: propertyId,
      first_property_id: firstId,
      first_row: firstLine,
    })),
    changes: result.changes.map(({ kind, field, rows, line, from, to }) => ({
      records: kind,
      field,
      rows,
      row: line,
      from: JSON.stringify(from),
      to: JSON.stringify(to),
    })),
    rejected: rejected.map(({ row, error }) => ({ row, error })),
    guessed: guessed.map(({ column, cell, meaning, rows }) => ({ column, cell, meaning, rows })),
    left_out: leftOut.map(({ what, reason, cells }) => ({ column: what, reason, cells })),
  }),
);
