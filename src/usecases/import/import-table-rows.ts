import { clusterImportLockName, type HeldLock, withClusterLock } from "../../cluster/cluster-locks.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { conflict, invalid, OperatorError, StorageError } from "../../domain/errors.ts";
import type { Partner } from "../../domain/partner.ts";
import type { Instant } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import { reportUnfinishedStoreTransactions } from "../../store/unfinished-store-transactions.ts";
import { MOST_ROWS, type Separator, tableCellsHaveDecimalComma } from "../../table-cells/table-limits.ts";
import { MOST_RESCORED, RescoreLimit } from "../rescoring/rescore-limit.ts";
import { DryRunStopped, type RowsFoundHalfway } from "./import-batches.ts";
import { EqualRowCounts } from "./import-equal-row-counts.ts";
import {
  type ImportRequest,
  type ImportResult,
  importPortfolio,
  surveyImportFiles,
} from "./import-portfolio.ts";
import type { FileMapping } from "./mapping/import-file-mapping.ts";
import {
  guessFileMapping,
  mappableFields,
  mappedApplianceTypes,
  mappingProblem,
} from "./mapping/import-known-fields.ts";
import { originalRowOfReject } from "./mapping/import-reject-places.ts";
import type { ImportTable, LeftOut } from "./mapping/import-source-table.ts";
import { checkImportTableHeadings } from "./mapping/open-source-tables.ts";
import { prepareRowsInMemory } from "./mapping/prepared-import-files.ts";
import { type GuessedWord, surveyMappedColumns, withGuessedWords } from "./mapping/survey-mapped-columns.ts";

/** Some rows of a table. `firstRow` is the number of the first one in its file. */
export type TableRows = {
  file: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  firstRow: number;
  /** Separates the cells of the file, if it is known. */
  separator?: Separator | undefined;
};

/** The limits of a call. A dry run writes its records in one transaction, which takes a second for so many. */
const MOST_PREPARED = {
  records: 2_000,
  units: 20_000,
  scores: MOST_RESCORED,
  chars: 4_000_000,
};

const MOST_GUESSED_WORDS = 2_000;

type RejectedTableRow = { row: number; error: string };

type ImportedTable = {
  mapping: FileMapping;
  /** The fields that a column can be mapped to. */
  fields: readonly string[];
  result: ImportResult;
  /** In the order of the rows. */
  rejected: readonly RejectedTableRow[];
  leftOut: readonly LeftOut[];
  /** The words for which the given mapping has no meaning. */
  guessed: readonly GuessedWord[];
  /** The counts with which the next rows of the file begin. */
  equalRows: EqualRowCounts;
};

type TableDeps = {
  store: Store;
  knowledge: Knowledge;
  partner: Partner;
  clock: () => Instant;
  yieldNow: () => Promise<void>;
};

type TableImport = {
  /** Undefined to have it guessed. */
  mapping: FileMapping | undefined;
  /** The counts of the rows before these in the file. */
  equalRows?: EqualRowCounts;
  /** Changes records that exist. */
  update?: boolean;
  dryRun: boolean;
  /** Sends no webhooks. */
  silent: boolean;
};

/**
 * Imports rows of a table. Repeating it adds nothing, and changes records only with `update`. A dry run writes them in a transaction that is rolled back: it rejects
 * what the import would reject, and rows that refer to rows of another call. Throws a conflict while another import of the
 * partner runs, and an UnfinishedChange if the storage fails, or the response is late, between two transactions.
 */
export async function importTableRows(
  deps: TableDeps,
  given: TableRows,
  { mapping: chosen, equalRows: before = EqualRowCounts.none(), update = false, dryRun, silent }: TableImport,
): Promise<ImportedTable> {
  const { store, knowledge, partner, yieldNow } = deps;
  const table = tableOf(given);
  if (chosen) refuseWrongMapping(knowledge, chosen, table);
  const known = chosen ?? guessFileMapping(knowledge, table);
  const { guessed } = await surveyMappedColumns(table, known, knowledge.types, {
    mostWords: MOST_GUESSED_WORDS,
    yieldNow,
  });
  const mapping = withGuessedWords(known, guessed);
  // A row that makes several records is rejected once, for the first reason.
  const rejected = new Map<number, string>();
  const foundHalfway: RowsFoundHalfway = new Map();
  const prepared = before.copy();
  let equalRows = prepared;
  const importing =
    (files: Pick<ImportRequest, "sources" | "surveyed">) => async (own: Store, lock?: HeldLock) => {
      // The transaction of a dry run may run again.
      rejected.clear();
      equalRows = prepared.copy();
      const rescoreLimit = new RescoreLimit();
      return await importPortfolio({
        ...deps,
        store: own,
        ...files,
        actor: partner.id,
        equalRows,
        silent,
        update,
        isDryRun: dryRun,
        placeOf: originalRowOfReject,
        shownSameAddresses: MOST_ROWS,
        ...(dryRun && { foundHalfway, rescoreLimit: () => rescoreLimit }),
        ...(lock && { withLock: (work) => work(lock) }),
        onRejected: (rows) => {
          for (const { cells, error } of rows) {
            const row = originalRowOfReject({ cells }).line;
            if (!rejected.has(row)) rejected.set(row, error);
          }
        },
      });
    };
  const preparing = {
    read: store.read,
    partnerId: partner.id,
    types: knowledge.types,
    most: MOST_PREPARED,
    isUpdating: update,
    equalRows: prepared,
    yieldNow,
  };
  // The rows are prepared and surveyed before the transaction of a dry run, which other writes wait for.
  const { sources, leftOut } = await prepareRowsInMemory(preparing, [{ table, mapping }]);
  const run = importing({ sources, surveyed: await surveyImportFiles({ sources }) });
  const result = dryRun ? await rolledBack(store, run, foundHalfway) : await underLock(store, partner, run);
  const rows = [...rejected].map(([row, error]) => ({ row, error })).toSorted((a, b) => a.row - b.row);
  return {
    mapping,
    fields: mappableFields(mapping),
    result,
    leftOut,
    guessed: chosen ? guessed : [],
    rejected: rows,
    equalRows,
  };
}

function refuseWrongMapping({ types }: Knowledge, mapping: FileMapping, { headings }: ImportTable): void {
  const stranger = mappedApplianceTypes(mapping).find((id) => !types.has(id));
  if (stranger !== undefined) throw invalid(`mapping names the type ${stranger}, which is unknown`);
  const misnamed = mappingProblem(mapping, headings);
  if (misnamed !== undefined) throw invalid(`mapping: ${misnamed}`);
}

function tableOf({ file, columns, rows, firstRow, separator }: TableRows): ImportTable {
  const headings = columns.map((column) => column.trim());
  asInvalid(() => checkImportTableHeadings(file, headings));
  return {
    name: file,
    headings,
    sample: rows,
    count: rows.length,
    notes: [],
    hasCommas: tableCellsHaveDecimalComma(separator),
    async *rows() {
      for (const [at, cells] of rows.entries()) yield { line: firstRow + at, cells };
    },
  };
}

async function underLock<T>(
  store: Store,
  partner: Partner,
  run: (store: Store, lock: HeldLock) => Promise<T>,
): Promise<T> {
  const lock = {
    name: clusterImportLockName(partner.id),
    owner: "the app",
    activity: "an import for this account is in progress",
  };
  try {
    return await withClusterLock(store, lock, (held) =>
      reportUnfinishedStoreTransactions(store, () => run(store, held)),
    );
  } catch (error) {
    // Another import has the lock, or has taken it while this server was suspended.
    if (error instanceof OperatorError && !(error instanceof StorageError))
      throw conflict(`${error.message}. ${error.hint}`);
    throw error;
  }
}

/** The result of work that is undone, on its way out of the transaction. */
class Undone<T> extends Error {
  constructor(readonly result: T) {
    super("rolled back");
  }
}

/**
 * Runs the work on a store whose writes all happen in one transaction, and rolls that back. A row that is rejected halfway
 * starts it again, since later rows must be checked without the written part of its change.
 */
async function rolledBack<T>(
  store: Store,
  run: (own: Store) => Promise<T>,
  foundHalfway: RowsFoundHalfway,
): Promise<T> {
  for (;;)
    try {
      await store.write(
        async (tx) => {
          const own: Store = { ...store, read: tx, write: (work) => work(tx), analyze: async () => {} };
          throw new Undone(await run(own));
        },
        { priority: "background" },
      );
      throw new Error("a dry run was not rolled back");
    } catch (error) {
      if (error instanceof Undone) return error.result as T;
      if (!(error instanceof DryRunStopped)) throw error;
      foundHalfway.set(error.place, error.row);
    }
}

function asInvalid(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw error instanceof OperatorError ? invalid(error.message) : error;
  }
}
