import type { Store } from "./store.ts";
import type { Stores } from "./stores.ts";

/** Readings before a transaction of its own is opened for one. */
const TRIES = 3;

/**
 * What several statements read of a partner, as it stood at one moment: they are run again where a write of the
 * partner's came between them. A list that is found by its counts would else leave out what moved meanwhile.
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
