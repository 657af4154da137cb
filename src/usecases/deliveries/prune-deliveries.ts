import { type Instant, MS_PER_DAY } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";

/** Small enough that a write which comes meanwhile waits a few milliseconds. */
const BATCH = 200;

export type PruneParts = {
  store: Store;
  clock: () => Instant;
  /** Lets everything else have its turn between two batches. */
  yieldNow: () => Promise<void>;
  signal?: AbortSignal;
};

/**
 * Deletes deliveries and their attempts: delivered ones so many days after they were finished, failed ones after
 * twice as many, pending ones never. Returns how many.
 */
export async function pruneDeliveries(parts: PruneParts, retentionDays: number): Promise<number> {
  const { store, clock, yieldNow, signal } = parts;
  const now = clock();
  const days = { delivered: retentionDays, failed: 2 * retentionDays };
  let pruned = 0;
  for (const status of ["delivered", "failed"] as const) {
    const before = now - days[status] * MS_PER_DAY;
    for (let batch = BATCH; batch === BATCH && !signal?.aborted; ) {
      batch = await store.write((tx) => tx.deliveryLog.prune(status, before, BATCH), {
        durability: "process",
      });
      pruned += batch;
      await yieldNow();
    }
  }
  return pruned;
}
