import type { Store } from "./store.ts";
import type { Stores } from "./stores.ts";

/** Attempts without a transaction, before a read snapshot is opened. */
const TRIES = 3;

/**
 * Runs several reads of a partner's data on one state of it: they are repeated if the partner's revision has changed
 * meanwhile. Otherwise a list that is found by its counts could omit rows.
 */
export async function readConsistently<T>(
  store: Pick<Store, "read" | "inReadSnapshot">,
  partnerId: string,
  run: (read: Stores) => Promise<T>,
): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await store.read.partners.revision(partnerId);
    const value = await run(store.read);
    if ((await store.read.partners.revision(partnerId)) === before) return value;
  }
  return await store.inReadSnapshot(run);
}
