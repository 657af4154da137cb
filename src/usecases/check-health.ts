import { type Instant, toIso } from "../domain/time.ts";
import { SNAPSHOT_LATE_MS } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";

export type Health = {
  status: "ok" | "degraded";
  version: string;
  uptime_s: number;
  checks: { database: "ok" | "failed"; scheduler: "ok" | "late" | "off"; outbox: "ok" | "stopped" };
  last_snapshot: { date: string; finished_at: string } | null;
  /** The latest scheduled backup, and whether it could be restored. */
  last_backup: BackupSummary | null;
};

type BackupSummary = {
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
  lastBackup: () => BackupSummary | undefined;
};

/** Whether the service can do its work. The database is asked by a real write. */
export async function checkHealth(parts: HealthParts): Promise<Health> {
  const { store, clock, uptimeMs, version } = parts;
  const database = await store
    .write((tx) => tx.clock.probe(tx.now))
    .then(() => "ok" as const)
    .catch(() => "failed" as const);
  const last = await store.read.snapshots.latestFinished();
  const age = clock() - (last?.finishedAt ?? Number.NEGATIVE_INFINITY);
  // One of the future was taken by a clock that was wrong, and keeps those of the coming days from being taken.
  const sinceMs = Math.min(uptimeMs(), age < 0 ? Number.POSITIVE_INFINITY : age);
  const scheduler = !parts.schedulerOn ? "off" : sinceMs > SNAPSHOT_LATE_MS ? "late" : "ok";
  const degraded = database === "failed" || scheduler === "late";
  return {
    status: degraded ? "degraded" : "ok",
    version,
    uptime_s: Math.floor(uptimeMs() / 1000),
    checks: { database, scheduler, outbox: parts.outboxRuns() ? "ok" : "stopped" },
    last_snapshot: last?.finishedAt ? { date: last.day, finished_at: toIso(last.finishedAt) } : null,
    last_backup: summaryOf(parts.lastBackup()),
  };
}

/** Without the file's name and the error's text: anybody may ask for the health. */
function summaryOf(backup: BackupSummary | undefined): BackupSummary | null {
  if (!backup) return null;
  const { at, ok, drill_ok, bytes, duration_ms } = backup;
  return { at, ok, drill_ok, bytes, duration_ms };
}
