/** Runs work on the same key one after the other, in the order in which it was asked for. */
export class InProcessKeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Runs after all earlier work on the key has ended, also if it failed, and returns the result. Rejects with the signal's
   * reason, without running, if the signal is aborted before.
   */
  async run<T>(key: string, run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const stopWaiting = () => reject(signal!.reason);
    const start = () => {
      signal?.removeEventListener("abort", stopWaiting);
      signal?.throwIfAborted();
      return run();
    };
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(start, start);
    this.#last.set(key, mine);
    const forget = () => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    };
    mine.then(forget, forget);
    signal?.addEventListener("abort", stopWaiting, { once: true });
    return await Promise.race([mine, aborted]);
  }
}
