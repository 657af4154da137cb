import { type Lock, NO_LOCK } from "../../cluster/locks.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import type { Partner } from "../../domain/partner.ts";
import type { Store } from "../../store/store.ts";
import { writePortfolio } from "../portfolio/portfolio-writer.ts";
import { type ReadRow, readRows, rejection, type SurveyedFile } from "./file.ts";
import type { Batch, FieldChange, RowKind } from "./kind.ts";
import type { RejectedRow } from "./rejects.ts";

/** Rows after which the database looks at its tables for the first time; then each time that they are ten times as many. */
const FIRST_ANALYZED = 500;

/** Rows read ahead of the transactions. */
const READ_AHEAD = 400;

/** Rows whose reads are made together. */
const FORESEEN = 50;

/**
 * How long a transaction takes rows in. Scoring what they changed takes about as long again, and another process on
 * the same database waits for both; where it is a server's, nobody does but who writes for the same partner.
 */
const TAKE_ROWS_MS = { alone: 6, shared: 60 };

export type ImportWorld = {
  store: Store;
  knowledge: Knowledge;
  partner: Partner;
  /** Makes what is there agree with the rows, instead of leaving it as it is. */
  update?: boolean;
  /** Tells the partner's receiver nothing: the event stream has it all the same. */
  silent?: boolean;
  /** Lets others have the writer between two transactions. */
  yieldNow: () => Promise<void>;
  /** The turn at the partner's imports, where others may make one. */
  lock?: Lock;
};

/** What one transaction, or a whole file, has come to. */
export type Tally = { read: number; created: number; updated: number; unchanged: number; components: number };

export const emptyTally = (): Tally => ({ read: 0, created: 0, updated: 0, unchanged: 0, components: 0 });

/** What one transaction has done with its rows. */
export type Acquired = { tally: Tally; rejected: RejectedRow[]; changed: ChangedRow[] };

type Written<Entry> = { batch: Batch<Entry>; taken: Acquired };

export type ChangedRow = { line: number; fields: readonly FieldChange[] };

/**
 * Writes a file's rows in short transactions, each of which leaves the portfolio counted and scored: a run that is
 * cut short is continued by running it again. Calls `onCommit` after each with what it did.
 */
export async function importRows<Entry>(
  { store, knowledge, partner, yieldNow, update = false, silent = false, lock = NO_LOCK }: ImportWorld,
  kind: RowKind<Entry>,
  file: SurveyedFile,
  onCommit: (taken: Acquired) => void,
): Promise<void> {
  const open = kind.start();
  let waiting: ReadRow<Entry>[] = [];
  let done = 0;
  let analyzeAt = FIRST_ANALYZED;

  async function writeSome(): Promise<void> {
    const { batch, taken } = await writePortfolio<Written<Entry>>(
      store.write,
      knowledge,
      partner,
      async (writer) => {
        await lock.confirm(writer.tx);
        if (silent) writer.outbox.suppress();
        const batch = open(writer);
        const mostMs = TAKE_ROWS_MS[store.isShared ? "shared" : "alone"];
        return { batch, taken: await takeRows(batch, waiting, update, mostMs) };
      },
    );
    batch.committed?.();
    waiting = waiting.slice(taken.tally.read);
    done += taken.tally.read;
    onCommit(taken);
    if (done >= analyzeAt) {
      analyzeAt *= 10;
      await store.analyze();
    }
    await yieldNow();
  }

  for await (const row of readRows(file, kind)) {
    waiting.push(row);
    while (waiting.length >= READ_AHEAD) await writeSome();
  }
  while (waiting.length > 0) await writeSome();
  if (done >= FIRST_ANALYZED) await store.analyze();
}

async function takeRows<Entry>(
  batch: Batch<Entry>,
  rows: readonly ReadRow<Entry>[],
  update: boolean,
  mostMs: number,
): Promise<Acquired> {
  const tally = emptyTally();
  const rejected: RejectedRow[] = [];
  const changed: ChangedRow[] = [];
  const until = performance.now() + mostMs;
  for (const [at, row] of rows.entries()) {
    if (at % FORESEEN === 0) {
      const next = rows.slice(at, at + FORESEEN);
      await batch.foresee(next.flatMap((one) => ("entry" in one ? [one.entry] : [])));
    }
    tally.read++;
    if ("error" in row) rejected.push(row);
    else
      try {
        const outcome = await batch.apply(row.entry, update);
        if (typeof outcome === "string") tally[outcome]++;
        else {
          tally.updated++;
          changed.push({ line: row.line, fields: outcome.updated });
        }
      } catch (error) {
        rejected.push({ ...row, error: rejection(error) });
      }
    if (performance.now() > until) break;
  }
  tally.components = await batch.finish();
  return { tally, rejected, changed };
}
