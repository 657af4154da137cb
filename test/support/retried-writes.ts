import type { Store } from "../../src/store/store.ts";

class Undone extends Error {}

/**
 * Wraps a store so that every write runs once in a transaction that is rolled back, and then again, as when a server
 * retries it.
 */
export function withRetriedWrites(store: Store): Store {
  return {
    ...store,
    async write(run, options) {
      const inVain = store.write(async (tx) => {
        await run(tx);
        throw new Undone();
      }, options);
      await inVain.catch((error: unknown) => {
        if (!(error instanceof Undone)) throw error;
      });
      return await store.write(run, options);
    },
  };
}
