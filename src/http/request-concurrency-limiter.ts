import { HttpFailure } from "./http-errors.ts";

const RETRY_AFTER_S = 2;

/** The calls of a key. */
type Calls = {
  running: number;
  /** The functions that start the waiting calls, first in, first out. */
  waiting: Set<() => void>;
};

/** Limits the calls of one key that run at a time. Further calls wait in order, and are rejected if too many wait. */
export class RequestConcurrencyLimiter {
  readonly #calls = new Map<string, Calls>();

  constructor(
    private readonly maxRunning: number,
    private readonly maxWaiting: number,
  ) {}

  /**
   * Resolves with the result of `work`. Rejects with a 429 if too many calls wait, and with the reason of the signal if
   * it is aborted before the work starts.
   */
  async run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    await this.#start(key, signal);
    try {
      return await work();
    } finally {
      this.#end(key);
    }
  }

  async #start(key: string, signal: AbortSignal): Promise<void> {
    const calls = this.#calls.get(key) ?? { running: 0, waiting: new Set() };
    this.#calls.set(key, calls);
    if (calls.running < this.maxRunning) {
      calls.running++;
      return;
    }
    if (calls.waiting.size >= this.maxWaiting) throw tooManyAtOnce();
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        calls.waiting.delete(start);
        reject(signal.reason);
      };
      calls.waiting.add(start);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  /** Starts the next waiting call in place of the one that has ended. */
  #end(key: string): void {
    const calls = this.#calls.get(key)!;
    const [next] = calls.waiting;
    if (next) {
      calls.waiting.delete(next);
      next();
    } else if (--calls.running === 0) this.#calls.delete(key);
  }
}

/** The long reads of a partner that run at a time: each holds its data in memory, and delays the requests of others. */
const MAX_LONG_READS = 4;

/** Limits the long reads of a partner. Any number waits, each to its deadline, and holds nothing meanwhile. */
export const longReadLimiter = () => new RequestConcurrencyLimiter(MAX_LONG_READS, Number.POSITIVE_INFINITY);

const tooManyAtOnce = () =>
  new HttpFailure("rate_limited", "Too many requests at a time. Please slow down.", {
    "retry-after": String(RETRY_AFTER_S),
  });
