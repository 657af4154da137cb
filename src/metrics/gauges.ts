import { Counter, Gauge, type Registry } from "prom-client";
import type { LastBackup } from "../backup/last-backup.ts";
import { dayOf, type Instant } from "../domain/time.ts";
import { lastSnapshotDay } from "../store/queries/snapshots.ts";
import type { Store } from "../store/store.ts";
import type { Stores } from "../store/stores.ts";
import type { DispatcherStats } from "../webhooks/dispatcher.ts";
import { defineModelGauges } from "./model-gauges.ts";
import { watchProcess } from "./process.ts";

/** The sources of the values that are read when metrics are requested. */
export type GaugeSources = {
  read: Pick<Stores, "gauges" | "snapshots" | "models">;
  clock: () => Instant;
  /** The version of the default model, which is part of the executable. */
  defaultModel: string;
  build: { version: string; commit: string; target: string };
  queueLength: () => number;
  cluster: { alive: () => number; clockOffMs: () => number };
  sizes: Store["sizes"];
  dispatched: () => DispatcherStats;
  /** Returns the latest scheduled backup, or undefined if there was none. */
  lastBackup: () => LastBackup | undefined;
  /** Returns when the certificate expires, or undefined without TLS. */
  tlsValidTo: () => Instant | undefined;
  droppedLines: () => number;
  /** Returns the result of the latest integrity check of the database. */
  integrity: () => { state: string; checkedAt: Instant | null };
};

/** Defines the gauges. Returns a function that reads each source once and sets all of them. */
export function defineGauges(registry: Registry, sources: GaugeSources): () => Promise<void> {
  const registers = [registry];
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `mainstay_${name}`, help, labelNames, registers });

  const build = gauge("build_info", "Always 1. The labels identify the executable.", [
    "version",
    "commit",
    "target",
    "bun",
  ]);
  const { version, commit, target } = sources.build;
  build.set({ version, commit, target, bun: Bun.version }, 1);

  const alive = gauge("servers_alive", "Servers that share the database, including this one.");
  const clockOffset = gauge("clock_offset_seconds", "Clock of this server minus clock of the database.");
  const queue = gauge("write_queue_length", "Writes waiting for a commit group.");
  const database = gauge("database_bytes", "Size of the database file.");
  const wal = gauge("database_wal_bytes", "Size of the write-ahead log.");

  const integrityOk = gauge(
    "database_integrity_ok",
    "1 if the latest integrity check of the database passed, otherwise 0.",
  );
  const integrityCheckedAt = gauge(
    "database_integrity_check_time_seconds",
    "When that check ended, in epoch seconds.",
  );

  const pending = gauge("webhook_outbox_pending", "Pending deliveries, counted up to 100,000.");
  const oldest = gauge(
    "webhook_outbox_oldest_age_seconds",
    "Age of the oldest pending delivery; 0 if there is none.",
  );
  const paused = gauge("webhook_endpoints_paused", "Webhook endpoints paused after repeated failures.");
  const inProgress = gauge("webhook_attempts_in_progress", "Attempts waiting for a response.");
  const deliveries = new Counter({
    name: "mainstay_webhook_deliveries_total",
    help: "Recorded attempts by the outcome for the delivery: delivered, retry or failed.",
    labelNames: ["outcome"],
    registers,
  });

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
    "1 if the latest scheduled backup was created and its restore test passed, otherwise 0.",
  );
  const backupAge = gauge("backup_age_seconds", "Time since the latest scheduled backup started.");
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
  const certificate = gauge(
    "tls_certificate_expiry_time_seconds",
    "When the certificate expires, in epoch seconds.",
  );

  const droppedLines = new Counter({
    name: "mainstay_log_lines_dropped_total",
    help: "Log lines that could not be written to standard output.",
    registers,
  });

  const refreshProcess = watchProcess(registry);
  const refreshModel = defineModelGauges(registry, sources);
  // They have no value before the first snapshot or backup, or without TLS. A value of 0 would raise alerts.
  for (const unknown of [snapshotAt, snapshotAge, snapshotSeconds, snapshotComponents]) unknown.remove();
  for (const unknown of [integrityOk, integrityCheckedAt]) unknown.remove();
  for (const unknown of [backupOk, backupAge, backupSeconds, certificate]) unknown.remove();

  return async () => {
    const { read } = sources;
    const now = sources.clock();
    refreshProcess();
    droppedLines.reset();
    droppedLines.inc(sources.droppedLines());
    await refreshModel();
    alive.set(sources.cluster.alive());
    clockOffset.set(sources.cluster.clockOffMs() / 1000);
    queue.set(sources.queueLength());
    const { databaseBytes, logBytes } = await sources.sizes();
    database.set(databaseBytes);
    wal.set(logBytes);

    const { state, checkedAt } = sources.integrity();
    if (checkedAt !== null) {
      integrityOk.set(state === "ok" ? 1 : 0);
      integrityCheckedAt.set(checkedAt / 1000);
    }

    const stats = sources.dispatched();
    inProgress.set(stats.inFlight);
    deliveries.reset();
    for (const outcome of ["delivered", "retry", "failed"] as const)
      deliveries.inc({ outcome }, stats[outcome]);
    const outbox = await read.gauges.outbox();
    pending.set(outbox.pending);
    oldest.set(outbox.oldestAt === null ? 0 : Math.max(0, now - outbox.oldestAt) / 1000);
    paused.set(outbox.pausedEndpoints);

    const snapshot = await read.snapshots.latestFinished();
    if (snapshot?.finishedAt) {
      snapshotAt.set(snapshot.finishedAt / 1000);
      snapshotAge.set((now - snapshot.finishedAt) / 1000);
      snapshotSeconds.set((snapshot.finishedAt - snapshot.startedAt) / 1000);
      snapshotComponents.set(snapshot.components);
    }

    const futureDay = await read.snapshots.laterThan(lastSnapshotDay(now));
    snapshotInFuture.set(futureDay === undefined ? 0 : 1);

    const backup = sources.lastBackup();
    if (backup) {
      backupOk.set(backup.drill_ok ? 1 : 0);
      backupAge.set((now - Date.parse(backup.at)) / 1000);
      backupSeconds.set(backup.duration_ms / 1000);
    }

    const portfolio = await read.gauges.portfolio();
    properties.set(portfolio.properties);
    components.set({ tier: "CRITICAL" }, portfolio.critical);
    components.set({ tier: "WARNING" }, portfolio.warning);
    components.set({ tier: "GOOD" }, portfolio.components - portfolio.critical - portfolio.warning);
    photoBytes.reset();
    for (const partner of await read.gauges.partners(dayOf(now))) {
      callLimit.set({ partner: partner.id }, partner.dailyBudget);
      callsUsed.set({ partner: partner.id }, partner.taken);
      photoBytes.set({ partner: partner.id }, partner.photoBytes);
    }

    const validTo = sources.tlsValidTo();
    if (validTo !== undefined) certificate.set(validTo / 1000);
  };
}
