import { type Cluster, SINGLE_NODE } from "../../cluster/cluster.ts";
import type { Config } from "../../config/settings.ts";
import type { Instant } from "../../domain/time.ts";
import { systemTimers } from "../../event-loop/event-loop.ts";
import { parseIpNetwork } from "../../ip-networks/ip-network.ts";
import type { Logger } from "../../logging/logger.ts";
import type { Store } from "../../store/store.ts";
import { readTlsAuthorities } from "../../tls/pem-files.ts";
import { createWebhookDispatcher, type Dispatcher } from "../../webhooks/webhook-dispatcher.ts";
import { type DeliveryLeases, DISPATCHER_DEFAULTS } from "../../webhooks/webhook-dispatcher-deps.ts";
import { createWebhookResolver } from "../../webhooks/webhook-dns-resolver.ts";
import { DEFAULT_PAUSE_LIMITS } from "../../webhooks/webhook-endpoint-health.ts";
import { createWebhookHttpSender, type HttpSender } from "../../webhooks/webhook-http-sender.ts";
import type { DataFolder } from "../server-data-folder.ts";
import { composeDeliveryRepository, serverDeliveryLeaseName } from "./compose-delivery-repository.ts";

/*
 * The outbound half of the composition, built from the settings: everything sent to partners. The server and the
 * commands that send use the same sender, so that the network rules apply to both.
 */

/** The interval of checks for commits of other processes. */
const WATCH_MS = 250;

/** Returns a sender with the operator's network rules. Throws an OperatorError if the settings cannot be used. */
export function composeWebhookSender({ webhooks }: Config): HttpSender {
  const policy = {
    allow: webhooks.allowNetworks.map(parseIpNetwork),
    deny: webhooks.denyNetworks.map(parseIpNetwork),
  };
  return createWebhookHttpSender({
    policy: () => policy,
    resolve: createWebhookResolver(),
    extraAuthorities:
      webhooks.caFile === ""
        ? null
        : readTlsAuthorities({ setting: "webhooks.ca_file", path: webhooks.caFile }),
    proxy: webhooks.proxy === "" ? null : new URL(webhooks.proxy),
  });
}

type OutboxDeps = { config: Config; clock: () => Instant; log: Logger };

/** Creates the outbox's dispatcher without starting it. */
export function composeWebhookDispatcher(
  { config, clock, log }: OutboxDeps,
  { store, encryptor }: DataFolder,
  sender: HttpSender,
  cluster: Cluster = SINGLE_NODE,
): Dispatcher {
  const { concurrencyPerPartner, timeoutMs, pauseAfterFailures, probeIntervalS } = config.webhooks;
  const leases = composeDeliveryLeases(cluster);
  const failures = pauseAfterFailures === 0 ? Number.POSITIVE_INFINITY : pauseAfterFailures;
  return createWebhookDispatcher(
    {
      ...composeDeliveryRepository(store, encryptor, clock, cluster),
      ...(leases && { leases }),
      send: sender.send,
      clock,
      timers: systemTimers,
      log,
    },
    {
      ...DISPATCHER_DEFAULTS,
      concurrencyPerPartner,
      timeoutMs,
      pauseLimits: { ...DEFAULT_PAUSE_LIMITS, failures },
      probeIntervalMs: probeIntervalS * 1000,
      logged: config.log.deliveries,
    },
  );
}

/**
 * Watches for commits of other processes, such as commands that fill the outbox or change a partner, and wakes the
 * dispatcher. Returns a function that ends it.
 */
export async function composeWebhookCommitWatch(
  store: Store,
  dispatcher: Pick<Dispatcher, "wake" | "refresh">,
  log: Logger,
): Promise<() => void> {
  const readRevisions = async () =>
    new Map(
      (await store.read.partners.endpointRevisions()).map(({ partnerId, revision }) => [partnerId, revision]),
    );
  let seen = store.dataVersion();
  let known = await readRevisions();
  const look = async () => {
    const version = store.dataVersion();
    if (version === seen) return;
    seen = version;
    dispatcher.wake();
    const revisions = await readRevisions();
    for (const [partnerId, revision] of revisions)
      if (known.get(partnerId) !== revision) dispatcher.refresh(partnerId);
    known = revisions;
  };
  const timer = setInterval(() => {
    look().catch((error) => log.error({ err: error }, "changes by another process could not be read"));
  }, WATCH_MS);
  return () => clearInterval(timer);
}

/** Returns the leases of the dispatcher; undefined on a single node. */
export function composeDeliveryLeases(cluster: Cluster): DeliveryLeases | undefined {
  if (cluster.isSingleNode) return undefined;
  const prefix = serverDeliveryLeaseName("");
  const partnerOf = (name: string) => name.slice(prefix.length);
  return {
    async acquire(partnerIds) {
      const own = await cluster.acquire(partnerIds.map(serverDeliveryLeaseName));
      return new Map(Array.from(own, ([name, epoch]) => [partnerOf(name), epoch]));
    },
    isHeld: (partnerId, epoch, needMs) =>
      cluster.holds({ name: serverDeliveryLeaseName(partnerId), epoch }, needMs),
    release: (partnerIds) => cluster.release(partnerIds.map(serverDeliveryLeaseName)),
    onLost: (listener) =>
      cluster.onLost((names) => listener(names.filter((name) => name.startsWith(prefix)).map(partnerOf))),
  };
}
