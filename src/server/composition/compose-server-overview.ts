import type { LastBackup } from "../../backup/last-backup.ts";
import type { Config } from "../../config/settings.ts";
import { diagnoseBackup, diagnoseWalArchiving } from "../../doctor/diagnose-backups.ts";
import {
  diagnoseOutbox,
  diagnoseScoringModel,
  diagnoseSnapshot,
  diagnoseWal,
  FROM_BACKUP,
} from "../../doctor/diagnose-database.ts";
import { diagnoseDiskSpace } from "../../doctor/diagnose-folders.ts";
import {
  type DoctorCheck,
  type DoctorFinding,
  failedDoctorFinding,
  okDoctorFinding,
  runDoctorChecks,
  warningDoctorFinding,
} from "../../doctor/doctor-check.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { dayOf, type Instant, isoTextOfInstant, MS_PER_DAY } from "../../domain/time.ts";
import type { DailyCallLimits } from "../../http/request-daily-call-limits.ts";
import type { ServerOverview } from "../../monitoring/monitored-server-overview.ts";
import type { ServiceHealth } from "../../monitoring/monitored-service-health.ts";
import type { Store } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import { serverDatabaseFile } from "../server-data-folder.ts";

export type OverviewSources = {
  config: Config;
  read: Stores;
  clock: () => Instant;
  knowledge: Knowledge;
  budgets: DailyCallLimits;
  health: () => Promise<ServiceHealth>;
  lastBackup: () => LastBackup | undefined;
  walArchiving: Store["walArchiving"];
  /** Returns when the served certificate expires; undefined without TLS. */
  tlsValidTo: Instant | undefined;
};

/** The share of a daily call limit below which the partner is near its limit. */
const NEAR_END = 0.1;
/** The most partners listed by name in one line. */
const MOST_NAMED = 5;
const RENEWED_BEFORE_DAYS = 21;

/**
 * Returns the overall state of the running server, from its own state and from the doctor's checks that read little
 * and do not use the network.
 */
export async function composeServerOverview(sources: OverviewSources): Promise<ServerOverview> {
  const { config, read, clock, knowledge, health, lastBackup, walArchiving, tlsValidTo } = sources;
  const now = clock();
  const found = await health();
  const outbox = await read.gauges.outbox();
  const snapshot = await read.snapshots.latestFinished();
  const [newest] = (await read.snapshots.page({ limit: 1, offset: 0 })).runs;
  const fit = await read.models.inUse();
  const file = serverDatabaseFile(config.storage.dataDir);
  const checks: DoctorCheck[] = [
    { name: "database", run: () => checkDatabase(found) },
    {
      name: "snapshot",
      run: () =>
        diagnoseSnapshot(
          {
            snapshot: snapshot && { day: snapshot.day, finishedAt: snapshot.finishedAt! },
            newestSnapshotDay: newest?.day ?? null,
          },
          config.snapshot.enabled,
          now,
        ),
    },
    {
      name: "last_backup",
      run: async () =>
        walArchiving
          ? diagnoseWalArchiving(await walArchiving(), now)
          : diagnoseBackup(config.backup.schedule, lastBackup(), now),
    },
    {
      name: "outbox",
      run: () =>
        found.checks.outbox === "ok"
          ? diagnoseOutbox({ outbox: { waiting: outbox.pending, oldestAt: outbox.oldestAt } }, now)
          : failedDoctorFinding(
              "webhooks are not sent",
              "See the server's log. The database may not be writable.",
            ),
    },
    { name: "receivers", run: () => checkEndpoints(read) },
    { name: "budgets", run: () => checkBudgets(sources, now) },
    { name: "disk_space", run: () => diagnoseDiskSpace(config.storage.dataDir, file, config.backup.dir) },
    ...(config.storage.url === "" ? [{ name: "wal", run: () => diagnoseWal(file) }] : []),
    { name: "tls_certificate", run: () => checkShownCertificate(tlsValidTo, now) },
    {
      name: "model",
      run: () => diagnoseScoringModel({ scoredBy: snapshot?.modelVersion, fit }, knowledge.modelVersion),
    },
  ];
  const { properties, components, critical, warning } = await read.gauges.portfolio();
  return {
    at: now,
    version: found.version,
    uptimeMs: found.uptimeMs,
    checks: await runDoctorChecks(checks),
    properties,
    components,
    critical,
    warning,
    deliveriesPending: outbox.pending,
    deliveriesFailed: await read.deliveryLog.countFailedSince(now - MS_PER_DAY),
  };
}

function checkDatabase({ checks: { database, pages } }: ServiceHealth): DoctorFinding {
  if (database === "full")
    return failedDoctorFinding(
      "the disk is full: writes are rejected",
      "Free some space on the disk of the database, or enlarge it: writes then succeed again.",
    );
  if (database === "failed")
    return failedDoctorFinding(
      "the database is not writable",
      "See the server's log, and check whether the disk is full or read-only.",
    );
  if (pages === "damaged") return failedDoctorFinding("the integrity check found damage", FROM_BACKUP);
  if (pages === "checking") return okDoctorFinding("writable; integrity check in progress");
  return pages === "ok"
    ? okDoctorFinding("writable; integrity check passed")
    : warningDoctorFinding(
        "writable; the integrity check could not run",
        "See the server's log for `check-pages`.",
      );
}

async function checkEndpoints(read: Stores): Promise<DoctorFinding> {
  const endpoints = (await read.partners.listEndpoints()).filter(({ url }) => url !== null);
  const failing = endpoints.filter(
    ({ failingSince, pausedAt }) => failingSince !== null || pausedAt !== null,
  );
  if (failing.length === 0)
    return okDoctorFinding(
      endpoints.length === 0 ? "no partner has a webhook endpoint" : "no endpoint is failing",
    );
  const names = new Map((await read.partners.list()).map(({ id, name }) => [id, name]));
  const problems = failing.map(({ partnerId, pausedAt, failingSince, lastError }) => {
    const since =
      pausedAt === null
        ? `failing since ${isoTextOfInstant(failingSince!)}`
        : `paused since ${isoTextOfInstant(pausedAt)}`;
    return `${names.get(partnerId)}: webhooks ${since} (${lastError ?? "no response"})`;
  });
  return warningDoctorFinding(
    listed(problems),
    "Ask the partner to check the endpoint. Paused endpoints resume automatically after a successful probe. Failed deliveries can be resent.",
  );
}

async function checkBudgets({ read, budgets }: OverviewSources, now: Instant): Promise<DoctorFinding> {
  // The counters include reservations, so only these few partners need a closer look.
  const near = (await read.gauges.partners(dayOf(now))).filter(
    ({ dailyBudget, taken }) => dailyBudget > 0 && taken >= dailyBudget * (1 - NEAR_END),
  );
  const warnings: string[] = [];
  for (const { id } of near) {
    const partner = await read.partners.find(id);
    if (!partner) continue;
    const left = await budgets.remaining(partner);
    if (left < partner.dailyBudget * NEAR_END)
      warnings.push(`${partner.name} has ${left} of ${partner.dailyBudget} calls left today`);
  }
  if (warnings.length === 0) return okDoctorFinding("no partner is close to its daily limit");
  return warningDoctorFinding(
    listed(warnings),
    "Limits reset at midnight UTC. Raise a limit that is too low.",
  );
}

/** Checks the certificate that is served, which may be older than the file. */
function checkShownCertificate(validTo: Instant | undefined, now: Instant): DoctorFinding {
  if (validTo === undefined) return okDoctorFinding("TLS is off (server.tls_cert)");
  const days = Math.floor((validTo - now) / MS_PER_DAY);
  const renew = "Renew the certificate, then send SIGHUP to the server.";
  if (days < 0) return failedDoctorFinding(`expired ${-days} days ago`, renew);
  const detail = `valid for ${days} more days`;
  return days < RENEWED_BEFORE_DAYS ? warningDoctorFinding(detail, renew) : okDoctorFinding(detail);
}

function listed(items: readonly string[]): string {
  const rest = items.length - MOST_NAMED;
  return items.slice(0, MOST_NAMED).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}
