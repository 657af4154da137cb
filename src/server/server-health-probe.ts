import { isClusterClockOffsetTooLarge } from "../cluster/cluster-server.ts";
import { FullStorageError } from "../domain/errors.ts";
import { type Instant, instantFromText } from "../domain/time.ts";
import {
  isMonitoredClockBehindRecords,
  type PageState,
  type ServiceHealth,
} from "../monitoring/monitored-service-health.ts";
import { SNAPSHOT_LATE_MS, storedSnapshotDayLimit } from "../store/queries/snapshots-queries.ts";
import type { Store } from "../store/store.ts";

/** The latest scheduled backup. */
type BackupSummary = {
  /** An ISO instant. */
  at: string;
  ok: boolean;
  drill_ok: boolean | null;
  bytes: number | null;
  duration_ms: number;
};

export type HealthDeps = {
  store: Store;
  clock: () => Instant;
  /** Milliseconds since the start, by a monotonic clock. */
  uptimeMs: () => number;
  version: string;
  /** Returns whether the server stops and requests should go to other servers. */
  isDraining: () => boolean;
  /** False if snapshots are disabled. */
  schedulerOn: boolean;
  outboxRuns: () => boolean;
  pages: () => { state: PageState };
  /** This server's clock minus the database's; 0 if both are the same clock. */
  clockOffMs: () => number;
  lastBackup: () => BackupSummary | undefined;
};

/** How long a write that was rejected because the disk is full counts: as long as monitoring waits between two checks. */
const FULL_COUNTS_MS = 60_000;

/** Returns whether the service can do its work. Tests the database with a real write. */
export async function checkServerHealth(deps: HealthDeps): Promise<ServiceHealth> {
  const { store, clock, uptimeMs, version } = deps;
  // Concurrently: each fails only after a while if the database is unavailable.
  const now = clock();
  const [failure, last, futureDay, newest] = await Promise.all([
    store
      .write((tx) => tx.clock.probe(tx.now))
      .then(() => undefined)
      .catch((error: unknown) => error),
    store.read.snapshots.latestFinished().catch(() => undefined),
    store.read.snapshots.laterThan(storedSnapshotDayLimit(now)).catch(() => undefined),
    store.read.clock.lastInstant().catch(() => 0),
  ]);
  const sinceMs = Math.min(uptimeMs(), now - (last?.finishedAt ?? Number.NEGATIVE_INFINITY));
  // A snapshot dated in the future was taken by a wrong clock, and blocks the snapshots of the days until then.
  const isLate = futureDay !== undefined || sinceMs > SNAPSHOT_LATE_MS;
  const scheduler = !deps.schedulerOn ? "off" : isLate ? "late" : "ok";
  const pages = deps.pages().state;
  const isFull =
    failure === undefined
      ? (store.msSinceFull?.() ?? Number.POSITIVE_INFINITY) < FULL_COUNTS_MS
      : failure instanceof FullStorageError;
  const database = isFull ? "full" : failure === undefined ? "ok" : "failed";
  // Without the database the state of snapshots is unknown; the service is degraded in any case.
  const degraded = database !== "ok" || scheduler === "late" || pages === "damaged";
  return {
    status: deps.isDraining() ? "draining" : degraded ? "degraded" : "ok",
    version,
    uptimeMs: uptimeMs(),
    checks: {
      database,
      scheduler,
      outbox: deps.outboxRuns() ? "ok" : "stopped",
      pages,
      clock:
        isClusterClockOffsetTooLarge(deps.clockOffMs()) || isMonitoredClockBehindRecords(now, newest)
          ? "off"
          : "ok",
    },
    lastSnapshot: last?.finishedAt ? { date: last.day, finishedAt: last.finishedAt } : null,
    lastBackup: summaryOf(deps.lastBackup()),
  };
}

/** Checks a second; more that are asked for in it share the result of the latest. */
const CHECKS_A_SECOND = 10;

/** Returns a check that runs only so often, however often it is asked for: no limit of calls applies to it. */
export function composeServerHealthCheckLimit(
  monotonicMs: () => number,
  isDraining: () => boolean,
  check: () => Promise<ServiceHealth>,
): () => Promise<ServiceHealth> {
  let latest: { health: Promise<ServiceHealth>; whileDraining: boolean } | undefined;
  let second = { beganAt: Number.NEGATIVE_INFINITY, checks: 0 };
  return () => {
    const now = monotonicMs();
    const whileDraining = isDraining();
    if (now - second.beganAt >= 1000) second = { beganAt: now, checks: 0 };
    if (!latest || latest.whileDraining !== whileDraining || second.checks < CHECKS_A_SECOND) {
      second.checks++;
      latest = { health: check(), whileDraining };
    }
    return latest.health;
  };
}

/** Leaves out the file's name and the error's text, since the health is public. */
function summaryOf(backup: BackupSummary | undefined): ServiceHealth["lastBackup"] {
  const at = backup && instantFromText(backup.at);
  if (at === undefined) return null;
  const { ok, drill_ok: drillOk, bytes, duration_ms: durationMs } = backup!;
  return { at, ok, drillOk, bytes, durationMs };
}
