import { expect } from "bun:test";
import type { Day } from "../../src/domain/time.ts";
import { takeSnapshot } from "../../src/usecases/snapshot/take-snapshot.ts";

/**
 * Interrupts a snapshot after the step that scores its first properties: the first one on SQLite, and the second one on
 * PostgreSQL, where the first step divides the snapshot among servers.
 */
export async function interruptSnapshot(deps: Parameters<typeof takeSnapshot>[0], day: Day): Promise<void> {
  const abort = new AbortController();
  if (!deps.store.isShared) abort.abort();
  const { signal } = abort;
  const interrupted = takeSnapshot({ ...deps, signal, yieldNow: async () => abort.abort() }, day);
  await expect(interrupted).rejects.toThrow();
}
