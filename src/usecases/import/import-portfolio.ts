import { basename } from "node:path";
import { type HeldLock, NO_LOCK } from "../../cluster/cluster-locks.ts";
import { type CsvSource, csvSourceName } from "../../csv/csv-source.ts";
import { OperatorError } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import {
  importNoteSumWording,
  importNoteWordings,
  type WordedImportNotes,
} from "../../domain/wording/import-notes-wording.ts";
import { applianceImportRows } from "./appliance-import.ts";
import { claimImportRows } from "./claim-import.ts";
import { componentImportRows } from "./component-import.ts";
import { DryRunCreatedRows, type NamedSameAddress } from "./dry-run-created-rows.ts";
import {
  DryRunStopped,
  emptyImportCounts,
  type ImportCounts,
  type ImportDeps,
  importFileRows,
} from "./import-batches.ts";
import { type ChangedField, ChangeLog } from "./import-change-log.ts";
import type { ColumnMapping, FieldDefault } from "./import-columns.ts";
import { EqualRowCounts } from "./import-equal-row-counts.ts";
import { type SurveyedFile, surveyImportFile } from "./import-file-rows.ts";
import {
  type RejectedRow,
  type RejectedRows,
  RejectLog,
  readEqualRowCountsOfRejects,
} from "./import-rejects.ts";
import type { FileKind, RowKind } from "./import-row-kind.ts";
import { propertyImportRows } from "./property-import.ts";
import { serviceEventImportRows } from "./service-event-import.ts";

/** In the order of import: rows refer to rows of earlier files. */
const KINDS = {
  properties: propertyImportRows,
  appliances: applianceImportRows,
  components: componentImportRows,
  serviceEvents: serviceEventImportRows,
  claims: claimImportRows,
} as const;
type Part = keyof typeof KINDS;
const PARTS = Object.keys(KINDS) as Part[];

/** The fields of each kind of file, which are its headings unless they are mapped. */
export const IMPORT_FIELDS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(KINDS).map(({ name, fields }) => [name, Object.keys(fields)]),
);

/** The fields that each row of a kind must have, besides what it belongs to. */
export const REQUIRED_FIELDS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(KINDS).map(({ name, required }) => [name, required]),
);

export type ImportRequest = Omit<ImportDeps, "yieldNow" | "lock"> & {
  sources: { readonly [P in Part]?: CsvSource | undefined };
  mappings?: readonly ColumnMapping[];
  defaults?: readonly FieldDefault[];
  /** The sources, if they have been surveyed before. */
  surveyed?: readonly SurveyedImportFile[];
  /** The folder for rejected rows, created when needed; without it they are only counted. */
  rejectsFolder?: string | undefined;
  /** The name in the audit log. */
  actor: string;
  clock: () => Instant;
  yieldNow?: () => Promise<void>;
  /** Runs the writing part under the lock on the partner's imports; called once the files are read. */
  withLock?: (run: (lock: HeldLock) => Promise<ImportResult>) => Promise<ImportResult>;
  /** Called for each file at its start and as its rows are done. */
  onProgress?: (progress: ImportProgress) => void;
  /** The most rows of properties with the same address that are named, 10 by default; the others are counted. */
  shownSameAddresses?: number;
  /** Names the rows in place of the IDs of records that the import makes, since they are rolled back. */
  isDryRun?: boolean;
  /** Receives the rejected rows of each transaction. */
  onRejected?: (rows: readonly RejectedRow[]) => void;
};

type ImportProgress = { kind: FileKind; file: string; rows: number; done: number };

/** `read` is the sum of `created`, `updated`, `unchanged` and the rejected rows. */
export type RowCounts = { read: number; created: number; updated: number; unchanged: number };

export type ImportResult = {
  properties: RowCounts;
  appliances: RowCounts;
  /** Rows that state something about components; `created` by appliances. */
  components: RowCounts;
  notes: WordedImportNotes;
  /** Properties created or changed with the address of one created before; `first` are some of their rows. */
  sameAddress: { properties: number; first: NamedSameAddress[] };
  serviceEvents: RowCounts;
  claims: RowCounts;
  rejected: number;
  /** One entry for each file with rejected rows. */
  rejects: RejectedRows[];
  /** The changes made by `update`. */
  changes: ChangedField[];
  warnings: string[];
  durationMs: number;
};

/**
 * Imports CSV files into a partner's portfolio. Existing records stay as they are, so repeating an import, also after an
 * interruption, adds only what is missing. Records are changed only with `update`, and never removed. Invalid rows are
 * rejected one by one. Two concurrent imports could both add the same record, so callers that can have company pass
 * `withLock`. Throws an OperatorError before anything is written if a file cannot be used, and stops writing once the
 * lock is lost.
 */
export async function importPortfolio(request: ImportRequest): Promise<ImportResult> {
  const { surveyed, withLock = (run) => run(NO_LOCK) } = request;
  const startedAt = request.clock();
  const files = surveyed ?? (await surveyImportFiles(request));
  return await withLock((lock) => importFiles({ ...request, lock }, files, startedAt));
}

/** Reads the files once, for what must be known before the first row is imported. Throws an OperatorError for one that cannot be used. */
export async function surveyImportFiles({
  sources,
  mappings = [],
  defaults = [],
}: Pick<ImportRequest, "sources" | "mappings" | "defaults">): Promise<SurveyedImportFile[]> {
  const files: SurveyedImportFile[] = [];
  refuseIdleDefaults(
    defaults,
    PARTS.filter((part) => sources[part]),
  );
  for (const part of PARTS) {
    const source = sources[part];
    if (!source) continue;
    const file = await surveyImportFile(KINDS[part] as RowKind<unknown>, source, mappings, defaults);
    const equalRows = part === "appliances" ? readEqualRowCountsOfRejects(file) : undefined;
    files.push({ part, file, equalRows });
  }
  refuseIdleMappings(
    mappings,
    files.map(({ file }) => file),
  );
  return files;
}

/** `equalRows` has the counts of the rows before, if they are known. */
type SurveyedImportFile = { part: Part; file: SurveyedFile; equalRows: EqualRowCounts | undefined };

async function importFiles(
  request: ImportRequest & { lock: HeldLock },
  files: readonly SurveyedImportFile[],
  startedAt: Instant,
): Promise<ImportResult> {
  const { store, partner, actor, clock, lock } = request;
  // Recorded before the first row, so that an interrupted import is in the audit log too.
  await store.write(
    async (tx) => {
      await lock.confirm(tx);
      const kept = { files: files.map(({ file: { kind, rows } }) => ({ kind, rows })) };
      const values = { files: files.map(({ file: { kind, name, rows } }) => ({ kind, file: name, rows })) };
      const entry = { at: tx.now, actor, action: "portfolio.import", subject: partner.id } as const;
      await tx.audit.recordOfPartner({ ...entry, partnerId: partner.id, kept, values });
    },
    { partnerId: partner.id },
  );
  const counters = {
    properties: emptyImportCounts(),
    appliances: emptyImportCounts(),
    components: emptyImportCounts(),
    serviceEvents: emptyImportCounts(),
    claims: emptyImportCounts(),
  };
  const rejects: RejectedRows[] = [];
  const changes = new ChangeLog();
  const sameAddress: ImportResult["sameAddress"] = { properties: 0, first: [] };
  const created = new DryRunCreatedRows(request.placeOf ? "row" : "line");
  for (const one of files) {
    const { part } = one;
    const rejected = await importFile(request, one, {
      total: counters[part],
      changes,
      sameAddress,
      created,
    });
    if (rejected) rejects.push(rejected);
  }
  return {
    properties: rowCounts(counters.properties),
    appliances: rowCounts(counters.appliances),
    components: { ...rowCounts(counters.components), created: counters.appliances.components },
    notes: importNoteSumWording(importNoteWordings(counters.appliances), importNoteWordings(counters.claims)),
    sameAddress,
    serviceEvents: rowCounts(counters.serviceEvents),
    claims: rowCounts(counters.claims),
    rejected: rejects.reduce((sum, { rows }) => sum + rows, 0),
    rejects,
    changes: changes.summary(),
    warnings: files.flatMap((one) => [...ignoredColumns(one.file), ...missingCounts(one)]),
    durationMs: clock() - startedAt,
  };
}

type Totals = {
  total: ImportCounts;
  changes: ChangeLog;
  sameAddress: ImportResult["sameAddress"];
  created: DryRunCreatedRows;
};

async function importFile(
  request: ImportRequest & { lock: HeldLock },
  { part, file, equalRows: before }: SurveyedImportFile,
  { total, changes, sameAddress, created }: Totals,
): Promise<RejectedRows | undefined> {
  const {
    onProgress,
    onRejected,
    yieldNow = async () => {},
    rejectsFolder,
    shownSameAddresses = 10,
    isDryRun = false,
    ...deps
  } = request;
  const log = new RejectLog(file, rejectsFolder);
  const equalRows = deps.equalRows ?? before ?? EqualRowCounts.none();
  const report = () => onProgress?.({ kind: file.kind, file: file.name, rows: file.rows, done: total.read });
  const named = (row: Pick<RejectedRow, "line" | "cells">, error: string) =>
    created.named(error, request.placeOf?.(row).file ?? file.name);
  report();
  try {
    await importFileRows(
      { ...deps, equalRows, yieldNow },
      KINDS[part] as RowKind<unknown>,
      file,
      ({ counts, rejected: refused, created: made, changed, sameAddresses }) => {
        if (isDryRun) created.add(made);
        const rejected = refused.map(({ error, ...row }) => ({
          ...row,
          error: named(row, error),
        }));
        for (const name of Object.keys(counts) as (keyof ImportCounts)[]) total[name] += counts[name];
        log.add(rejected);
        onRejected?.(rejected);
        changes.add(file.kind, changed);
        sameAddress.properties += sameAddresses.length;
        const shown = sameAddresses.slice(0, shownSameAddresses - sameAddress.first.length);
        sameAddress.first.push(...shown.map((one) => created.sameAddress(one)));
        report();
      },
    );
    if (part === "appliances") log.keepEqualRows(equalRows);
  } catch (error) {
    if (error instanceof DryRunStopped) {
      created.add(error.created);
      error.row.error = named(error.row, error.row.error);
    }
    throw error;
  } finally {
    log.close();
  }
  return log.summary();
}

const rowCounts = ({ read, created, updated, unchanged }: ImportCounts): RowCounts => ({
  read,
  created,
  updated,
  unchanged,
});

function ignoredColumns({ name, layout: { ignored } }: SurveyedFile): string[] {
  if (ignored.length === 0) return [];
  return [`${name}: ignored columns (no field with that name): ${ignored.join(", ")}`];
}

/** Rejected rows that are corrected are further rows of their file, if it is known how many equal ones it had. */
function missingCounts({ part, file, equalRows }: SurveyedImportFile): string[] {
  if (part !== "appliances" || !file.layout.isRejects || equalRows) return [];
  return [
    `${file.name}: ${basename(file.name)}.counts, which was written with it, is not beside it: of rows without a serial, those that equal imported ones count as them`,
  ];
}

function refuseIdleDefaults(defaults: readonly FieldDefault[], parts: readonly Part[]): void {
  const known = new Set(parts.flatMap((part) => Object.keys(KINDS[part].fields)));
  for (const { field, text } of defaults)
    if (!known.has(field))
      throw new OperatorError(
        `--default ${field}=${text}: no file has a field ${JSON.stringify(field)}`,
        "`mainstay import --help` lists the fields.",
      );
}

/** A mapping that matches no file is a typing error. */
function refuseIdleMappings(mappings: readonly ColumnMapping[], files: readonly SurveyedFile[]): void {
  for (const { column, field } of mappings) {
    const written = `--map ${JSON.stringify(`${column}=${field}`)}`;
    const columns = files.flatMap(({ layout }) => layout.columns.map((name) => name.trim()));
    if (!columns.includes(column))
      throw new OperatorError(
        `${written}: no file has a column ${JSON.stringify(column)}`,
        `There are: ${[...new Set(columns)].join(", ")}`,
      );
    const holds = files.some(({ layout }) =>
      layout.fields.some((found) => found.field === field && layout.columns[found.at]!.trim() === column),
    );
    if (!holds)
      throw new OperatorError(
        `${written}: ${files.map(({ source }) => csvSourceName(source)).join(", ")} cannot contain ${field}`,
        "`mainstay import --help` lists the fields.",
      );
  }
}
