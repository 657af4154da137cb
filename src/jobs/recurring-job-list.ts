import { serializeSnapshot } from "../api-schemas/snapshot-schema.ts";
import { type Cluster, SINGLE_NODE } from "../cluster/cluster.ts";
import { forgetIdleClusterCallers } from "../cluster/distributed-rate-window.ts";
import type { Config } from "../config/settings.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import { OperatorError, StorageError } from "../domain/errors.ts";
import { type Day, dayOf, type Instant } from "../domain/time.ts";
import { yieldInBackground, yieldToEventLoop } from "../event-loop/event-loop.ts";
import type { Logger } from "../logging/logger.ts";
import { REPLIES_KEPT_MS } from "../store/queries/idempotent-replies-queries.ts";
import type { Store } from "../store/store.ts";
import { pruneDeliveries } from "../usecases/deliveries/prune-deliveries.ts";
import type { EmbedViewCounter } from "../usecases/embeds/count-embed-views.ts";
import { renewLossStandings } from "../usecases/losses/renew-loss-standings.ts";
import { finishPartnerSecretRotations } from "../usecases/partners/administer-partner.ts";
import { loadDayOfPlannedScores } from "../usecases/planning/load-day-of-planned-scores.ts";
import { renewAgedPlans } from "../usecases/planning/load-portfolio-plan.ts";
import { retireDueRecords } from "../usecases/portfolio/retire-records.ts";
import {
  recalculateStoredSums,
  recalculationBasisDigest,
  requestRecalculation,
  requestRecalculationIfBasisChanged,
} from "../usecases/recalculation/recalculate-sums.ts";
import type { RevisionCaches } from "../usecases/revision-caches/revision-caches.ts";
import { snapshotDayToTake, snapshotIsTaken, takeSnapshot } from "../usecases/snapshot/take-snapshot.ts";
import type { ScheduledJob } from "./job-schedule.ts";

type JobDeps = {
  config: Config;
  store: Store;
  knowledge: Knowledge;
  clock: () => Instant;
  /** Milliseconds of a monotonic clock. */
  monotonicMs: () => number;
  log: Logger;
  views: EmbedViewCounter;
  caches: RevisionCaches;
  cluster?: Cluster;
  /** True if the start of the server has changed what the stored sums follow from; "unknown" if the database was locked. */
  changedSumsBasis?: boolean | "unknown";
};

/** Replies to delete in one transaction. */
const BATCH = 500;
/** Replies to delete in one statement: each may have several megabytes. */
const STEP = 4;
/**
 * The time for which a server of a cluster leaves stored sums to those with other prices, and after which it recalculates what
 * those may have stored beside it: longer than a rolling upgrade.
 */
const FOREIGN_SUMS_MS = 20 * 60_000;

/** Returns the scheduled jobs of a server, except backups. */
export function recurringJobList(deps: JobDeps): ScheduledJob[] {
  const { config, store, knowledge, clock, monotonicMs, log, cluster = SINGLE_NODE } = deps;
  const snapshot: ScheduledJob = {
    name: "snapshot",
    pattern: "0 * * * * *",
    runAtStart: true,
    // The servers of a cluster divide the work.
    runOnEveryServer: true,
    run: dailySnapshot(deps),
    async runNow(signal) {
      const reason = cluster.snapshotBlockedReason();
      if (reason !== undefined) throw new OperatorError(`this server cannot take a snapshot: ${reason}`);
      const result = await takeSnapshot(
        { store, knowledge, clock, monotonicMs, yieldNow: yieldToEventLoop, signal },
        dayOf(clock()),
      );
      log.info(serializeSnapshot(result), "snapshot taken");
    },
  };
  return [
    ...(config.snapshot.enabled ? [snapshot] : []),
    {
      name: "prune-idempotency-keys",
      pattern: "0 17 * * * *",
      async run() {
        const pruneSome = () =>
          store.write(async (tx) => {
            let pruned = 0;
            while (pruned < BATCH) {
              const some = await tx.idempotency.prune(tx.now - REPLIES_KEPT_MS, STEP);
              pruned += some;
              if (some < STEP) break;
              await tx.yieldToEventLoop();
            }
            return pruned;
          });
        while ((await pruneSome()) >= BATCH) await yieldToEventLoop();
      },
    },
    ...(store.isShared
      ? [
          {
            name: "forget-servers",
            pattern: "0 37 * * * *",
            async run() {
              await store.write(async (tx) => {
                await tx.servers.prune();
                await tx.locks.prune();
              });
              await forgetIdleClusterCallers(store);
            },
          },
        ]
      : []),
    {
      name: "prune-deliveries",
      pattern: "0 27 * * * *",
      runAtStart: true,
      async run(signal) {
        const deps = { store, clock, yieldNow: yieldToEventLoop, signal };
        const deliveries = await pruneDeliveries(deps, config.webhooks.logRetentionDays);
        if (deliveries > 0) log.info({ deliveries }, "delivery log pruned");
      },
    },
    // Each server stores the views that it has counted.
    {
      name: "store-embed-views",
      pattern: "15 * * * * *",
      runOnEveryServer: true,
      run: () => deps.views.flush(),
    },
    {
      name: "drop-superseded-answers",
      pattern: "20 * * * * *",
      runOnEveryServer: true,
      async run() {
        deps.caches.dropSuperseded(await store.read.partners.revisions(), dayOf(clock()));
      },
    },
    {
      name: "renew-plans",
      pattern: "45 * * * * *",
      runAtStart: true,
      async run(signal) {
        const deps = { store, knowledge, clock, yieldNow: yieldInBackground(signal), signal };
        const properties = await renewAgedPlans(deps, await loadDayOfPlannedScores(deps));
        if (properties > 0) log.info({ properties }, "plans renewed");
      },
    },
    {
      name: "compare-properties",
      pattern: "50 * * * * *",
      runAtStart: true,
      async run(signal) {
        const properties = await renewLossStandings({
          store,
          knowledge,
          yieldNow: yieldInBackground(signal),
          signal,
        });
        if (properties > 0) log.info({ properties }, "properties compared by their losses");
      },
    },
    {
      name: "recalculate-sums",
      pattern: "*/15 * * * * *",
      runAtStart: true,
      prepareOnEveryServer: watchOwnPrices(deps),
      async run(signal) {
        const recalculating = { store, knowledge, clock, yieldNow: yieldInBackground(signal), signal };
        for (const partnerId of await recalculateStoredSums(recalculating))
          log.info({ partner_id: partnerId }, "sums recalculated by changed prices");
      },
    },
    {
      name: "retire",
      pattern: "5 * * * * *",
      runAtStart: true,
      async run(signal) {
        const records = await retireDueRecords({
          store,
          knowledge,
          clock,
          yieldNow: yieldToEventLoop,
          signal,
        });
        if (records > 0) log.info({ records }, "properties and appliances retired");
      },
    },
    {
      name: "finish-secret-rotations",
      pattern: "30 * * * * *",
      runAtStart: true,
      async run() {
        for (const partnerId of await finishPartnerSecretRotations(store))
          log.info({ partner_id: partnerId }, "webhook secret overlap ended");
      },
    },
  ];
}

/**
 * Returns what requests the recalculation of sums that do not follow this server's knowledge base, settings and rules: after its
 * start with others, and after a command with others. In a cluster, servers with others may be starting, so that this one
 * leaves the sums to them for a while, and takes them back if none of them is the last. The one whose start had them recalculated
 * does so once more after that time, since servers that it replaces still stored theirs.
 */
function watchOwnPrices(jobDeps: JobDeps): () => Promise<void> {
  const { store, knowledge, clock, log, changedSumsBasis } = jobDeps;
  const basis = recalculationBasisDigest(knowledge);
  let foreignSince = changedSumsBasis === "unknown" ? Number.NEGATIVE_INFINITY : undefined;
  let repeatAt = store.isShared && changedSumsBasis === true ? clock() + FOREIGN_SUMS_MS : undefined;
  return async () => {
    if ((await store.read.recalculations.basis()) === basis) {
      foreignSince = undefined;
      if (repeatAt !== undefined && clock() >= repeatAt) {
        await requestRecalculation(store);
        repeatAt = undefined;
        log.info({}, "sums that servers with others may have stored meanwhile are recalculated");
      }
    } else {
      foreignSince ??= clock();
      if (store.isShared && clock() - foreignSince < FOREIGN_SUMS_MS) return;
      if ((await startRecalculationIfBasisChanged(jobDeps)) && store.isShared)
        repeatAt = clock() + FOREIGN_SUMS_MS;
    }
  };
}

/**
 * Compares the stored sums with the server's prices before it answers: responses with sums say from then on that they are being
 * recalculated, also while another server has the job, or had it and is gone. Returns whether the sums follow others, or
 * "unknown" if the database does not take the write in time, as while a bulk request locks its partner: the job does it then.
 */
export async function startRecalculationAtStart(
  deps: Pick<JobDeps, "store" | "knowledge" | "log">,
): Promise<boolean | "unknown"> {
  try {
    return await startRecalculationIfBasisChanged(deps);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    deps.log.warn({ err: error }, "stored sums are compared with this server's prices later");
    return "unknown";
  }
}

/**
 * Requests the recalculation of all sums if they follow another knowledge base, settings or rules than the server's; returns
 * whether they did.
 */
async function startRecalculationIfBasisChanged({
  store,
  knowledge,
  log,
}: Pick<JobDeps, "store" | "knowledge" | "log">): Promise<boolean> {
  const isChanged = await requestRecalculationIfBasisChanged(store, recalculationBasisDigest(knowledge));
  if (isChanged)
    log.info(
      {},
      "knowledge base, settings or rules differ from those of the stored sums, which are recalculated",
    );
  return isChanged;
}

/**
 * Resumes an interrupted snapshot and takes the one that is due. Runs every minute, so that a server that starts after
 * the scheduled time catches up. Skips a day that is before an existing snapshot, with one warning.
 */
function dailySnapshot({
  config,
  store,
  knowledge,
  clock,
  monotonicMs,
  log,
  cluster = SINGLE_NODE,
}: JobDeps): ScheduledJob["run"] {
  const [hours, minutes] = config.snapshot.at.split(":").map(Number);
  let refusedDay: Day | undefined;
  return async (signal) => {
    if (cluster.snapshotBlockedReason() !== undefined) return;
    const unfinished = await store.read.snapshots.unfinished();
    const due = snapshotDayToTake(clock(), hours! * 60 + minutes!);
    for (const day of new Set([unfinished?.day, due])) {
      if (day === undefined || (await snapshotIsTaken(store.read, knowledge, day))) continue;
      const later = await store.read.snapshots.laterThan(day);
      if (later !== undefined && day !== unfinished?.day) {
        if (refusedDay !== day) log.warn({ date: day, later }, "no snapshot taken: a later one exists");
        refusedDay = day;
        continue;
      }
      const result = await takeSnapshot(
        { store, knowledge, clock, monotonicMs, yieldNow: yieldToEventLoop, signal },
        day,
      );
      if (!result.endedByAnotherServer && !result.alreadyDone)
        log.info(serializeSnapshot(result), "snapshot taken");
    }
  };
}
