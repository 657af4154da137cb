import { type HeldLock, NO_LOCK } from "../../cluster/locks.ts";
import { type Source, sourceName } from "../../csv/source.ts";
import { OperatorError } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import { applianceRows } from "./appliances.ts";
import { emptyTally, type ImportWorld, importRows, type Tally } from "./batches.ts";
import { type ChangedField, ChangeLog } from "./changes.ts";
import type { ColumnMapping, FieldDefault } from "./columns.ts";
import { type SurveyedFile, surveyFile } from "./file.ts";
import type { FileKind, RowKind } from "./kind.ts";
import { propertyRows } from "./properties.ts";
import { RejectLog, type Rejects } from "./rejects.ts";
import { serviceEventRows } from "./service-events.ts";

/** In the order of the import: rows name rows of the files before theirs. */
const KINDS = {
  properties: propertyRows,
  appliances: applianceRows,
  serviceEvents: serviceEventRows,
} as const;
type Part = keyof typeof KINDS;
const PARTS = Object.keys(KINDS) as Part[];

/** The fields of each kind of file, which are the headings that its columns have unless they are mapped. */
export const IMPORT_FIELDS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(KINDS).map(({ name, fields }) => [name, Object.keys(fields)]),
);

export type ImportRequest = Omit<ImportWorld, "yieldNow" | "lock"> & {
  sources: { readonly [P in Part]?: Source | undefined };
  mappings?: readonly ColumnMapping[];
  defaults?: readonly FieldDefault[];
  /** The folder that rejected rows are written to, made when there is one; without it they are only counted. */
  rejectsFolder?: string | undefined;
  /** Whom the audit log names. */
  actor: string;
  clock: () => Instant;
  yieldNow?: () => Promise<void>;
  /** Has what writes done in the turn at the partner's imports, where others may make one; called once the files are read. */
  withLock?: (run: (lock: HeldLock) => Promise<ImportResult>) => Promise<ImportResult>;
  /** Called with each file that is begun, and as its rows are done. */
  onProgress?: (progress: ImportProgress) => void;
};

export type ImportProgress = { kind: FileKind; file: string; rows: number; done: number };

/** `read` is `created`, `updated`, `unchanged` and the rejected together. */
export type RowCounts = { read: number; created: number; updated: number; unchanged: number };

export type ImportResult = {
  properties: RowCounts;
  appliances: RowCounts;
  components: { created: number };
  serviceEvents: RowCounts;
  rejected: number;
  /** One for each file that had rows rejected. */
  rejects: Rejects[];
  /** What `update` has changed. */
  changes: ChangedField[];
  warnings: string[];
  durationMs: number;
};

/**
 * Adds a portfolio from CSV files to a partner's. What is there already is left as it is, so the same import again,
 * or after it was cut short, adds what is missing and nothing twice; it changes only when told to `update`, and never
 * removes. Rows that are wrong are rejected one by one. Of two at once for a partner each may add what the other adds:
 * whoever may not be alone has a turn. Throws an OperatorError, before anything is written, for a file that cannot be
 * used, and with nothing more written once the turn is over.
 */
export async function importPortfolio(request: ImportRequest): Promise<ImportResult> {
  const { sources, mappings = [], defaults = [], withLock = (run) => run(NO_LOCK) } = request;
  const startedAt = request.clock();
  const files: { part: Part; file: SurveyedFile }[] = [];
  refuseIdleDefaults(
    defaults,
    PARTS.filter((part) => sources[part]),
  );
  for (const part of PARTS) {
    const source = sources[part];
    if (source)
      files.push({
        part,
        file: await surveyFile(KINDS[part] as RowKind<unknown>, source, mappings, defaults),
      });
  }
  refuseIdleMappings(
    mappings,
    files.map(({ file }) => file),
  );
  return await withLock((lock) => importFiles({ ...request, lock }, files, startedAt));
}

type Files = readonly { part: Part; file: SurveyedFile }[];

async function importFiles(
  request: ImportRequest & { lock: HeldLock },
  files: Files,
  startedAt: Instant,
): Promise<ImportResult> {
  const { store, partner, actor, clock, lock } = request;
  // Before the first row, so that an import that is cut short is noted as well.
  await store.write(
    async (tx) => {
      await lock.confirm(tx);
      const detail = { files: files.map(({ file: { kind, name, rows } }) => ({ kind, file: name, rows })) };
      await tx.audit.record({ at: tx.now, actor, action: "portfolio.import", subject: partner.id, detail });
    },
    { partnerId: partner.id },
  );
  const tallies = { properties: emptyTally(), appliances: emptyTally(), serviceEvents: emptyTally() };
  const rejects: Rejects[] = [];
  const changes = new ChangeLog();
  for (const { part, file } of files) {
    const rejected = await importFile(request, part, file, tallies[part], changes);
    if (rejected) rejects.push(rejected);
  }
  return {
    properties: rowCounts(tallies.properties),
    appliances: rowCounts(tallies.appliances),
    components: { created: tallies.appliances.components },
    serviceEvents: rowCounts(tallies.serviceEvents),
    rejected: rejects.reduce((sum, { rows }) => sum + rows, 0),
    rejects,
    changes: changes.summary(),
    warnings: files.flatMap(({ file }) => ignoredColumns(file)),
    durationMs: clock() - startedAt,
  };
}

async function importFile(
  request: ImportRequest & { lock: HeldLock },
  part: Part,
  file: SurveyedFile,
  total: Tally,
  changes: ChangeLog,
): Promise<Rejects | undefined> {
  const { onProgress, yieldNow = async () => {}, rejectsFolder, ...world } = request;
  const log = new RejectLog(file, rejectsFolder);
  const tell = () => onProgress?.({ kind: file.kind, file: file.name, rows: file.rows, done: total.read });
  tell();
  try {
    await importRows(
      { ...world, yieldNow },
      KINDS[part] as RowKind<unknown>,
      file,
      ({ tally, rejected, changed }) => {
        for (const name of Object.keys(tally) as (keyof Tally)[]) total[name] += tally[name];
        log.add(rejected);
        changes.add(file.kind, changed);
        tell();
      },
    );
  } finally {
    log.close();
  }
  return log.summary();
}

const rowCounts = ({ read, created, updated, unchanged }: Tally): RowCounts => ({
  read,
  created,
  updated,
  unchanged,
});

function ignoredColumns({ name, layout: { ignored } }: SurveyedFile): string[] {
  if (ignored.length === 0) return [];
  return [`${name}: ignored, since no field has the name: ${ignored.join(", ")}`];
}

function refuseIdleDefaults(defaults: readonly FieldDefault[], parts: readonly Part[]): void {
  const known = new Set(parts.flatMap((part) => Object.keys(KINDS[part].fields)));
  for (const { field, text } of defaults)
    if (!known.has(field))
      throw new OperatorError(
        `--default ${field}=${text}: none of the files has a field ${JSON.stringify(field)}`,
        "`mainstay import --help` lists the fields.",
      );
}

/** A mapping that no file has a use for is a slip of the pen. */
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
        `${written}: ${files.map(({ source }) => sourceName(source)).join(", ")} can have no ${field}`,
        "`mainstay import --help` lists the fields.",
      );
  }
}
