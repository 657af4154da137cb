import type { ImportedRowsJson } from "../../wire/imported-rows.ts";
import type { ApiClient } from "../browser/api-client.ts";
import { ApiFailure } from "../browser/api-failure.ts";
import { parseCsv } from "../browser/csv-file.ts";

/** The rows of one call. */
const ROWS_A_CALL = 200;
/** Cells of one call, below what a request may have. */
const CELLS_A_CALL = 25_000;

export type TableFile = {
  name: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
};

/** The mapping of a file: the column by field, and what else the API has guessed. */
export type Mapping = {
  rows: string;
  fields: Readonly<Record<string, string>>;
  equipment: readonly { column: string; year_column?: string }[];
  scores: readonly { column: string }[];
};

export const KINDS = ["properties", "appliances", "components", "service_events", "claims"] as const;
export type Kind = (typeof KINDS)[number];

export type ImportRun = {
  isDry: boolean;
  done: number;
  isDone: boolean;
  counts: Readonly<Record<Kind, { created: number; unchanged: number }>>;
  rejected: readonly { row: number; error: string }[];
  leftOut: ImportedRowsJson["left_out"];
};

/** Reads a CSV file with a heading; returns what is wrong with it if it has none. */
export function tableOf(name: string, text: string): TableFile | string {
  const [columns, ...rows] = parseCsv(text.replace(/^\ufeff/, "")).filter((row) =>
    row.some((cell) => cell.trim() !== ""),
  );
  if (!columns || rows.length === 0)
    return `${name} has no rows below a first line with the names of the columns.`;
  if (columns.length === 1 && /[;\t|]/.test(columns[0]!))
    return `The first line of ${name} has no commas: save it as comma-separated values.`;
  // Rows may be shorter or longer than the first line.
  return { name, columns, rows: rows.map((row) => columns.map((_, at) => row[at] ?? "")) };
}

export const rowsACall = ({ columns }: Pick<TableFile, "columns">) =>
  Math.max(1, Math.min(ROWS_A_CALL, Math.floor(CELLS_A_CALL / columns.length)));

type Api = Pick<ApiClient, "write">;
type HowToImport = { mapping?: Mapping; isDry: boolean; silent?: boolean };

/**
 * Sends rows of a file from a place on: at most `most`, and fewer where they make more records than a call may. Returns the
 * response with how many were sent.
 */
export async function sendRows(
  api: Api,
  file: TableFile,
  { at, most }: { at: number; most: number },
  { mapping, isDry, silent = false }: HowToImport,
): Promise<{ answer: ImportedRowsJson; sent: number }> {
  for (let count = most; ; count = Math.ceil(count / 2)) {
    const rows = file.rows.slice(at, at + count);
    try {
      const answer = await api.write<ImportedRowsJson>("POST", "/v1/import-rows", {
        file: file.name,
        columns: file.columns,
        rows,
        first_row: at + FIRST_ROW,
        mapping,
        dry_run: isDry,
        no_webhooks: silent,
      });
      return { answer, sent: rows.length };
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.kind !== "too_large" || count === 1) throw error;
    }
  }
}

/** Sends all rows of a file, a few in a call, and reports the sums after each. */
export async function importFile(
  api: Api,
  file: TableFile,
  how: HowToImport & { mapping: Mapping },
  onProgress: (run: ImportRun) => void,
): Promise<void> {
  const none = { created: 0, unchanged: 0 };
  let run: ImportRun = {
    isDry: how.isDry,
    done: 0,
    isDone: false,
    counts: {
      properties: none,
      appliances: none,
      components: none,
      service_events: none,
      claims: none,
    },
    rejected: [],
    leftOut: [],
  };
  onProgress(run);
  let most = rowsACall(file);
  while (run.done < file.rows.length) {
    const { answer, sent } = await sendRows(api, file, { at: run.done, most }, how);
    // The next rows are probably as dense.
    if (run.done + sent < file.rows.length) most = sent;
    const counts = Object.fromEntries(
      KINDS.map((kind) => {
        const [sum, more] = [run.counts[kind], answer[kind]];
        return [kind, { created: sum.created + more.created, unchanged: sum.unchanged + more.unchanged }];
      }),
    ) as ImportRun["counts"];
    run = {
      ...run,
      counts,
      done: run.done + sent,
      rejected: [...run.rejected, ...answer.rejected],
      leftOut: mergedLeftOut(run.leftOut, answer.left_out),
    };
    onProgress(run);
  }
  onProgress({ ...run, isDone: true });
}

/** The number of the first row after the heading, as spreadsheets count. */
export const FIRST_ROW = 2;

function mergedLeftOut(a: ImportRun["leftOut"], b: ImportRun["leftOut"]): ImportRun["leftOut"] {
  const sums = new Map<string, ImportRun["leftOut"][number]>();
  for (const one of [...a, ...b]) {
    const key = JSON.stringify([one.column, one.reason]);
    sums.set(key, { ...one, cells: one.cells + (sums.get(key)?.cells ?? 0) });
  }
  return [...sums.values()];
}
