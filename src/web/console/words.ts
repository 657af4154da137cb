/* What administrators are told instead of the codes of the wire. */

export type DeliveryStatus = "pending" | "delivered" | "failed";

export const DELIVERY_WORDS: Readonly<Record<DeliveryStatus, { name: string; chip: string }>> = {
  failed: { name: "Failed", chip: "overdue" },
  pending: { name: "Being tried", chip: "due_soon" },
  delivered: { name: "Delivered", chip: "ok" },
};

export const EVENTS = [
  ...["component.critical", "component.warning", "component.recovered", "service_event.created"],
  ...["property.created", "appliance.created", "sensor.received", "sensor.smart"],
  ...["sensor.smart.processed", "webhook.test"],
];

/** The checks of the first page, and where one sees more of each. */
export const CHECK_WORDS: Readonly<Record<string, { name: string; place?: readonly string[] }>> = {
  database: { name: "Database" },
  snapshot: { name: "Daily snapshot", place: ["snapshots"] },
  last_backup: { name: "Backup and its drill", place: ["jobs"] },
  outbox: { name: "Outbox", place: ["deliveries"] },
  receivers: { name: "Partners’ receivers", place: ["partners"] },
  budgets: { name: "Daily budgets", place: ["partners"] },
  disk_space: { name: "Disk" },
  wal: { name: "Write-ahead log" },
  tls_certificate: { name: "Certificate" },
  model: { name: "Model in use", place: ["model"] },
};

export const CHECK_STATUS = {
  fail: { name: "Act now", tier: "CRITICAL" },
  warn: { name: "See to it", tier: "WARNING" },
  ok: { name: "Well", tier: "GOOD" },
} as const;

export const JOB_WORDS: Readonly<Record<string, { name: string; about: string }>> = {
  snapshot: { name: "Daily snapshot", about: "Scores every component and announces what has changed" },
  backup: { name: "Backup", about: "Copies the data folder, and tries to restore the copy" },
  "prune-idempotency-keys": { name: "Forget old replies", about: "Those of requests that came a day ago" },
  "prune-deliveries": { name: "Forget old deliveries", about: "Those that are older than the log is kept" },
  "store-embed-views": { name: "Count views", about: "Stores how often embedded pages were looked at" },
  "renew-plans": { name: "Renew plans", about: "Makes plans anew that a new day has changed" },
  "finish-secret-rotations": {
    name: "Finish rotations",
    about: "Ends the overlap of webhook secrets when its time has come",
  },
  "check-pages": { name: "Check the database", about: "Looks through all its pages for damage" },
  "sweep-uploads": { name: "Sweep uploads", about: "Removes files that a crash has left without a record" },
  "check-model": { name: "Check the model", about: "Measures monthly whether the fit in use still helps" },
};

/** What a receiver did with a delivery that was signed wrongly. */
export const VERDICT_WORDS = {
  accepts: { words: "Does not verify", chip: "overdue" },
  verifies: { words: "Verifies", chip: "ok" },
  unclear: { words: "Unclear", chip: "due_soon" },
  unreachable: { words: "Not reached", chip: "due_soon" },
} as const;

const UNITS: readonly (readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
];

/** `in 12 minutes`, `3 hours ago` */
export function ago(instant: string, now = Date.now()): string {
  const seconds = (Date.parse(instant) - now) / 1000;
  const [size, unit] = UNITS.find(([least]) => Math.abs(seconds) >= least * 1.5) ?? UNITS.at(-1)!;
  return new Intl.RelativeTimeFormat("en-US", { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

/** `3 days`, `5 hours` of a length in seconds. */
export function lengthOf(seconds: number): string {
  const [size, unit] = UNITS.find(([least]) => seconds >= least * 1.5) ?? UNITS.at(-1)!;
  const amount = Math.max(0, Math.round(seconds / size));
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}
