import type { ImportedRowsJson } from "../../api-schemas/imported-rows-schema.ts";
import { isMonthFirstWording } from "../../domain/wording/currency-and-unit-wording.ts";
import {
  importNoteSumWording,
  NO_WORDED_IMPORT_NOTES,
  type WordedImportNotes,
} from "../../domain/wording/import-notes-wording.ts";
import {
  DATE_FORMATS,
  DAY_FIELDS,
  type DateFormat,
  firstAmbiguousTableCellDate,
  tableCellDateFormatOf,
} from "../../table-cells/table-cell-dates.ts";
import { CellDecimalSigns, tableCellFieldsWithDecimalComma } from "../../table-cells/table-cell-numbers.ts";
import { isTableCellScoreAbove5 } from "../../table-cells/table-cell-scales.ts";
import {
  GUESSED_WORD_FIELDS,
  MOST_ROWS,
  type Separator,
  tableCellsHaveDecimalComma,
  UNNAMED_CELLS,
} from "../../table-cells/table-limits.ts";
import type { ApiClient } from "../browser/browser-api-client.ts";
import { ApiFailure } from "../browser/browser-api-failure.ts";

/** Cells of one call, below what a request may have. */
const CELLS_A_CALL = 25_000;

export type AppImportFile = {
  name: string;
  columns: readonly string[];
  rows: readonly TableRow[];
  /** The number of cells beyond the columns, which are not sent. */
  unnamed: number;
  /** Notes on the parts of a sheet that are not read. */
  notes?: readonly string[];
  /** Separates the cells of a CSV file. */
  separator?: Separator;
};
/** The cells of a row, and its number as spreadsheets count: 1 is the first row of the file, blank rows included. */
export type TableRow = { number: number; cells: readonly string[] };

/** The mapping of a file: the column by field, and what else the API has guessed. */
export type AppImportMapping = {
  rows: string;
  fields: Readonly<Record<string, string>>;
  /** The values of every row. */
  constants: Readonly<Record<string, string>>;
  /** By field: what a cell means. */
  values: Readonly<Record<string, Readonly<Record<string, string>>>>;
  dates: Readonly<Record<string, DateFormat>>;
  /** The fields whose numbers have a decimal comma. */
  decimal_comma?: readonly string[];
  equipment: readonly { column: string; year_column?: string }[];
  scores: readonly { column: string }[];
  /** The lowest and the highest score. */
  scale?: readonly [number, number];
};

export const IMPORT_KINDS = ["properties", "appliances", "components", "service_events", "claims"] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

export type ImportRun = {
  isDry: boolean;
  /** That of the last response. */
  continuation: string | undefined;
  done: number;
  isDone: boolean;
  counts: Readonly<Record<ImportKind, { created: number; updated: number; unchanged: number }>>;
  notes: WordedImportNotes;
  sameAddress: ImportedRowsJson["same_address"];
  changes: ImportedRowsJson["changes"];
  rejected: readonly RejectedRow[];
  guessed: ImportedRowsJson["guessed"];
  leftOut: ImportedRowsJson["left_out"];
};

export type RejectedRow = { row: TableRow; error: string };

/** Rows whose cells show the format of a column: more than a file has of twelve days. */
const ROWS_OF_FORMATS = 20_000;

function cellsOf({ columns, rows }: AppImportFile, column: string): string[] {
  const at = columns.findIndex((name) => name.trim() === column);
  return rows.slice(0, ROWS_OF_FORMATS).map(({ cells }) => cells[at] ?? "");
}

/**
 * Returns the mapping with the formats of dates and numbers, and the scale of scores, that the rows of the file show: the API guesses them by the first
 * ones, whose days may all be months, too.
 */
export function withFormatsOfWholeAppFile(file: AppImportFile, mapping: AppImportMapping): AppImportMapping {
  const dates = { ...mapping.dates };
  for (const field of DAY_FIELDS) {
    const column = mapping.fields[field];
    const format = column === undefined ? undefined : tableCellDateFormatOf(cellsOf(file, column));
    if (format !== undefined) dates[field] = format;
  }
  const isAbove5 = mapping.scores.some(({ column }) => cellsOf(file, column).some(isTableCellScoreAbove5));
  return withDecimalCommas(file, { ...mapping, dates, ...(isAbove5 && { scale: [1, 10] }) });
}

/**
 * Maps a column to a field, or to none if the field is empty. What was guessed of the cells of the field's former column is
 * dropped, and the format of dates and numbers guessed again.
 */
export function mapAppColumnToField(
  file: AppImportFile,
  mapping: AppImportMapping,
  column: string,
  field: string,
): AppImportMapping {
  const fields = Object.fromEntries(
    Object.entries(mapping.fields).filter(([name, at]) => at !== column && name !== field),
  );
  const ofKept = <T>(byField: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(byField).filter(([name]) => Object.hasOwn(fields, name)));
  const kept = { ...mapping, fields, values: ofKept(mapping.values), dates: ofKept(mapping.dates) };
  if (field === "") return withDecimalCommas(file, kept);
  const chosen = withDecimalCommas(file, { ...kept, fields: { ...fields, [field]: column } });
  if (!DAY_FIELDS.includes(field)) return chosen;
  const format = tableCellDateFormatOf(cellsOf(file, column)) ?? DATE_FORMATS[0];
  return withoutAmbiguousAppDates(file, withAppDateFormat(chosen, field, format), [field]);
}

function withDecimalCommas(
  file: AppImportFile,
  { decimal_comma: _, ...mapping }: AppImportMapping,
): AppImportMapping {
  const fields = tableCellFieldsWithDecimalComma(
    mapping.fields,
    (column) => CellDecimalSigns.of(cellsOf(file, column)),
    tableCellsHaveDecimalComma(file.separator),
  );
  return fields.length > 0 ? { ...mapping, decimal_comma: fields } : mapping;
}

/** Returns a mapping without the format of dates that have the day or the month first, where neither is usual. */
export function withoutAmbiguousAppDates(
  file: AppImportFile,
  mapping: AppImportMapping,
  fields: readonly string[] = DAY_FIELDS,
): AppImportMapping {
  const unproven = fields.filter((field) => isUnproven(file, mapping, field));
  const dates = Object.entries(mapping.dates).filter(([field]) => !unproven.includes(field));
  return { ...mapping, dates: Object.fromEntries(dates) };
}

function isUnproven(file: AppImportFile, { fields, constants }: AppImportMapping, field: string): boolean {
  const column = fields[field];
  if (column === undefined || isMonthFirstWording(constants.country)) return false;
  return firstAmbiguousTableCellDate(cellsOf(file, column)) !== undefined;
}

/** Returns whether the reader has to choose the format of a column's dates. */
export const lacksAppDateFormat = (file: AppImportFile, mapping: AppImportMapping, field: string): boolean =>
  mapping.dates[field] === undefined && isUnproven(file, mapping, field);

export const withAppDateFormat = (
  mapping: AppImportMapping,
  field: string,
  format: DateFormat,
): AppImportMapping => ({
  ...mapping,
  dates: { ...mapping.dates, [field]: format },
});

/** More different cells than this are no choice among a few, such as a condition. */
const MOST_VALUES = 20;

/**
 * Returns the different cells of a column that is a choice among a few, the commonest first; none for any other, such as one
 * whose cells all differ.
 */
export function distinctAppChoiceCells({ columns, rows }: AppImportFile, column: string): string[] {
  const at = columns.findIndex((name) => name.trim() === column);
  const counts = new Map<string, number>();
  let filled = 0;
  for (const { cells } of rows) {
    const cell = appCellText(cells[at] ?? "");
    if (cell === "") continue;
    filled++;
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
    if (counts.size > MOST_VALUES) return [];
  }
  if (filled === counts.size) return [];
  return [...counts].sort((a, b) => b[1] - a[1]).map(([cell]) => cell);
}

/** The text by which the API finds the meaning of a cell. */
export const appCellText = (cell: string) => cell.trim().replace(/ {2,}/g, " ");

/** Says what a cell of a field means; with an empty meaning, it is read as it is, and the API guesses none. */
export function withAppCellMeaning(
  mapping: AppImportMapping,
  field: string,
  { cell, meaning }: { cell: string; meaning: string },
): AppImportMapping {
  const others = Object.entries(mapping.values[field] ?? {}).filter(([text]) => text !== cell);
  const isGuessed = (GUESSED_WORD_FIELDS as readonly string[]).includes(field);
  const meant = meaning.trim() || (isGuessed ? cell : "");
  const own = Object.fromEntries(meant === "" ? others : [...others, [cell, meant]]);
  return { ...mapping, values: { ...mapping.values, [field]: own } };
}

export const appImportRowsPerCall = ({ columns }: Pick<AppImportFile, "columns">) =>
  Math.max(1, Math.min(MOST_ROWS, Math.floor(CELLS_A_CALL / columns.length)));

type Api = Pick<ApiClient, "write">;
type HowToImport = {
  mapping?: AppImportMapping;
  /** The continuation of the response to the rows before, also of another file whose rejected rows these are. */
  continuation?: string;
  isDry: boolean;
  silent?: boolean;
  updates?: boolean;
  /** Resolves before a call is repeated that another import of the account has refused. */
  pause?: () => Promise<void>;
  /** Ends the pauses, with the refusal. */
  signal?: AbortSignal;
};

/** The pauses, of two seconds each, that an import waits for another one of the account, as in another tab. */
const MOST_PAUSES = 15;
const pauseImport = () => new Promise<void>((resolve) => setTimeout(resolve, 2_000));

/** The fields that say which property a row is of. */
const PROPERTY_FIELDS = ["property_id", "partner_property_id", "name", "address"] as const;

/**
 * Returns the file with the rows of each property together, where they are equipment: the API counts equal rows over the calls
 * of a file, the last 20,000 kinds of them, and scores a property once in each call.
 */
function withRowsByProperty(file: AppImportFile, { rows, fields }: AppImportMapping): AppImportFile {
  if (rows !== "appliances") return file;
  const places = PROPERTY_FIELDS.flatMap((field) => {
    const column = fields[field];
    return column === undefined ? [] : [file.columns.findIndex((name) => name.trim() === column)];
  });
  const byProperty = Map.groupBy(file.rows, ({ cells }) =>
    places.map((place) => appCellText(cells[place] ?? "")).join("\0"),
  );
  return { ...file, rows: [...byProperty.values()].flat() };
}

/**
 * Sends rows of a file from a place on: at most `most`, and fewer where they make more records than a call may. Returns the
 * response with how many were sent, and how many a call may have.
 */
export async function sendAppRows(
  api: Api,
  file: AppImportFile,
  { at, most }: { at: number; most: number },
  { mapping, continuation, isDry, silent = false, updates = false, pause = pauseImport, signal }: HowToImport,
): Promise<{ answer: ImportedRowsJson; sent: number; most: number; rejected: readonly RejectedRow[] }> {
  let pauses = 0;
  for (let count = most; ; ) {
    const rows = file.rows.slice(at, at + count);
    const firstRow = rows[0]!.number;
    try {
      const answer = await api.write<ImportedRowsJson>("POST", "/v1/import-rows", {
        file: file.name,
        columns: file.columns,
        rows: rows.map(({ cells }) => cells),
        first_row: firstRow,
        separator: file.separator,
        mapping,
        continuation,
        update: updates,
        dry_run: isDry,
        no_webhooks: silent,
      });
      // The API counts on from the first row. Blank rows, which are not sent, may be between the rows.
      const rowOf = (row: number) => rows[row - firstRow]!;
      const inRow = (_: string, row: string) => `in row ${rows[Number(row) - firstRow]?.number ?? row}`;
      const rejected = answer.rejected.map(({ row, error }) => ({
        row: rowOf(row),
        error: error.replaceAll(/\bin row (\d+)/g, inRow),
      }));
      const numbered = <T extends { row: number }>(all: readonly T[]) =>
        all.map((one) => ({ ...one, row: rowOf(one.row).number }));
      const { same_address, changes } = answer;
      return {
        answer: { ...answer, same_address: numbered(same_address), changes: numbered(changes) },
        sent: rows.length,
        most: count,
        rejected,
      };
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      if (error.kind === "conflict" && pauses++ < MOST_PAUSES) {
        await pause();
        if (signal?.aborted) throw error;
      } else if (error.kind === "too_large" && count > 1) count = Math.ceil(count / 2);
      else throw error;
    }
  }
}

/** Sends all rows of a file, a few in a call, and reports the sums after each. Ends after a call if it is aborted. */
export async function runAppFileImport(
  api: Api,
  file: AppImportFile,
  how: HowToImport & { mapping: AppImportMapping },
  onProgress: (run: ImportRun) => void,
  signal?: AbortSignal,
): Promise<void> {
  const none = { created: 0, updated: 0, unchanged: 0 };
  let run: ImportRun = {
    isDry: how.isDry,
    continuation: how.continuation,
    done: 0,
    isDone: false,
    counts: {
      properties: none,
      appliances: none,
      components: none,
      service_events: none,
      claims: none,
    },
    notes: NO_WORDED_IMPORT_NOTES,
    sameAddress: [],
    changes: [],
    rejected: [],
    guessed: [],
    leftOut: file.unnamed > 0 ? [{ ...UNNAMED_CELLS, cells: file.unnamed }] : [],
  };
  onProgress(run);
  let most = appImportRowsPerCall(file);
  const table = withRowsByProperty(file, how.mapping);
  while (run.done < file.rows.length) {
    if (signal?.aborted) return;
    const place = { at: run.done, most };
    const { continuation } = run;
    const call = await sendAppRows(api, table, place, {
      ...how,
      ...(signal && { signal }),
      ...(continuation && { continuation }),
    });
    const { answer, sent, rejected } = call;
    // The next rows are probably as dense.
    most = call.most;
    const counts = Object.fromEntries(
      IMPORT_KINDS.map((kind) => {
        const [sum, more] = [run.counts[kind], answer[kind]];
        return [
          kind,
          {
            created: sum.created + more.created,
            updated: sum.updated + more.updated,
            unchanged: sum.unchanged + more.unchanged,
          },
        ];
      }),
    ) as ImportRun["counts"];
    run = {
      ...run,
      continuation: answer.continuation,
      counts,
      notes: importNoteSumWording(run.notes, {
        buildingYears: answer.install_years_from_year_built,
        earlyYears: answer.install_years_before_year_built,
        unusualSizes: answer.unusual_sizes,
        claimsToCheck: answer.claims_to_check,
        olderValuations: answer.older_valuations,
      }),
      sameAddress: [...run.sameAddress, ...answer.same_address],
      changes: merged(
        [...run.changes, ...answer.changes],
        ({ records, field }) => [records, field],
        (sum, { rows }) => ({ ...sum, rows: sum.rows + rows }),
      ),
      done: run.done + sent,
      rejected: [...run.rejected, ...rejected].toSorted((a, b) => a.row.number - b.row.number),
      guessed: merged(
        [...run.guessed, ...answer.guessed],
        ({ column, cell }) => [column, cell],
        (sum, { rows }) => ({ ...sum, rows: sum.rows + rows }),
      ),
      leftOut: merged(
        [...run.leftOut, ...answer.left_out],
        ({ column, reason }) => [column, reason],
        (sum, { cells }) => ({ ...sum, cells: sum.cells + cells }),
      ),
    };
    onProgress(run);
  }
  onProgress({ ...run, isDone: true });
}

/** Adds up what is equal by some of its values, in the order of the first of each. */
function merged<T>(all: readonly T[], keyOf: (one: T) => unknown[], add: (sum: T, one: T) => T): T[] {
  const sums = new Map<string, T>();
  for (const one of all) {
    const key = JSON.stringify(keyOf(one));
    const sum = sums.get(key);
    sums.set(key, sum === undefined ? one : add(sum, one));
  }
  return [...sums.values()];
}
