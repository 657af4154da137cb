import { existsSync, readFileSync } from "node:fs";
import { CsvFile } from "../../csv/write-csv.ts";
import { OperatorError } from "../../domain/errors.ts";
import { REJECT_COLUMNS } from "../../table-cells/table-limits.ts";
import { EqualRowCounts } from "./import-equal-row-counts.ts";
import type { SurveyedFile } from "./import-file-rows.ts";
import type { FileKind } from "./import-row-kind.ts";

/** A row that was not imported, as in the file, and the reason. */
export type RejectedRow = { line: number; cells: readonly string[]; error: string };

/** Rows with the same error. `firstCell` is the last cell of the first: prepared files have the original row there. */
export type RejectReason = {
  error: string;
  rows: number;
  firstLine: number;
  firstCell: string;
  /** The place of the first row in words, if it is no line of the file. */
  place?: string;
};

/**
 * The rejected rows of one file. `path` is the file that contains them, ready to be fixed; null if they were not
 * written. `reasons` lists up to ten, most frequent first; `otherRows` have other reasons.
 */
export type RejectedRows = {
  kind: FileKind;
  file: string;
  rows: number;
  path: string | null;
  first: { line: number; error: string };
  reasons: RejectReason[];
  otherRows: number;
};

const MOST_REASONS = 10;
/** A file may have a different error in every row. */
const REASONS_KEPT = 1_000;

/** Collects the rejected rows of one file: the columns as read, the line in the file, and the reason. */
export class RejectLog {
  readonly #target: CsvFile | undefined;
  #rows = 0;
  #first: { line: number; error: string } | undefined;
  readonly #reasons = new Map<string, RejectReason>();

  /** `folder` receives the rows; undefined to count them only. */
  constructor(
    private readonly file: SurveyedFile,
    folder: string | undefined,
  ) {
    if (folder === undefined) return;
    this.#target = new CsvFile(folder, file.kind, [...file.layout.columns, ...REJECT_COLUMNS], COUNTS);
  }

  add(rows: readonly RejectedRow[]): void {
    this.#target?.append(rows.map((row) => this.#cells(row)));
    this.#rows += rows.length;
    const [first] = rows;
    if (first) this.#first ??= { line: first.line, error: first.error };
    for (const { error, line, cells } of rows) {
      const known = this.#reasons.get(error);
      if (known) known.rows++;
      else if (this.#reasons.size < REASONS_KEPT)
        this.#reasons.set(error, { error, rows: 1, firstLine: line, firstCell: cells.at(-1) ?? "" });
    }
  }

  /** Undefined if no row was rejected. */
  summary(): RejectedRows | undefined {
    if (!this.#first) return undefined;
    const { kind, name } = this.file;
    const reasons = [...this.#reasons.values()].toSorted((a, b) => b.rows - a.rows).slice(0, MOST_REASONS);
    return {
      kind,
      file: name,
      rows: this.#rows,
      path: this.#target?.path ?? null,
      first: this.#first,
      reasons,
      otherRows: reasons.reduce((rest, { rows }) => rest - rows, this.#rows),
    };
  }

  /** Keeps the counts of the rows that were imported beside the rejected ones, which are further rows of their file. */
  keepEqualRows(counts: EqualRowCounts): void {
    this.#target?.writeCompanion(counts.text());
  }

  close(): void {
    this.#target?.close();
  }

  #cells({ line, cells, error }: RejectedRow): string[] {
    return [...this.file.layout.columns.map((_, at) => cells[at] ?? ""), String(line), error];
  }
}

/** The end of the name of the file with the counts of imported rows. */
const COUNTS = ".counts";

/** Returns whether a file is of rejected rows with the counts of imported ones beside it. */
export const hasImportCountsFile = (path: string): boolean => existsSync(path + COUNTS);

/**
 * Returns the counts of the rows that were imported of the file of these rejected rows; undefined if they are not beside it.
 * Throws an OperatorError for a file with anything else.
 */
export function readEqualRowCountsOfRejects({ layout, source }: SurveyedFile): EqualRowCounts | undefined {
  if (!layout.isRejects || "text" in source) return undefined;
  const path = source.path + COUNTS;
  if (!existsSync(path)) return undefined;
  const counts = EqualRowCounts.parse(readFileSync(path, "utf8").trim());
  if (counts) return counts;
  throw new OperatorError(
    `${path} has no counts of imported rows`,
    "Restore it, or correct the rejected rows in the original file and import that whole.",
  );
}
