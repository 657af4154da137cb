import type { Timers } from "../event-loop.ts";

export type ResultBatcher<Result> = {
  /** Writes the result before long, then calls `written`. */
  add(result: Result, written: () => void): void;
  /** Results not yet written. */
  readonly size: number;
  /** Gives up a write that is waiting to be tried again. One that is under way still finishes. */
  close(): void;
};

export type BatcherOptions<Result> = {
  /** Writes all of them or none: one transaction. */
  write: (results: Result[]) => Promise<void>;
  /** Told of a write that did not work; the same results are tried again after `retryMs`. */
  onFailure: (error: unknown, retryMs: number) => void;
  timers: Timers;
  maxBatch: number;
  /** From a write to the next, so that a busy time has few and large ones; the first after a quiet one is at once. */
  intervalMs: number;
};

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

/** Writes results one batch after the other, each with all that came in since the one before; loses none. */
export function createResultBatcher<Result>(options: BatcherOptions<Result>): ResultBatcher<Result> {
  const { write, onFailure, timers, maxBatch: mostPerBatch, intervalMs: gatherMs } = options;
  let waiting: { result: Result; written: () => void }[] = [];
  let isBusy = false;
  let isClosed = false;
  let timer: unknown;

  async function run(retryMs: number): Promise<void> {
    isBusy = waiting.length > 0 && !isClosed;
    if (!isBusy) return;
    const batch = waiting.slice(0, mostPerBatch);
    try {
      await write(batch.map(({ result }) => result));
    } catch (error) {
      if (!isClosed) onFailure(error, retryMs);
      runAfter(retryMs, Math.min(retryMs * 2, LONGEST_RETRY_MS));
      return;
    }
    waiting = waiting.slice(batch.length);
    for (const { written } of batch) written();
    runAfter(gatherMs, FIRST_RETRY_MS);
  }

  function runAfter(delayMs: number, retryMs: number): void {
    if (!isClosed) timer = timers.set(() => run(retryMs), delayMs);
  }

  return {
    add(result, written) {
      waiting.push({ result, written });
      if (!isBusy) run(FIRST_RETRY_MS);
    },
    get size() {
      return waiting.length;
    },
    close() {
      isClosed = true;
      timers.clear(timer);
    },
  };
}
