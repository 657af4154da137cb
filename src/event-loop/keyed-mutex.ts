/** Runs work on the same key one after the other, in the order in which it was asked for. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs after all earlier work on the key has ended, also if it failed, and returns the result. */
  async run<T>(key: string, run: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(run, run);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
