import { type Instant, MS_PER_DAY } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";

/** Small enough that a concurrent write waits only a few milliseconds. */
const BATCH = 200;

type PruneDeps = {
  store: Store;
  clock: () => Instant;
  /** Yields to other work between two batches. */
  yieldNow: () => Promise<void>;
  signal?: AbortSignal;
};

/**
 * Deletes deliveries and their attempts: delivered ones after `retentionDays` days, failed ones after twice as
 * many, pending ones never. Returns their number.
 */
export async function pruneDeliveries(deps: PruneDeps, retentionDays: number): Promise<number> {
  const { store, clock, yieldNow, signal } = deps;
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
