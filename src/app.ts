import { BUILD } from "./build-info.ts";
import { parseListen } from "./config/formats.ts";
import type { Config } from "./config/settings.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import type { FillRandom } from "./domain/ids.ts";
import type { Knowledge } from "./domain/knowledge.ts";
import type { Instant } from "./domain/time.ts";
import { Authenticator } from "./http/auth.ts";
import { KEPT_MS } from "./http/idempotency.ts";
import { SlidingWindow } from "./http/limits.ts";
import { type Listener, listen } from "./http/listen.ts";
import { partnerApi } from "./http/partner-api.ts";
import { Pipeline } from "./http/pipeline.ts";
import { clientAddress } from "./http/proxies.ts";
import { createHttp, type Fetch } from "./http/server.ts";
import { lockInstance } from "./instance-lock.ts";
import { type Job, startJobs } from "./jobs/table.ts";
import { loadKnowledge } from "./knowledge/load.ts";
import type { Logger } from "./log.ts";
import { tokens } from "./secrets/tokens.ts";
import type { Store } from "./store/store.ts";
import { openUploads } from "./uploads.ts";
import { checkHealth } from "./usecases/check-health.ts";
import { DailyBudgets } from "./usecases/daily-budgets.ts";
import { createDispatcher, type Dispatcher } from "./usecases/dispatch-webhooks.ts";
import { outboxPorts } from "./usecases/outbox-ports.ts";
import { dueSnapshot, takeSnapshot } from "./usecases/take-snapshot.ts";
import { contains, parseAddress, parseNetwork } from "./webhooks/address.ts";
import { DISPATCH_DEFAULTS } from "./webhooks/dispatch-ports.ts";
import { DEFAULT_PAUSE_LIMITS } from "./webhooks/receiver-health.ts";
import { createResolver } from "./webhooks/resolve.ts";
import { createSender, type Sender } from "./webhooks/send.ts";

export type AppWorld = {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  clock: () => Instant;
  random: FillRandom;
  log: Logger;
};

/** A server that listens. */
export type App = {
  url: string;
  adminUrl: string;
  /** Refuses what is new, finishes what is under way within the grace of the settings, and closes the database. */
  stop(): Promise<void>;
};

/** How often another process's commits are looked for. */
const WATCH_MS = 250;

/** The composition root: builds every room from the settings, and listens. Throws an OperatorError when it cannot. */
export async function startApp(world: AppWorld): Promise<App> {
  const { config, clock, log } = world;
  const folder = openDataFolder(world);
  const lock = await orClose(folder, () => lockInstance(config.storage.dataDir));
  const { store } = folder;
  for (const { number, name } of store.applied) log.info({ number, name }, "migration applied");

  const knowledge = loadKnowledge();
  const budgets = new DailyBudgets(store, clock);
  const { dispatcher, sender } = createOutbox(world, folder);
  const fetch = createFetch(world, folder, knowledge, budgets);
  const listeners = await orClose(folder, () => openListeners(config, fetch));
  const [main, admin] = listeners;

  store.onOutbox((partnerIds) => dispatcher.wake(partnerIds));
  const watch = watchOtherProcesses(store, dispatcher);
  const jobs = startJobs(jobTable(world, store, knowledge), log);
  dispatcher.start();
  log.info(
    { url: main.url, admin_url: admin.url, version: BUILD.version, commit: BUILD.commit },
    "listening",
  );

  return {
    url: main.url,
    adminUrl: admin.url,
    async stop() {
      const graceMs = config.server.shutdownGraceS * 1000;
      await Promise.all([...new Set(listeners)].map((listener) => listener.stop(graceMs)));
      clearInterval(watch);
      await jobs.stop();
      await dispatcher.stop(graceMs);
      sender.close();
      await budgets.release();
      await store.close();
      lock.release();
      log.info("stopped");
    },
  };
}

function createFetch(
  { config, clock, random, log }: AppWorld,
  { store, masterKey }: DataFolder,
  knowledge: Knowledge,
  budgets: DailyBudgets,
): Fetch {
  const { limits, server } = config;
  const authenticator = new Authenticator(store, tokens(masterKey, random), clock);
  const startedAt = clock();
  const health = () =>
    checkHealth({
      store,
      clock,
      startedAt,
      version: BUILD.version,
      schedulerOn: config.snapshot.enabled,
      outboxRuns: () => true,
    });
  const operations = partnerApi({
    knowledge,
    authenticator,
    checkHealth: health,
    bulkItems: limits.bulkItems,
    uploads: openUploads(config.storage.dataDir),
    photoBytes: limits.photoBytes,
    basePath: server.basePath,
    random,
  });
  const trusted = server.trustedProxies.map(parseNetwork);
  const isTrusted = (address: string) => {
    const bytes = parseAddress(address);
    return bytes !== undefined && trusted.some((network) => contains(network, bytes));
  };
  return createHttp({
    operations,
    basePath: server.basePath,
    pipeline: new Pipeline({
      store,
      authenticator,
      budgets,
      partnerWindow: new SlidingWindow(limits.perPartnerPerMinute),
      perPartnerPerMinute: limits.perPartnerPerMinute,
      bodyBytes: limits.bodyBytes,
      clock,
      log,
    }),
    addressWindow: new SlidingWindow(limits.perIpPerMinute),
    clientAddress: (socket, forwardedFor) => clientAddress(socket, forwardedFor, isTrusted),
    clock,
    newRequestId: () => Buffer.from(random(new Uint8Array(12))).toString("base64url"),
    log,
  });
}

function createOutbox(
  { config, clock, log }: AppWorld,
  { store, sealer }: DataFolder,
): { dispatcher: Dispatcher; sender: Sender } {
  const { webhooks } = config;
  const policy = {
    allow: webhooks.allowNetworks.map(parseNetwork),
    deny: webhooks.denyNetworks.map(parseNetwork),
  };
  const sender = createSender({
    policy: () => policy,
    resolve: createResolver(),
    extraAuthorities: null,
    proxy: webhooks.proxy === "" ? null : new URL(webhooks.proxy),
  });
  const dispatcher = createDispatcher(
    {
      ...outboxPorts(store, sealer, clock),
      send: sender.send,
      clock,
      timers: {
        set: (fire, delayMs) => setTimeout(fire, delayMs),
        clear: (timer) => clearTimeout(timer as Timer),
      },
      log,
    },
    {
      ...DISPATCH_DEFAULTS,
      concurrencyPerPartner: webhooks.concurrencyPerPartner,
      timeoutMs: webhooks.timeoutMs,
      pauseLimits: { ...DEFAULT_PAUSE_LIMITS, failures: webhooks.pauseAfterFailures },
      probeIntervalMs: webhooks.probeIntervalS * 1000,
    },
  );
  return { dispatcher, sender };
}

/** The main listener and the administrators', which may be the same one. */
function openListeners(config: Config, fetch: Fetch): [Listener, Listener] {
  const { host: hostname, port, idleTimeoutS } = config.server;
  const main = listen({ hostname, port, idleTimeoutS, fetch });
  const address = parseListen(config.admin.listen)!;
  if (address === "main") return [main, main];
  try {
    return [main, listen({ hostname: address.host, port: address.port, idleTimeoutS, fetch })];
  } catch (error) {
    void main.stop(0);
    throw error;
  }
}

/** Commits of commands that run beside the server may have filled the outbox. */
function watchOtherProcesses(store: Store, dispatcher: Dispatcher): Timer {
  let seen = store.dataVersion();
  return setInterval(() => {
    const version = store.dataVersion();
    if (version === seen) return;
    seen = version;
    dispatcher.wake();
  }, WATCH_MS);
}

/** What runs when. The daily snapshot is looked after every minute, so that a start after its time catches up. */
function jobTable({ config, clock, log }: AppWorld, store: Store, knowledge: Knowledge): Job[] {
  const [hours, minutes] = config.snapshot.at.split(":").map(Number);
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
  const snapshot = async (signal: AbortSignal) => {
    const unfinished = await store.read.snapshots.unfinished();
    const due = dueSnapshot(clock(), hours! * 60 + minutes!);
    for (const day of new Set([unfinished?.day, due])) {
      if (day === undefined || (await store.read.snapshots.run(day))?.finishedAt) continue;
      const result = await takeSnapshot({ store, knowledge, clock, pause, signal }, day);
      log.info({ ...result }, "snapshot taken");
    }
  };
  const prune = async () => {
    while ((await store.write((tx) => tx.idempotency.prune(tx.now - KEPT_MS, 500))) === 500) await pause();
  };
  return [
    ...(config.snapshot.enabled
      ? [{ name: "snapshot", pattern: "0 * * * * *", atStart: true, run: snapshot }]
      : []),
    { name: "prune-idempotency-keys", pattern: "0 17 * * * *", run: prune },
  ];
}

async function orClose<T>(folder: DataFolder, open: () => T): Promise<T> {
  try {
    return open();
  } catch (error) {
    await folder.store.close();
    throw error;
  }
}
