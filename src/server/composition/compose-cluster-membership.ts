import { type Cluster, SINGLE_NODE } from "../../cluster/cluster.ts";
import type { ClusterClock } from "../../cluster/cluster-clock.ts";
import { clusterLeaseRepository } from "../../cluster/cluster-leases-and-servers.ts";
import { Membership } from "../../cluster/cluster-membership.ts";
import { leaseMsForNeed } from "../../cluster/lease.ts";
import type { Config } from "../../config/settings.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { OperatorError } from "../../domain/errors.ts";
import { systemTimers } from "../../event-loop/event-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import type { Store } from "../../store/store.ts";
import { BUILD } from "../server-build-info.ts";

export type ClusterMembership = {
  cluster: Cluster;
  /**
   * Joins the cluster under the address that this server listens on. Rejects if the database is unavailable, and
   * with an OperatorError if a newer version has migrated the schema since it was opened.
   */
  start(address: string): Promise<void>;
  /** Resolves with the reason if this server must stop; normally never. */
  mustStop: Promise<OperatorError>;
  /** Leaves the cluster and releases all leases. */
  stop(): Promise<void>;
};

/** Returns this server's membership in the cluster; a single node on SQLite. */
export function composeClusterMembership(deps: {
  config: Config;
  clock: ClusterClock;
  monotonicMs: () => number;
  log: Logger;
  store: Store;
  knowledge: Knowledge;
}): ClusterMembership {
  const { config, clock, monotonicMs, log, store, knowledge } = deps;
  const { promise: mustStop, resolve: end } = Promise.withResolvers<OperatorError>();
  if (!store.isShared) return { cluster: SINGLE_NODE, mustStop, start: async () => {}, stop: async () => {} };
  const self = {
    id: crypto.randomUUID(),
    address: "",
    version: BUILD.version,
    schemaVersion: store.schemaVersion,
    model: knowledge.modelVersion,
  };
  const membership = new Membership({
    repository: clusterLeaseRepository(store),
    self: () => self,
    clock,
    monotonicMs,
    log,
    timers: systemTimers,
    leaseMs: leaseMsForNeed(config.webhooks.timeoutMs),
    mustStop: end,
  });
  return {
    cluster: membership,
    mustStop,
    async start(address) {
      self.address = address;
      await membership.start();
    },
    stop: () => membership.stop(),
  };
}
