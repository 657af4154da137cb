import type { Knowledge } from "../../domain/knowledge.ts";
import type { Partner } from "../../domain/partner.ts";
import type { Store } from "../../store/store.ts";
import { writePortfolio } from "../portfolio-writer.ts";
import { type ReadRow, readRows, rejection, type SurveyedFile } from "./file.ts";
import type { Batch, RowKind } from "./kind.ts";
import type { RejectedRow } from "./rejects.ts";

/** Rows read ahead of the transactions. */
const READ_AHEAD = 400;

/**
 * How long a transaction takes rows in. Scoring what they changed takes about as long again, and another process on
 * the same database waits for both.
 */
const TAKE_ROWS_MS = 6;

export type ImportWorld = {
  store: Store;
  knowledge: Knowledge;
  partner: Partner;
  /** Lets others have the writer between two transactions. */
  pause: () => Promise<void>;
};

/** What one transaction, or a whole file, has come to. */
export type Tally = { read: number; created: number; unchanged: number; components: number };

export const emptyTally = (): Tally => ({ read: 0, created: 0, unchanged: 0, components: 0 });

/**
 * Writes a file's rows in short transactions, each of which leaves the portfolio counted and scored: a run that is
 * cut short is continued by running it again. Calls `onCommit` after each with what it did.
 */
export async function importRows<Entry>(
  { store, knowledge, partner, pause }: ImportWorld,
  kind: RowKind<Entry>,
  file: SurveyedFile,
  onCommit: (tally: Tally, rejected: readonly RejectedRow[]) => void,
): Promise<void> {
  const open = kind.start();
  let waiting: ReadRow<Entry>[] = [];

  async function writeSome(): Promise<void> {
    const { tally, rejected } = await writePortfolio<Taken>(store.write, knowledge, partner, (writer) =>
      takeRows(open(writer), waiting),
    );
    waiting = waiting.slice(tally.read);
    onCommit(tally, rejected);
    await pause();
  }

  for await (const row of readRows(file, kind)) {
    waiting.push(row);
    while (waiting.length >= READ_AHEAD) await writeSome();
  }
  while (waiting.length > 0) await writeSome();
}

type Taken = { tally: Tally; rejected: RejectedRow[] };

async function takeRows<Entry>(batch: Batch<Entry>, rows: readonly ReadRow<Entry>[]): Promise<Taken> {
  const tally = emptyTally();
  const rejected: RejectedRow[] = [];
  const until = performance.now() + TAKE_ROWS_MS;
  for (const row of rows) {
    tally.read++;
    if ("error" in row) rejected.push(row);
    else
      try {
        tally[await batch.apply(row.entry)]++;
      } catch (error) {
        rejected.push({ ...row, error: rejection(error) });
      }
    if (performance.now() > until) break;
  }
  tally.components = await batch.finish();
  return { tally, rejected };
}
