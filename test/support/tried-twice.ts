import type { Store } from "../../src/store/store.ts";

class Undone extends Error {}

/** The same store, whose every write is run once in vain before it is run for good: as when a server has to try again. */
export function triedTwice(store: Store): Store {
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
