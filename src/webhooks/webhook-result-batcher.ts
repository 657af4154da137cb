import type { Timers } from "../event-loop/event-loop.ts";

type ResultBatcher<Result> = {
  /** Queues the result; calls `written` once it is committed. */
  add(result: Result, written: () => void): void;
  /** The number of results not yet written. */
  readonly size: number;
  /** Cancels a scheduled retry. A write in progress still completes. */
  close(): void;
};

type BatcherOptions<Result> = {
  /** Writes all results or none, in one transaction. */
  write: (results: Result[]) => Promise<void>;
  /** Called after a failed write, which is retried with the same results after `retryMs`. */
  onFailure: (error: unknown, retryMs: number) => void;
  timers: Timers;
  maxBatch: number;
  /** The pause between two writes, which makes batches larger under load. The first write after an idle time starts at once. */
  intervalMs: number;
};

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;

/** Creates a batcher that writes results in batches, one at a time, and retries failed writes without limit. */
export function createWebhookResultBatcher<Result>(options: BatcherOptions<Result>): ResultBatcher<Result> {
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
      runAfter(retryMs, Math.min(retryMs * 2, MAX_RETRY_MS));
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
