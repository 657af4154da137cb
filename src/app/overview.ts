import type { Health } from "../administration/health.ts";
import type { Overview } from "../administration/overview.ts";
import type { LastBackup } from "../backup/last-backup.ts";
import type { Config } from "../config/settings.ts";
import { checkBackup } from "../doctor/backup.ts";
import { type Check, type Finding, fail, ok, runChecks, warn } from "../doctor/check.ts";
import { checkModel, checkOutbox, checkSnapshot, checkWal, FROM_BACKUP } from "../doctor/database.ts";
import { checkDiskSpace } from "../doctor/folder.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import { dayOf, type Instant, MS_PER_DAY, toIso } from "../domain/time.ts";
import type { Stores } from "../store/stores.ts";
import type { DailyCallLimits } from "../usecases/partners/daily-call-limits.ts";
import { databaseFile } from "./data-folder.ts";

export type OverviewSources = {
  config: Config;
  read: Stores;
  clock: () => Instant;
  knowledge: Knowledge;
  budgets: DailyCallLimits;
  health: () => Promise<Health>;
  lastBackup: () => LastBackup | undefined;
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
export async function overviewOf(sources: OverviewSources): Promise<Overview> {
  const { config, read, clock, knowledge, health, lastBackup, tlsValidTo } = sources;
  const now = clock();
  const found = await health();
  const outbox = await read.gauges.outbox();
  const snapshot = await read.snapshots.latestFinished();
  const fit = await read.models.inUse();
  const file = databaseFile(config.storage.dataDir);
  const checks: Check[] = [
    { name: "database", run: () => checkDatabase(found) },
    {
      name: "snapshot",
      run: () =>
        checkSnapshot(
          { snapshot: snapshot && { day: snapshot.day, finishedAt: snapshot.finishedAt! } },
          config.snapshot.enabled,
          now,
        ),
    },
    { name: "last_backup", run: () => checkBackup(config.backup.schedule, lastBackup(), now) },
    {
      name: "outbox",
      run: () =>
        found.checks.outbox === "ok"
          ? checkOutbox({ outbox: { waiting: outbox.pending, oldestAt: outbox.oldestAt } }, now)
          : fail("webhooks are not sent", "See the server's log; the database may not take writes."),
    },
    { name: "receivers", run: () => checkReceivers(read) },
    { name: "budgets", run: () => checkBudgets(sources, now) },
    { name: "disk_space", run: () => checkDiskSpace(config.storage.dataDir, file, config.backup.dir) },
    ...(config.storage.url === "" ? [{ name: "wal", run: () => checkWal(file) }] : []),
    { name: "tls_certificate", run: () => checkShownCertificate(tlsValidTo, now) },
    {
      name: "model",
      run: () => checkModel({ scoredBy: snapshot?.modelVersion, fit }, knowledge.modelVersion),
    },
  ];
  const { properties, components, critical, warning } = await read.gauges.portfolio();
  return {
    ...{ at: now, version: found.version, uptimeMs: found.uptimeMs },
    checks: await runChecks(checks),
    ...{ properties, components, critical, warning },
    deliveriesPending: outbox.pending,
  };
}

function checkDatabase({ checks: { database, pages } }: Health): Finding {
  if (database === "failed")
    return fail(
      "no row could be written",
      "See the server's log, and whether the disk is full or read-only.",
    );
  if (pages === "damaged") return fail("its pages are damaged", FROM_BACKUP);
  if (pages === "checking") return ok("takes writes; its pages are being looked through");
  return pages === "ok"
    ? ok("takes writes, and its pages are whole")
    : warn("takes writes; its pages could not be looked through", "See the server's log for `check-pages`.");
}

async function checkReceivers(read: Stores): Promise<Finding> {
  const receivers = (await read.partners.listReceivers()).filter(({ url }) => url !== null);
  const failing = receivers.filter(
    ({ failingSince, pausedAt }) => failingSince !== null || pausedAt !== null,
  );
  if (failing.length === 0) return ok(receivers.length === 0 ? "no partner has one" : "none fails");
  const names = new Map((await read.partners.list()).map(({ id, name }) => [id, name]));
  const reported = failing.map(({ partnerId, pausedAt, failingSince, lastError }) => {
    const since =
      pausedAt === null ? `fails since ${toIso(failingSince!)}` : `is paused since ${toIso(pausedAt)}`;
    return `${names.get(partnerId)} ${since} (${lastError ?? "no answer"})`;
  });
  return warn(
    listed(reported),
    "Ask the partner whether its receiver is up. A paused one is resumed by the first probe that succeeds; what failed can be sent again.",
  );
}

async function checkBudgets({ read, budgets }: OverviewSources, now: Instant): Promise<Finding> {
  // The counters include reservations, so only these few partners need a closer look.
  const near = (await read.gauges.budgets(dayOf(now))).filter(
    ({ dailyBudget, taken }) => dailyBudget > 0 && taken >= dailyBudget * (1 - NEAR_END),
  );
  const reported: string[] = [];
  for (const { id } of near) {
    const partner = await read.partners.find(id);
    if (!partner) continue;
    const left = await budgets.remaining(partner);
    if (left < partner.dailyBudget * NEAR_END)
      reported.push(`${partner.name} has ${left} of ${partner.dailyBudget} calls left today`);
  }
  if (reported.length === 0) return ok("every partner has calls left");
  return warn(listed(reported), "They are renewed at midnight UTC. Raise a budget where it is too small.");
}

/** Checks the certificate that is served, which may be older than the file. */
function checkShownCertificate(validTo: Instant | undefined, now: Instant): Finding {
  if (validTo === undefined) return ok("TLS is off (server.tls_cert)");
  const days = Math.floor((validTo - now) / MS_PER_DAY);
  const renew = "Renew it, then send the server SIGHUP.";
  if (days < 0) return fail(`expired ${-days} days ago`, renew);
  const detail = `good for ${days} days more`;
  return days < RENEWED_BEFORE_DAYS ? warn(detail, renew) : ok(detail);
}

function listed(reported: readonly string[]): string {
  const rest = reported.length - MOST_NAMED;
  return reported.slice(0, MOST_NAMED).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}
