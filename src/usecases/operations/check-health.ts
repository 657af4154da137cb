import { isClockOff } from "../../cluster/server.ts";
import type { Health, PageState } from "../../domain/health.ts";
import { type Instant, parseInstant } from "../../domain/time.ts";
import { SNAPSHOT_LATE_MS } from "../../store/queries/snapshots.ts";
import type { Store } from "../../store/store.ts";

/** What is kept of the latest scheduled backup. */
type BackupSummary = {
  /** An ISO instant. */
  at: string;
  ok: boolean;
  drill_ok: boolean | null;
  bytes: number | null;
  duration_ms: number;
};

export type HealthParts = {
  store: Store;
  clock: () => Instant;
  /** Since the start, by a clock that nobody sets. */
  uptimeMs: () => number;
  version: string;
  /** False when snapshots are turned off. */
  schedulerOn: boolean;
  outboxRuns: () => boolean;
  pages: () => { state: PageState };
  /** This server's clock minus the database's; 0 where they are one. */
  clockOffMs: () => number;
  lastBackup: () => BackupSummary | undefined;
};

/** Whether the service can do its work. The database is asked by a real write. */
export async function checkHealth(parts: HealthParts): Promise<Health> {
  const { store, clock, uptimeMs, version } = parts;
  // Both at once: of a database that is away each is refused only after a while.
  const [database, last] = await Promise.all([
    store
      .write((tx) => tx.clock.probe(tx.now))
      .then(() => "ok" as const)
      .catch(() => "failed" as const),
    store.read.snapshots.latestFinished().catch(() => undefined),
  ]);
  const age = clock() - (last?.finishedAt ?? Number.NEGATIVE_INFINITY);
  // One of the future was taken by a clock that was wrong, and keeps those of the coming days from being taken.
  const sinceMs = Math.min(uptimeMs(), age < 0 ? Number.POSITIVE_INFINITY : age);
  const scheduler = !parts.schedulerOn ? "off" : sinceMs > SNAPSHOT_LATE_MS ? "late" : "ok";
  const pages = parts.pages().state;
  // Without the database nobody knows whether a snapshot is late; it is degraded in any case.
  const degraded = database === "failed" || scheduler === "late" || pages === "damaged";
  return {
    status: degraded ? "degraded" : "ok",
    version,
    uptimeMs: uptimeMs(),
    checks: {
      database,
      scheduler,
      outbox: parts.outboxRuns() ? "ok" : "stopped",
      pages,
      clock: isClockOff(parts.clockOffMs()) ? "off" : "ok",
    },
    lastSnapshot: last?.finishedAt ? { date: last.day, finishedAt: last.finishedAt } : null,
    lastBackup: summaryOf(parts.lastBackup()),
  };
}

/** Without the file's name and the error's text: anybody may ask for the health. */
function summaryOf(backup: BackupSummary | undefined): Health["lastBackup"] {
  const at = backup && parseInstant(backup.at);
  if (at === undefined) return null;
  const { ok, drill_ok: drillOk, bytes, duration_ms: durationMs } = backup!;
  return { at, ok, drillOk, bytes, durationMs };
}
