import { type ClusterLock, NO_LOCK } from "../../cluster/cluster-locks.ts";
import type { CsvRow } from "../../csv/read-csv.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { Partner } from "../../domain/partner.ts";
import type { Store, Tx } from "../../store/store.ts";
import { writePortfolio } from "../portfolio/portfolio-writer.ts";
import { RescoreLimit, RescoreLimitExceeded } from "../rescoring/rescore-limit.ts";
import type { CreatedRow, RowPlace } from "./dry-run-created-rows.ts";
import type { EqualRowCounts } from "./import-equal-row-counts.ts";
import { type ReadRow, readImportRows, rowRejectionReason, type SurveyedFile } from "./import-file-rows.ts";
import type { RejectedRow } from "./import-rejects.ts";
import {
  type AddedCounts,
  type FieldChange,
  NOTHING_ADDED,
  type RowBatch,
  type RowKind,
  type SameAddress,
} from "./import-row-kind.ts";

/** Rows after which the database updates its statistics for the first time, and again after each tenfold. */
const FIRST_ANALYZED = 500;

/** Rows read ahead of the transactions. */
const READ_AHEAD = 400;

/** Rows whose data is loaded together. */
const PRELOADED = 50;

/**
 * The least time that a transaction spends on rows, in milliseconds. Scoring takes about as long again, and other
 * processes on the database wait for both; in a cluster only writes for the same partner wait.
 */
const LEAST_ROWS_MS = { alone: 6, shared: 60 };
/**
 * A transaction spends as much time on rows as the one before spent on scoring, up to this. Rows of a huge property may
 * score the whole of it in each transaction, however few they are.
 */
const MOST_ROWS_MS = 1_000;

export type ImportDeps = {
  store: Store;
  knowledge: Knowledge;
  partner: Partner;
  /** Updates existing records from the rows, instead of leaving them unchanged. */
  update?: boolean;
  /** Sends no webhooks; the event stream contains the changes all the same. */
  silent?: boolean;
  /** The counts of rows of the same file that were imported before; those of these rows are added. */
  equalRows?: EqualRowCounts;
  /** Present if all transactions are one that is rolled back: the rows that its earlier runs found rejected halfway. */
  foundHalfway?: RowsFoundHalfway;
  /** Returns the limit of the next transaction: by default a new one, and in a dry run the same for all. */
  rescoreLimit?: () => RescoreLimit;
  /** Yields the writer to others between two transactions. */
  yieldNow: () => Promise<void>;
  /** The name in the audit log. */
  actor?: string;
  /** The lock on the partner's imports, if another process could import. */
  lock?: ClusterLock;
  /** Milliseconds of a monotonic clock. */
  monotonicMs?: () => number;
  /** Returns where people know a row from; its line in the file by default. */
  placeOf?: (row: Pick<RejectedRow, "line" | "cells">) => RowPlace;
};

/** Rows that were rejected after some of their change was written, by their kind and place. */
export type RowsFoundHalfway = Map<string, RefusedRow>;
type RefusedRow = CsvRow & { error: string };

/**
 * Rows rejected halfway for which a dry run starts again, each time from its first row. The rows after the last one are
 * checked with the written part of its change in place.
 */
const MOST_RESTARTS = 10;
/** The end of the error of a row beyond those. */
const STAYS = ". Correct this row first: the check of later rows counts a part of its change";

/** The counts of one transaction or of a whole file. */
export type ImportCounts = AddedCounts & {
  read: number;
  created: number;
  updated: number;
  unchanged: number;
};

export const emptyImportCounts = (): ImportCounts => ({
  read: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  ...NOTHING_ADDED,
});

/** The result of one transaction. */
type BatchResult = {
  counts: ImportCounts;
  rejected: RejectedRow[];
  created: CreatedRow[];
  changed: ChangedRow[];
  sameAddresses: RowOfSameAddress[];
};

type Written<Entry> = { batch: RowBatch<Entry>; result: BatchResult; scoringMs: number };

type RowOfSameAddress = SameAddress & { line: number };
export type ChangedRow = { line: number; fields: readonly FieldChange[] };

/**
 * Writes a file's rows in short transactions, each of which leaves all counts and scores consistent; an interrupted
 * run is continued by running it again. Calls `onCommit` after each transaction with its result.
 */
export async function importFileRows<Entry>(
  deps: ImportDeps,
  kind: RowKind<Entry>,
  file: SurveyedFile,
  onCommit: (result: BatchResult) => void,
): Promise<void> {
  const { store, knowledge, partner, actor, yieldNow, lock = NO_LOCK } = deps;
  const { update = false, silent = false, foundHalfway, rescoreLimit = () => new RescoreLimit() } = deps;
  const monotonicMs = deps.monotonicMs ?? (() => performance.now());
  const placeOf = deps.placeOf ?? (({ line }) => ({ file: file.name, line }));
  const open = kind.start(deps.equalRows);
  const leastMs = LEAST_ROWS_MS[store.isShared ? "shared" : "alone"];
  let rowsMs = leastMs;
  let waiting: ReadRow<Entry>[] = [];
  let mostRows = READ_AHEAD;
  /** A row that exceeds the limit alone is written without it. */
  let isLimited = true;
  let done = 0;
  const keyOf = (at: number) => `${kind.name} ${at}`;
  let analyzeAt = FIRST_ANALYZED;

  /** Writes some of the rows that wait; none if one is rejected halfway, or if together they rescore too many components. */
  async function writeSome(): Promise<void> {
    try {
      await writeBatch();
      mostRows = Math.min(READ_AHEAD, 2 * mostRows);
      isLimited = true;
    } catch (error) {
      if (error instanceof TooManyRescored) {
        if (foundHalfway) throw error.cause;
        mostRows = Math.max(1, error.rows);
        isLimited = error.rows > 0;
        return;
      }
      if (!(error instanceof RejectedHalfway)) throw error;
      if (foundHalfway) throw new DryRunStopped(keyOf(done + error.at), error);
      // The rows up to it are written again, so that each row is applied twice at most.
      waiting[error.at] = error.row;
      mostRows = error.at + 1;
    }
  }

  async function writeBatch(): Promise<void> {
    const { batch, result, scoringMs } = await writePortfolio<Written<Entry>>(
      store.write,
      knowledge,
      partner,
      async (writer) => {
        await lock.confirm(writer.tx);
        if (silent) writer.outbox.suppress();
        if (isLimited) writer.rescoreLimit = rescoreLimit();
        const batch = open(writer);
        const rows = waiting.slice(0, mostRows);
        const keepsHalf = foundHalfway !== undefined && foundHalfway.size >= MOST_RESTARTS;
        // The rows of a dry run are in one transaction in any case: the time does not decide what they rescore together.
        const mostMs = foundHalfway ? Number.POSITIVE_INFINITY : rowsMs;
        const how = { update, mostMs, monotonicMs, placeOf, keepsHalf };
        const result = await processRows(batch, rows, writer.tx, how);
        const processedAt = monotonicMs();
        try {
          Object.assign(result.counts, await batch.finish());
        } catch (error) {
          throw tooManyRescored(error, Math.floor(result.counts.read / 2)) ?? error;
        }
        return { batch, result, scoringMs: monotonicMs() - processedAt };
      },
      actor,
    );
    rowsMs = Math.min(Math.max(leastMs, scoringMs), MOST_ROWS_MS);
    batch.committed?.();
    waiting = waiting.slice(result.counts.read);
    done += result.counts.read;
    onCommit(result);
    if (done >= analyzeAt) {
      analyzeAt *= 10;
      await store.analyze();
    }
    await yieldNow();
  }

  for await (const row of readImportRows(file, kind)) {
    waiting.push(foundHalfway?.get(keyOf(done + waiting.length)) ?? row);
    while (waiting.length >= READ_AHEAD) await writeSome();
  }
  while (waiting.length > 0) await writeSome();
  if (done >= FIRST_ANALYZED) await store.analyze();
}

/** A dry run found a row that is rejected halfway. The caller adds it to those found, and runs it again. */
export class DryRunStopped extends Error {
  readonly row: RefusedRow;
  /** The records that the transaction had created, whose IDs the error may name. */
  readonly created: readonly CreatedRow[];

  constructor(
    readonly place: string,
    { row, created }: RejectedHalfway,
  ) {
    super(`a dry run was stopped by a row: ${row.error}`);
    this.row = row;
    this.created = created;
  }
}

/** A row is rejected after some of its change was written, and takes its transaction with it. */
class RejectedHalfway extends Error {
  constructor(
    readonly at: number,
    readonly row: RefusedRow,
    readonly created: readonly CreatedRow[],
  ) {
    super(`a row was rejected halfway: ${row.error}`);
  }
}

/** The rows of a transaction rescore too many components. `rows` is how many of them to try instead. */
class TooManyRescored extends Error {
  constructor(
    override readonly cause: RescoreLimitExceeded,
    readonly rows: number,
  ) {
    super(cause.message);
  }
}

const tooManyRescored = (error: unknown, rows: number): TooManyRescored | undefined =>
  error instanceof RescoreLimitExceeded ? new TooManyRescored(error, rows) : undefined;

async function processRows<Entry>(
  batch: RowBatch<Entry>,
  rows: readonly ReadRow<Entry>[],
  { changes, yieldToEventLoop }: Pick<Tx, "changes" | "yieldToEventLoop">,
  how: Required<Pick<ImportDeps, "update" | "monotonicMs" | "placeOf">> & {
    mostMs: number;
    keepsHalf: boolean;
  },
): Promise<BatchResult> {
  const { update, mostMs, monotonicMs, placeOf, keepsHalf } = how;
  const counts = emptyImportCounts();
  const rejected: RejectedRow[] = [];
  const created: CreatedRow[] = [];
  const changed: ChangedRow[] = [];
  const sameAddresses: RowOfSameAddress[] = [];
  const until = monotonicMs() + mostMs;
  for (const [at, row] of rows.entries()) {
    if (at % PRELOADED === 0) {
      const next = rows.slice(at, at + PRELOADED);
      await batch.preload(next.flatMap((row) => ("entry" in row ? [row.entry] : [])));
    }
    counts.read++;
    const changesBefore = changes();
    if ("error" in row) rejected.push(row);
    else
      try {
        const outcome = await batch.apply(row.entry, update);
        if (typeof outcome === "string") counts[outcome]++;
        else {
          const { file, line } = placeOf(row);
          if (outcome.sameAddress) sameAddresses.push({ ...outcome.sameAddress, line });
          if ("created" in outcome) {
            counts.created++;
            created.push({ id: outcome.created, file, line });
          } else {
            counts.updated++;
            changed.push({ line, fields: outcome.updated });
          }
        }
      } catch (error) {
        const exceeded = tooManyRescored(error, at);
        if (exceeded) throw exceeded;
        const { entry, ...cells } = row;
        const refused = { ...cells, error: rowRejectionReason(error) };
        const isHalfway = changes() !== changesBefore;
        if (isHalfway && !keepsHalf) throw new RejectedHalfway(at, refused, created);
        if (isHalfway) refused.error += STAYS;
        rejected.push(refused);
      }
    if (monotonicMs() > until) break;
    await yieldToEventLoop();
  }
  return { counts, rejected, created, changed, sameAddresses };
}
