import { ClusterClock } from "../cluster/cluster-clock.ts";
import type { RateWindow } from "../cluster/distributed-address-rate-window.ts";
import { configuredPublicUrl } from "../config/configured-public-url.ts";
import type { Config } from "../config/settings.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import { StorageError } from "../domain/errors.ts";
import type { FillRandom } from "../domain/ids/record-ids.ts";
import type { Instant } from "../domain/time.ts";
import { Authenticator } from "../http/authenticator.ts";
import { clientAddress } from "../http/client-address.ts";
import { anyHostHeaderCheck, type HostCheck } from "../http/host-header.ts";
import { ConsoleSessions } from "../http/http-console-session-cookies.ts";
import { EmbedPasscodeGate } from "../http/http-embed-passcode-gate.ts";
import { httpHtmlErrorReplies } from "../http/http-html-error-replies.ts";
import type { Operation } from "../http/http-operation.ts";
import { ADMIN_HEADERS } from "../http/http-responses.ts";
import { createHttpHandler, type Fetch } from "../http/http-server.ts";
import { maxHttpBodyValues } from "../http/request-body.ts";
import { DailyCallLimits } from "../http/request-daily-call-limits.ts";
import { RequestPipeline } from "../http/request-pipeline.ts";
import { assetOperation } from "../http/routes/assets-routes.ts";
import { consoleRootOperation } from "../http/routes/console-routes.ts";
import { embedOperations } from "../http/routes/embeds-routes.ts";
import { partnerApiOperations } from "../http/routes/partner-api-routes.ts";
import { portfolioAppOperation } from "../http/routes/portfolio-app-routes.ts";
import { healthOperation } from "../http/routes/system-routes.ts";
import { ipNetworkContains, parseIpAddress, parseIpNetwork } from "../ip-networks/ip-network.ts";
import { startJobs } from "../jobs/job-schedule.ts";
import { recurringJobList, startRecalculationAtStart } from "../jobs/recurring-job-list.ts";
import { embeddedKnowledge } from "../knowledge/embedded-knowledge.ts";
import type { LoggedError } from "../logging/logged-error.ts";
import type { Logger } from "../logging/logger.ts";
import { Metrics } from "../metrics/prometheus-metrics.ts";
import type { ServiceHealth } from "../monitoring/monitored-service-health.ts";
import { bearerTokenSecrets } from "../secrets/bearer-tokens.ts";
import { impersonationTokens } from "../secrets/impersonation-token.ts";
import { refuseLeftoverSqliteFiles } from "../store/sqlite/leftover-sqlite-files.ts";
import { unloadPartnerPricesExcept } from "../usecases/costs/load-partner-prices.ts";
import { EmbedViewCounter } from "../usecases/embeds/count-embed-views.ts";
import { EventStream } from "../usecases/event-stream/load-event-stream.ts";
import { LossBooks } from "../usecases/losses/load-loss-books.ts";
import { RevisionCaches } from "../usecases/revision-caches/revision-caches.ts";
import { composeAdminHostCheck } from "./composition/compose-admin-host-check.ts";
import { type AdminDeps, composeAdminOperations } from "./composition/compose-admin-operations.ts";
import { composeCalibrationCheck } from "./composition/compose-calibration-check.ts";
import { composeCalibrationRuns } from "./composition/compose-calibration-runs.ts";
import {
  type ClusterMembership,
  composeClusterMembership,
} from "./composition/compose-cluster-membership.ts";
import { composePartnerTasks } from "./composition/compose-partner-tasks.ts";
import { composeOpenPhotoStorage } from "./composition/compose-photo-storage.ts";
import { composeRateLimitWindows } from "./composition/compose-rate-limit-windows.ts";
import {
  composeLatestBackup,
  composeScheduledBackups,
  type ScheduledBackups,
} from "./composition/compose-scheduled-backups.ts";
import type { StartedParts } from "./composition/compose-server-state.ts";
import { composeStorageJobs } from "./composition/compose-storage-jobs.ts";
import {
  composeWebhookCommitWatch,
  composeWebhookDispatcher,
  composeWebhookSender,
} from "./composition/compose-webhook-delivery.ts";
import { BUILD } from "./server-build-info.ts";
import { openServerDailyCallReservationFile } from "./server-daily-call-reservation-file.ts";
import {
  type DataFolder,
  makeServerDataFolder,
  openServerDataFolder,
  serverDatabaseFile,
} from "./server-data-folder.ts";
import { Drain, serverDrainSeconds } from "./server-drain.ts";
import { checkServerHealth, composeServerHealthCheckLimit } from "./server-health-probe.ts";
import { lockServerDataFolder } from "./server-instance-lock.ts";
import { openServerListeners } from "./server-listeners.ts";
import { serverMonotonicClock } from "./server-monotonic-clock.ts";
import type { WatchedWriter } from "./systemd-notifications.ts";

type AppDeps = {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  clock: () => Instant;
  /** A monotonic clock, in milliseconds; the process's own by default. */
  monotonicMs?: () => number;
  random: FillRandom;
  log: Logger;
  /** Log lines that could not be written; 0 by default. */
  droppedLines?: () => number;
  /** The latest errors in the log, newest first; empty by default. */
  recentErrors?: () => readonly LoggedError[];
};

type TimedDeps = AppDeps & { monotonicMs: () => number; clusterClock: ClusterClock };
type InstanceLock = ReturnType<typeof lockServerDataFolder>;

/** A listening server. The caller that started it stops it, also when it must stop by itself. */
export type App = Pick<ClusterMembership, "mustStop"> & {
  url: string;
  adminUrl: string;
  /** Reads the certificate again without interruption. If it cannot be used, logs that and keeps the old one. */
  renewTls(): void;
  writer: WatchedWriter;
  /** The longest time, in seconds, that `drain` and `stop` take. */
  stopsWithinS(): number;
  /** Serves requests for `server.drain_s` seconds more, during which load balancers can choose other servers. */
  drain(): Promise<void>;
  /** Ends the drain. Returns false if it was over. */
  endDrain(): boolean;
  /**
   * Refuses new requests, finishes those in progress within the configured grace period, and closes the database.
   */
  stop(): Promise<void>;
};

const BYTES_PER_MB = 1024 * 1024;

/** The longest time that the rest of a stop takes, above all the final checkpoint of the database. */
const DATABASE_CLOSE_S = 60;

/** Starts a server: builds every part from the settings, and listens. Throws an OperatorError if it cannot. */
export async function startServer(deps: AppDeps): Promise<App> {
  const { config } = deps;
  if (config.storage.url === "") refuseLeftoverSqliteFiles(serverDatabaseFile(config.storage.dataDir));
  makeServerDataFolder(config.storage.dataDir);
  // Locked before the database is opened, since opening may migrate it while another server runs.
  const lock = lockServerDataFolder(config.storage.dataDir);
  try {
    return await startLocked(deps, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startLocked(given: AppDeps, lock: InstanceLock): Promise<App> {
  const { monotonicMs = () => performance.now() } = given;
  const clusterClock = new ClusterClock(given.clock, monotonicMs);
  const deps = { ...given, monotonicMs, clusterClock, clock: clusterClock.now };
  const folder = await openServerDataFolder({ ...deps, isServing: true });
  const { store } = folder;
  try {
    if (store.isShared) await clusterClock.start(store.read.clock.databaseNow);
    return await startOn(folder, deps, lock);
  } catch (error) {
    await store.close();
    // The database may have become unavailable since it was opened.
    throw store.explain(error);
  }
}

async function startOn(folder: DataFolder, deps: TimedDeps, lock: InstanceLock): Promise<App> {
  const { config, clock, clusterClock, monotonicMs, log } = deps;
  const { store } = folder;
  if (folder.upgradeBackup) log.info({ file: folder.upgradeBackup }, "database backed up before migration");
  for (const { number, name } of store.applied) log.info({ number, name }, "migration applied");

  const knowledge = embeddedKnowledge(config.costs);
  const ledger = store.isShared ? undefined : openServerDailyCallReservationFile(config.storage.dataDir);
  const budgets = new DailyCallLimits(store, clock, ledger);
  await budgets.recover();
  const sender = await composeWebhookSender(config);
  const metrics = new Metrics();
  const joined = composeClusterMembership({ ...deps, clock: clusterClock, store, knowledge });
  const { cluster } = joined;
  const dispatcher = composeWebhookDispatcher(deps, folder, metrics.measured(sender), cluster);
  const backups = composeScheduledBackups(deps);
  const views = new EmbedViewCounter(store);
  const caches = new RevisionCaches(config.server.cacheMb * BYTES_PER_MB);
  const eventStream = new EventStream();
  await eventStream.restore(store, clock());
  const changedSumsBasis = await startRecalculationAtStart({ store, knowledge, log });
  const storage = composeStorageJobs({ ...deps, store });
  const proposals = composeCalibrationRuns({ ...deps, store });
  const tasks = composePartnerTasks({
    ...deps,
    // Its commands check how long their pass is valid by the machine's clock.
    machineClock: clusterClock.own,
    store,
    knowledge,
    passes: impersonationTokens(folder.masterKey),
  });
  // Values that exist only once the server listens.
  const later: StartedParts = {};
  const drain = new Drain();
  const startedAtMs = monotonicMs();
  // Nobody is refused the health, so checks that many ask for at once are shared.
  const health = composeServerHealthCheckLimit(monotonicMs, drain.hasBegun, () =>
    checkServerHealth({
      store,
      clock,
      uptimeMs: () => monotonicMs() - startedAtMs,
      version: BUILD.version,
      isDraining: drain.hasBegun,
      schedulerOn: config.snapshot.enabled,
      outboxRuns: () => !dispatcher.stats().isFailing,
      lastBackup: backups.last,
      pages: storage.pages,
      clockOffMs: cluster.clockOffMs,
    }),
  );
  const fetches = await createFetches(deps, folder, {
    knowledge,
    budgets,
    dispatcher,
    metrics,
    views,
    caches,
    eventStream,
    lastBackup: backups.last,
    health,
    later,
    adminDeps: { proposals, tasks, send: sender.send },
    isDraining: drain.hasBegun,
  });
  const listeners = await openServerListeners(deps, fetches);
  later.listeners = listeners;
  await joined.start(listeners.knownAs);
  store.onGroup((jobs, durationMs) => metrics.groupCommitted(jobs, durationMs));
  metrics.observe({
    read: store.read,
    clock,
    defaultModel: knowledge.modelVersion,
    build: BUILD,
    queueLength: store.queueLength,
    cluster,
    sizes: store.sizes,
    dispatched: dispatcher.stats,
    latestBackup: () => composeLatestBackup(store, backups.last),
    health,
    unreadable(error) {
      const explained = store.explain(error);
      if (!(explained instanceof StorageError)) throw error;
      log.warn({ reason: explained.message }, "metrics without those of the database, which cannot be read");
    },
    folders: { data: config.storage.dataDir, ...(!store.isShared && { backups: config.backup.dir }) },
    integrity: storage.pages,
    tlsValidTo: listeners.tlsValidTo,
    droppedLines: deps.droppedLines ?? (() => 0),
  });

  store.onOutbox((partnerIds) => dispatcher.wake(partnerIds));
  const endWatch = await composeWebhookCommitWatch(store, dispatcher, log);
  const jobs = startJobs(
    [
      ...recurringJobList({ ...deps, store, knowledge, views, caches, cluster, changedSumsBasis }),
      ...backups.jobs,
      ...storage.jobs,
      composeCalibrationCheck({ ...deps, store }),
    ],
    log,
    clock,
    cluster,
  );
  later.jobs = jobs;
  dispatcher.start();
  log.info(
    { url: listeners.url, admin_url: listeners.adminUrl, version: BUILD.version, commit: BUILD.commit },
    "listening",
  );

  return {
    url: listeners.url,
    adminUrl: listeners.adminUrl,
    renewTls: listeners.renewTls,
    mustStop: joined.mustStop,
    writer: {
      probe: () => store.write((tx) => tx.clock.probe(tx.now)),
      steps: () => store.writerSteps?.() ?? 0,
    },
    // Requests and deliveries each have the grace period.
    stopsWithinS: () =>
      serverDrainSeconds(config, cluster) + 2 * config.server.shutdownGraceS + DATABASE_CLOSE_S,
    async drain() {
      const seconds = serverDrainSeconds(config, cluster);
      if (seconds > 0) log.info({ drain_s: seconds }, "draining");
      await drain.run(seconds);
    },
    endDrain: () => drain.interrupt(),
    async stop() {
      const graceMs = config.server.shutdownGraceS * 1000;
      await listeners.stop(graceMs);
      endWatch();
      await proposals.stop();
      await tasks.stop();
      await jobs.stop();
      await dispatcher.stop(graceMs);
      sender.close();
      await budgets.release();
      ledger?.close();
      await views.flush().catch((error) => log.warn({ err: error }, "embed views could not be stored"));
      await eventStream
        .keep(store, clock())
        .catch((error) => log.warn({ err: error }, "positions in the event stream could not be stored"));
      await joined.stop();
      await store.close();
      lock.release();
      log.info("stopped");
    },
  };
}

/** The handlers of the listeners; the same function if administrators are on the main one. */
type Fetches = { main: Fetch; admin: Fetch };

/** The dependencies of request handlers, beside those of the application and the data. */
type Served = {
  knowledge: Knowledge;
  budgets: DailyCallLimits;
  dispatcher: ReturnType<typeof composeWebhookDispatcher>;
  metrics: Metrics;
  views: EmbedViewCounter;
  caches: RevisionCaches;
  eventStream: EventStream;
  lastBackup: ScheduledBackups["last"];
  health: () => Promise<ServiceHealth>;
  later: StartedParts;
  adminDeps: Omit<AdminDeps, "sessions" | "losses">;
  isDraining: () => boolean;
};

async function createFetches(
  { config, clock, monotonicMs, random, log, recentErrors = () => [] }: TimedDeps,
  { store, masterKey, encryptor }: DataFolder,
  {
    knowledge,
    budgets,
    dispatcher,
    metrics,
    views,
    caches,
    eventStream,
    lastBackup,
    health,
    later,
    adminDeps,
    isDraining,
  }: Served,
): Promise<Fetches> {
  const { limits, server } = config;
  // A token that has expired must stay expired if the clock is set back.
  const tokenClock = serverMonotonicClock(clock, monotonicMs, await store.read.clock.lastInstant());
  const authenticator = new Authenticator(store, bearerTokenSecrets(masterKey, random), tokenClock, budgets);
  caches.add(authenticator);
  caches.add(budgets);
  caches.add({ dropSuperseded: (revisions) => unloadPartnerPricesExcept(knowledge, revisions) });
  const windows = composeRateLimitWindows({ limits, store, monotonicMs, random });
  const embeds = embedOperations({
    store,
    knowledge,
    frameAncestors: config.embed.frameAncestors,
    caches,
    gate: new EmbedPasscodeGate({
      ...windows.passcodes,
      monotonicMs,
      isSecure: configuredPublicUrl(config).startsWith("https:"),
      frameAncestors: config.embed.frameAncestors,
    }),
    onView(embedId, view) {
      views.add(embedId, view);
      metrics.embedViewed();
    },
  });
  const losses = new LossBooks(knowledge, caches);
  const changed = (partnerId: string) => dispatcher.refresh(partnerId);
  const partners = partnerApiOperations({
    knowledge,
    losses,
    eventStream,
    authenticator,
    checkHealth: health,
    bulkItems: limits.bulkItems,
    uploads: await composeOpenPhotoStorage(store, config.storage.dataDir, config.storage, log),
    photoBytes: limits.photoBytes,
    photoBytesPerPartner: limits.photoBytesPerPartner,
    basePath: server.basePath,
    address: {
      publicUrl: server.publicUrl.replace(/(?<!\/)\/+$/, ""),
      basePath: server.basePath,
      isSecure: server.tlsCert !== "",
    },
    random,
    changed,
  });
  const forPartners = [...partners, ...embeds, portfolioAppOperation(config.embed)];
  const isOneListener = config.admin.listen === "main";
  const consoleSessions = new ConsoleSessions(store, random, tokenClock);
  const forAdministrators = composeAdminOperations(
    { config, clock, store, knowledge, budgets, metrics, health, lastBackup, later, recentErrors },
    { sessions: consoleSessions, losses, ...adminDeps },
  );
  const trusted = server.trustedProxies.map(parseIpNetwork);
  const isTrusted = (address: string) => {
    const parsed = parseIpAddress(address);
    return parsed !== undefined && trusted.some((network) => ipNetworkContains(network, parsed));
  };
  const pipeline = new RequestPipeline({
    store,
    knowledge,
    authenticator,
    consoleSessions,
    budgets,
    caches,
    administration: { store, encryptor, random, changed },
    partnerWindow: windows.partners,
    perPartnerPerMinute: limits.perPartnerPerMinute,
    bodyBytes: limits.bodyBytes,
    bodyValues: maxHttpBodyValues(limits.bulkItems),
    clock,
    log,
  });
  const serving = (
    operations: readonly Operation[],
    listener: string,
    metricsWindow?: RateWindow,
    rules?: { checkHost: HostCheck; headers: Record<string, string> },
  ) =>
    createHttpHandler({
      operations,
      checkHost: anyHostHeaderCheck,
      ...rules,
      basePath: server.basePath,
      pipeline,
      addressWindow: windows.addresses(listener),
      metricsWindow,
      clientAddress: (socket, forwardedFor) => clientAddress(socket, forwardedFor, isTrusted),
      clock,
      monotonicMs,
      htmlErrorPages: httpHtmlErrorReplies(server.basePath, config.embed),
      newRequestId: () => Buffer.from(random(new Uint8Array(12))).toString("base64url"),
      log,
      isDraining,
      responseTimeoutS: limits.responseTimeoutS,
      onResponse: (...answer) => metrics.requestAnswered(...answer),
    });
  if (isOneListener) {
    const both = serving([...forPartners, ...forAdministrators], "address", windows.scrapes(true));
    return { main: both, admin: both };
  }
  return {
    main: serving(forPartners, "address"),
    admin: serving(
      [consoleRootOperation(), healthOperation(health), assetOperation(), ...forAdministrators],
      "administrator's address",
      windows.scrapes(false),
      { checkHost: composeAdminHostCheck(config), headers: ADMIN_HEADERS },
    ),
  };
}
