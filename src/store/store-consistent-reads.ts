import type { Store } from "./store.ts";
import type { Stores } from "./stores.ts";

/** Attempts without a transaction, before a read snapshot is opened. */
const TRIES = 3;

type ReadableStore = Pick<Store, "read" | "inReadSnapshot">;

/**
 * Runs several reads of a partner's data on one state of it: they are repeated if the partner's revision has changed
 * meanwhile. Otherwise a list that is found by its counts could omit rows. A caller that has just read the revision passes it.
 * `run` gets the revision that its reads have if they are not repeated; undefined in a snapshot, which has one of its own.
 */
export const readStoreConsistently = <T>(
  store: ReadableStore,
  partnerId: string,
  run: (read: Stores, revision: string | undefined) => Promise<T>,
  latest?: string,
): Promise<T> => readUnchanged(store, () => store.read.partners.revision(partnerId), run, latest);

/** Runs reads of the data of several partners in the same way. */
export const readStoreOfAllPartnersConsistently = <T>(
  store: ReadableStore,
  run: (read: Stores) => Promise<T>,
): Promise<T> => readUnchanged(store, () => store.read.book.revision(), run);

async function readUnchanged<T>(
  store: ReadableStore,
  revision: () => Promise<string | undefined>,
  run: (read: Stores, revision: string | undefined) => Promise<T>,
  latest?: string,
): Promise<T> {
  let before = latest ?? (await revision());
  for (let tries = 0; tries < TRIES; tries++) {
    const value = await run(store.read, before);
    const after = await revision();
    if (after === before) return value;
    before = after;
  }
  return await store.inReadSnapshot((read) => run(read, undefined));
}
