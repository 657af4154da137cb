import { type Cluster, SINGLE_NODE } from "../cluster/cluster.ts";
import { leaseMsFor } from "../cluster/lease.ts";
import { leaseRepository } from "../cluster/lease-repository.ts";
import { Membership } from "../cluster/membership.ts";
import type { Config } from "../config/settings.ts";
import type { OperatorError } from "../domain/errors.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { Instant } from "../domain/time.ts";
import { systemTimers } from "../event-loop.ts";
import type { Logger } from "../log.ts";
import type { Store } from "../store/store.ts";
import { BUILD } from "./build-info.ts";

export type JoinedServers = {
  cluster: Cluster;
  /**
   * Says where this server listens, and that it is there. Rejects when the database cannot be asked, and with an
   * OperatorError when a newer version has changed the schema since it was opened.
   */
  start(address: string): Promise<void>;
  /** Resolves with the reason when this server may not go on; never, as a rule. */
  mustStop: Promise<OperatorError>;
  /** Leaves the others, with nothing held. */
  stop(): Promise<void>;
};

/** This server among those on its database; alone where nobody else can be. */
export function joinServers(world: {
  config: Config;
  clock: () => Instant;
  ticks: () => number;
  log: Logger;
  store: Store;
  knowledge: Knowledge;
}): JoinedServers {
  const { config, clock, ticks, log, store, knowledge } = world;
  const { promise: mustStop, resolve: end } = Promise.withResolvers<OperatorError>();
  if (!store.isShared) return { cluster: SINGLE_NODE, mustStop, start: async () => {}, stop: async () => {} };
  const self = {
    ...{ id: crypto.randomUUID(), address: "", version: BUILD.version },
    ...{ schemaVersion: store.schemaVersion, model: knowledge.modelVersion },
  };
  const membership = new Membership({
    ...{ repository: leaseRepository(store), self: () => self, clock, ticks, log },
    timers: systemTimers,
    leaseMs: leaseMsFor(config.webhooks.timeoutMs),
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
