import { Counter, Gauge, type Registry } from "prom-client";
import type { Instant } from "../domain/time.ts";
import { isPassingMonitoredCheck, type ServiceHealth } from "../monitoring/monitored-service-health.ts";
import type { DispatcherStats } from "../webhooks/webhook-dispatcher.ts";
import { type DatabaseMetricSources, defineDatabaseMetrics } from "./prometheus-database-metrics.ts";
import { diskSpaceMetricsReader } from "./prometheus-disk-space-metrics.ts";
import { definePrometheusProcessMetrics } from "./prometheus-process-metrics.ts";
import { readMetricWithTimeout } from "./read-metric-with-timeout.ts";

/** The sources of the values that are read when metrics are requested. */
export type PrometheusServerMetricSources = DatabaseMetricSources & {
  build: { version: string; commit: string; target: string };
  health: () => Promise<ServiceHealth>;
  /** Called if the database cannot be read; throws for an error that has another cause. */
  unreadable: (error: unknown) => void;
  /** The server's folders, by their purpose. */
  folders: Readonly<Record<string, string>>;
  queueLength: () => number;
  cluster: { alive: () => number; clockOffMs: () => number };
  dispatched: () => DispatcherStats;
  /** Returns when the certificate expires, or undefined without TLS. */
  tlsValidTo: () => Instant | undefined;
  droppedLines: () => number;
  /** Returns the result of the latest integrity check of the database. */
  integrity: () => { state: string; checkedAt: Instant | null };
};

/** The longest wait for a write or a disk: a scrape must not wait for a server that is blocked, since it shows that. */
const WITHIN_MS = 1_000;

/** Defines the gauges. Returns a function that reads each source once and sets all of them. */
export function definePrometheusServerMetrics(
  registry: Registry,
  sources: PrometheusServerMetricSources,
): () => Promise<void> {
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

  const checkOk = gauge("health_check_ok", "1 if this check of GET /health passes, otherwise 0.", ["check"]);
  const draining = gauge("draining", "1 while the server stops and still accepts requests, otherwise 0.");
  const diskFree = gauge("disk_free_bytes", "Free space on the disk of this folder of the server.", [
    "folder",
  ]);
  const diskSize = gauge("disk_size_bytes", "Size of the disk of this folder of the server.", ["folder"]);

  const alive = gauge("servers_alive", "Servers that share the database, including this one.");
  const clockOffset = gauge("clock_offset_seconds", "Clock of this server minus clock of the database.");
  const queue = gauge("write_queue_length", "Writes waiting for a commit group.");

  const integrityOk = gauge(
    "database_integrity_ok",
    "1 if the latest integrity check of the database passed, otherwise 0.",
  );
  const integrityCheckedAt = gauge(
    "database_integrity_check_time_seconds",
    "When that check ended, in epoch seconds.",
  );

  const inProgress = gauge("webhook_attempts_in_progress", "Attempts waiting for a response.");
  const deliveries = new Counter({
    name: "mainstay_webhook_deliveries_total",
    help: "Recorded attempts by the outcome for the delivery: delivered, retry or failed.",
    labelNames: ["outcome"],
    registers,
  });

  const certificate = gauge(
    "tls_certificate_expiry_time_seconds",
    "When the certificate expires, in epoch seconds.",
  );

  const droppedLines = new Counter({
    name: "mainstay_log_lines_dropped_total",
    help: "Log lines that could not be written to standard output.",
    registers,
  });

  const refreshProcess = definePrometheusProcessMetrics(registry);
  const database = defineDatabaseMetrics(registry, sources);
  const readHealth = readMetricWithTimeout(sources.health, WITHIN_MS);
  const readDisks = diskSpaceMetricsReader(sources.folders, WITHIN_MS);
  // They have no value before the first check, or without TLS. A value of 0 would raise alerts.
  for (const unknown of [integrityOk, integrityCheckedAt, certificate]) unknown.remove();

  return async () => {
    refreshProcess();
    droppedLines.reset();
    droppedLines.inc(sources.droppedLines());
    alive.set(sources.cluster.alive());
    clockOffset.set(sources.cluster.clockOffMs() / 1000);
    queue.set(sources.queueLength());
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

    const validTo = sources.tlsValidTo();
    if (validTo !== undefined) certificate.set(validTo / 1000);

    // Concurrently: each takes a while if the database or a disk does not respond.
    const [health, disks] = await Promise.all([
      readHealth(),
      readDisks(),
      database.refresh().catch((error) => {
        sources.unreadable(error);
        database.clear();
      }),
    ]);
    diskFree.reset();
    diskSize.reset();
    for (const [folder, { freeBytes, sizeBytes }] of Object.entries(disks)) {
      diskFree.set({ folder }, freeBytes);
      diskSize.set({ folder }, sizeBytes);
    }
    if (health) {
      draining.set(health.status === "draining" ? 1 : 0);
      for (const [check, state] of Object.entries(health.checks))
        checkOk.set({ check }, isPassingMonitoredCheck(check, state) ? 1 : 0);
    } else checkOk.set({ check: "database" }, 0);
  };
}
