/* The texts that the console shows in place of the API's codes. */

import type { DeliveryStatus } from "../../domain/partner.ts";

export const DELIVERY_LABELS: Readonly<Record<DeliveryStatus, { name: string; chip: string }>> = {
  failed: { name: "Failed", chip: "overdue" },
  pending: { name: "Pending", chip: "due_soon" },
  delivered: { name: "Delivered", chip: "ok" },
};

/** The health checks of the overview, each with the page that shows more about it. */
export const CHECK_LABELS: Readonly<Record<string, { name: string; place?: readonly string[] }>> = {
  database: { name: "Database" },
  snapshot: { name: "Daily snapshot", place: ["snapshots"] },
  last_backup: { name: "Backups and restore test", place: ["jobs"] },
  outbox: { name: "Delivery queue", place: ["deliveries"] },
  receivers: { name: "Webhook endpoints", place: ["partners"] },
  budgets: { name: "Daily call limits", place: ["partners"] },
  disk_space: { name: "Disk space" },
  wal: { name: "Write-ahead log" },
  tls_certificate: { name: "TLS certificate" },
  model: { name: "Active model", place: ["model"] },
};

export const CHECK_STATUS_LABELS = {
  fail: { name: "Failed", tier: "CRITICAL" },
  warn: { name: "Warning", tier: "WARNING" },
  ok: { name: "OK", tier: "GOOD" },
} as const;

export const JOB_LABELS: Readonly<Record<string, { name: string; about: string }>> = {
  snapshot: {
    name: "Daily snapshot",
    about: "Rescores every component and sends webhooks for what changed",
  },
  backup: { name: "Backup", about: "Backs up all data and tests that the backup can be restored" },
  "prune-idempotency-keys": {
    name: "Delete expired idempotency records",
    about: "Removes records older than 24 hours",
  },
  "prune-deliveries": {
    name: "Delete old deliveries",
    about: "Removes deliveries past the retention period",
  },
  "store-embed-views": { name: "Store view counts", about: "Saves how often each embed was viewed" },
  "drop-superseded-answers": {
    name: "Clear outdated caches",
    about: "Removes cached data that has been changed or deleted",
  },
  "forget-servers": {
    name: "Remove stopped servers",
    about: "Removes stopped servers from the list, with their locks",
  },
  "recalculate-sums": { name: "Recalculate sums", about: "Brings stored sums up to date with changed costs" },
  "renew-plans": { name: "Refresh plans", about: "Recalculates plans after a date change" },
  "compare-properties": {
    name: "Compare properties",
    about: "Ranks properties by their losses after a snapshot, for their underwriting pages",
  },
  retire: {
    name: "Retire records",
    about: "Takes properties and appliances out of service on the day of their retirement",
  },
  "finish-secret-rotations": {
    name: "Finish secret rotations",
    about: "Retires previous webhook secrets whose overlap has ended",
  },
  "check-pages": { name: "Check the database", about: "Runs a database integrity check" },
  "sweep-uploads": {
    name: "Remove orphaned uploads",
    about: "Deletes uploaded files with no database record",
  },
  "check-model": {
    name: "Check the model",
    about: "Tests once a month whether the active calibration still improves forecasts",
  },
};

/** How an endpoint responded to a delivery with an invalid signature. */
export const VERDICT_LABELS = {
  accepts: { name: "Does not verify signatures", chip: "overdue" },
  verifies: { name: "Verifies signatures", chip: "ok" },
  unclear: { name: "Inconclusive", chip: "due_soon" },
  unreachable: { name: "Unreachable", chip: "due_soon" },
} as const;
