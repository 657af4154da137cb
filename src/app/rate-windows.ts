import { AddressRateWindow, type RateWindow } from "../cluster/address-rate-window.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { DistributedRateWindow } from "../cluster/distributed-rate-window.ts";
import type { Config } from "../config/settings.ts";
import { SlidingWindow } from "../http/sliding-window.ts";
import type { Durability, Store } from "../store/store.ts";

/** Returns the rate windows of callers: of this server, or shared by all on the database. */
export function rateWindows(deps: {
  limits: Config["limits"];
  store: Store;
  monotonicMs: () => number;
  cluster: Cluster;
}): {
  partners: RateWindow;
  /** Returns the windows of one listener; its name keeps its callers apart from those of others. */
  addresses(listener: string): { addressWindow: RateWindow; healthWindow: RateWindow };
} {
  const { limits, store, monotonicMs, cluster } = deps;
  const shared = (limit: number, durability: Durability) =>
    new DistributedRateWindow(store, limit, monotonicMs, durability);
  return {
    partners: store.isShared
      ? shared(limits.perPartnerPerMinute, "durable")
      : new SlidingWindow(limits.perPartnerPerMinute),
    addresses(listener) {
      const own = new SlidingWindow(limits.perIpPerMinute, cluster.alive);
      const all = store.isShared
        ? // Anybody may make the database count one, so the disk is not asked to.
          new AddressRateWindow(shared(limits.perIpPerMinute, "process"), own, `${listener} `)
        : own;
      // A load balancer asks each server for its health, however many there are.
      const ofHealth = new SlidingWindow(limits.perIpPerMinute);
      return { addressWindow: all, healthWindow: store.isShared ? ofHealth : own };
    },
  };
}
