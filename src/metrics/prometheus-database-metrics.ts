import { Gauge, type Registry } from "prom-client";
import { dayOf, type Instant } from "../domain/time.ts";
import { storedSnapshotDayLimit } from "../store/queries/snapshots-queries.ts";
import type { Store } from "../store/store.ts";
import type { Stores } from "../store/stores.ts";
import { defineModelMetrics } from "./prometheus-model-metrics.ts";

export type DatabaseMetricSources = {
  read: Pick<Stores, "gauges" | "snapshots" | "models">;
  clock: () => Instant;
  /** The version of the default model, which is part of the executable. */
  defaultModel: string;
  sizes: Store["sizes"];
  /** Returns the latest backup of the database, or undefined if there was none. */
  latestBackup: () => Promise<LatestBackup | undefined>;
};

/** The latest backup of a database as its engine knows it. */
export type LatestBackup = {
  engine: "sqlite" | "postgresql";
  /** False if the latest backup or its restore test failed. */
  isOk: boolean;
  /** The start of a scheduled backup, or the archiving of a WAL segment; null if none has succeeded yet. */
  at: Instant | null;
  /** Undefined for an engine whose backups Mainstay does not take. */
  durationMs: number | undefined;
};

/**
 * Defines the gauges of what the database contains. `refresh` reads it once and sets all of them. `clear` leaves them
 * without values, which is for a database that cannot be read: an older value would hide that.
 */
export function defineDatabaseMetrics(
  registry: Registry,
  sources: DatabaseMetricSources,
): { refresh: () => Promise<void>; clear: () => void } {
  const { read } = sources;
  const cleared: (() => void)[] = [];
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) => {
    const made = new Gauge({ name: `mainstay_${name}`, help, labelNames, registers: [registry] });
    cleared.push(() => (labelNames.length > 0 ? made.reset() : made.remove()));
    return made;
  };

  const database = gauge("database_bytes", "Size of the database file.");
  const wal = gauge("database_wal_bytes", "Size of the write-ahead log.");

  const pending = gauge("webhook_outbox_pending", "Pending deliveries, counted up to 100,000.");
  const oldest = gauge(
    "webhook_outbox_oldest_age_seconds",
    "Age of the oldest pending delivery; 0 if there is none.",
  );
  const oldestNotHeld = gauge(
    "webhook_outbox_oldest_not_held_age_seconds",
    "Age of the oldest pending delivery that is not held for a paused endpoint or a disabled partner; 0 if there is none.",
  );
  const paused = gauge(
    "webhook_endpoints_paused",
    "Webhook endpoints of enabled partners paused after repeated failures.",
  );

  const snapshotAt = gauge(
    "snapshot_finished_time_seconds",
    "When the latest snapshot finished, in epoch seconds.",
  );
  const snapshotAge = gauge(
    "snapshot_age_seconds",
    "Time since the latest snapshot finished. Alert above 26 hours.",
  );
  const snapshotInFuture = gauge(
    "snapshot_dated_in_future",
    "1 if a snapshot is dated in the future, which prevents those of earlier days, otherwise 0.",
  );
  const snapshotSeconds = gauge("snapshot_duration_seconds", "Duration of the latest snapshot.");
  const snapshotComponents = gauge("snapshot_components", "Components scored by the latest snapshot.");

  const backupOk = gauge(
    "backup_ok",
    "1 if the latest scheduled backup was created and its restore test passed, otherwise 0; on PostgreSQL, 1 if the latest WAL segment was archived.",
    ["engine"],
  );
  const backupAge = gauge(
    "backup_age_seconds",
    "Time since the latest scheduled backup started; on PostgreSQL, since a WAL segment was archived.",
    ["engine"],
  );
  const backupSeconds = gauge(
    "backup_duration_seconds",
    "Duration of the latest scheduled backup and its restore test.",
  );

  const properties = gauge("properties", "Properties of all partners.");
  const components = gauge("components", "Components of all partners, by tier.", ["tier"]);
  const callLimit = gauge("partner_daily_call_limit", "Daily call limit (UTC days).", ["partner"]);
  const callsUsed = gauge("partner_daily_calls_used", "API calls of today, including reserved ones.", [
    "partner",
  ]);
  const photoBytes = gauge("partner_photo_bytes", "Size of all photos of a partner.", ["partner"]);
  const model = defineModelMetrics(registry, sources);
  cleared.push(model.clear);
  const clear = () => {
    for (const clear of cleared) clear();
  };
  // They have no value before the first snapshot or backup. A value of 0 would raise alerts.
  clear();

  return {
    clear,
    async refresh() {
      const now = sources.clock();
      await model.refresh();
      const { databaseBytes, logBytes } = await sources.sizes();
      database.set(databaseBytes);
      wal.set(logBytes);

      const outbox = await read.gauges.outbox();
      pending.set(outbox.pending);
      oldest.set(ageSeconds(outbox.oldestAt, now));
      oldestNotHeld.set(ageSeconds(outbox.oldestNotHeldAt, now));
      paused.set(outbox.pausedEndpoints);

      const snapshot = await read.snapshots.latestFinished();
      if (snapshot?.finishedAt) {
        snapshotAt.set(snapshot.finishedAt / 1000);
        snapshotAge.set((now - snapshot.finishedAt) / 1000);
        snapshotSeconds.set((snapshot.finishedAt - snapshot.startedAt) / 1000);
        snapshotComponents.set(snapshot.components);
      }
      const futureDay = await read.snapshots.laterThan(storedSnapshotDayLimit(now));
      snapshotInFuture.set(futureDay === undefined ? 0 : 1);

      const backup = await sources.latestBackup();
      if (backup) {
        const { engine, isOk, at, durationMs } = backup;
        backupOk.set({ engine }, isOk ? 1 : 0);
        if (at !== null) backupAge.set({ engine }, (now - at) / 1000);
        if (durationMs !== undefined) backupSeconds.set(durationMs / 1000);
      }

      const portfolio = await read.gauges.portfolio();
      properties.set(portfolio.properties);
      components.set({ tier: "CRITICAL" }, portfolio.critical);
      components.set({ tier: "WARNING" }, portfolio.warning);
      components.set({ tier: "GOOD" }, portfolio.components - portfolio.critical - portfolio.warning);
      for (const perPartner of [callLimit, callsUsed, photoBytes]) perPartner.reset();
      for (const partner of await read.gauges.partners(dayOf(now))) {
        callLimit.set({ partner: partner.id }, partner.dailyBudget);
        callsUsed.set({ partner: partner.id }, partner.taken);
        photoBytes.set({ partner: partner.id }, partner.photoBytes);
      }
    },
  };
}

/** Returns the age in seconds; 0 without an instant or for one in the future. */
function ageSeconds(at: Instant | null, now: Instant): number {
  return at === null ? 0 : Math.max(0, now - at) / 1000;
}
