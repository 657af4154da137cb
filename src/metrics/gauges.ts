import { Counter, Gauge, type Registry } from "prom-client";
import type { LastBackup } from "../backup/last-backup.ts";
import { dayOf, type Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import type { Stores } from "../store/stores.ts";
import type { DispatcherStats } from "../webhooks/dispatcher.ts";
import { defineModelGauges } from "./model-gauges.ts";
import { watchProcess } from "./process.ts";

/** Where the values come from that are looked up when somebody asks. */
export type GaugeSources = {
  read: Pick<Stores, "gauges" | "snapshots" | "models">;
  clock: () => Instant;
  /** The version of the model that this executable has, without corrections. */
  plainModel: string;
  /** What this executable was built from. */
  build: { version: string; commit: string; target: string };
  queueLength: () => number;
  /** Servers on the database, and how far this one's clock is off its own. */
  cluster: { alive: () => number; clockOffMs: () => number };
  sizes: Store["sizes"];
  dispatched: () => DispatcherStats;
  /** The latest scheduled backup; undefined when there was none. */
  lastBackup: () => LastBackup | undefined;
  /** When the certificate ends; undefined without TLS. */
  tlsValidTo: () => Instant | undefined;
  droppedLines: () => number;
  /** What the latest look through the database's pages has found. */
  pages: () => { state: string; checkedAt: Instant | null };
};

/** Defines the gauges and returns what sets them all, from one look at each source. */
export function defineGauges(registry: Registry, sources: GaugeSources): () => Promise<void> {
  const registers = [registry];
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `mainstay_${name}`, help, labelNames, registers });

  const build = gauge("build_info", "Always 1; says what runs.", ["version", "commit", "target", "bun"]);
  const { version, commit, target } = sources.build;
  build.set({ version, commit, target, bun: Bun.version }, 1);

  const alive = gauge("servers_alive", "Servers that share the database, this one among them.");
  const clockOff = gauge("server_clock_off_seconds", "This server's clock minus the database's.");
  const queue = gauge("write_queue_length", "Writes that wait for their group.");
  const database = gauge("database_bytes", "Size of the database file.");
  const wal = gauge("database_wal_bytes", "Size of the write-ahead log beside it.");

  const pagesOk = gauge(
    "database_pages_ok",
    "1 when the latest look through the pages found them whole, else 0.",
  );
  const pagesAt = gauge("database_pages_checked_time_seconds", "When that look ended, in epoch seconds.");

  const pending = gauge("webhook_outbox_pending", "Deliveries not settled yet; counted up to 100,000.");
  const oldest = gauge("webhook_outbox_oldest_age_seconds", "Age of the oldest of them; 0 without any.");
  const paused = gauge("webhook_receivers_paused", "Receivers that are paused after many failures.");
  const underWay = gauge("webhook_attempts_under_way", "Attempts that wait for their receiver now.");
  const deliveries = new Counter({
    name: "mainstay_webhook_deliveries_total",
    help: "Recorded attempts since the start, by what became of the delivery: delivered, retry or failed.",
    labelNames: ["outcome"],
    registers,
  });

  const snapshotAt = gauge(
    "snapshot_finished_time_seconds",
    "When the newest snapshot finished, in epoch seconds.",
  );
  const snapshotAge = gauge("snapshot_age_seconds", "Time since then; watch that it stays below 26 hours.");
  const snapshotSeconds = gauge("snapshot_duration_seconds", "How long that snapshot took.");
  const snapshotComponents = gauge("snapshot_components", "Components that it scored.");

  const backupOk = gauge("backup_ok", "Whether the latest scheduled backup was taken and could be restored.");
  const backupAge = gauge("backup_age_seconds", "Time since that backup began.");
  const backupSeconds = gauge("backup_duration_seconds", "How long it and its trial took.");

  const properties = gauge("properties", "Properties of all partners.");
  const components = gauge("components", "Components of all partners, by tier.", ["tier"]);
  const budget = gauge("partner_daily_budget", "Calls that a partner may make a UTC day.", ["partner"]);
  const taken = gauge("partner_budget_taken", "Calls taken of today's, those set aside included.", [
    "partner",
  ]);
  const certificate = gauge(
    "tls_certificate_expiry_time_seconds",
    "When the certificate ends, in epoch seconds.",
  );

  const droppedLines = new Counter({
    name: "mainstay_log_lines_dropped_total",
    help: "Lines of the log that standard output did not take, since the start.",
    registers,
  });

  const refreshProcess = watchProcess(registry);
  const refreshModel = defineModelGauges(registry, sources);
  // They have no value before the first snapshot or backup, or without TLS; 0 would raise an alarm.
  for (const unknown of [snapshotAt, snapshotAge, snapshotSeconds, snapshotComponents]) unknown.remove();
  for (const unknown of [pagesOk, pagesAt]) unknown.remove();
  for (const unknown of [backupOk, backupAge, backupSeconds, certificate]) unknown.remove();

  return async () => {
    const { read } = sources;
    const now = sources.clock();
    refreshProcess();
    droppedLines.reset();
    droppedLines.inc(sources.droppedLines());
    await refreshModel();
    alive.set(sources.cluster.alive());
    clockOff.set(sources.cluster.clockOffMs() / 1000);
    queue.set(sources.queueLength());
    const { databaseBytes, logBytes } = await sources.sizes();
    database.set(databaseBytes);
    wal.set(logBytes);

    const { state, checkedAt } = sources.pages();
    if (checkedAt !== null) {
      pagesOk.set(state === "ok" ? 1 : 0);
      pagesAt.set(checkedAt / 1000);
    }

    const stats = sources.dispatched();
    underWay.set(stats.inFlight);
    deliveries.reset();
    for (const outcome of ["delivered", "retry", "failed"] as const)
      deliveries.inc({ outcome }, stats[outcome]);
    const outbox = await read.gauges.outbox();
    pending.set(outbox.pending);
    oldest.set(outbox.oldestAt === null ? 0 : Math.max(0, now - outbox.oldestAt) / 1000);
    paused.set(outbox.pausedReceivers);

    const snapshot = await read.snapshots.latestFinished();
    if (snapshot?.finishedAt) {
      snapshotAt.set(snapshot.finishedAt / 1000);
      snapshotAge.set((now - snapshot.finishedAt) / 1000);
      snapshotSeconds.set((snapshot.finishedAt - snapshot.startedAt) / 1000);
      snapshotComponents.set(snapshot.components);
    }

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
    for (const partner of await read.gauges.budgets(dayOf(now))) {
      budget.set({ partner: partner.id }, partner.dailyBudget);
      taken.set({ partner: partner.id }, partner.taken);
    }

    const validTo = sources.tlsValidTo();
    if (validTo !== undefined) certificate.set(validTo / 1000);
  };
}
